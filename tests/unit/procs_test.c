// SPDX-License-Identifier: GPL-2.0-only
/* The model of processes: sums, identity, what ends, groups, the tree; and /proc/PID/stat. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "base/command_lines.h"
#include "models/model.h"
#include "models/procs.h"
#include "scope/filter.h"
#include "scope/proc_act.h"
#include "scope/proc_stat.h"
#include "widgets/parts.h"
#include "tests/lib/rows.h"

static struct model *model;
static u64 now_ns;

static int setup(void **state)
{
	model = model_procs.new(NULL);
	now_ns = 1000 * NSEC_PER_SEC;
	return 0;
}

static int teardown(void **state)
{
	model_procs.free(model);
	return 0;
}

static struct procs_sample sample(u32 tgid, u32 tid, const char *comm)
{
	struct procs_sample s = {.head.type = SAMPLE_PROCS,
				 .event = PROCS_IS,
				 .tgid = tgid,
				 .tid = tid,
				 .ppid = 1,
				 .start_ns = 5 + tid,
				 .process_ns = 5 + tgid,
				 .cmdline = "",
				 .user = "root",
				 .nthreads = 1,
				 .state = 'S',
				 .rest = PROCS_SLEEP};

	copy_str(s.comm, sizeof(s.comm), comm);
	return s;
}

static void put(const struct procs_sample *s)
{
	model_procs.consume(model, &s->head);
}

static void put_ran(u32 tgid, u32 tid, const char *comm, u64 user_ms, u64 sleep_ms)
{
	struct procs_sample s = sample(tgid, tid, comm);

	s.sums.part_ns[PROCS_USER] = user_ms * NSEC_PER_MSEC;
	s.sums.part_ns[PROCS_SLEEP] = sleep_ms * NSEC_PER_MSEC;
	put(&s);
}

static const struct procs_snap *tick(void)
{
	struct snap *s = model_procs.tick(model, now_ns, now_ns + NSEC_PER_SEC);

	now_ns += NSEC_PER_SEC;
	return container_of(s, struct procs_snap, base);
}

static struct procs_result *ask(enum procs_group group, enum time_window window, bool tree)
{
	struct procs_query q = {.group = group, .window = window, .tree = tree};
	const struct procs_snap *s = tick();
	struct procs_result *a = procs__query(s, &q, NULL);

	snap__put(&s->base);
	return a;
}

static const struct procs_row *row_of(const struct procs_result *a, u32 tgid)
{
	for (u32 i = 0; i < a->nrows; i++)
		if (a->rows[i].e->tgid == tgid)
			return &a->rows[i];
	return NULL;
}

static void shares_sum_to_the_threads(void **state)
{
	struct procs_result *a;
	const struct procs_row *r;
	double sum = 0;

	put_ran(10, 10, "two", 250, 750);
	put_ran(10, 11, "worker", 500, 480); /* visited 20 ms early */
	put_ran(20, 20, "late", 100, 150);   /* there for a quarter of the interval */
	a = ask(PROCS_BY_PID, WINDOW_LAST, false);
	r = row_of(a, 10);
	assert_string_equal(r->e->comm, "two");
	assert_true(r->threads == 2);
	for (u32 p = 0; p < PROCS_PARTS; p++)
		sum += r->pct[p];
	assert_true(sum > 199.99 && sum < 200.01);
	assert_true(row_of(a, 20)->threads > 0.249 && row_of(a, 20)->threads < 0.251);
	assert_true(row_of(a, 20)->pct[PROCS_USER] > 9.9 && row_of(a, 20)->pct[PROCS_USER] < 10.1);
	assert_int_equal(a->nprocs, 2);
	assert_int_equal(a->nthreads, 3);
	assert_true(table_cell(&a->base.table, 0, "starts").type == VALUE_NONE);
	assert_true(table_cell(&a->base.table, 0, "rss_bytes").type == VALUE_NONE);
	query_result__free(&a->base);
}

static const char *thread_name_of(const struct procs_result *a, u32 tid)
{
	for (u32 i = 0; i < a->nrows; i++)
		if (a->rows[i].e->tid == tid)
			return table_cell(&a->base.table, i, "thread_name").s;
	return NULL;
}

static void threads_have_the_names_that_their_runtime_has(void **state)
{
	struct procs_result *a;

	command_lines__learn(10, 1, "python3 service");
	command_lines__learn_thread(10, 11, "worker-1");
	put_ran(10, 10, "python3", 1, 999);
	put_ran(10, 11, "python3", 1, 999);
	a = ask(PROCS_BY_TID, WINDOW_LAST, false);
	assert_null(thread_name_of(a, 10));
	assert_string_equal(thread_name_of(a, 11), "worker-1");
	query_result__free(&a->base);
	/* Who has its numbers afterwards is another one. */
	command_lines__end(10, now_ns);
	a = ask(PROCS_BY_TID, WINDOW_LAST, false);
	assert_null(thread_name_of(a, 11));
	query_result__free(&a->base);
	a = ask(PROCS_BY_PID, WINDOW_LAST, false);
	assert_null(thread_name_of(a, 10));
	query_result__free(&a->base);
	command_lines__forget_all();
}

static void who_is_not_heard_of_goes_on(void **state)
{
	const struct procs_sample all = {
		.head.type = SAMPLE_PROCS, .event = PROCS_ALL, .cmdline = "", .user = ""};
	struct procs_result *a;

	put_ran(10, 10, "sleeper", 500, 500);
	query_result__free(&ask(PROCS_BY_PID, WINDOW_LAST, false)->base);
	a = ask(PROCS_BY_PID, WINDOW_LAST, false);
	assert_true(row_of(a, 10)->pct[PROCS_SLEEP] == 100);
	assert_true(row_of(a, 10)->pct[PROCS_USER] == 0);
	query_result__free(&a->base);
	put(&all);
	query_result__free(&ask(PROCS_BY_PID, WINDOW_LAST, false)->base);
	a = ask(PROCS_BY_PID, WINDOW_LAST, false);
	assert_null(row_of(a, 10));
	query_result__free(&a->base);
}

static struct procs_result *ask_of(const struct procs_snap *s, enum time_window window)
{
	struct procs_query q = {.group = PROCS_BY_PID, .window = window};

	return procs__query(s, &q, NULL);
}

/* One is told of only when it does something else, the other one always. */
static void to_go_on_is_to_be_told_so(void **state)
{
	const u32 pids[] = {10, 20};
	const struct procs_snap *s = NULL;

	put_ran(10, 10, "quiet", 400, 600);
	for (u32 i = 0; i < 20; i++) {
		if (i == 12)
			put_ran(10, 10, "quiet", 300, 700);
		if (s)
			snap__put((struct snap *)&s->base);
		put_ran(20, 20, "told", i == 0 ? 400 : i == 12 ? 300 : 0, i == 0 ? 600 : i == 12 ? 700 : 1000);
		s = tick();
		for (u32 w = 0; w < WINDOWS; w++) {
			struct procs_result *a = ask_of(s, w);
			const struct procs_row *r[] = {row_of(a, pids[0]), row_of(a, pids[1])};

			for (u32 c = 0; c < PROCS_COUNTS; c++)
				assert_true(llabs((long long)(r[0]->n[c] - r[1]->n[c])) <= 1);
			assert_true(w != WINDOW_TOTAL || r[0]->n[PROCS_SLEEP] >= i * NSEC_PER_SEC * 9 / 10);
			query_result__free(&a->base);
		}
	}
	snap__put((struct snap *)&s->base);
}

/* Whatever comes later: who sleeps is in the same page as who runs, ends, or comes in the place of who ended. */
static void a_snapshot_stays_what_it_is(void **state)
{
	const struct procs_sample all = {
		.head.type = SAMPLE_PROCS, .event = PROCS_ALL, .cmdline = "", .user = ""};
	const struct procs_snap *then;
	struct procs_result *a;

	put_ran(10, 10, "sleeps", 0, 1000);
	put_ran(20, 20, "runs", 1000, 0);
	put_ran(30, 30, "ends", 500, 500);
	then = tick();
	put_ran(10, 10, "sleeps", 0, 1000);
	put_ran(20, 20, "runs", 250, 750);
	put(&all);
	query_result__free(&ask(PROCS_BY_PID, WINDOW_LAST, false)->base);
	put_ran(40, 40, "comes", 700, 300);
	a = ask(PROCS_BY_PID, WINDOW_LAST, false);
	assert_int_equal(a->nrows, 3);
	assert_null(row_of(a, 30));
	assert_int_equal(row_of(a, 40)->n[PROCS_USER], 700 * NSEC_PER_MSEC);
	query_result__free(&a->base);
	a = ask_of(then, WINDOW_LAST);
	assert_int_equal(a->nrows, 3);
	assert_null(row_of(a, 40));
	assert_int_equal(row_of(a, 20)->n[PROCS_USER], NSEC_PER_SEC);
	assert_int_equal(row_of(a, 30)->n[PROCS_USER], 500 * NSEC_PER_MSEC);
	assert_string_equal(row_of(a, 30)->e->comm, "ends");
	query_result__free(&a->base);
	snap__put((struct snap *)&then->base);
}

/* A second's interval, but it took four until all were looked at. */
static void sums_are_of_the_round_they_were_told_with(void **state)
{
	const struct procs_sample round = {.head.type = SAMPLE_PROCS,
					   .event = PROCS_ROUND,
					   .start_ns = 4 * NSEC_PER_SEC,
					   .cmdline = "",
					   .user = ""};

	for (u32 i = 0; i < 2; i++) {
		for (u32 w = 0; w < WINDOWS; w++) {
			struct procs_result *a;

			put(&round);
			put_ran(10, 10, "burner", 3000, 1000);
			a = ask(PROCS_BY_PID, w, false);
			assert_true(row_of(a, 10)->pct[PROCS_USER] > 74.9);
			assert_true(row_of(a, 10)->pct[PROCS_USER] < 75.1);
			assert_true(row_of(a, 10)->threads > 0.999 && row_of(a, 10)->threads < 1.001);
			query_result__free(&a->base);
		}
		model_procs.zero(model);
	}
}

/* It goes on as it did, and whoever is not there stays away. */
static void a_name_that_comes_later_is_no_news_else(void **state)
{
	struct procs_sample named = sample(10, 10, "");
	struct procs_result *a;

	put_ran(10, 10, "sleeper", 500, 500);
	query_result__free(&ask(PROCS_BY_PID, WINDOW_LAST, false)->base);
	named.event = PROCS_NAMED;
	named.cmdline = "sleeper --well";
	put(&named);
	named = sample(11, 11, "");
	named.event = PROCS_NAMED;
	named.cmdline = "nobody";
	put(&named);
	a = ask(PROCS_BY_PID, WINDOW_LAST, false);
	assert_int_equal(a->nprocs, 1);
	assert_string_equal(row_of(a, 10)->e->cmdline, "sleeper --well");
	assert_string_equal(row_of(a, 10)->e->comm, "sleeper");
	assert_true(row_of(a, 10)->pct[PROCS_SLEEP] == 100);
	query_result__free(&a->base);
}

static void one_number_two_processes(void **state)
{
	struct procs_sample old = sample(10, 10, "old"), new = sample(10, 10, "new");
	struct procs_result *a;

	old.event = PROCS_ENDED;
	old.sums.part_ns[PROCS_USER] = 100 * NSEC_PER_MSEC;
	new.start_ns = new.process_ns = 99;
	new.sums.part_ns[PROCS_USER] = 300 * NSEC_PER_MSEC;
	put(&old);
	put(&new);
	a = ask(PROCS_BY_PID, WINDOW_LAST, false);
	assert_int_equal(a->nrows, 2);
	assert_string_equal(a->rows[0].e->comm, "new");
	assert_string_equal(a->rows[1].e->comm, "old");
	assert_int_equal(a->rows[1].e->state, 'X');
	query_result__free(&a->base);
	a = ask(PROCS_BY_PID, WINDOW_LAST, false);
	assert_int_equal(a->nrows, 1);
	query_result__free(&a->base);
}

static void short_ones_are_counted(void **state)
{
	struct procs_sample s = sample(0, 0, "true"), one = sample(50, 50, "true");
	struct procs_result *a;

	put_ran(50, 50, "true", 3, 0);
	query_result__free(&ask(PROCS_BY_PID, WINDOW_LAST, false)->base);
	s.event = PROCS_SHORT;
	s.ppid = 7;
	s.starts = 40;
	s.sums.part_ns[PROCS_USER] = 40 * NSEC_PER_MSEC;
	copy_str(s.parent_comm, sizeof(s.parent_comm), "sh");
	put(&s);
	s.starts = 1;
	put(&s);
	one.event = PROCS_ENDED;
	one.is_short = true;
	one.ppid = 7;
	put(&one);
	a = ask(PROCS_BY_PID, WINDOW_LAST, false);
	assert_int_equal(a->nrows, 1);
	assert_int_equal(table_cell(&a->base.table, 0, "starts").u, 41);
	assert_int_equal(table_cell(&a->base.table, 0, "ppid").u, 7);
	assert_true(table_cell(&a->base.table, 0, "pid").type == VALUE_NONE);
	assert_string_equal(table_cell(&a->base.table, 0, "comm").s, "true");
	assert_string_equal(table_cell(&a->base.table, 0, "parent_comm").s, "sh");
	assert_string_equal(a->rows[0].name, "41 × true, started by sh/7");
	query_result__free(&a->base);
	/* What it did while it was seen is theirs, too. */
	a = ask(PROCS_BY_PID, WINDOW_TOTAL, false);
	assert_int_equal(a->nrows, 1);
	assert_int_equal(a->rows[0].n[PROCS_USER], 83 * NSEC_PER_MSEC);
	query_result__free(&a->base);
}

static void put_short(u32 ppid, const char *parent, u64 starts)
{
	struct procs_sample s = sample(0, 0, "cc1");

	s.event = PROCS_SHORT;
	s.ppid = ppid;
	s.starts = starts;
	s.sums.part_ns[PROCS_USER] = starts * NSEC_PER_MSEC;
	copy_str(s.parent_comm, sizeof(s.parent_comm), parent);
	put(&s);
}

/* A build: starters that have ended, too, are told apart by nobody. One that lives has a row of its own. */
static void short_ones_of_starters_that_ended_are_together(void **state)
{
	struct procs_result *a;

	put_ran(50, 50, "gcc", 3, 0);
	put_short(50, "gcc", 9);
	put_short(60, "gcc", 2);
	put_short(61, "gcc", 4);
	put_short(62, "clang", 1);
	a = ask(PROCS_BY_PID, WINDOW_LAST, false);
	assert_int_equal(a->nrows, 4);
	assert_string_equal(a->rows[0].name, "9 × cc1, started by gcc/50");
	assert_int_equal(table_cell(&a->base.table, 0, "ppid").u, 50);
	assert_string_equal(a->rows[1].name, "6 × cc1, started by 2 × gcc");
	assert_true(table_cell(&a->base.table, 1, "ppid").type == VALUE_NONE);
	assert_int_equal(a->rows[1].n[PROCS_USER], 6 * NSEC_PER_MSEC);
	assert_string_equal(a->rows[3].name, "1 × cc1, started by clang/62");
	query_result__free(&a->base);
	a = ask(PROCS_BY_PID, WINDOW_TOTAL, true);
	assert_int_equal(a->nrows, 4);
	assert_string_equal(a->rows[2].text, "└─9 × cc1, started by gcc/50");
	query_result__free(&a->base);
}

static void ended_threads_stay_with_their_process(void **state)
{
	struct procs_sample s = sample(10, 11, "worker");
	struct procs_result *a;

	put_ran(10, 10, "main", 0, 1000);
	put_ran(10, 11, "worker", 1000, 0);
	query_result__free(&ask(PROCS_BY_PID, WINDOW_LAST, false)->base);
	s.event = PROCS_ENDED;
	s.sums.part_ns[PROCS_USER] = 200 * NSEC_PER_MSEC;
	put(&s);
	a = ask(PROCS_BY_PID, WINDOW_TOTAL, false);
	assert_int_equal(a->nrows, 1);
	assert_int_equal(a->rows[0].n[PROCS_USER], 1200 * NSEC_PER_MSEC);
	assert_int_equal(a->rows[0].nthreads, 1);
	query_result__free(&a->base);
	a = ask(PROCS_BY_TID, WINDOW_LAST, false);
	assert_int_equal(a->nrows, 1);
	query_result__free(&a->base);
}

static void groups(void **state)
{
	struct procs_sample s = sample(30, 30, "b");
	struct procs_result *a;

	put_ran(10, 10, "a", 100, 900);
	put_ran(20, 20, "a", 200, 800);
	s.user = "nobody";
	s.flags = PROCS_HAS_RSS;
	s.rss_bytes = 4096;
	s.sums.part_ns[PROCS_USER] = NSEC_PER_SEC;
	put(&s);
	a = ask(PROCS_BY_COMM, WINDOW_LAST, false);
	assert_int_equal(a->nrows, 2);
	assert_string_equal(a->rows[0].name, "b");
	assert_int_equal(a->rows[1].nprocs, 2);
	assert_true(a->rows[1].threads == 2);
	query_result__free(&a->base);
	a = ask(PROCS_BY_USER, WINDOW_TOTAL, false);
	assert_int_equal(a->nrows, 2);
	assert_string_equal(a->rows[0].name, "nobody");
	assert_int_equal(a->rows[0].rss_bytes, 4096);
	query_result__free(&a->base);
}

static void put_child(u32 tgid, u32 ppid, u64 user_ms)
{
	struct procs_sample s = sample(tgid, tgid, "p");

	s.ppid = ppid;
	s.sums.part_ns[PROCS_USER] = user_ms * NSEC_PER_MSEC;
	put(&s);
}

static void a_tree(void **state)
{
	static const u32 order[] = {1, 3, 4, 2, 5, 8, 9};
	struct procs_result *a;

	put_child(1, 0, 0);
	put_child(2, 1, 1);
	put_child(3, 1, 5);
	put_child(4, 3, 0);
	put_child(5, 2, 0);
	/* A recording may claim anything. */
	put_child(8, 9, 3);
	put_child(9, 8, 2);
	a = ask(PROCS_BY_PID, WINDOW_LAST, true);
	assert_int_equal(a->nrows, ARRAY_SIZE(order));
	for (u32 i = 0; i < a->nrows; i++)
		assert_int_equal(a->rows[i].e->tgid, order[i]);
	assert_string_equal(a->rows[1].text, "├─p");
	assert_string_equal(a->rows[2].text, "│ └─p");
	assert_string_equal(a->rows[4].text, "  └─p");
	query_result__free(&a->base);
}

/* So deep that lines have no room any more: all are there, once. */
static void a_deep_tree(void **state)
{
	struct procs_result *a;

	for (u32 i = 1; i <= 200; i++)
		put_child(i, i - 1, 0);
	a = ask(PROCS_BY_PID, WINDOW_LAST, true);
	assert_int_equal(a->nrows, 200);
	query_result__free(&a->base);
}

static void filters_hold(void **state)
{
	struct filter_error err;
	struct scope *scope = filter__parse("comm~^a$ task=user", &err);
	struct procs_query q = {0};
	const struct procs_snap *s;
	struct procs_result *a;

	put_ran(10, 10, "a", 1, 0);
	put_ran(20, 20, "b", 1, 0);
	s = tick();
	a = procs__query(s, &q, scope);
	assert_int_equal(a->nrows, 1);
	assert_int_equal(a->rows[0].e->tgid, 10);
	query_result__free(&a->base);
	snap__put(&s->base);
	scope__put(scope);
}

static void memory_is_bounded(void **state)
{
	struct procs_result *a;

	for (u32 i = 1; i < PROCS_MAX + 1000; i++)
		put_ran(i, i, "many", 1, 0);
	assert_true(model_procs.memory(model) < (size_t)PROCS_MAX * 2 * 1024);
	a = ask(PROCS_BY_COMM, WINDOW_LAST, false);
	assert_int_equal(a->nrows, 2);
	assert_int_equal(a->n[PROCS_USER], (PROCS_MAX + 999) * NSEC_PER_MSEC);
	query_result__free(&a->base);
}

static void zero(void **state)
{
	struct procs_result *a;

	put_ran(10, 10, "a", 700, 300);
	query_result__free(&ask(PROCS_BY_PID, WINDOW_LAST, false)->base);
	model_procs.zero(model);
	a = ask(PROCS_BY_PID, WINDOW_TOTAL, false);
	assert_int_equal(a->nrows, 1);
	assert_int_equal(a->rows[0].n[PROCS_USER], 0);
	assert_int_equal(a->rows[0].n[PROCS_SLEEP], NSEC_PER_SEC);
	query_result__free(&a->base);
}

static void containers(void **state)
{
	static const char *const of[][2] = {
		{"/", ""},
		{"/user.slice/user-0.slice", ""},
		{"/docker/0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		 "docker 0123456789ab"},
		{"/system.slice/docker-0123456789abcdef0123456789abcdef0123456789abcdef0123456789ab"
		 "cdef.scope",
		 "docker 0123456789ab"},
		{"/kubepods/burstable/pod12/cri-containerd-0123456789abcdef0123456789abcdef01234567"
		 "89abcdef0123456789abcdef.scope",
		 "cri-containerd 0123456789ab"},
		{"/lxc.payload.web/init.scope", "web"},
	};
	char buf[64];

	for (u32 i = 0; i < ARRAY_SIZE(of); i++)
		assert_string_equal(procs__container(of[i][0], buf, sizeof(buf)), of[i][1]);
}

static void stat_lines(void **state)
{
	struct proc_stat s;

	assert_true(proc_stat__parse(
		"7 (a) b) R 3 7 7 0 -1 4194560 100 0 5 0 250 50 0 0 20 -5 3 0 9000 1000 77 1844674"
		"4073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 50 2 0 0 0",
		&s));
	assert_string_equal(s.comm, "a) b");
	assert_int_equal(s.state, 'R');
	assert_int_equal(s.ppid, 3);
	assert_int_equal(s.minor_faults, 100);
	assert_int_equal(s.major_faults, 5);
	assert_int_equal(s.user_ticks, 250);
	assert_int_equal(s.system_ticks, 50);
	assert_int_equal(s.nice, -5);
	assert_int_equal(s.nthreads, 3);
	assert_int_equal(s.start_ticks, 9000);
	assert_int_equal(s.rss_pages, 77);
	assert_int_equal(s.cpu, 1);
	assert_int_equal(s.rt_priority, 50);
	assert_int_equal(s.policy, 2);
	assert_false(s.kernel);
	assert_false(proc_stat__parse("7 (a R 3", &s));
	assert_false(proc_stat__parse("7 (a)", &s));
	assert_false(proc_stat__parse("7 (a) R 3 7", &s));
}

static void io_lines(void **state)
{
	const char *text =
		"rchar: 5\nread_bytes: 4096\nwrite_bytes: 8192\ncancelled_write_bytes: 1\n";
	u64 n = 0;

	assert_true(proc_io__find(text, "read_bytes", &n) && n == 4096);
	assert_true(proc_io__find(text, "write_bytes", &n) && n == 8192);
	assert_false(proc_io__find(text, "rbytes", &n));
	assert_false(proc_io__find("", "read_bytes", &n));
}

static void lists_of_cpus(void **state)
{
	static const char *const wrong[] = {"", ",", "1,", "a", "3-1", "1-", "-1", "1024", "1 2"};
	u64 set[PROC_ACT_CPUS / 64];

	assert_true(proc_act__parse_cpus("0,2-3,64", set));
	assert_int_equal(set[0], 13);
	assert_int_equal(set[1], 1);
	for (u32 i = 0; i < ARRAY_SIZE(wrong); i++)
		assert_false(proc_act__parse_cpus(wrong[i], set));
}

/* A number that is used again is somebody else's. */
static void nothing_is_done_to_others(void **state)
{
	struct proc_id id = {(u32)getpid(), 1};
	struct status st = {0};

	assert_int_equal(proc_act__signal(&id, 9, &st), -ESRCH);
	assert_int_equal(proc_act__renice(&id, 19, &st), -ESRCH);
	assert_int_equal(proc_act__set_cpus(&id, "0", &st), -ESRCH);
	assert_non_null(strstr(st.msg, "has ended; nothing was done"));
}

static void bars_fill_their_width(void **state)
{
	float shares[7];
	u32 cells[7], seed = 1;

	for (u32 round = 0; round < 20000; round++) {
		u32 w = 1 + round % 60, sum = 0;
		float whole = 0;

		for (u32 i = 0; i < 7; i++) {
			seed = seed * 1103515245 + 12345;
			shares[i] = seed >> 16 & 1 ? 0 : (float)(seed >> 17 & 1023);
			whole += shares[i];
		}
		for (u32 i = 0; i < 7; i++)
			shares[i] = whole > 0 ? shares[i] / whole : 0;
		parts__cells(shares, 7, w, cells);
		for (u32 i = 0; i < 7; i++) {
			sum += cells[i];
			if (shares[i] >= PARTS_LEAST && w >= 7)
				assert_true(cells[i] > 0);
		}
		assert_int_equal(sum, whole > 0 ? w : 0);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(shares_sum_to_the_threads),
		TEST(threads_have_the_names_that_their_runtime_has),
		TEST(who_is_not_heard_of_goes_on),
		TEST(to_go_on_is_to_be_told_so),
		TEST(a_snapshot_stays_what_it_is),
		TEST(sums_are_of_the_round_they_were_told_with),
		TEST(a_name_that_comes_later_is_no_news_else),
		TEST(one_number_two_processes),
		TEST(short_ones_are_counted),
		TEST(short_ones_of_starters_that_ended_are_together),
		TEST(ended_threads_stay_with_their_process),
		TEST(groups),
		TEST(a_tree),
		TEST(a_deep_tree),
		TEST(filters_hold),
		TEST(memory_is_bounded),
		TEST(zero),
		cmocka_unit_test(containers),
		cmocka_unit_test(stat_lines),
		cmocka_unit_test(io_lines),
		cmocka_unit_test(lists_of_cpus),
		cmocka_unit_test(nothing_is_done_to_others),
		cmocka_unit_test(bars_fill_their_width),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
