// SPDX-License-Identifier: GPL-2.0-only
/* Counts of one kind and part of a heat log, and as rows for reports. */
#include "models/heat.h"

#include "base/arena.h"
#include "base/columns.h"
#include "models/window_snap.h"

struct heat_row {
	u32 time, bin;
};

struct result_box {
	struct heat_result result;
	struct heat_row *rows;
	u32 nrows;
};

void heat_query__init(struct heat_query *q, const struct heat_source *source, const void *query)
{
	memset(q, 0, sizeof(*q));
	q->source = source;
	memcpy(q->view, query, source->query_size);
	q->kind = source->kind ? source->kind(query) : 0;
}

/* --- counting --- */

struct counting {
	const struct snap *snap;
	const struct heat_query *query;
	u32 n[UINT16_MAX + 1]; /* of one column, by bucket */
	u8 *counts;	       /* by series: 1 yes, 2 no, 0 not asked yet */
	struct heat_bin *bins;
	u32 nbins, cap;
};

static bool series_counts(struct counting *c, u32 series)
{
	const struct heat_query *q = c->query;
	u8 *known = &c->counts[series];

	if (!*known)
		*known = q->source->counts(c->snap, q->view, q->kind, q->part, series) ? 1 : 2;
	return *known == 1;
}

static u32 add_column(struct counting *c, const struct heat_column *column)
{
	u32 end = 0, nbuckets = c->query->source->nbuckets;

	for (u32 i = 0; i < column->n; i++) {
		const struct heat_cell *cell = &column->cells[i];
		u32 *n = &c->n[cell->bucket];

		if (cell->bucket >= nbuckets || !series_counts(c, cell->series))
			continue;
		*n = (u32)MIN((u64)*n + cell->n, UINT32_MAX);
		end = MAX(end, cell->bucket + 1u);
	}
	return end;
}

static void take_bins(struct counting *c, u32 end, struct heat_time *out)
{
	out->first = c->nbins;
	for (u32 i = 0; i < end; i++) {
		if (!c->n[i])
			continue;
		c->bins = xgrow(c->bins, c->nbins, &c->cap, sizeof(*c->bins));
		c->bins[c->nbins++] = (struct heat_bin){i, c->n[i]};
		out->count += c->n[i];
		c->n[i] = 0;
	}
	out->n = c->nbins - out->first;
}

static void count_all(struct heat_result *a, const struct snap *of,
		      const struct heat_columns *columns, struct arena *arena)
{
	struct counting *c = xcalloc(1, sizeof(*c));
	u32 first = a->query.last && columns->n ? columns->n - 1 : 0;
	struct heat_time *times = arena__array(arena, struct heat_time, columns->n - first);

	c->snap = of;
	c->query = &a->query;
	c->counts = xcalloc(HEAT_MAX_SERIES, 1);
	for (u32 i = first; i < columns->n; i++) {
		const struct heat_column *column = columns->v[i];
		struct heat_time *t = &times[a->ntimes++];

		*t = (struct heat_time){
			.slot = column->slot, .t0_ns = column->t0_ns, .t1_ns = column->t1_ns};
		take_bins(c, add_column(c, column), t);
		a->count += t->count;
		a->left_out += column->left_out;
	}
	a->times = times;
	if (c->nbins)
		a->bins = arena__dup(arena, c->bins, c->nbins * sizeof(*c->bins));
	free(c->bins);
	free(c->counts);
	free(c);
}

static void find_range(struct heat_result *a)
{
	u32 nbins = a->ntimes ? a->times[a->ntimes - 1].first + a->times[a->ntimes - 1].n : 0;

	a->first_bucket = nbins ? UINT32_MAX : 0;
	for (u32 i = 0; i < nbins; i++) {
		a->first_bucket = MIN(a->first_bucket, a->bins[i].bucket);
		a->end_bucket = MAX(a->end_bucket, a->bins[i].bucket + 1);
	}
}

/* --- rows --- */

enum {
	HEAT_AGO,
	HEAT_LO,
	HEAT_HI,
	HEAT_COUNT,
	HEAT_SHARE,
	HEAT_T0,
	HEAT_T1,
	HEAT_COLUMNS,
};

static const struct column heat_row_columns[HEAT_COLUMNS] = {
	[HEAT_AGO] = TIME_COLUMN("ago_ns", "Ago", 7, 0, COLUMN_BOTH, "since that interval ended"),
	[HEAT_LO] = TIME_COLUMN("lo_ns", "From", 7, 0, COLUMN_BOTH, "took so long at least"),
	[HEAT_HI] = TIME_COLUMN("hi_ns", "To", 7, 0, COLUMN_BOTH,
				"and less than so long; null: no limit"),
	[HEAT_COUNT] = COUNT_COLUMN("count", "Count", 7, 0, COLUMN_BOTH, "how many"),
	[HEAT_SHARE] = PCT_COLUMN("share_pct", "Share%", 7, 0, COLUMN_BOTH | COLUMN_BAR,
				  "of those of the interval"),
	[HEAT_T0] = TIME_COLUMN("t0_ns", "t0_ns", 7, 0, COLUMN_EXPORT,
				"begin of the interval, CLOCK_MONOTONIC"),
	[HEAT_T1] = TIME_COLUMN("t1_ns", "t1_ns", 7, 0, COLUMN_EXPORT, "its end"),
};

static u64 number(const struct heat_result *a, const struct heat_time *t, const struct heat_bin *b,
		  u32 column)
{
	u64 now = a->times[a->ntimes - 1].t1_ns;

	switch (column) {
	case HEAT_AGO:
		return now - t->t1_ns;
	case HEAT_LO:
		return a->query.source->lo(b->bucket);
	case HEAT_HI:
		return a->query.source->lo(b->bucket + 1);
	case HEAT_COUNT:
		return b->n;
	case HEAT_T0:
		return t->t0_ns;
	default:
		return t->t1_ns;
	}
}

static bool heat__cell(const struct row_table *table, u32 row, u32 column, struct value *out)
{
	const struct result_box *box = container_of(table, struct result_box, result.base.table);
	const struct heat_result *a = &box->result;
	const struct heat_time *t = &a->times[box->rows[row].time];
	const struct heat_bin *b = &a->bins[box->rows[row].bin];

	*out = (struct value){.type = heat_row_columns[column].type};
	if (column == HEAT_SHARE)
		out->f = t->count ? (double)b->n * 100 / (double)t->count : 0;
	else if (column == HEAT_HI && b->bucket + 1 == a->query.source->nbuckets)
		out->type = VALUE_NONE;
	else
		out->u = number(a, t, b, column);
	return true;
}

static u64 heat__key(const struct row_table *table, u32 row)
{
	const struct result_box *box = container_of(table, struct result_box, result.base.table);
	const struct heat_row *r = &box->rows[row];

	return mix64_pair(box->result.times[r->time].slot, box->result.bins[r->bin].bucket);
}

/* Those of the newest interval first, the longest durations first. */
static void make_rows(struct result_box *box)
{
	struct heat_result *a = &box->result;
	u32 n = a->ntimes ? a->times[a->ntimes - 1].first + a->times[a->ntimes - 1].n : 0;

	box->rows = arena__array(&a->base.arena, struct heat_row, n);
	for (u32 t = a->ntimes; t--;)
		for (u32 k = a->times[t].n; k--;)
			box->rows[box->nrows++] = (struct heat_row){t, a->times[t].first + k};
	box->result.base.table = (struct row_table){
		.columns = heat_row_columns,
		.ncolumns = HEAT_COLUMNS,
		.nrows = box->nrows,
		.sort = HEAT_AGO,
		.cell = heat__cell,
		.key = heat__key,
	};
}

/* --- the answer --- */

static void find_parts(struct heat_result *a, const struct snap *of, struct arena *arena)
{
	const struct heat_source *s = a->query.source;
	u32 parts[HEAT_MAX_PARTS];

	if (!s->parts)
		return;
	a->nparts = s->parts(of, a->query.view, parts);
	if (a->nparts)
		a->parts = arena__dup(arena, parts, a->nparts * sizeof(*parts));
	if (a->query.part)
		s->part_name(of, a->query.part, a->part_name, sizeof(a->part_name));
}

struct heat_result *heat__query_snap(const struct snap *snap, const struct heat_query *q)
{
	struct result_box *box = query_result__new(sizeof(*box), snap, NULL, snap->t0_ns);
	struct heat_result *a = &box->result;
	const struct snap *of = q->source->of ? q->source->of(snap, q->view) : snap;

	a->query = *q;
	if (of) {
		find_parts(a, of, &a->base.arena);
		count_all(a, of, &((const struct window_snap *)of)->heat, &a->base.arena);
	}
	a->base.since_ns = a->ntimes ? a->times[0].t0_ns : a->base.snap->t0_ns;
	find_range(a);
	make_rows(box);
	return a;
}

struct heat_result *heat__query(const struct frame *f, const struct heat_query *q)
{
	return heat__query_snap(f->snaps[q->source->model], q);
}
