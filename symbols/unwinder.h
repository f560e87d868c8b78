/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gives the programs in the kernel what they need to walk user stacks: which objects are mapped
 * where in a process, when they ask for it, and the objects' unwind tables, built by a worker of
 * its own: stacks break for want of tables, so they do not wait for names.
 * What is told of a process is kept right by the sideband: a new mapping is told at once, an
 * exit forgets it.
 *
 * Bounded: UNWIND_PROCESSES_KEPT processes (whoever was told longest ago is forgotten, and asks
 * again), UNWIND_PARTS * UNWIND_PART mappings of each, UNWIND_OBJECTS objects, and
 * UNWIND_BUDGET bytes of tables: those not used longest make room.
 */
#ifndef SYMBOLS_UNWINDER_H
#define SYMBOLS_UNWINDER_H

#include "samples/unwind.h"
#include "symbols/sym.h"

#define UNWIND_PROCESSES_KEPT 6144
#define UNWIND_BUDGET	      (64u << 20)

struct unwinder;

/* Collector thread, but for the stats. */

/* budget: bytes of tables. */
struct unwinder *unwinder__new(struct symbols *s, const struct unwind_sink *sink, size_t budget);
void unwinder__free(struct unwinder *u); /* NULL is fine */
/* A process that the programs asked for. */
void unwinder__want(struct unwinder *u, const struct unwind_sample *wanted);
/* After the spaces have taken it in. */
void unwinder__event(struct unwinder *u, const struct proc_event *ev);
/* Tells of the processes that changed and asks the worker for tables; once a drain. */
void unwinder__flush(struct unwinder *u);

/* Waits for tables that were asked for, so long at most; false: there are more to come. Flushes. */
bool unwinder__settle(struct unwinder *u, u32 timeout_ms);

void unwinder__stats(const struct unwinder *u, struct symbols_unwind_stats *out);

#endif
