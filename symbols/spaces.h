/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes and what is mapped in them: by time, over exec, fork and exit. Bounded: the
 * newest SPACES_EXITED exited processes, SPACES_MAX in all, SPACES_GENERATIONS execs back.
 * Collector thread only; reads /proc/PID/maps and comm, never a mapped file (but for the
 * first four bytes of a memfd, which tell an ELF file from JIT code).
 */
#ifndef SYMBOLS_SPACES_H
#define SYMBOLS_SPACES_H

#include "samples/sample.h"
#include "symbols/maps.h"
#include "symbols/sym.h"

#define SPACES_MAX	   65536
#define SPACES_EXITED	   4096
#define SPACES_CPU_EXITED  1024 /* for each CPU, where memory is little */
#define SPACES_GENERATIONS 4

struct spaces;

struct spaces *spaces__new(struct symbols *s);
void spaces__free(struct spaces *sp);
void spaces__event(struct spaces *sp, const struct proc_event *ev);
/* The object and the offset in it; false when nothing is known to be mapped there. */
bool spaces__locate(struct spaces *sp, u32 tgid, u64 t_ns, u64 ip, u32 *object, u64 *offset);
/* What is mapped executable in a process in the program that it ran at a time, by address, as far
 * as is known. */
struct space_mapping {
	u64 start, end;
	u64 offset; /* in the object */
	u32 object; /* 0: code that is in no file */
};
/* Fills out; returns how many, at most max. */
u32 spaces__mapped(struct spaces *sp, u32 tgid, u64 t_ns, struct space_mapping *out, u32 max);
/* Another number, of all processes, whenever that is something else. */
u64 spaces__version(struct spaces *sp, u32 tgid, u64 t_ns);

#endif
