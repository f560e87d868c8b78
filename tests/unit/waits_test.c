// SPDX-License-Identifier: GPL-2.0-only
/* The waits model: what goes in comes out, in every window. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/lib/fake_symbols.h"
#include "tests/lib/waits_builder.h"

/* --- windows --- */

static void windows_have_what_was_put(void **state)
{
	const struct wait_sums *sums;
	const struct waits_snap *s;
	struct wait_sample w;
	struct builder m;

	builder__init(&m, 1);
	w = ended(thread_of(7, 8, "task"), KERNEL(&m, "futex_wait"), USER(&m, "f", "main"), 3,
		  5 * MSEC);
	w.runq_ns = MSEC;
	builder__wait(&m, w);
	w.count = 1;
	w.off_ns = w.full_ns = w.max_ns = 20 * MSEC;
	builder__wait(&m, w);
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(s->nentries, 1);
	assert_int_equal(s->since_ns, 100 * NSEC_PER_SEC);
	assert_int_equal(s->window_ns[WINDOW_LAST], NSEC_PER_SEC);
	for (u32 i = 0; i < WINDOWS; i++) {
		sums = &s->entries[0].sums[i];
		assert_int_equal(sums->count, 4);
		assert_int_equal(sums->off_ns, 35 * MSEC);
		assert_int_equal(sums->runq_ns, 2 * MSEC);
		assert_int_equal(sums->full_ns, 35 * MSEC);
		assert_int_equal(sums->max_ns, 20 * MSEC);
		assert_int_equal(sums->open, 0);
	}
	assert_int_equal(s->entries[0].task.tid, 8);
	assert_string_equal(s->entries[0].task.comm, "task");
	assert_int_equal(s->entries[0].kstack->nkernel, 1);
	assert_int_equal(s->entries[0].ustack->nuser, 2);
	snap__put(s);
	s = builder__tick(&m, 2 * NSEC_PER_SEC);
	assert_int_equal(s->entries[0].sums[WINDOW_LAST].off_ns, 0);
	assert_int_equal(s->entries[0].sums[WINDOW_TOTAL].off_ns, 35 * MSEC);
	assert_int_equal(s->window_ns[WINDOW_TOTAL], 3 * NSEC_PER_SEC);
	snap__put(s);
	builder__fini(&m);
}

/* After one half-life in steps of any length half is left, of the window's length too. */
static void decay_does_not_depend_on_the_delay(void **state)
{
	static const u32 steps[] = {1, 5, 50};

	for (u32 i = 0; i < ARRAY_SIZE(steps); i++) {
		u64 dt = (u64)(PROFILE_HALF_LIFE_S * NSEC_PER_SEC) / steps[i];
		const struct waits_snap *s;
		struct builder m;

		builder__init(&m, 1);
		builder__wait(&m, ended(thread_of(7, 7, "t"), 0, 0, 1000, MSEC));
		s = builder__tick(&m, NSEC_PER_SEC);
		for (u32 k = 0; k < steps[i]; k++) {
			snap__put(s);
			s = builder__tick(&m, dt);
		}
		assert_int_equal(s->entries[0].sums[WINDOW_DECAY].off_ns, 500 * MSEC);
		assert_int_equal(s->entries[0].sums[WINDOW_DECAY].count, 500);
		snap__put(s);
		builder__fini(&m);
	}
}

/* Rows of long ago do not linger in it with next to nothing. */
static void the_decaying_window_comes_to_an_end(void **state)
{
	const struct waits_snap *s;
	struct builder m;

	builder__init(&m, 1);
	builder__wait(&m, ended(thread_of(7, 7, "t"), 0, 0, 1, 1000 * NSEC_PER_SEC));
	builder__task(
		&m, (struct task_sample){.task = thread_of(7, 7, "t"), .state_ns = {NSEC_PER_SEC}});
	snap__put(builder__tick(&m, NSEC_PER_SEC));
	s = builder__tick(&m, 39 * NSEC_PER_SEC);
	assert_true(s->entries[0].sums[WINDOW_DECAY].off_ns > 0);
	assert_true(s->tasks[0].span_ns[WINDOW_DECAY] > 0);
	snap__put(s);
	s = builder__tick(&m, 2 * NSEC_PER_SEC);
	assert_int_equal(s->entries[0].sums[WINDOW_DECAY].off_ns, 0);
	assert_int_equal(s->tasks[0].span_ns[WINDOW_DECAY], 0);
	assert_int_equal(s->entries[0].sums[WINDOW_TOTAL].off_ns, 1000 * NSEC_PER_SEC);
	snap__put(s);
	builder__fini(&m);
}

/* The longest of the decaying window is forgotten after 8 half-lives, of all never. */
static void the_longest_wait_fades(void **state)
{
	const struct waits_snap *s;
	struct builder m;

	builder__init(&m, 1);
	builder__wait(&m, ended(thread_of(7, 7, "t"), 0, 0, 1, 90 * MSEC));
	for (u32 i = 0; i < 45; i++) {
		const struct wait_sums *sums;

		if (i)
			builder__wait(&m, ended(thread_of(7, 7, "t"), 0, 0, 1, 3 * MSEC));
		s = builder__tick(&m, NSEC_PER_SEC);
		sums = s->entries[0].sums;
		assert_int_equal(sums[WINDOW_LAST].max_ns, i ? 3 * MSEC : 90 * MSEC);
		if (i < 40)
			assert_int_equal(sums[WINDOW_DECAY].max_ns, 90 * MSEC);
		if (i >= 40)
			assert_in_range(sums[WINDOW_DECAY].max_ns, 3 * MSEC, 3100000);
		assert_int_equal(sums[WINDOW_TOTAL].max_ns, 90 * MSEC);
		snap__put(s);
	}
	builder__fini(&m);
}

/* --- waits that go on --- */

static void a_wait_that_goes_on_is_whole_in_the_total(void **state)
{
	const struct waits_snap *s;
	struct builder m;
	u64 k;

	builder__init(&m, 1);
	k = KERNEL(&m, "pipe_read");
	for (u32 i = 1; i <= 3; i++) {
		const struct wait_sums *sums;

		builder__wait(&m, goes_on(thread_of(7, 7, "t"), k, 0, NSEC_PER_SEC,
					  (50 + i) * NSEC_PER_SEC));
		s = builder__tick(&m, NSEC_PER_SEC);
		assert_int_equal(s->nentries, 1);
		sums = s->entries[0].sums;
		assert_int_equal(sums[WINDOW_LAST].open_ns, NSEC_PER_SEC);
		assert_int_equal(sums[WINDOW_TOTAL].open_ns, i * NSEC_PER_SEC);
		assert_int_equal(sums[WINDOW_TOTAL].off_ns, i * NSEC_PER_SEC);
		assert_int_equal(sums[WINDOW_DECAY].open_ns, sums[WINDOW_DECAY].off_ns);
		assert_int_equal(sums[WINDOW_LAST].max_ns, (50 + i) * NSEC_PER_SEC);
		assert_int_equal(sums[WINDOW_TOTAL].open, 1);
		assert_int_equal(s->entries[0].open_full_ns, (50 + i) * NSEC_PER_SEC);
		snap__put(s);
	}
	builder__fini(&m);
}

/* Ended waits of the same place are no part of what goes on. */
static void only_the_last_wait_goes_on(void **state)
{
	const struct waits_snap *s;
	struct wait_sample w;
	struct builder m;

	builder__init(&m, 1);
	builder__wait(&m, goes_on(thread_of(7, 7, "t"), 0, 0, 400 * MSEC, 400 * MSEC));
	snap__put(builder__tick(&m, NSEC_PER_SEC));
	/* That one ends after 300 ms more, another begins and is 100 ms old. */
	w = goes_on(thread_of(7, 7, "t"), 0, 0, 100 * MSEC, 100 * MSEC);
	w.count = 1;
	w.off_ns += 300 * MSEC;
	w.full_ns = w.max_ns = 700 * MSEC;
	builder__wait(&m, w);
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(s->nentries, 1);
	assert_int_equal(s->entries[0].sums[WINDOW_LAST].open_ns, 100 * MSEC);
	assert_int_equal(s->entries[0].sums[WINDOW_TOTAL].open_ns, 100 * MSEC);
	assert_int_equal(s->entries[0].sums[WINDOW_TOTAL].off_ns, 800 * MSEC);
	assert_int_equal(s->entries[0].sums[WINDOW_TOTAL].max_ns, 700 * MSEC);
	snap__put(s);
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(s->entries[0].sums[WINDOW_TOTAL].open, 0);
	assert_int_equal(s->entries[0].sums[WINDOW_TOTAL].open_ns, 0);
	assert_int_equal(s->entries[0].sums[WINDOW_DECAY].open_ns, 0);
	assert_int_equal(s->entries[0].sums[WINDOW_TOTAL].max_ns, 700 * MSEC);
	snap__put(s);
	builder__fini(&m);
}

static const struct wait_entry *entry_woken(const struct waits_snap *s, enum waker_kind kind)
{
	for (u32 i = 0; i < s->nentries; i++)
		if (s->entries[i].waker.kind == kind)
			return &s->entries[i];
	return NULL;
}

/* A wait over three intervals is its waker's as a whole, once that is known. */
static void the_waker_gets_the_whole_wait(void **state)
{
	struct task_ident t = thread_of(7, 7, "t"), other = thread_of(9, 9, "o");
	const struct waits_snap *s;
	struct wait_sample w;
	struct builder m;
	u64 k;

	builder__init(&m, 1);
	k = KERNEL(&m, "pipe_read");
	builder__wait(&m, goes_on(t, k, 0, NSEC_PER_SEC, NSEC_PER_SEC));
	snap__put(builder__tick(&m, NSEC_PER_SEC));
	builder__wait(&m, goes_on(t, k, 0, NSEC_PER_SEC, 2 * NSEC_PER_SEC));
	snap__put(builder__tick(&m, NSEC_PER_SEC));
	w = ended(t, k, 0, 1, 500 * MSEC);
	w.full_ns = w.max_ns = 2500 * MSEC;
	w.waker = woken_by(other, KERNEL(&m, "pipe_write"), 0);
	/* The next one, which has begun already, comes in either order. */
	builder__wait(&m, goes_on(t, k, 0, 200 * MSEC, 200 * MSEC));
	builder__wait(&m, w);
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(s->nentries, 2);
	assert_int_equal(entry_woken(s, WAKER_TASK)->sums[WINDOW_TOTAL].off_ns, 2500 * MSEC);
	assert_int_equal(entry_woken(s, WAKER_TASK)->sums[WINDOW_TOTAL].open_ns, 0);
	assert_int_equal(entry_woken(s, WAKER_TASK)->sums[WINDOW_LAST].off_ns, 500 * MSEC);
	assert_int_equal(entry_woken(s, WAKER_NONE)->sums[WINDOW_TOTAL].off_ns, 200 * MSEC);
	assert_int_equal(entry_woken(s, WAKER_NONE)->sums[WINDOW_TOTAL].open_ns, 200 * MSEC);
	assert_int_equal(entry_woken(s, WAKER_NONE)->sums[WINDOW_TOTAL].max_ns, 200 * MSEC);
	snap__put(s);
	builder__fini(&m);
}

/* Woken, but still without a CPU: it goes on, and its waker is known. */
static void a_woken_wait_may_go_on(void **state)
{
	struct task_ident t = thread_of(7, 7, "t");
	const struct waits_snap *s;
	struct wait_sample w;
	struct builder m;

	builder__init(&m, 1);
	builder__wait(&m, goes_on(t, 0, 0, NSEC_PER_SEC, NSEC_PER_SEC));
	snap__put(builder__tick(&m, NSEC_PER_SEC));
	w = goes_on(t, 0, 0, NSEC_PER_SEC, 2 * NSEC_PER_SEC);
	w.runq_ns = 600 * MSEC;
	w.waker = (struct waker){.kind = WAKER_INTERRUPT, .tgid = 1, .tid = 2, .comm = "x"};
	builder__wait(&m, w);
	s = builder__tick(&m, NSEC_PER_SEC);
	/* What is left without a waker has nothing any more and is not there. */
	assert_int_equal(s->nentries, 1);
	assert_int_equal(s->entries[0].waker.kind, WAKER_INTERRUPT);
	assert_int_equal(s->entries[0].waker.tid, 0);
	assert_string_equal(s->entries[0].waker.comm, "");
	assert_int_equal(s->entries[0].sums[WINDOW_TOTAL].off_ns, 2 * NSEC_PER_SEC);
	assert_int_equal(s->entries[0].sums[WINDOW_TOTAL].open_ns, 2 * NSEC_PER_SEC);
	assert_int_equal(s->entries[0].sums[WINDOW_TOTAL].runq_ns, 600 * MSEC);
	snap__put(s);
	builder__fini(&m);
}

/* A waker of brief waits does not get what went on before them. */
static void a_brief_wait_claims_nothing(void **state)
{
	struct task_ident t = thread_of(7, 7, "t");
	const struct waits_snap *s;
	struct wait_sample w;
	struct builder m;

	builder__init(&m, 1);
	builder__wait(&m, goes_on(t, 0, 0, NSEC_PER_SEC, NSEC_PER_SEC));
	snap__put(builder__tick(&m, NSEC_PER_SEC));
	w = ended(t, 0, 0, 5, MSEC);
	w.waker = woken_by(thread_of(9, 9, "o"), 0, 0);
	builder__wait(&m, w);
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(entry_woken(s, WAKER_TASK)->sums[WINDOW_TOTAL].off_ns, 5 * MSEC);
	assert_int_equal(entry_woken(s, WAKER_NONE)->sums[WINDOW_TOTAL].off_ns, NSEC_PER_SEC);
	snap__put(s);
	builder__fini(&m);
}

/* --- who is who --- */

static void what_differs_stays_apart(void **state)
{
	struct wait_sample w = ended(thread_of(7, 8, "t"), 0, 0, 1, MSEC), v[8];
	const struct waits_snap *s;
	struct builder m;

	builder__init(&m, 1);
	for (u32 i = 0; i < ARRAY_SIZE(v); i++)
		v[i] = w;
	v[1].task.start_ns++; /* the tid is used again */
	v[2].task.tid++;
	v[3].state = TASK_STATE_DISK;
	v[4].syscall = 5;
	v[5].futex_op = 128;
	v[6].waker = woken_by(thread_of(9, 9, "o"), 0, 0);
	v[7].kstack = KERNEL(&m, "f");
	for (u32 i = 0; i < ARRAY_SIZE(v); i++)
		builder__wait(&m, v[i]);
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(s->nentries, ARRAY_SIZE(v));
	snap__put(s);
	builder__fini(&m);
}

/* As after exec: what is heard last counts. */
static void a_thread_may_change_its_name(void **state)
{
	const struct waits_snap *s;
	struct builder m;

	builder__init(&m, 1);
	builder__wait(&m, ended(thread_of(7, 8, "sh"), 0, 0, 1, MSEC));
	builder__wait(&m, ended(thread_of(7, 8, "prog"), 0, 0, 1, MSEC));
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(s->nentries, 1);
	assert_string_equal(s->entries[0].task.comm, "prog");
	assert_int_equal(s->entries[0].sums[WINDOW_LAST].count, 2);
	snap__put(s);
	builder__fini(&m);
}

/* The idle task is nobody; a thread whose process is not known is somebody. */
static void samples_without_a_process_confuse_nothing(void **state)
{
	struct task_sample t = {.task = thread_of(0, 0, "swapper"), .state_ns = {NSEC_PER_SEC}};
	const struct waits_snap *s;
	struct builder m;

	builder__init(&m, 1);
	builder__wait(&m, ended(thread_of(0, 0, "swapper"), 0, 0, 5, MSEC));
	builder__task(&m, t);
	t.task = thread_of(0, 8, "t");
	builder__wait(&m, ended(t.task, 0, 0, 5, MSEC));
	builder__task(&m, t);
	builder__wait(&m, ended(thread_of(7, 8, "t"), 0, 0, 1, MSEC));
	t.task.tgid = 7;
	builder__task(&m, t);
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(s->nentries, 2);
	assert_int_equal(s->ntasks, 2);
	assert_int_equal(s->tasks[1].task.tgid, 7);
	assert_int_equal(s->tasks[1].span_ns[WINDOW_LAST], NSEC_PER_SEC);
	snap__put(s);
	builder__fini(&m);
}

static void threads_have_their_time_by_state(void **state)
{
	struct task_sample a = {.task = thread_of(7, 9, "a")}, b = {.task = thread_of(7, 8, "b")};
	const struct waits_snap *s;
	struct builder m;

	builder__init(&m, 1);
	a.state_ns[TASK_STATE_RUNNING] = 300 * MSEC;
	a.state_ns[TASK_STATE_SLEEP] = 700 * MSEC;
	b.state_ns[TASK_STATE_DISK] = 500 * MSEC;
	b.gone = true;
	builder__task(&m, a);
	builder__task(&m, b);
	snap__put(builder__tick(&m, NSEC_PER_SEC));
	builder__task(&m, a);
	b.task.start_ns++;
	b.gone = false;
	builder__task(&m, b);
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(s->ntasks, 3);
	assert_int_equal(s->tasks[0].task.tid, 8);
	assert_true(s->tasks[0].gone);
	assert_false(s->tasks[1].gone);
	assert_int_equal(s->tasks[0].span_ns[WINDOW_LAST], 0);
	assert_int_equal(s->tasks[0].span_ns[WINDOW_TOTAL], 500 * MSEC);
	assert_int_equal(s->tasks[2].task.tid, 9);
	assert_int_equal(s->tasks[2].span_ns[WINDOW_LAST], NSEC_PER_SEC);
	assert_int_equal(s->tasks[2].state_ns[WINDOW_TOTAL][TASK_STATE_SLEEP], 1400 * MSEC);
	assert_int_equal(s->tasks[2].state_ns[WINDOW_TOTAL][TASK_STATE_RUNNING], 600 * MSEC);
	snap__put(s);
	builder__fini(&m);
}

static void zero_forgets_waits_but_not_stacks(void **state)
{
	const struct waits_snap *s;
	struct builder m;
	u64 k;

	builder__init(&m, 1);
	k = KERNEL(&m, "f");
	builder__wait(&m, goes_on(thread_of(7, 7, "t"), k, 0, NSEC_PER_SEC, NSEC_PER_SEC));
	builder__task(&m, (struct task_sample){.task = thread_of(7, 7, "t"), .state_ns = {5}});
	snap__put(builder__tick(&m, NSEC_PER_SEC));
	model_waits.zero(m.model);
	builder__wait(&m, goes_on(thread_of(7, 7, "t"), k, 0, NSEC_PER_SEC, 2 * NSEC_PER_SEC));
	s = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(s->since_ns, 101 * NSEC_PER_SEC);
	assert_int_equal(s->window_ns[WINDOW_DECAY], NSEC_PER_SEC);
	assert_int_equal(s->nentries, 1);
	assert_int_equal(s->ntasks, 0);
	assert_non_null(s->entries[0].kstack);
	assert_int_equal(s->entries[0].sums[WINDOW_TOTAL].open_ns, NSEC_PER_SEC);
	snap__put(s);
	builder__fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_have_what_was_put),
		cmocka_unit_test(decay_does_not_depend_on_the_delay),
		cmocka_unit_test(the_decaying_window_comes_to_an_end),
		cmocka_unit_test(the_longest_wait_fades),
		cmocka_unit_test(a_wait_that_goes_on_is_whole_in_the_total),
		cmocka_unit_test(only_the_last_wait_goes_on),
		cmocka_unit_test(the_waker_gets_the_whole_wait),
		cmocka_unit_test(a_woken_wait_may_go_on),
		cmocka_unit_test(a_brief_wait_claims_nothing),
		cmocka_unit_test(what_differs_stays_apart),
		cmocka_unit_test(a_thread_may_change_its_name),
		cmocka_unit_test(samples_without_a_process_confuse_nothing),
		cmocka_unit_test(threads_have_their_time_by_state),
		cmocka_unit_test(zero_forgets_waits_but_not_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
