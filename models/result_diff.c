// SPDX-License-Identifier: GPL-2.0-only
/* Rows of two times by their keys. Trees: result_diff_trees.c. */
#include "models/result_diff.h"

#include <math.h>

#include "base/arena.h"
#include "base/hidx.h"
#include "models/result_diff_impl.h"

/* --- values --- */

static bool is_number(enum value_type t)
{
	return t == VALUE_COUNT || t == VALUE_PCT || t == VALUE_NS || t == VALUE_BYTES;
}

/* Numbers that sort upward are names: of processes, CPUs ... */
static bool is_measure(const struct column *c)
{
	return is_number(c->type) && !(c->flags & COLUMN_ASCENDING);
}

static void scale_up(struct value *v, double scale)
{
	if (v->type == VALUE_PCT)
		v->f *= scale;
	else
		v->u = (u64)MIN((double)v->u * scale + 0.5, 0x1p63);
}

/* A number of one side, comparable; VALUE_NONE: there is none. */
static bool measure(const struct result_diff *d, const struct query_result *side, u32 row, u32 column,
		    struct value *out)
{
	const struct row_table *t = &side->table;
	const struct column *c = &t->columns[column];

	*out = (struct value){.type = c->flags & (COLUMN_SUM | COLUMN_SHARE) ? c->type
									     : VALUE_NONE};
	if (row == DIFF_NONE)
		return true;
	if (!t->cell(t, row, column, out))
		return false;
	if (side == d->baseline && c->flags & COLUMN_SUM && is_number(out->type))
		scale_up(out, d->scale);
	return true;
}

static struct value change_of(const struct value *now, const struct value *baseline)
{
	struct value v = {.type = VALUE_CHANGE, .n = now->type};

	if (!is_number(now->type) || baseline->type != now->type)
		return (struct value){.type = VALUE_NONE};
	if (now->type == VALUE_PCT)
		v.f = now->f - baseline->f;
	else
		v.i = (s64)(MIN(now->u, (u64)INT64_MAX)) - (s64)(MIN(baseline->u, (u64)INT64_MAX));
	return v;
}

static bool change_cell(const struct result_diff *d, const struct diff_row *r, u32 column,
			struct value *out)
{
	struct value now, baseline;

	if (!measure(d, d->now, r->now, column, &now) ||
	    !measure(d, d->baseline, r->baseline, column, &baseline))
		return false;
	*out = change_of(&now, &baseline);
	return true;
}

/* --- cells --- */

/* What a row that is gone was called; of what it did nothing. */
static bool gone_cell(const struct result_diff *d, const struct diff_row *r, u32 column,
		      struct value *out)
{
	const struct row_table *t = &d->baseline->table;

	if (is_measure(&t->columns[column]))
		return t->cell(t, r->baseline, column, out) &&
		       measure(d, d->now, DIFF_NONE, column, out);
	if (!t->cell(t, r->baseline, column, out))
		return false;
	if (out->type == VALUE_TREND || out->type == VALUE_SPLIT || out->type == VALUE_LIST || out->type == VALUE_OBJECT)
		*out = (struct value){.type = VALUE_NONE};
	return true;
}

static bool own_cell(const struct result_diff *d, const struct diff_row *r, u32 column,
		     struct value *out)
{
	const struct row_table *t = &d->now->table;

	return r->now != DIFF_NONE ? t->cell(t, r->now, column, out) : gone_cell(d, r, column, out);
}

static bool diff__cell(const struct row_table *table, u32 row, u32 column, struct value *out)
{
	const struct result_diff *d = container_of(table, struct result_diff, base.table);
	const struct diff_row *r = &d->rows[row];
	struct diff_column c;

	if (column >= table->ncolumns)
		return false;
	c = diff__of(d)->columns[column];
	*out = (struct value){0};
	switch (c.kind) {
	case DIFF_OWN:
		return own_cell(d, r, c.of, out);
	case DIFF_NOW:
		if (r->now != DIFF_NONE)
			return own_cell(d, r, c.of, out);
		*out = (struct value){.type = VALUE_TEXT, .s = "gone"};
		return true;
	case DIFF_THEN_MARKED:
		if (r->baseline == DIFF_NONE) {
			*out = (struct value){.type = VALUE_TEXT, .s = "new"};
			return true;
		}
		return measure(d, d->baseline, r->baseline, c.of, out);
	case DIFF_THEN:
		return measure(d, d->baseline, r->baseline, c.of, out);
	case DIFF_CHANGE:
		return change_cell(d, r, c.of, out);
	default:
		*out = (struct value){.type = VALUE_TEXT,
				      .s = r->now == DIFF_NONE	  ? "gone"
					   : r->baseline == DIFF_NONE ? "new"
								  : "both"};
		return true;
	}
}

static u64 diff__key(const struct row_table *table, u32 row)
{
	const struct result_diff *d = container_of(table, struct result_diff, base.table);
	const struct diff_row *r = &d->rows[row];
	const struct row_table *t = r->now != DIFF_NONE ? &d->now->table : &d->baseline->table;

	return t->key(t, r->now != DIFF_NONE ? r->now : r->baseline);
}

/* --- columns --- */

static bool main_column(const struct row_table *t, u32 *out)
{
	*out = t->sort;
	if (t->sort < t->ncolumns && is_measure(&t->columns[t->sort]))
		return true;
	for (*out = 0; *out < t->ncolumns; ++*out)
		if (t->columns[*out].flags & COLUMN_SCREEN && is_measure(&t->columns[*out]))
			return true;
	return false;
}

static void add_column(struct diff_box *b, enum diff_kind kind, u32 of, struct column column)
{
	u32 i = b->diff.base.table.ncolumns++;

	b->columns[i] = (struct diff_column){kind, of};
	b->shown[i] = column;
}

/* Beside what they are about, as wide as signs and marks need. */
static void add_main(struct diff_box *b, const struct column *main)
{
	struct column now = *main, baseline = *main, change = *main;

	change.name = "diff";
	change.title = main->type == VALUE_PCT ? "Diff%" : "Diff";
	change.help = "what there is now without what there was then; + grew, - shrank";
	change.type = VALUE_CHANGE;
	change.width = DIFF_WIDTH;
	baseline.name = "then";
	baseline.title = main->type == VALUE_PCT ? "Then%" : "Then";
	baseline.help = "the same in the baseline; new: it was not there";
	baseline.width = MAX(MIN(main->width, (u8)DIFF_WIDTH), (u8)DIFF_THEN_WIDTH);
	change.flags = baseline.flags = COLUMN_SCREEN;
	now.flags = (main->flags & ~(u32)COLUMN_EXPORT) | COLUMN_SCREEN;
	change.priority = now.priority = baseline.priority = 0;
	add_column(b, DIFF_CHANGE, b->diff.main, change);
	add_column(b, DIFF_NOW, b->diff.main, now);
	add_column(b, DIFF_THEN_MARKED, b->diff.main, baseline);
}

static const char *field_name(struct diff_box *b, const char *prefix, const char *name)
{
	char *text = arena__alloc(&b->arena, strlen(prefix) + strlen(name) + 1);

	strcpy(text, prefix);
	return strcat(text, name);
}

static void add_fields(struct diff_box *b, const struct column *of, u32 i)
{
	struct column baseline = *of, change = *of;

	baseline.name = field_name(b, "then_", of->name);
	change.name = field_name(b, "diff_", of->name);
	change.type = VALUE_CHANGE;
	baseline.flags = change.flags = COLUMN_EXPORT;
	add_column(b, DIFF_THEN, i, baseline);
	add_column(b, DIFF_CHANGE, i, change);
}

static void fill_columns(struct diff_box *b)
{
	static const struct column presence = {
		.name = "presence",
		.title = "Presence",
		.help = "both; new: not in the baseline; gone: in the baseline alone",
		.type = VALUE_TEXT,
		.width = 8,
		.flags = COLUMN_EXPORT | COLUMN_ASCENDING,
	};
	const struct row_table *t = &b->diff.now->table;
	u32 most = t->ncolumns * 3 + 4;

	b->columns = arena__array(&b->arena, struct diff_column, most);
	b->shown = arena__array(&b->arena, struct column, most);
	add_main(b, &t->columns[b->diff.main]);
	for (u32 i = 0; i < t->ncolumns; i++) {
		struct column own = t->columns[i];

		if (i == b->diff.main)
			own.flags &= ~(u32)COLUMN_SCREEN;
		add_column(b, DIFF_OWN, i, own);
	}
	for (u32 i = 0; i < t->ncolumns; i++)
		if (t->columns[i].flags & COLUMN_EXPORT && is_measure(&t->columns[i]))
			add_fields(b, &t->columns[i], i);
	add_column(b, DIFF_PRESENCE, 0, presence);
}

bool result_diff__column(const struct result_diff *d, u32 column, u32 *of)
{
	const struct diff_column *c = &diff__of(d)->columns[column];

	*of = c->of;
	return c->kind == DIFF_OWN || c->kind == DIFF_NOW;
}

/* --- rows --- */

static bool is_last(const struct row_table *t, u32 row)
{
	return row >= t->nrows - t->nlast;
}

/* Row of `then` for each of `now`, and which of `then` are taken. */
static void match_rows(const struct row_table *now, const struct row_table *baseline, u32 *match,
		       bool *taken)
{
	struct hidx index = {0};

	for (u32 i = 0; i < baseline->nrows; i++)
		hidx__add(&index, mix64(baseline->key(baseline, i)), i);
	for (u32 i = 0; i < now->nrows; i++) {
		u64 key = now->key(now, i);
		u32 at;

		HIDX_FIND(at, &index, mix64(key), pos, baseline->key(baseline, pos) == key && !taken[pos]);
		match[i] = at == HIDX_NONE ? DIFF_NONE : at;
		if (at != HIDX_NONE)
			taken[at] = true;
	}
	hidx__fini(&index);
}

/* Those that stay last by whatever rows are sorted, or the others. */
static void append_rows(struct diff_box *b, const u32 *match, const bool *taken, bool last)
{
	const struct row_table *now = &b->diff.now->table, *baseline = &b->diff.baseline->table;
	u32 before = b->nrows;

	for (u32 i = 0; i < now->nrows; i++)
		if (is_last(now, i) == last)
			b->rows[b->nrows++] = (struct diff_row){i, match[i]};
	for (u32 i = 0; i < baseline->nrows; i++)
		if (!taken[i] && is_last(baseline, i) == last)
			b->rows[b->nrows++] = (struct diff_row){DIFF_NONE, i};
	if (last)
		b->diff.base.table.nlast = b->nrows - before;
}

static void sort_rows(struct diff_box *b)
{
	struct diff_row *sorted = arena__array(&b->arena, struct diff_row, b->nrows);
	u32 *order = xcalloc(MAX(b->nrows, 1u), sizeof(*order));

	row_table__sort(&b->diff.base.table, 0, true, order);
	for (u32 i = 0; i < b->nrows; i++)
		sorted[i] = b->rows[order[i]];
	free(order);
	b->rows = sorted;
	b->diff.rows = sorted;
}

static void fill_rows(struct diff_box *b)
{
	const struct row_table *now = &b->diff.now->table, *baseline = &b->diff.baseline->table;
	u32 *match = xcalloc(MAX(now->nrows, 1u), sizeof(*match));
	bool *taken = xcalloc(MAX(baseline->nrows, 1u), sizeof(*taken));

	match_rows(now, baseline, match, taken);
	b->rows = arena__array(&b->arena, struct diff_row, now->nrows + baseline->nrows);
	append_rows(b, match, taken, false);
	append_rows(b, match, taken, true);
	b->diff.rows = b->rows;
	b->diff.base.table.nrows = b->nrows;
	for (u32 i = 0; i < b->nrows; i++) {
		b->diff.nnew += b->rows[i].baseline == DIFF_NONE;
		b->diff.ngone += b->rows[i].now == DIFF_NONE;
	}
	free(match);
	free(taken);
	sort_rows(b);
}

/* --- life --- */

static void diff__free(struct query_result *a)
{
	struct diff_box *b = container_of(a, struct diff_box, diff.base);

	query_result__free(b->diff.now);
	query_result__free(b->diff.baseline);
	arena__fini(&b->arena);
	free(b);
}

bool result_diff__is(const struct query_result *a)
{
	return a->free == diff__free;
}

static double scale_of(const struct query_result *now, const struct query_result *baseline)
{
	return now->window_ns && baseline->window_ns ? (double)now->window_ns / (double)baseline->window_ns
						 : 1;
}

struct result_diff *result_diff__join(struct query_result *now, struct query_result *baseline)
{
	struct diff_box *b;
	u32 main;

	if (!main_column(&now->table, &main) || now->table.ncolumns != baseline->table.ncolumns)
		return NULL;
	b = xcalloc(1, sizeof(*b));
	arena__init(&b->arena);
	b->diff.now = now;
	b->diff.baseline = baseline;
	b->diff.main = main;
	b->diff.scale = scale_of(now, baseline);
	b->diff.base = (struct query_result){
		.snap = now->snap,
		.since_ns = now->since_ns,
		.window_ns = now->window_ns,
		.symbols_generation = MIN(now->symbols_generation, baseline->symbols_generation),
		.unresolved = now->unresolved || baseline->unresolved,
		.free = diff__free,
	};
	fill_columns(b);
	b->diff.base.table.columns = b->shown;
	b->diff.base.table.cell = diff__cell;
	b->diff.base.table.key = diff__key;
	fill_rows(b);
	diff__fill_trees(b);
	return &b->diff;
}
