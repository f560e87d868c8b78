// SPDX-License-Identifier: GPL-2.0-only
/* Histograms above the tables of the sched view. */
#include <stdio.h>

#include "tui/views/sched.h"
#include "widgets/histogram.h"

#define PANEL_W	  38 /* least width of one with bars beside others */
#define PANEL_GAP 2
#define HEAD_W	  70 /* of a head in one line */
#define BARS_FROM 20 /* lines in which bars leave enough for a table */
#define BARS_MOST 10

struct panel_kind {
	const char *title, *none;
	enum role role;
};

static const struct panel_kind kinds[SCHED_HISTS] = {
	[SCHED_DELAY] = {"run queue delay", "nobody has waited for a CPU", ROLE_WARM},
	[SCHED_ON] = {"time on CPU", "nobody has left a CPU", ROLE_USER},
	[SCHED_OFF] = {"time off CPU", "nobody has come back to a CPU", ROLE_COOL},
};

enum { MARKS = 4 };

static const struct {
	const char *name;
	double q;
} quantiles[MARKS - 1] = {{"p50", 0.50}, {"p95", 0.95}, {"p99", 0.99}};

/* Fills marks; returns how many. */
static u32 find_marks(const struct sched_panel *p, struct histogram_mark *marks)
{
	u64 bound = p->max_ns ? p->max_ns : UINT64_MAX;
	u32 n = 0;

	for (; n < ARRAY_SIZE(quantiles); n++)
		marks[n] = (struct histogram_mark){
			quantiles[n].name, sched_hist__quantile(p->hist, quantiles[n].q, bound)};
	if (p->max_ns)
		marks[n++] = (struct histogram_mark){"max", p->max_ns};
	return n;
}

static void add_marks(struct headline *line, const struct histogram_mark *marks, u32 n)
{
	char text[16];

	for (u32 i = 0; i < n; i++) {
		format__ns(text, sizeof(text), marks[i].ns);
		headline__addf(line, ROLE_TEXT, "%s%s %s", line->x > line->r.x ? "  " : "",
			       marks[i].name, text);
	}
}

/* One line, or two where that is too narrow. Returns how many. */
static int draw_head(const struct sched_panel *p, struct canvas *c, struct rect r, double count,
		     const struct histogram_mark *marks, u32 n)
{
	struct headline line = {c, {r.x, r.y, r.w, 1}, r.x};
	bool two = r.w < HEAD_W && r.h > 2;
	char text[16];

	headline__add(&line, ROLE_TITLE, kinds[p->kind].title);
	format__count(text, sizeof(text), (u64)(count + 0.5));
	headline__addf(&line, ROLE_DIM, " · %s", text);
	if (two)
		line = (struct headline){c, {r.x, r.y + 1, r.w, 1}, r.x};
	add_marks(&line, marks, n);
	return two ? 2 : 1;
}

/* Head and histogram. */
static void draw_panel(const struct sched_panel *p, struct canvas *c, struct rect r, bool bars)
{
	struct histogram_bucket buckets[HIST_BUCKETS];
	struct histogram_mark marks[MARKS];
	struct histogram h = {.buckets = buckets, .nbuckets = HIST_BUCKETS, .marks = marks};
	double count = sched_hist__count(p->hist);
	int head;

	for (u32 i = 0; i < HIST_BUCKETS; i++)
		buckets[i] = (struct histogram_bucket){hist__lo(i), hist__lo(i + 1), p->hist->n[i]};
	h.role = kinds[p->kind].role;
	h.nmarks = find_marks(p, marks);
	if (!(count >= 0.5)) {
		draw__textf(c, r.x, r.y, r.w, ROLE_DIM, "%s: %s in the window",
			    kinds[p->kind].title, kinds[p->kind].none);
		return;
	}
	head = draw_head(p, c, r, count, marks, h.nmarks);
	if (bars)
		histogram__draw(&h, c, (struct rect){r.x, r.y + head, r.w, r.h - head});
	else
		histogram__line(&h, c, r.x, r.y + head, r.w);
}

/* Two lines each, also where one is enough: what is below stays where it is. */
static int draw_lines(const struct sched_panel *p, u32 n, struct canvas *c, struct rect r)
{
	int used = 0;

	for (u32 i = 0; i < n && used + 2 <= r.h; i++, used += 2)
		draw_panel(&p[i], c, (struct rect){r.x, r.y + used, r.w, 2}, false);
	return used;
}

int sched_panels__draw(const struct sched_panel *p, u32 n, struct canvas *c, struct rect r)
{
	int beside = CLAMP((r.w + PANEL_GAP) / (PANEL_W + PANEL_GAP), 1, (int)n);
	int w = (r.w + PANEL_GAP) / beside - PANEL_GAP;
	int h = MIN(r.h / 3, BARS_MOST) + 2;

	if (r.h < BARS_FROM)
		return draw_lines(p, n, c, (struct rect){r.x, r.y, r.w, r.h / 2});
	for (int i = 0; i < beside; i++)
		draw_panel(&p[i], c, (struct rect){r.x + i * (w + PANEL_GAP), r.y, w, h}, true);
	return h;
}
