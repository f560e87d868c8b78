// SPDX-License-Identifier: GPL-2.0-only
#include "tui/views/code_lines.h"

#include "base/arena.h"
#include "widgets/paragraph.h"

/* --- what they are --- */

static void add(struct code_lines *l, u32 insn, enum code_line_kind kind)
{
	l->v[l->n++] = (struct code_line){insn, kind};
}

void code_lines__build(struct code_lines *l, code_lines__begins function, code_lines__begins source)
{
	const struct annotated_insn *insns = l->code->insns;
	u32 kept = l->n ? l->v[MIN(l->selected, l->n - 1)].insn : 0;

	l->v = xrealloc(l->v, sizeof(*l->v) * 3 * (l->code->ninsns + 1));
	l->n = l->selected = 0;
	for (u32 i = 0; i < l->code->ninsns; i++) {
		if (function && function(insns, i))
			add(l, i, CODE_LINE_FUNCTION);
		if (source && source(insns, i))
			add(l, i, CODE_LINE_SOURCE);
		if (i == kept)
			l->selected = l->n;
		add(l, i, CODE_LINE_INSN);
	}
}

void code_lines__drop(struct code_lines *l)
{
	if (l->code)
		annotation__put(l->code);
	l->code = NULL;
	l->n = l->selected = l->top = 0;
}

void code_lines__fini(struct code_lines *l)
{
	code_lines__drop(l);
	free(l->v);
}

const struct annotated_insn *code_lines__selected(const struct code_lines *l)
{
	return l->n ? &l->code->insns[l->v[l->selected].insn] : NULL;
}

void code_lines__select(struct code_lines *l, u32 insn)
{
	for (u32 i = 0; i < l->n; i++)
		if (l->v[i].kind == CODE_LINE_INSN && l->v[i].insn == insn)
			l->selected = i;
}

/* --- what they look like --- */

const char *code_line__file(const struct annotated_insn *in)
{
	const char *slash = strrchr(in->file, '/');

	return slash ? slash + 1 : in->file;
}

static void scroll(struct code_lines *l, u32 h)
{
	l->selected = MIN(l->selected, l->n - 1);
	if (l->selected < l->top || l->selected >= l->top + h)
		l->top = l->selected > h / 2 ? l->selected - h / 2 : 0;
	if (l->top + h > l->n)
		l->top = l->n > h ? l->n - h : 0;
}

struct rect code_lines__draw(struct code_lines *l, struct canvas *c, struct rect r, const char *waiting,
			     void (*draw)(void *ctx, const struct code_line *line, struct canvas *c, struct rect r),
			     void *ctx)
{
	if (l->code && *l->code->note) {
		int used = draw__paragraph(c, (struct rect){r.x + 1, r.y, r.w - 2, 3}, ROLE_WARN, l->code->note);

		r.y += used;
		r.h -= used;
	}
	if (!l->code)
		draw__text(c, r.x + 1, r.y, r.w, ROLE_TEXT, waiting);
	if (!l->n || r.h <= 0)
		return r;
	scroll(l, (u32)r.h);
	for (u32 i = l->top; i < l->n && i < l->top + (u32)r.h; i++) {
		struct rect line = {r.x, r.y + (int)(i - l->top), r.w, 1};

		draw(ctx, &l->v[i], c, line);
		if (i == l->selected)
			draw__select(c, line.x, line.y, line.w);
	}
	l->body = r;
	return r;
}

/* --- what is done with them --- */

static bool move_to(struct code_lines *l, s64 line)
{
	if (l->n)
		l->selected = (u32)CLAMP(line, 0, (s64)l->n - 1);
	return true;
}

static const char *text_of(const struct code_lines *l, u32 line)
{
	const struct annotated_insn *in = &l->code->insns[l->v[line].insn];

	switch (l->v[line].kind) {
	case CODE_LINE_FUNCTION: return in->inlined;
	case CODE_LINE_SOURCE: return in->source;
	default: return in->text;
	}
}

static bool find(struct code_lines *l, int dir)
{
	for (u32 i = 1; l->search[0] && i <= l->n; i++) {
		u32 line = (l->selected + (dir > 0 ? i : l->n - i)) % l->n;
		const char *text = text_of(l, line);

		if (text && strcasestr(text, l->search))
			return move_to(l, line);
	}
	return false;
}

bool code_lines__action(struct code_lines *l, enum action a)
{
	s64 line = l->selected;

	switch (a) {
	case ACTION_UP: return move_to(l, line - 1);
	case ACTION_DOWN: return move_to(l, line + 1);
	case ACTION_PAGE_UP: return move_to(l, line - l->body.h);
	case ACTION_PAGE_DOWN: return move_to(l, line + l->body.h);
	case ACTION_HOME: return move_to(l, 0);
	case ACTION_END: return move_to(l, INT32_MAX);
	case ACTION_SEARCH_NEXT: return find(l, 1);
	case ACTION_SEARCH_PREVIOUS: return find(l, -1);
	default: return false;
	}
}

void code_lines__mouse(struct code_lines *l, const struct input *in)
{
	if (in->mouse == MOUSE_WHEEL_UP || in->mouse == MOUSE_WHEEL_DOWN)
		move_to(l, (s64)l->selected + (in->mouse == MOUSE_WHEEL_UP ? -3 : 3));
	else if (in->y >= l->body.y && in->y < l->body.y + l->body.h)
		move_to(l, (s64)l->top + in->y - l->body.y);
}

bool code_lines__search(struct code_lines *l, const char *text, int dir)
{
	copy_str(l->search, sizeof(l->search), text);
	return find(l, dir);
}
