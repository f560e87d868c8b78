// SPDX-License-Identifier: GPL-2.0-only
/* Latency heat maps: the log's bounds and times, counts that stay exact, how a grid is cut. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/arena.h"
#include "bpf/hist.h"
#include "models/heat.h"
#include "models/window_snap.h"

#define S  NSEC_PER_SEC
#define MS NSEC_PER_MSEC

/* --- the log --- */

struct builder {
	struct heat_log log;
	struct arena arena;
	struct heat_columns out;
	u64 now_ns;
};

static struct builder *begin(void)
{
	static struct builder m;

	m = (struct builder){.now_ns = 1000 * S};
	arena__init(&m.arena);
	return &m;
}

static const struct heat_column *tick(struct builder *m, u64 ns)
{
	heat_columns__put(&m->out);
	m->out = heat_log__tick(&m->log, m->now_ns, m->now_ns + ns, &m->arena);
	m->now_ns += ns;
	return m->out.v[m->out.n - 1];
}

static void end(struct builder *m)
{
	heat_columns__put(&m->out);
	heat_log__fini(&m->log);
	arena__fini(&m->arena);
}

static void a_column_has_the_counts_in_order(void **state)
{
	struct builder *m = begin();
	const struct heat_column *c;

	heat_log__add(&m->log, 1, 7, 5);
	heat_log__add(&m->log, 0, 9, 1);
	heat_log__add(&m->log, 1, 7, 3);
	heat_log__add(&m->log, 1, 2, 0);
	heat_log__add(&m->log, 1, 3, 1ULL << 40);
	c = tick(m, S);
	assert_int_equal(c->n, 3);
	assert_int_equal(c->cells[0].series, 0);
	assert_int_equal(c->cells[0].bucket, 9);
	assert_int_equal(c->cells[1].bucket, 3);
	assert_int_equal(c->cells[1].n, UINT32_MAX);
	assert_int_equal(c->cells[2].bucket, 7);
	assert_int_equal(c->cells[2].n, 8);
	assert_int_equal(c->t0_ns, 1000 * S);
	assert_int_equal(c->t1_ns, 1001 * S);
	assert_int_equal(tick(m, S)->n, 0); /* an interval without any is one */
	assert_int_equal(m->out.n, 2);
	end(m);
}

static void a_snapshot_outlives_the_log(void **state)
{
	struct builder *m = begin();

	heat_log__add(&m->log, 0, 1, 4);
	tick(m, S);
	heat_log__zero(&m->log);
	assert_int_equal(m->out.n, 1);
	assert_int_equal(m->out.v[0]->cells[0].n, 4);
	end(m);
}

static void short_intervals_are_joined(void **state)
{
	struct builder *m = begin();

	for (u32 i = 0; i < 20; i++) {
		heat_log__add(&m->log, 0, i % 2, 1);
		tick(m, S / 10);
	}
	assert_int_equal(m->out.n, 4); /* 20 x 100 ms in columns of 500 ms */
	for (u32 i = 0; i < 4; i++) {
		assert_int_equal(m->out.v[i]->slot, i);
		assert_int_equal(m->out.v[i]->t1_ns - m->out.v[i]->t0_ns, S / 2);
		assert_int_equal(m->out.v[i]->cells[0].n + m->out.v[i]->cells[1].n, 5);
	}
	end(m);
}

static void time_that_nobody_watched_is_a_gap(void **state)
{
	struct builder *m = begin();

	tick(m, S);
	m->now_ns += 30 * S;
	assert_int_equal(tick(m, S)->slot, 31);
	m->now_ns += S / 3; /* a late timer is none */
	assert_int_equal(tick(m, S)->slot, 32);
	m->now_ns -= 20 * S; /* a replay went back */
	assert_int_equal(tick(m, S)->slot, 0);
	assert_int_equal(m->out.n, 1);
	end(m);
}

static void old_columns_go(void **state)
{
	struct builder *m = begin();

	for (u32 i = 0; i < HEAT_SPAN_S + 100; i++)
		tick(m, S);
	assert_int_equal(m->out.n, HEAT_SPAN_S);
	assert_int_equal(m->out.v[0]->slot, 100);
	for (u32 i = 0; i < 2 * HEAT_MAX_COLUMNS; i++)
		tick(m, S / 3); /* joins nothing: two are more than half a second */
	assert_true(m->out.n <= HEAT_MAX_COLUMNS);
	assert_true(m->out.v[m->out.n - 1]->t1_ns - m->out.v[0]->t0_ns <= (HEAT_SPAN_S + 1) * S);
	end(m);
}

static void memory_is_bounded(void **state)
{
	struct builder *m = begin();

	for (u32 t = 0; t < 30; t++) {
		for (u32 i = 0; i < HEAT_COLUMN_CELLS; i++)
			heat_log__add(&m->log, i / 128, i % 128, 1);
		heat_log__add(&m->log, 1, 1, 77);
		heat_log__add(&m->log, HEAT_MAX_SERIES, 1, 1);
		assert_int_equal(tick(m, S)->left_out, 78);
	}
	assert_int_equal(m->out.n, HEAT_MAX_CELLS / HEAT_COLUMN_CELLS);
	assert_true(heat_log__bytes(&m->log) < 12 << 20);
	end(m);
}

/* --- queries, on a source whose truth is known --- */

#define SECONDS 100

struct fake {
	struct builder *m;
	struct window_snap snap;
	struct frame frame;
	struct heat_query query;
	u64 truth[SECONDS][HIST_BUCKETS]; /* of series 0 */
	struct heat_result *result;
};

static const struct heat_kind fake_kinds[] = {{"first", "waits"}, {"second", "waits"}};

static u64 fake_lo(u32 bucket)
{
	return hist__lo(bucket);
}

static bool fake_counts(const struct snap *snap, const void *query, u32 kind, u32 part, u32 series)
{
	return series == kind || part == 9;
}

static const struct heat_source fake_source = {
	.view = "fake",
	.model = MODEL_SCHED,
	.kinds = fake_kinds,
	.nkinds = 2,
	.query_size = 8,
	.nbuckets = HIST_BUCKETS,
	.lo = fake_lo,
	.counts = fake_counts,
};

static void put(struct fake *f, u32 second, u64 ns, u32 n)
{
	heat_log__add(&f->m->log, 0, hist__bucket(ns), n);
	f->truth[second][hist__bucket(ns)] += n;
}

static struct fake *fake_begin(void)
{
	static struct fake f;
	u64 zero = 0;

	f = (struct fake){.m = begin()};
	atomic_init(&f.snap.base.refs, 1);
	heat_query__init(&f.query, &fake_source, &zero);
	return &f;
}

static void ask(struct fake *f)
{
	f->snap.heat = f->m->out;
	f->snap.base.t0_ns = f->m->now_ns - S;
	f->snap.base.t1_ns = f->m->now_ns;
	f->frame.snaps[MODEL_SCHED] = &f->snap.base;
	if (f->result)
		query_result__free(&f->result->base);
	f->result = heat__query(&f->frame, &f->query);
}

static void fake_end(struct fake *f)
{
	query_result__free(&f->result->base);
	assert_int_equal(atomic_load(&f->snap.base.refs), 1);
	end(f->m);
}

/* 10 us each second, more and more; every tenth second 5 at 30 ms; another series at 1 s. */
static struct fake *known_load(void)
{
	struct fake *f = fake_begin();

	for (u32 t = 0; t < SECONDS; t++) {
		put(f, t, 10000, t + 1);
		if (t % 10 == 0)
			put(f, t, 30 * MS, 5);
		heat_log__add(&f->m->log, 1, hist__bucket(S), 3);
		tick(f->m, S);
	}
	ask(f);
	return f;
}

static void counts_are_those_of_the_kind(void **state)
{
	struct fake *f = known_load();

	assert_int_equal(f->result->ntimes, SECONDS);
	assert_int_equal(f->result->count, SECONDS * (SECONDS + 1) / 2 + SECONDS / 10 * 5);
	assert_int_equal(f->result->first_bucket, hist__bucket(10000));
	assert_int_equal(f->result->end_bucket, hist__bucket(30 * MS) + 1);
	f->query.kind = 1;
	ask(f);
	assert_int_equal(f->result->count, 3 * SECONDS);
	f->query.part = 9;
	ask(f);
	assert_int_equal(f->result->count,
			 SECONDS * (SECONDS + 1) / 2 + SECONDS / 10 * 5 + 3 * SECONDS);
	f->query.last = true;
	ask(f);
	assert_int_equal(f->result->count, SECONDS + 3);
	fake_end(f);
}

static void rows_are_all_that_there_is(void **state)
{
	struct fake *f = known_load();
	const struct row_table *t = &f->result->base.table;
	u64 sum = 0;
	double first_share = 0;

	assert_int_equal(t->nrows, SECONDS + SECONDS / 10);
	for (u32 i = 0; i < t->nrows; i++) {
		struct value ago, lo, hi, n;
		u32 second;

		assert_true(t->cell(t, i, 0, &ago) && t->cell(t, i, 1, &lo) &&
			    t->cell(t, i, 2, &hi) && t->cell(t, i, 3, &n));
		second = SECONDS - 1 - (u32)(ago.u / S);
		assert_int_equal(n.u, f->truth[second][hist__bucket(lo.u)]);
		assert_int_equal(hi.u, hist__lo(hist__bucket(lo.u) + 1));
		sum += n.u;
	}
	assert_int_equal(sum, f->result->count);
	/* of second 90: 91 short ones and 5 long ones, the long ones first */
	for (u32 i = 0; i < t->nrows; i++) {
		struct value lo, share;

		t->cell(t, i, 1, &lo);
		t->cell(t, i, 4, &share);
		if (lo.u > MS && !(first_share > 0))
			first_share = share.f;
	}
	assert_float_equal(first_share, 100.0 * 5 / 96, 1e-9);
	fake_end(f);
}

/* Each count of each second is in the cell that its time and duration say, whatever the size. */
static void check_grid(const struct fake *f, const struct heat_axes *x)
{
	struct heat_grid g;
	double sum = 0;

	heat_grid__make(&g, f->result, x);
	assert_true(g.ncols && g.ncols <= x->width && g.nrows && g.nrows <= x->height);
	for (u32 c = 0; c < g.ncols; c++) {
		double in_column = 0;

		for (u32 r = 0; r < g.nrows; r++) {
			u64 want = 0;

			for (u32 s = 0; s < g.slots; s++)
				for (u32 b = 0; b < HIST_BUCKETS; b++)
					if (g.cols[c].slot + s < SECONDS &&
					    hist__lo(b) >= g.edges[r] &&
					    hist__lo(b) < g.edges[r + 1])
						want += f->truth[g.cols[c].slot + s][b];
			if (!x->linear)
				assert_float_equal(heat_grid__n(&g, c, r), (double)want, 1e-6);
			in_column += (double)heat_grid__n(&g, c, r);
		}
		assert_float_equal(in_column, g.cols[c].count, 1e-2);
		sum += in_column;
	}
	if (!x->slots)
		assert_float_equal(sum, (double)f->result->count, 1);
	heat_grid__fini(&g);
}

static void a_grid_of_any_size_is_exact(void **state)
{
	struct fake *f = known_load();

	for (u32 w = 1; w < 130; w += w < 12 ? 1 : 7)
		for (u32 h = 1; h < 60; h += h < 12 ? 1 : 5)
			for (u32 linear = 0; linear < 2; linear++)
				check_grid(f, &(struct heat_axes){
						      .width = w, .height = h, .linear = linear});
	fake_end(f);
}

static void columns_stay_as_time_goes_on(void **state)
{
	struct fake *f = known_load();
	const struct heat_axes x = {.width = 40, .height = 10};
	struct heat_grid a, b;

	heat_grid__make(&a, f->result, &x);
	tick(f->m, S);
	ask(f);
	heat_grid__make(&b, f->result, &x);
	assert_int_equal(a.slots, 3);
	assert_int_equal(b.slots, 3);
	assert_int_equal(b.cols[0].slot, 0);
	for (u32 r = 0; r < a.nrows; r++) {
		assert_int_equal(a.edges[r], b.edges[r]);
		for (u32 c = 0; c < a.ncols; c++)
			assert_float_equal(heat_grid__n(&a, c, r), heat_grid__n(&b, c, r), 1e-9);
	}
	heat_grid__fini(&a);
	heat_grid__fini(&b);
	fake_end(f);
}

static void a_zoom_shows_the_newest_or_what_is_asked_for(void **state)
{
	struct fake *f = known_load();
	struct heat_axes x = {.width = 20, .height = 10, .slots = 2};
	struct heat_grid g;

	heat_grid__make(&g, f->result, &x);
	assert_int_equal(g.ncols, 20);
	assert_int_equal(g.cols[19].slot, 98);
	assert_int_equal(g.cols[0].slot, 60);
	heat_grid__fini(&g);
	x.has_slot = true;
	x.slot = 33;
	heat_grid__make(&g, f->result, &x);
	assert_int_equal(g.cols[0].slot, 32);
	assert_int_equal(heat_grid__col(&g, 33), 0);
	assert_int_equal(heat_grid__col(&g, 99), 19);
	heat_grid__fini(&g);
	fake_end(f);
}

static void a_gap_is_told_from_nothing(void **state)
{
	struct fake *f = fake_begin();
	struct heat_grid g;

	put(f, 0, MS, 1);
	tick(f->m, S);
	f->m->now_ns += 3 * S;
	tick(f->m, S);
	ask(f);
	heat_grid__make(&g, f->result, &(struct heat_axes){.width = 10, .height = 4});
	assert_int_equal(g.ncols, 5);
	assert_int_equal(g.cols[2].t1_ns, 0);
	assert_int_equal(g.cols[4].t1_ns, f->m->now_ns);
	assert_float_equal(g.cols[4].count, 0, 1e-9);
	heat_grid__fini(&g);
	fake_end(f);
}

static void linear_rows_leave_out_none(void **state)
{
	struct fake *f = fake_begin();
	struct heat_grid g;

	put(f, 0, 2 * MS, 100000);
	put(f, 0, 20 * S, 1); /* one that would make all others one row */
	tick(f->m, S);
	ask(f);
	heat_grid__make(&g, f->result, &(struct heat_axes){.width = 10, .height = 12, .linear = 1});
	assert_true(g.open);
	assert_true(g.edges[11] < 10 * MS);
	assert_float_equal(heat_grid__n(&g, 0, 11), 1, 1e-6);
	assert_int_equal(heat_grid__row(&g, 20 * S), 11);
	assert_int_equal(heat_grid__row(&g, 0), 0);
	heat_grid__fini(&g);
	fake_end(f);
}

static void nothing_is_no_grid(void **state)
{
	struct fake *f = fake_begin();
	struct heat_grid g;

	tick(f->m, S);
	ask(f);
	heat_grid__make(&g, f->result, &(struct heat_axes){.width = 10, .height = 4});
	assert_int_equal(g.ncols, 0);
	assert_null(g.n);
	heat_grid__fini(&g);
	fake_end(f);
}

static void octaves_are_powers_of_two_of_a_microsecond(void **state)
{
	assert_int_equal(hist__octave(0), 0);
	assert_int_equal(hist__octave(999), 0);
	for (u32 i = 1; i < HIST_OCTAVES; i++) {
		assert_int_equal(hist__octave(hist__octave_lo(i)), i);
		assert_int_equal(hist__octave(hist__octave_lo(i) - 1), i - 1);
	}
	assert_int_equal(hist__octave(UINT64_MAX), HIST_OCTAVES - 1);
}

static void a_range_is_half_open(void **state)
{
	const struct heat_range all = {0}, r = {10 * S, 20 * S, MS, 2 * MS};

	assert_true(heat_range__has(&all, 5, 5));
	assert_true(heat_range__has(&r, 10 * S, MS));
	assert_false(heat_range__has(&r, 20 * S, MS));
	assert_false(heat_range__has(&r, 15 * S, 2 * MS));
	assert_false(heat_range__has(&r, 10 * S - 1, MS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_column_has_the_counts_in_order),
		cmocka_unit_test(a_snapshot_outlives_the_log),
		cmocka_unit_test(short_intervals_are_joined),
		cmocka_unit_test(time_that_nobody_watched_is_a_gap),
		cmocka_unit_test(old_columns_go),
		cmocka_unit_test(memory_is_bounded),
		cmocka_unit_test(counts_are_those_of_the_kind),
		cmocka_unit_test(rows_are_all_that_there_is),
		cmocka_unit_test(a_grid_of_any_size_is_exact),
		cmocka_unit_test(columns_stay_as_time_goes_on),
		cmocka_unit_test(a_zoom_shows_the_newest_or_what_is_asked_for),
		cmocka_unit_test(a_gap_is_told_from_nothing),
		cmocka_unit_test(linear_rows_leave_out_none),
		cmocka_unit_test(nothing_is_no_grid),
		cmocka_unit_test(octaves_are_powers_of_two_of_a_microsecond),
		cmocka_unit_test(a_range_is_half_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
