// SPDX-License-Identifier: GPL-2.0-only
/* Sums since a thread was first watched become differences, whatever happens to the thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "sources/sched_tasks.h"

struct got {
	u32 ntasks, nwaits;
	struct task_sample task; /* the last ones */
	u32 delay_hist[HIST_BUCKETS];
	struct wait_sample wait;
};

static void put(void *ctx, const struct sample *s)
{
	struct got *g = ctx;

	if (s->type == SAMPLE_TASK) {
		g->ntasks++;
		g->task = *(const struct task_sample *)s;
		if (g->task.delay_hist)
			memcpy(g->delay_hist, g->task.delay_hist, sizeof(g->delay_hist));
	} else if (s->type == SAMPLE_WAIT) {
		g->nwaits++;
		g->wait = *(const struct wait_sample *)s;
	}
}

struct world {
	struct sched_tasks *tasks;
	struct got got;
	struct sample_sink sink;
};

static int setup(void **state)
{
	static struct world w;

	w = (struct world){.tasks = sched_tasks__new(), .sink = {put, &w.got}};
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	sched_tasks__free(((struct world *)*state)->tasks);
	return 0;
}

static struct sched_task_record record(u64 watch_id, u64 t_ns, u64 run_ns, u64 sleep_ns)
{
	struct sched_task_record r = {
		.type = RECORD_SCHED_TASK,
		.task = {.tgid = 7, .tid = 7, .start_ns = 3, .comm = "worker"},
		.t_ns = t_ns,
		.watch_id = watch_id,
		.state = SCHED_SLEEP,
	};

	r.state_ns[SCHED_RUNNING] = run_ns;
	r.state_ns[SCHED_SLEEP] = sleep_ns;
	return r;
}

static void take(struct world *w, const struct sched_task_record *r)
{
	sched_tasks__take(w->tasks, r,
			  r->has_hists ? sizeof(*r) : offsetof(struct sched_task_record, hists),
			  true, &w->sink);
}

static void test_differences(void **state)
{
	struct world *w = *state;
	struct sched_task_record r = record(1 << 8, 1000, 300, 700);

	r.runs = 5;
	take(w, &r);
	assert_int_equal(w->got.task.span_ns, 1000);
	assert_int_equal(w->got.task.state_ns[TASK_STATE_RUNNING], 300);
	r = record(1 << 8, 1500, 350, 1150);
	r.runs = 6;
	take(w, &r);
	assert_int_equal(w->got.task.span_ns, 500);
	assert_int_equal(w->got.task.state_ns[TASK_STATE_SLEEP], 450);
	assert_int_equal(w->got.task.runs, 1);
	assert_string_equal(w->got.task.task.comm, "worker");
}

/* The buffer was full, the record came twice: nothing is counted twice. */
static void test_seen_twice(void **state)
{
	struct world *w = *state;
	struct sched_task_record r = record(1 << 8, 1000, 300, 700);

	take(w, &r);
	take(w, &r);
	assert_int_equal(w->got.ntasks, 2);
	assert_int_equal(w->got.task.span_ns, 0);
}

static void test_remembered_without_sink(void **state)
{
	struct world *w = *state;
	struct sched_task_record r = record(1 << 8, 1000, 300, 700);

	sched_tasks__take(w->tasks, &r, sizeof(r), true, NULL);
	assert_int_equal(w->got.ntasks, 0);
	r = record(1 << 8, 1100, 300, 800);
	take(w, &r);
	assert_int_equal(w->got.task.span_ns, 100);
}

/* A thread that comes into scope again, or another with its id, begins anew. */
static void test_watched_anew(void **state)
{
	struct world *w = *state;
	struct sched_task_record r = record(1 << 8, 1000, 300, 700);

	take(w, &r);
	r = record(2 << 8, 2000, 10, 20);
	take(w, &r);
	assert_int_equal(w->got.task.span_ns, 30);
	assert_int_equal(sched_tasks__count(w->tasks), 2);
}

static void test_forgotten_when_not_visited(void **state)
{
	struct world *w = *state;
	struct sched_task_record a = record(1 << 8, 1000, 300, 700), b = record(2 << 8, 1000, 1, 2);

	take(w, &a);
	take(w, &b);
	sched_tasks__end_round(w->tasks, 0);
	assert_int_equal(sched_tasks__count(w->tasks), 2);
	b.t_ns = 2000;
	b.state_ns[SCHED_SLEEP] = 1002;
	take(w, &b);
	assert_int_equal(w->got.task.span_ns, 1000);
	sched_tasks__end_round(w->tasks, 0);
	assert_int_equal(sched_tasks__count(w->tasks), 1);
	sched_tasks__end_round(w->tasks, 0);
	assert_int_equal(sched_tasks__count(w->tasks), 0);
}

/* An older record, of an end that was told before the visit, changes nothing. */
static void test_older_is_ignored(void **state)
{
	struct world *w = *state;
	struct sched_task_record r = record(1 << 8, 1000, 300, 700);

	take(w, &r);
	r = record(1 << 8, 900, 200, 700);
	take(w, &r);
	assert_int_equal(w->got.ntasks, 1);
}

static void test_open_wait(void **state)
{
	struct world *w = *state;
	struct sched_task_record r = record(1 << 8, 1000, 300, 700);

	r.off_since_ns = 400;
	r.open_ns = 600;
	r.wait = (struct sched_wait){
		.kstack = 11, .ustack = 12, .state = SCHED_SLEEP, .syscall = 202};
	take(w, &r);
	assert_int_equal(w->got.nwaits, 1);
	assert_int_equal(w->got.wait.off_ns, 600);
	assert_int_equal(w->got.wait.open_ns, 600);
	assert_int_equal(w->got.wait.open_full_ns, 600);
	assert_int_equal(w->got.wait.count, 0);
	assert_int_equal(w->got.wait.open, 1);
	assert_int_equal(w->got.wait.waker.kind, WAKER_NONE);
	r.t_ns = 2000;
	r.state_ns[SCHED_SLEEP] = 1700;
	r.open_ns = 1600;
	take(w, &r);
	assert_int_equal(w->got.wait.off_ns, 1000);
	assert_int_equal(w->got.wait.open_full_ns, 1600);
	/* Preempted: all of it is waiting for a CPU. */
	r.t_ns = 2500;
	r.open_ns = 1700;
	r.wait.state = SCHED_RUNNABLE;
	take(w, &r);
	assert_int_equal(w->got.wait.runq_ns, 100);
}

static void test_no_wait_while_it_runs(void **state)
{
	struct world *w = *state;
	struct sched_task_record r = record(1 << 8, 1000, 300, 700);

	r.open_ns = 600;
	take(w, &r);
	assert_int_equal(w->got.nwaits, 0);
}

static void test_histograms(void **state)
{
	struct world *w = *state;
	struct sched_task_record r = record(1 << 8, 1000, 300, 700);

	r.has_hists = 1;
	r.hists.n[SCHED_HIST_DELAY][9] = 4;
	take(w, &r);
	assert_non_null(w->got.task.delay_hist);
	assert_int_equal(w->got.delay_hist[9], 4);
	r.t_ns = 1100;
	take(w, &r);
	assert_null(w->got.task.delay_hist); /* nothing was added */
	r.t_ns = 1200;
	r.hists.n[SCHED_HIST_DELAY][9] = 7;
	take(w, &r);
	assert_int_equal(w->got.delay_hist[9], 3);
}

static void test_short_record(void **state)
{
	struct world *w = *state;
	struct sched_task_record r = record(1 << 8, 1000, 300, 700);

	sched_tasks__take(w->tasks, &r, 64, true, &w->sink);
	r.has_hists = 1;
	sched_tasks__take(w->tasks, &r, offsetof(struct sched_task_record, hists), true, &w->sink);
	assert_int_equal(w->got.ntasks, 0);
}

/* A sum read while it was written may go back; it never makes a time of 2^64. */
static void test_never_negative(void **state)
{
	struct world *w = *state;
	struct sched_task_record r = record(1 << 8, 1000, 300, 700);

	take(w, &r);
	r = record(1 << 8, 1100, 290, 800);
	take(w, &r);
	assert_int_equal(w->got.task.state_ns[TASK_STATE_RUNNING], 0);
	r = record(1 << 8, 1200, 310, 900);
	take(w, &r);
	assert_int_equal(w->got.task.state_ns[TASK_STATE_RUNNING], 10);
}

/* Who is left out in most rounds is remembered until its turn; who ended is not. */
static void test_left_out(void **state)
{
	struct world *w = *state;
	struct sched_task_record a = record(1 << 8, 1000, 300, 700), b = record(2 << 8, 1000, 1, 2);

	take(w, &a);
	b.gone = 1;
	take(w, &b);
	for (u32 round = 0; round < 3; round++)
		sched_tasks__end_round(w->tasks, 2);
	assert_int_equal(sched_tasks__count(w->tasks), 1);
	a = record(1 << 8, 4000, 300, 3700);
	sched_tasks__take(w->tasks, &a, sizeof(a), true, NULL);
	a = record(1 << 8, 5000, 300, 4700);
	take(w, &a);
	assert_int_equal(w->got.task.span_ns, 1000);
	for (u32 round = 0; round < 4; round++)
		sched_tasks__end_round(w->tasks, 2);
	assert_int_equal(sched_tasks__count(w->tasks), 0);
}

static void test_many(void **state)
{
	struct world *w = *state;

	for (u64 round = 0; round < 3; round++) {
		for (u64 i = 1; i <= 20000; i++) {
			struct sched_task_record r =
				record((i + round * 10000) << 8, 1000000 + round, 1, 2);

			take(w, &r);
		}
		sched_tasks__end_round(w->tasks, 0);
		assert_int_equal(sched_tasks__count(w->tasks), 20000);
	}
}

static void test_buckets(void **state)
{
	for (u32 i = 0; i < HIST_BUCKETS; i++) {
		assert_int_equal(hist__bucket(hist__lo(i)), i);
		assert_int_equal(hist__bucket(hist__lo(i + 1) - 1), i);
	}
	assert_int_equal(hist__bucket(0), 0);
	assert_int_equal(hist__bucket(UINT64_MAX), HIST_BUCKETS - 1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_differences),
		TEST(test_seen_twice),
		TEST(test_remembered_without_sink),
		TEST(test_watched_anew),
		TEST(test_forgotten_when_not_visited),
		TEST(test_older_is_ignored),
		TEST(test_open_wait),
		TEST(test_no_wait_while_it_runs),
		TEST(test_histograms),
		TEST(test_short_record),
		TEST(test_never_negative),
		TEST(test_left_out),
		TEST(test_many),
		TEST(test_buckets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
