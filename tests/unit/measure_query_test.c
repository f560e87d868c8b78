// SPDX-License-Identifier: GPL-2.0-only
/* Rows of measures: groupings, narrowing, derived labels, errnos, what waits, what is not known,
 * quantiles, keys that stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "models/result_diff.h"
#include "models/measure_columns.h"
#include "scope/filter.h"
#include "tests/lib/fake_symbols.h"
#include "tests/lib/measure_builder.h"

enum { CALL = 1 << 0, ERROR = 1 << 1, PATH = 1 << 2, PID = 1 << 3, TID = 1 << 4, COMM = 1 << 5,
       CGROUP = 1 << 6, STACK = 1 << 7, ALL = 1 << 8 };

static int setup(void **state)
{
	static struct measure_builder m;

	measure_builder__begin(&m);
	*state = &m;
	return 0;
}

static int teardown(void **state)
{
	measure_builder__end(*state);
	return 0;
}

static struct measure_result *ask_in(const struct measure_snap *s, u32 groups, const char *filter)
{
	struct measure_query q = {.groups = groups, .window = WINDOW_LAST};
	struct filter_error err;
	struct scope *scope = filter__parse(filter, &err);
	struct measure_result *a = measure__query(s, &q, scope);

	scope__put(scope);
	return a;
}

static struct measure_result *ask(const struct measure_snap *s, u32 groups)
{
	return ask_in(s, groups, "");
}

static void put_all(struct measure_builder *m, const char *call, const char *error,
		    const char *path, struct measure_who who, u32 n, u64 ns, u64 stack, bool waits)
{
	u64 values[64];

	assert_true(n <= ARRAY_SIZE(values));
	for (u32 i = 0; i < n; i++)
		values[i] = ns + i;
	put_counted(m, &(struct counted){.who = who,
					 .call = call,
					 .error = error,
					 .path = path,
					 .waits = waits,
					 .ns = values,
					 .n = n,
					 .stack = stack});
}

/* Of two processes and three threads. */
static struct measure_snap *some(struct measure_builder *m)
{
	u64 a = put_stack(m, "leaf_a"), b = put_stack(m, "leaf_b");

	put_all(m, "read", NULL, NULL, someone(10, 10, "db"), 40, 10 * US, a, false);
	put_all(m, "read", NULL, NULL, someone(10, 11, "db"), 20, 30 * US, b, false);
	put_all(m, "read", "EAGAIN", NULL, someone(10, 11, "db"), 5, US, b, false);
	put_all(m, "openat", "ENOENT", "/a/b/c", someone(20, 20, "cc"), 7, 2 * US, a, false);
	put_all(m, "openat", "ENOENT", "/a/x", someone(20, 20, "cc"), 3, 2 * US, b, false);
	put_all(m, "openat", "EACCES", "/a/x", someone(20, 20, "cc"), 2, 4 * US, b, false);
	put_all(m, "openat", NULL, NULL, someone(20, 20, "cc"), 50, 3 * US, a, false);
	put_all(m, "poll", NULL, NULL, someone(10, 10, "db"), 4, 200 * MS, a, true);
	return measure_tick(m);
}

/* --- groupings --- */

static u32 expected_rows(u32 groups)
{
	u32 n = 0;
	struct {
		const char *call, *error, *path;
		u32 tid;
		char stack;
	} all[] = {
		{"read", "", "", 10, 'a'},	   {"read", "", "", 11, 'b'},
		{"read", "EAGAIN", "", 11, 'b'},   {"openat", "ENOENT", "/a/b/c", 20, 'a'},
		{"openat", "ENOENT", "/a/x", 20, 'b'}, {"openat", "EACCES", "/a/x", 20, 'b'},
		{"openat", "", "", 20, 'a'},	   {"poll", "", "", 10, 'a'},
	};

	for (u32 i = 0; i < ARRAY_SIZE(all); i++) {
		bool seen = false;

		for (u32 k = 0; k < i && !seen; k++)
			seen = (!(groups & CALL) || !strcmp(all[i].call, all[k].call)) &&
			       (!(groups & ERROR) || !strcmp(all[i].error, all[k].error)) &&
			       (!(groups & PATH) || !strcmp(all[i].path, all[k].path)) &&
			       (!(groups & (PID | COMM | CGROUP)) ||
				all[i].tid / 10 == all[k].tid / 10) &&
			       (!(groups & TID) || all[i].tid == all[k].tid) &&
			       (!(groups & STACK) || all[i].stack == all[k].stack);
		n += !seen;
	}
	return n;
}

static void check_sums(const struct measure_result *a)
{
	const struct row_table *t = &a->base.table;
	u64 count = 0, errors = 0, sum = 0;

	for (u32 i = 0; i < t->nrows; i++) {
		count += cell_of(t, i, "count").u;
		errors += cell_of(t, i, "errors").u;
		sum += cell_of(t, i, "total_ns").u;
		for (u32 k = 0; k < i; k++)
			assert_true(t->key(t, i) != t->key(t, k));
	}
	assert_int_equal(count, 131);
	assert_int_equal(errors, 17);
	assert_int_equal(sum, a->all.sum);
	assert_int_equal(a->all.count, 131);
	assert_int_equal(a->all.errors, 17);
}

/* Each label alone and all of them together: nothing is lost, nothing is counted twice. */
static void every_grouping_has_all_of_it(void **state)
{
	const struct measure *of = measure_table[MEASURE_SYSCALLS];
	struct measure_snap *s = some(*state);

	for (u32 groups = 1; groups < ALL; groups++) {
		struct measure_result *a = ask(s, groups);

		check_sums(a);
		assert_int_equal(a->nrows, expected_rows(groups));
		for (u32 l = 0; l < of->nlabels; l++)
			if (groups & (1u << l))
				assert_true(has_column(&a->base.table, of->labels[l].name));
		query_result__free(&a->base);
	}
	snap__put(&s->base);
}

static void labels_tell_of_each_other(void **state)
{
	struct measure_snap *s = some(*state);
	struct measure_result *a = ask(s, TID);
	const struct row_table *t = &a->base.table;

	assert_true(has_column(t, "pid") && has_column(t, "comm") && has_column(t, "cgroup"));
	assert_false(has_column(t, "syscall"));
	for (u32 i = 0; i < t->nrows; i++)
		assert_int_equal(cell_of(t, i, "pid").u, cell_of(t, i, "tid").u / 10 * 10);
	query_result__free(&a->base);
	a = ask(s, CALL);
	assert_false(has_column(&a->base.table, "pid"));
	query_result__free(&a->base);
	snap__put(&s->base);
}

/* --- narrowing and filters --- */

static u64 narrowed(const struct measure_snap *s, u32 label, const char *text)
{
	struct measure_query q = {.groups = PID, .window = WINDOW_LAST};
	struct measure_result *a;
	u64 count;

	q.narrow.hashes[label] = measure__text_hash(text);
	a = measure__query(s, &q, NULL);
	count = a->all.count;
	query_result__free(&a->base);
	return count;
}

static void narrowing_leaves_what_has_the_text(void **state)
{
	struct measure_snap *s = some(*state);

	assert_int_equal(narrowed(s, 0, "read"), 65);
	assert_int_equal(narrowed(s, 0, "openat"), 62);
	assert_int_equal(narrowed(s, 0, "write"), 0);
	assert_int_equal(narrowed(s, 1, "ENOENT"), 10);
	assert_int_equal(narrowed(s, 1, ""), 114);
	assert_int_equal(narrowed(s, 2, "/a/x"), 5);
	snap__put(&s->base);
}

static u64 filtered(const struct measure_snap *s, const char *filter)
{
	struct measure_result *a = ask_in(s, CALL, filter);
	u64 count = a->all.count;

	query_result__free(&a->base);
	return count;
}

static void filters_choose_threads(void **state)
{
	struct measure_snap *s = some(*state);

	assert_int_equal(filtered(s, "pid=10"), 69);
	assert_int_equal(filtered(s, "tid=11"), 25);
	assert_int_equal(filtered(s, "!pid=10"), 62);
	assert_int_equal(filtered(s, "comm~^cc"), 62);
	assert_int_equal(filtered(s, "task=kernel"), 0);
	snap__put(&s->base);
}

/* --- derived labels --- */

/* Each folder above a path. */
static bool ancestor(const char *text, u32 i, char *buf, size_t size)
{
	size_t len = 0;

	for (u32 n = 0; n <= i; n++) {
		const char *slash = strchr(text + len + (n > 0), '/');

		if (!slash)
			return false;
		len = (size_t)(slash - text);
	}
	copy_str(buf, MIN(size, len ? len + 1 : 2), text);
	return true;
}

static struct measure with_folders(struct measure_label *labels)
{
	struct measure m = *measure_table[MEASURE_SYSCALLS];

	memcpy(labels, m.labels, m.nlabels * sizeof(*labels));
	labels[m.nlabels] = (struct measure_label){.name = "dir",
						   .title = "Folder",
						   .help = "above the path",
						   .width = 20,
						   .kind = LABEL_DERIVED,
						   .of = 2,
						   .part = ancestor};
	m.labels = labels;
	m.nlabels++;
	return m;
}

static void a_derived_label_counts_in_each_ancestor(void **state)
{
	struct measure_label labels[MEASURE_MAX_LABELS];
	struct measure folders = with_folders(labels);
	struct measure_snap *s = some(*state);
	struct measure_query q = {.window = WINDOW_LAST};
	const struct row_table *t;
	struct measure_result *a;

	s->measure = &folders;
	q.groups = 1u << measure__label(&folders, "dir");
	a = measure__query(s, &q, NULL);
	t = &a->base.table;
	assert_int_equal(a->nrows, 3);
	assert_int_equal(cell_of(t, row_with(t, "dir", "/"), "count").u, 12);
	assert_int_equal(cell_of(t, row_with(t, "dir", "/a"), "count").u, 12);
	assert_int_equal(cell_of(t, row_with(t, "dir", "/a/b"), "count").u, 7);
	assert_int_equal(a->all.count, 131); /* once */
	query_result__free(&a->base);
	q.narrow.hashes[measure__label(&folders, "dir")] = measure__text_hash("/a/b");
	q.groups = PATH;
	a = measure__query(s, &q, NULL);
	assert_int_equal(a->nrows, 1);
	assert_int_equal(a->all.count, 7);
	query_result__free(&a->base);
	snap__put(&s->base);
}

/* --- cells --- */

static u64 errno_of(const struct value *v, const char *name)
{
	for (u32 i = 0; i < v->n; i++) {
		struct value_part p = {0};

		v->part(v->of, i, &p);
		if (!strcmp(p.name, name))
			return p.value.u;
	}
	return 0;
}

static void errnos_have_names(void **state)
{
	struct measure_snap *s = some(*state);
	struct measure_result *a = ask(s, CALL);
	const struct row_table *t = &a->base.table;
	struct value v = cell_of(t, row_with(t, "syscall", "openat"), "errnos");

	assert_int_equal(v.type, VALUE_OBJECT);
	assert_int_equal(v.n, 2);
	assert_int_equal(errno_of(&v, "ENOENT"), 10);
	assert_int_equal(errno_of(&v, "EACCES"), 2);
	v = cell_of(t, row_with(t, "syscall", "poll"), "errnos");
	assert_int_equal(v.n, 0);
	query_result__free(&a->base);
	snap__put(&s->base);
}

/* However long it took. */
static void what_waits_for_something_new_is_behind(void **state)
{
	struct measure_snap *s = some(*state);
	struct measure_result *a = ask(s, CALL);
	const struct row_table *t = &a->base.table;

	assert_int_equal(row_with(t, "syscall", "poll"), 2);
	assert_int_equal(t->nlast, 1);
	assert_true(cell_of(t, 2, "waits").u);
	assert_int_equal(cell_of(t, 2, "waiting_ns").u, cell_of(t, 2, "total_ns").u);
	assert_int_equal(a->waiting_ns, cell_of(t, 2, "total_ns").u);
	query_result__free(&a->base);
	/* Where the call does not tell them apart their time is no work. */
	a = ask(s, PID);
	t = &a->base.table;
	assert_int_equal(t->nlast, 0);
	assert_int_equal(cell_of(t, 0, "pid").u, 10);
	assert_in_range(cell_of(t, 0, "working").u, 1000 * US, 1100 * US);
	assert_false(cell_of(t, 0, "waits").u);
	query_result__free(&a->base);
	/* Nothing is behind when all of it waits. */
	a = ask_in(s, CALL, "tid=10");
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void what_is_not_known_is_none(void **state)
{
	static const char *const numbers[] = {"min_ns", "avg_ns", "p50_ns", "p95_ns", "p99_ns", "max_ns"};
	struct measure_builder *m = *state;
	struct measure_result *a;
	const struct row_table *t;
	struct measure_snap *s;
	u32 row;

	put_open(m, someone(30, 30, "stuck"), "flock", false, 90 * NSEC_PER_SEC);
	put_open(m, someone(30, 31, "stuck"), "flock", false, 5 * NSEC_PER_SEC);
	s = some(m);
	a = ask(s, CALL);
	t = &a->base.table;
	row = row_with(t, "syscall", "flock");
	for (u32 i = 0; i < ARRAY_SIZE(numbers); i++)
		assert_int_equal(cell_of(t, row, numbers[i]).type, VALUE_NONE);
	assert_int_equal(cell_of(t, row, "count").u, 0);
	assert_int_equal(cell_of(t, row, "unfinished").u, 2);
	assert_int_equal(cell_of(t, row, "unfinished_ns").u, 90 * NSEC_PER_SEC);
	assert_int_equal(a->unfinished, 2);
	row = row_with(t, "syscall", "read");
	assert_int_equal(cell_of(t, row, "unfinished").u, 0);
	assert_int_equal(cell_of(t, row, "unfinished_ns").type, VALUE_NONE);
	query_result__free(&a->base);
	a = ask(s, ERROR | PATH);
	t = &a->base.table;
	row = 0;
	for (u32 i = 0; i < t->nrows; i++)
		row += cell_of(t, i, "error").type == VALUE_NONE &&
		       cell_of(t, i, "path").type == VALUE_NONE;
	assert_int_equal(row, 1);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void many_threads_are_the_rest(void **state)
{
	struct measure_builder *m = *state;
	struct measure_who many = {.tgid = MEASURE_MANY, .comm = "pool"}, rest = many, known = someone(1, 1, "a");
	struct measure_result *a;
	const struct row_table *t;
	struct measure_snap *s;

	known.cgroup = 1; /* the root */
	copy_str(rest.comm, sizeof(rest.comm), "[rest]");
	put_all(m, "read", NULL, NULL, many, 30, 10 * US, 0, false);
	put_all(m, NULL, NULL, NULL, rest, 3, 10 * US, 0, false);
	put_all(m, "read", NULL, NULL, known, 1, 10 * US, 0, false);
	s = measure_tick(m);
	a = ask(s, CGROUP);
	assert_int_equal(a->nrows, 2);
	query_result__free(&a->base);
	a = ask(s, CALL);
	t = &a->base.table;
	assert_int_equal(a->nrows, 2);
	assert_int_equal(cell_of(t, row_with(t, "syscall", "read"), "count").u, 31);
	assert_int_equal(cell_of(t, row_with(t, "syscall", "[rest]"), "count").u, 3);
	query_result__free(&a->base);
	a = ask(s, COMM);
	t = &a->base.table;
	assert_int_equal(cell_of(t, row_with(t, "comm", "pool"), "count").u, 30);
	query_result__free(&a->base);
	a = ask_in(s, COMM, "comm~^po");
	assert_int_equal(a->all.count, 30 + 3); /* who the rest is nobody knows */
	query_result__free(&a->base);
	a = ask_in(s, COMM, "comm~^a$");
	assert_int_equal(a->all.count, 1 + 3);
	query_result__free(&a->base);
	a = ask(s, TID);
	assert_int_equal(a->nrows, 2);
	assert_int_equal(a->all.count, 34);
	for (u32 i = 0; i < 2; i++)
		assert_int_equal(cell_of(&a->base.table, i, "tid").type == VALUE_NONE, a->rows[i].rest);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void expect_filtered(const struct measure_snap *s, u32 groups, const char *filter, u64 count,
			    u64 errors, u32 rows)
{
	struct measure_result *a = ask_in(s, groups, filter);

	if (a->all.count != count || a->all.errors != errors || a->nrows != rows)
		fail_msg("%s: %llu calls, %llu failed, %u rows", filter,
			 (unsigned long long)a->all.count, (unsigned long long)a->all.errors,
			 a->nrows);
	query_result__free(&a->base);
}

/* By whatever rows are grouped; a text that is not there is an empty one. */
static void labels_are_terms_of_filters(void **state)
{
	struct measure_snap *s = some(*state);

	expect_filtered(s, CALL, "syscall=read", 65, 5, 1);
	expect_filtered(s, PID, "syscall=read", 65, 5, 1);
	expect_filtered(s, CALL, "syscall=read,poll", 69, 5, 2);
	expect_filtered(s, CALL, "!syscall=read", 66, 12, 2);
	expect_filtered(s, CALL, "syscall~^op pid=20", 62, 12, 1);
	expect_filtered(s, CALL, "error=ENOENT,EAGAIN", 15, 15, 2);
	expect_filtered(s, CALL, "!error~.", 114, 0, 3);
	expect_filtered(s, CALL, "error~. !error=ENOENT", 7, 7, 2);
	expect_filtered(s, CALL, "path=/a/*", 12, 12, 1);
	expect_filtered(s, STACK, "syscall=openat !error~.", 50, 0, 1);
	expect_filtered(s, CALL, "file=nothing", 131, 17, 3); /* the view lacks it */
	expect_filtered(s, CALL, "syscall=nothing", 0, 0, 0);
	snap__put(&s->base);
}

/* What may be of it is said to be the rest. */
static void what_is_not_known_passes_filters_as_the_rest(void **state)
{
	struct measure_builder *m = *state;
	struct measure_who many = {.tgid = MEASURE_MANY, .comm = "pool"}, rest = many;
	struct measure_snap *s;

	copy_str(rest.comm, sizeof(rest.comm), "[rest]");
	put_all(m, "read", NULL, NULL, many, 30, 10 * US, 0, false);
	put_all(m, NULL, NULL, NULL, rest, 3, 10 * US, 0, false);
	put_all(m, "read", NULL, NULL, someone(1, 1, "a"), 1, 10 * US, 0, false);
	put_all(m, "write", NULL, NULL, someone(1, 1, "a"), 5, 10 * US, 0, false);
	s = measure_tick(m);
	expect_filtered(s, CALL, "syscall=read", 34, 0, 2);
	expect_filtered(s, CALL, "syscall=write", 8, 0, 2);
	expect_filtered(s, CALL, "syscall=read error=EIO", 3, 0, 1);
	snap__put(&s->base);
}

/* Of the wall time of all threads that are in a row, the idle ones of it too. */
static void wall_time_is_of_the_threads(void **state)
{
	struct measure_builder *m = *state;
	struct measure_result *a;
	struct measure_snap *s;

	put_some(m, someone(1, 1, "a"), "fsync", 5, 100 * MS);
	put_some(m, someone(1, 2, "a"), "fsync", 1, 100 * MS);
	put_some(m, someone(1, 2, "a"), "read", 20, 100 * MS);
	s = measure_tick(m);
	a = ask(s, TID | CALL);
	for (u32 i = 0; i < a->nrows; i++)
		assert_float_equal(cell_of(&a->base.table, i, "wall_pct").f,
				   MIN((double)a->rows[i].v.sum / 1e7, 100.0), 0.01);
	query_result__free(&a->base);
	a = ask(s, CALL);
	assert_float_equal(cell_of(&a->base.table, row_with(&a->base.table, "syscall", "fsync"), "wall_pct").f,
			   30, 0.01);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static void quantiles_are_those_of_the_sorted_values(void **state)
{
	static const struct {
		const char *name;
		double q;
	} qs[] = {{"p50_ns", 0.5}, {"p95_ns", 0.95}, {"p99_ns", 0.99}};
	struct measure_builder *m = *state;
	struct measure_result *a;
	struct measure_snap *s;
	u64 values[5000];

	for (u32 i = 0; i < ARRAY_SIZE(values); i++)
		values[i] = 200 + random_below(m, 1u << (10 + random_below(m, 16)));
	for (u32 i = 0; i < ARRAY_SIZE(values); i += 500)
		put_counted(m, &(struct counted){.who = someone(1, 1 + i % 3, "a"),
						 .call = "read",
						 .ns = values + i,
						 .n = 500});
	qsort(values, ARRAY_SIZE(values), sizeof(values[0]), by_value);
	s = measure_tick(m);
	a = ask(s, CALL);
	assert_int_equal(cell_of(&a->base.table, 0, "min_ns").u, values[0]);
	assert_int_equal(cell_of(&a->base.table, 0, "max_ns").u, values[ARRAY_SIZE(values) - 1]);
	for (u32 i = 0; i < ARRAY_SIZE(qs); i++) {
		u64 exact = values[(u32)(qs[i].q * (ARRAY_SIZE(values) - 1))];
		u64 got = cell_of(&a->base.table, 0, qs[i].name).u;

		assert_in_range(got, exact * 3 / 4, exact * 5 / 4 + 16);
		assert_in_range(got, values[0], values[ARRAY_SIZE(values) - 1]);
	}
	query_result__free(&a->base);
	snap__put(&s->base);
}

/* --- keys --- */

/* The same is put again, after everything that a snapshot points to has been made anew. */
static void keys_stay(void **state)
{
	struct measure_builder *m = *state;
	struct measure_snap *then = some(m), *now;

	m->ops->free(m->model);
	m->model = m->ops->new (m->symbols);
	now = some(m);
	for (u32 groups = 1; groups < ALL; groups++) {
		struct result_diff *d =
			result_diff__join(&ask(now, groups)->base, &ask(then, groups)->base);

		assert_non_null(d);
		assert_int_equal(d->nnew, 0);
		assert_int_equal(d->ngone, 0);
		query_result__free(&d->base);
	}
	snap__put(&then->base);
	snap__put(&now->base);
}

static void a_reused_pid_is_another_process(void **state)
{
	struct measure_builder *m = *state;
	struct measure_who first = someone(77, 77, "one"), second = someone(77, 77, "one");
	struct measure_result *a;
	struct measure_snap *s;

	second.start_ns += 5;
	second.process_ns += 5;
	put_some(m, first, "read", 3, US);
	put_some(m, second, "read", 4, US);
	s = measure_tick(m);
	for (u32 groups = PID; groups <= TID; groups <<= 1) {
		a = ask(s, groups);
		assert_int_equal(a->nrows, 2);
		assert_int_equal(a->rows[0].v.count + a->rows[1].v.count, 7);
		query_result__free(&a->base);
	}
	a = ask(s, COMM);
	assert_int_equal(a->nrows, 1);
	assert_int_equal(a->rows[0].nthreads, 2);
	query_result__free(&a->base);
	snap__put(&s->base);
}

/* --- by what is in stacks --- */

/* Of leaf_a there are 40 + 7 + 50 + 4, of leaf_b 20 + 5 + 3 + 2. */
static void frames_choose_what_counts(void **state)
{
	static const struct {
		const char *filter;
		u64 count;
	} cases[] = {
		{"sym~leaf_a", 101},	 {"sym~leaf_b", 30},	 {"!sym~leaf_b", 101},
		{"sym~work", 131},	 {"obj~prog", 131},	 {"lang=native", 131},
		{"lang=go", 0},		 {"sym~leaf_a sym~leaf_b", 0},
		{"sym~leaf_a syscall=read", 40},
	};
	static const u32 groupings[] = {CALL, PID, TID, STACK, CALL | STACK};
	struct measure_snap *s = some(*state);

	for (u32 i = 0; i < ARRAY_SIZE(cases); i++)
		for (u32 k = 0; k < ARRAY_SIZE(groupings); k++) {
			struct measure_result *a = ask_in(s, groupings[k], cases[i].filter);
			u64 sum = 0;

			for (u32 row = 0; row < a->nrows; row++)
				sum += a->rows[row].v.count;
			assert_int_equal(a->all.count, cases[i].count);
			assert_int_equal(sum, cases[i].count);
			query_result__free(&a->base);
		}
	snap__put(&s->base);
}

/* --- what stacks stand for --- */

static void stack_of(struct measure_builder *m, struct measure_sample *s)
{
	const u64 ip = 0x1000;
	struct stack_def def = {
		.head.type = SAMPLE_STACK_DEF, .hash = 77, .tgid = 7, .nuser = 1, .ips = &ip, .whole = true};
	static const struct measure_key keys[] = {{1, "read"}, {0, ""}, {0, ""}};

	m->ops->consume(m->model, &def.head);
	*s = (struct measure_sample){
		.head.type = SAMPLE_MEASURE, .sampled = true, .keys = keys, .nkeys = 3, .stack = 77};
}

/* What many threads of one name did has the stacks of processes of that name. */
static void stacks_of_many_are_those_of_a_process(void **state)
{
	struct measure_builder *m = *state;
	struct measure_result *a;
	struct measure_sample s;
	struct measure_snap *snap;

	stack_of(m, &s);
	s.who = (struct measure_who){.tgid = MEASURE_MANY, .comm = "pool"};
	s.stack_tgid = 7;
	s.count = 5;
	s.sum = s.max = 5 * US;
	m->ops->consume(m->model, &s.head);
	snap = measure_tick(m);
	a = ask(snap, STACK);
	assert_int_equal(a->nrows, 1);
	assert_int_equal(cell_of(&a->base.table, 0, "stack").n, 1);
	assert_int_equal(cell_of(&a->base.table, 0, "count").u, 5);
	query_result__free(&a->base);
	snap__put(&snap->base);
}

/* Its own took 2 us, the others that it stands for 10 on average. */
static void one_took_the_average_at_least(void **state)
{
	struct measure_builder *m = *state;
	struct measure_result *a;
	struct measure_sample s;
	struct measure_snap *snap;

	stack_of(m, &s);
	s.who = someone(7, 7, "a");
	s.count = 100;
	s.sum = 1000 * US;
	s.min = s.max = 2 * US;
	m->ops->consume(m->model, &s.head);
	snap = measure_tick(m);
	a = ask(snap, STACK);
	assert_int_equal(cell_of(&a->base.table, 0, "min_ns").u, 2 * US);
	assert_int_equal(cell_of(&a->base.table, 0, "avg_ns").u, 10 * US);
	assert_int_equal(cell_of(&a->base.table, 0, "max_ns").u, 10 * US);
	query_result__free(&a->base);
	snap__put(&snap->base);
}

/* --- the slowest --- */

static void the_slowest_are_narrowed_and_filtered(void **state)
{
	struct measure_builder *m = *state;
	struct measure_slow_query q = {0};
	struct measure_slow_result *a;
	struct filter_error err;
	struct scope *scope;
	struct measure_snap *s;

	put_slow(m, someone(1, 1, "a"), "read", 5 * MS, m->now_ns, put_stack(m, "leaf"));
	put_slow(m, someone(2, 2, "b"), "write", 9 * MS, m->now_ns, 0);
	s = measure_tick(m);
	a = measure__slow(s, &q, NULL);
	assert_int_equal(a->nrows, 2);
	assert_int_equal(cell_of(&a->base.table, 0, "total_ns").u, 9 * MS);
	assert_string_equal(cell_of(&a->base.table, 0, "syscall").s, "write");
	assert_int_equal(cell_of(&a->base.table, 0, "error").type, VALUE_NONE);
	assert_int_equal(cell_of(&a->base.table, 1, "stack").n, 3);
	assert_string_not_equal(cell_of(&a->base.table, 0, "cgroup").s, "");
	query_result__free(&a->base);
	scope = filter__parse("max=6ms", &err);
	a = measure__slow(s, &q, scope);
	assert_int_equal(a->nrows, 1);
	query_result__free(&a->base);
	scope__put(scope);
	scope = filter__parse("sym~work", &err); /* the other's stack is not known */
	a = measure__slow(s, &q, scope);
	assert_int_equal(a->nrows, 1);
	assert_int_equal(cell_of(&a->base.table, 0, "pid").u, 1);
	query_result__free(&a->base);
	scope__put(scope);
	scope = filter__parse("!syscall=write", &err);
	a = measure__slow(s, &q, scope);
	assert_int_equal(a->nrows, 1);
	query_result__free(&a->base);
	scope__put(scope);
	q.narrow.hashes[0] = measure__text_hash("write");
	a = measure__slow(s, &q, NULL);
	assert_int_equal(a->nrows, 1);
	assert_int_equal(cell_of(&a->base.table, 0, "pid").u, 2);
	query_result__free(&a->base);
	snap__put(&s->base);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(every_grouping_has_all_of_it),
		TEST(labels_tell_of_each_other),
		TEST(narrowing_leaves_what_has_the_text),
		TEST(filters_choose_threads),
		TEST(a_derived_label_counts_in_each_ancestor),
		TEST(errnos_have_names),
		TEST(what_waits_for_something_new_is_behind),
		TEST(what_is_not_known_is_none),
		TEST(many_threads_are_the_rest),
		TEST(labels_are_terms_of_filters),
		TEST(what_is_not_known_passes_filters_as_the_rest),
		TEST(wall_time_is_of_the_threads),
		TEST(quantiles_are_those_of_the_sorted_values),
		TEST(keys_stay),
		TEST(a_reused_pid_is_another_process),
		TEST(frames_choose_what_counts),
		TEST(stacks_of_many_are_those_of_a_process),
		TEST(one_took_the_average_at_least),
		TEST(the_slowest_are_narrowed_and_filtered),
	};

	measure__know_labels();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
