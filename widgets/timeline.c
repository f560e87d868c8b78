// SPDX-License-Identifier: GPL-2.0-only
#include "widgets/timeline.h"

#include <stdio.h>

#define MAX_CELLS 1024
#define LABEL_W	  12 /* room that a label of the axis needs */

/* Where the i-th of w cells begins; exact at both ends. */
static u64 edge(const struct timeline *t, int w, int i)
{
	return t->t0_ns + (u64)((double)(t->t1_ns - t->t0_ns) * i / w);
}

/* What of a cell's time went to what. */
struct shares {
	u64 ns[TIMELINE_KINDS];
};

static u32 greatest(const struct shares *s, u32 nkinds)
{
	u32 best = nkinds;

	for (u32 i = 0; i < nkinds; i++)
		if (s->ns[i] && (best == nkinds || s->ns[i] > s->ns[best]))
			best = i;
	return best;
}

/* Adds the spans from *next on that reach into [from, to); one that goes on stays next. */
static void add_spans(const struct timeline *t, u32 *next, u64 from, u64 to, struct shares *out)
{
	for (; *next < t->nspans; ++*next) {
		struct timeline_span s = t->span(t->of, *next);
		u64 begin = MAX(s.t0_ns, from), end = MIN(s.t1_ns, to);

		if (begin >= to)
			return;
		if (end > begin && s.kind < t->nkinds)
			out->ns[s.kind] += end - begin;
		if (s.t1_ns > to)
			return;
	}
}

void timeline__cells(const struct timeline *t, int w, u32 *out)
{
	u32 next = 0;

	for (int i = 0; i < w; i++) {
		struct shares s = {0};

		add_spans(t, &next, edge(t, w, i), edge(t, w, i + 1), &s);
		out[i] = greatest(&s, MIN(t->nkinds, (u32)TIMELINE_KINDS));
	}
}

static void draw_axis(const struct timeline *t, struct canvas *c, struct rect r)
{
	int n = CLAMP(r.w / LABEL_W, 1, 10);

	for (int i = 0; i < n; i++) {
		int x = r.x + r.w * i / n;
		char ns[16], text[24];

		format__ns(ns, sizeof(ns), t->t1_ns - edge(t, n, i));
		snprintf(text, sizeof(text), "|-%s", ns);
		draw__text(c, x, r.y, MIN(LABEL_W, r.x + r.w - x), ROLE_DIM, text);
	}
	if (r.w >= LABEL_W)
		draw__right(c, r.x, r.y, r.w, ROLE_DIM, "now|");
}

void timeline__draw(const struct timeline *t, struct canvas *c, struct rect r)
{
	u32 cells[MAX_CELLS];
	int w = MIN(r.w, MAX_CELLS);

	if (w < 1 || r.h < 1 || t->t1_ns <= t->t0_ns)
		return;
	timeline__cells(t, w, cells);
	for (int i = 0; i < w; i++)
		if (cells[i] < t->nkinds)
			draw__text(c, r.x + i, r.y, 1, t->kinds[cells[i]].role,
				   t->kinds[cells[i]].letter);
	if (r.h > 1)
		draw_axis(t, c, (struct rect){r.x, r.y + 1, w, 1});
}
