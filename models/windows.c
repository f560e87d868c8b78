// SPDX-License-Identifier: GPL-2.0-only
#include "models/windows.h"

#include <math.h>

#include "base/arena.h"

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

/* The epochs that end where the interval begins. */
static u32 ended_epochs(struct window_clock *c, u64 t0_ns)
{
	u64 epoch = (u64)(PROFILE_HALF_LIFE_S * NSEC_PER_SEC), n;

	if (!c->begun || t0_ns < c->epoch_ns)
		c->epoch_ns = t0_ns;
	n = (t0_ns - c->epoch_ns) / epoch;
	c->epoch_ns += n * epoch;
	return (u32)MIN(n, (u64)WINDOW_EPOCHS);
}

struct window_pace window_clock__pace(struct window_clock *c, u64 t0_ns, u64 t1_ns,
				      u64 window_ns[WINDOWS])
{
	struct window_pace p = {.epochs = ended_epochs(c, t0_ns)};

	p.keep = window_clock__advance(c, t0_ns, t1_ns, window_ns);
	return p;
}

void window_max__advance(struct window_max *m, u32 ended, u64 now)
{
	if (ended) {
		memmove(m->epochs + ended, m->epochs, (WINDOW_EPOCHS - ended) * sizeof(u64));
		memset(m->epochs, 0, ended * sizeof(u64));
	}
	m->epochs[0] = MAX(m->epochs[0], now);
}

u64 window_max__get(const struct window_max *m)
{
	u64 most = 0;

	for (u32 i = 0; i < WINDOW_EPOCHS; i++)
		most = MAX(most, m->epochs[i]);
	return most;
}

void window_max__merge(struct window_max *to, const struct window_max *from)
{
	for (u32 i = 0; i < WINDOW_EPOCHS; i++)
		to->epochs[i] = MAX(to->epochs[i], from->epochs[i]);
}

void window_sums__advance(const struct window_sums *s, double keep, u64 *out, u32 stride)
{
	for (u32 i = 0; i < s->n; i++) {
		s->decay[i] = window__decay(s->decay[i], keep, (double)s->now[i]);
		s->total[i] += s->now[i];
		out[WINDOW_LAST * stride + i] = s->now[i];
		out[WINDOW_DECAY * stride + i] = (u64)(s->decay[i] + 0.5);
		out[WINDOW_TOTAL * stride + i] = s->total[i];
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

static struct window_sums sums_of(const struct window_track *t)
{
	return (struct window_sums){t->nsums, t->now, t->total, t->decay};
}

void window_track__advance(const struct window_track *t, const struct window_pace *p, u64 *out)
{
	const struct window_sums sums = sums_of(t);
	u32 n = t->nsums + t->nmaxima;

	window_sums__advance(&sums, p->keep, out, n);
	for (u32 i = 0; i < t->nmaxima; i++) {
		u32 at = t->nsums + i;

		window_max__advance(&t->max[i], p->epochs, t->now[at]);
		t->total[at] = MAX(t->total[at], t->now[at]);
		out[WINDOW_LAST * n + at] = t->now[at];
		out[WINDOW_DECAY * n + at] = window_max__get(&t->max[i]);
		out[WINDOW_TOTAL * n + at] = t->total[at];
		t->now[at] = 0;
	}
}

void window__add(u64 *to, const u64 *from, u32 nsums, u32 nmaxima)
{
	for (u32 i = 0; i < nsums; i++)
		to[i] += from[i];
	for (u32 i = nsums; i < nsums + nmaxima; i++)
		to[i] = MAX(to[i], from[i]);
}

void window_track__merge(const struct window_track *to, const struct window_track *from)
{
	window__add(to->now, from->now, to->nsums, to->nmaxima);
	window__add(to->total, from->total, to->nsums, to->nmaxima);
	for (u32 i = 0; i < to->nsums; i++)
		to->decay[i] += from->decay[i];
	for (u32 i = 0; i < to->nmaxima; i++)
		window_max__merge(&to->max[i], &from->max[i]);
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

bool *heat__coldest_half(void *v, u32 n, size_t size, double (*heat_of)(void *entry))
{
	double *heat = xmalloc(MAX(n, 1u) * sizeof(*heat));
	bool *cold = xmalloc(MAX(n, 1u) * sizeof(*cold));

	for (u32 i = 0; i < n; i++)
		heat[i] = heat_of((char *)v + i * size);
	heat__coldest(heat, n, n / 2, cold);
	free(heat);
	return cold;
}
