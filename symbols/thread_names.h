/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What runtimes call their threads, where the kernel's comm does not say it: CPython's names, and those of
 * Java that comm has the beginning of. Read by turns, in bounds of time and number; those that
 * change are found when it is their turn. Collector thread only.
 */
#ifndef SYMBOLS_THREAD_NAMES_H
#define SYMBOLS_THREAD_NAMES_H

#include "samples/sample.h"

struct scripts;
struct thread_names;

struct thread_names *thread_names__new(const struct scripts *sc);
void thread_names__free(struct thread_names *t);
/* Once an interval: a SAMPLE_THREAD_NAME for each that is new, or another one. */
void thread_names__tick(struct thread_names *t, const struct sample_sink *sink);

/* The last of the ids that a thread has in namespaces within each other; 0: it is gone. task: what of /proc is it.
 * Any thread. */
u32 thread_names__inner_tid(const char *task);

#endif
