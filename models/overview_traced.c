// SPDX-License-Identifier: GPL-2.0-only
/*
 * Rules about what is traced only when something speaks for it (overview__helps): interrupts, virtual machines, BPF
 * programs, the CPUs' own counters.
 */
#include <stdio.h>

#include "models/frames.h"
#include "models/overview_impl.h"
#include "samples/counters.h"

#include "bpf/irq.h"
#include "bpf/kvm.h"

static u64 key_of(const struct measure_text *keys, enum measure_id measure, const char *label)
{
	int i = measure__label(measure_table[measure], label);

	return i < 0 ? 0 : keys[i].value;
}

/* --- interrupts that came late --- */

static bool is_kind(const struct measure_text *keys, enum irq_kind kind)
{
	return key_of(keys, MEASURE_IRQ, "kind") == kind;
}

/* The kernel's function in which a CPU could be interrupted again. "": it was in a program, or idle: then it was
 * the hypervisor that did not let it run. */
static const char *where_on_again(const struct measure_slow_entry *slow, const struct symbols *symbols)
{
	static const char *const idle[] = {"do_idle", "cpuidle_", "default_idle", "acpi_idle", "intel_idle",
					   "pv_native_safe_halt", "native_safe_halt", "mwait_idle", "haltpoll"};
	u32 nkernel = slow->stack ? slow->stack->nkernel : 0;
	const char *where = "";

	for (u32 i = nkernel; i-- > 0;) {
		const char *name = frame__text(symbols, slow->stack->locs[i]).name;

		for (u32 j = 0; j < ARRAY_SIZE(idle); j++)
			if (!strncmp(name, idle[j], strlen(idle[j])))
				return "";
		if (measure__is_innermost(measure_table[MEASURE_IRQ], name))
			return where;
		if (strncmp(name, "_raw_", 5)) /* what lets go of a lock is not what had it */
			where = name;
	}
	return where;
}

/*
 * A tick, or a softirq, is also late when the hypervisor did not let the CPU run: that may be anywhere. What is late
 * in one place again and again is the kernel's.
 */
#define LATE_NS	   (10 * NSEC_PER_MSEC)
#define LATE_TIMES 3 /* in the last minute */

struct late {
	const struct measure_slow_entry *longest;
	const char *where; /* the function, or the softirq */
	u32 n;
};

static const char *place_of(const struct measure_snap *s, const struct measure_slow_entry *e, enum irq_kind kind)
{
	if (!is_kind(e->keys, kind) || e->s.ns < LATE_NS)
		return "";
	return kind == IRQ_SOFT ? e->keys[measure__label(s->measure, "vector")].text
				: where_on_again(e, s->symbols);
}

/* The longest of this interval that is in a place with enough others, slowest first. */
static struct late late_again(const struct measure_snap *s, enum irq_kind kind)
{
	struct late l = {0};

	for (u32 i = 0; s && i < s->nslow; i++) {
		if (s->slow[i].s.t_ns < s->base.t0_ns)
			continue;
		l = (struct late){&s->slow[i], place_of(s, &s->slow[i], kind), 0};
		for (u32 j = 0; *l.where && j < s->nslow; j++)
			l.n += !strcmp(l.where, place_of(s, &s->slow[j], kind));
		if (l.n >= LATE_TIMES)
			return l;
	}
	return (struct late){0};
}

void rule__IRQS_OFF(struct rule_run *r)
{
	struct late l = late_again(r->facts->irq, IRQ_IRQS_OFF);
	char filter[48];

	if (!l.n)
		return;
	snprintf(filter, sizeof(filter), "cpu=%u kind=irqs-off", l.longest->s.cpu);
	finding__add(r, (double)l.longest->s.ns / 1e6, NULL, filter,
		     "CPU %u took no interrupts for %.1f ms in %.80s, while `%s` ran: %u times in the last minute it "
		     "was long there",
		     l.longest->s.cpu, (double)l.longest->s.ns / 1e6, l.where,
		     l.longest->s.who.tgid ? l.longest->s.who.comm : "[idle]", l.n);
}

void rule__SOFTIRQ_LONG(struct rule_run *r)
{
	struct late l = late_again(r->facts->irq, IRQ_SOFT);
	char filter[32];

	if (!l.n)
		return;
	snprintf(filter, sizeof(filter), "cpu=%u kind=soft", l.longest->s.cpu);
	finding__add(r, (double)l.longest->s.ns / 1e6, NULL, filter,
		     "softirq %s kept CPU %u for %.1f ms at a time, %u times in the last minute: nothing else ran there",
		     l.where, l.longest->s.cpu, (double)l.longest->s.ns / 1e6, l.n);
}

/* --- virtual machines --- */

#define EXITS_MIN_PCT 10 /* of a CPU: of less it does not matter why */

struct guest {
	const struct measure_entry *first, *top; /* top: for what most time goes */
	u64 out_ns, in_ns, exits;
};

static struct guest guest_of(const struct measure_snap *s, const struct measure_entry *first)
{
	struct guest g = {.first = first};

	for (u32 i = 0; i < s->nentries; i++) {
		const struct measure_entry *e = &s->entries[i];
		const struct measure_values *v = &e->v[WINDOW_LAST];

		if (e->who.tgid != first->who.tgid)
			continue;
		g.in_ns += v->sums[KVM_SUM_GUEST];
		if (e->waits) /* it had nothing to do */
			continue;
		g.out_ns += v->sum;
		g.exits += v->count;
		if (!g.top || v->sum > g.top->v[WINDOW_LAST].sum)
			g.top = e;
	}
	return g;
}

static void say_exits(struct rule_run *r, const struct guest *g)
{
	const struct measure_snap *s = r->facts->kvm;
	double window_ns = (double)MAX(s->window_ns[WINDOW_LAST], 1ULL);
	double pct = 100 * (double)g->out_ns / (double)MAX(g->out_ns + g->in_ns, 1ULL);
	struct who who = {g->first->who.tgid, g->first->who.process, g->first->who.cgroup};

	if (!g->top || 100 * (double)g->out_ns < EXITS_MIN_PCT * window_ns)
		return;
	finding__add(r, pct, &who, NULL,
		     "the guest of `%s` is left for %.0f %% of the time that it wants to run, %.0f times a "
		     "second: most of it goes into %s",
		     who.comm, pct, (double)g->exits * 1e9 / window_ns,
		     g->top->keys[measure__label(measure_table[MEASURE_KVM], "reason")].text);
}

static bool is_first_of_process(const struct measure_snap *s, u32 at)
{
	if (s->entries[at].who.tgid == MEASURE_MANY)
		return false;
	for (u32 i = 0; i < at; i++)
		if (s->entries[i].who.tgid == s->entries[at].who.tgid)
			return false;
	return true;
}

void rule__VM_EXITS(struct rule_run *r)
{
	const struct measure_snap *s = r->facts->kvm;

	for (u32 i = 0; s && i < s->nentries; i++)
		if (is_first_of_process(s, i)) {
			struct guest g = guest_of(s, &s->entries[i]);

			say_exits(r, &g);
		}
}

/* --- BPF programs of others --- */

void rule__BPF_PROGRAMS(struct rule_run *r)
{
	const struct bpf_snap *s = r->facts->bpf;
	const struct bpf_entry *most = NULL;
	struct who who = {0};
	char owner[80] = "";
	double pct;

	for (u32 i = 0; s && i < s->nprogs; i++)
		if (s->progs[i].s.id && !s->progs[i].s.own &&
		    (!most || s->progs[i].n[WINDOW_LAST][BPF_RUN_NS] > most->n[WINDOW_LAST][BPF_RUN_NS]))
			most = &s->progs[i];
	if (!most)
		return;
	pct = bpf__cpu_pct(most->n[WINDOW_LAST][BPF_RUN_NS], s->window_ns[WINDOW_LAST]);
	if (most->s.nowners) {
		const struct bpf_owner *o = &most->s.owners[0];

		who = (struct who){o->tgid, o->comm, o->cgroup};
		snprintf(owner, sizeof(owner), " of `%s`", o->comm);
	}
	finding__add(r, pct, &who, who.pid ? NULL : "",
		     "BPF program `%.60s`%s takes %.0f %% of a CPU: it runs %.0f times a second, %.1f us each%s%.80s",
		     most->s.name, owner, pct,
		     (double)most->n[WINDOW_LAST][BPF_RUNS] * 1e9 / (double)MAX(s->window_ns[WINDOW_LAST], 1ULL),
		     (double)most->n[WINDOW_LAST][BPF_RUN_NS] / 1e3 /
			     (double)MAX(most->n[WINDOW_LAST][BPF_RUNS], 1ULL),
		     *most->s.attached ? ", at " : "", most->s.attached);
}

/* --- what CPUs count --- */

#define MISSES_MANY 5 /* of 1,000 instructions: below, it is not memory that is waited for */
#define BOUND_MIN_PCT 50 /* of a CPU that a process uses */

static double counted(const struct measure_snap *s, u32 pid, const char *event)
{
	double sum = 0;

	for (u32 i = 0; i < s->nentries; i++)
		if (s->entries[i].who.tgid == pid && !strcmp(s->entries[i].keys[0].text, event))
			sum += (double)s->entries[i].v[WINDOW_LAST].count;
	return sum;
}

/* One process: who uses most. A virtual machine may have cycles and instructions without caches. */
void rule__MEMORY_BOUND(struct rule_run *r)
{
	const struct measure_snap *s = r->facts->counters;
	double most, cycles, instructions, misses;
	const struct system_process *p = facts__top(r->facts, usage__cpu, &most);
	struct who who = who__of_process(p);

	if (!s || !p || most < BOUND_MIN_PCT * 1e7)
		return;
	cycles = counted(s, p->u.pid, "cycles");
	instructions = counted(s, p->u.pid, "instructions");
	misses = counted(s, p->u.pid, "cache-misses");
	if (instructions <= 0 || misses * 1000 < instructions * MISSES_MANY)
		return;
	finding__add(r, cycles / instructions, &who, NULL,
		     "`%s` waits for memory: %.1f cycles an instruction, and %.0f of 1,000 instructions miss the "
		     "CPU's caches",
		     who.comm, cycles / instructions, 1000 * misses / instructions);
}
