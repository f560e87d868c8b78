// SPDX-License-Identifier: GPL-2.0-only
/* The heat maps of each model: which counts are of which kind and part, and what a cell lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "models/asked.h"
#include "models/cache.h"
#include "models/heat.h"
#include "models/io.h"
#include "models/model.h"
#include "models/sched.h"
#include "models/waits.h"
#include "tests/lib/fake_symbols.h"

#define MS   NSEC_PER_MSEC
#define S    NSEC_PER_SEC
#define VDA  (254u << 20)
#define VDA1 (VDA | 1)
#define VDB  (253u << 20)

struct builder {
	const struct model_ops *ops;
	struct symbols *symbols;
	struct model *model;
	const struct heat_source *source;
	u64 now_ns;
	struct frame frame;
};

static struct builder *begin(const struct model_ops *ops, const struct heat_source *source)
{
	static struct builder m;

	m = (struct builder){
		.ops = ops, .source = source, .symbols = fake_symbols__new(), .now_ns = 1000 * S};
	m.model = ops->new (m.symbols);
	return &m;
}

static void put(struct builder *m, const struct sample *s)
{
	m->ops->consume(m->model, s);
}

static void tick(struct builder *m)
{
	const struct snap **snap = &m->frame.snaps[m->source->model];

	snap__put(*snap);
	*snap = m->ops->tick(m->model, m->now_ns, m->now_ns + S);
	m->now_ns += S;
}

static void end(struct builder *m)
{
	snap__put(m->frame.snaps[m->source->model]);
	m->ops->free(m->model);
	fake_symbols__free(m->symbols);
}

/* Of a kind and part: all that is counted, and that in the row of a duration. */
struct counted {
	u64 all, there;
};

static struct counted count(const struct builder *m, const void *query, u32 kind, u32 part, u64 ns)
{
	struct counted c = {0};
	struct heat_result *a;
	struct heat_query q;

	heat_query__init(&q, m->source, query);
	q.kind = kind;
	q.part = part;
	a = heat__query(&m->frame, &q);
	c.all = a->count;
	for (u32 t = 0; t < a->ntimes; t++)
		for (u32 i = 0; i < a->times[t].n; i++) {
			const struct heat_bin *b = &a->bins[a->times[t].first + i];

			if (ns >= m->source->lo(b->bucket) && ns < m->source->lo(b->bucket + 1))
				c.there += b->n;
		}
	query_result__free(&a->base);
	return c;
}

/* --- io --- */

static void put_io(struct builder *m, u32 dev, u32 disk, const char *name, enum io_op op, u32 flags,
		   u32 n, u64 ns)
{
	u32 total[BLOCK_BUCKETS] = {0}, device[BLOCK_BUCKETS] = {0};
	struct io_sample s = {.head.type = SAMPLE_IO,
			      .device = {.dev = dev, .disk = disk},
			      .op = op,
			      .flags = flags,
			      .count = n,
			      .hist = {[IO_TOTAL] = total, [IO_DEVICE] = device}};

	copy_str(s.device.name, sizeof(s.device.name), name);
	copy_str(s.device.disk_name, sizeof(s.device.disk_name), disk == VDA ? "vda" : "vdb");
	total[block__bucket(ns)] = n;
	device[block__bucket(ns / 2)] = n;
	put(m, &s.head);
}

static void devices_and_operations_are_parts(void **state)
{
	struct builder *m = begin(&model_io, &heat_io);
	struct io_query q = {0}, of_vda1 = {.by_dev = true, .dev = VDA1};
	u32 parts[HEAT_MAX_PARTS], n;
	char name[HEAT_PART_NAME];

	put_io(m, VDA, VDA, "vda", IO_READ, 0, 10, MS);
	put_io(m, VDA1, VDA, "vda1", IO_READ, 0, 3, 8 * MS);
	put_io(m, VDA, VDA, "vda", IO_WRITE, IO_FLAG_SYNC, 5, MS);
	put_io(m, VDA, VDA, "vda", IO_WRITE, 0, 2, MS);
	put_io(m, VDB, VDB, "vdb", IO_READ, 0, 100, 30 * MS);
	tick(m);
	/* a partition's are its disk's, once */
	assert_int_equal(count(m, &q, IO_TOTAL, 0, MS).all, 120);
	assert_int_equal(count(m, &q, IO_TOTAL, 0, MS).there, 17);
	assert_int_equal(count(m, &q, IO_DEVICE, 0, 15 * MS).there, 100);
	assert_int_equal(count(m, &q, IO_QUEUED, 0, MS).all, 0);
	assert_int_equal(count(m, &of_vda1, IO_TOTAL, 0, MS).all, 3);
	n = heat_io.parts(m->frame.snaps[MODEL_IO], &q, parts);
	assert_int_equal(n, 4); /* vda read, vda1 read, vda write of any flags, vdb read */
	for (u32 i = 0; i < n; i++) {
		heat_io.part_name(m->frame.snaps[MODEL_IO], parts[i], name, sizeof(name));
		assert_int_equal(count(m, &q, IO_TOTAL, parts[i], 0).all,
				 !strcmp(name, "vda read")    ? 13
				 : !strcmp(name, "vda1 read") ? 3
				 : !strcmp(name, "vda write") ? 7
							      : 100);
	}
	assert_int_equal(heat_io.parts(m->frame.snaps[MODEL_IO], &of_vda1, parts), 1);
	/* what a part is stays, whatever is forgotten */
	m->ops->zero(m->model);
	put_io(m, VDB, VDB, "vdb", IO_READ, 0, 1, MS);
	tick(m);
	heat_io.part_name(m->frame.snaps[MODEL_IO], 1, name, sizeof(name));
	assert_string_equal(name, "vda read");
	assert_int_equal(count(m, &q, IO_TOTAL, 0, MS).all, 1);
	end(m);
}

static void put_slow(struct builder *m, u32 dev, enum io_op op, u64 t_ns, u64 total, u64 device)
{
	struct io_slow_sample s = {.head.type = SAMPLE_IO_SLOW,
				   .who = {.device = {.dev = dev, .disk = dev}, .op = op,
					   .tgid = 7, .tid = 7},
				   .t_ns = t_ns,
				   .total_ns = total,
				   .device_ns = device};

	put(m, &s.head);
}

static u32 slow_ones(const struct builder *m, const struct io_slow_query *q)
{
	struct io_slow_result *a = io__slow((const void *)m->frame.snaps[MODEL_IO], q, NULL);
	u32 n = a->nrows;

	query_result__free(&a->base);
	return n;
}

static void a_cell_lists_its_requests(void **state)
{
	struct builder *m = begin(&model_io, &heat_io);
	struct io_slow_query q = {.range = {1000 * S, 1001 * S, 8 * MS, 16 * MS}};

	put_slow(m, VDA, IO_READ, 1000 * S, 8 * MS, 4 * MS);
	put_slow(m, VDA, IO_WRITE, 1000 * S + 1, 16 * MS - 1, 9 * MS);
	put_slow(m, VDB, IO_READ, 1001 * S - 1, 12 * MS, 2 * MS);
	put_slow(m, VDA, IO_READ, 1000 * S + 1, 16 * MS, 15 * MS);
	put_slow(m, VDA, IO_READ, 1001 * S, 9 * MS, 9 * MS);
	m->now_ns += S;
	tick(m);
	assert_int_equal(slow_ones(m, &q), 3);
	q.stage = IO_DEVICE;
	assert_int_equal(slow_ones(m, &q), 2);
	q.stage = IO_TOTAL;
	q.by_op = true;
	assert_int_equal(slow_ones(m, &q), 2);
	q.by_dev = true;
	q.dev = VDB;
	assert_int_equal(slow_ones(m, &q), 1);
	end(m);
}

/* --- sched --- */

static void delays_runs_and_sleeps_are_kinds(void **state)
{
	struct builder *m = begin(&model_sched, &heat_sched);
	u32 delay[HIST_BUCKETS] = {0}, on[HIST_BUCKETS] = {0};
	struct task_sample s = {.head.type = SAMPLE_TASK,
				.task = {.tgid = 7, .tid = 7, .comm = "t"},
				.delay_hist = delay,
				.on_hist = on};
	struct sched_query q = {0};

	delay[hist__bucket(MS)] = 4;
	on[hist__bucket(20 * MS)] = 9;
	put(m, &s.head);
	s.task.tid = 8;
	put(m, &s.head);
	tick(m);
	s.on_hist = NULL;
	put(m, &s.head);
	tick(m);
	assert_int_equal(count(m, &q, SCHED_DELAY, 0, MS).there, 12);
	assert_int_equal(count(m, &q, SCHED_DELAY, 0, MS).all, 12);
	assert_int_equal(count(m, &q, SCHED_ON, 0, 20 * MS).there, 18);
	assert_int_equal(count(m, &q, SCHED_OFF, 0, MS).all, 0);
	end(m);
}

static void a_cell_lists_its_delays(void **state)
{
	struct builder *m = begin(&model_sched, &heat_sched);
	struct sched_delays_query q = {.range = {1000 * S, 1001 * S, MS, 2 * MS}};
	struct sched_delays_result *a;

	for (u32 i = 0; i < 5; i++) {
		struct delay_sample d = {.head.type = SAMPLE_DELAY,
					 .task = {.tgid = 7, .tid = 7, .comm = "t"},
					 .t_ns = 1000 * S + i,
					 .delay_ns = i * MS};

		put(m, &d.head);
	}
	m->now_ns += S;
	tick(m);
	a = sched__delays((const void *)m->frame.snaps[MODEL_SCHED], &q, NULL);
	assert_int_equal(a->nrows, 1);
	assert_int_equal(a->rows[0]->delay_ns, MS);
	query_result__free(&a->base);
	end(m);
}

/* --- offcpu --- */

static void put_wait(struct builder *m, u32 tid, enum task_state state, u32 n, u64 ns)
{
	u32 hist[HIST_OCTAVES] = {0};
	struct wait_sample s = {.head.type = SAMPLE_WAIT,
				.task = {.tgid = 7, .tid = tid, .comm = "t"},
				.state = state,
				.syscall = WAIT_NO_SYSCALL,
				.count = n,
				.off_ns = n * ns,
				.full_ns = n * ns,
				.max_ns = ns,
				.hist = hist};

	hist[hist__octave(ns)] = n;
	put(m, &s.head);
}

static void states_are_kinds_of_waits(void **state)
{
	struct builder *m = begin(&model_waits, &heat_waits);
	struct waits_query q = {.groups = WAITS_BIT(WAITS_BY_TID)};

	put_wait(m, 8, TASK_STATE_SLEEP, 5, MS);
	put_wait(m, 9, TASK_STATE_DISK, 3, 3 * MS);
	put_wait(m, 10, TASK_STATE_RUNNABLE, 2, MS);
	put_wait(m, 11, TASK_STATE_IDLE, 100, MS); /* a worker of the kernel has nothing to do */
	tick(m);
	assert_int_equal(count(m, &q, 0, 0, MS).all, 10);
	assert_int_equal(count(m, &q, 0, 0, MS).there, 7);
	assert_int_equal(count(m, &q, 1, 0, 3 * MS).there, 3);
	assert_int_equal(count(m, &q, 2, 0, MS).all, 5);
	assert_int_equal(count(m, &q, 3, 0, MS).all, 2);
	end(m);
}

static void a_cell_lists_waits_by_their_longest(void **state)
{
	struct builder *m = begin(&model_waits, &heat_waits);
	struct waits_query q = {.groups = WAITS_BIT(WAITS_BY_TID), .idle = true};
	struct waits_result *a;

	put_wait(m, 8, TASK_STATE_DISK, 5, MS);
	put_wait(m, 8, TASK_STATE_DISK, 1, 30 * MS);
	put_wait(m, 9, TASK_STATE_DISK, 3, 2 * MS);
	tick(m);
	a = waits__query((const void *)m->frame.snaps[MODEL_WAITS], &q, NULL);
	assert_int_equal(a->nrows, 2);
	query_result__free(&a->base);
	q.longest_lo_ns = MS;
	q.longest_hi_ns = 4 * MS;
	a = waits__query((const void *)m->frame.snaps[MODEL_WAITS], &q, NULL);
	assert_int_equal(a->nrows, 1);
	assert_int_equal(a->rows[0].entry->task.tid, 9);
	query_result__free(&a->base);
	end(m);
}

/* --- cache --- */

static void ages_of_what_was_read_ahead(void **state)
{
	struct builder *m = begin(&model_cache, &heat_cache);
	u32 ages[CACHE_AGES] = {[3] = 5, [11] = 7};
	struct cache_totals_sample s = {.head.type = SAMPLE_CACHE_TOTALS, .ages = ages};
	struct cache_query q = {0};

	put(m, &s.head);
	tick(m);
	for (u32 i = 0; i < CACHE_AGES; i++)
		assert_int_equal(heat_cache.lo(i), cache__age_lo(i));
	assert_int_equal(count(m, &q, 0, 0, cache__age_lo(11)).there, 7);
	assert_int_equal(count(m, &q, 0, 0, 0).all, 12);
	end(m);
}

/* --- questions --- */

static void ask(struct builder *m, u32 index, const char *text)
{
	struct ask_sample turn = {.head.type = SAMPLE_ASK, .index = index, .n = 2};
	struct ask_form *f = &turn.form;

	copy_str(f->text, sizeof(f->text), text);
	copy_str(f->event, sizeof(f->event), "a");
	copy_str(f->noun, sizeof(f->noun), "spans");
	f->kind = ASK_PAIRS;
	f->shape = MEASURE_SHAPE_SPAN;
	f->nlabels = 1;
	copy_str(f->labels[0].name, sizeof(f->labels[0].name), "pair");
	f->labels[0].bits = 64;
	f->by = 1;
	put(m, &turn.head);
}

static void put_spans(struct builder *m, const char *key, u32 n, u64 ns)
{
	const struct measure_key keys[] = {{hash_bytes(key, strlen(key)), key}};
	u32 hist[MEASURE_BUCKETS] = {0};
	struct measure_sample s = {.head.type = SAMPLE_MEASURE,
				   .keys = keys,
				   .nkeys = 1,
				   .count = n,
				   .sum = n * ns,
				   .min = ns,
				   .max = ns,
				   .hist = hist,
				   .who = {.tgid = 7, .tid = 7, .comm = "t"}};

	hist[loglin__bucket(ns >> MEASURE_NS_SHIFT, MEASURE_SUB_SHIFT, MEASURE_BUCKETS)] = n;
	put(m, &s.head);
}

/* A map is of the question that its query names, whatever else is asked; keys are parts of it. */
static void spans_of_one_question(void **state)
{
	struct builder *m = begin(&model_pairs, &heat_pairs);
	struct measure_query q = {0};
	const struct asked_snap *s;

	ask(m, 0, "span a -> b by key");
	put_spans(m, "one", 5, MS);
	put_spans(m, "two", 3, 20 * MS);
	ask(m, 1, "span c -> d");
	put_spans(m, "one", 100, MS);
	tick(m);
	s = container_of(m->frame.snaps[MODEL_PAIRS], struct asked_snap, base);
	q.asked = s->questions[0]->measure;
	assert_int_equal(count(m, &q, 0, 0, MS).all, 8);
	assert_int_equal(count(m, &q, 0, 0, MS).there, 5);
	assert_int_equal(count(m, &q, 0, 2, 20 * MS).there, 3);
	q.asked = s->questions[1]->measure;
	assert_int_equal(count(m, &q, 0, 0, MS).there, 100);
	q.asked = measure_table[MEASURE_SYSCALLS]; /* not asked any more */
	assert_int_equal(count(m, &q, 0, 0, MS).all, 0);
	end(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(devices_and_operations_are_parts),
		cmocka_unit_test(a_cell_lists_its_requests),
		cmocka_unit_test(delays_runs_and_sleeps_are_kinds),
		cmocka_unit_test(a_cell_lists_its_delays),
		cmocka_unit_test(states_are_kinds_of_waits),
		cmocka_unit_test(a_cell_lists_waits_by_their_longest),
		cmocka_unit_test(ages_of_what_was_read_ahead),
		cmocka_unit_test(spans_of_one_question),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
