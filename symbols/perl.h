/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Perl from outside: whether a file is one, where its contexts are in a process that runs it, and
 * what its functions are called. What is in a process is hostile: it is read in bounds and checked.
 * Any thread.
 */
#ifndef SYMBOLS_PERL_H
#define SYMBOLS_PERL_H

#include "bpf/script.h"
#include "symbols/process_memory.h"
#include "symbols/script_code.h"

/* What a file has; addresses as its symbols have them. */
struct perl_file {
	u64 revision, version; /* PL_revision, PL_version: a byte each */
	u64 interpreter_size;  /* PL_interp_size */
	u64 interpreter;       /* PL_curinterp: one of them */
	u64 eval, eval_size;   /* Perl_runops_standard */
	u64 main, main_size;   /* perl_run */
	u64 nextstate, dbstate;
	/* A thread's interpreter: from the thread pointer on, or in its block of the module whose
	 * number is there when it is loaded. */
	bool in_thread;
	s64 thread;
	u64 module; /* 0: from the thread pointer on */
};

/* False: it is none. */
bool perl_file__read(int fd, struct perl_file *out);

/* A process that runs one. */
struct perl {
	struct script_runtime rt; /* but for exec_id */
};

/* bias: to be added to the file's addresses. 0; -EAGAIN: it has not begun yet; else -errno and why,
 * which stays. */
int perl__attach(const struct perl_file *f, u64 bias, const struct process_memory *m,
		 struct perl *out, const char **why);

/* By a function, or by a statement of what is in none. 0 or -errno: it is neither (any more). */
int perl_code__read(const struct perl *p, const struct process_memory *m, u64 address,
		    struct script_code *out);
/* What the programs would sum up of it now; 0: it is neither. */
u64 perl_code__print(const struct perl *p, const struct process_memory *m, u64 address);

#endif
