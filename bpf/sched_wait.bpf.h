/* SPDX-License-Identifier: GPL-2.0-only */
/* Waits that end: counted by thread, stacks, state and waker. */
#ifndef BPF_SCHED_WAIT_BPF_H
#define BPF_SCHED_WAIT_BPF_H

#include "bpf/sched_thread.bpf.h"

volatile u64 wait_min_ns = 0, wait_max_ns = 0; /* which waits count; max 0: no limit */
volatile u32 wait_states = 0;		       /* bit per sched_state; 0: all */

HALVES(waits, 16384, u64, struct sched_wait_sum);
/* What finds no place in the maps above: by thread, without stacks and wakers. */
HALVES(rests, 2048, u64, struct sched_wait_sum);

/* Scratch: too large for the programs' stack. */
PERCPU_MAP(sum_scratch, 1, struct sched_wait_sum);

static __always_inline bool wait__passes(const struct sched_wait *w, u64 ns, u32 cpu)
{
	u32 states = wait_states;

	if (ns < wait_min_ns || (wait_max_ns && ns > wait_max_ns))
		return false;
	if (states && !(states & (1u << (w->state & 31))))
		return false;
	return !(u32)scope_state || scope__cpu(cpu);
}

static __always_inline u64 wait__id(const struct sched_wait *w, u32 tid, u64 start)
{
	u64 h = hash_step(tid, start), by = w->waker.kind ? ~0ULL : 0; /* else it is an earlier one */

	h = hash_step(h, w->kstack);
	h = hash_step(h, w->ustack);
	h = hash_step(h, ((u64)w->state << 32) | w->syscall);
	h = hash_step(h, ((u64)w->futex_op << 32) | w->since_before);
	h = hash_step(h, w->on);
	h = hash_step(h, (((u64)w->waker.kind << 32) | w->waker.tid) & by);
	h = hash_step(h, w->waker.kstack & by);
	return hash_finish(hash_step(h, w->waker.ustack & by));
}

static __always_inline void sum__add_object(struct sched_wait_sum *sum, u64 object)
{
	if (sum->wait.object != object)
		sum->wait.object = SCHED_OBJECT_MANY;
}

/* What of a wait is of one interval. */
struct wait_part {
	u64 off, runq;
	u64 full; /* from its beginning on */
	u64 now;
	bool goes_on;
};

static __always_inline void sum__add(struct sched_wait_sum *sum, const struct wait_part *w)
{
	sum->off_ns += w->off;
	sum->runq_ns += w->runq;
	sum->last_ns = w->now;
	if (w->goes_on) {
		sum->open++;
		sum->open_ns += w->off;
		if (sum->open_full_ns < w->full)
			sum->open_full_ns = w->full;
		return;
	}
	sum->count++;
	sum->full_ns += w->full;
	if (sum->max_ns < w->full)
		sum->max_ns = w->full;
	sum->hist[hist__octave(w->full) & (HIST_OCTAVES - 1)]++;
}

/* For whom the maps of waits are full: the scratch has the one wait. */
static __always_inline void count_rest(u32 half, struct sched_wait_sum *fresh, const struct wait_part *part,
				       struct sched_stats *st)
{
	void *map = half__of(rests, half);
	struct sched_wait_sum *sum;
	u64 id;

	fresh->wait.kstack = fresh->wait.ustack = 0;
	__builtin_memset(&fresh->wait.waker, 0, sizeof(fresh->wait.waker));
	id = wait__id(&fresh->wait, fresh->task.tid, fresh->task.start_ns);
	sum = bpf_map_lookup_elem(map, &id);
	if (sum) {
		sum__add(sum, part);
		sum__add_object(sum, fresh->wait.object);
	} else if (bpf_map_update_elem(map, &id, fresh, BPF_ANY)) {
		st->waits_lost += !part->goes_on;
	}
}

/* Of a wait from one moment to another. */
static __always_inline struct wait_part wait__part(const struct thread *t, u64 from, u64 to, bool goes_on)
{
	u64 woken = t->woken_ns, runnable = woken > from ? woken : from;

	return (struct wait_part){
		.off = to - from,
		.runq = woken && runnable < to ? to - runnable : 0,
		.full = to - t->off_ns,
		.now = to,
		.goes_on = goes_on,
	};
}

#define WAIT_GOES_ON 2

/* Of a wait what lies between two moments. task: its address; how: the half, and WAIT_GOES_ON. Global, as the verifier
 * looks at it once then and not on each path that leads to it. */
__noinline int count_wait(struct thread *t, u64 task, u32 how, u64 from, u64 to)
{
	u32 zero = 0, half = how & 1;
	void *map = half__of(waits, half);
	struct sched_stats *st = stats__get();
	struct sched_wait_sum *sum;
	struct wait_part part;
	u64 id;

	if (!t || !st)
		return 0;
	part = wait__part(t, from, to, how & WAIT_GOES_ON);
	id = wait__id(&t->wait, t->tid, t->start_ns);
	sum = bpf_map_lookup_elem(map, &id);
	if (sum) {
		sum__add(sum, &part);
		sum__add_object(sum, t->wait.object);
		return 0;
	}
	sum = bpf_map_lookup_elem(&sum_scratch, &zero);
	if (!sum)
		return 0;
	ident__read(&sum->task, task);
	sum->task.tid = t->tid;
	sum->task.start_ns = t->start_ns;
	sum->wait = t->wait;
	sum->cpu = t->cpu;
	sum->count = sum->off_ns = sum->runq_ns = sum->full_ns = sum->max_ns = sum->open_ns = sum->open_full_ns = 0;
	sum->open = 0;
	__builtin_memset(sum->hist, 0, sizeof(sum->hist));
	sum__add(sum, &part);
	if (bpf_map_update_elem(map, &id, sum, BPF_ANY)) {
		st->waits_full += !part.goes_on;
		count_rest(half, sum, &part, st);
	}
	return 0;
}

/* Where it waited can be seen until it goes on: not when the switch was unseen. */
static __always_inline void end_wait(struct thread *t, struct task_struct *task, bool seen, u64 now,
				     struct sched_stats *st)
{
	u64 summed = __sync_lock_test_and_set(&t->summed_ns, now), cut = cut_ns;
	u64 full = now - t->off_ns;
	u32 half = active != 0;

	if ((s64)full < 0) {
		st->backward++;
		return;
	}
	if (now < begin_ns)
		return;
	summed = of_intervals(summed);
	/* It was cut a moment ago, by a later look at the clock. */
	if (summed > now)
		summed = now;
	if (!wait__passes(&t->wait, full, t->cpu))
		return;
	if (!t->wait.kstack && seen)
		t->wait.kstack = stack__sleeping(task, t->wait.syscall, STACK_SLOT_TRACE);
	st->waits++;
	/* The halves have not turned yet, nor has the round come to it, perhaps. */
	if (cut <= now && half != cut_half) {
		if (summed < cut) {
			count_wait(t, as_number(task), half | WAIT_GOES_ON, summed, cut);
			summed = cut;
		}
		half = cut_half;
	}
	count_wait(t, as_number(task), half, summed, now);
}

#endif
