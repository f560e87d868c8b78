// SPDX-License-Identifier: GPL-2.0-only
/* One thread of the sched model: its states, and what it did in the last seconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/lib/fake_symbols.h"
#include "tests/lib/sched_builder.h"

#define MS NSEC_PER_MSEC
#define S  NSEC_PER_SEC

static void put_switch(struct sched_builder *m, u64 ago_ns, enum task_state to, u64 kstack)
{
	struct switch_sample s = {.head.type = SAMPLE_SWITCH,
				  .tid = 5,
				  .cpu = 1,
				  .t_ns = m->now_ns - ago_ns,
				  .state = to,
				  .syscall = WAIT_NO_SYSCALL,
				  .kstack = kstack};

	model_sched.consume(m->model, &s.head);
}

static void put_thread(struct sched_builder *m, enum task_state state, u64 since_ago_ns, bool gone)
{
	struct task_sample t = sched_builder__task(4, 5, 300 * MS, 700 * MS);

	t.state = state;
	t.since_ns = m->now_ns - since_ago_ns;
	t.t_ns = m->now_ns;
	t.gone = gone;
	sched_builder__put(m, &t);
}

/* Where a sleep for a time and one for a disk are. */
static void put_stacks(struct sched_builder *m)
{
	u32 nap = symbols__named(m->symbols, "[kernel]", "hrtimer_nanosleep", CODE_KERNEL);
	u32 disk = symbols__named(m->symbols, "[kernel]", "io_schedule", CODE_KERNEL);

	sched_builder__stack(m, 1, true, 1, &nap);
	sched_builder__stack(m, 2, true, 1, &disk);
}

/* The interval ends now: what was put lies in it. */
static struct sched_thread_result *ask(struct sched_builder *m, u64 start_ns)
{
	const struct sched_snap *s;
	struct sched_thread_result *a;

	m->now_ns -= S;
	s = sched_builder__tick(m, S);
	a = sched__thread(s, 5, start_ns, WINDOW_LAST);
	snap__put(&s->base);
	return a;
}

static const struct sched_part *part_named(const struct sched_thread_result *a, const char *name)
{
	for (u32 i = 0; i < a->nparts; i++)
		if (!strcmp(a->parts[i].name, name))
			return &a->parts[i];
	fail_msg("no part %s", name);
	return NULL;
}

static void assert_no_gaps(const struct sched_thread_result *a, u64 begin, u64 end)
{
	u64 sums[TASK_STATES + WAIT_REASONS] = {0}, at = begin;

	for (u32 i = 0; i < a->nspans; i++) {
		assert_int_equal(a->spans[i].t0_ns, at);
		assert_true(a->spans[i].t1_ns > at);
		at = a->spans[i].t1_ns;
		assert_true(a->spans[i].part < a->nparts);
		sums[a->spans[i].part] += a->spans[i].t1_ns - a->spans[i].t0_ns;
	}
	assert_int_equal(at, end);
	for (u32 i = 0; i < a->nparts; i++) {
		assert_int_equal(sums[i], a->parts[i].ns);
		assert_true(!i || a->parts[i].ns <= a->parts[i - 1].ns);
	}
}

static void spans_have_no_gaps_and_sum_up(void **state)
{
	struct sched_builder *m = *state;
	struct sched_thread_result *a;

	put_stacks(m);
	put_thread(m, TASK_STATE_RUNNING, 100 * MS, false);
	put_switch(m, 12 * S, TASK_STATE_RUNNING, 0);
	put_switch(m, 11 * S, TASK_STATE_SLEEP, 1);
	put_switch(m, 6 * S, TASK_STATE_RUNNABLE, 0);
	put_switch(m, 5500 * MS, TASK_STATE_RUNNING, 0);
	put_switch(m, 5 * S, TASK_STATE_DISK, 2);
	put_switch(m, 3 * S, TASK_STATE_SLEEP, 1);
	put_switch(m, 2 * S, TASK_STATE_RUNNING, 0);
	a = ask(m, 5);
	assert_no_gaps(a, m->now_ns - 10 * S, m->now_ns);
	assert_int_equal(a->nparts, 4);
	assert_int_equal(part_named(a, "sleep")->ns, 5 * S);
	assert_int_equal(part_named(a, "sleep")->count, 2);
	assert_int_equal(part_named(a, "sleep")->max_ns, 4 * S);
	assert_int_equal(part_named(a, "running on a CPU")->ns, 2500 * MS);
	assert_int_equal(part_named(a, "waiting for a CPU")->ns, 500 * MS);
	assert_int_equal(part_named(a, "disk")->ns, 2 * S);
	assert_int_equal(part_named(a, "disk")->reason, WAIT_DISK);
	query_result__free(&a->base);
}

static void what_is_not_watched_yet_is_where_it_is_now(void **state)
{
	struct sched_builder *m = *state;
	struct sched_thread_result *a;

	put_thread(m, TASK_STATE_STOPPED, 4 * S, false);
	a = ask(m, 5);
	assert_no_gaps(a, m->now_ns - 4 * S, m->now_ns);
	assert_int_equal(a->nspans, 1);
	assert_int_equal(a->parts[0].state, TASK_STATE_STOPPED);
	query_result__free(&a->base);
}

static void nothing_follows_the_end(void **state)
{
	struct sched_builder *m = *state;
	struct sched_thread_result *a;

	put_switch(m, 3 * S, TASK_STATE_RUNNING, 0);
	put_switch(m, 1 * S, TASK_STATE_OTHER, 0);
	m->now_ns -= 500 * MS;
	put_thread(m, TASK_STATE_OTHER, 500 * MS, true);
	m->now_ns += 500 * MS;
	a = ask(m, 5);
	assert_no_gaps(a, m->now_ns - 3 * S, m->now_ns - 500 * MS);
	query_result__free(&a->base);
}

static void states_come_by_their_time(void **state)
{
	struct sched_builder *m = *state;
	u32 hist[HIST_BUCKETS] = {[30] = 4};
	struct task_sample t = sched_builder__task(4, 5, 300 * MS, 500 * MS);
	struct sched_thread_result *a;
	struct value v;

	t.state_ns[TASK_STATE_DISK] = 200 * MS;
	t.delay_hist = hist;
	sched_builder__put(m, &t);
	a = ask(m, 5);
	assert_int_equal(a->nrows, 3);
	assert_int_equal(a->rows[0].state, TASK_STATE_SLEEP);
	assert_int_equal(a->rows[1].state, TASK_STATE_RUNNING);
	assert_int_equal(a->rows[2].state, TASK_STATE_DISK);
	assert_true(a->base.table.cell(&a->base.table, 2, 0, &v));
	assert_true(v.f == 20);
	assert_true(a->hists[SCHED_DELAY].n[30] == 4);
	assert_int_equal(a->delays.n, 1);
	query_result__free(&a->base);
}

/* Whoever has the number now is not whom it was opened for. */
static void another_thread_of_that_number_is_not_shown(void **state)
{
	struct sched_builder *m = *state;
	struct sched_thread_result *a;

	put_thread(m, TASK_STATE_SLEEP, 1 * S, false);
	a = ask(m, 777);
	assert_null(a->task);
	assert_int_equal(a->nrows, 0);
	query_result__free(&a->base);
	put_thread(m, TASK_STATE_SLEEP, 1 * S, false);
	a = ask(m, 0);
	assert_int_equal(a->task->task.tgid, 4);
	query_result__free(&a->base);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, sched_builder__setup, sched_builder__teardown)
	const struct CMUnitTest tests[] = {
		TEST(spans_have_no_gaps_and_sum_up),
		TEST(what_is_not_watched_yet_is_where_it_is_now),
		TEST(nothing_follows_the_end),
		TEST(states_come_by_their_time),
		TEST(another_thread_of_that_number_is_not_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
