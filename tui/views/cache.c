// SPDX-License-Identifier: GPL-2.0-only
/* View cache: who asks for pages of which files, and whether they were in the page cache. */
#include "tui/views/cache.h"

#include <stdio.h>

#include "base/arena.h"
#include "models/flame.h"
#include "models/windows.h"
#include "tui/views/heat.h"
#include "tui/views/terms.h"

/* So many pages a second that were evicted a moment ago: memory is too small for the load. */
#define MANY_REFAULTS 1000

static const struct listing_view the_view;

QUERY_RUN(cache__run, cache__query, MODEL_CACHE)

/* --- query --- */

static const struct group_keys cache_keys = {cache_group_names, NULL, CACHE_GROUPS, true};

static bool cache__unfolds(const struct listing *l, u32 row)
{
	return cache__rows(l)->rows[row].of->has_stacks;
}

/* --- drilling --- */

/* The row's key as a term of the filter language; false when it has none. */
static bool cache__term(const struct listing *l, u32 row, char *buf, size_t size)
{
	const struct cache_row *r = &cache__rows(l)->rows[row];
	const struct measure_who *w = r->who;

	if (!w->tgid || w->tgid == MEASURE_MANY)
		return false;
	switch (cache__rows(l)->query.group) {
	case CACHE_BY_PID:
		return term__id("pid", w->tgid, buf, size);
	case CACHE_BY_COMM:
		return term__name("comm", w->comm, buf, size);
	case CACHE_BY_CGROUP:
		return term__cgroup(w->cgroup, r->cgroup_name, buf, size);
	default:
		return false;
	}
}

static bool refuse(struct listing *l, const char *why)
{
	host__message(l->base.host, ROLE_WARN, "%s", why);
	return true;
}

/* At the end of the way: where the misses of the row come from. */
static bool unfold(struct listing *l, const struct cache_row *r)
{
	if (!r->of->has_stacks)
		return refuse(l, "no stack of its misses is known");
	return listing__action(&l->base, fold__row_open(&l->fold, r->key) ? ACTION_LEFT : ACTION_RIGHT);
}

static void of_process(struct cache_query *q, const struct cache_row *r)
{
	q->group = CACHE_BY_FILE;
	q->rows.narrow.by_process = true;
	q->rows.narrow.tgid = r->who->tgid;
}

/* Of everybody, also when the files were those of one process. */
static void of_file(struct cache_query *q, const struct cache_row *r)
{
	q->rows.narrow = (struct measure_narrow){0};
	q->rows.narrow.hashes[CACHE_FILE] = r->of->hashes[CACHE_FILE];
	q->rows.narrow.hashes[CACHE_DEV] = r->of->hashes[CACHE_DEV];
}

/* A process has files, all others have processes; with nothing unfolded. */
static bool cache__drill(struct listing *l, struct listing_place at)
{
	const struct cache_row *r = &cache__rows(l)->rows[at.row];
	enum cache_group by = cache__rows(l)->query.group;
	struct cache_query q = cache__of(l)->query;
	char what[TERM_MAX] = "all processes";
	const struct scope *narrow = NULL;

	if (cache_query__is_of_file(&cache__rows(l)->query))
		return unfold(l, r);
	q.group = CACHE_BY_PID;
	q.rows.nunfolded = 0;
	memset(q.rows.unfolded, 0, sizeof(q.rows.unfolded));
	if (by == CACHE_BY_PID) {
		of_process(&q, r);
		snprintf(what, sizeof(what), "%s%s%s", r->comm, *r->pid_text ? " " : "",
			 r->pid_text + strspn(r->pid_text, " "));
	} else if (by == CACHE_BY_FILE) {
		if (!r->dev_text)
			return refuse(l, "these files are not known apart");
		of_file(&q, r);
		copy_str(what, sizeof(what), r->file);
	} else if (by != CACHE_BY_TOTAL) {
		narrow = listing__narrow_to_row(l, at.row, what, sizeof(what));
		if (!narrow)
			return refuse(l, "the processes of this row are not known apart");
	}
	host__push(l->base.host, &listing__drill_to(&the_view, l, &q, what, narrow)->base);
	return true;
}

static struct screen *no_list(const struct heat_view *v, struct host *h, const void *query,
			      const struct heat_pick *pick, const struct scope *scope)
{
	host__message(h, ROLE_WARN, "pages that were read ahead are not kept one by one");
	return NULL;
}

const struct heat_view heat_view_cache = {.source = &heat_cache, .list = no_list};

static const struct listing_ops cache_listing = {
	.ask = {.size = sizeof(struct cache_query), .model = MODEL_CACHE, .run = cache__run},
	.at.nunfolded = LISTING_AT(struct cache_query, rows.nunfolded),
	.at.unfolded = LISTING_AT(struct cache_query, rows.unfolded),
	.unfolds = cache__unfolds,
	.keys = &cache_keys,
	.at.group = LISTING_AT(struct cache_query, group),
	.at.window = LISTING_AT(struct cache_query, rows.window),
	.stacks = &flame_cache,
	.heat = &heat_view_cache,
	.headline = cache__headline,
	.above = cache__above,
	.empty = cache__empty,
	.cell_role = cache__role,
	.drill = cache__drill,
	.selection = cache__selection,
	.term = cache__term,
	.report = cache__report,
};

/* --- the screen --- */

static bool cache__action(struct screen *base, enum action a)
{
	struct cache_screen *s = (struct cache_screen *)base;

	switch (a) {
	case ACTION_COLUMNS:
		s->query.show = (s->query.show + 1) % CACHE_SHOWS;
		return true;
	case ACTION_CALL_ORDER:
		s->query.rows.leaf_first = !s->query.rows.leaf_first;
		return true;
	case ACTION_AGES:
		s->ages = !s->ages;
		return true;
	case ACTION_DENTRIES:
		return host__look_at(base->host, "lookups", "", "");
	case ACTION_LLC:
	case ACTION_TLB:
		return host__look_at(base->host, "hwcache", "cache",
				     a == ACTION_LLC ? "cache=llc" : "cache=tlb");
	default:
		return listing__action(base, a);
	}
}

static const struct screen_ops cache_screen_ops = {
	LISTING_SCREEN,
	.section = "cache",
	.free = listing__free,
	.action = cache__action,
	.hints =
		(const enum action[]){ACTION_DRILL, ACTION_RIGHT, ACTION_GROUP_NEXT, ACTION_COLUMNS,
				      ACTION_AGES, ACTION_DENTRIES, ACTION_LLC, ACTION_TLB,
				      ACTION_WINDOW, ACTION_FILTER, ACTION_PAUSE, ACTION_NONE},
};

static const struct listing_view the_view = {
	LISTING_VIEW(struct cache_screen, &cache_screen_ops, &cache_listing),
	.groups = 1u << CACHE_BY_PID,
	.window = WINDOW_DECAY,
};

/* What was evicted is asked for again, and room is made all the while. */
static bool cache__alert(const struct frame *f)
{
	const struct measure_snap *s = (const void *)f->snaps[MODEL_CACHE];
	const struct cache_flow *flow = s ? &cache__snap_of(&s->base)->flow[WINDOW_LAST] : NULL;

	return flow && window__per_second(MIN(flow->refaults, MAX(flow->evicted, flow->taken_out)),
					  s->window_ns[WINDOW_LAST]) >= MANY_REFAULTS;
}

const struct view_ops view_cache = {
	.name = "cache",
	.title = "page cache: hits and misses by process and file, readahead, evictions",
	.models = 1ULL << MODEL_CACHE,
	.feed = MODEL_CACHE,
	.terms = SCOPE_TERM_TASK | SCOPE_TERM_SCHED | SCOPE_TERM_MOMENT,
	.offers = 1u << EXPORT_STACKS,
	.groups = "pid file comm cgroup total",
	.one_group = true,
	LISTING_VIEW_OPS(&the_view),
	.alert = cache__alert,
};
