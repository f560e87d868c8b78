// SPDX-License-Identifier: GPL-2.0-only
/* A heat map cut to a size: columns of equally many intervals, rows of buckets or of equal width.
 */
#include "base/arena.h"
#include "models/heat.h"

#define LINEAR_SHARE 0.999 /* of all counts lies below the last row of a linear axis */

/* --- columns --- */

/* How many intervals a column may have: what is read easily where one is a second. */
static u32 nice_slots(u64 least)
{
	static const u32 nice[] = {1, 2, 3, 5, 10, 15, 20, 30, 60, 120, 300, 600};

	for (u32 i = 0; i < ARRAY_SIZE(nice); i++)
		if (nice[i] >= least)
			return nice[i];
	return (u32)MIN(least, UINT32_MAX);
}

static void cut_columns(struct heat_grid *g, const struct heat_result *a, const struct heat_axes *x)
{
	u64 first, last;

	g->oldest = a->times[0].slot;
	g->newest = a->times[a->ntimes - 1].slot;
	g->now_ns = a->times[a->ntimes - 1].t1_ns;
	g->slots = x->slots;
	/* A column that has begun may take one more than fits. */
	for (u64 want = (g->newest - g->oldest) / x->width + 1; !g->slots; want++) {
		u32 slots = nice_slots(want);

		if (g->newest / slots - g->oldest / slots < x->width)
			g->slots = slots;
	}
	last = g->newest / g->slots;
	first = g->oldest / g->slots;
	if (last - first >= x->width)
		first = last - x->width + 1;
	if (x->has_slot && x->slot / g->slots < first)
		first = MAX(x->slot, g->oldest) / g->slots;
	g->ncols = (u32)MIN(last - first + 1, x->width);
	g->cols = xcalloc(g->ncols, sizeof(*g->cols));
	for (u32 i = 0; i < g->ncols; i++)
		g->cols[i].slot = (first + i) * g->slots;
}

/* --- rows --- */

static void grow_edges(struct heat_grid *g, u32 rows)
{
	g->nrows = rows;
	g->edges = xcalloc(rows + 1, sizeof(*g->edges));
}

/* So many buckets a row that all that have counts fit; from the lowest up as far as there is room,
 * so that a slower one moves nothing. */
static void cut_buckets(struct heat_grid *g, const struct heat_result *a, u32 height)
{
	const struct heat_source *s = a->query.source;
	u32 by = 1, first, rows;

	while ((a->end_bucket - 1) / by - a->first_bucket / by >= height)
		by++;
	first = a->first_bucket / by * by;
	rows = MIN(height, (s->nbuckets - first + by - 1) / by);
	grow_edges(g, rows);
	for (u32 i = 0; i <= rows; i++)
		g->edges[i] = s->lo(MIN(first + i * by, s->nbuckets));
	g->open = first + rows * by >= s->nbuckets;
}

static u64 nice_width(double least)
{
	u64 unit = 1;

	while ((double)unit * 10 <= least)
		unit *= 10;
	return (double)unit >= least	   ? unit
	       : (double)unit * 2 >= least ? unit * 2
	       : (double)unit * 5 >= least ? unit * 5
					   : unit * 10;
}

/* Where LINEAR_SHARE of all counts ends. */
static u64 most_below(const struct heat_result *a)
{
	const struct heat_source *s = a->query.source;
	u32 nbins = a->times[a->ntimes - 1].first + a->times[a->ntimes - 1].n;
	u64 *n = xcalloc(a->end_bucket, sizeof(*n)), below = 0;
	u32 end = a->first_bucket;

	for (u32 i = 0; i < nbins; i++)
		n[a->bins[i].bucket] += a->bins[i].n;
	while (end < a->end_bucket && (double)below < LINEAR_SHARE * (double)a->count)
		below += n[end++];
	free(n);
	return s->lo(end);
}

static void cut_evenly(struct heat_grid *g, const struct heat_result *a, u32 height)
{
	u64 width = nice_width((double)most_below(a) / MAX(height - 1, 1u));

	grow_edges(g, height);
	for (u32 i = 0; i <= height; i++)
		g->edges[i] = i * width;
	g->open = true;
}

/* --- filling --- */

static void add(struct heat_grid *g, u32 col, u32 row, double n)
{
	float *to = &g->n[row * g->ncols + col];

	*to = (float)((double)*to + n);
}

/* Evenly over a bucket's width; what lies above the last edge is in the last row. */
static void spread(struct heat_grid *g, u32 col, u64 lo, u64 hi, double n)
{
	double width = (double)MAX(hi - lo, 1);

	for (u32 r = heat_grid__row(g, lo); r < g->nrows; r++) {
		u64 end = r + 1 == g->nrows ? UINT64_MAX : g->edges[r + 1];
		u64 from = MAX(lo, g->edges[r]), to = MIN(hi, end);

		if (to <= from)
			break;
		add(g, col, r, n * (double)(to - from) / width);
	}
}

static void fill_time(struct heat_grid *g, const struct heat_result *a, const struct heat_time *t)
{
	const struct heat_source *s = a->query.source;
	u32 col = heat_grid__col(g, t->slot);
	struct heat_grid_column *c = &g->cols[col];

	if (!c->t1_ns)
		c->t0_ns = t->t0_ns;
	c->t1_ns = t->t1_ns;
	c->count += (double)t->count;
	for (u32 i = t->first; i < t->first + t->n; i++) {
		u64 lo = s->lo(a->bins[i].bucket);

		if (g->linear)
			spread(g, col, lo, s->lo(a->bins[i].bucket + 1), a->bins[i].n);
		else
			add(g, col, heat_grid__row(g, lo), a->bins[i].n);
	}
}

static void fill(struct heat_grid *g, const struct heat_result *a)
{
	u64 end = g->cols[g->ncols - 1].slot + g->slots;

	g->n = xcalloc((size_t)g->ncols * g->nrows, sizeof(*g->n));
	for (u32 i = 0; i < a->ntimes; i++)
		if (a->times[i].slot >= g->cols[0].slot && a->times[i].slot < end)
			fill_time(g, a, &a->times[i]);
	for (u32 i = 0; i < g->ncols * g->nrows; i++)
		g->max = MAX(g->max, g->n[i]);
}

void heat_grid__make(struct heat_grid *g, const struct heat_result *a, const struct heat_axes *x)
{
	*g = (struct heat_grid){.linear = x->linear};
	if (!a->ntimes || !a->count || !x->width || !x->height)
		return;
	cut_columns(g, a, x);
	if (x->linear)
		cut_evenly(g, a, x->height);
	else
		cut_buckets(g, a, x->height);
	fill(g, a);
}

void heat_grid__fini(struct heat_grid *g)
{
	free(g->cols);
	free(g->edges);
	free(g->n);
	*g = (struct heat_grid){0};
}

/* --- finding --- */

u32 heat_grid__col(const struct heat_grid *g, u64 slot)
{
	u64 col = slot < g->cols[0].slot ? 0 : (slot - g->cols[0].slot) / g->slots;

	return (u32)MIN(col, g->ncols - 1);
}

u32 heat_grid__row(const struct heat_grid *g, u64 ns)
{
	u32 lo = 0, hi = g->nrows - 1;

	while (lo < hi) {
		u32 mid = lo + (hi - lo + 1) / 2;

		if (g->edges[mid] <= ns)
			lo = mid;
		else
			hi = mid - 1;
	}
	return lo;
}
