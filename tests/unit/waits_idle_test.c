// SPDX-License-Identifier: GPL-2.0-only
/* Which waits are idle: nobody is held up by them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/lib/fake_symbols.h"
#include "tests/lib/waits_scene.h"

/* Idle: the pool's worker at its queue, the poller, the kernel's worker. */
static void idle_waits_stand_behind_or_are_left_out(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_TID) | BIT(WAITS_BY_STACK));
	struct waits_answer *all, *harmful;
	struct scene s;
	u64 off = 0;

	scene__init(&s);
	all = waits__query(s.snap, &q, NULL);
	assert_int_equal(all->idle_rows, 3);
	assert_int_equal(all->idle_threads, 3);
	assert_int_equal(all->idle_ns, SCENE_IDLE_NS);
	assert_int_equal(all->off_ns, SCENE_NS - SCENE_IDLE_NS);
	assert_int_equal(all->open, 1);
	for (u32 i = 0; i < all->nrows; i++) {
		assert_int_equal(all->rows[i].idle, i >= SCENE_HARMFUL);
		if (i && i != SCENE_HARMFUL)
			assert_true(all->rows[i].sums.off_ns <= all->rows[i - 1].sums.off_ns);
	}
	assert_int_equal(all->base.table.nlast, 3);
	q.idle = false;
	harmful = waits__query(s.snap, &q, NULL);
	assert_int_equal(harmful->nrows, SCENE_HARMFUL);
	assert_int_equal(harmful->base.table.nlast, 0);
	assert_int_equal(harmful->idle_ns, SCENE_IDLE_NS);
	assert_int_equal(harmful->idle_rows, 3);
	for (u32 i = 0; i < harmful->nrows; i++) {
		assert_false(harmful->rows[i].idle);
		off += harmful->rows[i].sums.off_ns;
	}
	assert_int_equal(off, harmful->off_ns);
	answer__free(&all->base);
	answer__free(&harmful->base);
	scene__fini(&s);
}

/* Idle rows stay behind by whatever column the table is sorted. */
static void idle_rows_stay_behind_when_sorted(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_TID) | BIT(WAITS_BY_STACK));
	struct waits_answer *a;
	struct scene s;
	u32 order[16];

	scene__init(&s);
	a = waits__query(s.snap, &q, NULL);
	for (u32 c = 0; c < a->base.table.ncolumns; c++) {
		row_table__sort(&a->base.table, c, c % 2, order);
		for (u32 i = 0; i < a->nrows; i++)
			assert_int_equal(a->rows[order[i]].idle, i >= SCENE_HARMFUL);
	}
	answer__free(&a->base);
	scene__fini(&s);
}

/*
 * A thread parks where its waits last 50 ms on average, whoever ended them; a process's first
 * thread does not, nor does one that only hands over.
 */
static void who_parks_is_idle(void **state)
{
	static const struct {
		u32 tid;
		u64 each_ns[2];
		bool idle;
	} cases[] = {
		{11, {60 * MSEC, 60 * MSEC}, true},  {12, {10 * MSEC, 100 * MSEC}, true},
		{13, {10 * MSEC, 80 * MSEC}, false}, {14, {MSEC, MSEC}, false},
		{10, {60 * MSEC, 60 * MSEC}, false},
	};
	struct waits_query q = query(BIT(WAITS_BY_TID));
	const struct waits_snap *snap;
	struct waits_answer *a;
	struct maker m;
	u64 k;

	maker__init(&m, 1);
	k = KERNEL(&m, "futex_wait", "do_futex");
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct wait_sample w =
			ended(thread_of(10, cases[i].tid, "t"), k, 0, 1, cases[i].each_ns[0]);

		w.futex_op = 0x189;
		maker__wait(&m, w);
		w.off_ns = w.full_ns = w.max_ns = cases[i].each_ns[1];
		w.waker = woken_by(thread_of(10, 10, "t"), 0, 0);
		maker__wait(&m, w);
	}
	snap = maker__tick(&m, NSEC_PER_SEC);
	a = waits__query(snap, &q, NULL);
	assert_int_equal(a->nrows, ARRAY_SIZE(cases));
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++)
		for (u32 r = 0; r < a->nrows; r++)
			if (a->rows[r].entry->task.tid == cases[i].tid)
				assert_int_equal(a->rows[r].idle, cases[i].idle);
	answer__free(&a->base);
	snap__put(snap);
	maker__fini(&m);
}

/* A worker that has waited for long, and goes on, is parked as well. */
static void an_unfinished_wait_parks(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_TID));
	const struct waits_snap *snap;
	struct waits_answer *a;
	struct wait_sample w;
	struct maker m;

	maker__init(&m, 1);
	w = goes_on(thread_of(10, 11, "t"), KERNEL(&m, "futex_wait"), 0, 10 * MSEC, 40 * MSEC);
	w.futex_op = 0x189;
	maker__wait(&m, w);
	snap = maker__tick(&m, 10 * MSEC);
	a = waits__query(snap, &q, NULL);
	assert_false(a->rows[0].idle);
	answer__free(&a->base);
	snap__put(snap);
	w.open_full_ns = w.max_ns = 50 * MSEC;
	maker__wait(&m, w);
	snap = maker__tick(&m, 10 * MSEC);
	a = waits__query(snap, &q, NULL);
	assert_true(a->rows[0].idle);
	answer__free(&a->base);
	snap__put(snap);
	maker__fini(&m);
}

/* What one thread's only row says after a tick with this sample. */
static bool tick_is_idle(struct maker *m, struct wait_sample w)
{
	struct waits_query q = query(BIT(WAITS_BY_TID));
	const struct waits_snap *snap;
	struct waits_answer *a;
	bool idle;

	maker__wait(m, w);
	snap = maker__tick(m, NSEC_PER_SEC);
	a = waits__query(snap, &q, NULL);
	assert_int_equal(a->nrows, 1);
	idle = a->rows[0].idle;
	answer__free(&a->base);
	snap__put(snap);
	return idle;
}

/* A reader to whom nobody has written is idle, until somebody does. */
static void what_never_ended_is_still(void **state)
{
	struct task_ident t = thread_of(10, 10, "t");
	struct wait_sample w;
	struct maker m;
	u64 k;

	maker__init(&m, 1);
	k = KERNEL(&m, "pipe_read");
	w = goes_on(t, k, 0, NSEC_PER_SEC, 9 * NSEC_PER_SEC);
	assert_false(tick_is_idle(&m, w));
	w.open_full_ns = w.max_ns = WAIT_STILL_NS;
	assert_true(tick_is_idle(&m, w));
	assert_false(tick_is_idle(&m, ended(t, k, 0, 1, MSEC)));
	assert_false(tick_is_idle(&m, w));
	maker__fini(&m);
}

static void what_waits_since_before_is_still(void **state)
{
	struct wait_sample w;
	struct maker m;

	maker__init(&m, 1);
	w = goes_on(thread_of(10, 10, "t"), KERNEL(&m, "pipe_read"), 0, MSEC, MSEC);
	w.since_before = true;
	assert_true(tick_is_idle(&m, w));
	maker__fini(&m);
	/* A lock that is never given up is what is looked for. */
	maker__init(&m, 1);
	w.kstack = KERNEL(&m, "mutex_lock", "f");
	assert_false(tick_is_idle(&m, w));
	maker__fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(idle_waits_stand_behind_or_are_left_out),
		cmocka_unit_test(idle_rows_stay_behind_when_sorted),
		cmocka_unit_test(who_parks_is_idle),
		cmocka_unit_test(an_unfinished_wait_parks),
		cmocka_unit_test(what_never_ended_is_still),
		cmocka_unit_test(what_waits_since_before_is_still),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
