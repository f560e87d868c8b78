// SPDX-License-Identifier: GPL-2.0-only
/* Waits as folded text, and the wall-clock split, whose parts sum to the span. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/lib/fake_symbols.h"
#include "tests/lib/waits_scene.h"

/* --- folded --- */

struct lines {
	char text[4096];
	size_t len;
	u64 us;
	u32 n;
};

static void add_line(void *ctx, const char *stack, u64 us)
{
	struct lines *l = ctx;

	l->n++;
	l->us += us;
	if (l->len < sizeof(l->text))
		l->len += (size_t)snprintf(l->text + l->len, sizeof(l->text) - l->len, "%s %llu\n",
					   stack, (unsigned long long)us);
}

static void folded_text_is_root_first(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_TID));
	struct lines l = {0};
	struct scene s;

	scene__init(&s);
	waits__folded(s.snap, &q, NULL, add_line, &l);
	assert_int_equal(l.us, SCENE_NS / 1000);
	assert_int_equal(l.n, SCENE_ROWS);
	assert_non_null(strstr(l.text, "waiter;main;take_lock;lock;do_futex;futex_wait 300000\n"));
	assert_non_null(strstr(l.text, "lost;[no stack] 30000\n"));
	memset(&l, 0, sizeof(l));
	q.idle = false;
	waits__folded(s.snap, &q, NULL, add_line, &l);
	assert_int_equal(l.us, (SCENE_NS - SCENE_IDLE_NS) / 1000);
	memset(&l, 0, sizeof(l));
	q.wakers = true;
	waits__folded(s.snap, &q, NULL, add_line, &l);
	assert_int_equal(l.us, (SCENE_NS - SCENE_IDLE_NS) / 1000);
	assert_non_null(strstr(l.text,
			       "waiter;main;take_lock;lock;do_futex;futex_wait;--;wake_up_q;"
			       "futex_wake;give_lock;main;holder 300000\n"));
	assert_non_null(strstr(l.text, "app;main;nap;do_nanosleep;--;hrtimer_wakeup;"
				       "hrtimer_interrupt;[timer] 400000\n"));
	assert_non_null(strstr(l.text, "reader;main;drain;pipe_read;--;[goes on] 1000000\n"));
	scene__fini(&s);
}

/* Threads of one name at one place are one line; what would break a line does not. */
static void folded_lines_are_distinct_and_clean(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_TID));
	const struct waits_snap *snap;
	struct lines l = {0};
	struct builder m;
	u64 k;

	builder__init(&m, 1);
	k = KERNEL(&m, "a;b\nc");
	for (u32 i = 0; i < 3; i++)
		builder__wait(&m, ended(thread_of(7, 7 + i, "x\n;y"), k, 0, 1, 400));
	builder__wait(&m, ended(thread_of(7, 20, ""), k, 0, 1, 100));
	builder__wait(&m, ended(thread_of(7, 21, "z"), k, 0, 1, 2 * MSEC));
	snap = builder__tick(&m, NSEC_PER_SEC);
	waits__folded(snap, &q, NULL, add_line, &l);
	assert_string_equal(l.text, "x :y;a:b c 1\nz;a:b c 2000\n");
	snap__put(snap);
	builder__fini(&m);
}

/* --- where time went --- */

static const struct split_part *part_named(const struct split_result *a, const char *name,
					   bool idle)
{
	for (u32 i = 0; i < a->nparts; i++)
		if (!strcmp(a->parts[i].name, name) && (a->parts[i].class == CLASS_IDLE) == idle)
			return &a->parts[i];
	fail_msg("no part %s", name);
	return NULL;
}

static void assert_parts_sum_to_the_span(const struct split_result *a)
{
	double pct = 0;
	u64 ns = 0;

	for (u32 i = 0; i < a->nparts; i++) {
		ns += a->parts[i].ns;
		pct += a->parts[i].pct;
		assert_true(!i || a->parts[i].ns <= a->parts[i - 1].ns);
	}
	assert_int_equal(ns, a->span_ns);
	assert_true(!a->span_ns || fabs(pct - 100) < 1e-6);
}

static void parts_of_a_process_sum_to_its_span(void **state)
{
	struct split_result *a;
	struct scene s;

	scene__init(&s);
	a = waits__split(s.snap, 100, 0, WINDOW_TOTAL);
	assert_parts_sum_to_the_span(a);
	assert_string_equal(a->comm, "app");
	assert_int_equal(a->nthreads, 6);
	assert_int_equal(a->span_ns, 6 * NSEC_PER_SEC);
	assert_int_equal(part_named(a, "running", false)->ns, 3220 * MSEC);
	assert_int_equal(part_named(a, "waiting for a CPU", false)->ns, 60 * MSEC);
	assert_int_equal(part_named(a, "sleep", false)->ns, 400 * MSEC);
	assert_int_equal(part_named(a, "lock", false)->ns, 300 * MSEC);
	assert_int_equal(part_named(a, "lock", false)->count, 3);
	assert_int_equal(part_named(a, "disk", false)->ns, 120 * MSEC);
	assert_int_equal(part_named(a, "pipe", false)->ns, NSEC_PER_SEC);
	assert_int_equal(part_named(a, "condition", true)->ns, 400 * MSEC);
	assert_int_equal(part_named(a, "poll", true)->ns, 200 * MSEC);
	/* The poller slept for 300 ms more than its waits tell. */
	assert_int_equal(part_named(a, "not attributed", false)->ns, 300 * MSEC);
	assert_int_equal(a->nparts, 9);
	query_result__free(&a->base);
	scene__fini(&s);
}

static void a_thread_has_a_split_too(void **state)
{
	struct split_result *a;
	struct scene s;

	scene__init(&s);
	a = waits__split(s.snap, 100, 101, WINDOW_LAST);
	assert_parts_sum_to_the_span(a);
	assert_string_equal(a->comm, "waiter");
	assert_int_equal(a->nthreads, 1);
	assert_int_equal(a->span_ns, NSEC_PER_SEC);
	assert_int_equal(part_named(a, "running", false)->ns, 700 * MSEC);
	assert_int_equal(part_named(a, "lock", false)->ns, 300 * MSEC);
	query_result__free(&a->base);
	a = waits__split(s.snap, 4711, 0, WINDOW_TOTAL);
	assert_int_equal(a->span_ns, 0);
	assert_parts_sum_to_the_span(a);
	query_result__free(&a->base);
	scene__fini(&s);
}

/* The states are the truth: 30 ms of waits in 25 ms of sleep are 25. */
static void waits_are_cut_to_their_state(void **state)
{
	struct split_result *a;
	struct scene s;

	scene__init(&s);
	a = waits__split(s.snap, 150, 0, WINDOW_TOTAL);
	assert_parts_sum_to_the_span(a);
	assert_int_equal(part_named(a, "unknown", false)->ns, 25 * MSEC);
	assert_int_equal(a->nparts, 3);
	query_result__free(&a->base);
	scene__fini(&s);
}

/* What a wait has of the run queue is not counted twice. */
static void the_run_queue_is_no_part_of_a_wait(void **state)
{
	struct task_ident t = thread_of(7, 7, "t");
	const struct waits_snap *snap;
	struct split_result *a;
	struct wait_sample w;
	struct scene s;

	builder__init(&s.m, 1);
	w = ended(t, KERNEL(&s.m, "pipe_read"), 0, 1, 100 * MSEC);
	w.runq_ns = 40 * MSEC;
	builder__wait(&s.m, w);
	scene__task(&s, t, 900 * MSEC, 40 * MSEC, TASK_STATE_SLEEP, 60 * MSEC);
	snap = builder__tick(&s.m, NSEC_PER_SEC);
	a = waits__split(snap, 7, 0, WINDOW_TOTAL);
	assert_parts_sum_to_the_span(a);
	assert_int_equal(part_named(a, "pipe", false)->ns, 60 * MSEC);
	assert_int_equal(part_named(a, "waiting for a CPU", false)->ns, 40 * MSEC);
	assert_int_equal(a->nparts, 3);
	query_result__free(&a->base);
	snap__put(snap);
	builder__fini(&s.m);
}

static void random_splits_sum_exactly(void **state)
{
	for (u32 seed = 1; seed <= 10; seed++) {
		const struct waits_snap *snap = NULL;
		struct builder m;
		u64 k[6];

		builder__init(&m, seed);
		scene__places(&m, k);
		for (u32 i = 0; i < 3; i++) {
			snap__put(snap);
			builder__random_waits(&m, 100, k, 6, k, 6);
			for (u32 t = 0; t < 15; t++) {
				struct task_sample s = {
					.task = thread_of(100 + t % 5, 100 + t % 5 + t / 5, "t")};

				for (u32 st = 0; st < TASK_STATES; st++)
					s.state_ns[st] = builder__random(&m, 900000000);
				s.gone = !builder__random(&m, 4);
				builder__task(&m, s);
			}
			snap = builder__tick(&m, (1 + builder__random(&m, 900)) * MSEC);
		}
		for (u32 i = 0; i < 5 * WINDOWS; i++) {
			struct split_result *a =
				waits__split(snap, 100 + i / WINDOWS, i % 2 ? 101 : 0, i % WINDOWS);

			assert_parts_sum_to_the_span(a);
			query_result__free(&a->base);
		}
		snap__put(snap);
		builder__fini(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded_text_is_root_first),
		cmocka_unit_test(folded_lines_are_distinct_and_clean),
		cmocka_unit_test(parts_of_a_process_sum_to_its_span),
		cmocka_unit_test(a_thread_has_a_split_too),
		cmocka_unit_test(waits_are_cut_to_their_state),
		cmocka_unit_test(the_run_queue_is_no_part_of_a_wait),
		cmocka_unit_test(random_splits_sum_exactly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
