// SPDX-License-Identifier: GPL-2.0-only
/* Queries over waits: rows with exact numbers from a scene made by hand, sums on random ones. */
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/command_lines.h"
#include "base/names.h"
#include "models/joined_stacks.h"
#include "tests/lib/fake_symbols.h"
#include "tests/lib/waits_scene.h"

static void assert_near(double a, double b)
{
	if (fabs(a - b) > 1e-6)
		fail_msg("%f is not %f", a, b);
}

/* --- rows --- */

static void rows_say_where_and_what_for(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_TID) | BIT(WAITS_BY_STACK));
	const struct waits_row *r;
	struct waits_result *a;
	struct scene s;

	scene__init(&s);
	a = waits__query(s.snap, &q, NULL);
	assert_string_equal(a->grouping, "tid+stack");
	assert_int_equal(a->nrows, SCENE_ROWS);
	assert_int_equal(a->base.window_ns, NSEC_PER_SEC);
	assert_false(a->base.unresolved);

	r = row_named(a, "futex_wait");
	assert_string_equal(r->reason, "lock");
	assert_string_equal(r->state, "S");
	assert_string_equal(r->comm, "waiter");
	assert_string_equal(r->text[WAITS_BY_TID], "    101");
	assert_string_equal(r->pid_text, "    100");
	assert_int_equal(r->sums.off_ns, 300 * MSEC);
	assert_int_equal(r->sums.count, 3);
	assert_int_equal(r->avg_ns, 100 * MSEC);
	assert_int_equal(r->sums.max_ns, 100 * MSEC);
	assert_int_equal(r->nthreads, 1);
	assert_int_not_equal(r->class, CLASS_IDLE);
	assert_near(r->pct, 30);
	assert_string_equal(r->woken->waker.comm, "holder");

	r = row_named(a, "filemap_read");
	assert_string_equal(r->reason, "disk");
	assert_string_equal(r->state, "D");
	assert_null(r->woken);

	r = row_named(a, "spin");
	assert_string_equal(r->reason, "preempted");
	assert_string_equal(r->state, "R");
	assert_int_equal(r->sums.runq_ns, 50 * MSEC);

	r = row_named(a, "[no stack]");
	assert_string_equal(r->reason, "unknown");

	r = row_named(a, "pipe_read");
	assert_int_equal(r->sums.open, 1);
	assert_int_equal(r->sums.open_ns, NSEC_PER_SEC);
	assert_int_equal(r->sums.count, 0);
	assert_int_equal(r->avg_ns, 5 * NSEC_PER_SEC);
	assert_near(r->pct, 100);
	query_result__free(&a->base);
	scene__fini(&s);
}

/* --- groupings --- */

static void wakers_have_the_names_that_their_runtime_has(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_WAKER));
	struct waits_result *a;
	struct scene s;

	scene__init(&s);
	command_lines__learn(100, 1, "service");
	command_lines__learn_thread(100, 102, "keeper of the lock");
	a = waits__query(s.snap, &q, NULL);
	assert_int_equal(row_named(a, "keeper of the lock/102")->sums.off_ns, 300 * MSEC);
	query_result__free(&a->base);
	q = query(BIT(WAITS_BY_STACK));
	a = waits__query(s.snap, &q, NULL);
	assert_string_equal(row_named(a, "futex_wait")->ended_by, "keeper of the lock/102");
	query_result__free(&a->base);
	command_lines__forget_all();
	scene__fini(&s);
}

static void every_grouping_has_all_of_the_time(void **state)
{
	struct scene s;

	scene__init(&s);
	for (u32 groups = 1; groups < BIT(WAITS_GROUPS); groups++) {
		struct waits_query q = query(groups);
		struct waits_result *a = waits__query(s.snap, &q, NULL);
		double share = 0;

		assert_int_equal(sum_rows(a), SCENE_NS);
		for (u32 i = 0; i < a->nrows; i++) {
			share += a->rows[i].share_pct;
			assert_true(*a->rows[i].name);
			for (u32 g = 0; g < WAITS_GROUPS; g++)
				assert_int_equal(!!a->rows[i].text[g], !!(groups & BIT(g)));
			for (u32 k = 0; k < i; k++)
				assert_true(a->rows[k].key != a->rows[i].key);
		}
		/* All that is harmful, and all that is idle. */
		assert_near(share, 200);
		query_result__free(&a->base);
	}
	scene__fini(&s);
}

static void groups_have_names(void **state)
{
	struct waits_result *a;
	struct waits_query q;
	struct scene s;

	scene__init(&s);
	q = query(BIT(WAITS_BY_PID));
	a = waits__query(s.snap, &q, NULL);
	/* By its main thread, though that one has waited less. */
	assert_string_equal(row_named(a, "app")->text[WAITS_BY_PID], "    100");
	assert_string_equal(row_named(a, "app")->reason, "mixed");
	assert_string_equal(row_named(a, "app")->state, "mixed");
	/* What is harmful, unclear and idle of it are rows of their own. */
	for (u32 i = 0; i < 3; i++) {
		assert_int_equal(a->rows[i == 2 ? 4 : i].class, i);
		assert_int_equal(a->rows[i == 2 ? 4 : i].entry->task.tgid, 100);
		assert_int_equal(a->rows[i == 2 ? 4 : i].nthreads, 2);
	}
	query_result__free(&a->base);

	q = query(BIT(WAITS_BY_REASON));
	a = waits__query(s.snap, &q, NULL);
	assert_int_equal(row_named(a, "disk")->sums.off_ns, 120 * MSEC);
	assert_int_equal(row_named(a, "idle worker")->class, CLASS_IDLE);
	query_result__free(&a->base);

	q = query(BIT(WAITS_BY_STATE));
	a = waits__query(s.snap, &q, NULL);
	assert_int_equal(row_named(a, "R")->sums.off_ns, 50 * MSEC);
	query_result__free(&a->base);

	q = query(BIT(WAITS_BY_WAKER));
	a = waits__query(s.snap, &q, NULL);
	assert_int_equal(row_named(a, "holder/102")->sums.off_ns, 300 * MSEC);
	assert_int_equal(row_named(a, "[timer]")->sums.off_ns, 400 * MSEC);
	assert_int_equal(row_named(a, "[preempted]")->sums.off_ns, 50 * MSEC);
	assert_int_equal(row_named(a, "[goes on]")->sums.off_ns, NSEC_PER_SEC);
	assert_non_null(row_named(a, "[not seen]"));
	query_result__free(&a->base);

	q = query(BIT(WAITS_BY_CGROUP));
	a = waits__query(s.snap, &q, NULL);
	assert_non_null(row_named(a, "[unknown]"));
	query_result__free(&a->base);
	scene__fini(&s);
}

static void groupings_are_written_and_read(void **state)
{
	char buf[WAITS_GROUPS_TEXT];

	for (u32 groups = 1; groups < BIT(WAITS_GROUPS); groups++) {
		u32 back;

		waits_groups__text(groups, buf, sizeof(buf));
		assert_true(strlen(buf) < sizeof(buf) - 1);
		assert_true(names__parse(waits_group_names, WAITS_GROUPS, buf, &back));
		assert_int_equal(back, groups);
	}
	for (u32 i = 0; i < 4; i++) {
		const char *wrong[] = {"", "stack+", "stak", "stack pid"};
		u32 back = 7;

		assert_false(names__parse(waits_group_names, WAITS_GROUPS, wrong[i], &back));
		assert_int_equal(back, 0);
	}
}

/* Places that read the same are one, whatever the addresses; an id is used again. */
static void stacks_agree_by_name_and_threads_by_start(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_STACK) | BIT(WAITS_BY_TID));
	struct task_ident t = thread_of(7, 8, "t"), later = t;
	u32 object, func, locs[2];
	const struct waits_snap *snap;
	struct waits_result *a;
	struct builder m;

	builder__init(&m, 1);
	object = fake__object(m.symbols, "prog", CODE_USER);
	func = fake__func(m.symbols, object, "f", 0);
	locs[0] = fake__loc(m.symbols, object, func, 0x10);
	locs[1] = fake__loc(m.symbols, object, func, 0x20);
	for (u32 i = 0; i < 2; i++)
		builder__wait(&m, ended(t, 0, builder__stack(&m, 0, 1, &locs[i]), 1, MSEC));
	later.start_ns += 5;
	builder__wait(&m, ended(later, 0, builder__stack(&m, 0, 1, &locs[0]), 1, MSEC));
	snap = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(snap->nentries, 3);
	a = waits__query(snap, &q, NULL);
	assert_int_equal(a->nrows, 2);
	assert_int_equal(a->rows[0].sums.count, 2);
	assert_int_equal(a->rows[1].sums.count, 1);
	query_result__free(&a->base);
	snap__put(snap);
	builder__fini(&m);
}

/* Whoever is preempted where it waits else, did not wait there. */
static void preempted_is_a_kind_of_its_own(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_STACK));
	const struct waits_snap *snap;
	struct waits_result *a;
	struct wait_sample w;
	struct builder m;

	builder__init(&m, 1);
	w = ended(thread_of(7, 7, "t"), KERNEL(&m, "schedule", "pipe_read"), 0, 1, 5 * MSEC);
	builder__wait(&m, w);
	w.state = TASK_STATE_RUNNABLE;
	w.runq_ns = w.off_ns = w.full_ns = w.max_ns = MSEC;
	builder__wait(&m, w);
	snap = builder__tick(&m, NSEC_PER_SEC);
	a = waits__query(snap, &q, NULL);
	assert_int_equal(a->nrows, 2);
	assert_string_equal(a->rows[0].reason, "preempted");
	assert_string_equal(a->rows[0].name, "pipe_read");
	assert_string_equal(a->rows[1].reason, "pipe");
	query_result__free(&a->base);
	snap__put(snap);
	builder__fini(&m);
}

/* Names that come later make rows change, and the answer says so. */
static void rows_are_renamed_when_names_come(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_STACK));
	const struct waits_snap *snap;
	struct waits_result *a;
	u32 object, loc;
	struct builder m;

	builder__init(&m, 1);
	object = fake__object(m.symbols, "[kernel]", CODE_KERNEL);
	loc = fake__loc(m.symbols, object, 0, 0x10);
	builder__wait(&m, ended(thread_of(7, 7, "t"), builder__stack(&m, 1, 0, &loc), 0, 1, MSEC));
	snap = builder__tick(&m, NSEC_PER_SEC);
	a = waits__query(snap, &q, NULL);
	assert_true(a->base.unresolved);
	assert_string_equal(a->rows[0].name, "[resolving] [kernel]");
	assert_string_equal(a->rows[0].reason, "unknown");
	query_result__free(&a->base);
	fake__resolve(m.symbols, loc, fake__func(m.symbols, object, "pipe_read", 0));
	a = waits__query(snap, &q, NULL);
	assert_false(a->base.unresolved);
	assert_string_equal(a->rows[0].name, "pipe_read");
	assert_string_equal(a->rows[0].reason, "pipe");
	query_result__free(&a->base);
	snap__put(snap);
	builder__fini(&m);
}

/* --- what is not known --- */

static enum value_type type_of(const struct waits_result *a, const char *column)
{
	const struct row_table *t = &a->base.table;
	struct value v = {0};

	for (u32 c = 0; c < t->ncolumns; c++)
		if (!strcmp(t->columns[c].name, column))
			assert_true(t->cell(t, 0, c, &v));
	return v.type;
}

/* Time of a wait fades in halves, the wait itself from 1 to 0 at once. */
static void time_without_its_wait_has_no_average(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_STACK));
	const struct waits_snap *snap;
	struct waits_result *a;
	struct builder m;

	q.window = WINDOW_DECAY;
	builder__init(&m, 1);
	builder__wait(&m, ended(thread_of(100, 100, "x"), KERNEL(&m, "schedule", "f"), 0, 1, NSEC_PER_SEC));
	snap = builder__tick(&m, NSEC_PER_SEC);
	a = waits__query(snap, &q, NULL);
	assert_int_equal(type_of(a, "count"), VALUE_COUNT);
	assert_int_equal(type_of(a, "avg_ns"), VALUE_NS);
	query_result__free(&a->base);
	snap__put(snap);
	snap = builder__tick(&m, 20 * NSEC_PER_SEC);
	a = waits__query(snap, &q, NULL);
	assert_true(a->nrows == 1 && a->rows[0].sums.off_ns > 0 && !a->rows[0].sums.count);
	assert_int_equal(type_of(a, "count"), VALUE_NONE);
	assert_int_equal(type_of(a, "avg_ns"), VALUE_NONE);
	query_result__free(&a->base);
	snap__put(snap);
	builder__fini(&m);
}

/* Whatever is waited for on the way; programs get the function as it is. */
static void syncs_go_by_their_own_name(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_STACK));
	const struct waits_snap *snap;
	struct waits_result *a;
	struct builder m;

	builder__init(&m, 1);
	builder__wait(&m, ended(thread_of(100, 100, "x"),
			      KERNEL(&m, "schedule", "folio_wait_writeback", "vfs_fsync_range",
				     "do_fsync", "__x64_sys_fdatasync", "do_syscall_64"),
			      USER(&m, "flush_all", "main"), 1, NSEC_PER_SEC));
	snap = builder__tick(&m, NSEC_PER_SEC);
	a = waits__query(snap, &q, NULL);
	assert_int_equal(a->nrows, 1);
	assert_string_equal(a->rows[0].place, "fdatasync");
	assert_string_equal(a->rows[0].text[WAITS_BY_STACK], "folio_wait_writeback");
	assert_string_equal(a->rows[0].caller, "flush_all");
	query_result__free(&a->base);
	snap__put(snap);
	builder__fini(&m);
}

/* --- numbers that are used again --- */

static struct task_ident born(u32 tid, u64 start_ns, const char *comm)
{
	struct task_ident t = thread_of(700, tid, comm);

	t.start_ns = start_ns;
	return t;
}

static void put_process(struct builder *m, u64 start_ns, const char *comm, const char *thread, u64 ns)
{
	struct task_ident main = born(700, start_ns, comm), other = born(701, start_ns + 5, thread);
	u64 k = KERNEL(m, "schedule", "do_epoll_wait");

	builder__task(m, (struct task_sample){.task = main, .state_ns = {[TASK_STATE_SLEEP] = ns}});
	builder__wait(m, ended(main, k, 0, 1, ns));
	builder__wait(m, ended(other, k, 0, 1, ns));
}

static const struct waits_row *row_of(const struct waits_result *a, const char *comm)
{
	for (u32 i = 0; i < a->nrows; i++)
		if (!strcmp(a->rows[i].comm, comm))
			return &a->rows[i];
	fail_msg("no row of %s", comm);
	return NULL;
}

/* Rows of one process never take the name or the time of another that had its number. */
static void processes_with_one_number_are_apart(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_PID) | BIT(WAITS_BY_STACK));
	const struct waits_snap *snap;
	struct waits_result *a;
	struct builder m;

	builder__init(&m, 1);
	put_process(&m, 1000, "first", "one", 10 * MSEC);
	put_process(&m, 2000, "second", "two", 7 * MSEC);
	snap = builder__tick(&m, NSEC_PER_SEC);
	a = waits__query(snap, &q, NULL);
	assert_int_equal(a->nrows, 2);
	assert_int_equal(row_of(a, "first")->sums.off_ns, 20 * MSEC);
	assert_int_equal(row_of(a, "second")->sums.off_ns, 14 * MSEC);
	assert_string_equal(row_of(a, "first")->pid_text, row_of(a, "second")->pid_text);
	query_result__free(&a->base);
	snap__put(snap);
	builder__fini(&m);
}

/* --- bounds --- */

static void an_empty_snapshot_is_no_error(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_STACK));
	const struct waits_snap *snap;
	struct waits_result *a;
	struct builder m;

	builder__init(&m, 1);
	snap = builder__tick(&m, 0);
	a = waits__query(snap, &q, NULL);
	assert_int_equal(a->nrows, 0);
	assert_int_equal(a->off_ns, 0);
	query_result__free(&a->base);
	snap__put(snap);
	builder__fini(&m);
}

static void random_rows_have_all_of_the_time(void **state)
{
	for (u32 seed = 1; seed <= 10; seed++) {
		const struct waits_snap *snap;
		struct builder m;
		u64 k[6], put;

		builder__init(&m, seed);
		scene__places(&m, k);
		put = builder__random_waits(&m, 300, k, 6, k, 6);
		snap = builder__tick(&m, NSEC_PER_SEC);
		for (u32 i = 0; i < 60; i++) {
			struct waits_query q = query(1 + builder__random(&m, BIT(WAITS_GROUPS) - 1));
			struct waits_result *a;

			q.window = builder__random(&m, WINDOWS);
			a = waits__query(snap, &q, NULL);
			assert_int_equal(sum_rows(a), put);
			assert_int_equal(a->off_ns + a->idle_ns, put);
			query_result__free(&a->base);
		}
		snap__put(snap);
		builder__fini(&m);
	}
}

/* Beyond the bound: what lost its place is a row of its own, and nothing is missing. */
static void what_was_folded_has_its_time(void **state)
{
	const u32 groups[] = {BIT(WAITS_BY_STACK), BIT(WAITS_BY_TID), BIT(WAITS_BY_WAKER)};
	const struct waits_snap *snap;
	struct builder m;
	u64 put = 0;

	builder__init(&m, 1);
	for (u32 i = 0; i <= WAITS_MAX_ENTRIES; i++, put += MSEC + i - 1) {
		struct wait_sample w = ended(thread_of(7, 7 + i % 3, "t"), 0, 0, 1, MSEC + i);

		w.waker = woken_by(thread_of(9, 10 + i, "w"), 0, 0);
		builder__wait(&m, w);
	}
	snap = builder__tick(&m, NSEC_PER_SEC);
	assert_true(snap->folded_ns > 0);
	for (u32 i = 0; i < ARRAY_SIZE(groups); i++) {
		struct waits_query q = query(groups[i]);
		struct waits_result *a = waits__query(snap, &q, NULL);

		assert_int_equal(sum_rows(a), put);
		if (groups[i] == BIT(WAITS_BY_STACK))
			assert_int_equal(row_named(a, "[stack not kept]")->sums.off_ns,
					 snap->folded_ns);
		if (groups[i] == BIT(WAITS_BY_WAKER))
			assert_int_equal(row_named(a, "[not kept]")->sums.off_ns, snap->folded_ns);
		query_result__free(&a->base);
	}
	snap__put(snap);
	builder__fini(&m);
}

static void *query_often(void *arg)
{
	struct waits_query q = query(BIT(WAITS_BY_TID) | BIT(WAITS_BY_STACK));

	for (u32 i = 0; i < 20; i++) {
		struct waits_result *a = waits__query(arg, &q, NULL);

		q.wakers = i % 2;
		q.nunfolded = 1;
		q.unfolded[0] = a->rows[0].key;
		query_result__free(&a->base);
	}
	return NULL;
}

/* The same as USER, with the outermost frame known as such. */
static u64 whole_stack(struct builder *m, const char *const *names, u32 n)
{
	u64 ips[8];
	struct stack_def d = {.head.type = SAMPLE_STACK_DEF,
			      .hash = ++m->next_hash,
			      .nuser = (u16)n,
			      .named = true,
			      .whole = true,
			      .ips = ips};

	for (u32 i = 0; i < n; i++)
		ips[i] = symbols__named(m->symbols, "prog", names[i], CODE_USER);
	model_waits.consume(m->model, &d.head);
	return d.hash;
}
#define WHOLE(m, ...) whole_stack(m, NAMES_OF(__VA_ARGS__))

static u32 rows_by_stack(struct builder *m)
{
	const struct waits_snap *snap = builder__tick(m, NSEC_PER_SEC);
	struct waits_query q = query(BIT(WAITS_BY_STACK));
	struct waits_result *a = waits__query(snap, &q, NULL);
	u32 n = a->nrows;

	query_result__free(&a->base);
	snap__put(snap);
	return n;
}

/* Before its tables were there, walks by frame pointers left callers out, or ended at the first. */
static void stacks_that_ended_early_are_joined(void **state)
{
	struct task_ident t = thread_of(7, 7, "new");
	struct builder m;
	u64 k;

	builder__init(&m, 1);
	k = KERNEL(&m, "__schedule", "schedule", "futex_wait", "do_futex");
	builder__wait(&m, ended(t, k, USER(&m, "lock"), 1, MSEC));
	builder__wait(&m, ended(t, k, USER(&m, "lock", "middle"), 1, MSEC));
	assert_int_equal(rows_by_stack(&m), 2);
	builder__wait(&m, ended(t, k, WHOLE(&m, "lock", "inner", "middle", "prog_main"), 1, MSEC));
	builder__wait(&m, ended(t, k, USER(&m, "lock"), 1, MSEC));
	builder__wait(&m, ended(t, k, USER(&m, "lock", "middle"), 1, MSEC));
	assert_int_equal(rows_by_stack(&m), 1);
	/* Of another process nothing is known, nor which of two it is, nor in another order. */
	builder__wait(&m, ended(thread_of(8, 8, "new"), k, USER(&m, "lock"), 1, MSEC));
	assert_int_equal(rows_by_stack(&m), 2);
	builder__wait(&m, ended(t, k, USER(&m, "lock", "middle", "inner"), 1, MSEC));
	assert_int_equal(rows_by_stack(&m), 3);
	builder__wait(&m, ended(t, k, WHOLE(&m, "lock", "other", "middle", "prog_main"), 1, MSEC));
	assert_int_equal(rows_by_stack(&m), 5);
	builder__fini(&m);
}

static u32 rows_beside(u32 nothers)
{
	struct task_ident t = thread_of(7, 7, "new");
	struct builder m;
	static char others[JOINED_MAX][16];
	u32 n;
	u64 k;

	builder__init(&m, 1);
	k = KERNEL(&m, "__schedule", "schedule", "futex_wait", "do_futex");
	builder__wait(&m, ended(t, k, USER(&m, "lock", "middle"), 1, MSEC));
	builder__wait(&m, ended(t, k, WHOLE(&m, "lock", "middle", "prog_main"), 1, MSEC));
	for (u32 i = 0; i < nothers; i++) {
		snprintf(others[i], sizeof(others[i]), "other%u", i);
		builder__wait(&m, ended(t, k, WHOLE(&m, "lock", others[i], "prog_main"), 1, MSEC));
	}
	n = rows_by_stack(&m);
	builder__fini(&m);
	return n;
}

static void joins_are_bounded(void **state)
{
	assert_int_equal(rows_beside(JOINED_MAX - 1), JOINED_MAX);
	assert_int_equal(rows_beside(JOINED_MAX), JOINED_MAX + 2);
}

/* Several threads may ask the same snapshot, while the model goes on. */
static void queries_share_a_snapshot(void **state)
{
	pthread_t threads[3];
	struct scene s;

	scene__init(&s);
	for (u32 i = 0; i < ARRAY_SIZE(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, query_often, (void *)s.snap), 0);
	for (u32 i = 0; i < 5; i++)
		snap__put(builder__tick(&s.m, NSEC_PER_SEC));
	for (u32 i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	scene__fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_say_where_and_what_for),
		cmocka_unit_test(wakers_have_the_names_that_their_runtime_has),
		cmocka_unit_test(every_grouping_has_all_of_the_time),
		cmocka_unit_test(time_without_its_wait_has_no_average),
		cmocka_unit_test(syncs_go_by_their_own_name),
		cmocka_unit_test(processes_with_one_number_are_apart),
		cmocka_unit_test(groups_have_names),
		cmocka_unit_test(groupings_are_written_and_read),
		cmocka_unit_test(stacks_agree_by_name_and_threads_by_start),
		cmocka_unit_test(preempted_is_a_kind_of_its_own),
		cmocka_unit_test(rows_are_renamed_when_names_come),
		cmocka_unit_test(an_empty_snapshot_is_no_error),
		cmocka_unit_test(random_rows_have_all_of_the_time),
		cmocka_unit_test(what_was_folded_has_its_time),
		cmocka_unit_test(stacks_that_ended_early_are_joined),
		cmocka_unit_test(joins_are_bounded),
		cmocka_unit_test(queries_share_a_snapshot),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
