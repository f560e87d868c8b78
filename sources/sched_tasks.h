/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the scheduler's programs tell of each thread are sums since it was first watched; this
 * remembers the last ones and hands out the differences as samples. Collector thread only.
 */
#ifndef SOURCES_SCHED_TASKS_H
#define SOURCES_SCHED_TASKS_H

#include "bpf/sched.h"
#include "samples/sched.h"

struct sched_tasks;

struct sched_tasks *sched_tasks__new(void);
void sched_tasks__free(struct sched_tasks *t); /* NULL is fine */
/* A record of `size` bytes (0: too short, ignored). sink NULL: only remembered. `waits`: open
 * waits are handed out too, else just the threads. */
void sched_tasks__take(struct sched_tasks *t, const struct sched_task_record *r, size_t size,
		       bool waits, const struct sample_sink *sink);
/* After a round: forgets threads that have ended, and those not taken in `rounds` rounds before. */
void sched_tasks__end_round(struct sched_tasks *t, u32 rounds);
/* Tests. */
u32 sched_tasks__count(const struct sched_tasks *t);

void sched_ident__to(struct task_ident *out, const struct sched_ident *id);
/* The part of a sample that says what the wait is. */
void sched_wait__to(struct wait_sample *out, const struct sched_ident *id,
		    const struct sched_wait *w);

#endif
