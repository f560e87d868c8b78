// SPDX-License-Identifier: GPL-2.0-only
#include "models/growth.h"

#include <math.h>

#define LEAST_MARKS 6 /* fewer may rise by chance */
#define LEAST_RISES 4 /* one is a step: a table that was allocated, or a single sample of many bytes */

/* The interval whose end is the nearest to that of the span ends it. */
static bool is_over(const struct growth_clock *c, u64 t0_ns, u64 t1_ns)
{
	return t1_ns + (t1_ns - t0_ns) / 2 >= c->first_ns + c->n * c->step_ns;
}

struct growth_step growth_clock__tick(struct growth_clock *c, u64 t0_ns, u64 t1_ns)
{
	struct growth_step s = {0};

	if (!c->n) {
		c->first_ns = t1_ns;
		c->step_ns = MAX(t1_ns - t0_ns, 1ULL);
	}
	if (c->n == GROWTH_POINTS) {
		s.halve = true;
		c->n /= 2;
		c->first_ns += c->step_ns;
		c->step_ns *= 2;
	}
	s.add = is_over(c, t0_ns, t1_ns);
	if (s.add)
		s.at = c->n++;
	return s;
}

void growth_series__advance(struct growth_series *g, const struct growth_step *s, float value)
{
	for (u32 i = 0; s->halve && i < GROWTH_POINTS / 2; i++)
		g->marks[i] = MIN(g->marks[2 * i], g->marks[2 * i + 1]);
	g->least = MIN(g->least, value);
	if (!s->add)
		return;
	g->marks[s->at] = g->least;
	g->least = INFINITY;
}

void growth_series__merge(struct growth_series *to, const struct growth_series *from)
{
	to->least = isinf(to->least) ? from->least : to->least + from->least;
	for (u32 i = 0; i < GROWTH_POINTS; i++)
		to->marks[i] += from->marks[i];
}

/* Rises less falls among all pairs, and its variance where nothing grows, with ties. */
static int pairs(const float *v, u32 n, double *variance)
{
	int rises = 0;

	*variance = n * (n - 1.0) * (2.0 * n + 5) / 18;
	for (u32 i = 0; i < n; i++) {
		u32 same = 0, before = 0;

		for (u32 k = 0; k < n; k++) {
			same += v[k] == v[i];
			before += k < i && v[k] == v[i];
			rises += k > i ? (v[k] > v[i]) - (v[k] < v[i]) : 0;
		}
		if (!before)
			*variance -= same * (same - 1.0) * (2.0 * same + 5) / 18;
	}
	return rises;
}

static bool is_above(const float *v, u32 n)
{
	float most = v[0], least = v[n - 1];

	for (u32 i = 0; i < n / 3; i++) {
		most = MAX(most, v[i]);
		least = MIN(least, v[n - 1 - i]);
	}
	return least > most;
}

static u32 rises_in(const float *v, u32 n)
{
	u32 rises = 0;

	for (u32 i = 1; i < n; i++)
		rises += v[i] > v[i - 1];
	return rises;
}

/* The last of the lowest ones: since then it grows. */
static u32 lowest(const float *v, u32 n)
{
	u32 at = 0;

	for (u32 i = 1; i + 1 < n; i++)
		if (v[i] <= v[at])
			at = i;
	return at;
}

/* Of the straight line with the least squares, per mark. */
static double slope(const float *v, u32 n)
{
	double mid = (n - 1) / 2.0, xy = 0, xx = 0;

	for (u32 i = 0; i < n; i++) {
		xy += (i - mid) * v[i];
		xx += (i - mid) * (i - mid);
	}
	return xx > 0 ? xy / xx : 0;
}

struct growth growth__judge(const float marks[GROWTH_POINTS], const struct growth_clock *c)
{
	struct growth g = {0};
	double variance;
	u32 from;
	int rises;

	if (c->n < LEAST_MARKS)
		return g;
	rises = pairs(marks, c->n, &variance);
	if (rises <= 1 || variance <= 0 || !is_above(marks, c->n) || rises_in(marks, c->n) < LEAST_RISES)
		return g;
	from = lowest(marks, c->n);
	g.sure_pct = MIN((u32)(50 * (1 + erf((rises - 1) / sqrt(2 * variance)))), 99u);
	g.per_min = slope(marks + from, c->n - from) * 60e9 / (double)c->step_ns;
	g.from_ns = c->first_ns + from * c->step_ns - c->step_ns;
	return g;
}
