/* SPDX-License-Identifier: GPL-2.0-only */
/* Waits for a CPU: which were slow, and who had the CPU meanwhile. */
#ifndef BPF_SCHED_DELAY_BPF_H
#define BPF_SCHED_DELAY_BPF_H

#include "bpf/sched_thread.bpf.h"

volatile u32 slow_reported = 0; /* delays reported one by one in this interval */
volatile u64 slow_ns = 0;	/* delays from here on are reported one by one */
volatile u32 long_kept = 0; /* runs that were kept with their stacks in this interval */
volatile u64 long_ns = 0;   /* runs from here on are */

/* The last long runs on a CPU, of whoever: watched or not. */
#define LONG_RUNS 4 /* a power of two */

struct long_run {
	u64 begin, end;
	struct sched_ident who;
	u64 kstack, ustack;
};

struct long_runs {
	u32 n;
	struct long_run v[LONG_RUNS];
};

PERCPU_MAP(long_runs, 1, struct long_runs);

static __always_inline bool is_long_run(u64 since, u64 now)
{
	return (wanted & SCHED_WANT_TASKS) && slow_ns && since && now - since >= SCHED_LONG_NS;
}

/* A long run is kept, the longest with their stacks: it may turn out to have held somebody up. */
static __noinline void keep_run(struct task_struct *task, const struct leaving *l, u64 since,
				     u64 now)
{
	u32 zero = 0;
	struct long_runs *runs = bpf_map_lookup_elem(&long_runs, &zero);
	struct long_run *run;

	if (!runs)
		return;
	run = &runs->v[runs->n++ & (LONG_RUNS - 1)];
	run->begin = since;
	run->end = now;
	ident__fill(&run->who, task);
	run->kstack = l->kstack;
	run->ustack = l->ustack;
}

/* Who had the CPU longest of the time that a thread waited for it, as far as kept. */
static __always_inline void name_holder(struct sched_delay_record *r)
{
	u64 from = r->t_ns - r->delay_ns, most = 0;
	u32 zero = 0;
	struct long_runs *runs = bpf_map_lookup_elem(&long_runs, &zero);

	for (u32 i = 0; runs && i < LONG_RUNS; i++) {
		struct long_run *run = &runs->v[i];
		u64 begin = run->begin > from ? run->begin : from;

		if (run->end <= begin || run->end - begin <= most)
			continue;
		most = run->end - begin;
		r->holder = run->who;
		r->holder_ran_ns = run->end - run->begin;
		r->holder_kstack = run->kstack;
		r->holder_ustack = run->ustack;
	}
}

/* A function of its own, so that its stack is not beside that of walks. It writes into the ring: who
 * calls it leaves no stack for a record. */
static __noinline int report_delay(struct task_struct *task, u64 delay, struct task_struct *last,
				   u64 since, u64 now)
{
	struct sched_stats *st = stats__get();
	struct sched_delay_record *r = bpf_ringbuf_reserve(&records, sizeof(*r), 0);

	if (!r) {
		if (st)
			st->records_full++;
		return 0;
	}
	__builtin_memset(r, 0, sizeof(*r));
	r->type = RECORD_SCHED_DELAY;
	r->cpu = bpf_get_smp_processor_id();
	r->t_ns = now;
	r->delay_ns = delay;
	ident__fill(&r->task, task);
	name_holder(r);
	/* Nobody ran for long: whoever was the last of many. */
	if (!r->holder.tid && last && last->pid) {
		ident__fill(&r->holder, last);
		r->holder_ran_ns = now - since;
	}
	bpf_ringbuf_submit(r, ring_flags(false));
	return 0;
}

static __always_inline void note_delay(struct thread *t, struct sched_hists *h, u64 delay,
				       struct sched_cpu *c)
{
	u32 i = hist__slot(delay);

	max__note(&t->delay_max, delay);
	hist__add(h, SCHED_HIST_DELAY, delay);
	if (i < HIST_BUCKETS)
		c->delay_hist[i]++;
}

#endif
