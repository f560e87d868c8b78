// SPDX-License-Identifier: GPL-2.0-only
/* An annotated function as rows: its instructions, or without the code the sampled offsets. */
#include "base/columns.h"
#include "tui/views/cpu_annotate.h"
#include "tui/views/window.h"

enum { CODE_PCT, CODE_OFFSET, CODE_TEXT, CODE_FILE, CODE_LINE, CODE_INLINED, CODE_SOURCE };

static const struct column code_columns[] = {
	PCT_COLUMN("self_pct", "SELF%", 7, 0, COLUMN_BOTH, "of the function's own samples"),
	COUNT_COLUMN("offset", "OFFSET", 10, 0, COLUMN_EXPORT, "in the object"),
	COLUMN(VALUE_TEXT, "instruction", "INSTRUCTION", 40, 0, COLUMN_BOTH | COLUMN_KEY,
	       "as disassembled"),
	COLUMN(VALUE_TEXT, "file", "FILE", 20, 1, COLUMN_BOTH, "source file"),
	COUNT_COLUMN("line", "LINE", 6, 1, COLUMN_BOTH, "source line"),
	COLUMN(VALUE_TEXT, "inlined", "INLINED", 16, 2, COLUMN_BOTH, "innermost inlined function"),
	COLUMN(VALUE_TEXT, "source", "SOURCE", 30, 3, COLUMN_BOTH, "text of the line"),
};

static bool code__text(struct value *out, const char *text)
{
	out->type = text ? VALUE_TEXT : VALUE_NONE;
	out->s = text;
	return true;
}

static bool offset__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct annotate_screen *s = container_of(t, struct annotate_screen, table);
	const struct offset_weight *w = &s->result->offsets[row];

	*out = (struct value){.type = code_columns[column].type};
	switch (column) {
	case CODE_PCT: out->f = w->pct; return true;
	case CODE_OFFSET: out->u = w->offset; return true;
	default: return false;
	}
}

static u64 offset__key(const struct row_table *t, u32 row)
{
	return container_of(t, struct annotate_screen, table)->result->offsets[row].offset;
}

static bool code__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct annotate_screen *s = container_of(t, struct annotate_screen, table);
	const struct annotated_insn *in = &s->lines.code->insns[row];

	*out = (struct value){.type = code_columns[column].type};
	switch (column) {
	case CODE_PCT: out->f = s->pct[row]; return true;
	case CODE_OFFSET: out->u = in->offset; return true;
	case CODE_TEXT: return code__text(out, in->text);
	case CODE_FILE: return code__text(out, in->file);
	case CODE_LINE: out->u = in->line; return true;
	case CODE_INLINED: return code__text(out, in->inlined);
	default: return code__text(out, in->source);
	}
}

static u64 code__key(const struct row_table *t, u32 row)
{
	return container_of(t, struct annotate_screen, table)->lines.code->insns[row].offset;
}

bool annotate__report(struct screen *base, struct report *r)
{
	struct annotate_screen *s = (struct annotate_screen *)base;
	const struct scope *extra = s->query_client.extra_scope;
	const struct frame *f = host__frame(base->host);

	if (!s->lines.code || !s->result || !f)
		return false;
	s->table = (struct row_table){.columns = code_columns, .ncolumns = ARRAY_SIZE(code_columns),
				      .nrows = s->lines.code->ninsns, .cell = code__cell, .key = code__key};
	if (!s->lines.code->ninsns) {
		s->table.nrows = s->result->noffsets;
		s->table.cell = offset__cell;
		s->table.key = offset__key;
	}
	*r = (struct report){.view = "cpu-code", .seq = f->seq,
			     .t0_ns = s->result->rows->base.since_ns,
			     .t1_ns = s->result->rows->base.snap->t1_ns,
			     .scope = extra ? extra->text : host__scope(base->host)->text,
			     .window = window__text(s->result->rows->query.window),
			     .group = symbols__func(host__symbols(base->host), s->query.focus)->name,
			     .health = f->feeds[MODEL_PROFILE].health, .rows = &s->table};
	return true;
}
