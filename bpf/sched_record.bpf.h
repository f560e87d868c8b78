/* SPDX-License-Identifier: GPL-2.0-only */
/* What is told of a thread, once an interval and when it ends. */
#ifndef BPF_SCHED_RECORD_BPF_H
#define BPF_SCHED_RECORD_BPF_H

#include "bpf/sched_thread.bpf.h"

/* Scratch: too large for the programs' stack. */
PERCPU_MAP(record_scratch, 2, struct sched_task_record); /* the switch's, the iterator's */

static __always_inline void record__regs(struct sched_task_record *r, struct task_struct *task)
{
	REGS_TYPE *regs = (void *)bpf_task_pt_regs(task);

	r->regs.ip = 0;
	if (!(r->wait.since_before || r->wait.early) || !r->off_since_ns || !has_user_part(task))
		return;
	r->regs.ip = REGS_IP(regs);
	r->regs.sp = REGS_SP(regs);
	r->regs.fp = REGS_FP(regs);
	r->regs.lr = REGS_LR(regs);
	r->regs.arg[0] = REGS_ARG1(regs);
	r->regs.arg[1] = REGS_ARG2(regs);
}

/* Another CPU may add to the states meanwhile: the record is of the moment that they sum up to. */
static __always_inline void record__states(struct sched_task_record *r, const struct thread *t)
{
	__builtin_memcpy(r->state_ns, t->state_ns, sizeof(r->state_ns));
	r->t_ns = t->counted_from_ns;
	for (int i = 0; i < SCHED_STATES; i++)
		r->t_ns += r->state_ns[i];
}

static __always_inline void record__fill(struct sched_task_record *r, struct thread *t,
					 struct task_struct *task, u64 e)
{
	r->type = RECORD_SCHED_TASK;
	thread__ident(t, task, &r->task);
	r->wait = t->wait;
	r->watch_id = t->watch_id;
	record__states(r, t);
	r->runs = t->runs;
	r->delays = t->delays;
	r->delay_ns = t->delay_ns;
	r->voluntary = task->nvcsw - t->voluntary;
	r->preempted = task->nivcsw - t->preempted;
	r->migrations = task->se.nr_migrations - t->migrations;
	r->delay_max_ns = max__of(&t->delay_max, e);
	r->run_max_ns = max__of(&t->run_max, e);
	r->open_ns = t->open_ns;
	r->open_runq_ns = t->open_runq_ns;
	r->since_ns = t->since_ns;
	r->off_since_ns = t->state == SCHED_RUNNING ? 0 : t->off_ns;
	r->state = t->state;
	r->cpu = t->cpu;
	r->has_hists = 0;
	r->asleep = 0;
	r->regs.ip = 0;
}

static __always_inline void record__hists(struct sched_task_record *r, struct task_struct *task)
{
	struct sched_hists *h = bpf_task_storage_get(&hists, task, 0, 0);

	if (!h)
		return;
	bpf_probe_read_kernel(&r->hists, sizeof(r->hists), h);
	r->has_hists = 1;
}

/* The last that can be said of it by this id: it will not run again, or has taken another. */
static __noinline void report_end(struct thread *t, struct task_struct *task,
				  struct sched_stats *st)
{
	u32 slot = 0;
	struct sched_task_record *r = bpf_map_lookup_elem(&record_scratch, &slot);
	long size = offsetof(struct sched_task_record, hists);

	if (!r)
		return;
	record__fill(r, t, task, epoch);
	r->gone = 1;
	if (wanted & SCHED_WANT_TASKS)
		record__hists(r, task);
	if (bpf_ringbuf_output(&records, r, r->has_hists ? sizeof(*r) : size, ring_flags(false)))
		st->records_full++;
}

#endif
