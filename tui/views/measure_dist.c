// SPDX-License-Identifier: GPL-2.0-only
/* The distribution above a measure's table: of the row under the cursor, or of all. */
#include <stdio.h>

#include "tui/views/measure.h"
#include "widgets/histogram.h"

#define BARS_FROM 20 /* lines in which bars leave enough for a table */
#define BARS_MOST 12

enum { MARKS = 4 };

/* What is drawn. */
struct subject {
	const struct measure *m;
	const struct measure_row *row; /* NULL: all */
	const double *buckets;
	struct histogram_mark marks[MARKS];
	char name[160];
};

static bool has_distribution(const struct measure *m)
{
	return m->shape != MEASURE_SHAPE_COUNT || m->value;
}

bool measure_dist__next(struct measure_screen *s)
{
	if (!has_distribution(s->view->measure))
		return false;
	s->distribution = (s->distribution + 1) % DISTRIBUTIONS;
	host__redraw(s->list.base.host);
	return true;
}

static enum value_type unit_of(const struct measure *m)
{
	if (m->shape != MEASURE_SHAPE_COUNT)
		return VALUE_NS;
	return strcmp(m->value, "bytes") ? VALUE_COUNT : VALUE_BYTES;
}

static void format_value(const struct measure *m, char *buf, size_t size, u64 value)
{
	switch (unit_of(m)) {
	case VALUE_BYTES: format__bytes(buf, size, value); break;
	case VALUE_COUNT: format__count(buf, size, value); break;
	default: format__ns(buf, size, value);
	}
}

/* All where no row is under the cursor. */
static void pick(const struct measure_screen *s, struct subject *out)
{
	const struct measure_result *a = container_of(s->list.result, struct measure_result, base);
	struct listing_place at;

	*out = (struct subject){.m = a->measure, .buckets = a->buckets};
	if (s->distribution == DISTRIBUTION_ROW && listing__at(&s->list, &at))
		out->row = &a->rows[at.row];
	if (!out->row) {
		const struct histogram_mark marks[MARKS] = {
			{"p50", a->p50}, {"p95", a->p95}, {"p99", a->p99}, {"max", a->all.max}};

		memcpy(out->marks, marks, sizeof(marks));
		return;
	}
	out->buckets = out->row->buckets;
	memcpy(out->marks,
	       (struct histogram_mark[MARKS]){{"p50", out->row->p50},
					      {"p95", out->row->p95},
					      {"p99", out->row->p99},
					      {"max", out->row->v.max}},
	       sizeof(out->marks));
	at.node = UINT32_MAX;
	s->list.ops->selection(&s->list, at, out->name, sizeof(out->name));
	if (!*out->name) /* a stack is nothing to filter by */
		copy_str(out->name, sizeof(out->name), measure_row__name(a, out->row));
}

static bool is_holding(const struct subject *s)
{
	return s->m->shape == MEASURE_SHAPE_HOLDING;
}

/* Ages have none, as they are of what is held now. */
static u32 nmarks(const struct subject *s)
{
	return is_holding(s) || !s->marks[MARKS - 1].ns ? 0 : MARKS;
}

static void draw_head(const struct subject *s, struct canvas *c, struct rect r, double count,
		      const char *key)
{
	struct headline line = {c, {r.x, r.y, r.w, 1}, r.x};
	char text[16];

	headline__addf(&line, ROLE_TITLE, "%s of %s",
		       is_holding(s) ? "ages" : "distribution",
		       s->row ? "the row" : "all");
	headline__addf(&line, ROLE_DIM, " [%s] · ", key);
	format__count(text, sizeof(text), (u64)(count + 0.5));
	headline__add(&line, ROLE_TEXT, text);
	for (u32 i = 0; i < nmarks(s); i++) {
		format_value(s->m, text, sizeof(text), s->marks[i].ns);
		headline__addf(&line, ROLE_TEXT, " · %s %s", s->marks[i].name, text);
	}
	if (s->row)
		headline__addf(&line, ROLE_DIM, " · %s", s->name);
}

/* Ages of less than a thousandth of the oldest are one: a single one that is new would leave few rows to the others. */
#define AGES_APART (10 << MEASURE_SUB_SHIFT)

static void join_youngest(struct histogram_bucket *b)
{
	u32 last = MEASURE_BUCKETS - 1;

	while (last && !(b[last].n > 0))
		last--;
	for (u32 i = 0; i + AGES_APART < last; i++) {
		b[i + 1].n += b[i].n;
		b[i].n = 0;
		b[i].lo_ns = b[i + 1].lo_ns = 0;
	}
}

static double fill_buckets(const struct subject *s, struct histogram_bucket *out)
{
	double count = 0;

	for (u32 i = 0; i < MEASURE_BUCKETS; i++) {
		out[i] = (struct histogram_bucket){measure__bucket_lo(s->m, i),
						   measure__bucket_lo(s->m, i + 1), s->buckets[i]};
		count += s->buckets[i];
	}
	if (is_holding(s))
		join_youngest(out);
	return count;
}

int measure_dist__draw(struct listing *l, struct canvas *c, struct rect area)
{
	const struct measure_screen *screen = container_of(l, struct measure_screen, list);
	struct histogram_bucket buckets[MEASURE_BUCKETS];
	int bars = area.h < BARS_FROM ? 1 : MIN(area.h / 3, BARS_MOST);
	struct histogram h = {.buckets = buckets,
			      .nbuckets = MEASURE_BUCKETS,
			      .role = ROLE_COOL};
	struct subject s;
	double count;
	char key[16];

	if (!screen->distribution || area.h < 4)
		return 0;
	pick(screen, &s);
	count = fill_buckets(&s, buckets);
	host__key(l->base.host, ACTION_DISTRIBUTION, key, sizeof(key));
	draw_head(&s, c, area, count, key);
	h.unit = unit_of(s.m);
	h.marks = s.marks;
	h.nmarks = nmarks(&s);
	if (!(count >= 0.5))
		draw__text(c, area.x, area.y + 1, area.w, ROLE_DIM,
			   is_holding(&s) ? "nothing is held" : "nothing ended in the window");
	else if (bars == 1)
		histogram__line(&h, c, area.x, area.y + 1, area.w);
	else
		histogram__draw(&h, c, (struct rect){area.x, area.y + 1, area.w, bars});
	return bars + 1;
}
