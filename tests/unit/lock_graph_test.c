// SPDX-License-Identifier: GPL-2.0-only
/* Which orders of locks may contradict each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sources/lock_graph.h"

#define MOST 4096

static struct lock_edge edges[MOST];
static u32 n;

static void add(u64 first, u64 second)
{
	edges[n++] = (struct lock_edge){first, second, false};
}

static u32 in_doubt(void)
{
	u32 found = 0;

	lock_graph__mark(edges, n);
	for (u32 i = 0; i < n; i++)
		found += edges[i].in_doubt;
	return found;
}

static int setup(void **state)
{
	(void)state;
	n = 0;
	return 0;
}

static void nothing_is_in_no_doubt(void **state)
{
	(void)state;
	assert_int_equal(in_doubt(), 0);
}

static void chains_are_in_no_doubt(void **state)
{
	(void)state;
	for (u64 i = 0; i < MOST - 1; i++)
		add(i * 64, i * 64 + 64);
	assert_int_equal(in_doubt(), 0);
}

static void cycles_are_and_what_leads_there_is_not(void **state)
{
	(void)state;
	add(10, 1); /* leads there */
	add(1, 2);
	add(2, 3);
	add(3, 1);
	add(3, 11); /* leads away */
	add(11, 12);
	assert_int_equal(in_doubt(), 3);
	assert_true(edges[1].in_doubt && edges[2].in_doubt && edges[3].in_doubt);
}

static void the_same_order_twice_is_one_way(void **state)
{
	(void)state;
	add(1, 2);
	add(1, 2);
	assert_int_equal(in_doubt(), 0);
	add(2, 1);
	assert_int_equal(in_doubt(), 3);
}

static void a_large_cycle_is_found_whole(void **state)
{
	(void)state;
	for (u64 i = 0; i < MOST; i++)
		add(i * 64, (i + 1) % MOST * 64);
	assert_int_equal(in_doubt(), MOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(nothing_is_in_no_doubt, setup),
		cmocka_unit_test_setup(chains_are_in_no_doubt, setup),
		cmocka_unit_test_setup(cycles_are_and_what_leads_there_is_not, setup),
		cmocka_unit_test_setup(the_same_order_twice_is_one_way, setup),
		cmocka_unit_test_setup(a_large_cycle_is_found_whole, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
