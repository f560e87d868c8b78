// SPDX-License-Identifier: GPL-2.0-only
/* Rows of waits for locks: which lock, who has it or had it, and where that was. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/lib/fake_symbols.h"
#include "tests/lib/waits_builder.h"

#define LOCK 0x1000

static struct wait_sample for_lock(struct wait_sample w, u64 object)
{
	w.futex_op = 0x80;
	w.object = object;
	return w;
}

static void put_lock(struct builder *m, u64 object, const char *name, struct wait_holder holder)
{
	struct wait_lock_sample s = {.head.type = SAMPLE_WAIT_LOCK, .tgid = 7, .object = object, .holder = holder};

	copy_str(s.name, sizeof(s.name), name);
	model_waits.consume(m->model, &s.head);
}

static u64 futex(struct builder *m)
{
	return KERNEL(m, "schedule", "futex_wait", "do_futex");
}

static struct waits_result *by_thread(const struct waits_snap *snap, enum time_window window)
{
	struct waits_query q = {.groups = WAITS_BIT(WAITS_BY_TID) | WAITS_BIT(WAITS_BY_STACK),
				.window = window, .idle = true};

	return waits__query(snap, &q, NULL);
}

static const struct waits_row *row_of(const struct waits_result *a, u32 tid)
{
	for (u32 i = 0; i < a->nrows; i++)
		if (a->rows[i].entry->task.tid == tid)
			return &a->rows[i];
	fail_msg("no row of thread %u", tid);
	return NULL;
}

static void assert_leaf(const struct builder *m, const struct callstack *s, u32 at, const char *name)
{
	assert_non_null(s);
	assert_string_equal(symbols__func(m->symbols, symbols__func_of(m->symbols, s->locs[at]))->name, name);
}

static void whoever_wakes_had_it(void **state)
{
	const struct waits_snap *snap;
	const struct waits_row *r;
	struct waits_result *a;
	struct wait_sample w;
	struct builder m;

	builder__init(&m, 1);
	w = for_lock(ended(thread_of(7, 8, "waiter"), futex(&m), 0, 3, MSEC), LOCK);
	w.waker = woken_by(thread_of(7, 9, "holder"), KERNEL(&m, "futex_wake"), USER(&m, "give_lock", "main"));
	builder__wait(&m, w);
	put_lock(&m, LOCK, "queue_lock", (struct wait_holder){0});
	snap = builder__tick(&m, NSEC_PER_SEC);
	a = by_thread(snap, WINDOW_LAST);
	r = row_of(a, 8);
	assert_string_equal(r->lock, "queue_lock");
	assert_false(r->holds_now);
	assert_int_equal(r->holder->tid, 9);
	assert_string_equal(r->holder->comm, "holder");
	assert_leaf(&m, r->holder_ustack, 0, "give_lock");
	query_result__free(&a->base);
	snap__put(snap);
	builder__fini(&m);
}

/* A wait that timed out: the timer interrupted a thread that never had the lock. */
static void whom_a_timer_interrupted_had_it_not(void **state)
{
	const struct waits_snap *snap;
	struct waits_result *a;
	struct wait_sample w;
	struct builder m;

	builder__init(&m, 1);
	w = for_lock(ended(thread_of(7, 8, "waiter"), futex(&m), 0, 3, MSEC), LOCK);
	w.waker = woken_by(thread_of(20, 20, "bystander"),
			   KERNEL(&m, "try_to_wake_up", "hrtimer_wakeup", "asm_sysvec_apic_timer_interrupt"),
			   USER(&m, "spins", "main"));
	builder__wait(&m, w);
	snap = builder__tick(&m, NSEC_PER_SEC);
	a = by_thread(snap, WINDOW_LAST);
	assert_null(row_of(a, 8)->holder);
	assert_null(row_of(a, 8)->woken);
	query_result__free(&a->base);
	snap__put(snap);
	builder__fini(&m);
}

/* Its own wait says where it is; an interval later nobody has it any more. */
static void who_has_it_now(void **state)
{
	const struct wait_holder holder = {.tgid = 7, .tid = 9, .comm = "holder"};
	const struct waits_snap *snap;
	const struct waits_row *r;
	struct waits_result *a;
	struct builder m;

	builder__init(&m, 1);
	builder__wait(&m, for_lock(goes_on(thread_of(7, 8, "waiter"), futex(&m), 0, MSEC, MSEC), LOCK));
	builder__wait(&m, goes_on(thread_of(7, 9, "holder"), 0, USER(&m, "keeps_it", "main"), MSEC, MSEC));
	put_lock(&m, LOCK, "queue_lock", holder);
	snap = builder__tick(&m, NSEC_PER_SEC);
	a = by_thread(snap, WINDOW_DECAY);
	r = row_of(a, 8);
	assert_true(r->holds_now);
	assert_int_equal(r->holder->tid, 9);
	assert_string_equal(r->ended_by, "holder/9");
	assert_leaf(&m, r->holder_ustack, 0, "keeps_it");
	assert_null(row_of(a, 9)->lock);
	assert_null(row_of(a, 9)->holder);
	query_result__free(&a->base);
	snap__put(snap);
	snap = builder__tick(&m, NSEC_PER_SEC);
	a = by_thread(snap, WINDOW_TOTAL);
	assert_string_equal(row_of(a, 8)->lock, "queue_lock");
	assert_null(row_of(a, 8)->holder);
	query_result__free(&a->base);
	snap__put(snap);
	builder__fini(&m);
}

/* A lock that nobody named, and a thread that waits for one and another at the same place. */
static void what_is_not_known(void **state)
{
	const struct waits_snap *snap;
	struct waits_result *a;
	struct builder m;
	u64 k;

	builder__init(&m, 1);
	k = futex(&m);
	builder__wait(&m, for_lock(ended(thread_of(7, 8, "a"), k, 0, 1, MSEC), LOCK));
	builder__wait(&m, for_lock(ended(thread_of(7, 9, "b"), k, 0, 1, MSEC), LOCK));
	builder__wait(&m, for_lock(ended(thread_of(7, 9, "b"), k, 0, 1, MSEC), LOCK + 64));
	snap = builder__tick(&m, NSEC_PER_SEC);
	a = by_thread(snap, WINDOW_LAST);
	assert_null(row_of(a, 8)->lock);
	assert_string_equal(row_of(a, 9)->lock, "[several]");
	query_result__free(&a->base);
	snap__put(snap);
	builder__fini(&m);
}

/* More locks than are kept: those that are waited for now have their names. */
static void many_locks_are_bounded(void **state)
{
	const struct waits_snap *snap;
	char name[32];
	struct builder m;

	builder__init(&m, 1);
	for (u32 i = 0; i < 3 * WAITS_MAX_LOCKS + 1; i++) {
		snprintf(name, sizeof(name), "lock%u", i);
		put_lock(&m, LOCK + i * 64, name, (struct wait_holder){0});
	}
	snap = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(snap->nlocks, 1);
	assert_string_equal(snap->locks[0].name, "lock12288");
	snap__put(snap);
	builder__fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whoever_wakes_had_it),
		cmocka_unit_test(whom_a_timer_interrupted_had_it_not),
		cmocka_unit_test(who_has_it_now),
		cmocka_unit_test(what_is_not_known),
		cmocka_unit_test(many_locks_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
