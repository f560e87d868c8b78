// SPDX-License-Identifier: GPL-2.0-only
/* Rows of several keys at once: they add up to the rows of fewer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hosts.h"
#include "base/names.h"
#include "tests/lib/profile_hand.h"

/* What of the rows of a fine grouping falls into one of a coarser one. */
/* Ids are a host's own. */
static bool is_of_host(const struct profile_row *fine, const struct profile_row *row)
{
	return !row->host || !strcmp(fine->host, row->host);
}

static bool falls_into(const struct profile_row *fine, const struct profile_row *row,
		       enum profile_group g)
{
	switch (g) {
	case GROUP_SYMBOL:
		return fine->func == row->func && fine->object == row->object &&
		       !strcmp(fine->name, row->name);
	case GROUP_OBJECT:
		return fine->object == row->object;
	case GROUP_COMM:
		return !strcmp(fine->comm, row->comm);
	case GROUP_PID:
		return fine->tgid == row->tgid && is_of_host(fine, row);
	case GROUP_TID:
		return fine->tgid == row->tgid && fine->tid == row->tid && is_of_host(fine, row);
	case GROUP_CGROUP:
		return fine->cgroup == row->cgroup && is_of_host(fine, row);
	case GROUP_HOST:
		return is_of_host(fine, row);
	default:
		return fine->cpu == row->cpu && is_of_host(fine, row);
	}
}

/* Recursion through objects counts once per stack: sums of totals hold for functions only. */
static bool totals_sum(u32 groups, enum profile_group g)
{
	return g == GROUP_SYMBOL || !(groups & GROUPS_CODE);
}

static void check_marginal(const struct profile_rows *fine, const struct profile_snap *snap,
			   const struct scope *scope, enum profile_group g)
{
	struct profile_query q = fine->query;
	struct profile_rows *r;
	u64 all = 0;

	q.groups = GROUP_BIT(g);
	r = profile__query(snap, &q, scope);
	assert_int_equal(r->count, fine->count);
	for (u32 i = 0; i < r->nrows; i++) {
		u64 self = 0, total = 0;

		for (u32 k = 0; k < fine->nrows; k++) {
			if (!falls_into(&fine->rows[k], &r->rows[i], g))
				continue;
			self += fine->rows[k].self_count;
			total += fine->rows[k].total_count;
		}
		/* Objects without a stack and without a name are distinguished by their key only.
		 */
		if (g != GROUP_OBJECT || r->rows[i].object)
			assert_int_equal(self, r->rows[i].self_count);
		if (totals_sum(fine->query.groups, g))
			assert_int_equal(total, r->rows[i].total_count);
		all += r->rows[i].self_count;
	}
	assert_int_equal(all, fine->count);
	profile_rows__free(r);
}

/* Rows of a set of keys, summed over all keys but one, are the rows of that one. */
static void combinations_sum_to_their_keys(void **state)
{
	static const char *const labels[] = {HOST_LABEL};
	struct scope *scopes[4] = {NULL, parse("pid=100-102"), parse("sym~f !comm~a")};

	filter__know_labels(labels, 1);
	scopes[3] = parse("host=a,c");
	hosts__expect(3);
	for (u32 i = 0; i < 3; i++)
		hosts__add((const char *const[]){"a", "b", "c"}[i]);
	for (u64 seed = 0; seed < 400; seed++) {
		const struct profile_snap *snap;
		struct profile_query q;
		struct profile_rows *r;
		struct builder m;

		builder__init(&m, seed);
		m.hosts = 3;
		builder__random_code(&m);
		builder__random_samples(&m, 1 + seed % 12, 10 + seed % 60, 2 + seed % 20);
		snap = builder__tick(&m, NSEC_PER_SEC);
		random_query(&m, &q);
		q.groups = 1 + builder__random(&m, GROUP_BIT(GROUPS) - 1);
		r = profile__query(snap, &q, scopes[seed % 4]);
		assert_false(r->rows_left_out);
		for (enum profile_group g = 0; g < GROUPS; g++)
			if (q.groups & GROUP_BIT(g))
				check_marginal(r, snap, scopes[seed % 4], g);
		profile_rows__free(r);
		snap__put(snap);
		builder__fini(&m);
	}
	for (u32 i = 1; i < ARRAY_SIZE(scopes); i++)
		scope__put(scopes[i]);
	hosts__expect(0);
}

/*
 * main -> work in the process 7 "web" with its threads 7 and 9 "pool" (30, 40 samples) and in 8
 * "web" (20); main alone in 8 (10).
 */
static const struct profile_snap *put_tasks(struct builder *m)
{
	u32 main_ = symbols__named(m->symbols, "prog", "main", CODE_USER);
	u32 work = symbols__named(m->symbols, "lib.so", "work", CODE_USER);
	u64 deep = builder__stack(m, 0, 2, (u32[]){work, main_});
	u64 flat = builder__stack(m, 0, 1, (u32[]){main_});
	const struct stack_sample samples[] = {
		{.stack = deep, .tgid = 7, .tid = 7, .count = 30, .comm = "web"},
		{.stack = deep, .tgid = 7, .tid = 9, .count = 40, .comm = "pool", .cpu = 1},
		{.stack = deep, .tgid = 8, .tid = 8, .count = 20, .comm = "web"},
		{.stack = flat, .tgid = 8, .tid = 8, .count = 10, .comm = "web"},
	};

	for (u32 i = 0; i < ARRAY_SIZE(samples); i++) {
		struct stack_sample s = samples[i];

		s.weight = s.count;
		builder__sample(m, &s);
	}
	return builder__tick(m, NSEC_PER_SEC);
}

static void combinations_tell_tasks_apart(void **state)
{
	static const struct {
		const char *groups, *text;
		u32 rows;
		u64 first; /* samples in the heaviest row itself */
		const char *name, *comm;
		u32 tgid, tid;
	} cases[] = {
		{"symbol", "symbol", 2, 90, "work", "", 0, 0},
		{"object,symbol", "object+symbol", 2, 90, "work", "", 0, 0},
		{"symbol,comm", "comm+symbol", 4, 50, "work", "web", 0, 0},
		{"symbol+pid", "pid+symbol", 4, 70, "work", "web", 7, 0},
		{"tid,symbol", "tid+symbol", 6, 40, "work", "pool", 7, 9},
		{"pid,comm", "comm+pid", 3, 40, "pool", "pool", 7, 0},
		{"object,pid", "pid+object", 4, 70, "lib.so", "web", 7, 0},
		{"cpu,comm", "comm+cpu", 2, 60, "web", "web", 0, 0},
		{"cpu,cgroup", "cgroup+cpu", 2, 60, "[unknown]", "", 0, 0},
	};
	const struct profile_snap *snap;
	struct builder m;

	builder__init(&m, 1);
	snap = put_tasks(&m);
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile_query q = query(GROUP_SYMBOL);
		struct profile_rows *r;

		assert_true(names__parse(profile_group_names, GROUPS, cases[i].groups, &q.groups));
		r = profile__query(snap, &q, NULL);
		assert_string_equal(r->grouping, cases[i].text);
		assert_int_equal(r->nrows, cases[i].rows);
		assert_int_equal(r->rows[0].self_count, cases[i].first);
		assert_string_equal(r->rows[0].name, cases[i].name);
		assert_string_equal(r->rows[0].comm, cases[i].comm);
		assert_int_equal(r->rows[0].tgid, cases[i].tgid);
		assert_int_equal(r->rows[0].tid, cases[i].tid);
		profile_rows__free(r);
	}
	snap__put(snap);
	builder__fini(&m);
}

static const struct profile_row *row_of(const struct profile_rows *r, const char *comm)
{
	for (u32 i = 0; i < r->nrows; i++)
		if (!strcmp(r->rows[i].comm, comm))
			return &r->rows[i];
	fail_msg("no row of %s", comm);
	return NULL;
}

static void put_exit(struct builder *m, u32 tgid, u64 t_ns)
{
	struct proc_event ev = {.head.type = SAMPLE_PROC,
				.type = PROC_EXIT,
				.tgid = tgid,
				.tid = tgid,
				.t_ns = t_ns};

	model_profile.consume(m->model, &ev.head);
}

/* A process is called as its main thread, though that never runs; one that had its number before
 * has a row and a name of its own, and it is said that it has ended. */
static void processes_are_told_by_birth(void **state)
{
	const struct stack_sample samples[] = {
		{.tgid = 7, .tid = 8, .count = 30, .comm = "worker", .process = "old", .start_ns = 100},
		{.tgid = 7, .tid = 8, .count = 20, .comm = "worker", .process = "new", .start_ns = 500},
		{.tgid = 9, .tid = 10, .count = 10, .comm = "pool", .process = "server", .start_ns = 50},
	};
	const u32 groups[] = {GROUP_BIT(GROUP_PID), GROUP_BIT(GROUP_PID) | GROUP_BIT(GROUP_SYMBOL)};
	const struct profile_snap *snap;
	struct builder m;

	builder__init(&m, 1);
	for (u32 i = 0; i < ARRAY_SIZE(samples); i++)
		builder__sample(&m, &samples[i]);
	put_exit(&m, 7, 400);
	snap = builder__tick(&m, NSEC_PER_SEC);
	for (u32 i = 0; i < ARRAY_SIZE(groups); i++) {
		struct profile_query q = query(GROUP_PID);
		struct profile_rows *r;

		q.groups = groups[i];
		r = profile__query(snap, &q, NULL);
		assert_int_equal(r->nrows, 3);
		assert_int_equal(row_of(r, "old")->self_count, 30);
		assert_int_equal(row_of(r, "new")->self_count, 20);
		assert_true(row_of(r, "old")->ended && !row_of(r, "new")->ended &&
			    !row_of(r, "server")->ended);
		profile_rows__free(r);
	}
	snap__put(snap);
	builder__fini(&m);
}

static void groups_are_read_and_written(void **state)
{
	static const char *const wrong[] = {"",		 ",",	"comm,",   ",comm",
					    "comm,,pid", "com", "comm pid"};
	char text[GROUPS_TEXT];
	u32 groups;

	for (u32 i = 1; i < GROUP_BIT(GROUPS); i++) {
		assert_true(names__parse(profile_group_names, GROUPS, profile_groups__text(i, text, sizeof(text)),
						  &groups));
		assert_int_equal(groups, i);
	}
	for (u32 i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_false(names__parse(profile_group_names, GROUPS, wrong[i], &groups));
		assert_int_equal(groups, 0);
	}
}

/* Many functions in many threads: a bounded number of rows, and nothing of self is lost. */
static void rows_of_pairs_are_bounded(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	const struct profile_snap *snap;
	struct profile_rows *r;
	struct builder m;
	u64 self = 0;

	builder__init(&m, 3);
	for (u32 i = 0; i < 1000; i++)
		fake__loc(m.symbols, 0, fake__func(m.symbols, 0, "fn", 0), i);
	for (u32 i = 0; i < 400; i++) {
		u32 locs[150];

		for (u32 k = 0; k < ARRAY_SIZE(locs); k++)
			locs[k] = 1 + builder__random(&m, 1000);
		builder__put(&m, builder__stack(&m, 0, ARRAY_SIZE(locs), locs), 1 + i, 3);
	}
	snap = builder__tick(&m, NSEC_PER_SEC);
	q.groups |= GROUP_BIT(GROUP_PID);
	r = profile__query(snap, &q, NULL);
	assert_true(r->rows_left_out);
	assert_in_range(r->nrows, PROFILE_MAX_PAIRS, PROFILE_MAX_PAIRS + 400);
	for (u32 i = 0; i < r->nrows; i++)
		self += r->rows[i].self_count;
	assert_int_equal(self, 1200);
	profile_rows__free(r);
	snap__put(snap);
	builder__fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(combinations_sum_to_their_keys),
		cmocka_unit_test(combinations_tell_tasks_apart),
		cmocka_unit_test(processes_are_told_by_birth),
		cmocka_unit_test(groups_are_read_and_written),
		cmocka_unit_test(rows_of_pairs_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
