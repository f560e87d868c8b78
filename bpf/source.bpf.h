/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs of every source have: figures about themselves, halves of maps that take turns,
 * who is in scope, and the programs that follow children. A program includes this once, after it
 * has defined SOURCE_STATS as its struct of figures: for each CPU, all u64, beginning with
 * SOURCE_FIGURES (bpf/scope.h). sources/bpf_source.c finds all of it by name.
 */
#ifndef BPF_SOURCE_BPF_H
#define BPF_SOURCE_BPF_H

#include "bpf/scope.bpf.h"

volatile u32 active = 0;       /* the half that counts now */
volatile u32 look_again = 0;   /* the iterator decides anew who is in scope */
volatile u32 thread_kinds = 0; /* 1: user threads only, 2: kernel threads only */

PERCPU_MAP(stats, 1, struct SOURCE_STATS);

static __always_inline struct SOURCE_STATS *stats__get(void)
{
	return map__only(&stats);
}

/*
 * Two hash maps, NAME_a and NAME_b. Programs write to the one that `active` names; user space
 * switches, waits until no program runs that saw the old value, and drains the other in peace: no
 * count is lost or doubled.
 */
#define HALVES(name, entries, key_type, value_type)                                                \
	HASH_MAP(name##_a, entries, key_type, value_type);                                         \
	HASH_MAP(name##_b, entries, key_type, value_type)
#define half__of(name, which) ((which) ? (void *)&name##_b : (void *)&name##_a)

/* --- who --- */

static __always_inline bool task__in_scope(struct task_struct *task)
{
	u32 kinds = thread_kinds;

	if (kinds && ((task->flags & PF_KTHREAD) ? kinds != 2 : kinds != 1))
		return false;
	return scope__task(task, task->tgid, task->pid);
}

/* A global function: what it takes of the stack is not taken beside walks. */
__noinline u64 task__name_hash(u64 address)
{
	struct task_struct *task = (void *)address;
	u64 comm[2] = {};

	BPF_CORE_READ_INTO(&comm, task, comm);
	return comm[0] * 0x9e3779b97f4a7c15ULL ^ comm[1] * 0xc2b2ae3d27d4eb4fULL;
}

/* What an answer of task__in_scope() is good for: until the scope changes, and where names are looked at, until it
 * has another one, or executes another program. That is known at once: short ones do nothing else. Most threads have
 * their starter's name at first. */
static __always_inline u64 task__scope_version(struct task_struct *task)
{
	u64 state = scope_state, version = state ^ ((u64)thread_kinds << 29) ^ (1u << 31);

	if (!((u32)state & SCOPE_BPF_COMMS))
		return version; /* never 0 */
	return version ^ task->self_exec_id << 48 ^ task__name_hash(as_number(task));
}

/* --- what is slow --- */

/* Whether what took ns is reported one by one. When more than `most` are, only slower ones are from
 * then on: the slowest are never missed. */
static __always_inline bool slow__is_due(volatile u64 *limit, volatile u32 *reported, u32 most,
					 u64 ns)
{
	if (!*limit || ns < *limit)
		return false;
	if (__sync_fetch_and_add(reported, 1) >= most) {
		*reported = 0;
		*limit *= 2;
	}
	return true;
}

/* --- upkeep --- */

/* A look at the clock costs as much as many a run: one in so many is timed. A prime: programs that take turns
 * are timed in turn. */
#define RUN_TIMED_EVERY 61

static __always_inline u64 run__begin(struct SOURCE_STATS *st)
{
	st->runs++;
	return bpf_ktime_get_ns();
}

/* For programs that need no time but for this: 0 if the run is not timed. */
static __always_inline u64 run__begin_rarely(struct SOURCE_STATS *st)
{
	return ++st->runs % RUN_TIMED_EVERY ? 0 : bpf_ktime_get_ns();
}

/* Runs that an interrupt had within this one are among @st->runs: what began untimed stays so. */
static __always_inline void run__end(struct SOURCE_STATS *st, u64 began)
{
	if (!began || st->runs % RUN_TIMED_EVERY)
		return;
	st->timed++;
	st->run_ns += bpf_ktime_get_ns() - began;
}

SEC("raw_tp/sched_process_fork")
int scope_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct SOURCE_STATS *st = stats__get();

	if (!scope__follow_fork((void *)ctx->args[0], (void *)ctx->args[1]) && st)
		__sync_fetch_and_add(&st->forks_lost, 1);
	return 0;
}

SEC("raw_tp/sched_process_free")
int scope_end(struct bpf_raw_tracepoint_args *ctx)
{
	scope__follow_end((void *)ctx->args[0]);
	return 0;
}

#endif
