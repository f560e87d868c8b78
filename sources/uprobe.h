/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Probes on functions of programs by links of the kind uprobe_multi, Linux 6.6 or later: what they
 * take is the right to load the program, where an event of perf's takes CAP_SYS_ADMIN since 6.13.
 */
#ifndef SOURCES_UPROBE_H
#define SOURCES_UPROBE_H

#include "base/base.h"

/* The attach type that such a program is loaded with, which older headers do not have. */
#define UPROBE_MULTI_TYPE 48

/* The file that is meant by a name without a slash: a library where the linker looks, a program in
 * PATH. False: there is none. */
bool uprobe__find_file(const char *name, char *path, size_t size);

/* Where a function begins in its file; -ENOENT: no symbol of that name is there, -ENOEXEC: this is
 * no ELF file. */
int uprobe__offset(const char *path, const char *function, u64 *offset);

/* Of several at once: where[i] of names[i], 0 where there is none. -ENOEXEC: this is no ELF file. */
int uprobe__offsets(const char *path, const char *const *names, u32 n, u64 *where);

/* Of several, all: found() for each place that one of the names has, which may be the same one again: of versions of
 * a function each has its own. -ENOEXEC: this is no ELF file. */
int uprobe__each(const char *path, const char *const *names, u32 n, void (*found)(void *ctx, u32 name, u64 offset),
		 void *ctx);

/* A variable or function: its address as the file has it, and its size. -ENOENT: there is none. */
int uprobe__symbol(const char *path, const char *name, u64 *address, u64 *size);
/* By how much what is mapped from `offset` of the file on at `start` is away from the file's own
 * addresses. -ENOENT: no part of it is loaded from there. */
int uprobe__bias(const char *path, u64 start, u64 offset, u64 *bias);

/* Where functions begin (or at any place), where they return, or one program at both. */
enum uprobe_when { UPROBE_BEGINS, UPROBE_ENDS, UPROBE_SESSION };
/* The attach type of programs for UPROBE_SESSION: Linux 6.13 on. */
#define UPROBE_SESSION_TYPE 57

/* Places in one file that a program is attached to by one link. */
struct uprobe_set {
	const char *path;
	const u64 *offsets, *cookies;
	const u64 *semaphores; /* offsets of counters that are above 0 while it is there; NULL: none */
	u32 n;
	u32 pid;      /* in this process alone; 0: in all */
	enum uprobe_when when;
};

/* The link's descriptor, which detaches when it is closed; -errno. */
int uprobe__attach_set(int prog, const struct uprobe_set *set);

#endif
