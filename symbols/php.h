/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PHP from outside: whether a file is one, where its frames are in a process that runs it, and what
 * its functions are called. What is in a process is hostile: it is read in bounds and checked. Any
 * thread.
 */
#ifndef SYMBOLS_PHP_H
#define SYMBOLS_PHP_H

#include "bpf/script.h"
#include "symbols/process_memory.h"
#include "symbols/script_code.h"

/* What a file has; addresses as its symbols have them. */
struct php_file {
	u64 globals; /* executor_globals */
	u64 eval, eval_size;
	u64 modules; /* module_registry: what is loaded says which version it is for */
};

/* False: it is none, or one for threads, which keeps its frames elsewhere. */
bool php_file__read(int fd, struct php_file *out);

/* A process that runs one. */
struct php {
	struct script_runtime rt; /* but for exec_id */
};

/* bias: to be added to the file's addresses. 0; -EAGAIN: it has not begun yet; else -errno and why,
 * which stays. */
int php__attach(const struct php_file *f, u64 bias, const struct process_memory *m, struct php *out,
		const char **why);

/* 0 or -errno: it is no function (any more). */
int php_function__read(const struct php *p, const struct process_memory *m, u64 address,
		       struct script_code *out);
/* What the programs would sum up of it now; 0: it is none. */
u64 php_function__print(const struct php *p, const struct process_memory *m, u64 address);

#endif
