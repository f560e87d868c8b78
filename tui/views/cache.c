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
	return cache__rows(l)->rows[row].has_stacks;
}

/* --- drilling --- */

/* The row's key as a term of the filter language; false when it has none. */
static bool cache__term(const struct listing *l, u32 row, char *buf, size_t size)
{
	const struct cache_row *r = &cache__rows(l)->rows[row];
	const struct cache_use *u = r->use;

	if (!u->tgid || u->tgid == CACHE_MERGED)
		return false;
	switch (cache__rows(l)->query.group) {
	case CACHE_BY_PID:
		return term__id("pid", u->tgid, buf, size);
	case CACHE_BY_COMM:
		return term__name("comm", u->comm, buf, size);
	case CACHE_BY_CGROUP:
		return term__cgroup(u->cgroup, r->cgroup_name, buf, size);
	default:
		return false;
	}
}

/* Another table of the same, with nothing unfolded. */
static void push(struct listing *l, struct cache_query q, const char *what,
		 const struct scope *narrow)
{
	q.nunfolded = 0;
	memset(q.unfolded, 0, sizeof(q.unfolded));
	host__push(l->base.host, &listing__drill_to(&the_view, l, &q, what, narrow)->base);
}

static void open_process(struct listing *l, const struct cache_row *r)
{
	struct cache_query q = cache__of(l)->query;
	char what[64];

	snprintf(what, sizeof(what), "%s%s%s", r->comm, *r->pid_text ? " " : "",
		 r->pid_text + strspn(r->pid_text, " "));
	q.group = CACHE_BY_FILE;
	q.by_pid = true;
	q.tgid = r->use->tgid;
	push(l, q, what, NULL);
}

/* Of everybody, also when the files were those of one process. */
static void open_file(struct listing *l, const struct cache_row *r)
{
	struct cache_query q = cache__of(l)->query;

	if (!r->use->dev) {
		host__message(l->base.host, ROLE_WARN, "these files are not known apart");
		return;
	}
	q.group = CACHE_BY_PID;
	q.by_pid = false;
	q.by_file = true;
	q.dev = r->use->dev;
	q.inode = r->use->inode;
	push(l, q, r->file, NULL);
}

/* The processes of a row: narrow as it says, NULL: of all. */
static void open_processes(struct listing *l, const char *what, const struct scope *narrow)
{
	struct cache_query q = cache__of(l)->query;

	q.group = CACHE_BY_PID;
	push(l, q, what, narrow);
}

/* The processes of a command or a cgroup. */
static void open_term(struct listing *l, u32 row)
{
	char term[TERM_MAX];
	const struct scope *narrow = listing__narrow_to_row(l, row, term, sizeof(term));

	if (narrow)
		open_processes(l, term, narrow);
	else
		host__message(l->base.host, ROLE_WARN,
			      "the processes of this row are not known apart");
}

/* At the end of the way: where the misses of the row come from. */
static bool unfold(struct listing *l, const struct cache_row *r)
{
	if (!r->has_stacks) {
		host__message(l->base.host, ROLE_WARN, "no stack of its misses is known");
		return true;
	}
	return listing__action(&l->base,
			       fold__row_open(&l->fold, r->key) ? ACTION_LEFT : ACTION_RIGHT);
}

static bool cache__drill(struct listing *l, struct listing_place at)
{
	const struct cache_row *r = &cache__rows(l)->rows[at.row];
	const struct cache_query *q = &cache__rows(l)->query;

	if (q->by_file)
		return unfold(l, r);
	switch (q->group) {
	case CACHE_BY_PID:
		open_process(l, r);
		break;
	case CACHE_BY_FILE:
		open_file(l, r);
		break;
	case CACHE_BY_TOTAL:
		open_processes(l, "all processes", NULL);
		break;
	default:
		open_term(l, at.row);
	}
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
	LISTING_UNFOLDED(struct cache_query),
	.unfolds = cache__unfolds,
	.keys = &cache_keys,
	.at.group = LISTING_AT(struct cache_query, group),
	.at.window = LISTING_AT(struct cache_query, window),
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
		s->query.leaf_first = !s->query.leaf_first;
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
	const struct cache_snap *s = (const void *)f->snaps[MODEL_CACHE];
	const struct cache_flow *flow = s ? &s->flow[WINDOW_LAST] : NULL;

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
