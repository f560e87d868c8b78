// SPDX-License-Identifier: GPL-2.0-only
/* The butterfly's lines as rows, for snapshots. */
#include "base/columns.h"
#include "tui/views/cpu_callers.h"
#include "tui/views/window.h"

static const char *line_object(const struct callers_screen *s, const struct butterfly_row *b)
{
	const struct symbols *symbols = host__symbols(s->base.host);

	return b ? b->object_name
		 : symbols__object(symbols, symbols__func(symbols, s->query.focus)->object)->name;
}

enum { CALLERS_RELATION, CALLERS_SHARE, CALLERS_PCT, CALLERS_COUNT, CALLERS_SYMBOL, CALLERS_OBJECT };

static const struct column callers_columns[] = {
	COLUMN(VALUE_TEXT, "relation", "IS", 8, 0, COLUMN_BOTH, "caller, function or callee"),
	PCT_COLUMN("share_pct", "SHARE%", 7, 0, COLUMN_BOTH, "of the function's samples"),
	PCT_COLUMN("total_pct", "ALL%", 7, 0, COLUMN_BOTH, "of all samples"),
	COUNT_COLUMN("count", "SAMPLES", 8, 0, COLUMN_BOTH, "samples"),
	COLUMN(VALUE_TEXT, "symbol", "SYMBOL", 30, 0, COLUMN_BOTH | COLUMN_KEY, "function"),
	COLUMN(VALUE_TEXT, "object", "OBJECT", 16, 1, COLUMN_BOTH, "file it is in"),
};

static bool callers__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	static const char *const relations[] = {"caller", "function", "callee"};
	const struct callers_screen *s = container_of(t, struct callers_screen, table);
	const struct profile_rows *r = s->rows;
	const struct butterfly_row *b;
	struct line_id id = callers__line(s, row, &b);

	*out = (struct value){.type = callers_columns[column].type};
	switch (column) {
	case CALLERS_RELATION: out->s = relations[id.kind]; break;
	case CALLERS_SHARE: out->f = b ? b->share : 100; break;
	case CALLERS_PCT: out->f = b ? b->pct : r->focus_total_pct; break;
	case CALLERS_COUNT: out->u = b ? b->count : r->focus_total; break;
	case CALLERS_SYMBOL: out->s = callers__line_name(s, b); break;
	default: out->s = line_object(s, b); break;
	}
	return true;
}

static u64 callers__key(const struct row_table *t, u32 row)
{
	const struct butterfly_row *b;
	struct line_id id = callers__line(container_of(t, struct callers_screen, table), row, &b);

	return mix64_pair(id.kind, id.func);
}

bool callers__report(struct screen *base, struct report *r)
{
	struct callers_screen *s = (struct callers_screen *)base;
	const struct scope *extra = s->query_client.extra_scope;
	const struct frame *f = host__frame(base->host);

	if (!s->rows || !f)
		return false;
	s->table = (struct row_table){.columns = callers_columns,
				      .ncolumns = ARRAY_SIZE(callers_columns),
				      .nrows = callers__lines(s), .sort = CALLERS_SHARE,
				      .cell = callers__cell, .key = callers__key};
	*r = (struct report){.view = "cpu-callers", .seq = f->seq,
			     .t0_ns = s->rows->base.since_ns,
			     .t1_ns = s->rows->base.snap->t1_ns,
			     .scope = extra ? extra->text : host__scope(base->host)->text,
			     .window = window__text(s->rows->query.window),
			     .group = "symbol",
			     .health = f->feeds[MODEL_PROFILE].health, .rows = &s->table};
	return true;
}
