/* SPDX-License-Identifier: GPL-2.0-only */
/* The runtimes whose functions are walked in the kernel: which of them a file is, and what its frames
 * look like in a process. A new one is a row in symbols/runtimes.c, and one in symbols/scripts.c that
 * says what its functions are called. Any thread. */
#ifndef SYMBOLS_RUNTIMES_H
#define SYMBOLS_RUNTIMES_H

#include "bpf/runtime.h"
#include "symbols/hotspot.h"
#include "symbols/perl.h"
#include "symbols/php.h"
#include "symbols/python.h"
#include "symbols/ruby.h"
#include "symbols/v8.h"

/* What a file has. */
struct runtime_file {
	enum script_kind kind;
	union {
		struct python_file python;
		struct hotspot_file hotspot;
		struct v8_file v8;
		struct php_file php;
		struct ruby_file ruby;
		struct perl_file perl;
	};
};

/* One in a process. */
struct process_runtime {
	enum script_kind kind;
	union {
		struct python python;
		struct hotspot hotspot;
		struct v8 v8;
		struct php php;
		struct ruby ruby;
		struct perl perl;
	};
};

/* False: it is none. path: the file's. */
bool runtime_file__read(int fd, const char *path, struct runtime_file *out);
/* bias: to be added to the file's addresses. for_kernel: what the programs are to know, but for exec_id.
 * 0; -EAGAIN: it has not begun yet; else -errno and why, which stays. */
int runtime__attach(const struct runtime_file *f, u64 bias, const struct process_memory *m,
		    struct process_runtime *out, union runtime *for_kernel, const char **why);

#define RUNTIME_THREAD_NAME 128 /* bytes of a name, with its NUL */

/* Its threads, at most max; 0: those of this runtime have no names but comm. */
u32 runtime__threads(const struct process_runtime *r, const struct process_memory *m,
		     struct runtime_thread *to, u32 max);
/* What the runtime calls one, whose comm that is; false: it says no more than comm does. */
bool runtime_thread__name(const struct process_runtime *r, const struct process_memory *m, u64 at,
			  const char *comm, char name[RUNTIME_THREAD_NAME]);

#endif
