// SPDX-License-Identifier: GPL-2.0-only
/* The vitals model: the newest vital signs and how busy the CPUs were of late. */
#include "base/arena.h"
#include "models/model.h"
#include "samples/vitals.h"

struct model {
	struct vitals now;
	bool seen, fresh; /* a sample ever; one since the last tick */
	u32 ntrend;
	float busy_pct[VITALS_TREND];
};

/* Waiting for a disk is not work: iowait counts as idle. */
static float busy_pct(const struct vitals *v)
{
	double busy = v->user_pct + v->system_pct + v->irq_pct + v->steal_pct;

	return (float)CLAMP(busy, 0.0, 100.0);
}

static void push_trend(struct model *m, float pct)
{
	if (m->ntrend == VITALS_TREND) {
		memmove(m->busy_pct, m->busy_pct + 1, sizeof(m->busy_pct) - sizeof(float));
		m->ntrend--;
	}
	m->busy_pct[m->ntrend++] = pct;
}

static struct model *vitals__new(struct symbols *symbols)
{
	return xcalloc(1, sizeof(struct model));
}

static void vitals__free(struct model *m)
{
	free(m);
}

static void vitals__consume(struct model *m, const struct sample *s)
{
	if (s->type != SAMPLE_VITALS)
		return;
	m->now = container_of(s, struct vitals_sample, head)->vitals;
	m->seen = m->fresh = true;
}

static void vitals_snap__free(struct snap *s)
{
	free(container_of(s, struct vitals_snap, base));
}

/* NULL until there has been a sample. */
static struct snap *vitals__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct vitals_snap *snap;

	if (!m->seen)
		return NULL;
	if (m->fresh)
		push_trend(m, busy_pct(&m->now));
	m->fresh = false;
	snap = xcalloc(1, sizeof(*snap));
	atomic_init(&snap->base.refs, 1);
	snap->base.free = vitals_snap__free;
	snap->base.t0_ns = t0_ns;
	snap->base.t1_ns = t1_ns;
	snap->now = m->now;
	snap->ntrend = m->ntrend;
	memcpy(snap->busy_pct, m->busy_pct, sizeof(snap->busy_pct));
	return &snap->base;
}

/* Nothing is summed up here: the zero key is about profiles, the CPU strip goes on. */
static void vitals__zero(struct model *m)
{
}

static size_t vitals__memory(const struct model *m)
{
	return sizeof(*m);
}

extern const struct model_ops model_vitals;
const struct model_ops model_vitals = {
	.name = "vitals",
	.has_hosts = true, /* of several only one's come */
	.new = vitals__new,
	.free = vitals__free,
	.consume = vitals__consume,
	.tick = vitals__tick,
	.zero = vitals__zero,
	.memory = vitals__memory,
};
