// SPDX-License-Identifier: GPL-2.0-only
/* Where the wall-clock time of a process or thread went: running, runnable, each wait. */
#include <stdio.h>

#include "base/arena.h"
#include "tui/views/offcpu.h"
#include "tui/views/window.h"

struct split_query {
	u32 tgid, tid; /* tid 0: all threads */
	enum time_window window;
};

struct split_screen {
	struct listing list;
	struct split_query query;
};

LISTING_OF(split__of, struct split_screen, split__result, struct split_result)

static struct query_result *split__run(const struct frame *f, const void *query,
				       const struct scope *scope)
{
	const struct split_query *q = query;

	return &waits__split((const void *)f->snaps[MODEL_WAITS], q->tgid, q->tid, q->window)->base;
}

static const char *who(const struct split_query *q, char *buf, size_t size)
{
	if (q->tid)
		snprintf(buf, size, "tid %u of pid %u", q->tid, q->tgid);
	else
		snprintf(buf, size, "pid %u", q->tgid);
	return buf;
}

static void split__headline(struct listing *l, struct headline *line)
{
	const struct split_result *a = split__result(l);
	const struct split_query *q = &split__of(l)->query;
	char text[64];

	headline__addf(line, ROLE_STRONG, "wall-clock time of %s%s%s", a ? a->comm : "",
		       a ? " " : "", who(q, text, sizeof(text)));
	headline__addf(line, ROLE_DIM, " · %s", window__text(q->window));
	if (!a)
		return;
	format__ns(text, sizeof(text), a->span_ns);
	headline__addf(line, ROLE_DIM, " · %s in %u thread%s", text, a->nthreads,
		       a->nthreads == 1 ? "" : "s");
}

/* --- the bar above the parts --- */

/* Sorts of parts in the order of the bar, from what is done to what is idle. */
enum sort { SORT_RUNNING, SORT_RUNNABLE, SORT_WAIT, SORT_UNKNOWN, SORT_IDLE, SORTS };

static enum sort sort_of(const struct split_part *p)
{
	if (p->class == CLASS_IDLE)
		return SORT_IDLE;
	if (p->reason < WAIT_REASONS)
		return p->reason == WAIT_UNKNOWN ? SORT_UNKNOWN : SORT_WAIT;
	return strcmp(p->name, "running") ? SORT_RUNNABLE : SORT_RUNNING;
}

/* Time on a CPU is green, waiting for one yellow; the rest as in the table of waits. */
static enum role part_role(const struct split_part *p)
{
	static const enum role roles[SORTS] = {[SORT_RUNNING] = ROLE_OK,
					       [SORT_RUNNABLE] = ROLE_WARM,
					       [SORT_UNKNOWN] = ROLE_DIM,
					       [SORT_IDLE] = ROLE_DIM};
	enum sort sort = sort_of(p);

	return sort == SORT_WAIT ? offcpu__reason_role(p->reason, p->class) : roles[sort];
}

/* Told apart without colours too. */
static wchar_t part_fill(const struct split_part *p, bool ascii)
{
	return ascii ? L"=~#?."[sort_of(p)] : L"▓▒█░·"[sort_of(p)];
}

/* All parts end to end, as long as they lasted, with their names below where there is room. */
static void draw_bar(const struct split_result *a, struct canvas *c, struct rect r)
{
	double sum = 0;
	int from = 0, to;

	for (u32 k = 0; k < SORTS * a->nparts; k++) {
		const struct split_part *p = &a->parts[k % a->nparts];

		if (sort_of(p) != k / a->nparts)
			continue;
		sum += p->pct;
		to = MIN((int)(sum * r.w / 100 + 0.5), r.w);
		draw__fill(c, (struct rect){r.x + from, r.y, to - from, 1}, part_role(p),
			   part_fill(p, c->ascii));
		if (to - from > text__width(p->name))
			draw__text(c, r.x + from, r.y + 1, to - from - 1, part_role(p), p->name);
		from = to;
	}
}

static int split__above(struct listing *l, struct canvas *c, struct rect area)
{
	const struct split_result *a = split__result(l);

	if (!a->nparts || area.h < 6)
		return 0;
	draw_bar(a, c, area);
	return 3;
}

/* --- rows --- */

static void split__empty(const struct listing *l, char *buf, size_t size)
{
	const struct host *h = l->base.host;
	char key[16], text[64];

	if (listing__waiting(l, &offcpu_words, buf, size))
		return;
	snprintf(buf, size, "nothing was seen of %s in this window (%s widens it)",
		 who(&split__of(l)->query, text, sizeof(text)),
		 host__key(h, ACTION_WINDOW, key, sizeof(key)));
}

static enum role split__role(const struct listing *l, u32 row, u32 column)
{
	const struct column *c = &l->result->table.columns[column];

	if (!(c->flags & (COLUMN_KEY | COLUMN_BAR)))
		return ROLE_TEXT;
	return part_role(&split__result(l)->parts[row]);
}

static void split__selection(const struct listing *l, struct listing_place at, char *buf,
			     size_t size)
{
	const struct split_part *p = &split__result(l)->parts[at.row];

	snprintf(buf, size, "%.2f%% %s%s%s", p->pct, p->name, p->reason < WAIT_REASONS ? ": " : "",
		 p->reason < WAIT_REASONS ? wait_reasons[p->reason].help : "");
}

static void split__report(const struct query_result *base, const struct frame *f, struct report *r)
{
	const struct split_result *a = container_of(base, struct split_result, base);

	r->view = "offcpu-wall";
	r->window = "";
	r->group = "part";
	r->health = f->feeds[MODEL_WAITS].health;
	report__sum(r, "comm", (struct value){.type = VALUE_TEXT, .s = a->comm});
	report__sum_number(r, "pid", VALUE_COUNT, a->tgid);
	report__sum_number(r, "tid", VALUE_COUNT, a->tid);
	report__sum_number(r, "threads", VALUE_COUNT, a->nthreads);
	report__sum_number(r, "span_ns", VALUE_NS, a->span_ns);
}

static const struct listing_ops split_listing = {
	.ask = {.size = sizeof(struct split_query), .model = MODEL_WAITS, .run = split__run},
	.at.window = LISTING_AT(struct split_query, window),
	.headline = split__headline,
	.above = split__above,
	.empty = split__empty,
	.cell_role = split__role,
	.selection = split__selection,
	.report = split__report,
};

/* --- the screen --- */

static bool split__action(struct screen *base, enum action a)
{
	if (a != ACTION_WALL)
		return listing__action(base, a);
	host__pop(base->host);
	return true;
}

static const struct screen_ops split_ops = {
	LISTING_SCREEN,
	.section = "wall",
	.free = listing__free,
	.action = split__action,
	.hints = (const enum action[]){ACTION_WALL, ACTION_WINDOW, ACTION_PAUSE, ACTION_SNAPSHOT,
				       ACTION_NONE},
};

struct screen *offcpu_split__open(struct host *h, u32 tgid, u32 tid, enum time_window window)
{
	struct split_screen *s = xcalloc(1, sizeof(*s));

	s->query = (struct split_query){.tgid = tgid, .tid = tid, .window = window};
	s->list.base = (struct screen){.ops = &split_ops, .host = h};
	copy_str(s->list.narrowed, sizeof(s->list.narrowed), "wall clock");
	listing__init(&s->list, h, &split_listing, &s->query);
	return &s->list.base;
}
