// SPDX-License-Identifier: GPL-2.0-only
/* The sched model: sums over windows, who is forgotten, the slowest delays, bounds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/lib/fake_symbols.h"
#include "tests/lib/sched_builder.h"
#include "models/sched_model.h"

#define MS NSEC_PER_MSEC
#define S  NSEC_PER_SEC

static const struct sched_task *only(const struct sched_snap *s)
{
	assert_int_equal(s->ntasks, 1);
	return &s->tasks[0];
}

static u64 sum_states(const struct sched_sums *s)
{
	u64 sum = 0;

	for (u32 i = 0; i < TASK_STATES; i++)
		sum += s->state_ns[i];
	return sum;
}

/* --- windows --- */

static void a_trend_has_the_last_intervals(void **state)
{
	struct sched_builder *m = *state;
	struct task_sample t = sched_builder__task(7, 7, 400 * MS, 600 * MS);
	const struct sched_snap *s;

	sched_builder__put(m, &t);
	snap__put(&sched_builder__tick(m, S)->base);
	t = sched_builder__task(7, 7, 150 * MS, 850 * MS);
	sched_builder__put(m, &t);
	s = sched_builder__tick(m, S);
	assert_float_equal(only(s)->trend[TREND_LEN - 1], 15, 1e-3);
	assert_float_equal(only(s)->trend[TREND_LEN - 2], 40, 1e-3);
	assert_float_equal(only(s)->trend[TREND_LEN - 3], 0, 1e-3);
	snap__put(&s->base);
}

static void intervals_add_up_and_decay(void **state)
{
	struct sched_builder *m = *state;
	struct task_sample t = sched_builder__task(7, 7, 400 * MS, 4600 * MS);
	const struct sched_snap *s;
	const struct sched_task *task;

	t.delay_max_ns = 9;
	sched_builder__put(m, &t);
	snap__put(&sched_builder__tick(m, 5 * S)->base);
	t = sched_builder__task(7, 7, 100 * MS, 4900 * MS);
	t.delay_max_ns = 3;
	sched_builder__put(m, &t);
	s = sched_builder__tick(m, 5 * S);
	task = only(s);
	assert_int_equal(task->sums[WINDOW_LAST].state_ns[TASK_STATE_RUNNING], 100 * MS);
	assert_int_equal(task->sums[WINDOW_DECAY].state_ns[TASK_STATE_RUNNING], 300 * MS);
	assert_int_equal(task->sums[WINDOW_TOTAL].state_ns[TASK_STATE_RUNNING], 500 * MS);
	assert_int_equal(task->sums[WINDOW_LAST].delay_max_ns, 3);
	assert_int_equal(task->sums[WINDOW_TOTAL].delay_max_ns, 9);
	assert_int_equal(s->window_ns[WINDOW_LAST], 5 * S);
	assert_int_equal(s->window_ns[WINDOW_DECAY], 7500 * MS);
	assert_int_equal(s->window_ns[WINDOW_TOTAL], 10 * S);
	for (u32 w = 0; w < WINDOWS; w++) {
		assert_int_equal(sum_states(&task->sums[w]), task->sums[w].span_ns);
		assert_memory_equal(&task->sums[w], &s->all[w], sizeof(s->all[w]));
	}
	snap__put(&s->base);
}

/* Whatever the intervals are, what is rounded still sums to the span. */
static void states_sum_to_the_span(void **state)
{
	struct sched_builder *m = *state;

	for (u32 i = 0; i < 50; i++) {
		struct task_sample t = sched_builder__task(1, 1, 0, 0);
		const struct sched_snap *s;

		for (u32 k = 0; k < TASK_STATES; k++)
			t.state_ns[k] = sched_builder__random(m, 1000);
		sched_builder__put(m, &t);
		s = sched_builder__tick(m, 1 + sched_builder__random(m, 3) * S);
		for (u32 w = 0; w < WINDOWS; w++)
			assert_int_equal(sum_states(&only(s)->sums[w]), only(s)->sums[w].span_ns);
		snap__put(&s->base);
	}
}

/* In the decaying window a maximum holds for 8 half-lives, then it is gone. */
static void maxima_fade(void **state)
{
	struct sched_builder *m = *state;

	for (u32 i = 0; i < 42; i++) {
		struct task_sample t = sched_builder__task(1, 1, 1, 1);
		const struct sched_snap *s;
		u64 max;

		t.delay_max_ns = i ? 2 : 100;
		sched_builder__put(m, &t);
		s = sched_builder__tick(m, S);
		max = only(s)->sums[WINDOW_DECAY].delay_max_ns;
		assert_int_equal(max, i < 40 ? 100 : 2);
		assert_int_equal(only(s)->sums[WINDOW_TOTAL].delay_max_ns, 100);
		snap__put(&s->base);
	}
}

static void histograms_follow_the_windows(void **state)
{
	struct sched_builder *m = *state;
	u32 hist[HIST_BUCKETS] = {[3] = 8, [50] = 2}, later[HIST_BUCKETS] = {[50] = 1, [7] = 1};
	struct task_sample t = sched_builder__task(1, 1, 1, 1);
	struct sched_hist h[WINDOWS] = {0};
	const struct sched_snap *s;

	t.delay_hist = hist;
	sched_builder__put(m, &t);
	snap__put(&sched_builder__tick(m, S)->base);
	t.delay_hist = later;
	sched_builder__put(m, &t);
	s = sched_builder__tick(m, 5 * S);
	assert_int_equal(only(s)->hists[SCHED_DELAY].n, 3);
	assert_int_equal(only(s)->hists[SCHED_ON].n, 0);
	for (u32 w = 0; w < WINDOWS; w++)
		sched_hist__add(&h[w], &only(s)->hists[SCHED_DELAY], w);
	assert_true(h[WINDOW_LAST].n[50] == 1 && h[WINDOW_LAST].n[7] == 1 && !h[WINDOW_LAST].n[3]);
	assert_true(h[WINDOW_DECAY].n[3] == 4 && h[WINDOW_DECAY].n[50] == 2);
	assert_true(h[WINDOW_TOTAL].n[3] == 8 && h[WINDOW_TOTAL].n[50] == 3);
	for (u32 w = 0; w < WINDOWS; w++)
		assert_memory_equal(&h[w], &s->hists[w][SCHED_DELAY], sizeof(h[w]));
	snap__put(&s->base);
}

/* Beyond the bound a bucket joins the nearest one; the first one always has room. */
static void cells_are_bounded(void **state)
{
	struct cells c = {0};
	u32 held = SCHED_MAX_CELLS;

	cells__add(&c, 40, 1, &held);
	cells__add(&c, 90, 2, &held);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.v[0].last, 3);
	held = 1;
	cells__add(&c, 10, 1, &held);
	held = SCHED_MAX_CELLS;
	cells__add(&c, 20, 5, &held);
	cells__add(&c, 30, 7, &held);
	cells__add(&c, 0, 9, &held);
	assert_int_equal(c.n, 2);
	assert_int_equal(c.v[0].last, 1 + 5 + 9);
	assert_int_equal(c.v[1].last, 3 + 7);
	cells__fini(&c, &held);
}

/* --- quantiles --- */

static void quantiles_are_interpolated(void **state)
{
	struct sched_hist h = {0};
	u64 lo = hist__lo(40), hi = hist__lo(41);

	assert_int_equal(sched_hist__quantile(&h, 0.5, UINT64_MAX), 0);
	h.n[40] = 100;
	assert_int_equal(sched_hist__quantile(&h, 0.5, UINT64_MAX), lo + (hi - lo) / 2);
	assert_int_equal(sched_hist__quantile(&h, 0.25, UINT64_MAX), lo + (hi - lo) / 4);
	assert_int_equal(sched_hist__quantile(&h, 1, UINT64_MAX), hi);
	assert_int_equal(sched_hist__quantile(&h, 0.5, lo + 1), lo + 1);
	h.n[10] = 300;
	assert_int_equal(sched_hist__quantile(&h, 0.75, UINT64_MAX), hist__lo(11));
	assert_int_equal(sched_hist__quantile(&h, 0.875, UINT64_MAX), lo + (hi - lo) / 2);
	/* The last bucket has no end: what was measured bounds it. */
	memset(&h, 0, sizeof(h));
	h.n[HIST_BUCKETS - 1] = 1;
	assert_int_equal(sched_hist__quantile(&h, 0.5, 40 * S),
			 hist__lo(HIST_BUCKETS - 1) +
				 (hist__lo(HIST_BUCKETS) - hist__lo(HIST_BUCKETS - 1)) / 2);
}

/* Buckets lie side by side, and each value is within its own. */
static void buckets_have_no_gaps(void **state)
{
	for (u32 i = 0; i < HIST_BUCKETS; i++) {
		assert_int_equal(hist__bucket(hist__lo(i)), i);
		assert_true(hist__lo(i + 1) > hist__lo(i));
		assert_int_equal(hist__bucket(hist__lo(i + 1) - 1), i);
	}
}

/* --- who is who --- */

static void a_reused_tid_is_another_thread(void **state)
{
	struct sched_builder *m = *state;
	struct task_sample t = sched_builder__task(5, 5, 10, 90);
	const struct sched_snap *s;

	t.gone = true;
	sched_builder__put(m, &t);
	t = sched_builder__task(5, 5, 30, 20);
	t.task.start_ns = 999;
	sched_builder__put(m, &t);
	s = sched_builder__tick(m, S);
	assert_int_equal(s->ntasks, 2);
	assert_int_equal(sched_builder__find(s, 5, 5)->sums[WINDOW_TOTAL].span_ns, 100);
	assert_int_equal(sched_builder__find(s, 5, 999)->sums[WINDOW_TOTAL].span_ns, 50);
	assert_true(sched_builder__find(s, 5, 5)->gone && !sched_builder__find(s, 5, 999)->gone);
	snap__put(&s->base);
}

/* An exec changes the name, and of a thread that is not the first one its process' order. */
static void a_thread_keeps_its_sums_under_another_name(void **state)
{
	struct sched_builder *m = *state;
	struct task_sample t = sched_builder__task(5, 9, 10, 90);
	const struct sched_snap *s;

	sched_builder__put(m, &t);
	snap__put(&sched_builder__tick(m, S)->base);
	t = sched_builder__task(9, 9, 10, 90);
	copy_str(t.task.comm, sizeof(t.task.comm), "other");
	sched_builder__put(m, &t);
	s = sched_builder__tick(m, S);
	assert_string_equal(only(s)->task.comm, "other");
	assert_int_equal(only(s)->task.tgid, 9);
	assert_int_equal(only(s)->sums[WINDOW_TOTAL].span_ns, 200);
	snap__put(&s->base);
}

static struct sched_sums sum_tasks(const struct sched_snap *s, enum time_window w)
{
	struct sched_sums sum = s->others[w];

	for (u32 i = 0; i < s->ntasks; i++)
		sched_sums__add(&sum, &s->tasks[i].sums[w]);
	return sum;
}

static void assert_nothing_lost(const struct sched_snap *s)
{
	static const enum time_window exact[] = {WINDOW_LAST, WINDOW_TOTAL};
	struct sched_hist h;

	for (u32 i = 0; i < ARRAY_SIZE(exact); i++) {
		struct sched_sums sum = sum_tasks(s, exact[i]);

		assert_memory_equal(&sum, &s->all[exact[i]], sizeof(sum));
		h = s->other_hists[exact[i]][SCHED_ON];
		for (u32 k = 0; k < s->ntasks; k++)
			sched_hist__add(&h, &s->tasks[k].hists[SCHED_ON], exact[i]);
		assert_memory_equal(&h, &s->hists[exact[i]][SCHED_ON], sizeof(h));
	}
}

static void assert_sorted(const struct sched_snap *s)
{
	for (u32 i = 1; i < s->ntasks; i++) {
		const struct task_ident *a = &s->tasks[i - 1].task, *b = &s->tasks[i].task;

		assert_true(a->tgid < b->tgid || (a->tgid == b->tgid && a->tid < b->tid) ||
			    (a->tgid == b->tgid && a->tid == b->tid && a->start_ns < b->start_ns));
	}
}

static u32 threads(const struct sched_snap *s)
{
	u32 n = s->nothers;

	for (u32 i = 0; i < s->ntasks; i++)
		n += s->tasks[i].n;
	return n;
}

static void put_short_lived(struct sched_builder *m, u32 tid)
{
	u32 on[HIST_BUCKETS] = {0};
	struct task_sample t = sched_builder__task(tid / 3, tid, tid % 1000, 5);

	on[tid % HIST_BUCKETS] = 1;
	t.gone = true;
	t.on_hist = on;
	t.run_max_ns = tid % 1000;
	sched_builder__put(m, &t);
}

static void those_gone_longest_are_forgotten_first(void **state)
{
	struct sched_builder *m = *state;
	struct task_sample alive = sched_builder__task(1, 1, 5, 5);
	const struct sched_snap *s;

	for (u32 i = 0; i < SCHED_MAX_STALE; i++)
		put_short_lived(m, 1000 + i);
	sched_builder__put(m, &alive);
	s = sched_builder__tick(m, S);
	assert_int_equal(s->ntasks, SCHED_MAX_STALE + 1);
	snap__put(&s->base);
	put_short_lived(m, 999);
	sched_builder__put(m, &alive);
	s = sched_builder__tick(m, S);
	assert_true(s->ntasks < SCHED_MAX_STALE);
	assert_int_equal(threads(s), SCHED_MAX_STALE + 2);
	assert_non_null(sched_builder__find(s, 1, 1));
	assert_non_null(sched_builder__find(s, 999, 999));
	assert_nothing_lost(s);
	assert_sorted(s);
	snap__put(&s->base);
}

/* A pool whose threads come and go all the time is one process still. */
static void ended_threads_merge_within_their_process(void **state)
{
	struct sched_builder *m = *state;
	const struct sched_snap *s;
	u64 runs = 0, expected = 0;

	for (u32 i = 0; i < 3 * SCHED_MAX_STALE; i++) {
		struct task_sample t = sched_builder__task(7 + i % 2, 1000 + i, 10, 5);

		t.gone = true;
		t.runs = i % 5;
		expected += i % 2 ? 0 : t.runs;
		sched_builder__put(m, &t);
	}
	s = sched_builder__tick(m, S);
	assert_true(s->ntasks <= SCHED_MAX_STALE);
	assert_int_equal(s->nothers, 0);
	for (u32 i = 0; i < s->ntasks; i++)
		runs += s->tasks[i].task.tgid == 7 ? s->tasks[i].sums[WINDOW_TOTAL].runs : 0;
	assert_int_equal(threads(s), 3 * SCHED_MAX_STALE);
	assert_int_equal(runs, expected);
	assert_nothing_lost(s);
	assert_sorted(s);
	snap__put(&s->base);
}

/* Far more threads than are kept, in one interval and over several. */
static void churn_is_bounded_and_loses_nothing(void **state)
{
	struct sched_builder *m = *state;
	size_t most = 0;
	u32 tid = 100;

	for (u32 i = 0; i < 4; i++) {
		const struct sched_snap *s;

		for (u32 k = 0; k < (i ? 20000 : SCHED_MAX_TASKS + 10000); k++)
			put_short_lived(m, tid++);
		most = MAX(most, model_sched.memory(m->model));
		s = sched_builder__tick(m, S);
		assert_true(s->ntasks <= SCHED_MAX_STALE);
		assert_int_equal(threads(s), tid - 100);
		assert_nothing_lost(s);
		assert_sorted(s);
		snap__put(&s->base);
	}
	assert_true(most < (size_t)96 << 20);
}

/* More living threads than are kept: some come back as new ones, nothing is counted twice. */
static void too_many_living_threads(void **state)
{
	struct sched_builder *m = *state;

	for (u32 i = 0; i < 2; i++) {
		const struct sched_snap *s;

		for (u32 k = 0; k < SCHED_MAX_TASKS + 5000; k++) {
			struct task_sample t = sched_builder__task(k + 1, k + 1, 1, 2);

			sched_builder__put(m, &t);
		}
		s = sched_builder__tick(m, S);
		assert_true(s->ntasks <= SCHED_MAX_TASKS);
		assert_nothing_lost(s);
		assert_int_equal(s->all[WINDOW_LAST].span_ns, 3 * (SCHED_MAX_TASKS + 5000));
		snap__put(&s->base);
	}
}

static void zero_forgets_all(void **state)
{
	struct sched_builder *m = *state;
	const struct sched_snap *s;

	put_short_lived(m, 5);
	sched_builder__delay(m, &(struct delay_sample){.t_ns = m->now_ns, .delay_ns = 5});
	snap__put(&sched_builder__tick(m, S)->base);
	model_sched.zero(m->model);
	s = sched_builder__tick(m, S);
	assert_int_equal(s->ntasks + s->ndelays + s->ncpus + s->nswitches, 0);
	assert_int_equal(s->all[WINDOW_TOTAL].span_ns, 0);
	assert_true(sched_hist__count(&s->hists[WINDOW_TOTAL][SCHED_ON]) == 0);
	assert_int_equal(s->since_ns, m->now_ns - S);
	snap__put(&s->base);
}

/* --- CPUs --- */

static void put_cpu(struct sched_builder *m, u32 cpu, u64 busy_ms, u64 run_max, u32 tid)
{
	u64 delays[HIST_BUCKETS] = {[20] = 4};
	struct cpu_sample c = {.head.type = SAMPLE_CPU,
			       .cpu = cpu,
			       .span_ns = S,
			       .busy_ns = busy_ms * MS,
			       .switches = 10,
			       .run_max_ns = run_max,
			       .longest = {.tid = tid},
			       .running = {.tid = tid},
			       .delay_hist = delays};

	model_sched.consume(m->model, &c.head);
}

static void cpus_have_trends_and_longest_runs(void **state)
{
	struct sched_builder *m = *state;
	const struct sched_snap *s;

	put_cpu(m, 3, 250, 900, 11);
	put_cpu(m, SCHED_MAX_CPUS, 1, 1, 1);
	snap__put(&sched_builder__tick(m, S)->base);
	put_cpu(m, 3, 500, 400, 12);
	put_cpu(m, 0, 1000, 100, 13);
	s = sched_builder__tick(m, S);
	assert_int_equal(s->ncpus, 2);
	assert_int_equal(s->cpus[0].cpu, 0);
	assert_int_equal(s->cpus[1].cpu, 3);
	assert_int_equal(s->cpus[1].longest[WINDOW_LAST].who.tid, 12);
	assert_int_equal(s->cpus[1].longest[WINDOW_DECAY].who.tid, 11);
	assert_int_equal(s->cpus[1].longest[WINDOW_TOTAL].ns, 900);
	assert_int_equal(s->cpus[1].sums[WINDOW_TOTAL].runs, 20);
	assert_int_equal(s->cpus[1].sums[WINDOW_TOTAL].delays, 8);
	assert_int_equal(s->cpus[1].running.tid, 12);
	assert_true(s->cpus[1].trend[TREND_LEN - 1] == 50);
	assert_true(s->cpus[1].trend[TREND_LEN - 2] == 25);
	assert_true(isnan(s->cpus[0].trend[TREND_LEN - 2]));
	snap__put(&s->base);
}

/* --- delays and switches --- */

static void the_slowest_delays_of_a_minute_are_kept(void **state)
{
	struct sched_builder *m = *state;
	u64 begin = m->now_ns;
	const struct sched_snap *s;

	for (u32 i = 0; i < 3000; i++)
		sched_builder__delay(m, &(struct delay_sample){.task.tid = i + 1,
							       .t_ns = begin + i,
							       .delay_ns = mix64(i) % 100000});
	sched_builder__delay(m, &(struct delay_sample){.t_ns = begin, .delay_ns = 1 * S});
	s = sched_builder__tick(m, S);
	assert_int_equal(s->ndelays, SCHED_MAX_DELAYS);
	assert_int_equal(s->delays[0].delay_ns, 1 * S);
	for (u32 i = 1; i < s->ndelays; i++)
		assert_true(s->delays[i].delay_ns <= s->delays[i - 1].delay_ns);
	for (u32 i = 0, slower = 0; i < 3000; i++) {
		slower += mix64(i) % 100000 > s->delays[s->ndelays - 1].delay_ns;
		assert_true(slower < SCHED_MAX_DELAYS);
	}
	snap__put(&s->base);
	sched_builder__delay(m, &(struct delay_sample){.t_ns = begin + 59 * S, .delay_ns = 3});
	s = sched_builder__tick(m, 58 * S);
	assert_int_equal(s->ndelays, SCHED_MAX_DELAYS);
	snap__put(&s->base);
	s = sched_builder__tick(m, 2 * S);
	assert_int_equal(s->ndelays, 1);
	snap__put(&s->base);
}

/* More stacks than are known at once: those in use are kept. */
static void stacks_of_holders_survive_making_room(void **state)
{
	struct sched_builder *m = *state;
	u32 f = symbols__named(m->symbols, "prog", "f", CODE_USER);
	u32 g = symbols__named(m->symbols, "prog", "g", CODE_USER);
	const struct sched_snap *s;

	sched_builder__stack(m, 1, false, 2, (u32[]){f, g});
	sched_builder__delay(m, &(struct delay_sample){.t_ns = m->now_ns,
						       .delay_ns = 5,
						       .holder = {.tgid = 1, .tid = 1},
						       .holder_kstack = 12345,
						       .holder_ustack = 1});
	for (u32 i = 0; i < 3 * STACKS_DEFINITIONS; i++)
		sched_builder__stack(m, 1000 + i, true, 1, (u32[]){f});
	s = sched_builder__tick(m, S);
	assert_int_equal(s->ndelays, 1);
	assert_null(s->delays[0].holder_kstack);
	assert_int_equal(s->delays[0].holder_ustack->nuser, 2);
	assert_int_equal(s->delays[0].holder_ustack->locs[1], g);
	snap__put(&s->base);
}

static void put_switch(struct sched_builder *m, u32 tid, u64 t_ns, enum task_state to)
{
	struct switch_sample s = {
		.head.type = SAMPLE_SWITCH, .tid = tid, .t_ns = t_ns, .state = to};

	model_sched.consume(m->model, &s.head);
}

static void switches_are_of_one_thread_and_bounded(void **state)
{
	struct sched_builder *m = *state;
	u64 begin = m->now_ns;
	const struct sched_snap *s;

	put_switch(m, 8, begin, TASK_STATE_SLEEP);
	for (u32 i = 0; i < SCHED_MAX_SWITCHES + 10; i++)
		put_switch(m, 9, begin + i, i % TASK_STATES);
	s = sched_builder__tick(m, S);
	assert_int_equal(s->watched_tid, 9);
	assert_int_equal(s->nswitches, SCHED_MAX_SWITCHES);
	assert_int_equal(s->switches[0].t_ns, begin + 10);
	snap__put(&s->base);
	/* Of those before the timeline the last one tells what goes on at its begin. */
	put_switch(m, 9, begin + 12 * S, TASK_STATE_RUNNING);
	s = sched_builder__tick(m, 14 * S);
	assert_int_equal(s->nswitches, 2);
	assert_int_equal(s->switches[0].t_ns, begin + SCHED_MAX_SWITCHES + 9);
	snap__put(&s->base);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, sched_builder__setup, sched_builder__teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_trend_has_the_last_intervals),
		TEST(intervals_add_up_and_decay),
		TEST(states_sum_to_the_span),
		TEST(maxima_fade),
		TEST(histograms_follow_the_windows),
		TEST(cells_are_bounded),
		TEST(quantiles_are_interpolated),
		TEST(buckets_have_no_gaps),
		TEST(a_reused_tid_is_another_thread),
		TEST(a_thread_keeps_its_sums_under_another_name),
		TEST(those_gone_longest_are_forgotten_first),
		TEST(ended_threads_merge_within_their_process),
		TEST(churn_is_bounded_and_loses_nothing),
		TEST(too_many_living_threads),
		TEST(zero_forgets_all),
		TEST(cpus_have_trends_and_longest_runs),
		TEST(the_slowest_delays_of_a_minute_are_kept),
		TEST(stacks_of_holders_survive_making_room),
		TEST(switches_are_of_one_thread_and_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
