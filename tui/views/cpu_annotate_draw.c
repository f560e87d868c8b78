// SPDX-License-Identifier: GPL-2.0-only
/* What an annotated function looks like. */
#include <stdio.h>

#include "tui/views/cpu_annotate.h"
#include "widgets/spark.h"

static void draw_source(const struct annotated_insn *in, struct canvas *c, struct rect r)
{
	char where[200];
	int x = r.x + 10;

	snprintf(where, sizeof(where), "%s:%u ", code_line__file(in), in->line);
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
	const struct annotated_insn *in = &s->lines.code->insns[i];
	int bar = r.w >= 70 ? 8 : 0, x = r.x + 8;
	char text[16] = "";

	if (s->pct[i] > 0)
		format__pct(text, sizeof(text), s->pct[i]);
	draw__right(c, r.x, r.y, 7, heat(s->pct[i]), text);
	bar__draw(c, x, r.y, bar, heat(s->pct[i]), s->pct[i] / 100);
	x += bar ? bar + 1 : 0;
	x += draw__textf(c, x, r.y, r.w - (x - r.x), ROLE_DIM,
			 annotate__is_script(s) ? "%8llu  " : "%8llx  ",
			 (unsigned long long)in->offset);
	draw__text(c, x, r.y, r.w - (x - r.x), s->pct[i] > 0 ? ROLE_STRONG : ROLE_TEXT, in->text);
}

static void draw_line(void *ctx, const struct code_line *l, struct canvas *c, struct rect r)
{
	const struct annotate_screen *s = ctx;

	if (l->kind == CODE_LINE_SOURCE)
		draw_source(&s->lines.code->insns[l->insn], c, r);
	else
		draw_insn(s, l->insn, c, r);
}

/* Without the code there are still the sampled addresses, by offset in the function. */
static void draw_offsets(const struct annotate_screen *s, struct canvas *c, struct rect r)
{
	const struct sym_func *f = symbols__func(host__symbols(s->base.host), s->query.focus);
	char text[16];

	for (int i = 0; i < r.h && i < (int)s->result->noffsets; i++) {
		const struct offset_weight *w = &s->result->offsets[i];

		format__pct(text, sizeof(text), w->pct);
		draw__right(c, r.x, r.y + i, 7, heat(w->pct), text);
		bar__draw(c, r.x + 8, r.y + i, 8, heat(w->pct), w->pct / 100);
		if (annotate__is_script(s))
			draw__textf(c, r.x + 17, r.y + i, r.w - 17, ROLE_TEXT, "line %llu",
				    (unsigned long long)w->offset);
		else
			draw__textf(c, r.x + 17, r.y + i, r.w - 17, ROLE_TEXT, "+0x%llx",
				    (unsigned long long)(w->offset - f->start));
	}
}

static void headline(const struct annotate_screen *s, struct canvas *c, struct rect r)
{
	const struct symbols *symbols = host__symbols(s->base.host);
	const struct sym_func *f = symbols__func(symbols, s->query.focus);
	const struct profile_rows *rows = s->result ? s->result->rows : NULL;
	int x = r.x;

	x += draw__middle(c, x, r.y, MAX(r.w - 40, 10), ROLE_TITLE, f->name);
	if (rows)
		x += draw__textf(c, x, r.y, r.w - (x - r.x), ROLE_STRONG, "  self %.2f%%, %llu samples",
				 rows->focus_self_pct, (unsigned long long)rows->focus_self);
	draw__textf(c, x, r.y, r.w - (x - r.x), ROLE_DIM, "  %s",
		    symbols__object(symbols, f->object)->name);
}

/* What rows are, and their shares. */
static const char *rows_text(const struct annotate_screen *s)
{
	const struct symbols *symbols = host__symbols(s->base.host);
	const struct sym_func *f = symbols__func(symbols, s->query.focus);

	if (symbols__object(symbols, f->object)->kind == CODE_JAVASCRIPT)
		return "line; what V8 has not optimised counts at its function's first one";
	return annotate__is_script(s) ? "line; the share is of this function's own samples"
				      : "instruction; the share is of this function's own samples";
}

void annotate__draw(struct screen *base, struct canvas *c, struct rect area)
{
	struct annotate_screen *s = (struct annotate_screen *)base;
	struct rect body = {area.x, area.y + 2, area.w, area.h - 2};

	if (area.h < 4)
		return;
	headline(s, c, area);
	draw__textf(c, area.x, area.y + 1, area.w, ROLE_HEADER, "%7s  %s", "self%", rows_text(s));
	body = code_lines__draw(&s->lines, c, body, "disassembling ...", draw_line, s);
	if (s->lines.code && !s->lines.n && s->result)
		draw_offsets(s, c, body);
}
