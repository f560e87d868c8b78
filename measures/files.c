// SPDX-License-Identifier: GPL-2.0-only
/* Files: what is done with which, how much, how long, and what fails. */
#include <stdio.h>

#include "bpf/files.h"
#include "measures/file_names.h"
#include "measures/syscall_args.h"
#include "samples/measure.h"

enum {
	BY_FILE, BY_OP, BY_ERROR, BY_FS, BY_CACHE, BY_DIR, BY_PID, BY_TID, BY_COMM, BY_CGROUP, BY_STACK,
	LABELS,
};

static void op_text(u64 op, char *buf, size_t size)
{
	static const char *const names[FILE_OPS] = {
		[FILE_OP_NONE] = "",
#define OP(id, name) [FILE_OP_##id] = name,
#define CALL(...)
#define COPY(...)
#include "bpf/files_calls.def"
#undef OP
#undef CALL
#undef COPY
	};

	copy_str(buf, size, op < FILE_OPS ? names[op] : "");
}

static void cache_text(u64 cache, char *buf, size_t size)
{
	static const char *const names[FILES_CACHES] = {"", "cached", "cold"};

	copy_str(buf, size, cache < FILES_CACHES ? names[cache] : "");
}

static const struct measure_range caches[] = {{0, FILES_CACHES}, {0}};
static const struct measure_range ops[] = {{0, FILE_OPS}, {0}};

static const struct measure_label labels[LABELS] = {
	[BY_FILE] = {.name = "file", .title = "File", .width = 32,
		     .help = "whole path in the mount namespace of the reader; in brackets what has "
			     "none, such as [pipe] and [socket]",
		     .word = FILES_LABEL_FILE, .bits = 64, .tidy = file_name__tidy},
	[BY_OP] = {.name = "op", .title = "Operation", .width = 9,
		   .help = "what was done: read, write, open, create, unlink, stat, fsync, ...",
		   .word = FILES_LABEL_OP, .bits = 8, .text = op_text,
		   .values = ops},
	[BY_ERROR] = {.name = "error", .title = "Error", .width = 12, .kind = LABEL_ERROR,
		      .help = "how it failed; ENOENT: there is nothing of that name",
		      .word = FILES_LABEL_OP, .shift = FILES_ERROR_SHIFT, .bits = 32,
		      .text = errno__text, .values = errno_values},
	[BY_FS] = {.name = "fs", .title = "File system", .width = 16,
		   .help = "type and device; none for calls that take a path, but for opens",
		   .word = FILES_LABEL_FS, .bits = 64, .tidy = file_system__tidy},
	[BY_CACHE] = {.name = "cache", .title = "Cache", .width = 6,
		      .help = "cold: a read during which pages came from the disk; cached: all was "
			      "there already, or on its way; none of pipes and other calls",
		      .word = FILES_LABEL_OP, .shift = FILES_CACHE_SHIFT, .bits = 2,
		      .text = cache_text, .values = caches},
	[BY_DIR] = {.name = "dir", .title = "Directory", .width = 32, .kind = LABEL_DERIVED,
		    .help = "each directory, with the sums of all that is below it",
		    .of = BY_FILE, .part = file_name__dir},
	[BY_PID] = {PID_LABEL("process id")},
	[BY_TID] = {TID_LABEL("thread id")},
	[BY_COMM] = {COMM_LABEL("name of the process, or of the thread")},
	[BY_CGROUP] = {CGROUP_LABEL},
	[BY_STACK] = {STACK_LABEL("Called from", "where it was called; what took 50 us has its own stack, "
				  "and of the rest one stands for those since the last")},
};

static bool waits(const __u64 *words)
{
	return words[FILES_LABEL_OP] & FILES_WAITS;
}

static void setup(struct measure_setup *s)
{
	static const struct {
		const char *name;
		struct file_call call;
	} known[] = {
#define OP(...)
#define CALL(name, op, by, arg)	   {#name, {FILE_OP_##op, FILE_BY_##by, arg, 0}},
#define COPY(name, from, to)	   {#name, {FILE_OP_READ, FILE_BY_COPY, from, to}},
#include "bpf/files_calls.def"
#undef OP
#undef CALL
#undef COPY
	};
	static struct file_call calls[SYSCALL_ABIS * SYSCALLS_MAX];

	for (u32 i = 0; i < SYSCALL_ABIS * ARRAY_SIZE(known); i++) {
		u32 abi = i / ARRAY_SIZE(known), k = i % ARRAY_SIZE(known);
		int nr = syscall_nr(abi, known[k].name);

		if (nr >= 0 && nr < SYSCALLS_MAX)
			calls[abi * SYSCALLS_MAX + (u32)nr] = known[k].call;
	}
	measure_setup__set(s, "calls", calls, sizeof(calls));
}

static void text(const struct measure_slow *slow, const struct measure_key *keys, char *buf,
		 size_t size)
{
	int len = snprintf(buf, size, "%s %.*s = ", keys[BY_OP].text, (int)size - 64,
			   keys[BY_FILE].text);

	syscall_ret__text(slow->result, buf + len, size - (size_t)len);
}

const struct measure measure_files = {
	MEASURE_HERE,
	.name = "files",
	.noun = "calls",
	.event = "sys_enter, sys_exit",
	.shape = MEASURE_SHAPE_SPAN,
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_FILE | 1u << BY_OP,
	.sums = {{.name = "bytes",
		  .title = "bytes/s",
		  .help = "read and written, together",
		  .type = VALUE_BYTES}},
	.waits = waits,
	.kept = FILES_LABEL_OP,
	.drills = (const u32[]){1u << BY_PID, 0},
	.setup = setup,
	.notes = {[FILES_NAMES_LOST] = "paths could not be read"},
	.unseen = "mmap access, io_uring and aio are not seen",
	.text = text,
};
