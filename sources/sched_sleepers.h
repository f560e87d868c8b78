/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * User stacks of threads that slept before they were watched. The programs take stacks when a
 * thread leaves its CPU; these left it earlier, or before tables led further. As they sleep their stacks lie still: each is
 * copied once and walked by a worker. What they poll lies in their memory, too. Collector thread
 * only; bounded in threads and bytes.
 */
#ifndef SOURCES_SCHED_SLEEPERS_H
#define SOURCES_SCHED_SLEEPERS_H

#include "bpf/sched.h"
#include "samples/sample.h"
#include "samples/walk.h"

#define SLEEPERS_MAX 8192 /* threads; those that come later have no stack */

struct sleepers;

/* NULL where nobody walks stacks; all functions take that. */
struct sleepers *sleepers__new(const struct stack_walker *walker);
void sleepers__free(struct sleepers *s);
/* Copies its stack when it waits since before it was watched, or its stack ended early; false: it does not, or that was done
 * before. */
bool sleepers__take(struct sleepers *s, const struct sched_task_record *r);
/* Hands copies to the worker, and defines the stacks that were walked by now; waits up to wait_ms
 * for the others. sink NULL: only the former. */
void sleepers__reap(struct sleepers *s, const struct sample_sink *sink, u32 wait_ms);
/* The descriptors in its memory that it polls; false: it does not, or they cannot be read. */
bool sleeper__polls(const struct sched_task_record *r, struct sched_polled *out);
/* stack_def.hash of such a thread's user stack; 0: not known. since_ns: when a wait began whose stack ended
 * early; 0: before it was watched. */
u64 sleepers__stack(const struct sleepers *s, const struct sched_ident *task, u64 since_ns);

#endif
