// SPDX-License-Identifier: GPL-2.0-only
/* Which waits hold somebody up, which are idle by proof, and which are neither. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/lib/fake_symbols.h"
#include "tests/lib/waits_scene.h"

/* The class of each of the scene's rows, as they come. */
static const enum wait_class scene_classes[SCENE_ROWS] = {
	CLASS_HARMFUL, CLASS_HARMFUL, CLASS_HARMFUL, /* a lock, disk, preempted */
	CLASS_UNCLEAR, CLASS_UNCLEAR, CLASS_UNCLEAR, /* a pipe, a sleep, without a stack */
	CLASS_IDLE,    CLASS_IDLE,    CLASS_IDLE,    /* kworker, pool, poller */
};

/* Harmful ones first, then unclear ones, each by size; idle ones behind them or left out. */
static void rows_come_by_class_and_size(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_TID) | BIT(WAITS_BY_STACK));
	struct waits_result *all, *shown;
	struct scene s;
	u64 off = 0;

	scene__init(&s);
	all = waits__query(s.snap, &q, NULL);
	assert_int_equal(all->idle_rows, 3);
	assert_int_equal(all->idle_threads, 3);
	assert_int_equal(all->idle_ns, SCENE_IDLE_NS);
	assert_int_equal(all->off_ns, SCENE_NS - SCENE_IDLE_NS);
	assert_int_equal(all->class_ns[CLASS_HARMFUL], 470 * MSEC);
	assert_int_equal(all->class_ns[CLASS_UNCLEAR], 1430 * MSEC);
	assert_int_equal(all->class_ns[CLASS_IDLE], SCENE_IDLE_NS);
	assert_int_equal(all->open, 1);
	assert_int_equal(all->nrows, SCENE_ROWS);
	for (u32 i = 0; i < all->nrows; i++) {
		assert_int_equal(all->rows[i].class, scene_classes[i]);
		assert_non_null(all->rows[i].because);
		if (i && scene_classes[i] == scene_classes[i - 1])
			assert_true(all->rows[i].sums.off_ns <= all->rows[i - 1].sums.off_ns);
	}
	assert_int_equal(all->base.table.nfirst, 3);
	assert_int_equal(all->base.table.nlast, 3);
	q.idle = false;
	shown = waits__query(s.snap, &q, NULL);
	assert_int_equal(shown->nrows, SCENE_SHOWN);
	assert_int_equal(shown->base.table.nlast, 0);
	assert_int_equal(shown->idle_ns, SCENE_IDLE_NS);
	assert_int_equal(shown->idle_rows, 3);
	for (u32 i = 0; i < shown->nrows; i++) {
		assert_int_not_equal(shown->rows[i].class, CLASS_IDLE);
		off += shown->rows[i].sums.off_ns;
	}
	assert_int_equal(off, shown->off_ns);
	query_result__free(&all->base);
	query_result__free(&shown->base);
	scene__fini(&s);
}

/* Classes stay apart by whatever column the table is sorted. */
static void classes_stay_apart_when_sorted(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_TID) | BIT(WAITS_BY_STACK));
	struct waits_result *a;
	struct scene s;
	u32 order[16];

	scene__init(&s);
	a = waits__query(s.snap, &q, NULL);
	for (u32 c = 0; c < a->base.table.ncolumns; c++) {
		row_table__sort(&a->base.table, c, c % 2, order);
		for (u32 i = 0; i < a->nrows; i++)
			assert_int_equal(a->rows[order[i]].class, scene_classes[i]);
	}
	query_result__free(&a->base);
	scene__fini(&s);
}

/* --- histories --- */

#define CONDITION_OP 0x189 /* FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME */

struct story {
	struct builder m;
	u64 place, by_timer, by_thread;
};

static void story__init(struct story *s)
{
	builder__init(&s->m, 1);
	s->place = KERNEL(&s->m, "futex_wait", "do_futex");
	s->by_timer = KERNEL(&s->m, "try_to_wake_up", "hrtimer_wakeup", "hrtimer_interrupt");
	s->by_thread = KERNEL(&s->m, "try_to_wake_up", "wake_up_q", "futex_wake");
}

/* A thread of process 10 waits on a condition: count times for ns each, until `by` (0: a timer)
 * wakes it. */
static void story__waits(struct story *s, u32 tid, u64 count, u64 ns, u64 object, u32 by)
{
	struct wait_sample w = ended(thread_of(10, tid, "t"), s->place, 0, count, ns);

	w.futex_op = CONDITION_OP;
	w.object = object;
	w.waker = (struct waker){.kind = WAKER_INTERRUPT, .kstack = s->by_timer};
	if (by)
		w.waker = woken_by(thread_of(10, by, "t"), s->by_thread, 0);
	builder__wait(&s->m, w);
}

/* The class of one thread's only row. */
static enum wait_class class_of(const struct waits_snap *snap, u32 tid)
{
	struct waits_query q = query(BIT(WAITS_BY_TID));
	struct waits_result *a = waits__query(snap, &q, NULL);
	enum wait_class class = WAIT_CLASSES;

	for (u32 i = 0; i < a->nrows; i++)
		if (a->rows[i].entry->task.tid == tid) {
			assert_int_equal(class, WAIT_CLASSES);
			class = a->rows[i].class;
		}
	query_result__free(&a->base);
	return class;
}

static void story__ends(struct story *s, u32 tid, enum wait_class class)
{
	const struct waits_snap *snap = builder__tick(&s->m, NSEC_PER_SEC);

	assert_int_equal(class_of(snap, tid), class);
	snap__put(snap);
	builder__fini(&s->m);
}

/* However long it waits: that a wait is long proves nothing. */
static void a_condition_alone_proves_nothing(void **state)
{
	static const u64 each_ns[] = {MSEC, 49 * MSEC, 60 * MSEC, 900 * MSEC};
	struct story s;

	for (u32 i = 0; i < ARRAY_SIZE(each_ns); i++) {
		story__init(&s);
		story__waits(&s, 11, 1, each_ns[i], 0x1000, 10);
		story__ends(&s, 11, CLASS_UNCLEAR);
	}
}

static void what_only_its_timeout_ends_is_periodic(void **state)
{
	struct story s;

	story__init(&s);
	story__waits(&s, 11, 2, 50 * MSEC, 0x1000, 0);
	story__ends(&s, 11, CLASS_UNCLEAR); /* too few */
	story__init(&s);
	story__waits(&s, 11, 3, 50 * MSEC, 0x1000, 0);
	story__ends(&s, 11, CLASS_IDLE);
	story__init(&s); /* not regular */
	story__waits(&s, 11, 3, 50 * MSEC, 0x1000, 0);
	story__waits(&s, 11, 1, 200 * MSEC, 0x1000, 0);
	story__ends(&s, 11, CLASS_UNCLEAR);
	story__init(&s); /* somebody wakes it, too */
	story__waits(&s, 11, 9, 50 * MSEC, 0x1000, 0);
	story__waits(&s, 11, 1, 50 * MSEC, 0x1000, 12);
	story__ends(&s, 11, CLASS_UNCLEAR);
}

static void threads_that_share_a_condition_are_a_queue(void **state)
{
	struct story s;

	story__init(&s);
	story__waits(&s, 11, 2, 60 * MSEC, 0x1000, 10);
	story__waits(&s, 12, 2, 60 * MSEC, 0x1000, 10);
	story__ends(&s, 12, CLASS_IDLE);
	story__init(&s); /* each on one of its own: an answer, say */
	story__waits(&s, 11, 2, 60 * MSEC, 0x1000, 10);
	story__waits(&s, 12, 2, 60 * MSEC, 0x2000, 10);
	story__ends(&s, 12, CLASS_UNCLEAR);
	story__init(&s); /* it is not known which */
	story__waits(&s, 11, 2, 60 * MSEC, WAIT_OBJECT_MANY, 10);
	story__waits(&s, 12, 2, 60 * MSEC, WAIT_OBJECT_MANY, 10);
	story__ends(&s, 12, CLASS_UNCLEAR);
	story__init(&s); /* nobody came yet */
	story__waits(&s, 11, 1, 60 * MSEC, 0x1000, 10);
	story__waits(&s, 12, 1, 60 * MSEC, 0x1000, 10);
	story__ends(&s, 12, CLASS_UNCLEAR);
}

/* A lock made of a condition: those who wait end each other's waits. */
static void who_takes_turns_is_no_queue(void **state)
{
	struct story s;

	story__init(&s);
	story__waits(&s, 11, 5, 60 * MSEC, 0x1000, 10);
	story__waits(&s, 12, 5, 60 * MSEC, 0x1000, 11);
	story__ends(&s, 12, CLASS_UNCLEAR);
}

/* --- what goes on --- */

static enum wait_class class_with(struct builder *m, struct wait_sample w)
{
	const struct waits_snap *snap;
	enum wait_class class;

	builder__wait(m, w);
	snap = builder__tick(m, NSEC_PER_SEC);
	class = class_of(snap, w.task.tid);
	snap__put(snap);
	return class;
}

/* Not to have ended yet is no proof, however long it lasts. */
static void what_never_ended_is_unclear(void **state)
{
	struct wait_sample w;
	struct builder m;

	builder__init(&m, 1);
	w = goes_on(thread_of(10, 10, "t"), KERNEL(&m, "pipe_read"), 0, NSEC_PER_SEC,
		    3600 * NSEC_PER_SEC);
	w.since_before = true;
	assert_int_equal(class_with(&m, w), CLASS_UNCLEAR);
	w.kstack = KERNEL(&m, "mutex_lock", "f");
	w.task.tid = 11;
	assert_int_equal(class_with(&m, w), CLASS_HARMFUL);
	w.kstack = KERNEL(&m, "do_epoll_wait");
	w.task.tid = 12;
	assert_int_equal(class_with(&m, w), CLASS_UNCLEAR);
	w.on = ON_LOOKED | ON_LISTENER;
	w.task.tid = 13;
	assert_int_equal(class_with(&m, w), CLASS_IDLE);
	builder__fini(&m);
}

/* One that goes on is judged by those that ended there. */
static void a_request_in_flight_is_like_those_that_completed(void **state)
{
	struct task_ident t = thread_of(10, 10, "fio");
	struct wait_sample w;
	struct builder m;
	u64 k;

	builder__init(&m, 1);
	k = KERNEL(&m, "read_events", "do_io_getevents");
	w = goes_on(t, k, 0, MSEC, MSEC);
	assert_int_equal(class_with(&m, w), CLASS_UNCLEAR);
	w = ended(t, k, 0, 4, MSEC);
	w.waker = (struct waker){.kind = WAKER_INTERRUPT,
				 .kstack = KERNEL(&m, "aio_complete_rw", "iomap_dio_bio_end_io",
						  "blk_mq_end_request")};
	builder__wait(&m, w);
	assert_int_equal(class_with(&m, goes_on(t, k, 0, MSEC, MSEC)), CLASS_HARMFUL);
	builder__fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_come_by_class_and_size),
		cmocka_unit_test(classes_stay_apart_when_sorted),
		cmocka_unit_test(a_condition_alone_proves_nothing),
		cmocka_unit_test(what_only_its_timeout_ends_is_periodic),
		cmocka_unit_test(threads_that_share_a_condition_are_a_queue),
		cmocka_unit_test(who_takes_turns_is_no_queue),
		cmocka_unit_test(what_never_ended_is_unclear),
		cmocka_unit_test(a_request_in_flight_is_like_those_that_completed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
