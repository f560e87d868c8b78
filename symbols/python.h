/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * CPython 3.9 to 3.13 from outside: whether a file is one, where things are in a process that runs
 * it, and what a code object is called. What is in a process is hostile: it is read in bounds and
 * checked, never followed without end. Any thread.
 */
#ifndef SYMBOLS_PYTHON_H
#define SYMBOLS_PYTHON_H

#include "base/base.h"
#include "bpf/script.h"
#include "symbols/process_memory.h"
#include "symbols/runtime_thread.h"
#include "symbols/script_code.h"

/* What a file has; addresses as its symbols have them. */
struct python_file {
	u64 runtime;   /* _PyRuntime */
	u64 code_type; /* PyCode_Type */
	u64 eval, eval_size;
	u64 version; /* Py_Version, 0: none */
	u32 minor;   /* as the file's name says, 0: it does not */
};

/* False: it is none. path: the file's. */
bool python_file__read(int fd, const char *path, struct python_file *out);

/* A process that runs one. */
struct python {
	struct script_runtime rt; /* but for exec_id */
	u32 minor;
	u32 code_qualname; /* 0: there is none */
	u32 ascii_size, text_size; /* of what is before a text's characters */
};

/* What its frames look like in that process; bias: to be added to the file's addresses. 0; -EAGAIN:
 * the interpreter has not begun yet; else -errno and why, which stays. */
int python__attach(const struct python_file *f, u64 bias, const struct process_memory *m,
		   struct python *out, const char **why);

/* A text of characters, cut where it is longer; false: it is none, or empty. */
bool python_text__read(const struct python *p, const struct process_memory *m, u64 at, char *to,
		       size_t size);

/* Its threads' ids and states, at most max. */
u32 python_threads__list(const struct python *p, const struct process_memory *m, struct runtime_thread *to,
			 u32 max);
/* What the module threading calls one; false: it has not begun it, or what is there is not what it should be. */
bool python_thread__name(const struct python *p, const struct process_memory *m, u64 state, char *to,
			 size_t size);

/* A native stack, leaf first; sps: each frame's stack pointer. */
struct native_stack {
	const u64 *ips, *sps;
	u32 n;
};

/* Of a thread that sleeps, tid as its process counts it: words for its functions (bpf/script.h) in the place of the
 * frames that run them, and the check word behind. Returns how many words are in out; 0: there are none, no room or doubt. */
u32 python_stack__merge(const struct python *p, const struct process_memory *m, u32 tid,
			const struct native_stack *stack, u64 *out, u32 max);

#define PYTHON_LINES_MAX (256u << 10) /* bytes of a table of lines; of a longer one its beginning */

/* 0 or -errno: it is no code object (any more). */
int python_code__read(const struct python *p, const struct process_memory *m, u64 address,
		      struct script_code *out);
/* What the programs would sum up of it now; 0: it is none. */
u64 python_code__print(const struct python *p, const struct process_memory *m, u64 address);

/* The line of an instruction; 0: it has none. unit: its number, as in SCRIPT_UNIT. */
u32 python_lines__find(u32 minor, const u8 *table, u32 size, u32 first, u32 unit);
/* The last line of all; first when there is no other. */
u32 python_lines__last(u32 minor, const u8 *table, u32 size, u32 first);

#endif
