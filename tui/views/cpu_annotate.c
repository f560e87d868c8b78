/* SPDX-License-Identifier: GPL-2.0-only */
/* Annotated function: instructions with their share, source lines and inlined functions. */
#include <stdio.h>

#include "core/arena.h"
#include "tui/views/cpu.h"
#include "tui/views/window.h"
#include "widgets/paragraph.h"
#include "widgets/spark.h"

/* The function's samples by offset; of the rows its sums. */
struct code_answer {
	struct answer base; /* without rows of its own */
	struct profile_rows *rows;
	struct offset_weight *offsets;
	u32 noffsets;
};

/* A line of the screen: an instruction, or the source line that begins before it. */
struct code_line {
	u32 insn;
	bool source;
};

struct annotate_screen {
	struct screen base;
	struct profile_query query;
	struct asker asker;
	struct code_answer *answer;
	const struct annotation *code;
	double *pct;	 /* per instruction, of the function's self weight */
	u32 *order;	 /* instructions by share, heaviest first, those above 0 only */
	u32 norder;
	struct code_line *lines;
	u32 nlines;
	bool with_source;
	u32 selected, top; /* lines */
	bool placed;	   /* the cursor was put on the hottest line once */
	struct rect body;
	char search[128];
	struct row_table table; /* the instructions as rows, for snapshots */
};

static void code_answer__free(struct answer *base)
{
	struct code_answer *a = (struct code_answer *)base;

	profile_rows__free(a->rows);
	free(a->offsets);
	free(a);
}

static struct answer *annotate__run(const struct frame *f, const void *query,
				    const struct scope *scope)
{
	const struct profile_snap *snap = (const void *)f->snaps[MODEL_PROFILE];
	const struct profile_query *q = query;
	struct code_answer *a = xcalloc(1, sizeof(*a));

	a->rows = profile__query(snap, q, scope);
	a->noffsets = profile__offsets(snap, q, scope, q->focus, &a->offsets);
	a->base.unresolved = a->rows->base.unresolved;
	a->base.free = code_answer__free;
	return &a->base;
}

static const struct asker_ops annotate_ask = {
	.size = sizeof(struct profile_query), .model = MODEL_PROFILE, .run = annotate__run};

static void annotate__free(struct screen *base)
{
	struct annotate_screen *s = (struct annotate_screen *)base;

	asker__fini(&s->asker);
	if (s->answer)
		answer__free(&s->answer->base);
	if (s->code)
		annotation__put(s->code);
	free(s->pct);
	free(s->order);
	free(s->lines);
	free(s);
}

/* --- what the lines are --- */

static bool new_source_line(const struct annotated_insn *insns, u32 i)
{
	if (!insns[i].file || !insns[i].line)
		return false;
	return i == 0 || insns[i - 1].line != insns[i].line || !insns[i - 1].file ||
	       strcmp(insns[i - 1].file, insns[i].file) || !insns[i - 1].inlined != !insns[i].inlined;
}

static void build_lines(struct annotate_screen *s)
{
	u32 insn = s->nlines ? s->lines[MIN(s->selected, s->nlines - 1)].insn : 0;

	s->lines = xrealloc(s->lines, sizeof(*s->lines) * 2 * (s->code->ninsns + 1));
	s->nlines = 0;
	for (u32 i = 0; i < s->code->ninsns; i++) {
		if (s->with_source && new_source_line(s->code->insns, i))
			s->lines[s->nlines++] = (struct code_line){i, true};
		if (i == insn)
			s->selected = s->nlines;
		s->lines[s->nlines++] = (struct code_line){i, false};
	}
}

/* Adds each sampled offset to the instruction that contains it. */
static void spread_weights(struct annotate_screen *s)
{
	const struct annotation *code = s->code;
	u32 i = 0;

	memset(s->pct, 0, sizeof(*s->pct) * code->ninsns);
	for (u32 k = 0; k < s->answer->noffsets; k++) {
		const struct offset_weight *w = &s->answer->offsets[k];

		while (i < code->ninsns && code->insns[i].offset + code->insns[i].size <= w->offset)
			i++;
		if (i < code->ninsns && w->offset >= code->insns[i].offset)
			s->pct[i] += w->pct;
	}
}

static void rank_lines(struct annotate_screen *s)
{
	s->norder = 0;
	for (u32 i = 0; i < s->code->ninsns; i++) {
		u32 k = s->norder;

		if (s->pct[i] <= 0)
			continue;
		/* Insertion: few instructions carry samples. */
		for (s->norder++; k && s->pct[s->order[k - 1]] < s->pct[i]; k--)
			s->order[k] = s->order[k - 1];
		s->order[k] = i;
	}
}

static void select_insn(struct annotate_screen *s, u32 insn)
{
	for (u32 i = 0; i < s->nlines; i++)
		if (!s->lines[i].source && s->lines[i].insn == insn)
			s->selected = i;
}

static void weigh(struct annotate_screen *s)
{
	if (!s->code || !s->answer || !s->code->ninsns)
		return;
	spread_weights(s);
	rank_lines(s);
	if (!s->placed && s->norder) {
		select_insn(s, s->order[0]);
		s->placed = true;
	}
}

static void annotate__ready(void *owner, struct answer *answer)
{
	struct annotate_screen *s = owner;

	if (s->answer)
		answer__free(&s->answer->base);
	s->answer = container_of(answer, struct code_answer, base);
	weigh(s);
	host__redraw(s->base.host);
}

static void annotate__update(struct screen *base)
{
	struct annotate_screen *s = (struct annotate_screen *)base;

	if (!s->code) {
		s->code = symbols__annotate(host__symbols(base->host), s->query.focus);
		if (s->code) {
			s->pct = xcalloc(s->code->ninsns + 1, sizeof(*s->pct));
			s->order = xcalloc(s->code->ninsns + 1, sizeof(*s->order));
			build_lines(s);
			weigh(s);
		}
	}
	asker__ask(&s->asker, &s->query);
}

/* --- drawing --- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void draw_source(const struct annotated_insn *in, struct canvas *c, struct rect r)
{
	char where[200];
	int x = r.x + 10;

	snprintf(where, sizeof(where), "%s:%u ", base_name(in->file), in->line);
	x += draw__text(c, x, r.y, r.w - 10, ROLE_DIM, where);
	if (in->inlined)
		x += draw__textf(c, x, r.y, r.w - (x - r.x), ROLE_INLINED, "[inlined %s] ",
				 in->inlined);
	draw__text(c, x, r.y, r.w - (x - r.x), ROLE_STRONG, in->source ? in->source : "");
}

static enum role heat(double pct)
{
	return pct >= 10 ? ROLE_HOT : pct >= 1 ? ROLE_WARM : pct > 0 ? ROLE_COOL : ROLE_DIM;
}

static void draw_insn(const struct annotate_screen *s, u32 i, struct canvas *c, struct rect r)
{
	const struct annotated_insn *in = &s->code->insns[i];
	int bar = r.w >= 70 ? 8 : 0, x = r.x + 8;
	char text[16] = "";

	if (s->pct[i] > 0)
		format__pct(text, sizeof(text), s->pct[i]);
	draw__right(c, r.x, r.y, 7, heat(s->pct[i]), text);
	bar__draw(c, x, r.y, bar, heat(s->pct[i]), s->pct[i] / 100);
	x += bar ? bar + 1 : 0;
	x += draw__textf(c, x, r.y, r.w - (x - r.x), ROLE_DIM, "%8llx  ",
			 (unsigned long long)in->offset);
	draw__text(c, x, r.y, r.w - (x - r.x), s->pct[i] > 0 ? ROLE_STRONG : ROLE_TEXT, in->text);
}

static void annotate__body(struct annotate_screen *s, struct canvas *c, struct rect r)
{
	u32 h = (u32)r.h;

	s->selected = MIN(s->selected, s->nlines - 1);
	if (s->selected < s->top || s->selected >= s->top + h)
		s->top = s->selected > h / 2 ? s->selected - h / 2 : 0;
	if (s->top + h > s->nlines)
		s->top = s->nlines > h ? s->nlines - h : 0;
	for (u32 i = s->top; i < s->nlines && i < s->top + h; i++) {
		struct rect line = {r.x, r.y + (int)(i - s->top), r.w, 1};

		if (s->lines[i].source)
			draw_source(&s->code->insns[s->lines[i].insn], c, line);
		else
			draw_insn(s, s->lines[i].insn, c, line);
		if (i == s->selected)
			draw__select(c, line.x, line.y, line.w);
	}
	s->body = r;
}

/* Without the code there are still the sampled addresses, by offset in the function. */
static void draw_offsets(const struct annotate_screen *s, struct canvas *c, struct rect r)
{
	const struct sym_func *f = symbols__func(host__symbols(s->base.host), s->query.focus);
	char text[16];

	for (int i = 0; i < r.h && i < (int)s->answer->noffsets; i++) {
		const struct offset_weight *w = &s->answer->offsets[i];

		format__pct(text, sizeof(text), w->pct);
		draw__right(c, r.x, r.y + i, 7, heat(w->pct), text);
		bar__draw(c, r.x + 8, r.y + i, 8, heat(w->pct), w->pct / 100);
		draw__textf(c, r.x + 17, r.y + i, r.w - 17, ROLE_TEXT, "+0x%llx",
			    (unsigned long long)(w->offset - f->start));
	}
}

static void headline(const struct annotate_screen *s, struct canvas *c, struct rect r)
{
	const struct symbols *symbols = host__symbols(s->base.host);
	const struct sym_func *f = symbols__func(symbols, s->query.focus);
	const struct profile_rows *rows = s->answer ? s->answer->rows : NULL;
	int x = r.x;

	x += draw__middle(c, x, r.y, MAX(r.w - 40, 10), ROLE_TITLE, f->name);
	if (rows)
		x += draw__textf(c, x, r.y, r.w - (x - r.x), ROLE_STRONG, "  self %.2f%%, %llu samples",
				 rows->focus_self_pct, (unsigned long long)rows->focus_self);
	draw__textf(c, x, r.y, r.w - (x - r.x), ROLE_DIM, "  %s",
		    symbols__object(symbols, f->object)->name);
}

static void annotate__draw(struct screen *base, struct canvas *c, struct rect area)
{
	struct annotate_screen *s = (struct annotate_screen *)base;
	struct rect body = {area.x, area.y + 2, area.w, area.h - 2};
	const char *note = s->code ? s->code->note : "";

	if (area.h < 4)
		return;
	headline(s, c, area);
	draw__textf(c, area.x, area.y + 1, area.w, ROLE_HEADER, "%7s  %s", "self%",
		    "instruction; the share is of this function's own samples");
	if (*note) {
		int used = draw__paragraph(c, (struct rect){body.x + 1, body.y, body.w - 2, 3},
					   ROLE_WARN, note);
		body.y += used;
		body.h -= used;
	}
	if (!s->code)
		draw__text(c, body.x + 1, body.y, body.w, ROLE_TEXT, "disassembling ...");
	else if (s->nlines && body.h > 0)
		annotate__body(s, c, body);
	else if (s->answer)
		draw_offsets(s, c, body);
}

/* --- actions --- */

static bool move_to(struct annotate_screen *s, s64 line)
{
	if (s->nlines)
		s->selected = (u32)CLAMP(line, 0, (s64)s->nlines - 1);
	return true;
}

/* From the present instruction's rank to the next hotter or colder one; from an instruction
 * without samples to the hottest. */
static bool jump_hot(struct annotate_screen *s, int dir)
{
	u32 insn, rank;

	if (!s->norder) {
		host__message(s->base.host, ROLE_WARN, "no samples fell into this function here");
		return true;
	}
	insn = s->lines[s->selected].insn;
	for (rank = 0; rank < s->norder && s->order[rank] != insn; rank++)
		;
	rank = rank == s->norder ? 0 : (rank + s->norder + (u32)dir) % s->norder;
	select_insn(s, s->order[rank]);
	host__message(s->base.host, ROLE_DIM, "hot line %u of %u", rank + 1, s->norder);
	return true;
}

/* Follows a jump within the function, or a call to another one is left to the callees. */
static bool follow(struct annotate_screen *s)
{
	u64 target;

	if (!s->nlines)
		return true;
	target = s->code->insns[s->lines[s->selected].insn].target;
	for (u32 i = 0; target && i < s->code->ninsns; i++) {
		if (s->code->insns[i].offset != target)
			continue;
		select_insn(s, i);
		return true;
	}
	host__message(s->base.host, ROLE_DIM, "no jump within this function here");
	return true;
}

static bool find(struct annotate_screen *s, int dir)
{
	for (u32 i = 1; s->search[0] && i <= s->nlines; i++) {
		u32 line = (s->selected + (dir > 0 ? i : s->nlines - i)) % s->nlines;
		const struct annotated_insn *in = &s->code->insns[s->lines[line].insn];
		const char *hay = s->lines[line].source ? in->source : in->text;

		if (hay && strcasestr(hay, s->search)) {
			s->selected = line;
			return true;
		}
	}
	return false;
}

static bool annotate__action(struct screen *base, enum action a)
{
	struct annotate_screen *s = (struct annotate_screen *)base;
	s64 line = s->selected;

	switch (a) {
	case ACTION_UP: return move_to(s, line - 1);
	case ACTION_DOWN: return move_to(s, line + 1);
	case ACTION_PAGE_UP: return move_to(s, line - s->body.h);
	case ACTION_PAGE_DOWN: return move_to(s, line + s->body.h);
	case ACTION_HOME: return move_to(s, 0);
	case ACTION_END: return move_to(s, INT32_MAX);
	case ACTION_SEARCH_NEXT: return find(s, 1);
	case ACTION_SEARCH_PREVIOUS: return find(s, -1);
	case ACTION_HOTTEST_NEXT: return jump_hot(s, 1);
	case ACTION_HOTTEST_PREVIOUS: return jump_hot(s, -1);
	case ACTION_DRILL: return follow(s);
	case ACTION_WINDOW: return window__next(s->base.host, &s->query.window);
	case ACTION_SOURCE:
		s->with_source = !s->with_source;
		if (s->code)
			build_lines(s);
		return true;
	default: return false;
	}
}

static void annotate__mouse(struct screen *base, const struct input *in)
{
	struct annotate_screen *s = (struct annotate_screen *)base;

	if (in->mouse == MOUSE_WHEEL_UP || in->mouse == MOUSE_WHEEL_DOWN)
		move_to(s, (s64)s->selected + (in->mouse == MOUSE_WHEEL_UP ? -3 : 3));
	else if (in->y >= s->body.y && in->y < s->body.y + s->body.h)
		move_to(s, (s64)s->top + in->y - s->body.y);
}

static bool annotate__search(struct screen *base, const char *text, int dir)
{
	struct annotate_screen *s = (struct annotate_screen *)base;

	copy_str(s->search, sizeof(s->search), text);
	return find(s, dir);
}

static void annotate__crumb(const struct screen *base, char *buf, size_t size)
{
	copy_str(buf, size, "code");
}

static void annotate__selection(const struct screen *base, char *buf, size_t size)
{
	const struct annotate_screen *s = (const struct annotate_screen *)base;
	const struct annotated_insn *in;

	*buf = '\0';
	if (!s->nlines)
		return;
	in = &s->code->insns[s->lines[s->selected].insn];
	if (!in->file)
		snprintf(buf, size, "no line information here");
	else
		snprintf(buf, size, "%s:%u%s%s", in->file, in->line, in->inlined ? "  inlined " : "",
			 in->inlined ? in->inlined : "");
}

/* --- snapshots: the instructions as rows, or without the code the sampled offsets --- */

enum { CODE_PCT, CODE_OFFSET, CODE_TEXT, CODE_FILE, CODE_LINE, CODE_INLINED, CODE_SOURCE };

static const struct column code_columns[] = {
	{"self_pct", "SELF%", "%", "of the function's own samples", VALUE_PCT, 7, 0, COLUMN_SCREEN | COLUMN_EXPORT},
	{"offset", "OFFSET", "", "in the object", VALUE_COUNT, 10, 0, COLUMN_EXPORT},
	{"instruction", "INSTRUCTION", "", "as disassembled", VALUE_TEXT, 40, 0, COLUMN_SCREEN | COLUMN_EXPORT | COLUMN_KEY},
	{"file", "FILE", "", "source file", VALUE_TEXT, 20, 1, COLUMN_SCREEN | COLUMN_EXPORT},
	{"line", "LINE", "", "source line", VALUE_COUNT, 6, 1, COLUMN_SCREEN | COLUMN_EXPORT},
	{"inlined", "INLINED", "", "innermost inlined function", VALUE_TEXT, 16, 2, COLUMN_SCREEN | COLUMN_EXPORT},
	{"source", "SOURCE", "", "text of the line", VALUE_TEXT, 30, 3, COLUMN_SCREEN | COLUMN_EXPORT},
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
	const struct offset_weight *w = &s->answer->offsets[row];

	*out = (struct value){.type = code_columns[column].type};
	switch (column) {
	case CODE_PCT: out->f = w->pct; return true;
	case CODE_OFFSET: out->u = w->offset; return true;
	default: return false;
	}
}

static u64 offset__key(const struct row_table *t, u32 row)
{
	return container_of(t, struct annotate_screen, table)->answer->offsets[row].offset;
}

static bool code__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct annotate_screen *s = container_of(t, struct annotate_screen, table);
	const struct annotated_insn *in = &s->code->insns[row];

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
	return container_of(t, struct annotate_screen, table)->code->insns[row].offset;
}

static bool annotate__report(struct screen *base, struct report *r)
{
	struct annotate_screen *s = (struct annotate_screen *)base;
	const struct scope *extra = s->asker.extra_scope;
	const struct frame *f = host__frame(base->host);

	if (!s->code || !s->answer || !f)
		return false;
	s->table = (struct row_table){.columns = code_columns, .ncolumns = ARRAY_SIZE(code_columns),
				      .nrows = s->code->ninsns, .cell = code__cell, .key = code__key};
	if (!s->code->ninsns) {
		s->table.nrows = s->answer->noffsets;
		s->table.cell = offset__cell;
		s->table.key = offset__key;
	}
	*r = (struct report){.view = "cpu-code", .seq = f->seq,
			     .t0_ns = s->answer->rows->base.since_ns,
			     .t1_ns = s->answer->rows->base.snap->t1_ns,
			     .scope = extra ? extra->text : host__scope(base->host)->text,
			     .window = window__text(s->answer->rows->query.window),
			     .group = symbols__func(host__symbols(base->host), s->query.focus)->name,
			     .health = f->feeds[MODEL_PROFILE].health, .rows = &s->table};
	return true;
}

static bool annotate__settled(const struct screen *base)
{
	const struct annotate_screen *s = (const struct annotate_screen *)base;

	return s->code && s->answer && !asker__busy(&s->asker);
}

static const enum action annotate_hints[] = {ACTION_HOTTEST_NEXT, ACTION_DRILL, ACTION_SOURCE,
					     ACTION_BACK, ACTION_NONE};

static const struct screen_ops annotate_ops = {
	.section = "annotate",
	.free = annotate__free,
	.update = annotate__update,
	.draw = annotate__draw,
	.action = annotate__action,
	.mouse = annotate__mouse,
	.crumb = annotate__crumb,
	.selection = annotate__selection,
	.search = annotate__search,
	.report = annotate__report,
	.settled = annotate__settled,
	.hints = annotate_hints,
};

struct screen *cpu_annotate__open(struct host *h, const struct profile_query *q, u32 func,
				  const struct scope *extra)
{
	struct annotate_screen *s = xcalloc(1, sizeof(*s));

	s->base = (struct screen){.ops = &annotate_ops, .host = h};
	s->query = *q;
	s->query.focus = func;
	s->with_source = true;
	asker__init(&s->asker, h, &annotate_ask, s, annotate__ready);
	s->asker.extra_scope = extra ? scope__get(extra) : NULL;
	return &s->base;
}
