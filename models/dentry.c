// SPDX-License-Identifier: GPL-2.0-only
/* The dentry model: samples of looked up names in, snapshots out. */
#include "models/dentry.h"

#include "core/hidx.h"
#include "models/model.h"
#include "models/windows.h"

struct live_use {
	struct dentry_use u; /* without sums */
	u64 now[DENTRY_COUNTS], total[DENTRY_COUNTS];
	double decay[DENTRY_COUNTS];
};

struct model {
	struct live_use *uses;
	u32 nuses, cap;
	struct hidx index;
	bool slow_known, state_known;
	struct dentry_state_sample state;
	struct window_clock clock;
};

struct snap_box {
	struct dentry_snap snap;
	struct arena arena;
};

static struct window_sums sums_of(struct live_use *u)
{
	return (struct window_sums){DENTRY_COUNTS, u->now, u->total, u->decay};
}

/* --- who --- */

static u64 use_hash(const struct dentry_use *u)
{
	return mix64_pair(mix64_pair(u->tgid, u->cgroup), hash_bytes(u->comm, strlen(u->comm)));
}

static struct live_use *use_of(struct model *m, const struct dentry_use *key)
{
	u64 h = use_hash(key);
	u32 at;

	HIDX_FIND(at, &m->index, h, pos,
		  m->uses[pos].u.tgid == key->tgid && m->uses[pos].u.cgroup == key->cgroup &&
			  !strcmp(m->uses[pos].u.comm, key->comm));
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

/* The coldest half becomes one. */
static void make_room(struct model *m)
{
	const struct dentry_use others = {.tgid = DENTRY_MERGED, .comm = "[others]"};
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
			old[i].u = others;
		put_back(m, &old[i]);
	}
	free(old);
	free(heat);
	free(cold);
}

static void consume_use(struct model *m, const struct dentry_sample *s)
{
	struct dentry_use key = {.tgid = s->tgid, .kthread = s->kthread, .cgroup = s->cgroup};
	struct live_use *u;

	copy_str(key.comm, sizeof(key.comm), s->comm);
	if (m->nuses >= DENTRY_MAX_ROWS)
		make_room(m);
	u = use_of(m, &key);
	u->now[DENTRY_LOOKUPS] += s->lookups;
	u->now[DENTRY_NEGATIVE] += s->negative;
	u->now[DENTRY_SLOW] += s->slow_known ? s->slow : 0;
	m->slow_known = s->slow_known;
}

/* --- the model --- */

static void dentry__consume(struct model *m, const struct sample *s)
{
	if (s->type == SAMPLE_DENTRY) {
		consume_use(m, container_of(s, struct dentry_sample, head));
	} else if (s->type == SAMPLE_DENTRY_STATE) {
		m->state = *container_of(s, struct dentry_state_sample, head);
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
	struct dentry_use *out = arena__array(&box->arena, struct dentry_use, m->nuses);

	for (u32 i = 0; i < m->nuses; i++) {
		u64 *const windows[WINDOWS] = {out[i].n[WINDOW_LAST], out[i].n[WINDOW_DECAY],
					       out[i].n[WINDOW_TOTAL]};
		struct window_sums sums = sums_of(&m->uses[i]);

		out[i] = m->uses[i].u;
		window_sums__advance(&sums, keep, windows);
	}
	box->snap.uses = out;
	box->snap.nuses = m->nuses;
}

static struct snap *dentry__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct snap_box *box = xcalloc(1, sizeof(*box));
	struct dentry_snap *snap = &box->snap;
	double keep = window_clock__advance(&m->clock, t0_ns, t1_ns, snap->window_ns);

	arena__init(&box->arena);
	atomic_init(&snap->base.refs, 1);
	snap->base.free = snap_box__free;
	snap->base.t0_ns = t0_ns;
	snap->base.t1_ns = t1_ns;
	snap->since_ns = m->clock.since_ns;
	snap->slow_known = m->slow_known;
	snap->state_known = m->state_known;
	snap->state = m->state;
	snap_uses(m, keep, box);
	return &snap->base;
}

static void dentry__zero(struct model *m)
{
	m->nuses = 0;
	hidx__clear(&m->index);
	m->clock = (struct window_clock){0};
}

static struct model *dentry__new(struct symbols *symbols)
{
	return xcalloc(1, sizeof(struct model));
}

static void dentry__free(struct model *m)
{
	free(m->uses);
	hidx__fini(&m->index);
	free(m);
}

static size_t dentry__memory(const struct model *m)
{
	return sizeof(*m) + m->cap * sizeof(*m->uses) + hidx__bytes(&m->index);
}

const struct model_ops model_dentry = {
	.name = "dentry",
	.new = dentry__new,
	.free = dentry__free,
	.consume = dentry__consume,
	.tick = dentry__tick,
	.zero = dentry__zero,
	.memory = dentry__memory,
};
