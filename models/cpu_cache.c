// SPDX-License-Identifier: GPL-2.0-only
/* The model of the CPU's own caches: shares of what was counted in, snapshots out. */
#include "models/cpu_cache.h"

#include "models/model.h"
#include "models/snap_box.h"
#include "models/windows.h"

struct model {
	struct tallies uses;
	bool state_known;
	struct cpu_cache_state_sample state;
	struct window_clock clock;
};

static void consume_use(struct model *m, const struct cpu_cache_sample *s)
{
	struct tally who = {
		.cpu = s->cpu, .tgid = s->tgid, .tid = s->tid, .cgroup = s->cgroup};
	u64 n[TALLY_COUNTS];

	copy_str(who.comm, sizeof(who.comm), s->comm);
	for (u32 k = 0; k < CPU_CACHES; k++)
		for (u32 i = 0; i < CPU_CACHE_COUNTS; i++)
			n[CPU_CACHE_COUNT(k, i)] = s->n[k][i];
	tallies__add(&m->uses, &who, n);
}

static void cpu_cache__consume(struct model *m, const struct sample *s)
{
	if (s->type == SAMPLE_CPU_CACHE) {
		consume_use(m, container_of(s, struct cpu_cache_sample, head));
	} else if (s->type == SAMPLE_CPU_CACHE_STATE) {
		m->state = *container_of(s, struct cpu_cache_state_sample, head);
		m->state_known = true;
	}
}

static struct snap *cpu_cache__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct arena *arena;
	struct cpu_cache_snap *snap = snap_box__new(sizeof(*snap), t0_ns, t1_ns, &arena);
	double keep = window_clock__advance(&m->clock, t0_ns, t1_ns, snap->window_ns);

	snap->since_ns = m->clock.since_ns;
	snap->state_known = m->state_known;
	snap->state = m->state;
	snap->uses = tallies__snap(&m->uses, keep, arena);
	snap->nuses = m->uses.n;
	return &snap->base;
}

static void cpu_cache__zero(struct model *m)
{
	tallies__clear(&m->uses);
	m->clock = (struct window_clock){0};
}

static struct model *cpu_cache__new(struct symbols *symbols)
{
	struct model *m = xcalloc(1, sizeof(*m));

	m->uses.max = CPU_CACHE_MAX_ROWS;
	return m;
}

static void cpu_cache__free(struct model *m)
{
	tallies__fini(&m->uses);
	free(m);
}

static size_t cpu_cache__memory(const struct model *m)
{
	return sizeof(*m) + tallies__bytes(&m->uses);
}

const struct model_ops model_cpu_cache = {
	.name = "cpu-cache",
	.view = "cache-llc",
	.new = cpu_cache__new,
	.free = cpu_cache__free,
	.consume = cpu_cache__consume,
	.tick = cpu_cache__tick,
	.zero = cpu_cache__zero,
	.memory = cpu_cache__memory,
};
