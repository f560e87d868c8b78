/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Ruby from outside: whether a file is one, where its frames are in a process that runs it, and
 * what its functions are called. What is in a process is hostile: it is read in bounds and checked.
 * Any thread.
 */
#ifndef SYMBOLS_RUBY_H
#define SYMBOLS_RUBY_H

#include "bpf/script.h"
#include "symbols/process_memory.h"
#include "symbols/script_code.h"

#define RUBY_SYMBOLS_MAX 16

/* What a file has; addresses as its symbols have them. */
struct ruby_file {
	u64 vm;	     /* ruby_current_vm_ptr */
	u64 version; /* ruby_version: a text */
	u64 object;  /* rb_cObject; 0: it has none, and methods have no classes */
	u64 text, text_size; /* all code */
	u64 eval, eval_size;
	u64 symbols[RUBY_SYMBOLS_MAX]; /* where its table of symbols may be, as code says that lists them */
	u32 nsymbols;
};

/* False: it is none. */
bool ruby_file__read(int fd, struct ruby_file *out);

/* A process that runs one. */
struct ruby {
	struct script_runtime rt; /* but for exec_id */
	u64 object;		  /* where the class of all is; 0: not known */
	u64 symbols;		  /* where its table of symbols is; 0: not known */
};

/* bias: to be added to the file's addresses. 0; -EAGAIN: it has not begun yet; else -errno and why,
 * which stays. */
int ruby__attach(const struct ruby_file *f, u64 bias, const struct process_memory *m,
		 struct ruby *out, const char **why);

/* By its instruction sequence, of a method by its entry (bpf/script.h). 0 or -errno: it is none (any more). */
int ruby_code__read(const struct ruby *r, const struct process_memory *m, u64 address,
		    struct script_code *out);
/* What the programs would sum up of it now; 0: it is none. */
u64 ruby_code__print(const struct ruby *r, const struct process_memory *m, u64 address);

/* How methods of a class or module begin, "Some::Class#", those of one object alone with a dot; "": it has no
 * name. */
void ruby_class__prefix(const struct ruby *r, const struct process_memory *m, u64 class, char *buf,
			size_t size);
/* Which of those that a file has is the table of symbols in a process; 0: none. */
u64 ruby_symbols__find(const struct ruby_file *f, u64 bias, const struct process_memory *m);
/* What a symbol is called; false: it is none. */
bool ruby_symbols__name(const struct ruby *r, const struct process_memory *m, u64 id, char *to, size_t size);
/* A text, cut where it is longer. False: it is none, or has what no name has. */
bool ruby__text(const struct process_memory *m, u64 at, char *to, size_t size);

/* The line of an instruction, whose number is that of the next one's word; 0: there is none.
 * lines: of struct script_code. */
u32 ruby_lines__find(const u8 *lines, u32 nlines, u32 unit);

#endif
