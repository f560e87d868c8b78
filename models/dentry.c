// SPDX-License-Identifier: GPL-2.0-only
/* The dentry model: samples of looked up names in, snapshots out. */
#include "models/dentry.h"

#include "models/model.h"
#include "models/snap_box.h"
#include "models/windows.h"

struct model {
	struct tallies uses;
	bool slow_known, state_known;
	struct dentry_state_sample state;
	struct window_clock clock;
};

static void consume_use(struct model *m, const struct dentry_sample *s)
{
	struct tally who = {.tgid = s->tgid, .kthread = s->kthread, .cgroup = s->cgroup};
	const u64 n[TALLY_COUNTS] = {[DENTRY_LOOKUPS] = s->lookups,
				     [DENTRY_NEGATIVE] = s->negative,
				     [DENTRY_SLOW] = s->slow_known ? s->slow : 0};

	copy_str(who.comm, sizeof(who.comm), s->comm);
	tallies__add(&m->uses, &who, n);
	m->slow_known = s->slow_known;
}

static void dentry__consume(struct model *m, const struct sample *s)
{
	if (s->type == SAMPLE_DENTRY) {
		consume_use(m, container_of(s, struct dentry_sample, head));
	} else if (s->type == SAMPLE_DENTRY_STATE) {
		m->state = *container_of(s, struct dentry_state_sample, head);
		m->state_known = true;
	}
}

static struct snap *dentry__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct arena *arena;
	struct dentry_snap *snap = snap_box__new(sizeof(*snap), t0_ns, t1_ns, &arena);
	double keep = window_clock__advance(&m->clock, t0_ns, t1_ns, snap->window_ns);

	snap->since_ns = m->clock.since_ns;
	snap->slow_known = m->slow_known;
	snap->state_known = m->state_known;
	snap->state = m->state;
	snap->uses = tallies__snap(&m->uses, keep, arena);
	snap->nuses = m->uses.n;
	return &snap->base;
}

static void dentry__zero(struct model *m)
{
	tallies__clear(&m->uses);
	m->clock = (struct window_clock){0};
}

static struct model *dentry__new(struct symbols *symbols)
{
	struct model *m = xcalloc(1, sizeof(*m));

	m->uses.max = DENTRY_MAX_ROWS;
	return m;
}

static void dentry__free(struct model *m)
{
	tallies__fini(&m->uses);
	free(m);
}

static size_t dentry__memory(const struct model *m)
{
	return sizeof(*m) + tallies__bytes(&m->uses);
}

const struct model_ops model_dentry = {
	.name = "dentry",
	.view = "cache-dentries",
	.new = dentry__new,
	.free = dentry__free,
	.consume = dentry__consume,
	.tick = dentry__tick,
	.zero = dentry__zero,
	.memory = dentry__memory,
};
