// SPDX-License-Identifier: GPL-2.0-only
/* Random streams through the windows of the models: no mean and no quantile is above the greatest,
 * and the greatest is none that was not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "models/io.h"
#include "models/model.h"
#include "models/sched.h"
#include "models/waits.h"
#include "tests/lib/fake_symbols.h"

struct stream {
	struct symbols *symbols;
	const struct model_ops *ops;
	struct model *model;
	u64 now_ns, seed, greatest; /* of all */
};

static u64 random_below(struct stream *s, u64 below)
{
	s->seed = mix64(s->seed + 0x9e3779b97f4a7c15ULL);
	return s->seed % below;
}

/* Bursts of very many, few, and none for a long time; of any length. */
static u64 random_count(struct stream *s)
{
	switch (random_below(s, 5)) {
	case 0:
		return 1 + random_below(s, 2000000);
	case 1:
		return 0;
	default:
		return 1 + random_below(s, 3);
	}
}

static u64 random_ns(struct stream *s)
{
	return 300 + random_below(s, 1ULL << (10 + random_below(s, 20)));
}

static const struct snap *tick(struct stream *s)
{
	u64 ms = random_below(s, 8) ? 100 + random_below(s, 2000) : random_below(s, 60000);
	struct snap *snap = s->ops->tick(s->model, s->now_ns, s->now_ns + ms * NSEC_PER_MSEC);

	s->now_ns += ms * NSEC_PER_MSEC;
	return snap;
}

static void begin(struct stream *s, const struct model_ops *ops, u64 seed)
{
	*s = (struct stream){
		.symbols = fake_symbols__new(), .ops = ops, .now_ns = NSEC_PER_SEC, .seed = seed};
	s->model = ops->new (s->symbols);
}

static void end(struct stream *s)
{
	s->ops->free(s->model);
	fake_symbols__free(s->symbols);
}

static u64 cell_of(const struct query_result *a, u32 row, const char *name)
{
	struct value v = {0};

	for (u32 i = 0; i < a->table.ncolumns; i++)
		if (a->table.columns[i].name && !strcmp(a->table.columns[i].name, name))
			assert_true(a->table.cell(&a->table, row, i, &v));
	return v.type == VALUE_NONE ? 0 : v.u;
}

/* names: NULL-terminated, the greatest first. */
static void check(const struct stream *s, const struct query_result *a, const char *const *names)
{
	for (u32 row = 0; row < a->table.nrows; row++) {
		u64 max = cell_of(a, row, names[0]);

		assert_true(max <= s->greatest);
		for (u32 i = 1; names[i]; i++)
			assert_true(cell_of(a, row, names[i]) <= max);
	}
}

/* --- io --- */

static void put_io(struct stream *s)
{
	static const char names[2][4] = {"vda", "vdb"};
	u64 n = random_count(s), left = n;
	u32 hist[BLOCK_BUCKETS] = {0}, dev = (u32)random_below(s, 2);
	struct io_sample d = {.head.type = SAMPLE_IO, .count = n, .bytes = n * 4096};
	struct io_proc_sample p = {.head.type = SAMPLE_IO_PROC, .count = n, .known = n};

	while (left) {
		u64 ns = random_ns(s), part = 1 + random_below(s, n);

		part = MIN(part, left);
		left -= part;
		hist[block__bucket(ns)] += (u32)part;
		d.ns[IO_TOTAL] += ns * part;
		d.max_ns[IO_TOTAL] = MAX(d.max_ns[IO_TOTAL], ns);
	}
	s->greatest = MAX(s->greatest, d.max_ns[IO_TOTAL]);
	d.known[IO_TOTAL] = n;
	d.hist[IO_TOTAL] = hist;
	d.device = (struct io_device){.dev = dev + 1, .disk = dev + 1};
	memcpy(d.device.name, names[dev], sizeof(names[dev]));
	p.who.device = d.device;
	p.who.tgid = p.who.tid = 1 + (u32)random_below(s, 3);
	p.ns = d.ns[IO_TOTAL];
	p.max_ns = d.max_ns[IO_TOTAL];
	s->ops->consume(s->model, &d.head);
	s->ops->consume(s->model, &p.head);
}

static void check_io(const struct stream *s, const struct snap *snap, enum time_window w)
{
	static const char *const devices[] = {"max_ns", "p99_ns", "p50_ns",
					      "p1_ns",	"avg_ns", NULL};
	static const char *const procs[] = {"max_ns", "avg_ns", NULL};

	for (u32 g = 0; g < IO_GROUPS; g++) {
		struct io_query q = {.group = g, .window = w};
		struct io_result *a = io__query(container_of(snap, struct io_snap, base), &q, NULL);

		check(s, &a->base, g == IO_BY_DEVICE ? devices : procs);
		query_result__free(&a->base);
	}
}

/* --- sched --- */

static void put_sched(struct stream *s)
{
	u32 hist[2][HIST_BUCKETS] = {0}, tid = 1 + (u32)random_below(s, 3);
	struct task_sample t = {.head.type = SAMPLE_TASK,
				.task = {.tgid = tid, .tid = tid, .start_ns = tid, .comm = "t"},
				.delay_hist = hist[0],
				.on_hist = hist[1]};

	t.state_ns[TASK_STATE_RUNNING] = 1000;
	t.runs = t.delays = random_count(s);
	for (u32 i = 0; i < t.runs; i += 1 + (u32)(t.runs / 8)) {
		u64 wait = random_ns(s), run = random_ns(s);

		hist[0][hist__bucket(wait)] += 1 + (u32)(t.runs / 8);
		hist[1][hist__bucket(run)] += 1 + (u32)(t.runs / 8);
		t.delay_max_ns = MAX(t.delay_max_ns, wait);
		t.run_max_ns = MAX(t.run_max_ns, run);
	}
	s->greatest = MAX(s->greatest, MAX(t.delay_max_ns, t.run_max_ns));
	s->ops->consume(s->model, &t.head);
}

static void check_sched(const struct stream *s, const struct snap *snap, enum time_window w)
{
	static const char *const waits[] = {"wait_max_ns", "wait_p99_ns", "wait_p50_ns", NULL};
	static const char *const runs[] = {"run_max_ns", "on_p99_ns", "on_p50_ns", NULL};

	for (u32 g = 0; g < SCHED_BY_CPU; g++) {
		struct sched_query q = {.group = g, .window = w, .all = true};
		struct sched_result *a =
			sched__query(container_of(snap, struct sched_snap, base), &q, NULL);

		check(s, &a->base, waits);
		check(s, &a->base, runs);
		query_result__free(&a->base);
	}
}

/* --- waits --- */

static void put_waits(struct stream *s)
{
	u32 tid = 1 + (u32)random_below(s, 3);
	struct wait_sample w = {.head.type = SAMPLE_WAIT,
				.task = {.tgid = tid, .tid = tid, .start_ns = tid, .comm = "t"},
				.state = TASK_STATE_SLEEP,
				.count = random_count(s)};

	if (!w.count)
		return;
	w.max_ns = random_ns(s);
	w.off_ns = w.full_ns = w.max_ns + (w.count - 1) * random_below(s, w.max_ns);
	s->greatest = MAX(s->greatest, w.max_ns);
	s->ops->consume(s->model, &w.head);
}

static void check_waits(const struct stream *s, const struct snap *snap, enum time_window w)
{
	static const char *const names[] = {"max_ns", "avg_ns", NULL};
	struct waits_query q = {.window = w, .groups = WAITS_BIT(WAITS_BY_TID)};
	struct waits_result *a =
		waits__query(container_of(snap, struct waits_snap, base), &q, NULL);

	check(s, &a->base, names);
	query_result__free(&a->base);
}

/* --- all --- */

static void run(const struct model_ops *ops, void (*put)(struct stream *s),
		void (*look)(const struct stream *s, const struct snap *snap, enum time_window w))
{
	for (u64 seed = 1; seed <= 20; seed++) {
		struct stream s;

		begin(&s, ops, seed);
		for (u32 i = 0; i < 60; i++) {
			const struct snap *snap;

			for (u64 n = random_below(&s, 4); n; n--)
				put(&s);
			snap = tick(&s);
			for (u32 w = 0; w < WINDOWS; w++)
				look(&s, snap, w);
			snap__put(snap);
		}
		end(&s);
	}
}

static void io_stays_below_its_greatest(void **state)
{
	run(&model_io, put_io, check_io);
}

static void sched_stays_below_its_greatest(void **state)
{
	run(&model_sched, put_sched, check_sched);
}

static void waits_stay_below_their_greatest(void **state)
{
	run(&model_waits, put_waits, check_waits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(io_stays_below_its_greatest),
		cmocka_unit_test(sched_stays_below_its_greatest),
		cmocka_unit_test(waits_stay_below_their_greatest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
