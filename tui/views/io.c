// SPDX-License-Identifier: GPL-2.0-only
/* View io: how long block devices take, for whom, and what was slow. */
#include "tui/views/io.h"

#include "base/arena.h"
#include "base/hosts.h"
#include "models/flame.h"
#include "tui/views/heat.h"
#include "tui/views/terms.h"

static const struct listing_view the_view;

QUERY_RUN(io__run, io__query, MODEL_IO)

/* --- grouping and window --- */

static const struct group_keys io_keys = {io_group_names, NULL, IO_GROUPS, true};

static void io__weigh(const struct listing_ops *ops, void *query, const char *column)
{
	enum io_weight *weight = &((struct io_query *)query)->weight;

	if (strstr(column, "bytes") || !strcmp(column, "rate"))
		*weight = IO_WEIGHT_BYTES;
	else if (strstr(column, "_ns") || !strcmp(column, "time_pct") || !strncmp(column, "queue", 5))
		*weight = IO_WEIGHT_NS;
	else
		*weight = IO_WEIGHT_COUNT;
}

/* --- drilling --- */

/* The row's key as a term of the filter language; false when it has none. */
static bool io__term(const struct listing *l, u32 row, char *buf, size_t size)
{
	const struct io_row *r = &io__rows(l)->rows[row];
	bool nobodys = r->proc && io_who__is_nobody(&r->proc->who);

	if (!r->proc || r->rest)
		return false;
	switch (io__rows(l)->query.group) {
	case IO_BY_PID:
		return r->proc->who.tgid && !nobodys &&
		       term__id("pid", r->proc->who.tgid, buf, size);
	case IO_BY_COMM:
		return !nobodys && term__name("comm", r->proc->who.comm, buf, size);
	case IO_BY_CGROUP:
		return term__cgroup(r->proc->who.cgroup, r->cgroup_name, buf, size);
	case IO_BY_HOST:
		return term__name(HOST_LABEL, r->host, buf, size);
	default:
		return false;
	}
}

/* Who uses a device. */
static void open_device(struct listing *l, const struct io_row *r)
{
	struct io_query q = io__of(l)->query;
	struct listing *next;

	q.group = IO_BY_PID;
	q.by_dev = true;
	q.dev = io_device__id(&r->device);
	next = listing__drill_to(&the_view, l, &q, r->name, NULL);
	io__of(next)->scale = io__of(l)->scale;
	host__push(l->base.host, &next->base);
}

/* Which requests are a row's: ids are a host's own. */
static const struct scope *narrow_to_row(const struct listing *l, u32 row, char *terms, size_t size)
{
	const struct io_row *r = &io__rows(l)->rows[row];
	size_t n;

	if (!io__term(l, row, terms, size))
		return NULL;
	n = strlen(terms);
	if (r->host && io__rows(l)->query.group != IO_BY_HOST && n + 1 < size &&
	    term__name(HOST_LABEL, r->host, terms + n + 1, size - n - 1))
		terms[n] = ' ';
	return listing__narrow(l, terms);
}

/* The slowest requests of one row's. */
static void open_slow(struct listing *l, u32 row)
{
	const struct io_query *q = &io__of(l)->query;
	char term[TERMS_MAX];
	const struct scope *narrow = narrow_to_row(l, row, term, sizeof(term));

	if (!narrow) {
		host__message(l->base.host, ROLE_WARN,
			      "the requests of this row are not known apart");
		return;
	}
	host__push(l->base.host,
		   io_slow__open(l->base.host, q->by_dev ? q->dev : 0, term, narrow));
	scope__put(narrow);
}

static bool io__drill(struct listing *l, struct listing_place at)
{
	const struct io_row *r = &io__rows(l)->rows[at.row];

	if (r->hists)
		open_device(l, r);
	else
		open_slow(l, at.row);
	return true;
}

const struct heat_view heat_view_io = {.source = &heat_io, .list = io_slow__list};

static const struct listing_ops io_listing = {
	.ask = {.size = sizeof(struct io_query), .model = MODEL_IO, .run = io__run},
	.keys = &io_keys,
	.at.group = LISTING_AT(struct io_query, group),
	.at.window = LISTING_AT(struct io_query, window),
	.stacks = &flame_io,
	.weigh = io__weigh,
	.heat = &heat_view_io,
	.headline = io__headline,
	.above = io__above,
	.empty = io__empty,
	.cell_role = io__role,
	.drill = io__drill,
	.selection = io__selection,
	.term = io__term,
	.report = io__report,
};

/* --- the screen --- */

static bool next_columns(struct io_screen *s)
{
	if (s->query.group != IO_BY_DEVICE)
		host__message(s->list.base.host, ROLE_WARN, "by %s there is one set of columns",
			      io_group_names[s->query.group]);
	else
		s->query.show = (s->query.show + 1) % IO_SHOWS;
	return true;
}

static bool next_stage(struct io_screen *s)
{
	s->query.stage = (s->query.stage + 1) % IO_STAGES;
	return true;
}

static bool next_scale(struct io_screen *s)
{
	s->scale = (s->scale + 1) % IO_SCALES;
	return true;
}

static bool toggle(bool *what)
{
	*what = !*what;
	return true;
}

static bool slowest(struct io_screen *s)
{
	host__push(s->list.base.host,
		   io_slow__open(s->list.base.host, s->query.by_dev ? s->query.dev : 0,
				 s->list.narrowed, s->list.query_client.extra_scope));
	return true;
}

static bool io__action(struct screen *base, enum action a)
{
	struct io_screen *s = (struct io_screen *)base;

	switch (a) {
	case ACTION_COLUMNS:
		return next_columns(s);
	case ACTION_STAGE:
		return next_stage(s);
	case ACTION_SCALE:
		return next_scale(s);
	case ACTION_JOIN_FLAGS:
		return toggle(&s->query.joined);
	case ACTION_SLOW_IO:
		return slowest(s);
	default:
		return listing__action(base, a);
	}
}

static const struct screen_ops io_screen_ops = {
	LISTING_SCREEN,
	.section = "io",
	.free = listing__free,
	.action = io__action,
	.hints = (const enum action[]){ACTION_DRILL, ACTION_COLUMNS, ACTION_STAGE, ACTION_SLOW_IO,
				       ACTION_HEATMAP, ACTION_GROUP_NEXT, ACTION_WINDOW,
				       ACTION_FILTER, ACTION_PAUSE, ACTION_NONE},
};

/* The strip of the last minutes is for the screen. */
static void fit(void *query, bool batch)
{
	((struct io_query *)query)->minutes = !batch;
}

static const struct listing_view the_view = {
	LISTING_VIEW(struct io_screen, &io_screen_ops, &io_listing),
	.groups = 1u << IO_BY_DEVICE,
	.window = WINDOW_DECAY,
	.fit = fit,
};

/* One in a hundred requests takes so long that somebody notices. */
static bool io__alert(const struct frame *f)
{
	const struct io_snap *s = (const void *)f->snaps[MODEL_IO];
	struct io_hist h = {0};

	for (u32 i = 0; s && i < s->nkinds; i++)
		hist_cells__add(h.n, &s->kinds[i].hists[IO_TOTAL], WINDOW_LAST);
	return s && io_hist__quantile(&h, 0.99, UINT64_MAX) >= 100 * NSEC_PER_MSEC;
}

const struct view_ops view_io = {
	.name = "io",
	.title = "block I/O: latency by device and kind, who does it, what was slow",
	.models = 1ULL << MODEL_IO,
	.feed = MODEL_IO,
	.screens = "requests",
	.terms = SCOPE_TERM_TIME | SCOPE_TERM_SCHED | SCOPE_TERM_MOMENT,
	.offers = 1u << EXPORT_STACKS | 1u << EXPORT_EVENTS,
	.groups = "device pid comm cgroup file",
	.one_group = true,
	LISTING_VIEW_OPS(&the_view),
	.alert = io__alert,
};
