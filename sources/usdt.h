/* SPDX-License-Identifier: GPL-2.0-only */
/* Static probes (USDT) of programs and libraries, and where the files of a process are. */
#ifndef SOURCES_USDT_H
#define SOURCES_USDT_H

#include "questions/usdt.h"

/* One place of a probe in a file. */
struct usdt_place {
	u64 offset, semaphore; /* in the file; semaphore 0: it has none */
	struct usdt_probe probe;
};

/* Hands out each place of the probes whose provider and name match the globs. How many; -errno:
 * -ENOEXEC no ELF file for 64 bits. */
int usdt__find(const char *path, const char *provider, const char *name,
	       void (*emit)(void *ctx, const struct usdt_place *place), void *ctx);

/*
 * The files that a path of a question stands for, until `fn` says that it was it: a file, a program or
 * library by its name; of pid:N, which sets pid, the process's program, then what it has mapped. True:
 * it was one.
 */
bool probe_path__find(const char *path, bool (*fn)(void *ctx, const char *file, u32 pid), void *ctx);

#endif
