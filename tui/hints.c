/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/hints.h"

#include <stdio.h>

#include "tui/app.h"

static const struct row_hint {
	const char *where, *group;
	enum action action;
	const char *text;
} row_hints[] = {
#define ROW_HINT(where, group, action, text) {where, group, ACTION_##action, text},
#include "tui/hints.def"
#undef ROW_HINT
};

struct hint_line {
	const struct host *host;
	struct hint *v;
	u32 n;
	int w, used;
};

static bool has(const struct hint_line *l, enum action a)
{
	for (u32 i = 0; i < l->n; i++)
		if (l->v[i].action == a)
			return true;
	return false;
}

/* Once, when it has a key and fits. */
static void add(struct hint_line *l, enum action a, const char *text)
{
	struct hint hint = {.action = a, .x = l->used};

	if (l->n == HINTS_MAX || has(l, a) || !*host__key(l->host, a, hint.key, sizeof(hint.key)))
		return;
	copy_str(hint.text, sizeof(hint.text), text);
	hint.w = text__width(hint.key) + 1 + text__width(hint.text);
	if (l->used + hint.w > l->w)
		return;
	l->v[l->n++] = hint;
	l->used += hint.w + HINT_GAP;
}

static void add_all(struct hint_line *l, const enum action *list)
{
	for (; list && *list != ACTION_NONE; list++)
		add(l, *list, action_table[*list].name);
}

static bool is_here(const struct host *h, const char *where)
{
	const char *sections[4];

	app__sections(h, sections);
	for (u32 i = 0; sections[i]; i++)
		if (!strcmp(sections[i], where))
			return true;
	return false;
}

/* What keys do to the row under the cursor. */
static void add_row(struct hint_line *l)
{
	struct screen *s = app__screen(l->host);
	const char *group = s->ops->grouped ? s->ops->grouped(s) : NULL;
	char text[128] = "";

	if (s->ops->leads)
		s->ops->leads(s, text, sizeof(text));
	if (*text)
		add(l, ACTION_DRILL, text);
	if (!group)
		return;
	for (u32 i = 0; i < ARRAY_SIZE(row_hints); i++)
		if (is_here(l->host, row_hints[i].where) &&
		    (!*row_hints[i].group || !strcmp(row_hints[i].group, group)))
			add(l, row_hints[i].action, row_hints[i].text);
	if (s->ops->watched && s->ops->watched(s, text, sizeof(text)))
		add(l, ACTION_WATCH, "watch its address");
}

/* Cells that some take, if all of them have keys. */
static int width_of(const struct hint_line *l, const enum action *list)
{
	char key[16];
	int w = 0;

	for (; *list != ACTION_NONE; list++)
		if (*host__key(l->host, *list, key, sizeof(key)))
			w += text__width(key) + 1 + text__width(action_table[*list].name) + HINT_GAP;
	return w;
}

u32 hints__make(const struct host *h, int w, struct hint out[HINTS_MAX])
{
	static const enum action always[] = {ACTION_HELP, ACTION_PALETTE, ACTION_QUIT, ACTION_NONE};
	static const enum action time_travel[] = {ACTION_STEP_BACK, ACTION_STEP_FORWARD,
						  ACTION_RANGE, ACTION_NOW, ACTION_NONE};
	static const enum action sorting[] = {ACTION_SORT_NEXT, ACTION_NONE};
	const struct screen_ops *s = app__screen(h)->ops;
	struct hint_line l = {.host = h, .v = out};

	l.w = w - width_of(&l, always);
	add_row(&l);
	l.w = w;
	add_all(&l, always);
	if (time_travel__plays(h))
		add_all(&l, time_travel);
	if (s->rows && s->choose)
		add_all(&l, sorting);
	add_all(&l, s->hints);
	return l.n;
}
