// SPDX-License-Identifier: GPL-2.0-only
/* Who wants most, and which models would tell more of what goes on. */
#include "base/hidx.h"
#include "models/overview_impl.h"
#include "models/task_text.h"

/* Above so many interrupts a second and CPU those, too. */
#define INTERRUPTS_TRACED 20000
/* Above so many context switches a second and CPU the scheduler's programs cost too much to be
 * attached all the time. */
#define SWITCHES_TRACED 20000

static double share(double ns, u64 span_ns)
{
	return 100 * ns / (double)MAX(span_ns, 1ULL);
}

struct processes {
	struct overview_process *v;
	u32 n;
	struct hidx by_pid;
};

static struct overview_process *find(const struct processes *all, u32 pid)
{
	u32 at;

	HIDX_FIND(at, &all->by_pid, mix64(pid), pos, all->v[pos].pid == pid);
	return at == HIDX_NONE ? NULL : &all->v[at];
}

static void add_states(struct processes *all, const struct sched_snap *sched)
{
	for (u32 i = 0; i < sched->ntasks; i++) {
		const struct sched_sums *s = &sched->tasks[i].sums[WINDOW_LAST];
		struct overview_process *p = find(all, sched->tasks[i].task.tgid);

		if (p)
			p->runq_pct = MAX(p->runq_pct, 0.0) +
				      share((double)s->state_ns[TASK_STATE_RUNNABLE],
					    sched->window_ns[WINDOW_LAST]);
	}
}

static void add_waits(struct processes *all, const struct waits_result *reasons)
{
	for (u32 i = 0; i < reasons->nrows; i++) {
		const struct waits_row *row = &reasons->rows[i];
		struct overview_process *p = find(all, row->entry->task.tgid);
		double pct = share((double)row->sums.off_ns, reasons->base.window_ns);

		if (!p || row->class != CLASS_HARMFUL)
			continue;
		if (row->why == WAIT_DISK || row->why == WAIT_FAULT)
			p->disk_pct = MAX(p->disk_pct, 0.0) + pct;
		else if (row->why == WAIT_LOCK || row->why == WAIT_KERNEL_LOCK)
			p->lock_pct = MAX(p->lock_pct, 0.0) + pct;
	}
}

/* What it wants: CPU that it has or waits for, disks, locks. */
static double wants(const struct overview_process *p)
{
	return p->cpu_pct + MAX(p->runq_pct, 0.0) + MAX(p->disk_pct, 0.0) + MAX(p->lock_pct, 0.0) +
	       p->io_per_s / 1e6;
}

static int wants_more(const void *a, const void *b)
{
	double x = wants(a), y = wants(b);

	return x < y ? 1 : x > y ? -1 : 0;
}

/* What is traced of nobody else is nothing. */
static struct overview_process of_usage(const struct usage_sample *u, const struct facts *f)
{
	struct overview_process p = {
		.pid = u->pid,
		.state = u->state,
		.cpu_pct = share(usage__cpu(u), u->span_ns),
		.system_pct = share(usage__system(u), u->span_ns),
		.runq_pct = f->sched ? 0 : -1,
		.disk_pct = f->reasons ? 0 : -1,
		.lock_pct = f->reasons ? 0 : -1,
		.rss_bytes = u->rss_bytes,
		.io_per_s = usage__io(u) * 1e9 / (double)MAX(u->span_ns, 1ULL),
	};

	copy_str(p.comm, sizeof(p.comm), u->comm);
	return p;
}

void overview__processes(struct overview_result *a, const struct facts *f, struct arena *arena)
{
	const struct system_snap *s = f->system;
	struct processes all = {.v = arena__array(arena, struct overview_process, s->nprocesses)};

	for (u32 i = 0; i < s->nprocesses; i++) {
		const struct usage_sample *u = &s->processes[i].u;

		if (!facts__passes(f, u))
			continue;
		hidx__add(&all.by_pid, mix64(u->pid), all.n);
		all.v[all.n++] = of_usage(u, f);
	}
	if (f->sched)
		add_states(&all, f->sched);
	if (f->reasons)
		add_waits(&all, f->reasons);
	hidx__fini(&all.by_pid);
	qsort(all.v, all.n, sizeof(*all.v), wants_more);
	a->nprocesses = MIN(all.n, (u32)OVERVIEW_PROCESSES);
	a->processes = all.v;
}

static bool disks_work(const struct system_snap *s)
{
	for (u32 i = s->first[FIGURE_DISK_BUSY]; i < s->first[FIGURE_DISK_BUSY + 1]; i++)
		if (s->series[i].rate > 0.02 * 1e9)
			return true;
	return false;
}

u64 overview__affordable(const struct facts *f)
{
	const u64 scheduler = MODEL_BIT(MODEL_SCHED) | MODEL_BIT(MODEL_WAITS) | MODEL_BIT(MODEL_COUNTERS);
	u64 all = ~0ULL;

	if (system__rate(f->system, FIGURE_SWITCHES, "") / f->ncpus >= SWITCHES_TRACED)
		all &= ~scheduler;
	if ((system__rate(f->system, FIGURE_INTERRUPTS, "") + system__rate(f->system, FIGURE_SOFTIRQS, "")) /
		    f->ncpus >= INTERRUPTS_TRACED)
		all &= ~MODEL_BIT(MODEL_IRQ);
	return all;
}

/* A thread that waits for a lock of user space all the time: perhaps for ever. */
static bool somebody_is_stuck(const struct facts *f)
{
	for (u32 i = 0; f->reasons && i < f->reasons->nrows; i++) {
		const struct waits_row *row = &f->reasons->rows[i];

		if (row->why == WAIT_LOCK && row->sums.open && !row->sums.count && !row->merged)
			return true;
	}
	return false;
}

/* Whose connections these are the sockets know. */
static bool connections_suffer(const struct facts *f)
{
	return facts__networks(f, FIGURE_TCP_RETRANSMITS) >= 2 ||
	       facts__networks(f, FIGURE_TCP_LISTEN_OVERFLOWS) >= 1 || facts__networks(f, FIGURE_TCP_CONNECT_FAILS) >= 5;
}

/* Interrupts take time, or one is in the kernel for long: that is where they are off. Many that end at once, as a
 * build has, are no reason. */
static bool interrupts_worth_it(const struct facts *f)
{
	double pct = facts__cpu_pct(f, FIGURE_CPU_IRQ, "") + facts__cpu_pct(f, FIGURE_CPU_SOFTIRQ, "");
	double most;

	return pct * f->ncpus >= 10 || (facts__top(f, usage__system, &most) && most >= 0.3e9);
}

/* Since the last look, by whomever. */
static bool bpf_was_loaded(const struct facts *f)
{
	const struct system_series *v = system__series(f->system, FIGURE_BPF_NEWEST, "");

	return v && v->ntrend > 1 && v->trend[v->ntrend - 1] > v->trend[v->ntrend - 2];
}

/* Of others: it goes on to be looked at. */
static bool bpf_runs(const struct facts *f)
{
	for (u32 i = 0; f->bpf && i < f->bpf->nprogs; i++)
		if (!f->bpf->progs[i].s.own &&
		    bpf__cpu_pct(f->bpf->progs[i].n[WINDOW_LAST][BPF_RUN_NS], f->bpf->window_ns[WINDOW_LAST]) >= 1)
			return true;
	return false;
}

static bool counters_worth_it(const struct facts *f)
{
	double most;

	return system__rate(f->system, FIGURE_PMU, "") > 0 && facts__top(f, usage__cpu, &most) && most >= 0.5e9;
}

/* What says little of most machines. */
static u64 special_helps(const struct facts *f)
{
	u64 helps = 0;

	if (interrupts_worth_it(f))
		helps |= MODEL_BIT(MODEL_IRQ);
	if (system__rate(f->system, FIGURE_CPU_GUEST, "") > 0)
		helps |= MODEL_BIT(MODEL_KVM);
	if (bpf_was_loaded(f) || bpf_runs(f))
		helps |= MODEL_BIT(MODEL_BPF);
	if (counters_worth_it(f))
		helps |= MODEL_BIT(MODEL_COUNTERS);
	return helps;
}

/* Samples say something of CPUs that work, requests of disks that do. Waits are always looked at: who
 * waits for a lock shows nowhere else. */
u64 overview__helps(const struct facts *f)
{
	u64 helps = MODEL_BIT(MODEL_SCHED) | MODEL_BIT(MODEL_WAITS) | special_helps(f);

	if (facts__busy_pct(f, "") * f->ncpus >= 20)
		helps |= MODEL_BIT(MODEL_PROFILE);
	if (disks_work(f->system))
		helps |= MODEL_BIT(MODEL_IO);
	if (somebody_is_stuck(f))
		helps |= MODEL_BIT(MODEL_LOCKS);
	if (connections_suffer(f))
		helps |= MODEL_BIT(MODEL_TCP);
	if (facts__networks(f, FIGURE_UDP_FULL) >= 1)
		helps |= MODEL_BIT(MODEL_SOCKETS);
	return helps;
}
