/* SPDX-License-Identifier: GPL-2.0-only */
/* What frames every view: vital signs and tabs above, selection, health and keys below. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "core/child.h"
#include "tui/app.h"
#include "widgets/spark.h"

#define BAD_LOST_PCT  1.0
#define BUSY_PSI_PCT  10.0

/* A cursor that writes pieces of one line from left to right. */
struct pen {
	struct canvas *c;
	int x, y, end;
};

static void pen__text(struct pen *p, enum role role, const char *text)
{
	p->x += draw__text(p->c, p->x, p->y, p->end - p->x, role, text);
}

static void pen__printf(struct pen *p, enum role role, const char *fmt, ...)
	PRINTF_LIKE(3, 4);

static void pen__printf(struct pen *p, enum role role, const char *fmt, ...)
{
	char buf[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	pen__text(p, role, buf);
}

static enum role level(double value, double warn, double bad)
{
	return value >= bad ? ROLE_BAD : value >= warn ? ROLE_WARN : ROLE_TEXT;
}

static const struct vitals_snap *vitals_of(const struct host *h)
{
	return h->frame ? (const void *)h->frame->snaps[MODEL_VITALS] : NULL;
}

static const char *host_name(void)
{
	static struct utsname name;

	if (!name.nodename[0])
		uname(&name);
	return name.nodename;
}

static const char *kernel_release(void)
{
	static struct utsname name;

	if (!name.release[0])
		uname(&name);
	return name.release;
}

/* --- the two lines of vital signs --- */

static void draw_state(struct host *h, int y)
{
	const char *text = h->paused ? " PAUSED " : h->child && child__ended(h->child) ? " ENDED " : " LIVE ";
	int w = text__width(text);

	draw__text(&h->canvas, h->canvas.w - w, y, w, h->paused ? ROLE_WARN : ROLE_OK, text);
}

static void draw_machine(struct host *h, const struct vitals_snap *s)
{
	const struct vitals *v = &s->now;
	struct pen p = {&h->canvas, 0, 0, h->canvas.w - 9};
	int spark = h->canvas.w >= 100 ? 20 : 8;

	pen__printf(&p, ROLE_STRONG, "%s ", host_name());
	if (h->canvas.w >= 100)
		pen__printf(&p, ROLE_DIM, "%s ", kernel_release());
	pen__text(&p, ROLE_DIM, "cpu ");
	spark__draw(p.c, p.x, p.y, spark, ROLE_COOL, s->busy_pct, s->ntrend, 100);
	p.x += spark + 1;
	pen__printf(&p, level(100 - v->idle_pct, 80, 95), "%3.0f%% ", 100 - v->idle_pct);
	pen__printf(&p, ROLE_DIM, "us %2.0f sy %2.0f io %2.0f", v->user_pct, v->system_pct,
		    v->iowait_pct);
	if (v->steal_pct >= 0.5 || h->canvas.w >= 100)
		pen__printf(&p, level(v->steal_pct, 5, 20), " st %2.0f", v->steal_pct);
	pen__text(&p, ROLE_DIM, "  load ");
	pen__printf(&p, level(v->load1 / MAX(v->ncpus, 1u), 1, 2), "%.2f %.2f %.2f", v->load1,
		    v->load5, v->load15);
	pen__printf(&p, ROLE_DIM, "  %u tasks, %u running, %u CPUs", v->tasks, v->running, v->ncpus);
}

static void draw_pressure(struct pen *p, const char *name, double some)
{
	pen__printf(p, ROLE_DIM, " %s ", name);
	pen__printf(p, level(some, BUSY_PSI_PCT, 40), "%.0f%%", some);
}

static void draw_memory(struct host *h, const struct vitals *v)
{
	struct pen p = {&h->canvas, 0, 1, h->canvas.w};
	double used_pct = v->mem_total_bytes ? 100.0 * (double)(v->mem_total_bytes - v->mem_available_bytes) /
						       (double)v->mem_total_bytes
					     : 0;
	char used[16], total[16];

	format__bytes(used, sizeof(used), v->mem_total_bytes - v->mem_available_bytes);
	format__bytes(total, sizeof(total), v->mem_total_bytes);
	pen__text(&p, ROLE_DIM, "mem ");
	pen__printf(&p, level(used_pct, 85, 95), "%s/%s", used, total);
	if (v->swap_total_bytes) {
		format__bytes(used, sizeof(used), v->swap_total_bytes - v->swap_free_bytes);
		pen__printf(&p, ROLE_DIM, " swap %s", used);
	}
	pen__text(&p, ROLE_DIM, "  waiting for:");
	if (v->has_psi) {
		draw_pressure(&p, "cpu", v->psi_cpu_some);
		draw_pressure(&p, "io", v->psi_io_some);
		draw_pressure(&p, "mem", v->psi_memory_some);
	} else {
		pen__text(&p, ROLE_DIM, " unknown (no PSI)");
	}
	pen__text(&p, ROLE_DIM, "  scope ");
	if (h->scope->text[0])
		pen__text(&p, ROLE_WARN, h->scope->text);
	else
		pen__text(&p, ROLE_TEXT, "everything");
}

/* --- tabs --- */

static int tab_text(const struct host *h, u32 v, char *buf, size_t size)
{
	const struct view_ops *ops = view_table[v];
	bool alert = ops->alert && h->frame && ops->alert(h->frame);

	snprintf(buf, size, " %u %s%s ", v + 1, ops->name, alert ? "!" : "");
	return text__width(buf);
}

enum view_id chrome__tab_at(const struct host *h, int x)
{
	char buf[64];
	int at = 0;

	for (u32 v = 0; v < VIEW_COUNT; v++) {
		at += tab_text(h, v, buf, sizeof(buf));
		if (x < at)
			return v;
	}
	return VIEW_COUNT;
}

/* "cpu > callers of x > code": where one is, outermost first. */
static void crumbs(const struct screen *s, char *buf, size_t size)
{
	char own[200];
	size_t n;

	*buf = '\0';
	if (s->below)
		crumbs(s->below, buf, size);
	s->ops->crumb(s, own, sizeof(own));
	n = strlen(buf);
	if (own[0] && n + 4 < size)
		snprintf(buf + n, size - n, "%s%s", n ? " > " : "", own);
}

static void draw_tabs(struct host *h)
{
	struct pen p = {&h->canvas, 0, 2, h->canvas.w};
	char buf[600];

	for (u32 v = 0; v < VIEW_COUNT; v++) {
		tab_text(h, v, buf, sizeof(buf));
		pen__text(&p, v == h->view ? ROLE_TAB_ACTIVE : ROLE_TAB, buf);
	}
	crumbs(app__screen(h), buf, sizeof(buf));
	p.x++;
	draw__middle(p.c, p.x, p.y, p.end - p.x, ROLE_STRONG, buf);
}

/* --- bottom lines --- */

static void draw_selection(struct host *h, int y)
{
	const struct screen *s = app__screen(h);
	char buf[1024] = "";

	if (s->ops->selection)
		s->ops->selection(s, buf, sizeof(buf));
	draw__middle(&h->canvas, 0, y, h->canvas.w, ROLE_TEXT, buf);
}

static void rate_text(const struct health *e, char *buf, size_t size)
{
	if (e->period)
		snprintf(buf, size, "every %llu", (unsigned long long)e->period);
	else
		snprintf(buf, size, "%llu Hz", (unsigned long long)e->freq);
}

static void draw_losses(struct pen *p, const struct health *e)
{
	double lost_pct = e->samples_total ? 100.0 * (double)e->lost / (double)(e->samples_total + e->lost) : 0;

	pen__text(p, ROLE_DIM, " lost ");
	pen__printf(p, e->lost ? level(lost_pct, 0, BAD_LOST_PCT) : ROLE_TEXT, "%llu",
		    (unsigned long long)e->lost);
	if (e->stacks_lost)
		pen__printf(p, ROLE_WARN, " stackless %llu", (unsigned long long)e->stacks_lost);
	pen__text(p, ROLE_DIM, " broken stacks ");
	pen__printf(p, level(e->truncated_pct, 20, 101), "%.0f%%", e->truncated_pct);
	pen__text(p, ROLE_DIM, " map ");
	pen__printf(p, e->map_full ? ROLE_BAD : level(e->map_fill_pct, 70, 95), "%.0f%%%s",
		    e->map_fill_pct, e->map_full ? " FULL" : "");
}

static void draw_health(struct host *h, int y)
{
	enum model_id feed = view_table[h->view]->feed;
	const struct feed *f = h->frame ? &h->frame->feeds[feed] : NULL;
	const struct health *e = f ? &f->health : NULL;
	struct pen p = {&h->canvas, 0, y, h->canvas.w};
	char rate[32], per_s[16];
	double seconds;

	if (!f || f->state != FEED_LIVE) {
		pen__text(&p, f && f->state == FEED_FAILED ? ROLE_BAD : ROLE_DIM,
			  f && f->state == FEED_FAILED ? "not sampling" : "starting ...");
		return;
	}
	rate_text(e, rate, sizeof(rate));
	seconds = h->frame->snaps[feed] ? (double)(h->frame->snaps[feed]->t1_ns - h->frame->snaps[feed]->t0_ns) / 1e9 : 0;
	format__count(per_s, sizeof(per_s), seconds > 0 ? (u64)llround((double)e->samples / seconds) : 0);
	pen__printf(&p, ROLE_TEXT, "%s %s %s", e->event, rate, e->precise ? "precise" : "skids");
	pen__printf(&p, ROLE_DIM, " %s ", e->tier);
	pen__printf(&p, ROLE_TEXT, "%s/s", per_s);
	draw_losses(&p, e);
	pen__printf(&p, ROLE_DIM, " self ");
	pen__printf(&p, level(e->self_cpu_pct, 10, 50), "%.1f%%", e->self_cpu_pct);
	pen__printf(&p, ROLE_DIM, " sampling costs %.2f%%", e->cost_pct);
	if (e->run_pct > 0)
		pen__printf(&p, ROLE_DIM, " (measured %.2f%%)", e->run_pct);
	if (e->note[0])
		pen__printf(&p, ROLE_WARN, "  %s", e->note);
}

static void draw_hints(struct host *h, int y)
{
	static const enum action always[] = {ACTION_HELP, ACTION_PALETTE, ACTION_QUIT, ACTION_NONE};
	const enum action *lists[] = {app__screen(h)->ops->hints, always};
	struct pen p = {&h->canvas, 0, y, h->canvas.w};
	char key[16];

	for (u32 l = 0; l < ARRAY_SIZE(lists); l++) {
		for (const enum action *a = lists[l]; a && *a != ACTION_NONE; a++) {
			const char *name = action_table[*a].name;

			if (!*host__key(h, *a, key, sizeof(key)) ||
			    p.x + (int)strlen(key) + (int)strlen(name) + 3 > p.end)
				continue;
			pen__text(&p, ROLE_KEY, key);
			pen__printf(&p, ROLE_DIM, " %s  ", name);
		}
	}
}

static void draw_too_small(struct host *h)
{
	draw__textf(&h->canvas, 0, 0, h->canvas.w, ROLE_WARN, "%dx%d: too small", h->canvas.w,
		    h->canvas.h);
	draw__textf(&h->canvas, 0, 1, h->canvas.w, ROLE_TEXT, "needs %dx%d", SCREEN_MIN_W,
		    SCREEN_MIN_H);
}

void chrome__draw(struct host *h)
{
	struct canvas *c = &h->canvas;
	const struct vitals_snap *v = vitals_of(h);
	struct rect area = {0, CHROME_TOP, c->w, c->h - CHROME_TOP - CHROME_BOTTOM};

	canvas__clear(c);
	c->cursor_x = c->cursor_y = -1;
	if (c->w < SCREEN_MIN_W || c->h < SCREEN_MIN_H) {
		draw_too_small(h);
		return;
	}
	if (v) {
		draw_machine(h, v);
		draw_memory(h, &v->now);
	} else {
		draw__textf(c, 0, 0, c->w, ROLE_DIM, "%s %s  reading /proc ...", host_name(),
			    kernel_release());
	}
	draw_state(h, 0);
	draw_tabs(h);
	app__screen(h)->ops->draw(app__screen(h), c, area);
	draw_selection(h, c->h - 3);
	draw_health(h, c->h - 2);
	if (h->message[0])
		draw__text(c, 0, c->h - 1, c->w, h->message_role, h->message);
	else
		draw_hints(h, c->h - 1);
}
