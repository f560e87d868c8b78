// SPDX-License-Identifier: GPL-2.0-only
#include "models/flame_rows.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/columns.h"
#include "export/stacks.h"
#include "models/frames.h"

#define MAX_INDENT 200

enum {
	FLAME_TOTAL_PCT,
	FLAME_SELF_PCT,
	FLAME_TOTAL,
	FLAME_SELF,
	FLAME_COLD,
	FLAME_TREE,
	FLAME_SYMBOL,
	FLAME_OBJECT,
	FLAME_KIND,
	FLAME_DEPTH,
	FLAME_PARENT,
	FLAME_THEN_PCT,
	FLAME_DIFF_PCT,
	FLAME_COLUMNS,
};

#define COLUMNS(total, self, type, cold_flags)                                                     \
	[FLAME_TOTAL_PCT] = PCT_COLUMN("total_pct", "Total%", 7, 0, COLUMN_BOTH,                   \
				       "of all: it and what it calls"),                            \
	[FLAME_SELF_PCT] =                                                                         \
		PCT_COLUMN("self_pct", "Self%", 7, 0, COLUMN_BOTH, "of all: what ends here"),      \
	[FLAME_TOTAL] = COLUMN(type, total, "Total", 7, 0, COLUMN_BOTH, "it and what it calls"),   \
	[FLAME_SELF] = COLUMN(type, self, "Self", 7, 0, COLUMN_EXPORT, "what ends here"),          \
	[FLAME_COLD] = TIME_COLUMN("cold_ns", "off-CPU", 7, 0, cold_flags,                         \
				   "part of the total: off the CPU"),                              \
	[FLAME_TREE] = COLUMN(VALUE_TEXT, "tree", "Function", 7, 0,                                \
			      COLUMN_SCREEN | COLUMN_KEY | COLUMN_FLEX, "indented by its depth"),  \
	[FLAME_SYMBOL] = COLUMN(VALUE_TEXT, "symbol", "Symbol", 7, 0, COLUMN_EXPORT,               \
				"function or command"),                                            \
	[FLAME_OBJECT] =                                                                           \
		COLUMN(VALUE_TEXT, "object", "Object", 7, 0, COLUMN_EXPORT, "program or library"), \
	[FLAME_KIND] = COLUMN(VALUE_TEXT, "kind", "Kind", 7, 0, COLUMN_EXPORT, "kind of code"),    \
	[FLAME_DEPTH] = COUNT_COLUMN("depth", "Depth", 7, 0, COLUMN_EXPORT, "0 the first row"),    \
	[FLAME_PARENT] = COUNT_COLUMN("parent", "Parent", 7, 0, COLUMN_EXPORT,                     \
				      "its row, from 0; null of the first"),                       \
	[FLAME_THEN_PCT] = PCT_COLUMN("then_total_pct", "Then%", 7, 0, COLUMN_BOTH,                \
				      "of all in the baseline"),                                   \
	[FLAME_DIFF_PCT] = COLUMN(VALUE_CHANGE, "diff_total_pct", "Diff%", 7, 0, COLUMN_BOTH,      \
				  "its share's change")

static const struct column flame_count_columns[] = {COLUMNS("count", "self_count", VALUE_COUNT, 0)};
static const struct column flame_time_columns[] = {
	COLUMNS("time_ns", "self_ns", VALUE_NS, COLUMN_BOTH)};

static double percent(u64 part, u64 whole)
{
	return whole ? (double)part * 100 / (double)whole : 0;
}

static const char *text_cell(const struct flame_rows *r, u32 row, u32 column)
{
	const struct flame_node *n = &r->result->nodes[r->zoom + row];
	const struct flame_frame *f = &r->result->frames[n->frame];

	switch (column) {
	case FLAME_TREE:
		return r->trees[row];
	case FLAME_SYMBOL:
		return f->name;
	case FLAME_OBJECT:
		return f->object_name;
	default:
		return flame_frame__kind(f, n->inlined);
	}
}

static bool number_cell(const struct flame_rows *r, u32 row, u32 column, struct value *out)
{
	const struct flame_node *n = &r->result->nodes[r->zoom + row];

	switch (column) {
	case FLAME_TOTAL:
		out->u = n->value;
		return true;
	case FLAME_SELF:
		out->u = n->self;
		return true;
	case FLAME_COLD:
		out->u = n->cold;
		return r->result->query.nparts > 1;
	case FLAME_DEPTH:
		out->u = (u64)n->depth - r->result->nodes[r->zoom].depth;
		return true;
	default:
		if (!row)
			out->type = VALUE_NONE;
		else
			out->u = n->parent - r->zoom;
		return true;
	}
}

static bool then_cell(const struct flame_rows *r, u32 row, struct value *out)
{
	const struct flame_result *a = r->result;

	if (out->type == VALUE_PCT)
		out->f = percent(a->nodes[r->zoom + row].baseline, a->nodes[0].baseline);
	else
		out->f = flame__change(a, r->zoom + row), out->n = VALUE_PCT;
	return a->compared;
}

static bool rows__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct flame_rows *r = container_of(t, struct flame_rows, table);
	const struct flame_node *n = &r->result->nodes[r->zoom + row];
	u64 whole = r->result->nodes[0].value;

	*out = (struct value){.type = t->columns[column].type};
	if (column == FLAME_THEN_PCT || column == FLAME_DIFF_PCT)
		return then_cell(r, row, out);
	if (out->type == VALUE_TEXT) {
		out->s = text_cell(r, row, column);
		return true;
	}
	if (out->type != VALUE_PCT)
		return number_cell(r, row, column, out);
	out->f = percent(column == FLAME_SELF_PCT ? n->self : n->value, whole);
	return true;
}

static u64 rows__key(const struct row_table *t, u32 row)
{
	const struct flame_rows *r = container_of(t, struct flame_rows, table);

	return r->result->nodes[r->zoom + row].key;
}

static const char *indented(struct flame_rows *r, u32 row)
{
	const struct flame_node *n = &r->result->nodes[r->zoom + row];
	const char *name = r->result->frames[n->frame].name;
	u32 depth = MIN((u32)n->depth - r->result->nodes[r->zoom].depth, (u32)MAX_INDENT);
	char *text;

	if (!depth)
		return name;
	text = arena__alloc(&r->arena, depth + strlen(name) + 1);
	memset(text, ' ', depth);
	strcpy(text + depth, name);
	return text;
}

struct flame_rows *flame_rows__new(const struct flame_result *a, u32 zoom)
{
	struct flame_rows *r = xcalloc(1, sizeof(*r));
	u32 n = a->nodes[zoom].end - zoom;

	r->result = a;
	r->zoom = zoom;
	r->table = (struct row_table){
		.columns = a->unit == VALUE_NS ? flame_time_columns : flame_count_columns,
		.ncolumns = FLAME_COLUMNS,
		.nrows = n,
		.cell = rows__cell,
		.key = rows__key,
	};
	arena__init(&r->arena);
	r->trees = xcalloc(n, sizeof(*r->trees));
	for (u32 i = 0; i < n; i++)
		r->trees[i] = indented(r, i);
	return r;
}

void flame_rows__free(struct flame_rows *r)
{
	if (!r)
		return;
	arena__fini(&r->arena);
	free(r->trees);
	free(r);
}

/* --- the stacks of a view's own report --- */

static void put_stacks(const struct report *r, const struct row_table *rows,
		       void (*emit)(void *ctx, const struct value_frame *frames, u32 n, u64 weight),
		       void *ctx)
{
	const struct flame_source *source = r->stacks_of;
	const struct query_result *result = container_of(rows, struct query_result, table);
	const struct snap *snaps[FLAME_PARTS] = {result->snap};
	struct flame_query q;
	struct flame_result *a;

	flame_query__init(&q, source, (const char *)result + source->query_at);
	q.inlined |= r->inlined;
	a = flame__build(snaps, (double[FLAME_PARTS]){0}, &q, r->priv);
	flame__stacks(a, 0, emit, ctx);
	query_result__free(&a->base);
}

static void report_stacks(const struct report *r,
			  void (*emit)(void *ctx, const struct value_frame *frames, u32 n,
				       u64 weight),
			  void *ctx)
{
	put_stacks(r, r->asked, emit, ctx);
}

void flame__report_baseline(const struct report *r,
			    void (*emit)(void *ctx, const struct value_frame *frames, u32 n,
					 u64 weight),
			    void *ctx)
{
	put_stacks(r, r->asked_baseline, emit, ctx);
}

void flame__folded(const struct report *r, void (*emit)(void *ctx, const char *stack, u64 weight),
		   void *ctx)
{
	struct export_stacks s;

	export_stacks__take(&s, r, false);
	for (u32 i = 0; i < s.n; i++) {
		const struct export_stack *k = &s.stacks[i];
		size_t len = 0, at = 0;
		char *text;

		for (u32 j = 0; j < k->n; j++)
			len += strlen(export_stacks__frame(&s, k, j)->symbol) + 1;
		text = xcalloc(1, len + 1);
		for (u32 j = 0; j < k->n; j++)
			at += (size_t)sprintf(text + at, "%s%s", j ? ";" : "",
					      export_stacks__frame(&s, k, j)->symbol);
		emit(ctx, text, k->weight);
		free(text);
	}
	export_stacks__fini(&s);
}

void flame__report(struct report *r, const struct flame_source *source)
{
	r->stacks = report_stacks;
	r->stacks_of = source;
	const struct query_result *result = container_of(r->asked, struct query_result, table);
	struct flame_weight weight =
		flame_source__weight(source, (const char *)result + source->query_at);

	r->stacks_unit = weight.unit;
	r->stacks_noun = weight.noun;
	r->folded = flame__folded;
}
