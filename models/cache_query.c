// SPDX-License-Identifier: GPL-2.0-only
/* Rows of processes, files, commands and cgroups with their hits and misses. */
#include <stdio.h>
#include <unistd.h>

#include "models/quantile.h"
#include "models/cache_result.h"
#include "models/task_text.h"

const char *const cache_group_names[CACHE_GROUPS] = {
	[CACHE_BY_PID] = "pid",	      [CACHE_BY_FILE] = "file",	  [CACHE_BY_COMM] = "comm",
	[CACHE_BY_CGROUP] = "cgroup", [CACHE_BY_TOTAL] = "total",
};

/* --- which count --- */

static bool any(const u64 n[CACHE_COUNTS])
{
	u64 all = 0;

	for (u32 i = 0; i < CACHE_COUNTS; i++)
		all |= n[i];
	return all != 0;
}

static bool passes_filter(const struct cache_builder *m, const struct cache_use *u)
{
	const struct cache_query *q = m->query;

	if (!any(u->n[q->window]) || (q->by_pid && u->tgid != q->tgid))
		return false;
	if (q->by_file && (u->dev != q->dev || u->inode != q->inode))
		return false;
	return task__passes(m->scope, u->tgid, u->tid, u->cgroup, u->comm) &&
	       scope__thread(m->scope, u->kthread);
}

/* --- what rows are called --- */

static const char *who_text(const struct cache_use *u)
{
	return u->tgid ? u->comm : "[nobody]";
}

static const char *dev_text(struct arena *a, u32 dev)
{
	char buf[32] = "";

	if (dev)
		snprintf(buf, sizeof(buf), "%u:%u", dev >> 20, dev & 0xfffff);
	return arena__strdup(a, buf);
}

static const char *file_text(struct arena *a, const struct cache_use *u)
{
	char buf[64];

	if (*u->path)
		return u->path;
	if (!u->dev)
		return "[other files]";
	if (u->inode)
		snprintf(buf, sizeof(buf), "[inode %llu of %s]", (unsigned long long)u->inode,
			 dev_text(a, u->dev));
	else
		snprintf(buf, sizeof(buf), "[device %s]", dev_text(a, u->dev));
	return arena__strdup(a, buf);
}

static const char *row_name(const struct cache_row *r, enum cache_group by)
{
	switch (by) {
	case CACHE_BY_FILE:
		return r->file;
	case CACHE_BY_CGROUP:
		return r->cgroup_name;
	case CACHE_BY_TOTAL:
		return "all in scope";
	default:
		return r->comm;
	}
}

static void name_row(struct cache_builder *m, struct cache_row *r)
{
	const struct cache_use *u = r->use;

	r->comm = who_text(u);
	r->pid = u->tgid == CACHE_MERGED ? 0 : u->tgid;
	r->pid_text = task__id_text(m->arena, r->pid);
	r->ended = r->pid && u->ended;
	if (m->query->group == CACHE_BY_PID && !u->past) {
		r->cmdline = task__cmdline(m->arena, r->pid, 0);
		r->comm = task__process(m->arena, r->pid, 0, r->comm);
	}
	r->cgroup_name = task__cgroup_text(m->arena, u->cgroup);
	r->file = file_text(m->arena, u);
	r->dev_text = u->dev ? dev_text(m->arena, u->dev) : NULL;
	r->name = row_name(r, m->query->group);
}

/* What follows from the counts of all rows. */
static void finish_row(const struct cache_result *a, struct cache_row *r)
{
	r->misses = cache__misses(r->n);
	r->hits = cache__hits(r->n);
	r->added_bytes = cache__added(r->n) * a->page_bytes;
	r->miss_share = cache__share(r->misses, cache__misses(a->n) - r->misses);
	r->hit_pct = cache__hit_pct(r->n);
	r->disk_pct = cache__disk_pct(r->n);
	r->read_pct = cache__read_hit_pct(r->n);
	r->write_pct = cache__write_hit_pct(r->n);
	r->wasted_pct = cache__share(r->n[CACHE_AHEAD_WASTED], r->n[CACHE_AHEAD_USED]);
}

/* --- rows --- */

static u64 use_key(const struct cache_use *u, enum cache_group by)
{
	u64 seed = by + 1;

	switch (by) {
	case CACHE_BY_PID:
		return mix64_pair(seed, (u64)u->past << 32 | u->tgid);
	case CACHE_BY_FILE:
		return mix64_pair(mix64_pair(seed, u->inode), u->dev);
	case CACHE_BY_COMM:
		return mix64_pair(seed, hash_bytes(u->comm, strlen(u->comm)));
	case CACHE_BY_CGROUP:
		return mix64_pair(seed, u->cgroup);
	default:
		return mix64(seed);
	}
}

static u32 row_of(struct cache_builder *m, u64 key)
{
	u32 at;

	HIDX_FIND(at, &m->index, key, pos, m->rows[pos].key == key);
	if (at != HIDX_NONE)
		return at;
	hidx__add(&m->index, key, m->n);
	m->rows[m->n] = (struct cache_row){.key = key};
	return m->n++;
}

static int compare_counts(const u64 a[CACHE_COUNTS], const u64 b[CACHE_COUNTS])
{
	u64 am = cache__misses(a), bm = cache__misses(b);
	u64 ah = cache__hits(a), bh = cache__hits(b);

	if (am != bm)
		return am > bm ? -1 : 1;
	return ah > bh ? -1 : ah < bh;
}

/* What names a row: a file that is known rather than several that are not distinguished. */
static bool is_better_label(const struct cache_use *a, const struct cache_use *b,
			    enum time_window w)
{
	if (!a->dev != !b->dev)
		return a->dev;
	return compare_counts(a->n[w], b->n[w]) < 0;
}

static void add_use(struct cache_builder *m, const struct cache_use *u)
{
	const u64 *n = u->n[m->query->window];
	u32 at = row_of(m, use_key(u, m->query->group));
	struct cache_row *r = &m->rows[at];

	if (!r->use || is_better_label(u, r->use, m->query->window))
		r->use = u;
	for (u32 i = 0; i < CACHE_COUNTS; i++) {
		r->n[i] += n[i];
		m->result->n[i] += n[i];
	}
	cache_stacks__place(m, u, at);
}

static int by_misses(const void *a, const void *b)
{
	const struct cache_row *x = a, *y = b;
	int order = compare_counts(x->n, y->n);

	return order ? order : (x->key > y->key) - (x->key < y->key);
}

static void fill_rows(struct cache_builder *m)
{
	m->rows = arena__array(m->arena, struct cache_row, m->snap->nuses);
	for (u32 i = 0; i < m->snap->nuses; i++)
		if (passes_filter(m, &m->snap->uses[i]))
			add_use(m, &m->snap->uses[i]);
	cache_stacks__find(m);
	for (u32 i = 0; i < m->n; i++) {
		name_row(m, &m->rows[i]);
		finish_row(m->result, &m->rows[i]);
	}
	qsort(m->rows, m->n, sizeof(*m->rows), by_misses);
	m->result->rows = m->rows;
	m->result->nrows = m->n;
}

/* --- the answer --- */

static struct value ages_value(const struct cache_flow *flow, struct arena *a)
{
	double n[CACHE_AGES];
	const struct histogram h = {n, CACHE_AGES, cache__age_lo, 0, UINT64_MAX, 0, VALUE_NS};

	for (u32 i = 0; i < CACHE_AGES; i++)
		n[i] = (double)flow->ages[i];
	return histogram__value(&h, false, a);
}

struct cache_result *cache__query(const struct cache_snap *snap, const struct cache_query *q,
				  const struct scope *scope)
{
	struct cache_result *a = window_result__new(sizeof(*a), &snap->base, q->window);
	struct cache_builder m = {
		.snap = snap, .query = q, .scope = scope, .arena = &a->base.arena, .result = a};

	a->query = *q;
	a->page_bytes = (u64)sysconf(_SC_PAGESIZE);
	a->ages = ages_value(&snap->flow[q->window], m.arena);
	fill_rows(&m);
	cache_result__table(a);
	cache_stacks__build(&m);
	hidx__fini(&m.index);
	free(m.places);
	hidx__fini(&m.place_index);
	return a;
}
