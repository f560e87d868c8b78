// SPDX-License-Identifier: GPL-2.0-only
/* Who has what is waited for, and rings of those that wait for each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "models/measure.h"

#define NOW (100 * NSEC_PER_SEC)

static struct measure_waiting edges[8];
static struct measure_snap snap = {.waiting = edges};

/* waiter > holder, for so many ms. */
static void set_edges(const u32 (*v)[3], u32 n)
{
	snap.base.t1_ns = NOW;
	snap.nwaiting = n;
	for (u32 i = 0; i < n; i++)
		edges[i] = (struct measure_waiting){.waiter = {.tgid = 1, .tid = v[i][0]},
						    .tid = v[i][1],
						    .begin_ns = NOW - v[i][2] * NSEC_PER_MSEC};
}

#define EDGES(...)                                                                                 \
	do {                                                                                       \
		static const u32 v_[][3] = {__VA_ARGS__};                                          \
		set_edges(v_, ARRAY_SIZE(v_));                                                     \
	} while (0)

static const struct measure_waiting *found[8];

static u32 deadlock(void)
{
	return measure__deadlock(&snap, NULL, found, ARRAY_SIZE(found));
}

static void a_ring_is_found(void **state)
{
	EDGES({1, 2, 2000}, {2, 3, 3000}, {3, 1, 1000});
	assert_int_equal(deadlock(), 3);
	for (u32 i = 0; i < 3; i++) {
		assert_int_equal(found[i]->waiter.tid, i + 1);
		assert_int_equal(found[i]->tid, found[(i + 1) % 3]->waiter.tid);
	}
}

static void a_chain_is_none(void **state)
{
	EDGES({1, 2, 2000}, {2, 3, 2000}, {4, 2, 2000});
	assert_int_equal(deadlock(), 0);
}

static void who_leads_to_a_ring_is_not_in_it(void **state)
{
	EDGES({9, 1, 5000}, {1, 2, 2000}, {2, 1, 2000});
	assert_int_equal(deadlock(), 2);
	assert_int_equal(found[0]->waiter.tid, 1);
	assert_int_equal(found[1]->waiter.tid, 2);
}

static void two_rings_are_told_apart(void **state)
{
	EDGES({1, 2, 2000}, {3, 4, 2000}, {2, 1, 2000}, {4, 3, 2000});
	assert_int_equal(deadlock(), 4);
	assert_int_equal(found[1]->tid, 1);
	assert_int_equal(found[3]->tid, 3);
}

static void one_that_waits_for_itself_is_stuck(void **state)
{
	EDGES({1, 1, 2000});
	assert_int_equal(deadlock(), 1);
}

static u32 chain(void)
{
	return measure__chain(&snap, NULL, found, ARRAY_SIZE(found));
}

static void the_longest_chain_is_drawn(void **state)
{
	EDGES({7, 8, 2000}, {8, 3, 150}, {1, 2, 2000}, {2, 3, 200}, {3, 4, 300});
	assert_int_equal(chain(), 3);
	for (u32 i = 1; i < 3; i++)
		assert_int_equal(found[i]->waiter.tid, found[i - 1]->tid);
	assert_int_equal(found[2]->tid, 4);
}

static void one_wait_is_no_chain(void **state)
{
	EDGES({1, 2, 2000}, {2, 3, 50}, {4, 2, 2000});
	assert_int_equal(chain(), 0);
}

static void what_leads_into_a_ring_is_no_chain(void **state)
{
	EDGES({9, 1, 5000}, {1, 2, 2000}, {2, 1, 2000});
	assert_int_equal(chain(), 0);
}

static void short_waits_are_none(void **state)
{
	EDGES({1, 2, 2000}, {2, 1, 900});
	assert_int_equal(deadlock(), 0);
}

static void the_holder_is_who_kept_others_longest(void **state)
{
	static const struct measure_holder holders[] = {
		{.lock = {7, "m"}, .tid = 1, .ns = {[WINDOW_LAST] = 10}},
		{.lock = {7, "m"}, .tid = 2, .ns = {[WINDOW_LAST] = 30, [WINDOW_TOTAL] = 30}},
		{.lock = {8, "m"}, .tid = 3, .ns = {[WINDOW_LAST] = 50}},
	};
	const struct measure_text lock = {7, "m"}, other = {9, "m"};

	snap.holders = holders;
	snap.nholders = ARRAY_SIZE(holders);
	assert_int_equal(measure__holder(&snap, &lock, WINDOW_LAST)->tid, 2);
	assert_null(measure__holder(&snap, &other, WINDOW_LAST));
	assert_ptr_equal(measure__holder_of(&snap, 3, WINDOW_LAST), &holders[2]);
	assert_null(measure__holder_of(&snap, 3, WINDOW_TOTAL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ring_is_found),
		cmocka_unit_test(a_chain_is_none),
		cmocka_unit_test(who_leads_to_a_ring_is_not_in_it),
		cmocka_unit_test(two_rings_are_told_apart),
		cmocka_unit_test(one_that_waits_for_itself_is_stuck),
		cmocka_unit_test(short_waits_are_none),
		cmocka_unit_test(the_longest_chain_is_drawn),
		cmocka_unit_test(one_wait_is_no_chain),
		cmocka_unit_test(what_leads_into_a_ring_is_no_chain),
		cmocka_unit_test(the_holder_is_who_kept_others_longest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
