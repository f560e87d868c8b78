// SPDX-License-Identifier: GPL-2.0-only
#include "models/growth.h"

#include <math.h>

#define LEAST_MARKS 8 /* fewer may rise by chance */
#define LEAST_NS    (30 * NSEC_PER_SEC) /* what begins to work fills its tables; a cycle rises, too */
#define LEAST_RISES 4 /* one is a step: a table that was allocated, or a single sample of many bytes */

/* The interval whose end is the nearest to that of the span ends it. */
static bool is_over(const struct growth_clock *c, u64 t0_ns, u64 t1_ns)
{
	u64 began = c->n ? c->ends_ns[c->n - 1] : c->begin_ns;

	return t1_ns + (t1_ns - t0_ns) / 2 >= began + c->step_ns;
}

struct growth_step growth_clock__tick(struct growth_clock *c, u64 t0_ns, u64 t1_ns)
{
	struct growth_step s = {0};

	if (!c->n) {
		c->begin_ns = t0_ns;
		c->step_ns = MAX(t1_ns - t0_ns, 1ULL);
	}
	if (c->n == GROWTH_POINTS) {
		s.halve = true;
		c->n /= 2;
		for (u32 i = 0; i < c->n; i++)
			c->ends_ns[i] = c->ends_ns[2 * i + 1];
		/* As long as those that are there have become. */
		c->step_ns = MAX(c->step_ns * 2, (c->ends_ns[c->n - 1] - c->begin_ns) / c->n);
	}
	s.add = is_over(c, t0_ns, t1_ns);
	if (!s.add)
		return s;
	s.at = c->n++;
	c->ends_ns[s.at] = t1_ns;
	return s;
}

void growth_series__advance(struct growth_series *g, const struct growth_step *s, float value, float acquired)
{
	for (u32 i = 0; s->halve && i < GROWTH_POINTS / 2; i++) {
		g->marks[i] = MIN(g->marks[2 * i], g->marks[2 * i + 1]);
		g->peaks[i] = MAX(g->peaks[2 * i], g->peaks[2 * i + 1]);
		g->acquired[i] = g->acquired[2 * i + 1];
	}
	g->least = MIN(g->least, value);
	g->most = MAX(g->most, value);
	if (!s->add)
		return;
	g->marks[s->at] = g->least;
	g->peaks[s->at] = g->most;
	g->acquired[s->at] = acquired;
	g->least = INFINITY;
	g->most = 0;
}

void growth_series__merge(struct growth_series *to, const struct growth_series *from)
{
	to->least = isinf(to->least) ? from->least : to->least + from->least;
	to->most += from->most;
	for (u32 i = 0; i < GROWTH_POINTS; i++) {
		to->marks[i] += from->marks[i];
		to->peaks[i] += from->peaks[i];
		to->acquired[i] += from->acquired[i];
	}
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

/* Of the straight line with the least squares, per ns. */
static double slope(const float *v, const u64 *ends_ns, u32 n)
{
	double mid = 0, xy = 0, xx = 0;

	for (u32 i = 0; i < n; i++)
		mid += (double)(ends_ns[i] - ends_ns[0]) / n;
	for (u32 i = 0; i < n; i++) {
		double x = (double)(ends_ns[i] - ends_ns[0]) - mid;

		xy += x * v[i];
		xx += x * x;
	}
	return xx > 0 ? xy / xx : 0;
}

/* What comes and goes within a span: the mean of spans from..n-1. */
static double swing_of(const struct growth_series *g, u32 from, u32 n)
{
	double all = 0;

	for (u32 i = from; i < n; i++)
		all += g->peaks[i] - g->marks[i];
	return all / (n - from);
}

/* By how much it grew of each byte that was acquired, from one mark to another. */
static double kept_of(const struct growth_series *g, u32 from, u32 to)
{
	double came = g->acquired[to] - g->acquired[from];

	return came > 0 ? (g->marks[to] - g->marks[from]) / came : 0;
}

/* What fills up keeps ever less of what comes: in the second half less than two thirds of what it kept in the first. A leak
 * keeps as much as before, also when there is less to do. */
static bool fills_up(const struct growth_series *g, u32 from, u32 to)
{
	u32 half = from + (to - from) / 2;

	return kept_of(g, half, to) < kept_of(g, from, half) * 2 / 3;
}

struct growth growth__judge(const struct growth_series *series, const struct growth_clock *c)
{
	const float *marks = series->marks;
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
	g.from_ns = from ? c->ends_ns[from - 1] : c->begin_ns;
	if (c->n - from < LEAST_MARKS / 2 || c->ends_ns[c->n - 1] - g.from_ns < LEAST_NS ||
	    fills_up(series, from, c->n - 1) || marks[c->n - 1] - marks[from] < swing_of(series, from, c->n))
		return g;
	g.sure_pct = MIN((u32)(50 * (1 + erf((rises - 1) / sqrt(2 * variance)))), 99u);
	g.per_min = slope(marks + from, c->ends_ns + from, c->n - from) * 60e9;
	g.kept_pct = MIN(100 * kept_of(series, from, c->n - 1), 100.0);
	g.from = from;
	return g;
}
