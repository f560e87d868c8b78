// SPDX-License-Identifier: GPL-2.0-only
/* The model of BPF programs: samples in, snapshots out. */
#include "models/bpf.h"

#include "base/hidx.h"
#include "models/model.h"
#include "models/snap_box.h"
#include "models/windows.h"

struct live_prog {
	struct bpf_prog_sample s;
	u64 look; /* the last one that it was in */
	u64 now[BPF_COUNTS], total[BPF_COUNTS];
	double decay[BPF_COUNTS];
	float trend[TREND_LEN];
};

struct model {
	struct live_prog *progs;
	u32 nprogs, progs_cap;
	struct hidx index;
	struct bpf_map_sample *maps; /* of the last look */
	u32 nmaps, maps_cap;
	u64 look; /* that goes on; the state's sample ends it */
	bool look_ended; /* and nothing came since */
	struct bpf_state_sample state;
	struct window_clock clock;
};

static struct window_sums sums_of(struct live_prog *p)
{
	return (struct window_sums){BPF_COUNTS, p->now, p->total, p->decay};
}

static u64 hash_of(const struct bpf_prog_sample *s)
{
	return mix64_pair(s->id, s->loaded_ns);
}

static struct live_prog *prog_of(struct model *m, const struct bpf_prog_sample *s)
{
	u64 h = hash_of(s);
	u32 at;

	HIDX_FIND(at, &m->index, h, pos,
		  m->progs[pos].s.id == s->id && m->progs[pos].s.loaded_ns == s->loaded_ns);
	if (at != HIDX_NONE)
		return &m->progs[at];
	m->progs = xgrow(m->progs, m->nprogs, &m->progs_cap, sizeof(*m->progs));
	m->progs[m->nprogs] = (struct live_prog){.s = *s};
	hidx__add(&m->index, h, m->nprogs);
	return &m->progs[m->nprogs++];
}

static double heat_of(void *live_prog)
{
	struct window_sums sums = sums_of(live_prog);

	return window_sums__heat(&sums);
}

/* Of the coldest half, those that are gone become one. */
static void make_room(struct model *m)
{
	static const struct bpf_prog_sample gone = {.head.type = SAMPLE_BPF_PROG, .name = "[gone]"};
	struct live_prog *old = m->progs;
	u32 n = m->nprogs;
	bool *cold = heat__coldest_half(old, n, sizeof(*old), heat_of);

	m->progs = NULL;
	m->nprogs = m->progs_cap = 0;
	hidx__clear(&m->index);
	for (u32 i = 0; i < n; i++) {
		bool folds = cold[i] && old[i].look + 1 < m->look;
		struct live_prog *to = prog_of(m, folds ? &gone : &old[i].s);
		struct window_sums a = sums_of(to), b = sums_of(&old[i]);

		if (folds)
			window_sums__merge(&a, &b);
		else
			*to = old[i];
	}
	free(old);
	free(cold);
}

static void consume_prog(struct model *m, const struct bpf_prog_sample *s)
{
	struct live_prog *p;

	if (m->nprogs >= BPF_MAX_PROGS)
		make_room(m);
	if (m->nprogs >= BPF_MAX_PROGS)
		return; /* all of them are loaded: more than sources look at */
	p = prog_of(m, s);
	p->s = *s;
	p->look = m->look;
	p->now[BPF_RUNS] += s->runs;
	p->now[BPF_RUN_NS] += s->run_ns;
	p->now[BPF_MISSES] += s->misses;
}

/* Several looks may be played as one interval: maps are those of the last. */
static void consume_map(struct model *m, const struct bpf_map_sample *s)
{
	if (m->look_ended)
		m->nmaps = 0;
	m->look_ended = false;
	if (m->nmaps == BPF_MAX_MAPS)
		return;
	m->maps = xgrow(m->maps, m->nmaps, &m->maps_cap, sizeof(*m->maps));
	m->maps[m->nmaps++] = *s;
}

static void consume_state(struct model *m, const struct bpf_state_sample *s)
{
	if (m->look_ended)
		m->nmaps = 0;
	m->state = *s;
	m->look_ended = true;
	m->look++;
}

static void bpf__consume(struct model *m, const struct sample *s)
{
	if (s->type == SAMPLE_BPF_PROG)
		consume_prog(m, container_of(s, struct bpf_prog_sample, head));
	else if (s->type == SAMPLE_BPF_MAP)
		consume_map(m, container_of(s, struct bpf_map_sample, head));
	else if (s->type == SAMPLE_BPF_STATE)
		consume_state(m, container_of(s, struct bpf_state_sample, head));
}

static void snap_prog(struct live_prog *p, double keep, u64 dt_ns, struct bpf_entry *out)
{
	struct window_sums sums = sums_of(p);

	memmove(p->trend, p->trend + 1, sizeof(p->trend) - sizeof(p->trend[0]));
	p->trend[TREND_LEN - 1] = (float)bpf__cpu_pct(p->now[BPF_RUN_NS], dt_ns);
	out->s = p->s;
	memcpy(out->trend, p->trend, sizeof(out->trend));
	window_sums__advance(&sums, keep, out->n[0], BPF_COUNTS);
}

static struct snap *bpf__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct arena *arena;
	struct bpf_snap *snap = snap_box__new(sizeof(*snap), t0_ns, t1_ns, &arena);
	double keep = window_clock__advance(&m->clock, t0_ns, t1_ns, snap->window_ns);
	struct bpf_entry *progs = arena__array(arena, struct bpf_entry, m->nprogs);

	for (u32 i = 0; i < m->nprogs; i++) {
		snap_prog(&m->progs[i], keep, snap->window_ns[WINDOW_LAST], &progs[i]);
		progs[i].gone = m->progs[i].look + 1 < m->look;
	}
	snap->since_ns = m->clock.since_ns;
	snap->progs = progs;
	snap->nprogs = m->nprogs;
	snap->maps = arena__dup(arena, m->maps, m->nmaps * sizeof(*m->maps));
	snap->nmaps = m->nmaps;
	snap->state = m->state;
	return &snap->base;
}

static void bpf__zero(struct model *m)
{
	m->nprogs = m->nmaps = 0;
	hidx__clear(&m->index);
	m->clock = (struct window_clock){0};
}

static struct model *bpf__new(struct symbols *symbols)
{
	return xcalloc(1, sizeof(struct model));
}

static void bpf__free(struct model *m)
{
	free(m->progs);
	free(m->maps);
	hidx__fini(&m->index);
	free(m);
}

static size_t bpf__memory(const struct model *m)
{
	return sizeof(*m) + m->progs_cap * sizeof(*m->progs) + m->maps_cap * sizeof(*m->maps) +
	       hidx__bytes(&m->index);
}

const struct model_ops model_bpf = {
	.name = "bpf",
	.view = "bpf",
	.new = bpf__new,
	.free = bpf__free,
	.consume = bpf__consume,
	.tick = bpf__tick,
	.zero = bpf__zero,
	.memory = bpf__memory,
};
