// SPDX-License-Identifier: GPL-2.0-only
#include "models/windows.h"

#include <math.h>

#include "core/arena.h"

/* Less than this of anything has decayed: it would only cost time on the way to 0. */
#define DECAYED 1e-3

double window_clock__advance(struct window_clock *c, u64 t0_ns, u64 t1_ns, u64 window_ns[WINDOWS])
{
	u64 dt = t1_ns > t0_ns ? t1_ns - t0_ns : 0;
	double keep = exp2(-(double)dt / NSEC_PER_SEC / PROFILE_HALF_LIFE_S);

	if (!c->begun)
		c->since_ns = t0_ns;
	c->begun = true;
	c->decay_ns = c->decay_ns * keep + (double)dt;
	window_ns[WINDOW_LAST] = dt;
	window_ns[WINDOW_DECAY] = (u64)c->decay_ns;
	window_ns[WINDOW_TOTAL] = t1_ns > c->since_ns ? t1_ns - c->since_ns : 0;
	return keep;
}

double window__decay(double sum, double keep, double now)
{
	sum = sum * keep + now;
	return sum < DECAYED ? 0 : sum;
}

void window_sums__advance(const struct window_sums *s, double keep, u64 *const out[WINDOWS])
{
	for (u32 i = 0; i < s->n; i++) {
		s->decay[i] = window__decay(s->decay[i], keep, (double)s->now[i]);
		s->total[i] += s->now[i];
		out[WINDOW_LAST][i] = s->now[i];
		out[WINDOW_DECAY][i] = (u64)(s->decay[i] + 0.5);
		out[WINDOW_TOTAL][i] = s->total[i];
		s->now[i] = 0;
	}
}

void window_sums__merge(const struct window_sums *to, const struct window_sums *from)
{
	for (u32 i = 0; i < to->n; i++) {
		to->now[i] += from->now[i];
		to->total[i] += from->total[i];
		to->decay[i] += from->decay[i];
	}
}

double window_sums__heat(const struct window_sums *s)
{
	double heat = 0;

	for (u32 i = 0; i < s->n; i++)
		heat += s->decay[i] + (double)s->now[i];
	return heat;
}

static int by_heat(const void *pa, const void *pb, void *ctx)
{
	const double *heat = ctx;
	u32 a = *(const u32 *)pa, b = *(const u32 *)pb;

	if (heat[a] != heat[b])
		return heat[a] < heat[b] ? -1 : 1;
	return a < b ? -1 : a > b;
}

void heat__coldest(const double *heat, u32 n, u32 wanted, bool *cold)
{
	u32 *order = xmalloc(MAX(n, 1u) * sizeof(*order));

	for (u32 i = 0; i < n; i++) {
		order[i] = i;
		cold[i] = false;
	}
	qsort_r(order, n, sizeof(*order), by_heat, (void *)heat);
	for (u32 i = 0; i < MIN(n, wanted); i++)
		cold[order[i]] = true;
	free(order);
}
