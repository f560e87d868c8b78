// SPDX-License-Identifier: GPL-2.0-only
#include "widgets/histogram.h"

#include <stdio.h>

#include "widgets/spark.h"

#define TIME_W	  6 /* of format__ns */
#define COUNT_W	  6
#define LEAST_BAR 8

/* --- merging --- */

static u32 first_counted(const struct histogram *h)
{
	u32 i = 0;

	while (i < h->nbuckets && !(h->buckets[i].n > 0))
		i++;
	return i;
}

static u32 last_counted(const struct histogram *h)
{
	u32 i = h->nbuckets - 1;

	while (i && !(h->buckets[i].n > 0))
		i--;
	return i;
}

u32 histogram__fit(const struct histogram *h, u32 rows, struct histogram_bucket *out)
{
	u32 first = first_counted(h), last, by = 1, n = 0;

	rows = MIN(rows, (u32)HISTOGRAM_MAX_ROWS);
	if (!rows || first == h->nbuckets)
		return 0;
	last = last_counted(h);
	while (last / by - first / by + 1 > rows)
		by *= 2;
	for (u32 i = first / by * by; i <= last; i += by, n++) {
		out[n] = h->buckets[i];
		for (u32 k = i + 1; k < i + by && k < h->nbuckets; k++) {
			out[n].n += h->buckets[k].n;
			out[n].hi_ns = h->buckets[k].hi_ns;
		}
	}
	return n;
}

static double most(const struct histogram_bucket *b, u32 n)
{
	double max = 0;

	for (u32 i = 0; i < n; i++)
		max = MAX(max, b[i].n);
	return max;
}

/* --- bars --- */

/* Where what stands in a row, from the left; a width of 0: left out. */
struct layout {
	int range_w, count_w, bar_w, marks_w;
};

/* The marks within a row; a value on the border is the end of the lower one. */
static void marks_text(const struct histogram *h, const struct histogram_bucket *b, bool first,
		       bool last, char *buf, size_t size)
{
	size_t n = 0;

	*buf = '\0';
	for (u32 i = 0; i < h->nmarks && n < size; i++) {
		u64 ns = h->marks[i].ns;

		if ((ns > b->lo_ns || first) && (ns <= b->hi_ns || last))
			n += (size_t)snprintf(buf + n, size - n, "%s%s", n ? " " : "",
					      h->marks[i].name);
	}
}

static int widest_marks(const struct histogram *h, const struct histogram_bucket *b, u32 n)
{
	char text[64];
	int w = 0;

	for (u32 i = 0; i < n; i++) {
		marks_text(h, &b[i], !i, i + 1 == n, text, sizeof(text));
		w = MAX(w, text__width(text));
	}
	return w;
}

static struct layout layout(int w, int marks_w)
{
	struct layout l = {.range_w = 2 * TIME_W + 2, .count_w = COUNT_W + 1, .marks_w = marks_w};

	for (;;) {
		l.bar_w = w - l.range_w - l.count_w - (l.marks_w ? l.marks_w + 1 : 0);
		if (l.bar_w >= LEAST_BAR)
			return l;
		if (l.range_w > TIME_W + 1)
			l.range_w = TIME_W + 1;
		else if (l.count_w)
			l.count_w = 0;
		else if (l.marks_w)
			l.marks_w = 0;
		else
			break;
	}
	l.range_w = w > TIME_W + 1 ? l.range_w : 0;
	l.bar_w = MAX(w - l.range_w, 0);
	return l;
}

static void format_value(const struct histogram *h, char *buf, size_t size, u64 value)
{
	if (h->unit == VALUE_BYTES)
		format__bytes(buf, size, value);
	else if (h->unit == VALUE_COUNT)
		format__count(buf, size, value);
	else
		format__ns(buf, size, value);
}

static void draw_range(const struct histogram *h, struct canvas *c, int x, int y,
		       const struct layout *l, const struct histogram_bucket *b)
{
	char lo[16], hi[16];

	format_value(h, lo, sizeof(lo), b->lo_ns);
	format_value(h, hi, sizeof(hi), b->hi_ns);
	if (l->range_w)
		draw__right(c, x, y, TIME_W, ROLE_TEXT, lo);
	if (l->range_w > TIME_W + 1)
		draw__textf(c, x + TIME_W, y, TIME_W + 1, ROLE_DIM, "-%s", hi);
}

/* At least the smallest that can be drawn, where there is anything. */
static double visible(double part, int w, bool ascii)
{
	double least = ascii ? 0.5 / w : 0.125 / w;

	return part > 0 && part < least ? least : part;
}

static void draw_row(const struct histogram *h, struct canvas *c, int x, int y,
		     const struct layout *l, const struct histogram_bucket *b, double part)
{
	char count[16];

	draw_range(h, c, x, y, l, b);
	x += l->range_w;
	format__count(count, sizeof(count), (u64)(b->n + 0.5));
	if (l->count_w)
		draw__right(c, x, y, COUNT_W, b->n > 0 ? ROLE_TEXT : ROLE_DIM, count);
	x += l->count_w;
	if (l->bar_w > 0)
		bar__draw(c, x, y, l->bar_w, h->role, visible(part, l->bar_w, c->ascii));
}

int histogram__draw(const struct histogram *h, struct canvas *c, struct rect r)
{
	struct histogram_bucket rows[HISTOGRAM_MAX_ROWS];
	u32 n = histogram__fit(h, (u32)MAX(r.h, 0), rows);
	struct layout l = layout(r.w, widest_marks(h, rows, n));
	double max = most(rows, n);
	char text[64];

	if (r.w < 1)
		return 0;
	for (u32 i = 0; i < n; i++) {
		draw_row(h, c, r.x, r.y + (int)i, &l, &rows[i], rows[i].n / max);
		marks_text(h, &rows[i], !i, i + 1 == n, text, sizeof(text));
		draw__text(c, r.x + r.w - l.marks_w, r.y + (int)i, l.marks_w, ROLE_KEY, text);
	}
	return (int)n;
}

/* --- one line --- */

int histogram__line(const struct histogram *h, struct canvas *c, int x, int y, int w)
{
	struct histogram_bucket rows[HISTOGRAM_MAX_ROWS];
	float v[HISTOGRAM_MAX_ROWS];
	char lo[16], hi[16];
	u32 n = w > 2 * (TIME_W + 1) ? (u32)(w - 2 * (TIME_W + 1)) : 0;
	double max;

	n = histogram__fit(h, n, rows);
	if (!n)
		return 0;
	max = most(rows, n);
	for (u32 i = 0; i < n; i++)
		v[i] = (float)visible(rows[i].n / max, 1, false);
	format_value(h, lo, sizeof(lo), rows[0].lo_ns);
	format_value(h, hi, sizeof(hi), rows[n - 1].hi_ns);
	draw__right(c, x, y, TIME_W, ROLE_DIM, lo);
	spark__draw(c, x + TIME_W + 1, y, (int)n, h->role, v, n, 1);
	draw__text(c, x + TIME_W + 2 + (int)n, y, TIME_W, ROLE_DIM, hi);
	return TIME_W + 2 + (int)n + text__width(hi);
}
