// SPDX-License-Identifier: GPL-2.0-only
/* Single requests of block I/O: the slowest, and sampled ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/command_lines.h"
#include "models/heat.h"
#include "tests/lib/fake_symbols.h"
#include "tests/lib/io_builder.h"
#include "tests/lib/rows.h"

/* --- slow ones --- */

static void the_slowest_come_first_with_their_stacks(void **state)
{
	struct builder *m = *state;
	u32 object = fake__object(m->symbols, "[kernel]", CODE_KERNEL);
	u32 func = fake__func(m->symbols, object, "submit_bio", 0);
	u64 ips[1] = {fake__loc(m->symbols, object, func, 16)};
	struct stack_def def = {
		.head.type = SAMPLE_STACK_DEF, .hash = 5, .nkernel = 1, .named = true, .ips = ips};
	struct io_slow_result *a;
	const struct io_snap *s;
	u64 key;

	model_io.consume(m->model, &def.head);
	for (u32 i = 1; i <= IO_MAX_SLOW + 100; i++)
		put_slow(m, m->now_ns + i, i * 1000, 5);
	s = tick(m);
	a = io__slow(s, &(struct io_slow_query){.dev = 0}, NULL);
	assert_int_equal(a->nrows, IO_MAX_SLOW);
	assert_int_equal(a->rows[0]->s.total_ns, (IO_MAX_SLOW + 100) * 1000);
	assert_int_equal(a->rows[IO_MAX_SLOW - 1]->s.total_ns, 101 * 1000);
	assert_int_equal(table_cell(&a->base.table, 0, "queued_ns").type, VALUE_NONE);
	assert_int_equal(table_cell(&a->base.table, 0, "stack").n, 1);
	assert_int_equal(table_cell(&a->base.table, 0, "outside_ns").type, VALUE_NONE);
	key = a->base.table.key(&a->base.table, 0);
	query_result__free(&a->base);
	a = io__slow(s,
		     &(struct io_slow_query){
			     .by_dev = true, .dev = VDA, .nunfolded = 1, .unfolded = {key}},
		     NULL);
	assert_int_equal(a->base.nnodes, 1);
	assert_string_equal(a->base.nodes[0].name, "submit_bio");
	query_result__free(&a->base);
	a = io__slow(s, &(struct io_slow_query){.by_dev = true, .dev = LOOP0}, NULL);
	assert_int_equal(a->nrows, 0);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void runtimes_name_who_began_them(void **state)
{
	struct builder *m = *state;
	struct io_slow_result *a;
	const struct io_snap *s;

	command_lines__learn(10, 1, "service");
	command_lines__learn_thread(10, 11, "writer of the log");
	put_slow(m, m->now_ns + 1, 1000, 0);
	s = tick(m);
	a = io__slow(s, &(struct io_slow_query){.dev = 0}, NULL);
	assert_string_equal(table_cell(&a->base.table, 0, "thread_name").s, "writer of the log");
	assert_string_equal(table_cell(&a->base.table, 0, "comm").s, "db");
	query_result__free(&a->base);
	snap__put(&s->base);
	command_lines__forget_all();
}

static void parts_sum_to_the_total(void **state)
{
	struct builder *m = *state;
	struct io_slow_sample s = {.head.type = SAMPLE_IO_SLOW,
				   .who = {.device = vda()},
				   .t_ns = m->now_ns + 1,
				   .total_ns = 26500000,
				   .queued_ns = 2750,
				   .device_ns = 54800};
	struct io_slow_result *a;
	const struct io_snap *snap;

	model_io.consume(m->model, &s.head);
	s.queued_ns = 0; /* without a scheduler */
	s.total_ns--;
	model_io.consume(m->model, &s.head);
	snap = tick(m);
	a = io__slow(snap, &(struct io_slow_query){.dev = 0}, NULL);
	assert_int_equal(table_cell(&a->base.table, 0, "outside_ns").u + 2750 + 54800, 26500000);
	assert_int_equal(table_cell(&a->base.table, 1, "outside_ns").u + 54800, 26499999);
	query_result__free(&a->base);
	snap__put(&snap->base);
}

/* --- sampled ones --- */

static void put_stack(struct builder *m, u32 tgid, u64 stack, u32 weight, u32 bytes, u64 ns)
{
	struct io_stack_sample s = {.head.type = SAMPLE_IO_STACK,
				    .who = {.device = vda(), .tgid = tgid, .comm = "db"},
				    .weight = weight,
				    .bytes = bytes,
				    .total_ns = ns,
				    .stack = stack};

	model_io.consume(m->model, &s.head);
}

static void sampled_requests_stand_for_as_many_as_they_say(void **state)
{
	struct builder *m = *state;
	struct io_query q = {.window = WINDOW_LAST};
	const struct io_snap *s;

	put_stack(m, 10, 0, 1, 4096, MS);
	put_stack(m, 10, 0, 16, 512, 2 * MS);
	s = tick(m);
	assert_int_equal(s->nstacks, 1);
	assert_float_equal(s->stacks[0].sums[WINDOW_LAST].n[IO_WEIGHT_COUNT], 17, 0);
	assert_float_equal(s->stacks[0].sums[WINDOW_TOTAL].n[IO_WEIGHT_BYTES], 4096 + 16 * 512, 0);
	assert_float_equal(s->stacks[0].sums[WINDOW_LAST].n[IO_WEIGHT_NS], 33.0 * MS, 0);
	/* 100 * sqrt(16 * 15) / 17: more than there is */
	assert_float_equal(io__stacks_error(s, &q, NULL), 91.13, 0.01);
	q.by_dev = true;
	q.dev = LOOP0;
	assert_float_equal(io__stacks_error(s, &q, NULL), 0, 0);
	snap__put(&s->base);
	put_stack(m, 10, 0, 1, 4096, MS);
	s = tick(m);
	q.by_dev = false;
	assert_float_equal(io__stacks_error(s, &q, NULL), 0, 0);
	snap__put(&s->base);
}

/* What is random is taken from a known sequence: 4,000 requests of two kinds, a quarter of them in
 * the first, each with a chance of 1 in 16. */
static void the_error_that_is_said_is_that_of_shares(void **state)
{
	struct builder *m = *state;
	struct io_query q = {.window = WINDOW_LAST};
	u64 random = 1;
	u32 within = 0;

	for (u32 run = 0; run < 200; run++) {
		const struct io_snap *s;
		double first = 0, all = 0;

		for (u32 i = 0; i < 4000; i++) {
			random = mix64(random + i);
			if (!(random >> 60))
				put_stack(m, 10 + (i % 4 > 0), 0, 16, 4096, MS);
		}
		s = tick(m);
		for (u32 i = 0; i < s->nstacks; i++) {
			double n = s->stacks[i].sums[WINDOW_LAST].n[IO_WEIGHT_COUNT];

			all += n;
			first += s->stacks[i].who.tgid == 10 ? n : 0;
		}
		within += fabs(100 * first / all - 25) <= io__stacks_error(s, &q, NULL);
		snap__put(&s->base);
	}
	assert_true(within >= 190);
}

static void stacks_are_bounded_and_their_sums_stay(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;
	double all = 0;

	for (u32 i = 0; i < 2 * IO_MAX_STACKS; i++)
		put_stack(m, 1 + i, 0, 1, 4096, MS);
	s = tick(m);
	assert_true(s->nstacks <= IO_MAX_STACKS);
	for (u32 i = 0; i < s->nstacks; i++)
		all += s->stacks[i].sums[WINDOW_TOTAL].n[IO_WEIGHT_COUNT];
	assert_float_equal(all, 2 * IO_MAX_STACKS, 0);
	snap__put(&s->base);
}

static void a_row_without_a_stack_says_so(void **state)
{
	struct builder *m = *state;
	struct io_slow_query q = {.nunfolded = 1};
	const struct io_snap *s;
	struct io_slow_result *a;

	put_slow(m, m->now_ns, MS, 0);
	s = tick(m);
	a = io__slow(s, &q, NULL);
	assert_int_equal(a->base.nnodes, 0);
	q.unfolded[0] = a->base.table.key(&a->base.table, 0);
	query_result__free(&a->base);
	a = io__slow(s, &q, NULL);
	assert_int_equal(a->base.nnodes, 1);
	assert_non_null(strstr(a->base.nodes[0].name, "no stack"));
	assert_int_equal(table_cell(&a->base.table, 0, "stack").n, 0);
	query_result__free(&a->base);
	snap__put(&s->base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(the_slowest_come_first_with_their_stacks),
		T(runtimes_name_who_began_them),
		T(parts_sum_to_the_total),
		T(sampled_requests_stand_for_as_many_as_they_say),
		T(the_error_that_is_said_is_that_of_shares),
		T(stacks_are_bounded_and_their_sums_stay),
		T(a_row_without_a_stack_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
