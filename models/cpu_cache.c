// SPDX-License-Identifier: GPL-2.0-only
/* The model of the CPU's own caches: shares of what was counted in, snapshots out. */
#include "models/cpu_cache.h"

#include "core/hidx.h"
#include "models/model.h"
#include "models/windows.h"

#define NUMBERS (CPU_CACHES * CPU_CACHE_COUNTS)

struct live_use {
	struct cpu_cache_use u; /* without sums */
	u64 now[NUMBERS], total[NUMBERS];
	double decay[NUMBERS];
};

struct model {
	struct live_use *uses;
	u32 nuses, cap;
	struct hidx index;
	bool state_known;
	struct cpu_cache_state_sample state;
	struct window_clock clock;
};

struct snap_box {
	struct cpu_cache_snap snap;
	struct arena arena;
};

static struct window_sums sums_of(struct live_use *u)
{
	return (struct window_sums){NUMBERS, u->now, u->total, u->decay};
}

/* --- who --- */

static u64 use_hash(const struct cpu_cache_use *u)
{
	return mix64_pair(mix64_pair((u64)u->cpu << 32 | u->tgid, u->cgroup),
			  hash_bytes(u->comm, strlen(u->comm)));
}

static bool is_same(const struct cpu_cache_use *a, const struct cpu_cache_use *b)
{
	return a->cpu == b->cpu && a->tgid == b->tgid && a->cgroup == b->cgroup &&
	       !strcmp(a->comm, b->comm);
}

static struct live_use *use_of(struct model *m, const struct cpu_cache_use *key)
{
	u64 h = use_hash(key);
	u32 at;

	HIDX_FIND(at, &m->index, h, pos, is_same(&m->uses[pos].u, key));
	if (at != HIDX_NONE)
		return &m->uses[at];
	m->uses = xgrow(m->uses, m->nuses, &m->cap, sizeof(*m->uses));
	m->uses[m->nuses] = (struct live_use){.u = *key};
	hidx__add(&m->index, h, m->nuses);
	return &m->uses[m->nuses++];
}

static void put_back(struct model *m, struct live_use *old)
{
	struct window_sums to = sums_of(use_of(m, &old->u)), from = sums_of(old);

	window_sums__merge(&to, &from);
}

/* Of the coldest half, those of one CPU become one. */
static void make_room(struct model *m)
{
	struct live_use *old = m->uses;
	u32 n = m->nuses;
	double *heat = xmalloc(n * sizeof(*heat));
	bool *cold = xmalloc(n * sizeof(*cold));

	for (u32 i = 0; i < n; i++) {
		struct window_sums sums = sums_of(&old[i]);

		heat[i] = window_sums__heat(&sums);
	}
	heat__coldest(heat, n, n / 2, cold);
	m->uses = NULL;
	m->nuses = m->cap = 0;
	hidx__clear(&m->index);
	for (u32 i = 0; i < n; i++) {
		if (cold[i])
			old[i].u = (struct cpu_cache_use){
				.cpu = old[i].u.cpu, .tgid = CPU_CACHE_NOBODY, .comm = "[others]"};
		put_back(m, &old[i]);
	}
	free(old);
	free(heat);
	free(cold);
}

static void consume_use(struct model *m, const struct cpu_cache_sample *s)
{
	struct cpu_cache_use key = {.cpu = s->cpu, .tgid = s->tgid, .cgroup = s->cgroup};
	struct live_use *u;

	copy_str(key.comm, sizeof(key.comm), s->comm);
	if (m->nuses >= CPU_CACHE_MAX_ROWS)
		make_room(m);
	u = use_of(m, &key);
	u->u.tid = s->tid;
	for (u32 k = 0; k < CPU_CACHES; k++)
		for (u32 i = 0; i < CPU_CACHE_COUNTS; i++)
			u->now[k * CPU_CACHE_COUNTS + i] += s->n[k][i];
}

/* --- the model --- */

static void cpu_cache__consume(struct model *m, const struct sample *s)
{
	if (s->type == SAMPLE_CPU_CACHE) {
		consume_use(m, container_of(s, struct cpu_cache_sample, head));
	} else if (s->type == SAMPLE_CPU_CACHE_STATE) {
		m->state = *container_of(s, struct cpu_cache_state_sample, head);
		m->state_known = true;
	}
}

static void snap_box__free(struct snap *s)
{
	struct snap_box *box = container_of(s, struct snap_box, snap.base);

	arena__fini(&box->arena);
	free(box);
}

static void snap_uses(struct model *m, double keep, struct snap_box *box)
{
	struct cpu_cache_use *out = arena__array(&box->arena, struct cpu_cache_use, m->nuses);

	for (u32 i = 0; i < m->nuses; i++) {
		u64 *const windows[WINDOWS] = {out[i].n[WINDOW_LAST][0], out[i].n[WINDOW_DECAY][0],
					       out[i].n[WINDOW_TOTAL][0]};
		struct window_sums sums = sums_of(&m->uses[i]);

		out[i] = m->uses[i].u;
		window_sums__advance(&sums, keep, windows);
	}
	box->snap.uses = out;
	box->snap.nuses = m->nuses;
}

static struct snap *cpu_cache__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct snap_box *box = xcalloc(1, sizeof(*box));
	struct cpu_cache_snap *snap = &box->snap;
	double keep = window_clock__advance(&m->clock, t0_ns, t1_ns, snap->window_ns);

	arena__init(&box->arena);
	atomic_init(&snap->base.refs, 1);
	snap->base.free = snap_box__free;
	snap->base.t0_ns = t0_ns;
	snap->base.t1_ns = t1_ns;
	snap->since_ns = m->clock.since_ns;
	snap->state_known = m->state_known;
	snap->state = m->state;
	snap_uses(m, keep, box);
	return &snap->base;
}

static void cpu_cache__zero(struct model *m)
{
	m->nuses = 0;
	hidx__clear(&m->index);
	m->clock = (struct window_clock){0};
}

static struct model *cpu_cache__new(struct symbols *symbols)
{
	return xcalloc(1, sizeof(struct model));
}

static void cpu_cache__free(struct model *m)
{
	free(m->uses);
	hidx__fini(&m->index);
	free(m);
}

static size_t cpu_cache__memory(const struct model *m)
{
	return sizeof(*m) + m->cap * sizeof(*m->uses) + hidx__bytes(&m->index);
}

const struct model_ops model_cpu_cache = {
	.name = "cpu-cache",
	.new = cpu_cache__new,
	.free = cpu_cache__free,
	.consume = cpu_cache__consume,
	.tick = cpu_cache__tick,
	.zero = cpu_cache__zero,
	.memory = cpu_cache__memory,
};
