// SPDX-License-Identifier: GPL-2.0-only
/* The cache model: samples of the page cache in, snapshots out. */
#include "models/cache.h"

#include "models/cache_model.h"

#define FLOWS (sizeof(struct cache_flow) / sizeof(u64))

struct flow_track {
	struct cache_flow now, total;
	double decay[FLOWS];
};

struct model {
	struct stacks stacks;
	struct cache_uses uses;
	struct entries misses; /* struct cache_live_miss */
	bool totals_known;
	struct cache_totals_sample totals;
	struct flow_track flow;
	struct cache_strip strip[CACHE_STRIP]; /* a ring, the newest at strip_at - 1 */
	u32 strip_at, nstrip;
	u64 hits_now, misses_now;
	struct window_clock clock;
	struct heat_log heat;
};

/* --- in --- */

static void consume_use(struct model *m, const struct cache_sample *s)
{
	cache_uses__add(&m->uses, s);
	m->hits_now += cache__hits(s->n);
	m->misses_now += cache__misses(s->n);
	m->flow.now.taken_out += s->n[CACHE_EVICTED];
}

static void consume_miss(struct model *m, const struct cache_miss_sample *s)
{
	cache_misses__add(&m->misses, s, stacks__find(&m->stacks, s->stack, s->tgid));
}

static void consume_totals(struct model *m, const struct cache_totals_sample *s)
{
	struct cache_flow *now = &m->flow.now;

	now->refaults += s->refaults;
	now->evicted += s->evicted;
	for (u32 i = 0; s->ages && i < CACHE_AGES; i++) {
		now->ages[i] += s->ages[i];
		heat_log__add(&m->heat, 0, i, s->ages[i]);
	}
	m->totals = *s;
	m->totals.ages = NULL;
	m->totals_known = true;
}

static void move_stacks(void *ctx, struct stacks *to, const struct stacks *from)
{
	cache_misses__move(&((struct model *)ctx)->misses, to, from);
}

static void shed_stacks(void *ctx)
{
	entries__shed(&((struct model *)ctx)->misses);
}

static void cache__consume(struct model *m, const struct sample *s)
{
	const struct stacks_user user = {.ctx = m, .move = move_stacks, .shed = shed_stacks};

	switch (s->type) {
	case SAMPLE_CACHE:
		consume_use(m, container_of(s, struct cache_sample, head));
		break;
	case SAMPLE_CACHE_MISS:
		consume_miss(m, container_of(s, struct cache_miss_sample, head));
		break;
	case SAMPLE_CACHE_TOTALS:
		consume_totals(m, container_of(s, struct cache_totals_sample, head));
		break;
	default:
		cache__consume_life(&m->uses, &m->misses, s);
		stacks__consume(&m->stacks, s, &user);
	}
}

/* --- out --- */

static void snap_flow(struct model *m, double keep, struct cache_snap *snap)
{
	struct flow_track *t = &m->flow;
	const struct window_sums sums = {FLOWS, (u64 *)&t->now, (u64 *)&t->total, t->decay};

	window_sums__advance(&sums, keep, (u64 *)snap->flow, FLOWS);
	snap->totals_known = m->totals_known;
	snap->totals = m->totals;
}

static float per_second(u64 n, u64 dt_ns)
{
	return dt_ns ? (float)((double)n * NSEC_PER_SEC / (double)dt_ns) : 0;
}

static void snap_strip(struct model *m, struct cache_snap *snap, struct arena *a)
{
	u64 dt = snap->window_ns[WINDOW_LAST];
	struct cache_strip *out;

	m->strip[m->strip_at] =
		(struct cache_strip){per_second(m->hits_now, dt), per_second(m->misses_now, dt)};
	m->hits_now = m->misses_now = 0;
	m->strip_at = (m->strip_at + 1) % CACHE_STRIP;
	m->nstrip = MIN(m->nstrip + 1, (u32)CACHE_STRIP);
	out = arena__array(a, struct cache_strip, m->nstrip);
	for (u32 i = 0; i < m->nstrip; i++)
		out[i] = m->strip[(m->strip_at + CACHE_STRIP - m->nstrip + i) % CACHE_STRIP];
	snap->strip = out;
	snap->nstrip = m->nstrip;
}

static struct snap *cache__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct window_pace p;
	struct arena *arena;
	struct cache_snap *snap = window_snap__new(sizeof(*snap), &m->clock, &m->stacks, t0_ns,
						   t1_ns, &p, &arena);

	cache_uses__snap(&m->uses, p.keep, snap, arena);
	cache_misses__snap(&m->misses, p.keep, &m->stacks, snap, arena);
	snap_flow(m, p.keep, snap);
	snap_strip(m, snap, arena);
	snap->heat = heat_log__tick(&m->heat, t0_ns, t1_ns, arena);
	return &snap->base;
}

/* --- life --- */

/* Known stacks stay: a source need not define them again. So do the totals: they are of now. */
static void cache__zero(struct model *m)
{
	cache_uses__clear(&m->uses);
	entries__clear(&m->misses);
	m->flow = (struct flow_track){0};
	m->clock = (struct window_clock){0};
	m->nstrip = 0;
	m->hits_now = m->misses_now = 0;
	heat_log__zero(&m->heat);
}

static struct model *cache__new(struct symbols *symbols)
{
	struct model *m = xcalloc(1, sizeof(*m));

	stacks__init(&m->stacks, symbols);
	cache_uses__init(&m->uses);
	m->misses = (struct entries){.kind = &cache_miss_kind, .max = CACHE_MAX_MISSES};
	return m;
}

static void cache__free(struct model *m)
{
	cache_uses__fini(&m->uses);
	entries__fini(&m->misses);
	stacks__fini(&m->stacks);
	heat_log__fini(&m->heat);
	free(m);
}

static size_t cache__memory(const struct model *m)
{
	return sizeof(*m) + stacks__bytes(&m->stacks) + cache_uses__bytes(&m->uses) +
	       entries__bytes(&m->misses) + heat_log__bytes(&m->heat);
}

const struct model_ops model_cache = {
	.name = "cache",
	.view = "cache",
	.new = cache__new,
	.free = cache__free,
	.consume = cache__consume,
	.tick = cache__tick,
	.zero = cache__zero,
	.memory = cache__memory,
};
