// SPDX-License-Identifier: GPL-2.0-only
/* System calls: how often, how long, what failed and how. */
#include <stdio.h>

#include "bpf/syscalls.h"
#include "measures/syscall_args.h"
#include "samples/measure.h"

enum { BY_CALL, BY_ERROR, BY_PATH, BY_PID, BY_TID, BY_COMM, BY_CGROUP, BY_STACK, LABELS };

static const struct measure_label labels[LABELS] = {
	[BY_CALL] = {.name = "syscall", .title = "System call", .width = 18,
		     .help = "name of the system call",
		     .word = SYSCALL_LABEL_CALL, .bits = SYSCALL_LABEL_BITS, .text = syscall__text,
		     .values = syscall_values},
	[BY_ERROR] = {.name = "error", .title = "Error", .width = 12, .kind = LABEL_ERROR,
		      .help = "how it failed; ERESTARTSYS and its like: a signal interrupted it",
		      .word = SYSCALL_LABEL_CALL, .shift = SYSCALL_ERROR_SHIFT, .bits = 32,
		      .text = errno__text, .values = errno_values},
	[BY_PATH] = {.name = "path", .title = "Path", .width = 32,
		     .help = "what a failed call named, as it was given; else none",
		     .word = SYSCALL_LABEL_PATH, .bits = 64},
	[BY_PID] = {PID_LABEL("process id")},
	[BY_TID] = {TID_LABEL("thread id")},
	[BY_COMM] = {COMM_LABEL("name of the process, or of the thread")},
	[BY_CGROUP] = {CGROUP_LABEL},
	[BY_STACK] = {STACK_LABEL("Called from", "where it was called; what took 50 us has its own stack, "
				  "and of the rest one stands for those since the last")},
};

static bool waits(const __u64 *words)
{
	u64 call = words[SYSCALL_LABEL_CALL];

	return syscall_waits((call >> SYSCALL_ABI_SHIFT) & 1, call & 0xffff);
}

/* --- what the programs know of each call --- */

static void flag_calls(struct syscall_setting *settings, const char *const *names, u32 n, u8 flag)
{
	for (u32 abi = 0; abi < SYSCALL_ABIS; abi++)
		for (u32 i = 0; i < n; i++) {
			int nr = syscall_nr(abi, names[i]);

			if (nr >= 0 && nr < SYSCALLS_MAX)
				settings[abi * SYSCALLS_MAX + (u32)nr].flags |= flag;
		}
}

static void setup(struct measure_setup *s)
{
	static const char *const exits[] = {"exit", "exit_group"},
				 *const execs[] = {"execve", "execveat"};
	static struct syscall_setting all[SYSCALL_ABIS * SYSCALLS_MAX];
	u8 paths, fds;

	for (u32 abi = 0; abi < SYSCALL_ABIS; abi++)
		for (u32 nr = 0; nr < SYSCALLS_MAX; nr++) {
			struct syscall_setting *set = &all[abi * SYSCALLS_MAX + nr];

			syscall_args__masks(abi, nr, &paths, &fds);
			*set = (struct syscall_setting){.paths = paths,
							.fds = fds,
							.waits = syscall_waits(abi, nr)};
		}
	flag_calls(all, exits, ARRAY_SIZE(exits), SYSCALL_NO_RETURN);
	flag_calls(all, execs, ARRAY_SIZE(execs), SYSCALL_EXECS);
	measure_setup__set(s, "settings", all, sizeof(all));
}

static void text(const struct measure_slow *slow, const struct measure_key *keys, char *buf,
		 size_t size)
{
	u64 value = slow->labels[SYSCALL_LABEL_CALL];
	struct syscall_call call = {.abi = (value >> SYSCALL_ABI_SHIFT) & 1,
				    .nr = value & 0xffff};
	size_t len;

	for (u32 i = 0; i < SYSCALL_ARGS; i++)
		call.args[i] = slow->args[i];
	for (u32 i = 0; i < SYSCALL_TEXTS; i++) {
		call.texts[i].arg = slow->texts[i].arg;
		call.texts[i].text = slow->texts[i].text;
	}
	syscall_args__text(&call, buf, size - 40);
	len = strlen(buf);
	snprintf(buf + len, size - len, " = ");
	syscall_ret__text(slow->result, buf + len + 3, size - len - 3);
}

const struct measure measure_syscalls = {
	MEASURE_HERE,
	.name = "syscalls",
	.noun = "calls",
	.event = "sys_enter, sys_exit",
	.shape = MEASURE_SHAPE_SPAN,
	.labels = labels,
	.nlabels = LABELS,
	.by = 1u << BY_CALL,
	.waits = waits,
	.drills = (const u32[]){1u << BY_PID, 0},
	.setup = setup,
	.notes = {[SYSCALLS_RESTARTED] = "calls were interrupted by signals",
		  [SYSCALLS_PATHS_LOST] = "paths of failed calls could not be read"},
	.text = text,
};
