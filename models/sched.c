// SPDX-License-Identifier: GPL-2.0-only
/* The sched model: samples of scheduling in, snapshots out. */
#include "models/sched.h"

#include <math.h>

#include "models/sched_model.h"

/* --- CPUs --- */

static struct live_cpu *cpu_at(struct model *m, u32 cpu)
{
	struct live_cpu *c;

	if (cpu >= SCHED_MAX_CPUS)
		return NULL;
	if (cpu >= m->ncpus) {
		m->cpus = xrealloc(m->cpus, (cpu + 1) * sizeof(*m->cpus));
		memset(m->cpus + m->ncpus, 0, (cpu + 1 - m->ncpus) * sizeof(*m->cpus));
		m->ncpus = cpu + 1;
	}
	c = &m->cpus[cpu];
	for (u32 i = 0; !c->present && i < TREND_LEN; i++)
		c->trend[i] = NAN;
	c->present = true;
	return c;
}

static void consume_cpu(struct model *m, const struct cpu_sample *s)
{
	struct live_cpu *c = cpu_at(m, s->cpu);
	u64 busy = MIN(s->busy_ns, s->span_ns);

	if (!c)
		return;
	sched_sums__add(&c->track.now,
			&(struct sched_sums){.span_ns = s->span_ns,
					     .state_ns[TASK_STATE_RUNNING] = busy,
					     .state_ns[TASK_STATE_IDLE] = s->span_ns - busy,
					     .runs = s->switches,
					     .run_max_ns = s->run_max_ns});
	if (s->run_max_ns > c->now.ns)
		c->now = (struct sched_longest){s->longest, s->run_max_ns};
	c->running = s->running;
	for (u32 i = 0; s->delay_hist && i < HIST_BUCKETS; i++) {
		if (!s->delay_hist[i])
			continue;
		cells__add(&c->delays, i, s->delay_hist[i], &m->cells);
		c->track.now.delays += s->delay_hist[i];
	}
}

static const struct sched_longest *longer(const struct sched_longest *a,
					  const struct sched_longest *b)
{
	return b->ns > a->ns ? b : a;
}

/* The same epochs as the maxima of the sums have. */
static void advance_longest(struct live_cpu *c, const struct window_pace *p,
			    struct sched_longest out[WINDOWS])
{
	memmove(c->epochs + p->epochs, c->epochs,
		(WINDOW_EPOCHS - p->epochs) * sizeof(c->epochs[0]));
	memset(c->epochs, 0, p->epochs * sizeof(c->epochs[0]));
	c->epochs[0] = *longer(&c->epochs[0], &c->now);
	c->total = *longer(&c->total, &c->now);
	out[WINDOW_LAST] = out[WINDOW_DECAY] = c->now;
	for (u32 i = 0; i < WINDOW_EPOCHS; i++)
		out[WINDOW_DECAY] = *longer(&out[WINDOW_DECAY], &c->epochs[i]);
	out[WINDOW_TOTAL] = c->total;
	c->now = (struct sched_longest){0};
}

static void advance_trend(struct live_cpu *c)
{
	const struct sched_sums *now = &c->track.now;

	memmove(c->trend, c->trend + 1, sizeof(c->trend) - sizeof(c->trend[0]));
	c->trend[TREND_LEN - 1] = now->span_ns ? (float)((double)now->state_ns[TASK_STATE_RUNNING] *
							 100 / (double)now->span_ns)
					       : NAN;
}

static void snap_cpus(struct model *m, const struct window_pace *p, struct sched_snap *snap,
		      struct arena *a)
{
	struct sched_cpu *out = arena__array(a, struct sched_cpu, m->ncpus);

	for (u32 i = 0; i < m->ncpus; i++) {
		struct live_cpu *c = &m->cpus[i];
		struct sched_cpu *o = &out[snap->ncpus];

		if (!c->present)
			continue;
		snap->ncpus++;
		advance_trend(c);
		o->cpu = i;
		o->running = c->running;
		o->delays = cells__advance(&c->delays, p->keep, a);
		memcpy(o->trend, c->trend, sizeof(o->trend));
		advance_longest(c, p, o->longest);
		track__advance(&c->track, p, o->sums);
	}
	snap->cpus = out;
}

static void zero_cpus(struct model *m)
{
	for (u32 i = 0; i < m->ncpus; i++)
		cells__fini(&m->cpus[i].delays, &m->cells);
	free(m->cpus);
	m->cpus = NULL;
	m->ncpus = 0;
}

/* --- the model --- */

static void move_stacks(void *ctx, struct stacks *to, const struct stacks *from)
{
	sched__move_stacks(ctx, to, from);
}

static void sched__consume(struct model *m, const struct sample *s)
{
	const struct stacks_user user = {.ctx = m, .move = move_stacks};

	switch (s->type) {
	case SAMPLE_TASK:
		sched__consume_task(m, container_of(s, struct task_sample, head));
		break;
	case SAMPLE_CPU:
		consume_cpu(m, container_of(s, struct cpu_sample, head));
		break;
	case SAMPLE_DELAY:
		sched__consume_delay(m, container_of(s, struct delay_sample, head));
		break;
	case SAMPLE_SWITCH:
		sched__consume_switch(m, container_of(s, struct switch_sample, head));
		break;
	default:
		stacks__consume(&m->stacks, s, &user);
	}
}

static struct heat_columns snap_heat(struct model *m, const struct sched_snap *snap,
				     struct arena *a)
{
	for (u32 k = 0; k < SCHED_HISTS; k++)
		for (u32 i = 0; i < HIST_BUCKETS; i++)
			heat_log__add(&m->heat, k, i, (u64)snap->hists[WINDOW_LAST][k].n[i]);
	return heat_log__tick(&m->heat, snap->base.t0_ns, snap->base.t1_ns, a);
}

static struct snap *sched__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct window_pace p;
	struct arena *arena;
	struct sched_snap *snap = window_snap__new(sizeof(*snap), &m->clock, &m->stacks, t0_ns,
						   t1_ns, &p, &arena);

	sched__trim_tasks(m);
	snap->tasks = sched__snap_tasks(m, &p, snap->window_ns[WINDOW_LAST], arena);
	snap->ntasks = m->nlive;
	snap_cpus(m, &p, snap, arena);
	sched__snap_delays(m, snap, arena);
	sched__snap_switches(m, snap, arena);
	track__advance(&m->all, &p, snap->all);
	track__advance(&m->others, &p, snap->others);
	for (u32 k = 0; k < SCHED_HISTS; k++) {
		hist_track__advance(&m->hists[k], &p, snap->hists, k);
		hist_track__advance(&m->other_hists[k], &p, snap->other_hists, k);
	}
	snap->nothers = m->nothers;
	snap->heat = snap_heat(m, snap, arena);
	m->ticks++;
	return &snap->base;
}

/* Known stacks stay: a source need not define them again. */
static void sched__zero(struct model *m)
{
	sched__zero_tasks(m);
	zero_cpus(m);
	sched__zero_events(m);
	heat_log__zero(&m->heat);
	m->clock = (struct window_clock){0};
}

static struct model *sched__new(struct symbols *symbols)
{
	struct model *m = xcalloc(1, sizeof(*m));

	stacks__init(&m->stacks, symbols);
	slowest__init(&m->delays, &sched_slow_delays);
	return m;
}

static void sched__free(struct model *m)
{
	sched__zero(m);
	stacks__fini(&m->stacks);
	slowest__fini(&m->delays);
	heat_log__fini(&m->heat);
	free(m->switches);
	free(m->live);
	free(m->order);
	hidx__fini(&m->index);
	free(m);
}

static size_t sched__memory(const struct model *m)
{
	return sizeof(*m) + stacks__bytes(&m->stacks) + slowest__bytes(&m->delays) +
	       heat_log__bytes(&m->heat) + m->live_cap * sizeof(*m->live) +
	       m->order_cap * sizeof(*m->order) + m->cells * sizeof(struct hist_cell) +
	       m->ncpus * sizeof(*m->cpus) + m->switches_cap * sizeof(*m->switches) +
	       hidx__bytes(&m->index);
}

const struct model_ops model_sched = {
	.name = "sched",
	.view = "sched",
	.new = sched__new,
	.free = sched__free,
	.consume = sched__consume,
	.tick = sched__tick,
	.zero = sched__zero,
	.memory = sched__memory,
};
