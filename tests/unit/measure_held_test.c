// SPDX-License-Identifier: GPL-2.0-only
/* What is held: rows by labels and stack, windows of what came and went, ages, what is folded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "models/stacks.h"
#include "tests/lib/fake_symbols.h"
#include "tests/lib/measure_builder.h"

static int setup(void **state)
{
	static struct measure_builder m;

	measure_builder__begin_with(&m, &model_measure_kmem);
	*state = &m;
	return 0;
}

static int teardown(void **state)
{
	measure_builder__end(*state);
	return 0;
}

/* who: {0} the rest. */
struct kept {
	struct measure_who who;
	const char *cache;
	u64 n, bytes, age_ns, came, went;
};

static void put_held(struct measure_builder *m, const struct kept *k)
{
	const struct measure_key keys[] = {{1, k->cache ? k->cache : ""}, {0, "slab"}, {2, "f"}, {0, "0"}};
	struct measure_held_sample s = {.head.type = SAMPLE_MEASURE_HELD,
					.rest = !k->who.tgid,
					.who = k->who,
					.keys = keys,
					.nkeys = 4,
					.held = k->n,
					.held_bytes = k->bytes,
					.begin_ns = k->n ? m->now_ns - k->age_ns : 0,
					.acquired = k->came,
					.acquired_bytes = k->came * 100,
					.released = k->went,
					.released_bytes = k->went * 100};

	m->ops->consume(m->model, &s.head);
}

static struct measure_result *ask(const struct measure_snap *s, const char *groups,
				  enum time_window w)
{
	struct measure_query q = {.window = w};

	assert_true(measure__parse_groups(s->measure, groups, &q.groups));
	return measure__query(s, &q, NULL);
}

static const struct measure_row *row_of(const struct measure_result *a, const char *text)
{
	for (u32 i = 0; i < a->nrows; i++)
		if (!strcmp(a->rows[i].texts[0] ? a->rows[i].texts[0] : "", text))
			return &a->rows[i];
	return NULL;
}

static u64 number_of(const struct measure_result *a, u32 row, const char *name)
{
	const struct row_table *t = &a->base.table;
	struct value v;

	for (u32 c = 0; c < t->ncolumns; c++)
		if (!strcmp(t->columns[c].name, name) && t->cell(t, row, c, &v))
			return v.type == VALUE_NONE ? UINT64_MAX : v.u;
	fail_msg("no column %s", name);
	return 0;
}

static double float_of(const struct measure_result *a, u32 row, const char *name)
{
	const struct row_table *t = &a->base.table;
	struct value v;

	for (u32 c = 0; c < t->ncolumns; c++)
		if (!strcmp(t->columns[c].name, name) && t->cell(t, row, c, &v))
			return v.f;
	fail_msg("no column %s", name);
	return 0;
}

static void what_is_held_sums_up(void **state)
{
	struct measure_builder *m = *state;
	struct measure_result *a;
	struct measure_snap *s;

	put_held(m, &(struct kept){someone(1, 1, "a"), "filp", 3, 300, 5 * MS, 4, 1});
	put_held(m, &(struct kept){someone(2, 2, "b"), "filp", 2, 250, 9 * MS, 2, 0});
	put_held(m, &(struct kept){someone(2, 2, "b"), "dentry", 1, 900, 1 * MS, 1, 0});
	s = measure_tick(m);
	a = ask(s, "cache", WINDOW_LAST);
	assert_int_equal(a->nrows, 2);
	assert_string_equal(a->rows[0].texts[0], "dentry"); /* by bytes */
	assert_int_equal(number_of(a, 1, "held"), 5);
	assert_int_equal(number_of(a, 1, "held_bytes"), 550);
	assert_int_equal(number_of(a, 1, "acquired"), 6);
	assert_int_equal(number_of(a, 1, "acquired_bytes"), 600);
	assert_int_equal(number_of(a, 1, "released"), 1);
	assert_int_equal(number_of(a, 1, "released_bytes"), 100);
	assert_true(number_of(a, 1, "oldest_ns") >= 9 * MS);
	assert_true(number_of(a, 1, "oldest_ns") < 10 * NSEC_PER_SEC);
	assert_int_equal(a->held.n, 6);
	assert_int_equal(a->held.bytes, 1450);
	a->base.free(&a->base);
	snap__put(&s->base);
}

/* Held is what is held now in any window; flows add up. */
static void held_is_of_now(void **state)
{
	struct measure_builder *m = *state;
	struct measure_result *a;
	struct measure_snap *s;

	put_held(m, &(struct kept){someone(1, 1, "a"), "filp", 3, 300, MS, 3, 0});
	snap__put(&measure_tick(m)->base);
	put_held(m, &(struct kept){someone(1, 1, "a"), "filp", 2, 200, MS, 1, 2});
	s = measure_tick(m);
	for (enum time_window w = 0; w < WINDOWS; w++) {
		a = ask(s, "cache", w);
		assert_int_equal(a->nrows, 1);
		assert_int_equal(a->rows[0].held.n, 2);
		a->base.free(&a->base);
	}
	a = ask(s, "cache", WINDOW_TOTAL);
	assert_int_equal(number_of(a, 0, "acquired"), 4);
	assert_int_equal(number_of(a, 0, "released"), 2);
	a->base.free(&a->base);
	snap__put(&s->base);
	/* Gone: it was not handed out. */
	s = measure_tick(m);
	a = ask(s, "cache", WINDOW_LAST);
	assert_int_equal(a->nrows, 0);
	assert_int_equal(a->held.n, 0);
	a->base.free(&a->base);
	a = ask(s, "cache", WINDOW_TOTAL);
	assert_int_equal(number_of(a, 0, "held"), 0);
	assert_int_equal(number_of(a, 0, "oldest_ns"), UINT64_MAX);
	a->base.free(&a->base);
	snap__put(&s->base);
}

/* Held though nothing came or went: it has a row all the same. */
static void what_rests_has_a_row(void **state)
{
	struct measure_builder *m = *state;
	struct measure_result *a;
	struct measure_snap *s;

	put_held(m, &(struct kept){someone(1, 1, "a"), "filp", 3, 300, MS, 0, 0});
	s = measure_tick(m);
	a = ask(s, "cache+pid", WINDOW_LAST);
	assert_int_equal(a->nrows, 1);
	assert_int_equal(number_of(a, 0, "held"), 3);
	assert_int_equal(number_of(a, 0, "acquired"), 0);
	a->base.free(&a->base);
	snap__put(&s->base);
}

static void releases_of_before_are_apart(void **state)
{
	struct measure_builder *m = *state;
	struct measure_held_sample s = {.head.type = SAMPLE_MEASURE_HELD, .rest = true, .unseen = 7};
	struct measure_result *a;
	struct measure_snap *snap;

	m->ops->consume(m->model, &s.head);
	put_held(m, &(struct kept){.came = 5});
	snap = measure_tick(m);
	a = ask(snap, "cache", WINDOW_LAST);
	assert_int_equal(a->all.errors, 7);
	assert_int_equal(a->nrows, 1);
	assert_true(row_of(a, "[rest]") != NULL);
	assert_int_equal(a->rows[0].v.count, 5);
	a->base.free(&a->base);
	snap__put(&snap->base);
}

/* Beyond what there is room for, what holds least is one row: nothing is lost. */
static void the_least_are_folded(void **state)
{
	const u32 n = MEASURE_MAX_ENTRIES + 1000;
	struct measure_builder *m = *state;
	struct measure_result *a;
	struct measure_snap *s;

	for (u32 i = 0; i < n; i++)
		put_held(m, &(struct kept){someone(i + 1, i + 1, "a"), "filp", 1, i + 1, MS, 1, 0});
	s = measure_tick(m);
	assert_true(s->nsampled <= MEASURE_MAX_ENTRIES);
	a = ask(s, "pid", WINDOW_LAST);
	assert_int_equal(a->held.n, n);
	assert_int_equal(a->held.bytes, (u64)n * (n + 1) / 2);
	a->base.free(&a->base);
	snap__put(&s->base);
}

/* What grows is named, with how fast and how much of it stays; what comes and goes is not. */
static void what_grows_is_named(void **state)
{
	struct measure_builder *m = *state;
	struct measure_snap *s = NULL;
	struct measure_result *a;

	for (u32 i = 1; i <= 40; i++) {
		put_held(m, &(struct kept){someone(1, 1, "a"), "filp", i, i * 100000, MS, 2000, 0});
		put_held(m, &(struct kept){someone(2, 2, "b"), "dentry", i % 3, i % 3 * 900000, MS, 9, 9});
		if (s)
			snap__put(&s->base);
		s = measure_tick(m);
	}
	a = ask(s, "cache", WINDOW_LAST);
	assert_non_null(a->grower);
	assert_string_equal(measure_row__name(a, a->grower), "filp");
	assert_float_equal(a->grower->growth.per_min, 100000.0 * 60e9 / NSEC_PER_SEC, 1e5);
	assert_int_equal(number_of(a, 1, "growth_bytes_per_min"), UINT64_MAX);
	assert_float_equal(float_of(a, 0, "kept_pct"), 50, 1);
	assert_true(float_of(a, 0, "growth_sure_pct") >= GROWTH_SURE);
	a->base.free(&a->base);
	snap__put(&s->base);
}

/* What a program holds grows, while, up to an interval, as many of its objects are released that were there before. */
static struct measure_result *held_of_program(struct measure_builder *m, u64 unseen, u32 until)
{
	const struct measure_key keys[] = {{0, "malloc"}, {1, "<=64B"}};
	struct measure_snap *s = NULL;
	struct measure_result *a;

	for (u32 i = 1; i <= 60; i++) {
		struct measure_held_sample held = {.head.type = SAMPLE_MEASURE_HELD,
						   .who = someone(1, 1, "a"),
						   .keys = keys,
						   .nkeys = 2,
						   .held = 100ull * i,
						   .held_bytes = 6400ull * i,
						   .acquired = 100,
						   .acquired_bytes = 6400};
		struct measure_held_sample rest = {
			.head.type = SAMPLE_MEASURE_HELD, .rest = true, .unseen = i <= until ? unseen : 0};

		m->ops->consume(m->model, &held.head);
		m->ops->consume(m->model, &rest.head);
		if (s)
			snap__put(&s->base);
		s = measure_tick(m);
	}
	a = ask(s, "call", WINDOW_LAST);
	snap__put(&s->base);
	return a;
}

static void what_replaces_is_no_leak(void **state)
{
	static const struct {
		u64 unseen;
		u32 until;
		bool grows;
	} kinds[] = {{0, 60, true}, {10, 60, true}, {90, 60, false}, {90, 20, true}, {90, 50, false}};

	for (u32 i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct measure_builder m;
		struct measure_result *a;

		measure_builder__begin_with(&m, &model_measure_heap);
		a = held_of_program(&m, kinds[i].unseen, kinds[i].until);
		assert_int_equal(a->grower != NULL, kinds[i].grows);
		a->base.free(&a->base);
		measure_builder__end(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_replaces_is_no_leak),
		cmocka_unit_test_setup_teardown(what_is_held_sums_up, setup, teardown),
		cmocka_unit_test_setup_teardown(held_is_of_now, setup, teardown),
		cmocka_unit_test_setup_teardown(what_rests_has_a_row, setup, teardown),
		cmocka_unit_test_setup_teardown(releases_of_before_are_apart, setup, teardown),
		cmocka_unit_test_setup_teardown(the_least_are_folded, setup, teardown),
		cmocka_unit_test_setup_teardown(what_grows_is_named, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
