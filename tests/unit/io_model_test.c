// SPDX-License-Identifier: GPL-2.0-only
/* The io model: sums over windows, partitions, quantiles, groupings, slow requests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include "models/heat.h"
#include "models/io.h"
#include "models/model.h"
#include "scope/filter.h"
#include "tests/lib/fake_symbols.h"

#define MS    NSEC_PER_MSEC
#define VDA   (254u << 20)
#define VDA1  (VDA | 1)
#define LOOP0 (7u << 20)

struct builder {
	struct symbols *symbols;
	struct model *model;
	u64 now_ns, seed;
};

static int setup(void **state)
{
	static struct builder m;

	m = (struct builder){.symbols = fake_symbols__new(), .now_ns = 1000 * NSEC_PER_SEC};
	m.model = model_io.new(m.symbols);
	*state = &m;
	return 0;
}

static int teardown(void **state)
{
	struct builder *m = *state;

	model_io.free(m->model);
	fake_symbols__free(m->symbols);
	return 0;
}

static u32 random_below(struct builder *m, u32 below)
{
	m->seed = mix64(m->seed + 0x9e3779b97f4a7c15ULL);
	return (u32)((m->seed >> 32) * below >> 32);
}

static struct io_device device(u32 dev, u32 disk, const char *name, const char *disk_name)
{
	struct io_device d = {.dev = dev, .disk = disk};

	copy_str(d.name, sizeof(d.name), name);
	copy_str(d.disk_name, sizeof(d.disk_name), disk_name);
	return d;
}

static struct io_device vda(void)
{
	return device(VDA, VDA, "vda", "vda");
}

/* n requests of 4 KiB that took `ns` each; the scheduler held them for a quarter, or is none. */
static void put(struct builder *m, struct io_device d, enum io_op op, u32 flags, u32 n, u64 ns,
		bool queued)
{
	u32 total[BLOCK_BUCKETS] = {0}, queue[BLOCK_BUCKETS] = {0}, sizes[IO_SIZES] = {[3] = n};
	struct io_sample s = {
		.head.type = SAMPLE_IO,
		.device = d,
		.op = op,
		.flags = flags,
		.count = n,
		.bytes = n * 4096ULL,
		.ns = {n * ns, queued ? n * ns / 4 : 0},
		.known = {n, queued ? n : 0},
		.max_ns = {ns, queued ? ns / 4 : 0},
		.random = n,
		.sizes = sizes,
		.hist = {total, queued ? queue : NULL},
	};

	total[block__bucket(ns)] = n;
	queue[block__bucket(ns / 4)] = n;
	model_io.consume(m->model, &s.head);
}

static void put_proc(struct builder *m, u32 tgid, const char *comm, bool writeback, u64 inode,
		     enum io_op op, u64 count)
{
	struct io_proc_sample s = {
		.head.type = SAMPLE_IO_PROC,
		.device = vda(),
		.op = op,
		.tgid = tgid,
		.tid = tgid,
		.writeback = writeback,
		.kthread = writeback,
		.cgroup = 1,
		.inode = inode,
		.count = count,
		.bytes = count * 4096,
		.known = count,
		.ns = count * MS,
		.max_ns = 3 * MS,
	};

	copy_str(s.comm, sizeof(s.comm), comm);
	if (inode)
		copy_str(s.file, sizeof(s.file), "data.db");
	model_io.consume(m->model, &s.head);
}

static const struct io_snap *tick(struct builder *m)
{
	struct snap *s = model_io.tick(m->model, m->now_ns, m->now_ns + NSEC_PER_SEC);

	m->now_ns += NSEC_PER_SEC;
	return container_of(s, struct io_snap, base);
}

static struct io_result *ask(const struct io_snap *s, enum io_group group, bool joined,
			     const char *filter)
{
	struct io_query q = {.group = group, .window = WINDOW_LAST, .joined = joined};
	struct filter_error err;
	struct scope *scope = filter__parse(filter, &err);
	struct io_result *a = io__query(s, &q, scope);

	scope__put(scope);
	return a;
}

static struct value cell(const struct query_result *a, u32 row, const char *name)
{
	struct value v = {0};

	for (u32 i = 0; i < a->table.ncolumns; i++)
		if (!strcmp(a->table.columns[i].name, name) && a->table.cell(&a->table, row, i, &v))
			return v;
	return (struct value){0};
}

/* --- buckets --- */

static void buckets_are_narrow_and_meet(void **state)
{
	(void)state;
	for (u32 i = 0; i < BLOCK_BUCKETS; i++) {
		u64 lo = block__lo(i), hi = block__lo(i + 1);

		assert_true(hi > lo);
		assert_int_equal(block__bucket(lo), i);
		assert_int_equal(block__bucket(hi - 1), i);
		assert_true(lo < 4000 || hi - lo <= lo / 16);
	}
	for (u32 us = 1; us < 1u << 24; us *= 2)
		assert_int_equal(block__lo(block__bucket(us * 1000ULL)), us * 1000ULL);
	assert_int_equal(block__bucket(UINT64_MAX), BLOCK_BUCKETS - 1);
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

static void quantiles_are_those_of_the_sorted_values(void **state)
{
	static const double qs[] = {0.01, 0.1, 0.5, 0.9, 0.95, 0.99, 1};
	struct io_hist h = {0};
	u64 values[5000];

	for (u32 i = 0; i < ARRAY_SIZE(values); i++) {
		values[i] = 20000 + random_below(*state, 1u << (10 + random_below(*state, 14)));
		h.n[block__bucket(values[i])]++;
	}
	qsort(values, ARRAY_SIZE(values), sizeof(values[0]), by_value);
	for (u32 i = 0; i < ARRAY_SIZE(qs); i++) {
		u32 at = (u32)(qs[i] * (ARRAY_SIZE(values) - 1));
		u64 got = io_hist__quantile(&h, qs[i], values[ARRAY_SIZE(values) - 1]);

		assert_in_range(got, values[at] * 94 / 100, values[at] * 106 / 100);
	}
}

/* --- devices --- */

static void sums_of_the_windows(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;

	put(m, vda(), IO_READ, 0, 10, MS, true);
	snap__put(&tick(m)->base);
	put(m, vda(), IO_READ, 0, 4, 2 * MS, true);
	s = tick(m);
	assert_int_equal(s->nkinds, 1);
	assert_int_equal(s->kinds[0].sums[WINDOW_LAST].count, 4);
	assert_int_equal(s->kinds[0].sums[WINDOW_TOTAL].count, 14);
	assert_int_equal(s->kinds[0].sums[WINDOW_TOTAL].bytes, 14 * 4096);
	assert_in_range(s->kinds[0].sums[WINDOW_DECAY].count, 5, 14);
	assert_int_equal(s->kinds[0].sums[WINDOW_LAST].max_ns[IO_TOTAL], 2 * MS);
	assert_int_equal(s->kinds[0].sums[WINDOW_TOTAL].max_ns[IO_QUEUED], MS / 2);
	snap__put(&s->base);
}

/* Maxima are forgotten before counts have faded: what the counts tell is not cut to them. */
static void what_fades_keeps_its_times(void **state)
{
	struct builder *m = *state;
	struct io_query q = {.window = WINDOW_DECAY};
	const struct io_snap *s;
	struct io_result *a;

	put(m, vda(), IO_READ, 0, 2000, 5 * MS, true);
	put_proc(m, 10, "db", false, 77, IO_READ, 2000);
	for (u32 i = 0; i < 44; i++)
		snap__put(&tick(m)->base);
	s = tick(m);
	assert_int_equal(s->procs[0].sums[WINDOW_DECAY].max_ns, 0);
	a = io__query(s, &q, NULL);
	assert_int_equal(a->nrows, 1);
	assert_in_range(cell(&a->base, 0, "p50_ns").u, 5 * MS * 15 / 16, 5 * MS);
	assert_true(cell(&a->base, 0, "max_ns").u >= cell(&a->base, 0, "p99_ns").u);
	assert_true(a->sums.max_ns[IO_TOTAL] >= 5 * MS * 15 / 16);
	query_result__free(&a->base);
	q.group = IO_BY_PID;
	a = io__query(s, &q, NULL);
	assert_int_equal(cell(&a->base, 0, "max_ns").u, cell(&a->base, 0, "avg_ns").u);
	query_result__free(&a->base);
	snap__put(&s->base);
}

/* A flush has no size; of a time that is never known nothing is said. */
static void what_is_not_known_is_none(void **state)
{
	struct builder *m = *state;
	struct io_sample s = {
		.head.type = SAMPLE_IO, .device = vda(), .op = IO_FLUSH, .count = 3};
	const struct io_snap *snap;
	struct io_result *a;

	model_io.consume(m->model, &s.head);
	snap = tick(m);
	a = ask(snap, IO_BY_DEVICE, false, "");
	assert_int_equal(cell(&a->base, 0, "count").u, 3);
	assert_int_equal(cell(&a->base, 0, "p50_ns").type, VALUE_NONE);
	assert_int_equal(cell(&a->base, 0, "max_ns").type, VALUE_NONE);
	assert_int_equal(cell(&a->base, 0, "size_avg_bytes").type, VALUE_NONE);
	assert_int_equal(cell(&a->base, 0, "size_p50_bytes").type, VALUE_NONE);
	assert_int_equal(cell(&a->base, 0, "queue_avg_ns").type, VALUE_NONE);
	assert_string_equal(cell(&a->base, 0, "queue_avg").s, "unknown");
	query_result__free(&a->base);
	snap__put(&snap->base);
}

static void the_last_minutes_are_of_the_stage(void **state)
{
	struct builder *m = *state;
	struct io_query q = {.stage = IO_QUEUED, .minutes = true};
	const struct io_snap *s;
	struct io_result *a;

	put(m, vda(), IO_READ, 0, 6, 8 * MS, true);
	put(m, device(LOOP0, LOOP0, "loop0", "loop0"), IO_READ, 0, 3, MS, false);
	snap__put(&tick(m)->base);
	put(m, vda(), IO_WRITE, 0, 4, 8 * MS, true);
	s = tick(m);
	a = io__query(s, &q, NULL);
	assert_int_equal(a->heat->count, 10);
	assert_int_equal(a->heat->ntimes, 2);
	query_result__free(&a->base);
	q.by_dev = true;
	q.dev = LOOP0;
	q.stage = IO_TOTAL;
	a = io__query(s, &q, NULL);
	assert_int_equal(a->heat->count, 3);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void a_disk_has_its_partitions(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;
	struct io_result *a;
	u64 disk = 0, part = 0;

	put(m, vda(), IO_WRITE, 0, 5, MS, true);
	put(m, device(VDA1, VDA, "vda1", "vda"), IO_WRITE, 0, 7, MS, true);
	s = tick(m);
	a = ask(s, IO_BY_DEVICE, false, "");
	for (u32 i = 0; i < a->nrows; i++)
		*(a->rows[i].partition ? &part : &disk) += a->rows[i].sums.count;
	assert_int_equal(disk, 12);
	assert_int_equal(part, 7);
	assert_int_equal(a->sums.count, 12); /* once */
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void flags_are_apart_or_joined(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;
	struct io_result *a;

	put(m, vda(), IO_WRITE, IO_FLAG_SYNC, 5, MS, true);
	put(m, vda(), IO_WRITE, IO_FLAG_SYNC | IO_FLAG_META, 2, MS, true);
	put(m, vda(), IO_READ, 0, 1, MS, true);
	s = tick(m);
	a = ask(s, IO_BY_DEVICE, false, "");
	assert_int_equal(a->nrows, 3);
	assert_string_equal(cell(&a->base, 0, "flags").s, "sync");
	assert_string_equal(cell(&a->base, 1, "flags").s, "sync meta");
	assert_string_equal(cell(&a->base, 2, "op").s, "read");
	query_result__free(&a->base);
	a = ask(s, IO_BY_DEVICE, true, "");
	assert_int_equal(a->nrows, 2);
	assert_int_equal(cell(&a->base, 0, "count").u, 7);
	assert_int_equal(cell(&a->base, 0, "flags").type, VALUE_NONE);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void time_queued_is_not_invented(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;
	struct io_result *a;

	put(m, vda(), IO_READ, 0, 9, MS, true);
	put(m, device(LOOP0, LOOP0, "loop0", "loop0"), IO_READ, 0, 3, MS, false);
	s = tick(m);
	a = ask(s, IO_BY_DEVICE, false, "");
	assert_int_equal(cell(&a->base, 0, "queue_p50_ns").type, VALUE_NS);
	assert_in_range(cell(&a->base, 0, "queue_p50_ns").u, MS * 22 / 100, MS * 28 / 100);
	assert_int_equal(cell(&a->base, 1, "queue_p50_ns").type, VALUE_NONE);
	assert_string_equal(cell(&a->base, 1, "queued").s, "unknown");
	assert_int_equal(cell(&a->base, 1, "device_p50_ns").type, VALUE_NONE);
	assert_int_equal(cell(&a->base, 1, "max_ns").u, MS);
	assert_int_equal(cell(&a->base, 1, "size_p50_bytes").u, 4096);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void a_device_of_another_name_is_another(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;

	put(m, device(8u << 20, 8u << 20, "sda", "sda"), IO_READ, 0, 1, MS, false);
	put(m, device(8u << 20, 8u << 20, "sdb", "sdb"), IO_READ, 0, 1, MS, false);
	s = tick(m);
	assert_int_equal(s->nkinds, 2);
	snap__put(&s->base);
}

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
	assert_string_equal(cell(&a->base, 0, "comm").s, "[writeback]");
	assert_int_equal(cell(&a->base, 0, "pid").type, VALUE_NONE);
	assert_int_equal(cell(&a->base, 0, "count").u, 21);
	assert_int_equal(cell(&a->base, 1, "pid").u, 10);
	assert_int_equal(cell(&a->base, 1, "count").u, 8);
	assert_int_equal(cell(&a->base, 1, "avg_ns").u, MS);
	assert_int_equal(cell(&a->base, 1, "max_ns").u, 3 * MS);
	assert_int_equal(cell(&a->base, 1, "read_bytes").u, 5 * 4096);
	query_result__free(&a->base);
	a = ask(s, IO_BY_FILE, false, "");
	assert_int_equal(a->nrows, 2);
	assert_string_equal(cell(&a->base, 0, "file").s, "data.db");
	assert_int_equal(cell(&a->base, 0, "inode").u, 77);
	assert_int_equal(cell(&a->base, 0, "count").u, 26);
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
		.device = vda(),
		.op = IO_WRITE,
		.tgid = 10,
		.tid = 10,
		.writeback = true,
		.inode = 77,
		.count = 6,
		.bytes = 6 * 4096,
		.comm = "db",
	};
	const struct io_snap *snap;
	struct io_result *a;

	put_proc(m, 10, "db", false, 78, IO_WRITE, 3);
	put_proc(m, 900, "kworker/u4:1", true, 79, IO_WRITE, 1);
	model_io.consume(m->model, &s.head);
	snap = tick(m);
	a = ask(snap, IO_BY_PID, false, "");
	assert_int_equal(a->nrows, 2);
	assert_string_equal(cell(&a->base, 0, "comm").s, "db");
	assert_int_equal(cell(&a->base, 0, "pid").u, 10);
	assert_int_equal(cell(&a->base, 0, "write_bytes").u, 9 * 4096);
	assert_int_equal(cell(&a->base, 0, "writeback_bytes").u, 6 * 4096);
	assert_string_equal(cell(&a->base, 1, "comm").s, "[writeback]");
	assert_int_equal(cell(&a->base, 1, "writeback_bytes").u, 4096);
	query_result__free(&a->base);
	snap__put(&snap->base);
}

/* In which order samples come decides, not which name was seen first; what workers write for a
 * process says nothing new. */
static void a_process_has_its_newest_name(void **state)
{
	struct builder *m = *state;
	struct io_proc_sample s = {.head.type = SAMPLE_IO_PROC,
				   .device = vda(),
				   .op = IO_WRITE,
				   .tgid = 10,
				   .tid = 10,
				   .writeback = true,
				   .inode = 77,
				   .count = 6,
				   .comm = "oldest"};
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
		assert_string_equal(cell(&a->base, 0, "comm").s, names[i]);
		assert_int_equal(cell(&a->base, 0, "count").u, 8);
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
			sum += cell(&a->base, i, "count").u;
		assert_int_equal(sum, all);
		query_result__free(&a->base);
	}
	snap__put(&s->base);
}

static void forgotten_ones_are_summed_up(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s = NULL;
	u64 sum;

	for (u32 i = 0; i < 3; i++) {
		for (u32 k = 0; k < IO_MAX_PROCS / 2; k++)
			put_proc(m, 1 + i * IO_MAX_PROCS + k, "p", false, 0, IO_READ, 1);
		if (s)
			snap__put(&s->base);
		s = tick(m);
	}
	assert_true(s->nprocs <= IO_MAX_PROCS);
	sum = s->others[WINDOW_TOTAL].count;
	assert_true(sum > 0);
	for (u32 i = 0; i < s->nprocs; i++)
		sum += s->procs[i].sums[WINDOW_TOTAL].count;
	assert_int_equal(sum, 3 * IO_MAX_PROCS / 2);
	snap__put(&s->base);
}

/* --- slow ones --- */

static void put_slow(struct builder *m, u64 t_ns, u64 total_ns, u64 stack)
{
	struct io_slow_sample s = {.head.type = SAMPLE_IO_SLOW,
				   .device = vda(),
				   .op = IO_READ,
				   .tgid = 10,
				   .tid = 11,
				   .comm = "db",
				   .t_ns = t_ns,
				   .total_ns = total_ns,
				   .sector = total_ns,
				   .bytes = 4096,
				   .stack = stack};

	model_io.consume(m->model, &s.head);
}

static void the_slowest_come_first_with_their_stacks(void **state)
{
	struct builder *m = *state;
	u32 object = fake__object(m->symbols, "[kernel]", CODE_KERNEL);
	u32 func = fake__func(m->symbols, object, "submit_bio", 0);
	u64 ips[1] = {fake__loc(m->symbols, object, func, 16)};
	struct stack_def def = {
		.head.type = SAMPLE_STACK_DEF, .hash = 5, .nkernel = 1, .named = true, .ips = ips};
	struct io_slow_result *a;
	const struct io_snap *s;
	u64 key;

	model_io.consume(m->model, &def.head);
	for (u32 i = 1; i <= IO_MAX_SLOW + 100; i++)
		put_slow(m, m->now_ns + i, i * 1000, 5);
	s = tick(m);
	a = io__slow(s, &(struct io_slow_query){.dev = 0}, NULL);
	assert_int_equal(a->nrows, IO_MAX_SLOW);
	assert_int_equal(a->rows[0]->s.total_ns, (IO_MAX_SLOW + 100) * 1000);
	assert_int_equal(a->rows[IO_MAX_SLOW - 1]->s.total_ns, 101 * 1000);
	assert_int_equal(cell(&a->base, 0, "queued_ns").type, VALUE_NONE);
	assert_int_equal(cell(&a->base, 0, "stack").n, 1);
	assert_int_equal(cell(&a->base, 0, "outside_ns").type, VALUE_NONE);
	key = a->base.table.key(&a->base.table, 0);
	query_result__free(&a->base);
	a = io__slow(s,
		     &(struct io_slow_query){
			     .by_dev = true, .dev = VDA, .nunfolded = 1, .unfolded = {key}},
		     NULL);
	assert_int_equal(a->base.nnodes, 1);
	assert_string_equal(a->base.nodes[0].name, "submit_bio");
	query_result__free(&a->base);
	a = io__slow(s, &(struct io_slow_query){.by_dev = true, .dev = LOOP0}, NULL);
	assert_int_equal(a->nrows, 0);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void parts_sum_to_the_total(void **state)
{
	struct builder *m = *state;
	struct io_slow_sample s = {.head.type = SAMPLE_IO_SLOW,
				   .device = vda(),
				   .t_ns = m->now_ns + 1,
				   .total_ns = 26500000,
				   .queued_ns = 2750,
				   .device_ns = 54800};
	struct io_slow_result *a;
	const struct io_snap *snap;

	model_io.consume(m->model, &s.head);
	s.queued_ns = 0; /* without a scheduler */
	s.total_ns--;
	model_io.consume(m->model, &s.head);
	snap = tick(m);
	a = io__slow(snap, &(struct io_slow_query){.dev = 0}, NULL);
	assert_int_equal(cell(&a->base, 0, "outside_ns").u + 2750 + 54800, 26500000);
	assert_int_equal(cell(&a->base, 1, "outside_ns").u + 54800, 26499999);
	query_result__free(&a->base);
	snap__put(&snap->base);
}

/* --- sampled ones --- */

static void put_stack(struct builder *m, u32 tgid, u64 stack, u32 weight, u32 bytes, u64 ns)
{
	struct io_stack_sample s = {.head.type = SAMPLE_IO_STACK,
				    .device = vda(),
				    .tgid = tgid,
				    .comm = "db",
				    .weight = weight,
				    .bytes = bytes,
				    .total_ns = ns,
				    .stack = stack};

	model_io.consume(m->model, &s.head);
}

static void sampled_requests_stand_for_as_many_as_they_say(void **state)
{
	struct builder *m = *state;
	struct io_query q = {.window = WINDOW_LAST};
	const struct io_snap *s;

	put_stack(m, 10, 0, 1, 4096, MS);
	put_stack(m, 10, 0, 16, 512, 2 * MS);
	s = tick(m);
	assert_int_equal(s->nstacks, 1);
	assert_float_equal(s->stacks[0].sums[WINDOW_LAST].n[IO_WEIGHT_COUNT], 17, 0);
	assert_float_equal(s->stacks[0].sums[WINDOW_TOTAL].n[IO_WEIGHT_BYTES], 4096 + 16 * 512, 0);
	assert_float_equal(s->stacks[0].sums[WINDOW_LAST].n[IO_WEIGHT_NS], 33.0 * MS, 0);
	/* 100 * sqrt(16 * 15) / 17: more than there is */
	assert_float_equal(io__stacks_error(s, &q, NULL), 91.13, 0.01);
	q.by_dev = true;
	q.dev = LOOP0;
	assert_float_equal(io__stacks_error(s, &q, NULL), 0, 0);
	snap__put(&s->base);
	put_stack(m, 10, 0, 1, 4096, MS);
	s = tick(m);
	q.by_dev = false;
	assert_float_equal(io__stacks_error(s, &q, NULL), 0, 0);
	snap__put(&s->base);
}

/* What is random is taken from a known sequence: 4,000 requests of two kinds, a quarter of them in
 * the first, each with a chance of 1 in 16. */
static void the_error_that_is_said_is_that_of_shares(void **state)
{
	struct builder *m = *state;
	struct io_query q = {.window = WINDOW_LAST};
	u64 random = 1;
	u32 within = 0;

	for (u32 run = 0; run < 200; run++) {
		const struct io_snap *s;
		double first = 0, all = 0;

		for (u32 i = 0; i < 4000; i++) {
			random = mix64(random + i);
			if (!(random >> 60))
				put_stack(m, 10 + (i % 4 > 0), 0, 16, 4096, MS);
		}
		s = tick(m);
		for (u32 i = 0; i < s->nstacks; i++) {
			double n = s->stacks[i].sums[WINDOW_LAST].n[IO_WEIGHT_COUNT];

			all += n;
			first += s->stacks[i].tgid == 10 ? n : 0;
		}
		within += fabs(100 * first / all - 25) <= io__stacks_error(s, &q, NULL);
		snap__put(&s->base);
	}
	assert_true(within >= 190);
}

static void stacks_are_bounded_and_their_sums_stay(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;
	double all = 0;

	for (u32 i = 0; i < 2 * IO_MAX_STACKS; i++)
		put_stack(m, 1 + i, 0, 1, 4096, MS);
	s = tick(m);
	assert_true(s->nstacks <= IO_MAX_STACKS);
	for (u32 i = 0; i < s->nstacks; i++)
		all += s->stacks[i].sums[WINDOW_TOTAL].n[IO_WEIGHT_COUNT];
	assert_float_equal(all, 2 * IO_MAX_STACKS, 0);
	snap__put(&s->base);
}

static void a_row_without_a_stack_says_so(void **state)
{
	struct builder *m = *state;
	struct io_slow_query q = {.nunfolded = 1};
	const struct io_snap *s;
	struct io_slow_result *a;

	put_slow(m, m->now_ns, MS, 0);
	s = tick(m);
	a = io__slow(s, &q, NULL);
	assert_int_equal(a->base.nnodes, 0);
	q.unfolded[0] = a->base.table.key(&a->base.table, 0);
	query_result__free(&a->base);
	a = io__slow(s, &q, NULL);
	assert_int_equal(a->base.nnodes, 1);
	assert_non_null(strstr(a->base.nodes[0].name, "no stack"));
	assert_int_equal(cell(&a->base, 0, "stack").n, 0);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void shares_of_the_time_and_trends(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;
	struct io_result *a;
	struct value trend;

	put(m, vda(), IO_READ, 0, 30, MS, true);
	snap__put(&tick(m)->base);
	put(m, vda(), IO_READ, 0, 10, 3 * MS, true);
	put(m, vda(), IO_WRITE, 0, 1, 10 * MS, true);
	put_proc(m, 10, "db", false, 77, IO_READ, 10);
	s = tick(m);
	a = ask(s, IO_BY_DEVICE, false, "");
	assert_int_equal(a->nrows, 2);
	assert_float_equal(cell(&a->base, 0, "time_pct").f, 75, 1e-9);
	assert_float_equal(cell(&a->base, 1, "time_pct").f, 25, 1e-9);
	trend = cell(&a->base, 0, "trend");
	assert_int_equal(trend.n, TREND_LEN);
	assert_float_equal(trend.trend[TREND_LEN - 1], 10, 1e-3);
	assert_float_equal(trend.trend[TREND_LEN - 2], 30, 1e-3);
	assert_float_equal(trend.trend[TREND_LEN - 3], 0, 1e-3);
	query_result__free(&a->base);
	a = ask(s, IO_BY_PID, false, "");
	assert_float_equal(cell(&a->base, 0, "time_pct").f, 25, 1e-9);
	query_result__free(&a->base);
	snap__put(&s->base);
}

static void zero_forgets_it_all(void **state)
{
	struct builder *m = *state;
	const struct io_snap *s;

	put(m, vda(), IO_READ, 0, 10, MS, true);
	put_proc(m, 10, "db", false, 77, IO_READ, 5);
	put_slow(m, m->now_ns, MS, 0);
	snap__put(&tick(m)->base);
	model_io.zero(m->model);
	s = tick(m);
	assert_int_equal(s->nkinds + s->nprocs + s->nslow, 0);
	assert_int_equal(s->heat.n, 1);
	snap__put(&s->base);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

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
	assert_true(cell(&a->base, 0, "ended").u);
	assert_string_equal(cell(&a->base, 0, "end").s, "ended");
	query_result__free(&a->base);
	snap__put(&s->base);
	put_life(m, PROC_FORK, 5);
	put_proc(m, 5, "dd", false, 0, IO_READ, 40);
	s = tick(m);
	a = ask(s, IO_BY_PID, false, "");
	assert_int_equal(a->nrows, 1);
	assert_int_equal(cell(&a->base, 0, "count").u, 40);
	assert_false(cell(&a->base, 0, "ended").u);
	query_result__free(&a->base);
	a = io__query(s, &(struct io_query){.group = IO_BY_PID, .window = WINDOW_TOTAL}, NULL);
	assert_int_equal(a->nrows, 2);
	assert_int_equal(cell(&a->base, 0, "count").u, 40);
	assert_int_equal(cell(&a->base, 1, "count").u, 30);
	assert_true(cell(&a->base, 1, "ended").u);
	query_result__free(&a->base);
	snap__put(&s->base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(buckets_are_narrow_and_meet),
		TEST(quantiles_are_those_of_the_sorted_values),
		TEST(sums_of_the_windows),
		TEST(what_fades_keeps_its_times),
		TEST(what_is_not_known_is_none),
		TEST(the_last_minutes_are_of_the_stage),
		TEST(a_disk_has_its_partitions),
		TEST(flags_are_apart_or_joined),
		TEST(time_queued_is_not_invented),
		TEST(a_device_of_another_name_is_another),
		TEST(processes_and_writeback),
		TEST(writeback_is_of_who_dirtied),
		TEST(a_process_has_its_newest_name),
		TEST(a_pid_that_is_used_again_is_another_row),
		TEST(totals_are_the_same_in_all_groupings),
		TEST(forgotten_ones_are_summed_up),
		TEST(the_slowest_come_first_with_their_stacks),
		TEST(parts_sum_to_the_total),
		TEST(sampled_requests_stand_for_as_many_as_they_say),
		TEST(the_error_that_is_said_is_that_of_shares),
		TEST(stacks_are_bounded_and_their_sums_stay),
		TEST(a_row_without_a_stack_says_so),
		TEST(shares_of_the_time_and_trends),
		TEST(zero_forgets_it_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
