// SPDX-License-Identifier: GPL-2.0-only
/* Queries over the sched model: groupings, scopes, cells, the slowest delays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/command_lines.h"
#include "scope/filter.h"
#include "tests/lib/fake_symbols.h"
#include "tests/lib/rows.h"
#include "tests/lib/sched_builder.h"

#define MS NSEC_PER_MSEC
#define S  NSEC_PER_SEC

static struct scope *parse(const char *expr)
{
	struct filter_error err;
	struct scope *s = filter__parse(expr, &err);

	assert_non_null(s);
	return s;
}

static struct sched_result *ask(const struct sched_snap *s, enum sched_group group, bool all,
				const char *filter)
{
	struct sched_query q = {.group = group, .window = WINDOW_LAST, .all = all};
	struct scope *scope = parse(filter);
	struct sched_result *a = sched__query(s, &q, scope);

	scope__put(scope);
	return a;
}

static bool on_screen(const struct query_result *a, const char *name)
{
	for (u32 i = 0; i < a->table.ncolumns; i++)
		if (!strcmp(a->table.columns[i].name, name))
			return a->table.columns[i].flags & COLUMN_SCREEN;
	return false;
}

/* --- rows --- */

static void put_random(struct sched_builder *m, u32 n)
{
	static const char *const comms[] = {"a", "b", "worker"};

	for (u32 i = 0; i < n; i++) {
		u32 tgid = 10 + sched_builder__random(m, 20), hist[HIST_BUCKETS] = {0};
		struct task_sample t = sched_builder__task(tgid, tgid + sched_builder__random(m, 4),
							   sched_builder__random(m, 2000), 1000);

		hist[sched_builder__random(m, HIST_BUCKETS)] = 3;
		t.cpu = sched_builder__random(m, 4);
		t.task.cgroup = sched_builder__random(m, 3);
		t.delay_ns = sched_builder__random(m, 1000);
		t.delay_max_ns = t.delay_ns;
		t.migrations = 1;
		t.delay_hist = hist;
		copy_str(t.task.comm, sizeof(t.task.comm), comms[sched_builder__random(m, 3)]);
		sched_builder__put(m, &t);
	}
}

static void totals_are_the_same_in_all_groupings(void **state)
{
	struct sched_builder *m = *state;
	const struct sched_snap *s;

	put_random(m, 400);
	s = sched_builder__tick(m, S);
	for (u32 g = 0; g < SCHED_GROUPS; g++) {
		struct sched_result *a = ask(s, g, true, "");
		struct sched_sums sum = {0};
		u32 threads = 0;

		for (u32 i = 0; i < a->nrows; i++) {
			sched_sums__add(&sum, &a->rows[i].sums);
			threads += a->rows[i].nthreads;
			assert_true(a->rows[i].key != 0);
		}
		assert_memory_equal(&a->sums, &s->all[WINDOW_LAST], sizeof(a->sums));
		assert_memory_equal(a->hists, s->hists[WINDOW_LAST], sizeof(a->hists));
		if (g != SCHED_BY_CPU) {
			assert_memory_equal(&sum, &a->sums, sizeof(sum));
			assert_int_equal(threads, s->ntasks);
		}
		query_result__free(&a->base);
	}
	snap__put(&s->base);
}

static void rows_come_by_time_on_cpu(void **state)
{
	struct sched_builder *m = *state;
	const struct sched_snap *s;
	struct sched_result *a;

	put_random(m, 400);
	s = sched_builder__tick(m, S);
	a = ask(s, SCHED_BY_PID, false, "");
	for (u32 i = 1; i < a->nrows; i++)
		assert_true(a->rows[i - 1].sums.state_ns[TASK_STATE_RUNNING] >=
			    a->rows[i].sums.state_ns[TASK_STATE_RUNNING]);
	/* A process is named by its main thread wherever that is known. */
	for (u32 i = 0; i < a->nrows; i++) {
		const struct task_ident *t = &a->rows[i].task->task;
		const struct sched_task *main = sched_builder__find(s, t->tgid, t->tgid);

		assert_true(t->tid == t->tgid || !main || main->task.tgid != t->tgid);
	}
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void sleepers_are_hidden_and_counted(void **state)
{
	struct sched_builder *m = *state;
	struct task_sample runs = sched_builder__task(1, 1, 250 * MS, 750 * MS),
			   sleeps = sched_builder__task(2, 2, 0, S), waits = sleeps;
	const struct sched_snap *s;
	struct sched_result *a;

	waits.task.tid = waits.task.tgid = 3;
	waits.state = TASK_STATE_RUNNABLE;
	waits.since_ns = m->now_ns - 4 * S;
	waits.state_ns[TASK_STATE_SLEEP] = 0;
	waits.state_ns[TASK_STATE_RUNNABLE] = S;
	sched_builder__put(m, &runs);
	sched_builder__put(m, &sleeps);
	sched_builder__put(m, &waits);
	s = sched_builder__tick(m, S);
	a = ask(s, SCHED_BY_TID, false, "");
	assert_int_equal(a->nrows, 2);
	assert_int_equal(a->hidden, 1);
	assert_true(a->rows[0].oncpu_pct == 25);
	/* One that waits all the time is shown, with the wait that goes on. */
	assert_int_equal(a->rows[1].task->task.tid, 3);
	assert_int_equal(a->rows[1].sums.delay_max_ns, 5 * S);
	assert_int_equal(a->sums.delay_max_ns, 5 * S);
	query_result__free(&a->base);
	a = ask(s, SCHED_BY_TID, true, "");
	assert_int_equal(a->nrows, 3);
	assert_int_equal(a->hidden, 0);
	query_result__free(&a->base);
	snap__put(&s->base);
	/* Those that are not reported any more are in the past only. */
	s = sched_builder__tick(m, S);
	a = ask(s, SCHED_BY_TID, true, "");
	assert_int_equal(a->nrows, 0);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void scopes_choose_threads(void **state)
{
	struct sched_builder *m = *state;
	struct task_sample t = sched_builder__task(1, 1, 1, 1);
	static const struct {
		const char *filter;
		u32 rows;
	} cases[] = {{"", 3},	    {"pid=2", 1},     {"comm~kw", 1},
		     {"!cpu=0", 1}, {"task=user", 2}, {"pid=9", 0}};
	const struct sched_snap *s;

	sched_builder__put(m, &t);
	t = sched_builder__task(2, 2, 1, 1);
	t.cpu = 1;
	sched_builder__put(m, &t);
	t = sched_builder__task(3, 3, 1, 1);
	copy_str(t.task.comm, sizeof(t.task.comm), "kworker");
	t.task.kthread = true;
	sched_builder__put(m, &t);
	s = sched_builder__tick(m, S);
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sched_result *a = ask(s, SCHED_BY_TID, false, cases[i].filter);

		assert_int_equal(a->nrows, cases[i].rows);
		assert_int_equal(a->sums.runs, cases[i].rows);
		query_result__free(&a->base);
	}
	snap__put(&s->base);
}

static void threads_of_a_cpu(void **state)
{
	struct sched_builder *m = *state;
	struct sched_query q = {.group = SCHED_BY_TID, .by_cpu = true, .cpu = 2};
	const struct sched_snap *s;
	struct sched_result *a;

	for (u32 i = 0; i < 6; i++) {
		struct task_sample t = sched_builder__task(1 + i, 1 + i, 1, 1);

		t.cpu = i % 3;
		sched_builder__put(m, &t);
	}
	s = sched_builder__tick(m, S);
	a = sched__query(s, &q, NULL);
	assert_int_equal(a->nrows, 2);
	for (u32 i = 0; i < a->nrows; i++)
		assert_int_equal(a->rows[i].task->cpu, 2);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void the_forgotten_are_one_row(void **state)
{
	struct sched_builder *m = *state;
	const struct sched_snap *s;
	struct sched_result *a;

	for (u32 i = 0; i < SCHED_MAX_STALE + 100; i++) {
		struct task_sample t = sched_builder__task(i + 1, i + 1, 10, 0);

		t.gone = true;
		snprintf(t.task.comm, sizeof(t.task.comm), "c%u", i);
		sched_builder__put(m, &t);
	}
	s = sched_builder__tick(m, S);
	assert_int_equal(s->nothers, SCHED_MAX_STALE / 4 + 100 - SCHED_MAX_GROUPS);
	for (u32 g = 0; g < SCHED_BY_CPU; g++) {
		u32 row = 0;

		a = ask(s, g, false, "");
		while (row < a->nrows && strcmp(a->rows[row].name, "[others]"))
			row++;
		assert_true(row < a->nrows);
		assert_int_equal(a->rows[row].nthreads, s->nothers);
		assert_int_equal(table_cell(&a->base.table, row, "pid").type, VALUE_NONE);
		assert_memory_equal(&a->sums, &s->all[WINDOW_LAST], sizeof(a->sums));
		query_result__free(&a->base);
	}
	a = ask(s, SCHED_BY_TID, false, "pid=5000");
	assert_int_equal(a->nrows, 1);
	assert_int_equal(a->left_out, SCHED_MAX_STALE / 4 + 100);
	query_result__free(&a->base);
	snap__put(&s->base);
}

/* Those of a process are found by its id, and by name; by their own they cannot be. */
static void merged_threads_are_rows(void **state)
{
	static const struct {
		enum sched_group group;
		const char *filter;
		u32 threads;
	} cases[] = {
		{SCHED_BY_TID, "pid=7", SCHED_MAX_STALE + 100},
		{SCHED_BY_PID, "pid=7", SCHED_MAX_STALE + 100},
		{SCHED_BY_COMM, "pid=7", SCHED_MAX_STALE + 100},
		{SCHED_BY_TID, "tid=1", 0},
	};
	struct sched_builder *m = *state;
	const struct sched_snap *s;

	for (u32 i = 0; i < SCHED_MAX_STALE + 100; i++) {
		struct task_sample t = sched_builder__task(7, 1000 + i, 10, 0);

		t.gone = true;
		copy_str(t.task.comm, sizeof(t.task.comm), "proc7");
		sched_builder__put(m, &t);
	}
	s = sched_builder__tick(m, S);
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct sched_result *a = ask(s, cases[i].group, false, cases[i].filter);
		u32 n = 0;

		for (u32 k = 0; k < a->nrows; k++)
			n += a->rows[k].nthreads;
		assert_int_equal(n, cases[i].threads);
		assert_int_equal(a->left_out, n ? 0 : SCHED_MAX_STALE / 4 + 100);
		for (u32 k = 0; k < a->nrows && cases[i].group == SCHED_BY_TID; k++)
			assert_int_equal(table_cell(&a->base.table, k, "tid").type,
					 a->rows[k].nthreads == 1 ? VALUE_COUNT : VALUE_NONE);
		query_result__free(&a->base);
	}
	snap__put(&s->base);
}

/* --- cells --- */

static void assert_member(const struct value *v, u32 i, const char *name, u64 ns)
{
	struct value_part p = {0};

	v->part(v->of, i, &p);
	assert_string_equal(p.name, name);
	assert_int_equal(p.value.type, VALUE_NS);
	assert_int_equal(p.value.u, ns);
}

static void a_thread_as_programs_see_it(void **state)
{
	struct sched_builder *m = *state;
	u32 hist[HIST_BUCKETS] = {[40] = 10};
	struct task_sample t = sched_builder__task(4, 5, 300, 700);
	const struct sched_snap *s;
	struct sched_result *a;
	struct value v;

	t.delay_hist = hist;
	t.delay_ns = 77;
	t.delays = 10;
	t.delay_max_ns = S;
	t.migrations = 6;
	t.cpu = 1;
	sched_builder__put(m, &t);
	s = sched_builder__tick(m, S);
	a = ask(s, SCHED_BY_TID, false, "");
	assert_string_equal(table_cell(&a->base.table, 0, "comm").s, "task");
	assert_int_equal(table_cell(&a->base.table, 0, "pid").u, 4);
	assert_int_equal(table_cell(&a->base.table, 0, "tid").u, 5);
	assert_int_equal(table_cell(&a->base.table, 0, "cpu").u, 1);
	assert_int_equal(table_cell(&a->base.table, 0, "oncpu_ns").u, 300);
	assert_int_equal(table_cell(&a->base.table, 0, "runs").u, 1);
	assert_int_equal(table_cell(&a->base.table, 0, "wait_ns").u, 77);
	assert_int_equal(table_cell(&a->base.table, 0, "waits").u, 10);
	assert_int_equal(table_cell(&a->base.table, 0, "wait_p50_ns").u,
			 hist__lo(40) + (hist__lo(41) - hist__lo(40)) / 2);
	assert_int_equal(table_cell(&a->base.table, 0, "wait_max_ns").u, S);
	assert_int_equal(table_cell(&a->base.table, 0, "migrations").u, 6);
	assert_int_equal(table_cell(&a->base.table, 0, "span_ns").u, 1000);
	v = table_cell(&a->base.table, 0, "states");
	assert_int_equal(v.type, VALUE_OBJECT);
	assert_int_equal(v.n, TASK_STATES);
	assert_member(&v, TASK_STATE_RUNNING, "R", 300);
	assert_member(&v, TASK_STATE_SLEEP, "S", 700);
	assert_member(&v, TASK_STATE_DISK, "D", 0);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void sets_of_columns_differ_on_screen_only(void **state)
{
	struct sched_builder *m = *state;
	struct task_sample t = sched_builder__task(4, 5, 300, 700);
	static const char *const own[SCHED_SHOWS] = {
		[SCHED_SHOW_DELAYS] = "wait_p99_ns",
		[SCHED_SHOW_STATES] = "state_sleep_pct",
		[SCHED_SHOW_BURSTS] = "voluntary",
	};
	const struct sched_snap *s;

	sched_builder__put(m, &t);
	s = sched_builder__tick(m, S);
	for (u32 show = 0; show < SCHED_SHOWS; show++) {
		struct sched_query q = {.group = SCHED_BY_TID, .show = show};
		struct sched_result *a = sched__query(s, &q, NULL);

		for (u32 i = 0; i < SCHED_SHOWS; i++)
			assert_true(on_screen(&a->base, own[i]) == (i == show));
		assert_true(a->base.table.columns[a->base.table.sort].flags & COLUMN_SCREEN);
		assert_true(table_cell(&a->base.table, 0, "state_sleep_pct").f == 70);
		query_result__free(&a->base);
	}
	snap__put(&s->base);
}

static void cpus_as_rows(void **state)
{
	struct sched_builder *m = *state;
	u64 delays[HIST_BUCKETS] = {[8] = 2};
	struct cpu_sample c = {.head.type = SAMPLE_CPU,
			       .span_ns = S,
			       .busy_ns = 400 * MS,
			       .switches = 12,
			       .run_max_ns = 30 * MS,
			       .longest = {.tid = 5, .comm = "hog"},
			       .delay_hist = delays};
	const struct sched_snap *s;
	struct sched_result *a;

	model_sched.consume(m->model, &c.head);
	c.cpu = 1;
	c.running = (struct task_ident){.tid = 6, .comm = "now"};
	model_sched.consume(m->model, &c.head);
	s = sched_builder__tick(m, S);
	a = ask(s, SCHED_BY_CPU, false, "");
	assert_int_equal(a->nrows, 2);
	assert_true(table_cell(&a->base.table, 0, "oncpu_pct").f == 40);
	assert_int_equal(table_cell(&a->base.table, 0, "switches").u, 12);
	assert_string_equal(table_cell(&a->base.table, 0, "longest").s, "hog/5");
	assert_string_equal(table_cell(&a->base.table, 0, "running").s, "idle");
	assert_string_equal(table_cell(&a->base.table, 1, "running").s, "now/6");
	assert_int_equal(table_cell(&a->base.table, 1, "cpu").u, 1);
	assert_int_equal(table_cell(&a->base.table, 1, "wait_p99_ns").u / 100,
			 (hist__lo(8) + (hist__lo(9) - hist__lo(8)) * 99 / 100) / 100);
	assert_int_equal(table_cell(&a->base.table, 1, "comm").type, VALUE_NONE);
	query_result__free(&a->base);
	a = ask(s, SCHED_BY_CPU, false, "cpu=1");
	assert_int_equal(a->nrows, 1);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void a_histogram_as_programs_see_it(void **state)
{
	struct sched_builder *m = *state;
	u32 hist[HIST_BUCKETS] = {[8] = 3, [10] = 5};
	struct task_sample t = sched_builder__task(4, 5, 300, 700);
	const struct sched_snap *s;
	struct value_part item = {0};
	struct sched_result *a;

	t.delay_hist = hist;
	sched_builder__put(m, &t);
	s = sched_builder__tick(m, S);
	a = ask(s, SCHED_BY_TID, false, "");
	assert_int_equal(a->delays.type, VALUE_LIST);
	assert_int_equal(a->delays.n, 3);
	for (u32 i = 0; i < 3; i++) {
		a->delays.part(a->delays.of, i, &item);
		assert_int_equal(item.value.type, VALUE_OBJECT);
		assert_member(&item.value, 0, "lo_ns", hist__lo(8 + i));
		assert_member(&item.value, 1, "hi_ns", hist__lo(9 + i));
	}
	item.value.part(item.value.of, 2, &item);
	assert_string_equal(item.name, "count");
	assert_int_equal(item.value.u, 5);
	query_result__free(&a->base);
	a = ask(s, SCHED_BY_TID, false, "pid=99");
	assert_int_equal(a->delays.n, 0);
	query_result__free(&a->base);
	snap__put(&s->base);
}

/* --- the slowest delays --- */

static void put_delays(struct sched_builder *m)
{
	u32 idle = symbols__named(m->symbols, "[kernel]", "schedule", CODE_KERNEL);
	u32 spin = symbols__named(m->symbols, "prog", "spin", CODE_USER);
	u32 main = symbols__named(m->symbols, "prog", "main", CODE_USER);

	sched_builder__stack(m, 1, true, 1, (u32[]){idle});
	sched_builder__stack(m, 2, false, 2, (u32[]){spin, main});
	sched_builder__delay(m,
			     &(struct delay_sample){.task = {.tgid = 7, .tid = 7, .comm = "waiter"},
						    .t_ns = m->now_ns + 400 * MS,
						    .delay_ns = 20 * MS,
						    .cpu = 1,
						    .holder = {.tgid = 8, .tid = 9, .comm = "hog"},
						    .holder_ran_ns = 15 * MS,
						    .holder_kstack = 1,
						    .holder_ustack = 2});
	sched_builder__delay(m, &(struct delay_sample){.task = {.tgid = 6, .tid = 6, .comm = "b"},
						       .t_ns = m->now_ns,
						       .delay_ns = 30 * MS});
}

static void delays_name_who_held_the_cpu(void **state)
{
	struct sched_builder *m = *state;
	const struct sched_snap *s;
	struct sched_delays_result *a;
	struct value_frame f;
	struct value v;

	put_delays(m);
	s = sched_builder__tick(m, S);
	a = sched__delays(s, &(struct sched_delays_query){.nunfolded = 0}, NULL);
	assert_int_equal(a->nrows, 2);
	assert_int_equal(a->rows[0]->delay_ns, 30 * MS);
	assert_string_equal(table_cell(&a->base.table, 0, "holder_comm").s, "[idle]");
	assert_string_equal(table_cell(&a->base.table, 1, "comm").s, "waiter");
	assert_string_equal(table_cell(&a->base.table, 1, "holder_comm").s, "hog");
	/* Past what every thread is in that lets its CPU go. */
	assert_string_equal(table_cell(&a->base.table, 1, "holder_symbol").s, "spin");
	assert_int_equal(table_cell(&a->base.table, 1, "holder_pid").u, 8);
	assert_int_equal(table_cell(&a->base.table, 1, "ago_ns").u, 600 * MS);
	v = table_cell(&a->base.table, 1, "holder_stack");
	assert_int_equal(v.n, 3);
	v.frame(v.of, 1, &f);
	assert_string_equal(f.symbol, "spin");
	assert_string_equal(f.kind, "user");
	assert_int_equal(a->base.nnodes, 0);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void runtimes_name_threads(void **state)
{
	struct sched_builder *m = *state;
	struct cpu_sample c = {.head.type = SAMPLE_CPU,
			       .span_ns = S,
			       .run_max_ns = 30 * MS,
			       .longest = {.tgid = 8, .tid = 9, .comm = "hog"},
			       .running = {.tgid = 7, .tid = 7, .comm = "waiter"}};
	struct sched_delays_result *delays;
	const struct sched_snap *s;
	struct sched_result *a;

	command_lines__learn(8, 1, "service");
	command_lines__learn_thread(8, 9, "collector of garbage");
	model_sched.consume(m->model, &c.head);
	put_delays(m);
	s = sched_builder__tick(m, S);
	a = ask(s, SCHED_BY_CPU, false, "");
	assert_string_equal(table_cell(&a->base.table, 0, "longest").s, "collector of garbage/9");
	assert_string_equal(table_cell(&a->base.table, 0, "running").s, "waiter/7");
	query_result__free(&a->base);
	delays = sched__delays(s, &(struct sched_delays_query){.nunfolded = 0}, NULL);
	assert_string_equal(table_cell(&delays->base.table, 1, "holder_thread_name").s, "collector of garbage");
	assert_string_equal(table_cell(&delays->base.table, 1, "holder_comm").s, "hog");
	assert_int_equal(table_cell(&delays->base.table, 1, "thread_name").type, VALUE_NONE);
	assert_true(on_screen(&delays->base, "holder_thread_name"));
	assert_false(on_screen(&delays->base, "thread_name"));
	query_result__free(&delays->base);
	snap__put(&s->base);
	command_lines__forget_all();
}

static void a_delay_unfolds_to_the_holders_stack(void **state)
{
	struct sched_builder *m = *state;
	struct scope *scope = parse("pid=7");
	const struct sched_snap *s;
	struct sched_delays_result *a;
	u64 key;

	put_delays(m);
	s = sched_builder__tick(m, S);
	a = sched__delays(s, &(struct sched_delays_query){.nunfolded = 0}, scope);
	assert_int_equal(a->nrows, 1);
	key = a->base.table.key(&a->base.table, 0);
	query_result__free(&a->base);
	a = sched__delays(s, &(struct sched_delays_query){.nunfolded = 1, .unfolded = {key}},
			  scope);
	assert_int_equal(a->base.trees[0].n, 3);
	assert_string_equal(a->base.nodes[0].name, "schedule");
	assert_string_equal(a->base.nodes[2].name, "main");
	assert_string_equal(a->base.nodes[2].object_name, "prog");
	assert_true(a->base.nodes[0].key != a->base.nodes[1].key);
	assert_false(a->base.unresolved);
	query_result__free(&a->base);
	snap__put(&s->base);
	scope__put(scope);
}

static void names_that_are_not_known_yet_are_asked_again(void **state)
{
	struct sched_builder *m = *state;
	u32 loc = fake__loc(m->symbols, fake__object(m->symbols, "lib", CODE_USER), 0, 5);
	const struct sched_snap *s;
	struct sched_delays_result *a;

	sched_builder__stack(m, 1, false, 1, &loc);
	sched_builder__delay(m, &(struct delay_sample){.t_ns = m->now_ns,
						       .delay_ns = 1,
						       .holder = {.tid = 1},
						       .holder_ustack = 1});
	s = sched_builder__tick(m, S);
	a = sched__delays(s, &(struct sched_delays_query){.nunfolded = 0}, NULL);
	assert_true(a->base.unresolved);
	assert_string_equal(table_cell(&a->base.table, 0, "holder_symbol").s, "[resolving]");
	query_result__free(&a->base);
	snap__put(&s->base);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, sched_builder__setup, sched_builder__teardown)
	const struct CMUnitTest tests[] = {
		TEST(totals_are_the_same_in_all_groupings),
		TEST(rows_come_by_time_on_cpu),
		TEST(sleepers_are_hidden_and_counted),
		TEST(scopes_choose_threads),
		TEST(threads_of_a_cpu),
		TEST(the_forgotten_are_one_row),
		TEST(merged_threads_are_rows),
		TEST(a_thread_as_programs_see_it),
		TEST(sets_of_columns_differ_on_screen_only),
		TEST(cpus_as_rows),
		TEST(a_histogram_as_programs_see_it),
		TEST(delays_name_who_held_the_cpu),
		TEST(runtimes_name_threads),
		TEST(a_delay_unfolds_to_the_holders_stack),
		TEST(names_that_are_not_known_yet_are_asked_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
