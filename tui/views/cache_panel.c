// SPDX-License-Identifier: GPL-2.0-only
/* Above the table of the cache view: how the cache fares, the last minutes, and what cannot be
 * seen; or the ages of what was read ahead. */
#include <math.h>
#include <stdio.h>

#include "tui/views/cache.h"
#include "widgets/histogram.h"
#include "widgets/spark.h"
#include "widgets/strip.h"

#define TALL_FROM 26 /* lines in which strips may be high */
#define TALL	  3
#define LABEL_W	  16
#define AGES_MOST 12
/* What cannot be seen is said for so long; the manual page says it always. */
#define NOTE_INTERVALS 20

/* --- numbers --- */

static struct headline line_at(struct canvas *c, struct rect r, int y)
{
	return (struct headline){c, {r.x, y, r.w, 1}, r.x};
}

static enum role share_role(const struct value *v, bool few)
{
	if (v->type == VALUE_NONE)
		return ROLE_DIM;
	if (few)
		return ROLE_TEXT;
	return v->f < 50 ? ROLE_HOT : v->f < 90 ? ROLE_WARM : ROLE_OK;
}

/* Both or, where they do not fit, none of them. */
static void add_pair(struct headline *line, const char *name, enum role role, const char *value)
{
	bool first = line->x == line->r.x;
	int w = (first ? 0 : 2) + text__width(name) + 1 + text__width(value);

	if (line->x + w > line->r.x + line->r.w)
		return;
	headline__addf(line, ROLE_DIM, "%s%s ", first ? "" : "  ", name);
	headline__add(line, role, value);
}

/* Nothing was asked for: there is no share. */
static void add_share(struct headline *line, const char *name, struct value v, bool few)
{
	char text[16] = "—";

	if (v.type != VALUE_NONE) {
		format__pct(text, sizeof(text) - 1, v.f);
		strcat(text, "%");
	}
	add_pair(line, name, share_role(&v, few), text);
}

static void add_bytes(struct headline *line, const char *name, u64 bytes)
{
	char text[16];

	format__bytes(text, sizeof(text), bytes);
	add_pair(line, name, ROLE_TEXT, text);
}

static void add_rate(struct headline *line, const char *name, u64 n, u64 window_ns, enum role role)
{
	char text[16];
	double s = (double)window_ns / NSEC_PER_SEC;

	format__count(text, sizeof(text) - 2, s > 0 ? (u64)((double)n / s + 0.5) : 0);
	strcat(text, "/s");
	add_pair(line, name, n ? role : ROLE_DIM, text);
}

static void draw_shares(const struct cache_panel *p, struct canvas *c, struct rect r, int y)
{
	const struct cache_result *a = p->result;
	const struct cache_snap *s = cache__snap(a);
	struct headline line = line_at(c, r, y);
	bool few = cache__few_misses(a, a->n);

	add_share(&line, "hit", cache__hit_pct(a->n), few);
	add_share(&line, "disk", cache__disk_pct(a->n), true);
	add_share(&line, "read", cache__read_hit_pct(a->n), few);
	add_share(&line, "write", cache__write_hit_pct(a->n), few);
	if (!s->totals_known)
		return;
	add_bytes(&line, "cached", s->totals.cached_bytes);
	add_bytes(&line, "buffers", s->totals.buffers_bytes);
	add_bytes(&line, "dirty", s->totals.dirty_bytes);
	add_bytes(&line, "writeback", s->totals.writeback_bytes);
}

static void draw_flow(const struct cache_panel *p, struct canvas *c, struct rect r, int y)
{
	const struct cache_result *a = p->result;
	const struct cache_snap *s = cache__snap(a);
	const struct cache_flow *flow = &s->flow[a->query.rows.window];
	struct value wasted = cache__share(a->n[CACHE_AHEAD_WASTED], a->n[CACHE_AHEAD_USED]);
	struct headline line = line_at(c, r, y);
	char pct[16];

	add_rate(&line, "ahead", a->n[CACHE_AHEAD_ADDED], a->base->window_ns, ROLE_TEXT);
	add_rate(&line, "used", a->n[CACHE_AHEAD_USED], a->base->window_ns, ROLE_TEXT);
	add_rate(&line, "wasted", a->n[CACHE_AHEAD_WASTED], a->base->window_ns, ROLE_WARM);
	if (wasted.type != VALUE_NONE && wasted.f > 0) {
		format__pct(pct, sizeof(pct), wasted.f);
		headline__addf(&line, wasted.f < 10 ? ROLE_DIM : ROLE_WARM, " (%s%%)", pct);
	}
	add_rate(&line, "evicted", a->n[CACHE_EVICTED], a->base->window_ns, ROLE_TEXT);
	if (!s->totals_known)
		return;
	add_rate(&line, "refaults", flow->refaults, a->base->window_ns, ROLE_WARM);
	add_rate(&line, "reclaimed as /proc has it", flow->evicted, a->base->window_ns, ROLE_DIM);
}

/* What the numbers do not have in them. */
static void draw_blind(const struct cache_panel *p, struct canvas *c, struct rect r, int y)
{
	const struct cache_snap *s = cache__snap(p->result);
	const char *of = *s->totals.blind ? s->totals.blind : "some file systems";
	bool writes = !s->totals_known || s->totals.writes_seen;
	char text[256];

	snprintf(text, sizeof(text), "not seen: later touches of mapped files%s%s%s%s",
		 writes ? "" : ", writes to dirty pages of ", writes ? "" : of,
		 *p->tier ? " · by " : "", p->tier);
	draw__cut(c, r.x, y, r.w, ROLE_DIM, text);
}

/* --- the last minutes --- */

enum kind { HITS, MISSES };

static float strip_value(const struct cache_strip *s, enum kind kind)
{
	return kind == HITS ? s->hits : s->misses;
}

static void draw_strip(const struct cache_snap *s, enum kind kind, struct canvas *c, struct rect r)
{
	enum role role = kind == HITS ? ROLE_COOL : ROLE_HOT;
	struct rect body = {r.x + LABEL_W, r.y, r.w - LABEL_W, r.h};
	float now = s->nstrip ? strip_value(&s->strip[s->nstrip - 1], kind) : 0;
	float v[CACHE_STRIP];
	struct strip strip = {.n = 0};
	char text[16];

	format__count(text, sizeof(text), (u64)((double)now + 0.5));
	draw__textf(c, r.x, r.y, LABEL_W - 1, ROLE_TITLE, "%-6s", kind == HITS ? "hits" : "misses");
	draw__textf(c, r.x + 7, r.y, LABEL_W - 8, ROLE_TEXT, "%6s/s", text);
	for (u32 i = 0; i < s->nstrip; i++) {
		v[i] = strip_value(&s->strip[i], kind);
		strip__push(&strip, v[i]);
	}
	if (r.h == 1)
		spark__draw(c, body.x, body.y, body.w, role, v, s->nstrip, 0);
	else
		strip__draw(&strip, c, body, 0, kind == HITS ? INFINITY : 0,
			    kind == HITS ? INFINITY : 0);
}

/* Each by its own scale: one miss among a thousand hits has to be seen. */
static void draw_strips(const struct cache_snap *s, struct canvas *c, struct rect r)
{
	int w = (r.w - 2) / 2;

	draw_strip(s, MISSES, c, (struct rect){r.x, r.y, w, r.h});
	draw_strip(s, HITS, c, (struct rect){r.x + w + 2, r.y, r.w - w - 2, r.h});
}

/* --- ages --- */

static u64 median(const struct histogram_bucket *b, u32 n, double all, double q)
{
	double below = 0;
	u32 i = 0;

	while (i + 1 < n && below + b[i].n < all * q)
		below += b[i++].n;
	if (!(b[i].n > 0))
		return b[i].lo_ns;
	return b[i].lo_ns + (u64)((double)(b[i].hi_ns - b[i].lo_ns) * (all * q - below) / b[i].n);
}

static int draw_ages(const struct cache_panel *p, struct canvas *c, struct rect r)
{
	const struct cache_flow *flow = &cache__snap(p->result)->flow[p->result->query.rows.window];
	struct histogram_bucket buckets[CACHE_AGES];
	struct histogram_mark marks[2] = {{"p50", 0}, {"p95", 0}};
	struct histogram h = {.buckets = buckets,
			      .nbuckets = CACHE_AGES,
			      .marks = marks,
			      .nmarks = 2,
			      .role = ROLE_WARM};
	struct headline line = line_at(c, r, r.y);
	double all = 0;
	char text[16];

	for (u32 i = 0; i < CACHE_AGES; i++) {
		u64 lo = cache__age_lo(i);

		buckets[i] =
			(struct histogram_bucket){lo, i ? lo * 2 : 1000, (double)flow->ages[i]};
		all += buckets[i].n;
	}
	headline__add(&line, ROLE_TITLE, "age of what was read ahead, when it was used first");
	if (!(all > 0)) {
		headline__add(&line, ROLE_DIM, ": nothing was in the window");
		return 1;
	}
	format__count(text, sizeof(text), (u64)all);
	headline__addf(&line, ROLE_DIM, " · %s pages", text);
	marks[0].ns = median(buckets, CACHE_AGES, all, 0.50);
	marks[1].ns = median(buckets, CACHE_AGES, all, 0.95);
	if (r.h < 12)
		return 1 + (histogram__line(&h, c, r.x, r.y + 1, r.w) > 0);
	return 1 +
	       histogram__draw(&h, c, (struct rect){r.x, r.y + 1, r.w, MIN(r.h / 2, AGES_MOST)});
}

/* --- all of it --- */

int cache_panel__draw(const struct cache_panel *p, struct canvas *c, struct rect r)
{
	int y = r.y, tall = r.h >= TALL_FROM ? TALL : 1;

	if (r.h < 4)
		return 0;
	draw_shares(p, c, r, y++);
	if (p->ages) {
		y += draw_ages(p, c, (struct rect){r.x, y, r.w, r.h - 1});
	} else if (p->whole && r.h >= 6) {
		draw_strips(cache__snap(p->result), c, (struct rect){r.x, y, r.w, tall});
		y += tall;
	}
	if (r.h >= 8)
		draw_flow(p, c, r, y++);
	if (r.h >= 10 && cache__snap(p->result)->nstrip <= NOTE_INTERVALS)
		draw_blind(p, c, r, y++);
	return y - r.y;
}
