/* SPDX-License-Identifier: GPL-2.0-only */
/* A thread that leaves its CPU and one that gets it, also where no program was run for it. */
#ifndef BPF_SCHED_RUN_BPF_H
#define BPF_SCHED_RUN_BPF_H

#include "bpf/sched_delay.bpf.h"
#include "bpf/sched_wait.bpf.h"

PERCPU_MAP(cpus, 1, struct sched_cpu);

static __always_inline void thread__leave(struct thread *t, struct task_struct *task, const struct leaving *l,
					  u64 now, struct sched_stats *st)
{
	u64 ran = now - t->since_ns;
	bool knew = t->state == SCHED_RUNNING;

	thread__account(t, now, st);
	if (knew && (wanted & SCHED_WANT_TASKS)) {
		max__note(&t->run_max, ran);
		hist__add(hists__of(task), SCHED_HIST_ON, ran);
	}
	t->off_ns = t->summed_ns = now;
	t->woken_ns = 0;
	t->wait.kstack = 0;
	t->wait.state = l->state;
	t->wait.since_before = 0;
	t->wait.early = 0;
	t->wait.waker.kind = 0;
	if ((wanted & SCHED_WANT_WAITS) || t->tid == watch_tid) {
		wait__note_syscall(&t->wait, task);
		thread__note_on(t, task, now);
		t->wait.ustack = l->ustack;
		t->wait.early = l->early;
	}
	thread__enter(t, l->state, l->kstack, now);
}

/* When it could have run: it was woken, preempted, or new. 0: it could not. */
static __always_inline u64 thread__ready_since(const struct thread *t)
{
	if (t->woken_ns)
		return t->woken_ns;
	if (t->off_ns)
		return t->wait.state == SCHED_RUNNABLE ? t->off_ns : 0;
	return t->state == SCHED_RUNNABLE ? t->since_ns : 0;
}

/* It got its CPU. last: who had it before; NULL: the switch was unseen. */
static __always_inline void thread__arrive(struct thread *t, struct task_struct *task,
					   struct task_struct *last, struct sched_cpu *c, u64 now,
					   struct sched_stats *st)
{
	struct sched_hists *h = hists__of(task);
	u64 ready = thread__ready_since(t), delay = now - ready;

	if (ready && (s64)delay > 0) {
		t->delays++;
		t->delay_ns += delay;
		if (h && c) {
			note_delay(t, h, delay, c);
			if (slow__is_due(&slow_ns, &slow_reported, SLOW_REPORTED_MAX, delay))
				report_delay(task, delay, last, c->since_ns, now);
		}
	}
	if (t->off_ns && (wanted & SCHED_WANT_WAITS))
		end_wait(t, task, last != NULL, now, st);
	if (t->off_ns)
		hist__add(h, SCHED_HIST_OFF, now - t->off_ns);
	t->off_ns = 0;
	t->runs++;
	st->switches++;
	t->cpu = bpf_get_smp_processor_id();
	thread__enter(t, SCHED_RUNNING, 0, now);
}

/* --- switches that no program was run for --- */

/*
 * Some kernels keep switches from the programs, as when one side is a task that nobody may
 * trace. Then the other side's time is taken from the scheduler's own account; its clock is
 * compared with ours at the switches that are seen.
 */
static __always_inline u64 arrival(const struct sched_cpu *c, struct task_struct *task)
{
	if (!c->clock || !bpf_core_field_exists(task->sched_info.last_arrival))
		return 0;
	return task->sched_info.last_arrival + c->clock;
}

/* When prev, which leaves the CPU now, got it. */
static __always_inline u64 run_began(struct sched_cpu *c, struct task_struct *prev, u64 now)
{
	u64 at;

	if (c->running_tid == (u32)prev->pid || !c->since_ns || !prev->pid) {
		if (prev->pid && c->since_ns &&
		    bpf_core_field_exists(prev->sched_info.last_arrival))
			c->clock = c->since_ns - prev->sched_info.last_arrival;
		return c->since_ns;
	}
	at = arrival(c, prev);
	return at > c->since_ns && at <= now ? at : c->since_ns;
}

/* Does what was left undone when the thread that leaves now came unseen. */
static __noinline void catch_up(struct thread *t, struct task_struct *task,
				     struct sched_cpu *c, u64 began, struct sched_stats *st)
{
	if (t->state == SCHED_RUNNING && !t->off_ns)
		return;
	if (began < t->off_ns)
		began = t->off_ns;
	if (t->state != SCHED_RUNNING && began > t->accounted_ns)
		thread__account(t, began, st);
	thread__arrive(t, task, NULL, c, began, st);
	st->unseen++;
}

#endif
