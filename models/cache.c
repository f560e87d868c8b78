// SPDX-License-Identifier: GPL-2.0-only
/* The cache model: samples of the page cache in, snapshots out. */
#include "models/cache.h"

#include <stdio.h>

#include "models/measure_model.h"
#include "models/model.h"

#define FLOWS (sizeof(struct cache_flow) / sizeof(u64))
#define TASKS 16384 /* processes whose names are known */

struct flow_track {
	struct cache_flow now, total;
	double decay[FLOWS];
};

struct task {
	u32 tgid;
	bool kthread;
	char comm[COMM_LEN];
};

struct model {
	struct model *rows; /* of measure_cache */
	/* Samples of misses do not say who it is by name. */
	struct task *tasks;
	u32 ntasks, tasks_cap;
	struct hidx task_index;
	bool totals_known;
	struct cache_totals_sample totals;
	struct flow_track flow;
	struct cache_strip strip[CACHE_STRIP]; /* a ring, the newest at strip_at - 1 */
	u32 strip_at, nstrip;
	u64 hits_now, misses_now;
};

/* --- in --- */

static struct task *task_of(struct model *m, u32 tgid)
{
	u32 at;

	HIDX_FIND(at, &m->task_index, mix64(tgid), pos, m->tasks[pos].tgid == tgid);
	return at == HIDX_NONE ? NULL : &m->tasks[at];
}

static void know_task(struct model *m, const struct cache_sample *s)
{
	struct task *t = task_of(m, s->tgid);

	if (!t) {
		m->tasks = xgrow(m->tasks, m->ntasks, &m->tasks_cap, sizeof(*t));
		hidx__add(&m->task_index, mix64(s->tgid), m->ntasks);
		t = &m->tasks[m->ntasks++];
	}
	*t = (struct task){.tgid = s->tgid, .kthread = s->kthread};
	copy_str(t->comm, sizeof(t->comm), s->comm);
}

static void forget_tasks(struct model *m)
{
	m->ntasks = 0;
	hidx__clear(&m->task_index);
}

/* The file's, where its path is not known. */
static const char *name_file(const struct cache_file *f, const char *dev, char *buf, size_t size)
{
	if (*f->path || !f->dev)
		return f->path;
	if (f->inode)
		snprintf(buf, size, "[inode %llu of %s]", (unsigned long long)f->inode, dev);
	else
		snprintf(buf, size, "[device %s]", dev);
	return buf;
}

static void consume_row(struct model *m, struct measure_sample *s, const struct measure_key *file,
			const struct measure_key *dev)
{
	const struct measure_key keys[] = {[CACHE_FILE] = *file, [CACHE_DEV] = *dev};

	s->head.type = SAMPLE_MEASURE;
	s->keys = keys;
	s->nkeys = ARRAY_SIZE(keys);
	measure_model__consume(m->rows, &s->head);
}

static void consume_use(struct model *m, const struct cache_sample *s)
{
	struct measure_sample out = {.rest = s->tgid == CACHE_OTHERS,
				     .who = {.tgid = s->tgid, .cgroup = s->cgroup, .kthread = s->kthread},
				     .count = cache__misses(s->n)};
	u32 dev = s->file.dev;
	char name[64], text[32] = "";

	if (dev)
		snprintf(text, sizeof(text), "%u:%u", dev >> 20, dev & 0xfffff);
	copy_str(out.who.comm, sizeof(out.who.comm), s->comm);
	memcpy(out.sums, s->n, sizeof(s->n));
	consume_row(m, &out,
		    &(struct measure_key){dev ? s->file.inode : 0, name_file(&s->file, text, name, sizeof(name))},
		    &(struct measure_key){dev, text});
	know_task(m, s);
	m->hits_now += cache__hits(s->n);
	m->misses_now += out.count;
	m->flow.now.taken_out += s->n[CACHE_EVICTED];
}

static void consume_miss(struct model *m, const struct cache_miss_sample *s)
{
	const struct task *t = task_of(m, s->tgid);
	struct measure_sample out = {.sampled = true,
				     .who = {.tgid = s->tgid, .cgroup = s->cgroup, .kthread = t && t->kthread},
				     .stack = s->stack,
				     .count = s->misses};

	copy_str(out.who.comm, sizeof(out.who.comm), t ? t->comm : "");
	consume_row(m, &out, &(struct measure_key){s->dev ? s->inode : 0, ""}, &(struct measure_key){s->dev, ""});
}

static void consume_totals(struct model *m, const struct cache_totals_sample *s)
{
	struct cache_flow *now = &m->flow.now;

	now->refaults += s->refaults;
	now->evicted += s->evicted;
	for (u32 i = 0; s->ages && i < CACHE_AGES; i++) {
		now->ages[i] += s->ages[i];
		heat_log__add(measure_model__heat(m->rows), 0, i, s->ages[i]);
	}
	m->totals = *s;
	m->totals.ages = NULL;
	m->totals_known = true;
}

static void cache__consume(struct model *m, const struct sample *s)
{
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
		measure_model__consume(m->rows, s);
	}
}

/* --- out --- */

static float per_second(u64 n, u64 dt_ns)
{
	return dt_ns ? (float)((double)n * NSEC_PER_SEC / (double)dt_ns) : 0;
}

static void snap_strip(struct model *m, u64 dt_ns, struct cache_snap *snap, struct arena *a)
{
	struct cache_strip *out;

	m->strip[m->strip_at] =
		(struct cache_strip){per_second(m->hits_now, dt_ns), per_second(m->misses_now, dt_ns)};
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
	const struct window_sums flow = {FLOWS, (u64 *)&m->flow.now, (u64 *)&m->flow.total, m->flow.decay};
	struct window_pace p;
	struct arena *arena;
	struct measure_snap *snap = measure_model__snap(m->rows, t0_ns, t1_ns, &p, &arena);
	struct cache_snap *own = arena__array(arena, struct cache_snap, 1);

	window_sums__advance(&flow, p.keep, (u64 *)own->flow, FLOWS);
	own->totals_known = m->totals_known;
	own->totals = m->totals;
	snap_strip(m, snap->window_ns[WINDOW_LAST], own, arena);
	snap->own = own;
	if (m->ntasks > TASKS)
		forget_tasks(m);
	return &snap->base;
}

/* --- life --- */

/* The totals stay: they are of now. */
static void cache__zero(struct model *m)
{
	measure_model__zero(m->rows);
	m->flow = (struct flow_track){0};
	m->nstrip = 0;
	m->hits_now = m->misses_now = 0;
}

static struct model *cache__new(struct symbols *symbols)
{
	struct model *m = xcalloc(1, sizeof(*m));

	m->rows = measure_model__new(&measure_cache, symbols);
	return m;
}

static void cache__free(struct model *m)
{
	measure_model__free(m->rows);
	free(m->tasks);
	hidx__fini(&m->task_index);
	free(m);
}

static size_t cache__memory(const struct model *m)
{
	return sizeof(*m) + measure_model__memory(m->rows) + m->tasks_cap * sizeof(*m->tasks) +
	       hidx__bytes(&m->task_index);
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
