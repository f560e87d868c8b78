/* SPDX-License-Identifier: GPL-2.0-only */
/* View log: what libraries and threads had to say; nothing else reaches the terminal. */
#include <stdio.h>

#include "base/arena.h"
#include "base/log.h"
#include "tui/view.h"

#define TABLES_MIN_W 92 /* for both ends of the header */

struct log_screen {
	struct screen base;
	struct log_line lines[LOG_LINES];
	u32 nlines;
	u64 seen;  /* log__total() when they were copied */
	u32 below; /* lines between the last one shown and the end; 0 follows */
	char search[128];
	int page;
};

static void log__update(struct screen *base)
{
	struct log_screen *s = (struct log_screen *)base;
	u64 total = log__total();

	if (total == s->seen)
		return;
	if (s->below)
		s->below = (u32)MIN(s->below + total - s->seen, (u64)LOG_LINES - 1);
	s->seen = total;
	s->nlines = log__copy(s->lines, LOG_LINES);
	host__redraw(base->host);
}

static void log__free(struct screen *base)
{
	free(base);
}

/* What unwind tables take of the memory they may have, at the right end. */
static void draw_tables(const struct host *h, struct canvas *c, struct rect area)
{
	const struct frame *f = host__frame(h);
	const struct health_stacks *s = NULL;
	char text[96];

	/* The same in all that are live. */
	for (u32 m = 0; f && m < MODEL_COUNT; m++)
		if (!s || f->feeds[m].health.stacks.tables > s->tables)
			s = &f->feeds[m].health.stacks;
	if (!s || !s->tables || area.w < TABLES_MIN_W)
		return;
	snprintf(text, sizeof(text), "%llu unwind tables, %.1f of %llu MiB",
		 (unsigned long long)s->tables, (double)s->bytes / (1 << 20),
		 (unsigned long long)(s->budget >> 20));
	draw__right(c, area.x, area.y, area.w, ROLE_HEADER, text);
}

static void log__draw(struct screen *base, struct canvas *c, struct rect area)
{
	static const enum role roles[] = {ROLE_TEXT, ROLE_WARN, ROLE_BAD};
	static const char *const names[] = {"info ", "WARN ", "ERROR"};
	struct log_screen *s = (struct log_screen *)base;
	u32 h = (u32)MAX(area.h - 1, 1), end, first;

	s->page = (int)h;
	s->below = MIN(s->below, s->nlines > h ? s->nlines - h : 0);
	end = s->nlines - s->below;
	first = end > h ? end - h : 0;
	draw__textf(c, area.x, area.y, area.w, ROLE_HEADER, "%10s  level  message (%u lines%s)",
		    "uptime s", s->nlines, s->below ? ", End follows" : "");
	draw_tables(base->host, c, area);
	if (!s->nlines)
		draw__text(c, area.x + 1, area.y + 1, area.w, ROLE_TEXT, "nothing was logged yet");
	for (u32 i = first; i < end; i++) {
		const struct log_line *l = &s->lines[i];
		int y = area.y + 1 + (int)(i - first);
		int x = draw__textf(c, area.x, y, area.w, ROLE_DIM, "%10.3f  ", (double)l->t_ns / 1e9);

		x += draw__textf(c, area.x + x, y, area.w - x, roles[l->level], "%s  ", names[l->level]);
		draw__text(c, area.x + x, y, area.w - x,
			   s->search[0] && strcasestr(l->text, s->search) ? ROLE_MATCH : ROLE_TEXT, l->text);
	}
}

static bool scroll(struct log_screen *s, s64 lines)
{
	s->below = (u32)CLAMP((s64)s->below + lines, 0, (s64)s->nlines);
	return true;
}

/* The next line with the text, upward (dir < 0: downward) from the last one shown, which comes
 * last. */
static bool log__find(struct log_screen *s, int dir)
{
	for (u32 n = 1; n <= s->nlines; n++) {
		u32 below = (s->below + (dir > 0 ? n : s->nlines - n)) % s->nlines;

		if (!strcasestr(s->lines[s->nlines - 1 - below].text, s->search))
			continue;
		s->below = below;
		return true;
	}
	return false;
}

static bool log__search(struct screen *base, const char *text, int dir)
{
	struct log_screen *s = (struct log_screen *)base;

	copy_str(s->search, sizeof(s->search), text);
	return log__find(s, dir);
}

static bool log__action(struct screen *base, enum action a)
{
	struct log_screen *s = (struct log_screen *)base;

	switch (a) {
	case ACTION_UP: return scroll(s, 1);
	case ACTION_DOWN: return scroll(s, -1);
	case ACTION_PAGE_UP: return scroll(s, s->page);
	case ACTION_PAGE_DOWN: return scroll(s, -s->page);
	case ACTION_HOME: return scroll(s, LOG_LINES);
	case ACTION_END: return scroll(s, -LOG_LINES);
	case ACTION_SEARCH_NEXT: return s->search[0] && log__find(s, 1);
	case ACTION_SEARCH_PREVIOUS: return s->search[0] && log__find(s, -1);
	default: return false;
	}
}

static void log__mouse(struct screen *base, const struct input *in)
{
	if (in->mouse == MOUSE_WHEEL_UP || in->mouse == MOUSE_WHEEL_DOWN)
		scroll((struct log_screen *)base, in->mouse == MOUSE_WHEEL_UP ? 3 : -3);
}

static void log__crumb(const struct screen *base, char *buf, size_t size)
{
	copy_str(buf, size, "");
}

static const struct screen_ops log_ops = {
	.section = "log",
	.free = log__free,
	.update = log__update,
	.draw = log__draw,
	.action = log__action,
	.mouse = log__mouse,
	.crumb = log__crumb,
	.search = log__search,
	.hints = (const enum action[]){ACTION_SEARCH, ACTION_HOME, ACTION_END, ACTION_NONE},
};

static struct screen *log__open(const struct view_ops *v, struct host *h,
				const struct view_args *args)
{
	struct log_screen *s = xcalloc(1, sizeof(*s));

	s->base = (struct screen){.ops = &log_ops, .host = h};
	return &s->base;
}

const struct view_ops view_log = {
	.name = "log",
	.title = "log: what libraries and threads had to say",
	.feed = MODEL_PROFILE,
	.terms = SCOPE_TERMS_ALL, /* no tasks in it */
	.groups = "",
	.open = log__open,
};
