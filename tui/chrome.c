/* SPDX-License-Identifier: GPL-2.0-only */
/* What frames every view: vital signs above, selection, health and keys below. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/child.h"
#include "base/clock.h"
#include "base/machine.h"
#include "tui/app.h"
#include "tui/hints.h"
#include "tui/tabs.h"
#include "widgets/paragraph.h"
#include "widgets/spark.h"

/* Processes and threads started a second, from which on they may be what keeps a machine busy. */
#define MANY_STARTS 100
#define BAD_LOST_PCT  1.0
#define BUSY_PSI_PCT  10.0

#define STATE_W	    9 /* at the end of the first line */
#define LINE_PIECES 48

/* A lower screen has rows instead of the memory line and the selection line. */
#define LOW_H 12

/*
 * A line made of pieces that are worth more or less: where the screen is too narrow, those
 * with the highest rank are left out, whole.
 */
struct line {
	struct piece {
		u8 rank; /* 0 is never left out */
		enum role role;
		const float *trend; /* a sparkline of `cells` cells instead of text */
		u32 ntrend, cells;
		char text[256];
	} pieces[LINE_PIECES];
	u32 n;
};

static struct piece *line__piece(struct line *l, u8 rank, enum role role)
{
	struct piece *p = &l->pieces[MIN(l->n, LINE_PIECES - 1u)];

	l->n = MIN(l->n + 1, (u32)LINE_PIECES);
	*p = (struct piece){.rank = rank, .role = role};
	return p;
}

static void line__add(struct line *l, u8 rank, enum role role, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

static void line__add(struct line *l, u8 rank, enum role role, const char *fmt, ...)
{
	struct piece *p = line__piece(l, rank, role);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(p->text, sizeof(p->text), fmt, ap);
	va_end(ap);
}

static int piece_width(const struct piece *p)
{
	return p->trend ? (int)p->cells : text__width(p->text);
}

/* The greatest rank whose pieces, with all below it, fit into w cells. A long one (a filter, as a
 * rule) is cut rather than that it drives out all others. */
static u8 line__rank(const struct line *l, int w)
{
	u8 rank = 9;
	int used;

	for (;; rank--) {
		used = 0;
		for (u32 i = 0; i < l->n; i++)
			if (l->pieces[i].rank <= rank)
				used += MIN(piece_width(&l->pieces[i]), w / 2);
		if (used <= w || !rank)
			return rank;
	}
}

static void line__draw(const struct line *l, struct canvas *c, int y, int w)
{
	u8 rank = line__rank(l, w);
	int x = 0;

	for (u32 i = 0; i < l->n; i++) {
		const struct piece *p = &l->pieces[i];

		if (p->rank > rank)
			continue;
		if (p->trend)
			spark__draw(c, x, y, (int)p->cells, p->role, p->trend, p->ntrend, 100);
		else
			draw__cut(c, x, y, w - x, p->role, p->text);
		x += piece_width(p);
	}
}

static enum role level(double value, double warn, double bad)
{
	return value >= bad ? ROLE_BAD : value >= warn ? ROLE_WARN : ROLE_TEXT;
}

static const struct vitals_snap *vitals_of(const struct host *h)
{
	return h->frame ? (const void *)h->frame->snaps[MODEL_VITALS] : NULL;
}

static bool is_low(const struct canvas *c)
{
	return c->h < LOW_H;
}

static struct rect chrome__area(const struct host *h)
{
	const struct canvas *c = &h->canvas;
	int top = is_low(c) ? 2 : time_travel__has_strip(h) ? 4 : 3, bottom = is_low(c) ? 2 : 3;

	bottom += tour__height(h);
	return (struct rect){0, top, c->w, MAX(c->h - top - bottom, 1)};
}

/* --- the two lines of vital signs --- */

static void format_clock(char *buf, size_t size, u64 ns)
{
	u64 s = ns / NSEC_PER_SEC;

	if (s >= 3600)
		snprintf(buf, size, "%llu:%02llu:%02llu", (unsigned long long)(s / 3600),
			 (unsigned long long)(s / 60 % 60), (unsigned long long)(s % 60));
	else
		snprintf(buf, size, "%llu:%02llu", (unsigned long long)(s / 60),
			 (unsigned long long)(s % 60));
}

/* " REPLAY 0:12/1:00 4x ": where it is, how long it is, how fast it goes. */
static void replay_text(const struct host *h, const struct recording_state *t, char *buf, size_t size)
{
	char at[24], all[24], speed[16] = "";

	format_clock(at, sizeof(at), t->at_ns - MIN(t->begin_ns, t->at_ns));
	format_clock(all, sizeof(all), t->end_ns - MIN(t->begin_ns, t->end_ns));
	if (t->speed != 1)
		snprintf(speed, sizeof(speed), " %gx", t->speed);
	snprintf(buf, size, " %s %s/%s%s ",
		 h->tour.on   ? "TOUR"
		 : h->time_travel.live ? "PAST" : h->paused ? "PAUSED" : t->stopped ? "END" : "REPLAY", at,
		 all, speed);
}

/* Returns how wide it is. */
static int draw_state(struct host *h, int y)
{
	const struct recording_state *t = h->frame ? &h->frame->recording : NULL;
	enum role role = h->paused ? ROLE_WARN : ROLE_OK;
	char text[96];
	int w;

	if (t && t->kind == RECORDING_REPLAY)
		replay_text(h, t, text, sizeof(text));
	else
		snprintf(text, sizeof(text), " %s%s ",
			 t && t->kind == RECORDING_RECORD && !t->error[0] ? "REC " : "",
			 h->paused ? "PAUSED"
			 : h->child && child__ended(h->child) ? "ENDED" : "LIVE");
	w = text__width(text);
	draw__text(&h->canvas, h->canvas.w - w, y, w, role, text);
	return w;
}

static void draw_machine(struct host *h, const struct vitals_snap *s, int w)
{
	const struct vitals *v = &s->now;
	struct line l = {0};
	struct piece *p;

	line__add(&l, 1, ROLE_STRONG, "%.32s ", machine__name());
	line__add(&l, 7, ROLE_DIM, "%.40s ", machine__kernel());
	line__add(&l, 0, ROLE_DIM, "cpu ");
	p = line__piece(&l, 0, ROLE_COOL);
	p->trend = s->busy_pct;
	p->ntrend = s->ntrend;
	p->cells = h->canvas.w >= 110 ? 20 : 8;
	line__add(&l, 0, level(100 - v->idle_pct, 80, 95), " %3.0f%%", 100 - v->idle_pct);
	if (is_low(&h->canvas) && h->scope->text[0])
		line__add(&l, 0, ROLE_WARN, "  scope %s", h->scope->text);
	line__add(&l, 2, ROLE_DIM, " us %2.0f sy %2.0f", v->user_pct, v->system_pct);
	line__add(&l, 3, level(v->iowait_pct, 20, 50), " io %2.0f", v->iowait_pct);
	line__add(&l, 5, ROLE_DIM, " irq %2.0f", v->irq_pct);
	line__add(&l, v->steal_pct >= 1 ? 2 : 6, level(v->steal_pct, 5, 20), " st %2.0f", v->steal_pct);
	line__add(&l, 1, ROLE_DIM, "  load ");
	line__add(&l, 1, level(v->load1 / MAX(v->ncpus, 1u), 1, 2), "%.2f", v->load1);
	line__add(&l, 4, ROLE_DIM, " %.2f %.2f", v->load5, v->load15);
	line__add(&l, 5, ROLE_DIM, "  %u/%u tasks", v->running, v->tasks);
	if (v->starts_per_s >= 1)
		line__add(&l, v->starts_per_s >= MANY_STARTS ? 2 : 5,
			  level(v->starts_per_s, MANY_STARTS, 10 * MANY_STARTS), "  %.0f new/s",
			  v->starts_per_s);
	line__add(&l, 6, ROLE_DIM, "  %u CPUs", v->ncpus);
	line__draw(&l, &h->canvas, 0, w);
}

static void add_pressure(struct line *l, u8 rank, const char *name, double some)
{
	line__add(l, rank, ROLE_DIM, " %s ", name);
	line__add(l, rank, level(some, BUSY_PSI_PCT, 40), "%2.0f%%", some);
}

static void draw_memory(struct host *h, const struct vitals *v)
{
	u64 used_bytes = v->mem_total_bytes - v->mem_available_bytes;
	double used_pct = v->mem_total_bytes ? 100.0 * (double)used_bytes / (double)v->mem_total_bytes : 0;
	const struct screen *top = app__screen(h);
	const struct scope *narrowed = top && top->ops->scope ? top->ops->scope(top) : NULL;
	const char *scope = (narrowed ? narrowed : h->scope)->text;
	char used[16], total[16];
	struct line l = {0};

	format__bytes(used, sizeof(used), used_bytes);
	format__bytes(total, sizeof(total), v->mem_total_bytes);
	line__add(&l, 1, ROLE_DIM, "mem ");
	line__add(&l, 1, level(used_pct, 85, 95), "%s/%s", used, total);
	if (v->swap_total_bytes) {
		format__bytes(used, sizeof(used), v->swap_total_bytes - v->swap_free_bytes);
		line__add(&l, 4, ROLE_DIM, " swap %s", used);
	}
	line__add(&l, 2, ROLE_DIM, "  waiting");
	if (v->has_psi) {
		add_pressure(&l, 2, "cpu", v->psi_cpu_some);
		add_pressure(&l, 2, "io", v->psi_io_some);
		add_pressure(&l, 2, "mem", v->psi_memory_some);
	} else {
		line__add(&l, 5, ROLE_DIM, " unknown (no PSI)");
	}
	line__add(&l, 1, ROLE_DIM, "  scope ");
	line__add(&l, 0, *scope ? ROLE_WARN : ROLE_TEXT, "%s", *scope ? scope : "everything");
	line__draw(&l, &h->canvas, 1, h->canvas.w);
}

/* --- bottom lines --- */

#define SAID_LEAST 16 /* cells that it has however long the names are */

/* What it is comes before the first "; ", what is said of it after that: of names the middle can be
 * done without, of a sentence its end. */
static void draw_selection(struct host *h, int y)
{
	const struct screen *s = app__screen(h);
	struct canvas *c = &h->canvas;
	char buf[1024] = "", what[1024];
	const char *said;
	int used;

	if (s->ops->selection)
		s->ops->selection(s, buf, sizeof(buf));
	said = strstr(buf, "; ");
	if (!said || text__width(buf) <= c->w) {
		draw__middle(c, 0, y, c->w, ROLE_TEXT, buf);
		return;
	}
	said += 2;
	snprintf(what, sizeof(what), "%.*s", (int)(said - buf), buf);
	used = draw__middle(c, 0, y, c->w - MIN(text__width(said), SAID_LEAST), ROLE_TEXT, what);
	draw__words(c, used, y, c->w - used, ROLE_TEXT, said);
}

/* What is sampled, how often and how exactly; what is counted at each event has no rate. */
static void add_event(struct line *l, const struct health *e)
{
	if (e->period)
		line__add(l, 1, ROLE_TEXT, "%s every %llu", e->event, (unsigned long long)e->period);
	else if (e->freq)
		line__add(l, 1, ROLE_TEXT, "%s %llu Hz", e->event, (unsigned long long)e->freq);
	else
		line__add(l, 1, ROLE_TEXT, "%s", e->event);
	if (e->period || e->freq)
		line__add(l, 1, e->precise ? ROLE_TEXT : ROLE_DIM, e->precise ? " precise" : " skids");
	line__add(l, 3, ROLE_DIM, " %s", e->tier);
}

static void add_losses(struct line *l, const struct health *e)
{
	double all = (double)(e->samples_total + e->lost);
	double lost_pct = all > 0 ? 100.0 * (double)e->lost / all : 0;

	line__add(l, 0, ROLE_DIM, " lost ");
	line__add(l, 0, e->lost ? level(lost_pct, 0, BAD_LOST_PCT) : ROLE_TEXT, "%llu",
		  (unsigned long long)e->lost);
	if (e->gap.missed_ticks)
		line__add(l, 0, ROLE_WARN, " missed ticks %llu",
			  (unsigned long long)e->gap.missed_ticks);
	if (e->gap.suspended_ns)
		line__add(l, 0, ROLE_WARN, " suspended %.1f s",
			  (double)e->gap.suspended_ns / NSEC_PER_SEC);
	if (e->gap.cpus_changed)
		line__add(l, 0, ROLE_WARN, " CPUs changed");
	if (e->stacks_lost)
		line__add(l, 0, ROLE_WARN, " stackless %llu", (unsigned long long)e->stacks_lost);
	line__add(l, 2, ROLE_DIM, " broken stacks ");
	line__add(l, 2, level(e->truncated_pct, 20, 101), "%.0f%%", e->truncated_pct);
	line__add(l, e->map_full ? 0 : 4, ROLE_DIM, " map ");
	line__add(l, e->map_full ? 0 : 4, e->map_full ? ROLE_BAD : level(e->map_fill_pct, 70, 95),
		  "%.0f%%%s", e->map_fill_pct, e->map_full ? " FULL" : "");
}

/* What sampling takes from the machine: frequency x cost / CPUs, and as measured. */
static void add_cost(struct line *l, const struct health *e)
{
	line__add(l, 1, ROLE_DIM, " self ");
	line__add(l, 1, level(e->self_cpu_pct, 10, 50), "%.1f%%", e->self_cpu_pct);
	line__add(l, 2, ROLE_DIM, " cost ");
	line__add(l, 2, level(e->cost_pct, 1, 5), "%.2f%%", e->cost_pct);
	if (e->run_pct > 0)
		line__add(l, 3, ROLE_DIM, " (measured %.2f%%", e->run_pct);
	if (e->run_pct > 0 && e->cost_ns > 0)
		line__add(l, 5, ROLE_DIM, ", %.1f us each", e->cost_ns / 1000);
	if (e->run_pct > 0)
		line__add(l, 3, ROLE_DIM, ")");
}

#define READS_LONG_NS (1 * NSEC_PER_SEC)

/* Names of what takes long to read come late: it is said what is read. */
static void add_reading(struct line *l, const struct host *h)
{
	u64 since, now = clock__monotonic_ns();
	const struct sym_object *o = symbols__reading(h->symbols, &since);

	if (o && now > since + READS_LONG_NS && !h->ops->idle)
		line__add(l, 1, ROLE_WARN, " reading %.40s, %llu s", o->name,
			  (unsigned long long)((now - since) / NSEC_PER_SEC));
}

static double interval_s(const struct snap *s)
{
	return s ? (double)(s->t1_ns - s->t0_ns) / 1e9 : 0;
}

static void draw_health(struct host *h, int y)
{
	enum model_id feed = view_table[h->view]->feed;
	const struct feed *f = h->frame ? &h->frame->feeds[feed] : NULL;
	struct health health, *e = &health;
	struct line l = {0};
	char per_s[16];
	double seconds;

	if (!f || f->state != FEED_LIVE) {
		bool failed = f && f->state == FEED_FAILED;

		draw__text(&h->canvas, 0, y, h->canvas.w, failed ? ROLE_BAD : ROLE_DIM,
			   failed			   ? "not sampling"
			   : host__past(h)		   ? "not sampled then"
			   : h->wanted & MODEL_BIT(feed) ? "starting ..."
							   : "nothing is sampled for this view");
		return;
	}
	health = f->health;
	if (app__screen(h)->ops->health)
		app__screen(h)->ops->health(app__screen(h), &health);
	seconds = interval_s(h->frame->snaps[feed]);
	format__count(per_s, sizeof(per_s),
		      seconds > 0 ? (u64)llround((double)e->samples / seconds) : 0);
	add_event(&l, e);
	line__add(&l, 0, ROLE_TEXT, " %s/s", per_s);
	add_reading(&l, h);
	add_losses(&l, e);
	add_cost(&l, e);
	line__draw(&l, &h->canvas, y, h->canvas.w);
}

static void draw_hints(struct host *h, int y)
{
	struct canvas *c = &h->canvas;
	struct hint hints[HINTS_MAX];

	h->hints_shown = true;
	for (u32 i = 0, n = hints__make(h, c->w, hints); i < n; i++) {
		int w = draw__text(c, hints[i].x, y, hints[i].w, ROLE_KEY, hints[i].key);

		draw__textf(c, hints[i].x + w, y, hints[i].w - w, ROLE_DIM, " %s", hints[i].text);
	}
}

static enum action hint_at(const struct host *h, int x)
{
	struct hint hints[HINTS_MAX];

	for (u32 i = 0, n = hints__make(h, h->canvas.w, hints); i < n; i++)
		if (x >= hints[i].x && x < hints[i].x + hints[i].w)
			return hints[i].action;
	return ACTION_NONE;
}

enum action chrome__action_at(const struct host *h, int x, int y)
{
	if (y == chrome__area(h).y - 1)
		return tabs__at(h, x);
	return h->hints_shown && y == h->canvas.h - 1 ? hint_at(h, x) : ACTION_NONE;
}

static void draw_too_small(struct host *h)
{
	draw__textf(&h->canvas, 0, 0, h->canvas.w, ROLE_WARN, "%dx%d: too small", h->canvas.w,
		    h->canvas.h);
	draw__textf(&h->canvas, 0, 1, h->canvas.w, ROLE_TEXT, "needs %dx%d", SCREEN_MIN_W,
		    SCREEN_MIN_H);
}

#define MESSAGE_LINES 3

/* A message that is longer than the screen is wide takes lines from what is above it. */
static void draw_message(struct host *h)
{
	struct canvas *c = &h->canvas;
	int lines = paragraph__height(h->message, c->w);
	struct rect r = {0, 0, c->w, MIN(lines, MESSAGE_LINES)};

	r.y = c->h - r.h;
	draw__fill(c, r, ROLE_TEXT, L' ');
	draw__paragraph(c, r, h->message_role, h->message);
}

void chrome__draw(struct host *h)
{
	struct canvas *c = &h->canvas;
	const struct vitals_snap *v = vitals_of(h);
	struct rect area = chrome__area(h);

	canvas__clear(c);
	c->cursor_x = c->cursor_y = -1;
	if (c->w < SCREEN_MIN_W || c->h < SCREEN_MIN_H) {
		draw_too_small(h);
		return;
	}
	if (v) {
		draw_machine(h, v, c->w - MAX(draw_state(h, 0) + 1, STATE_W));
		if (!is_low(c))
			draw_memory(h, &v->now);
	} else {
		draw__textf(c, 0, 0, c->w, ROLE_DIM, "%s %s  %s", machine__name(),
			    machine__kernel(), h->options->replay ? "" : "reading /proc ...");
		draw_state(h, 0);
	}
	if (!is_low(c) && time_travel__has_strip(h))
		time_travel__draw_strip(h, area.y - 2);
	tabs__draw(h, area.y - 1);
	app__screen(h)->ops->draw(app__screen(h), c, area);
	if (h->tour.on)
		tour__draw(h, c, (struct rect){0, area.y + area.h, c->w, tour__height(h)});
	if (!is_low(c))
		draw_selection(h, c->h - 3);
	draw_health(h, c->h - 2);
	h->hints_shown = false;
	if (h->message[0])
		draw_message(h);
	else
		draw_hints(h, c->h - 1);
}
