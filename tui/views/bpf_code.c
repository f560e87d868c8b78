// SPDX-License-Identifier: GPL-2.0-only
/* The code of a BPF program: its instructions below the source lines that they are of; as bytecode, or as it was
 * compiled for the machine. */
#include <stdio.h>

#include "base/arena.h"
#include "base/columns.h"
#include "symbols/symbols.h"
#include "tui/views/bpf_parts.h"
#include "tui/views/code_lines.h"
#include "tui/views/window.h"

struct code_screen {
	struct screen base;
	struct bpf_prog_sample prog;
	enum bpf_code which;
	struct code_lines lines;
	bool with_source;
	struct row_table table; /* the instructions as rows, for snapshots */
};

/* --- what the lines are --- */

static bool differs(const char *a, const char *b)
{
	return (a != b) && (!a || !b || strcmp(a, b));
}

/* What an instruction begins. */
static bool begins_function(const struct annotated_insn *insns, u32 i)
{
	return insns[i].inlined && *insns[i].inlined && (!i || differs(insns[i].inlined, insns[i - 1].inlined));
}

static bool begins_source(const struct annotated_insn *insns, u32 i)
{
	if (!insns[i].line)
		return false;
	return !i || insns[i].line != insns[i - 1].line || differs(insns[i].file, insns[i - 1].file);
}

static void build_lines(struct code_screen *s)
{
	code_lines__build(&s->lines, begins_function, s->with_source ? begins_source : NULL);
}

static void code__update(struct screen *base)
{
	struct code_screen *s = (struct code_screen *)base;

	if (s->lines.code)
		return;
	s->lines.code = symbols__bpf_code(host__symbols(base->host), s->prog.id, s->prog.loaded_ns, s->which);
	if (!s->lines.code)
		return;
	build_lines(s);
	host__redraw(base->host);
}

static void code__free(struct screen *base)
{
	struct code_screen *s = (struct code_screen *)base;

	code_lines__fini(&s->lines);
	free(s);
}

/* --- what they look like --- */

static void draw_line(void *ctx, const struct code_line *l, struct canvas *c, struct rect r)
{
	const struct code_screen *s = ctx;
	const struct annotated_insn *in = &s->lines.code->insns[l->insn];
	int x = r.x;

	switch (l->kind) {
	case CODE_LINE_FUNCTION:
		draw__textf(c, x, r.y, r.w, ROLE_TITLE, "%s:", in->inlined);
		break;
	case CODE_LINE_SOURCE:
		x += draw__textf(c, x, r.y, r.w, ROLE_DIM, "          %s:%u ", code_line__file(in), in->line);
		draw__text(c, x, r.y, r.w - (x - r.x), ROLE_STRONG, in->source ? in->source : "");
		break;
	default:
		x += draw__textf(c, x, r.y, r.w, ROLE_DIM, s->which == BPF_BYTECODE ? "%8llu  " : "%8llx  ",
				 (unsigned long long)in->offset);
		draw__text(c, x, r.y, r.w - (x - r.x), ROLE_TEXT, in->text);
	}
}

static void draw_headline(const struct code_screen *s, struct canvas *c, struct rect r)
{
	bool bytecode = s->which == BPF_BYTECODE;
	int x = r.x;

	x += draw__middle(c, x, r.y, MAX(r.w - 40, 10), ROLE_TITLE, s->prog.name);
	x += draw__textf(c, x, r.y, r.w - (x - r.x), ROLE_STRONG, "  %s",
			 bytecode ? "bytecode" : "machine code");
	if (s->lines.code)
		draw__textf(c, x, r.y, r.w - (x - r.x), ROLE_DIM, "  %u instructions, %u bytes", s->lines.code->ninsns,
			    bytecode ? s->prog.xlated_bytes : s->prog.jited_bytes);
}

static void code__draw(struct screen *base, struct canvas *c, struct rect area)
{
	struct code_screen *s = (struct code_screen *)base;
	struct rect body = {area.x, area.y + 1, area.w, area.h - 1};

	if (area.h < 3)
		return;
	draw_headline(s, c, area);
	code_lines__draw(&s->lines, c, body, "reading the program ...", draw_line, s);
}

/* --- actions --- */

static bool toggle_source(struct code_screen *s)
{
	s->with_source = !s->with_source;
	if (s->lines.code)
		build_lines(s);
	return true;
}

static bool toggle_code(struct code_screen *s)
{
	s->which = s->which == BPF_BYTECODE ? BPF_MACHINE_CODE : BPF_BYTECODE;
	code_lines__drop(&s->lines);
	code__update(&s->base);
	return true;
}

static bool code__action(struct screen *base, enum action a)
{
	struct code_screen *s = (struct code_screen *)base;

	switch (a) {
	case ACTION_SOURCE: return toggle_source(s);
	case ACTION_MACHINE_CODE: return toggle_code(s);
	case ACTION_DRILL:
	case ACTION_MAPS:
		host__push(base->host, bpf_maps__open(base->host, &s->prog));
		return true;
	default: return code_lines__action(&s->lines, a);
	}
}

static void code__mouse(struct screen *base, const struct input *in)
{
	code_lines__mouse(&((struct code_screen *)base)->lines, in);
}

static bool code__search(struct screen *base, const char *text, int dir)
{
	return code_lines__search(&((struct code_screen *)base)->lines, text, dir);
}

static void code__crumb(const struct screen *base, char *buf, size_t size)
{
	snprintf(buf, size, "code of %s", ((const struct code_screen *)base)->prog.name);
}

static void code__selection(const struct screen *base, char *buf, size_t size)
{
	const struct code_screen *s = (const struct code_screen *)base;
	const struct annotated_insn *in = code_lines__selected(&s->lines);

	*buf = '\0';
	if (!in)
		return;
	if (!in->line)
		snprintf(buf, size, "%s%sno source line here", in->inlined ? in->inlined : "", in->inlined ? ": " : "");
	else
		snprintf(buf, size, "%s: %s:%u:%u", in->inlined ? in->inlined : "", in->file, in->line, in->column);
}

static bool code__settled(const struct screen *base)
{
	return ((const struct code_screen *)base)->lines.code;
}

static void code__leads(const struct screen *base, char *buf, size_t size)
{
	copy_str(buf, size, "its maps");
}

/* --- reports --- */

enum { CODE_OFFSET, CODE_TEXT, CODE_FUNCTION, CODE_FILE, CODE_LINE, CODE_COLUMN, CODE_SOURCE };

static const struct column code_columns[] = {
	COUNT_COLUMN("offset", "Offset", 8, 0, COLUMN_BOTH,
		     "number of the instruction; of machine code where it is in the program's"),
	COLUMN(VALUE_TEXT, "instruction", "Instruction", 40, 0, COLUMN_BOTH | COLUMN_KEY, "as disassembled"),
	COLUMN(VALUE_TEXT, "function", "Function", 20, 1, COLUMN_BOTH, "of the program, that it is in"),
	COLUMN(VALUE_TEXT, "file", "File", 20, 2, COLUMN_BOTH, "source file"),
	COUNT_COLUMN("line", "Line", 6, 1, COLUMN_BOTH, "source line"),
	COUNT_COLUMN("column", "Column", 6, 2, COLUMN_BOTH, "where in the line"),
	COLUMN(VALUE_TEXT, "source", "Source", 30, 1, COLUMN_BOTH, "text of the line, as the program's types have it"),
};

static bool text_cell(struct value *out, const char *text)
{
	out->type = text ? VALUE_TEXT : VALUE_NONE;
	out->s = text;
	return true;
}

static bool code__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct code_screen *s = container_of(t, struct code_screen, table);
	const struct annotated_insn *in = &s->lines.code->insns[row];

	*out = (struct value){.type = code_columns[column].type};
	switch (column) {
	case CODE_OFFSET: out->u = in->offset; return true;
	case CODE_TEXT: return text_cell(out, in->text);
	case CODE_FUNCTION: return text_cell(out, in->inlined);
	case CODE_FILE: return text_cell(out, in->file);
	case CODE_LINE: out->u = in->line; return true;
	case CODE_COLUMN: out->u = in->column; return true;
	default: return text_cell(out, in->source);
	}
}

static u64 code__key(const struct row_table *t, u32 row)
{
	return container_of(t, struct code_screen, table)->lines.code->insns[row].offset;
}

static bool code__report(struct screen *base, struct report *r)
{
	struct code_screen *s = (struct code_screen *)base;
	const struct frame *f = host__frame(base->host);

	if (!s->lines.code || !f || !f->snaps[MODEL_BPF])
		return false;
	s->table = (struct row_table){.columns = code_columns, .ncolumns = ARRAY_SIZE(code_columns),
				      .nrows = s->lines.code->ninsns, .cell = code__cell, .key = code__key};
	*r = (struct report){.view = s->which == BPF_BYTECODE ? "bpf-code" : "bpf-machine-code",
			     .seq = f->seq,
			     .t0_ns = f->snaps[MODEL_BPF]->t0_ns,
			     .t1_ns = f->snaps[MODEL_BPF]->t1_ns,
			     .scope = host__scope(base->host)->text,
			     .window = window__text(WINDOW_LAST),
			     .group = s->prog.name,
			     .health = f->feeds[MODEL_BPF].health,
			     .rows = &s->table};
	report__sum_number(r, "id", VALUE_COUNT, s->prog.id);
	report__sum(r, "note", (struct value){.type = VALUE_TEXT, .s = s->lines.code->note});
	return true;
}

/* --- the screen --- */

static const struct screen_ops code_ops = {
	.section = "bpf-code",
	.free = code__free,
	.update = code__update,
	.draw = code__draw,
	.action = code__action,
	.mouse = code__mouse,
	.crumb = code__crumb,
	.selection = code__selection,
	.search = code__search,
	.report = code__report,
	.settled = code__settled,
	.leads = code__leads,
	.hints = (const enum action[]){ACTION_MACHINE_CODE, ACTION_SOURCE, ACTION_MAPS, ACTION_BACK, ACTION_NONE},
};

struct screen *bpf_code__open(struct host *h, const struct bpf_prog_sample *prog)
{
	struct code_screen *s = xcalloc(1, sizeof(*s));

	s->base = (struct screen){.ops = &code_ops, .host = h};
	s->prog = *prog;
	s->with_source = true;
	return &s->base;
}
