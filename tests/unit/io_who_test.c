// SPDX-License-Identifier: GPL-2.0-only
/* Who does block I/O: processes, writeback, groupings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "base/hosts.h"
#include "models/heat.h"
#include "tests/lib/fake_symbols.h"
#include "tests/lib/io_builder.h"
#include "tests/lib/rows.h"

/* --- who --- */

static void processes_and_writeback(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;
	struct io_result *a;

	put_proc(m, 10, "db", false, 77, IO_READ, 5);
	put_proc(m, 10, "db", false, 78, IO_WRITE, 3);
	put_proc(m, 900, "kworker/u4:1", true, 77, IO_WRITE, 20);
	put_proc(m, 901, "kworker/u4:2", true, 77, IO_WRITE, 1);
	s = tick(m);
	a = ask(s, IO_BY_PID, false, "");
	assert_int_equal(a->nrows, 2);
	assert_string_equal(table_cell(&a->base.table, 0, "comm").s, "[writeback]");
	assert_int_equal(table_cell(&a->base.table, 0, "pid").type, VALUE_NONE);
	assert_int_equal(table_cell(&a->base.table, 0, "count").u, 21);
	assert_int_equal(table_cell(&a->base.table, 1, "pid").u, 10);
	assert_int_equal(table_cell(&a->base.table, 1, "count").u, 8);
	assert_int_equal(table_cell(&a->base.table, 1, "avg_ns").u, MS);
	assert_int_equal(table_cell(&a->base.table, 1, "max_ns").u, 3 * MS);
	assert_int_equal(table_cell(&a->base.table, 1, "read_bytes").u, 5 * 4096);
	query_result__free(&a->base);
	a = ask(s, IO_BY_FILE, false, "");
	assert_int_equal(a->nrows, 2);
	assert_string_equal(table_cell(&a->base.table, 0, "file").s, "data.db");
	assert_int_equal(table_cell(&a->base.table, 0, "inode").u, 77);
	assert_int_equal(table_cell(&a->base.table, 0, "count").u, 26);
	query_result__free(&a->base);
	a = ask(s, IO_BY_PID, false, "pid=10");
	assert_int_equal(a->nrows, 1);
	query_result__free(&a->base);
	snap__put(&s->base);
}

/* What a worker writes is of who dirtied it, beside what that one did itself. */
static void writeback_is_of_who_dirtied(void **state)
{
	struct builder *m = *state;
	struct io_proc_sample s = {
		.head.type = SAMPLE_IO_PROC,
		.who = {.device = vda(), .op = IO_WRITE, .tgid = 10, .tid = 10,
			.writeback = true, .inode = 77, .comm = "db"},
		.count = 6,
		.bytes = 6 * 4096,
	};
	const struct io_snap *snap;
	struct io_result *a;

	put_proc(m, 10, "db", false, 78, IO_WRITE, 3);
	put_proc(m, 900, "kworker/u4:1", true, 79, IO_WRITE, 1);
	model_io.consume(m->model, &s.head);
	snap = tick(m);
	a = ask(snap, IO_BY_PID, false, "");
	assert_int_equal(a->nrows, 2);
	assert_string_equal(table_cell(&a->base.table, 0, "comm").s, "db");
	assert_int_equal(table_cell(&a->base.table, 0, "pid").u, 10);
	assert_int_equal(table_cell(&a->base.table, 0, "write_bytes").u, 9 * 4096);
	assert_int_equal(table_cell(&a->base.table, 0, "writeback_bytes").u, 6 * 4096);
	assert_string_equal(table_cell(&a->base.table, 1, "comm").s, "[writeback]");
	assert_int_equal(table_cell(&a->base.table, 1, "writeback_bytes").u, 4096);
	query_result__free(&a->base);
	snap__put(&snap->base);
}

/* In which order samples come decides, not which name was seen first; what workers write for a
 * process says nothing new. */
static void a_process_has_its_newest_name(void **state)
{
	struct builder *m = *state;
	struct io_proc_sample s = {.head.type = SAMPLE_IO_PROC,
				   .who = {.device = vda(), .op = IO_WRITE, .tgid = 10,
					   .tid = 10, .writeback = true, .inode = 77,
					   .comm = "oldest"},
				   .count = 6};
	static const char *const names[] = {"bash", "dd", "bash"};

	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		const struct io_snap *snap;
		struct io_result *a;

		put_proc(m, 10, i ? "dd" : "sh", false, i, IO_READ, 1);
		put_proc(m, 10, names[i], false, 3, IO_READ, 1);
		model_io.consume(m->model, &s.head);
		snap = tick(m);
		a = ask(snap, IO_BY_PID, false, "");
		assert_int_equal(a->nrows, 1);
		assert_string_equal(table_cell(&a->base.table, 0, "comm").s, names[i]);
		assert_int_equal(table_cell(&a->base.table, 0, "count").u, 8);
		query_result__free(&a->base);
		snap__put(&snap->base);
	}
}

static void totals_are_the_same_in_all_groupings(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;
	u64 all = 0;

	for (u32 i = 0; i < 500; i++) {
		u32 n = 1 + random_below(m, 9);

		put_proc(m, 1 + random_below(m, 20), i % 3 ? "a" : "b", i % 7 == 0,
			 random_below(m, 5), random_below(m, IO_OPS), n);
		all += n;
	}
	s = tick(m);
	for (u32 g = IO_BY_PID; g < IO_GROUPS; g++) {
		struct io_result *a = ask(s, g, false, "");
		u64 sum = 0;

		for (u32 i = 0; i < a->nrows; i++)
			sum += table_cell(&a->base.table, i, "count").u;
		assert_int_equal(sum, all);
		query_result__free(&a->base);
	}
	snap__put(&s->base);
}

/* The coldest lose their file first, then their process; nothing is lost of the sums. */
static void forgotten_ones_are_summed_up(void **state)
{
	static const enum io_group groups[] = {IO_BY_PID, IO_BY_COMM, IO_BY_CGROUP, IO_BY_FILE};
	struct builder *m = *state;
	const struct io_snap *s = NULL;
	struct io_result *a;
	u64 sum = 0;

	for (u32 i = 0; i < 5; i++) {
		put_proc(m, 7, "steady", false, 9, IO_WRITE, 1000);
		for (u32 k = 0; k < IO_MAX_PROCS / 2; k++)
			put_proc(m, 10 + i * IO_MAX_PROCS + k, "p", false, 5, k % 2 ? IO_READ : IO_WRITE, 1);
		if (s)
			snap__put(&s->base);
		s = tick(m);
	}
	assert_true(s->nprocs <= IO_MAX_PROCS);
	for (u32 i = 0; i < s->nprocs; i++)
		sum += s->procs[i].sums[WINDOW_TOTAL].count;
	assert_int_equal(sum, 5 * (1000 + IO_MAX_PROCS / 2));
	for (u32 g = 0; g < ARRAY_SIZE(groups); g++) {
		u32 row = 0;

		a = io__query(s, &(struct io_query){.group = groups[g], .window = WINDOW_TOTAL}, NULL);
		while (row < a->nrows && !a->rows[row].rest)
			row++;
		assert_true(row < a->nrows);
		assert_string_equal(a->rows[row].name, "[others]");
		assert_int_equal(a->rows[row].pid, 0);
		assert_true(a->rows[row].write_bytes > 0 && a->rows[row].write_bytes < a->rows[row].sums.bytes);
		query_result__free(&a->base);
	}
	a = ask(s, IO_BY_PID, false, "pid=7");
	assert_int_equal(a->nrows, 1);
	assert_int_equal(a->rows[0].sums.count, 1000);
	assert_string_equal(a->rows[0].files, "data.db");
	query_result__free(&a->base);
	snap__put(&s->base);
}

/* By command rows are of all hosts, those that were forgotten, too. */
static void forgotten_ones_of_hosts_are_one_command(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;
	struct io_result *a;
	u32 rest = 0;

	for (u32 host = 1; host <= 2; host++)
		for (u32 k = 0; k < 2 * IO_MAX_PROCS; k++) {
			struct io_proc_sample x = {.head.type = SAMPLE_IO_PROC,
						   .who = {.device = vda(), .tgid = 1 + k, .tid = 1 + k, .comm = "p"},
						   .count = 1};

			x.who.device.host = host;
			model_io.consume(m->model, &x.head);
		}
	s = tick(m);
	a = ask(s, IO_BY_COMM, false, "");
	for (u32 i = 0; i < a->nrows; i++)
		rest += a->rows[i].rest;
	assert_int_equal(rest, 1);
	query_result__free(&a->base);
	snap__put(&s->base);
}

/* --- who has ended --- */

static void put_life(struct builder *m, enum proc_event_type type, u32 tgid)
{
	const struct proc_event ev = {
		.head.type = SAMPLE_PROC, .type = type, .tgid = tgid, .tid = tgid, .t_ns = m->now_ns};

	model_io.consume(m->model, &ev.head);
}

/* Two that had one pid are two rows; what is written later for one that ended is its own. */
static void a_pid_that_is_used_again_is_another_row(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;
	struct io_result *a;

	put_proc(m, 5, "dd", false, 0, IO_READ, 10);
	snap__put(&tick(m)->base);
	put_life(m, PROC_EXIT, 5);
	put_proc(m, 5, "dd", false, 0, IO_READ, 20);
	s = tick(m);
	a = ask(s, IO_BY_PID, false, "");
	assert_int_equal(a->nrows, 1);
	assert_true(table_cell(&a->base.table, 0, "ended").u);
	assert_string_equal(table_cell(&a->base.table, 0, "end").s, "ended");
	query_result__free(&a->base);
	snap__put(&s->base);
	put_life(m, PROC_FORK, 5);
	put_proc(m, 5, "dd", false, 0, IO_READ, 40);
	s = tick(m);
	a = ask(s, IO_BY_PID, false, "");
	assert_int_equal(a->nrows, 1);
	assert_int_equal(table_cell(&a->base.table, 0, "count").u, 40);
	assert_false(table_cell(&a->base.table, 0, "ended").u);
	query_result__free(&a->base);
	a = io__query(s, &(struct io_query){.group = IO_BY_PID, .window = WINDOW_TOTAL}, NULL);
	assert_int_equal(a->nrows, 2);
	assert_int_equal(table_cell(&a->base.table, 0, "count").u, 40);
	assert_int_equal(table_cell(&a->base.table, 1, "count").u, 30);
	assert_true(table_cell(&a->base.table, 1, "ended").u);
	query_result__free(&a->base);
	snap__put(&s->base);
}

/* --- several hosts --- */

/* vda of a host; its process 5 reads so often. */
static void put_host(struct builder *m, u32 host, u32 reads, u64 ns)
{
	struct io_device d = vda();
	struct io_proc_sample s = {.head.type = SAMPLE_IO_PROC, .count = reads, .bytes = reads * 4096ULL};

	d.host = host;
	put(m, d, IO_READ, 0, reads, ns, false);
	s.who = (struct io_who){.device = d, .op = IO_READ, .tgid = 5, .tid = 5, .inode = 7, .comm = "db"};
	model_io.consume(m->model, &s.head);
}

static void counts_are(const struct io_snap *s, enum io_group group, const char *filter, u32 n, const u64 *counts)
{
	struct io_result *a = ask(s, group, false, filter);

	assert_int_equal(a->nrows, n);
	for (u32 i = 0; i < n; i++)
		assert_int_equal(table_cell(&a->base.table, i, "count").u, counts[i]);
	assert_int_equal(a->sums.count, filter[0] ? counts[0] : 50);
	query_result__free(&a->base);
}

/* Devices, processes and files of one name are each host's own, commands are of all; one that ends is that host's. */
static void hosts_are_told_apart(void **state)
{
	static const char *const labels[] = {"host"};
	const struct proc_event ends = {.head.type = SAMPLE_PROC, .type = PROC_EXIT, .tgid = 5, .tid = 5, .host = 2};
	static const enum io_group of_one[] = {IO_BY_DEVICE, IO_BY_PID, IO_BY_FILE, IO_BY_HOST};
	struct builder *m = *state;
	const struct io_snap *s;
	struct io_result *a;

	filter__know_labels(labels, 1);
	hosts__expect(2);
	hosts__add("web1");
	hosts__add("web2");
	put_host(m, 1, 20, MS);
	put_host(m, 2, 30, 9 * MS);
	model_io.consume(m->model, &ends.head);
	s = tick(m);
	for (u32 i = 0; i < ARRAY_SIZE(of_one); i++) {
		counts_are(s, of_one[i], "", 2, (const u64[]){30, 20});
		counts_are(s, of_one[i], "host=web1", 1, (const u64[]){20});
		counts_are(s, of_one[i], "host!=web1", 1, (const u64[]){30});
		a = ask(s, of_one[i], false, "");
		assert_string_equal(table_cell(&a->base.table, 0, "host").s, "web2");
		query_result__free(&a->base);
	}
	counts_are(s, IO_BY_COMM, "", 1, (const u64[]){50});
	a = ask(s, IO_BY_PID, false, "");
	assert_true(table_cell(&a->base.table, 0, "ended").u);
	assert_false(table_cell(&a->base.table, 1, "ended").u);
	query_result__free(&a->base);
	snap__put(&s->base);
	hosts__expect(0);
	filter__know_labels(NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
		T(processes_and_writeback),
		T(writeback_is_of_who_dirtied),
		T(a_process_has_its_newest_name),
		T(totals_are_the_same_in_all_groupings),
		T(forgotten_ones_are_summed_up),
		T(forgotten_ones_of_hosts_are_one_command),
		T(a_pid_that_is_used_again_is_another_row),
		T(hosts_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
