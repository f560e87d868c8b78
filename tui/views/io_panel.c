// SPDX-License-Identifier: GPL-2.0-only
/* Above the table of the io view: the histogram of one stage, and the last minutes. */
#include <stdio.h>

#include "tui/views/io.h"
#include "widgets/histogram.h"

#define BARS_FROM  20 /* lines in which bars leave enough for a table */
#define LOG2_MOST  10
#define FINE_MOST  24
#define LOG2_ROWS  28
#define STRIP_FROM 12 /* lines in which one line of it leaves enough for a table */
#define STRIP_TALL 5
#define TALL_FROM  30

const char *const io_scale_names[IO_SCALES] = {"log2", "linear", "fine"};

enum { MARKS = 4 };

static const struct {
	const char *name;
	double q;
} quantiles[MARKS - 1] = {{"p50", 0.50}, {"p95", 0.95}, {"p99", 0.99}};

struct chart {
	struct histogram_bucket buckets[BLOCK_BUCKETS];
	u32 n;
	struct histogram_mark marks[MARKS];
};

/* --- how it is cut --- */

/* Powers of two of a microsecond; the first one is all below. */
static void cut_log2(struct chart *ch, const struct io_hist *h)
{
	for (u32 i = 0; i < LOG2_ROWS; i++)
		ch->buckets[i] =
			(struct histogram_bucket){i ? 1000ULL << (i - 1) : 0, 1000ULL << i, 0};
	for (u32 i = 0; i < BLOCK_BUCKETS; i++) {
		u64 us = block__lo(i) / 1000;
		u32 row = us ? hist__log2(us) + 1 : 0;

		ch->buckets[MIN(row, LOG2_ROWS - 1u)].n += h->n[i];
	}
	ch->n = LOG2_ROWS;
}

static void cut_fine(struct chart *ch, const struct io_hist *h)
{
	for (u32 i = 0; i < BLOCK_BUCKETS; i++)
		ch->buckets[i] = (struct histogram_bucket){block__lo(i), block__lo(i + 1), h->n[i]};
	ch->n = BLOCK_BUCKETS;
}

/* A bucket's count is spread evenly over its width. */
static void spread(struct chart *ch, u64 lo, u64 hi, double n)
{
	double width = (double)(hi - lo);

	for (u32 i = 0; i < ch->n; i++) {
		struct histogram_bucket *b = &ch->buckets[i];
		u64 from = MAX(lo, b->lo_ns), to = MIN(hi, b->hi_ns);

		if (to > from)
			b->n += n * (double)(to - from) / width;
	}
}

/* Rows of one width up to the 99th percentile, and one for the rest. */
static void cut_linear(struct chart *ch, const struct io_hist *h, u64 p99, u32 rows)
{
	u64 least = 0, width;
	u32 first = 0;

	while (first < BLOCK_BUCKETS - 1 && !(h->n[first] > 0))
		first++;
	least = MIN(block__lo(first), p99);
	rows = CLAMP(rows, 2u, (u32)FINE_MOST);
	width = MAX((p99 - least) / (rows - 1) + 1, 250ULL);
	least = least / width * width;
	for (u32 i = 0; i < rows; i++)
		ch->buckets[i] =
			(struct histogram_bucket){least + i * width, least + (i + 1) * width, 0};
	ch->buckets[rows - 1].hi_ns = block__lo(BLOCK_BUCKETS);
	ch->n = rows;
	for (u32 i = first; i < BLOCK_BUCKETS; i++)
		if (h->n[i] > 0)
			spread(ch, block__lo(i), block__lo(i + 1), h->n[i]);
	/* It has been filled from all that there may be; what was is less. */
	ch->buckets[rows - 1].hi_ns =
		MAX(ch->marks[MARKS - 1].ns, ch->buckets[rows - 1].lo_ns + width);
}

/* --- drawing --- */

static u32 find_marks(struct chart *ch, const struct io_hist *h, u64 max_ns)
{
	u32 n = 0;

	for (; n < ARRAY_SIZE(quantiles); n++)
		ch->marks[n] = (struct histogram_mark){
			quantiles[n].name, io_hist__quantile(h, quantiles[n].q, max_ns)};
	ch->marks[n++] = (struct histogram_mark){"max", max_ns};
	return n;
}

static void draw_head(const struct io_panel *p, const struct chart *ch, struct canvas *c,
		      struct rect r)
{
	struct headline line = {c, {r.x, r.y, r.w, 1}, r.x};
	const struct io_result *a = p->result;
	enum io_stage stage = a->query.stage;
	char text[16];

	headline__addf(&line, ROLE_TITLE, "%s time", io_stage_names[stage]);
	format__count(text, sizeof(text), a->sums.known[stage]);
	headline__addf(&line, ROLE_DIM, " · %s · %s [%s]", text, io_scale_names[p->scale],
		       p->scale_key);
	for (u32 i = 0; i < MARKS; i++) {
		format__ns(text, sizeof(text), ch->marks[i].ns);
		headline__addf(&line, ROLE_TEXT, "  %s %s", ch->marks[i].name, text);
	}
	format__count(text, sizeof(text), a->in_flight);
	headline__addf(&line, ROLE_TEXT, "  in flight %s", text);
}

static void draw_none(const struct io_result *a, struct canvas *c, struct rect r)
{
	bool any = a->sums.count, queued = a->query.stage == IO_QUEUED;

	draw__textf(c, r.x, r.y, r.w, ROLE_DIM, "%s time: %s", io_stage_names[a->query.stage],
		    any && queued ? "unknown, as no I/O scheduler holds requests"
		    : any	  ? "unknown"
				  : "no I/O has ended in the window");
}

static int draw_histogram(const struct io_panel *p, struct canvas *c, struct rect r)
{
	const struct io_result *a = p->result;
	enum io_scale scale = p->scale;
	const struct io_hist *h = &a->hists[a->query.stage];
	bool bars = r.h >= BARS_FROM;
	int rows = bars ? MIN(scale == IO_SCALE_LOG2 ? r.h / 3 : r.h / 2,
			      scale == IO_SCALE_LOG2 ? LOG2_MOST : FINE_MOST)
			: 1;
	struct histogram hist = {.role = ROLE_WARM};
	struct chart ch = {.n = 0};

	if (!(io_hist__count(h) >= 0.5)) {
		draw_none(a, c, r);
		return rows + 1;
	}
	hist.nmarks = find_marks(&ch, h, a->sums.max_ns[a->query.stage]);
	hist.marks = ch.marks;
	if (scale == IO_SCALE_LOG2)
		cut_log2(&ch, h);
	else if (scale == IO_SCALE_FINE)
		cut_fine(&ch, h);
	else
		cut_linear(&ch, h, ch.marks[2].ns, (u32)rows);
	hist.buckets = ch.buckets;
	hist.nbuckets = ch.n;
	draw_head(p, &ch, c, r);
	if (bars)
		histogram__draw(&hist, c, (struct rect){r.x, r.y + 1, r.w, rows});
	else
		histogram__line(&hist, c, r.x, r.y + 1, r.w);
	return rows + 1;
}

/* The strip comes second: the histogram is as large as if there were none. */
int io_panel__draw(const struct io_panel *p, struct canvas *c, struct rect r)
{
	int y, lines = r.h >= TALL_FROM ? STRIP_TALL : 1;

	if (r.h < 4)
		return 0;
	y = draw_histogram(p, c, r);
	if (p->result->heat && r.h >= STRIP_FROM)
		y += io_strip__draw(p->result->heat, c, (struct rect){r.x, r.y + y, r.w, lines});
	return y;
}
