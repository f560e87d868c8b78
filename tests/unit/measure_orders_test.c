// SPDX-License-Identifier: GPL-2.0-only
/* Orders that locks are waited for in: which of them contradict each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "models/measure_model.h"

static struct stacks stacks;
static struct live_orders orders;
static struct measure_cycle found[16];

static struct measure_order_sample sample_of(u32 tid, u64 t_ns)
{
	return (struct measure_order_sample){
		.head.type = SAMPLE_MEASURE_ORDER, .who = {.tgid = 1, .tid = tid}, .t_ns = t_ns};
}

static void add(u64 first, u64 second, u32 tid, u64 t_ns)
{
	const struct measure_text locks[2] = {{first, "first"}, {second, "second"}};
	struct measure_order_sample s = sample_of(tid, t_ns);

	live_orders__add(&orders, &s, locks, NO_STACK, NO_STACK);
}

/* How many cycles a snapshot at a time has. */
static u32 cycles_at(u64 t_ns, u32 max)
{
	struct measure_snap snap = {.base.t1_ns = t_ns};
	static struct arena arena;
	static bool begun;

	if (begun)
		arena__fini(&arena);
	begun = true;
	arena__init(&arena);
	live_orders__snap(&orders, &stacks, &snap, &arena);
	return measure__cycles(&snap, NULL, found, max);
}

static u32 cycles(void)
{
	return cycles_at(100, ARRAY_SIZE(found));
}

static void assert_closed(const struct measure_cycle *c)
{
	for (u32 i = 0; i < c->n; i++)
		assert_int_equal(c->v[i]->second.value, c->v[(i + 1) % c->n]->first.value);
}

static int clear(void **state)
{
	live_orders__clear(&orders);
	return 0;
}

static void both_orders_are_one_cycle(void **state)
{
	add(1, 2, 10, 100);
	add(2, 1, 11, 100);
	assert_int_equal(cycles(), 1);
	assert_int_equal(found[0].n, 2);
	assert_closed(&found[0]);
}

static void one_order_is_none(void **state)
{
	add(1, 2, 10, 100);
	add(2, 3, 11, 100);
	add(1, 3, 12, 100);
	assert_int_equal(cycles(), 0);
}

static void longer_ones_are_found(void **state)
{
	for (u64 i = 0; i < CYCLE_MAX; i++)
		add(i, (i + 1) % CYCLE_MAX, 10 + (u32)i, 100);
	add(3, 99, 7, 100); /* leads nowhere */
	assert_int_equal(cycles(), 1);
	assert_int_equal(found[0].n, CYCLE_MAX);
	assert_closed(&found[0]);
}

static void the_shortest_is_told(void **state)
{
	add(1, 2, 10, 100);
	add(2, 3, 11, 100);
	add(3, 1, 12, 100);
	add(2, 1, 13, 100);
	assert_int_equal(cycles(), 2);
	assert_int_equal(found[0].n, 2);
	assert_int_equal(found[1].n, 3);
	assert_closed(&found[1]);
}

static void one_thread_is_not_in_its_own_way(void **state)
{
	add(1, 2, 10, 100);
	add(2, 1, 10, 100);
	assert_int_equal(cycles(), 0);
	add(2, 1, 11, 100);
	assert_int_equal(cycles(), 1);
}

static void add_guarded(u64 first, u64 second, u64 guard, u32 tid, u64 t_ns)
{
	const struct measure_text locks[2] = {{first, "first"}, {second, "second"}};
	struct measure_order_sample s = sample_of(tid, t_ns);

	s.guards[0] = guard;
	s.nguards = 1;
	live_orders__add(&orders, &s, locks, NO_STACK, NO_STACK);
}

static void one_guard_of_all_is_no_danger(void **state)
{
	add_guarded(1, 2, 9, 10, 100);
	add_guarded(2, 1, 9, 11, 100);
	assert_int_equal(cycles(), 0);
	add(2, 1, 12, 200); /* once without it */
	assert_int_equal(cycles(), 1);
}

static void two_locks_in_both_orders_come_first(void **state)
{
	for (u64 i = 1; i < 6; i++)
		for (u64 k = i + 1; k <= 6; k++)
			add(i, k, 10, 100);
	add(6, 1, 11, 100);
	assert_true(cycles() > 1);
	assert_int_equal(found[0].n, 2);
	assert_true(found[1].n > 2);
}

static void add_exact(u64 first, u64 second, u64 guard, u32 tid, u64 t_ns)
{
	const struct measure_text locks[2] = {{first, "first"}, {second, "second"}};
	struct measure_order_sample s = sample_of(tid, t_ns);

	s.exact = true;
	s.count = 5;
	s.guards[0] = guard;
	s.nguards = guard != 0;
	live_orders__add(&orders, &s, locks, NO_STACK, NO_STACK);
}

/* Once without it is enough, also before anybody had it, where each lock that is taken is seen. */
static void what_is_sure_to_be_without_a_guard_is_not_guarded(void **state)
{
	add_exact(1, 2, 0, 10, 100);
	add_exact(1, 2, 9, 10, 200);
	add_exact(2, 1, 9, 11, 300);
	assert_int_equal(cycles(), 1);
	assert_int_equal(found[0].v[0]->count + found[0].v[1]->count, 15);
}

static void what_is_always_guarded_is_no_danger(void **state)
{
	add_exact(1, 2, 9, 10, 100);
	add_exact(2, 1, 9, 11, 200);
	assert_int_equal(cycles(), 0);
	add_exact(2, 1, 0, 11, 300);
	assert_int_equal(cycles(), 1);
}

static void add_reading(u64 first, bool first_read, u64 second, bool second_read, u32 tid)
{
	const struct measure_text locks[2] = {{first, "first"}, {second, "second"}};
	struct measure_order_sample s = sample_of(tid, 100);

	s.first_read = first_read;
	s.second_read = second_read;
	live_orders__add(&orders, &s, locks, NO_STACK, NO_STACK);
}

static void readers_are_not_in_each_others_way(void **state)
{
	add_reading(1, true, 2, true, 10);
	add_reading(2, true, 1, true, 11);
	assert_int_equal(cycles(), 0);
	add_reading(2, true, 1, false, 11); /* who waits to write waits for readers, but those do not for readers */
	assert_int_equal(cycles(), 0);
	add_reading(1, true, 2, false, 10);
	assert_int_equal(cycles(), 1);
	assert_true(found[0].v[0]->first_read && !found[0].v[0]->second_read);
}

static void who_reads_waits_for_who_writes(void **state)
{
	add_reading(1, false, 2, true, 10);
	add_reading(2, false, 1, true, 11);
	assert_int_equal(cycles(), 1);
}

static void the_same_locks_to_read_are_one_finding(void **state)
{
	add_reading(1, false, 2, false, 10);
	add_reading(1, true, 2, false, 10);
	add_reading(2, false, 1, false, 11);
	assert_int_equal(cycles(), 1);
}

static void different_guards_guard_nothing(void **state)
{
	add_guarded(1, 2, 9, 10, 100);
	add_guarded(2, 1, 8, 11, 100);
	assert_int_equal(cycles(), 1);
}

static void what_was_seen_before_a_guard_was_known_does_not_count(void **state)
{
	add(1, 2, 10, 100);
	add(2, 1, 11, 110);
	assert_int_equal(cycles(), 1);
	add_guarded(1, 2, 9, 10, 200);
	add_guarded(2, 1, 9, 11, 210);
	assert_int_equal(cycles(), 0);
}

static void what_was_seen_after_it_was_known_does(void **state)
{
	add_guarded(1, 3, 9, 10, 100);
	add(1, 2, 10, 150);
	add_guarded(1, 2, 9, 10, 200);
	add_guarded(2, 1, 9, 11, 210);
	assert_int_equal(cycles(), 1);
}

static void old_ones_go(void **state)
{
	add(1, 2, 10, 100);
	add(2, 1, 11, 100);
	assert_int_equal(cycles_at(500 * NSEC_PER_SEC, 16), 1);
	cycles_at(700 * NSEC_PER_SEC, 16);
	assert_int_equal(orders.n, 0);
	assert_int_equal(cycles_at(701 * NSEC_PER_SEC, 16), 0);
}

static void they_are_bounded(void **state)
{
	for (u64 i = 0; i < 3 * ORDERS_MAX; i++)
		add(i, i ^ 1, 10 + (u32)(i & 1), 100);
	assert_int_equal(orders.n, ORDERS_MAX);
	assert_int_equal(cycles(), ARRAY_SIZE(found));
	assert_int_equal(orders.n, 0);
	add(1, 2, 10, 100);
	assert_int_equal(orders.n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(both_orders_are_one_cycle, clear),
		cmocka_unit_test_setup(one_order_is_none, clear),
		cmocka_unit_test_setup(longer_ones_are_found, clear),
		cmocka_unit_test_setup(the_shortest_is_told, clear),
		cmocka_unit_test_setup(two_locks_in_both_orders_come_first, clear),
		cmocka_unit_test_setup(one_thread_is_not_in_its_own_way, clear),
		cmocka_unit_test_setup(one_guard_of_all_is_no_danger, clear),
		cmocka_unit_test_setup(what_is_sure_to_be_without_a_guard_is_not_guarded, clear),
		cmocka_unit_test_setup(what_is_always_guarded_is_no_danger, clear),
		cmocka_unit_test_setup(readers_are_not_in_each_others_way, clear),
		cmocka_unit_test_setup(who_reads_waits_for_who_writes, clear),
		cmocka_unit_test_setup(the_same_locks_to_read_are_one_finding, clear),
		cmocka_unit_test_setup(different_guards_guard_nothing, clear),
		cmocka_unit_test_setup(what_was_seen_before_a_guard_was_known_does_not_count, clear),
		cmocka_unit_test_setup(what_was_seen_after_it_was_known_does, clear),
		cmocka_unit_test_setup(old_ones_go, clear),
		cmocka_unit_test_setup(they_are_bounded, clear),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
