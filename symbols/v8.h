/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * V8 from outside: whether a file is one, where things are in a process that runs it, and what its
 * functions are called. It describes itself in constants that debuggers read (v8dbg_x, which node
 * keeps). What is in a process is hostile: it is read in bounds and checked, never followed without
 * end. Any thread, unless it says otherwise.
 */
#ifndef SYMBOLS_V8_H
#define SYMBOLS_V8_H

#include "bpf/v8.h"
#include "symbols/process_memory.h"
#include "symbols/script_code.h"

/* What its constants say; in this order in symbols/v8_file.c. */
enum v8_constant {
	/* Offsets in objects, in bytes. */
	V8_FUNCTION_SHARED,
	V8_SHARED_NAME,
	V8_SHARED_SCRIPT,
	V8_MAP_TYPE,
	V8_SCRIPT_NAME,
	V8_SCRIPT_SOURCE,
	V8_CONS_FIRST,
	V8_CONS_SECOND,
	V8_SLICED_PARENT,
	V8_SLICED_OFFSET,
	V8_THIN_ACTUAL,
	V8_EXTERNAL_RESOURCE,
	/* Types. */
	V8_TYPE_FUNCTION,
	V8_TYPE_SHARED,
	V8_TYPE_SCOPE,
	V8_TYPE_SCRIPT,
	V8_TYPE_ODDBALL,
	V8_TYPE_CODE,
	V8_CONSTANTS
};

/* What all known versions say. */
#define V8_AS_KNOWN 20

/* What a file has: the addresses of its constants, as its symbols have them. */
struct v8_file {
	u64 at[V8_CONSTANTS];
	u64 known[V8_AS_KNOWN];
	u64 major, minor; /* addresses of its version; 0: it does not say */
};

/* False: it is none. */
bool v8_file__read(int fd, struct v8_file *out);
/* Whether those constants are what they were in versions that are known. */
bool v8_file__is_known(const struct v8_file *f, u64 bias, const struct process_memory *m);

/* A process that runs one. */
struct v8 {
	struct v8_runtime rt; /* but for exec_id */
	u16 of[V8_CONSTANTS];
	const struct v8_layout *layout; /* of optimised code; NULL: that version's is not known */
};

/* bias: to be added to the file's addresses. 0; else -errno and why, which stays. */
int v8__attach(const struct v8_file *f, u64 bias, const struct process_memory *m, struct v8 *out,
	       const char **why);

/* --- objects; pointers to them are tagged --- */

/* False: it is none, or cannot be read. */
bool v8__is(const struct v8 *v, const struct process_memory *m, u64 object, enum v8_constant type);
/* A word of an object, `at` bytes from its beginning on. */
bool v8__word(const struct process_memory *m, u64 object, u32 at, u64 *word);
/* A small number; false: it is none. */
bool v8__number(u64 word, u32 *number);

/* A text as UTF-8, cut at size; false: it is none. It may be empty. */
bool v8_text__read(const struct v8 *v, const struct process_memory *m, u64 text, char *to,
		   size_t size);

/* A text that lies in one piece. */
struct v8_chars {
	u64 at, n;
	u32 size; /* bytes of each: 1 or 2 */
};

/* False: it is none, or does not. */
bool v8_text__chars(const struct v8 *v, const struct process_memory *m, u64 text,
		    struct v8_chars *out);

/* --- lines: where each of a script's ends, for the scripts that were asked for last --- */

struct v8_lines;

/* One thread at a time. */
struct v8_lines *v8_lines__new(void);
void v8_lines__free(struct v8_lines *l);
/* Of a place in a script's source; 0: it cannot be read. */
u32 v8_lines__find(struct v8_lines *l, const struct v8 *v, const struct process_memory *m,
		   u32 tgid, u64 script, u32 position);

/* --- functions --- */

/* By what all closures of one share (bpf/v8.h). 0 or -errno: it is none (any more). */
int v8_function__read(const struct v8 *v, const struct process_memory *m, struct v8_lines *l,
		      u32 tgid, u64 shared, struct script_code *out);
/* The line of a place in its script; 0: it has none. */
u32 v8_function__line(const struct v8 *v, const struct process_memory *m, struct v8_lines *l, u32 tgid, u64 shared,
		      s32 position);
/* What the programs would sum up of it now; 0: it is none. */
u64 v8_function__print(const struct v8 *v, const struct process_memory *m, u64 shared);

#endif
