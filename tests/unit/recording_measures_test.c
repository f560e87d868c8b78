// SPDX-License-Identifier: GPL-2.0-only
/* Recordings of measures: each field of their samples comes back as it was. */
#include "tests/unit/recording_seen.h"

#define SYSCALLS (1ULL << MODEL_SYSCALLS)

static const struct measure_who someone = {.start_ns = 123456789,
					   .process_ns = 123456000,
					   .cgroup = 4711,
					   .tgid = 100,
					   .tid = 101,
					   .comm = "worker",
					   .process = "server"};

static u32 hist_of_three[MEASURE_BUCKETS], hist_of_ages[MEASURE_BUCKETS];

static void put_measure(struct builder *m)
{
	const struct measure_key keys[] = {
		{3ULL << 40, "openat"}, {ENOENT, "ENOENT"}, {77, "/a path/that is; not there"}};
	struct measure_sample cell = {.head.type = SAMPLE_MEASURE,
				      .sampled = true,
				      .waits = true,
				      .who = someone,
				      .keys = keys,
				      .nkeys = 3,
				      .stack = builder__stack(m, 2),
				      .count = 3,
				      .errors = 2,
				      .sum = 1ULL << 60,
				      .min = 1,
				      .max = UINT64_MAX,
				      .sums = {5, 6, 7, 8, 9, 10, 11, 12, 13},
				      .hist = hist_of_three};
	struct measure_sample rest = {
		.head.type = SAMPLE_MEASURE, .rest = true, .count = 9, .sum = 10, .min = 1, .max = 2};
	struct measure_open_sample open = {.head.type = SAMPLE_MEASURE_OPEN,
					   .who = someone,
					   .keys = keys,
					   .nkeys = 1,
					   .begin_ns = MAKER_T0 - 5};
	const struct measure_moment moments[] = {
		{.t_ns = MAKER_T0 + 50, .kind = MOMENT_OUT, .value = 2, .tid = 3, .cpu = 1,
		 .stack = cell.stack, .event = "", .field = "state"},
		{.t_ns = MAKER_T0 + 60, .kind = MOMENT_EVENT, .value = (u64)-2, .is_signed = true, .tid = 4,
		 .cpu = 7, .event = "sys:exit", .field = "ret"}};
	struct measure_slow_sample slow = {.head.type = SAMPLE_MEASURE_SLOW,
					   .waits = true,
					   .who = someone,
					   .keys = keys,
					   .nkeys = 2,
					   .cpu = 7,
					   .t_ns = MAKER_T0 + 99,
					   .ns = 12345678,
					   .stack = cell.stack,
					   .text = "openat(-1, \"x\") = -1 ENOENT",
					   .timed = true,
					   .moments = moments,
					   .nmoments = 2,
					   .dropped = 1000};

	struct measure_held_sample held = {.head.type = SAMPLE_MEASURE_HELD,
					   .who = someone,
					   .keys = keys,
					   .nkeys = 3,
					   .stack = cell.stack,
					   .held = 5,
					   .held_bytes = 1ULL << 50,
					   .begin_ns = MAKER_T0 - 77,
					   .acquired = 7,
					   .acquired_bytes = 1ULL << 51,
					   .released = 2,
					   .released_bytes = 200,
					   .hist = hist_of_ages};

	const struct measure_key fields[] = {{0, "/a/path"}, {(u64)-2, ""}, {0, ""}, {7, ""}, {8, ""}, {9, ""}};
	struct ask_line_sample line = {.head.type = SAMPLE_ASK_LINE,
				       .t_ns = MAKER_T0 + 55,
				       .lost = 3,
				       .cpu = 6,
				       .who = someone,
				       .event = "a:b",
				       .stack = cell.stack,
				       .values = fields,
				       .nvalues = 6,
				       .has = 0x3b};

	struct measure_order_sample order = {.head.type = SAMPLE_MEASURE_ORDER,
					     .keys = keys,
					     .nkeys = 2,
					     .who = someone,
					     .t_ns = MAKER_T0 + 66,
					     .stack = cell.stack,
					     .where = "commit",
					     .exact = true,
					     .by_several = true,
					     .second_read = true,
					     .count = 77};

	struct measure_levels_sample levels = {.head.type = SAMPLE_MEASURE_LEVELS,
					       .v = {1, 1ULL << 40, 0, 4}};

	hist_of_ages[9] = 5;
	hist_of_three[0] = 1;
	hist_of_three[MEASURE_BUCKETS - 1] = 2;
	builder__put(m, SYSCALLS, &cell.head);
	builder__put(m, SYSCALLS, &rest.head);
	builder__put(m, SYSCALLS, &open.head);
	builder__put(m, SYSCALLS, &slow.head);
	builder__put(m, SYSCALLS, &held.head);
	builder__put(m, SYSCALLS, &line.head);
	builder__put(m, SYSCALLS, &order.head);
	builder__put(m, SYSCALLS, &levels.head);
}

static void same_who(const struct measure_who *w)
{
	assert_int_equal(w->start_ns, someone.start_ns);
	assert_int_equal(w->process_ns, someone.process_ns);
	assert_int_equal(w->cgroup, someone.cgroup);
	assert_int_equal(w->tgid, someone.tgid);
	assert_int_equal(w->tid, someone.tid);
	assert_string_equal(w->comm, someone.comm);
	assert_string_equal(w->process, someone.process);
}

static void same_cell(const struct measure_sample *s)
{
	static const char *const texts[] = {"openat", "ENOENT", "/a path/that is; not there"};

	same_who(&s->who);
	assert_true(s->sampled && s->waits && !s->rest);
	assert_int_equal(s->nkeys, 3);
	for (u32 i = 0; i < 3; i++)
		assert_string_equal(s->keys[i].text, texts[i]);
	assert_int_equal(s->keys[0].value, 3ULL << 40);
	assert_int_equal(s->count, 3);
	assert_int_equal(s->errors, 2);
	assert_int_equal(s->sum, 1ULL << 60);
	assert_int_equal(s->min, 1);
	assert_int_equal(s->max, UINT64_MAX);
	for (u32 i = 0; i < MEASURE_CELL_SUMS; i++)
		assert_int_equal(s->sums[i], 5 + i);
	assert_memory_equal(s->hist, hist_of_three, sizeof(hist_of_three));
}

static void same_rest(const struct measure_sample *s)
{
	assert_true(s->rest && !s->sampled && !s->waits);
	assert_int_equal(s->nkeys, 0);
	assert_int_equal(s->stack, 0);
	assert_int_equal(s->count, 9);
	assert_null(s->hist);
}

static void same_open(const struct measure_open_sample *s)
{
	same_who(&s->who);
	assert_int_equal(s->nkeys, 1);
	assert_string_equal(s->keys[0].text, "openat");
	assert_int_equal(s->begin_ns, MAKER_T0 - 5);
}

static void same_slow(const struct measure_slow_sample *s)
{
	same_who(&s->who);
	assert_true(s->waits);
	assert_int_equal(s->nkeys, 2);
	assert_string_equal(s->keys[1].text, "ENOENT");
	assert_int_equal(s->cpu, 7);
	assert_int_equal(s->t_ns, MAKER_T0 + 99);
	assert_int_equal(s->ns, 12345678);
	assert_string_equal(s->text, "openat(-1, \"x\") = -1 ENOENT");
	assert_true(s->timed);
	assert_int_equal(s->dropped, 1000);
	assert_int_equal(s->nmoments, 2);
	assert_int_equal(s->moments[0].kind, MOMENT_OUT);
	assert_int_equal(s->moments[0].t_ns, MAKER_T0 + 50);
	assert_int_equal(s->moments[0].stack, s->stack);
	assert_string_equal(s->moments[0].field, "state");
	assert_int_equal(s->moments[1].value, (u64)-2);
	assert_true(s->moments[1].is_signed);
	assert_int_equal(s->moments[1].tid, 4);
	assert_int_equal(s->moments[1].cpu, 7);
	assert_string_equal(s->moments[1].event, "sys:exit");
}

static void same_held(const struct measure_held_sample *s)
{
	assert_false(s->rest);
	assert_int_equal(s->who.cgroup, someone.cgroup);
	assert_string_equal(s->keys[0].text, "openat");
	assert_int_equal(s->held, 5);
	assert_int_equal(s->held_bytes, 1ULL << 50);
	assert_int_equal(s->begin_ns, MAKER_T0 - 77);
	assert_int_equal(s->acquired, 7);
	assert_int_equal(s->acquired_bytes, 1ULL << 51);
	assert_int_equal(s->released, 2);
	assert_int_equal(s->released_bytes, 200);
	assert_int_equal(s->hist[9], 5);
}

static void same_line(const struct ask_line_sample *s)
{
	same_who(&s->who);
	assert_int_equal(s->t_ns, MAKER_T0 + 55);
	assert_int_equal(s->lost, 3);
	assert_int_equal(s->cpu, 6);
	assert_string_equal(s->event, "a:b");
	assert_int_equal(s->nvalues, 6);
	assert_int_equal(s->has, 0x3b);
	assert_string_equal(s->values[0].text, "/a/path");
	assert_int_equal((s64)s->values[1].value, -2);
	assert_int_equal(s->values[5].value, 9);
}

static void same_order(const struct measure_order_sample *s)
{
	same_who(&s->who);
	assert_int_equal(s->nkeys, 2);
	assert_string_equal(s->keys[0].text, "openat");
	assert_string_equal(s->keys[1].text, "ENOENT");
	assert_int_equal(s->t_ns, MAKER_T0 + 66);
	assert_string_equal(s->where, "commit");
	assert_true(s->exact && s->by_several);
	assert_true(!s->first_read && s->second_read);
	assert_int_equal(s->count, 77);
}

static void same_levels(const struct measure_levels_sample *s)
{
	assert_int_equal(s->v[0], 1);
	assert_int_equal(s->v[1], 1ULL << 40);
	assert_int_equal(s->v[2], 0);
	assert_int_equal(s->v[3], 4);
}

static void see_measure(void *ctx, const struct codec *c, const struct sample_codec *type,
			const union any_sample *sample)
{
	struct seen *s = ctx;
	struct subject who = {0};

	if (type->type == SAMPLE_MEASURE_LEVELS) {
		same_levels(&sample->measure_levels);
		s->samples++;
		return;
	}
	type->subject(sample, &who);
	assert_int_equal(who.longest_ns, type->type == SAMPLE_MEASURE_SLOW ? 12345678 : 0);
	if (type->type == SAMPLE_MEASURE && sample->measure.rest) {
		assert_false(who.known);
		same_rest(&sample->measure);
	} else {
		assert_true(who.known && who.has_tid && who.has_comm && who.has_kind);
		assert_int_equal(who.tid, someone.tid);
	}
	if (type->type == SAMPLE_MEASURE && !sample->measure.rest)
		same_cell(&sample->measure);
	else if (type->type == SAMPLE_MEASURE_OPEN)
		same_open(&sample->measure_open);
	else if (type->type == SAMPLE_MEASURE_SLOW)
		same_slow(&sample->measure_slow);
	else if (type->type == SAMPLE_MEASURE_HELD)
		same_held(&sample->measure_held);
	else if (type->type == SAMPLE_ASK_LINE)
		same_line(&sample->ask_line);
	else if (type->type == SAMPLE_MEASURE_ORDER)
		same_order(&sample->measure_order);
	for (u32 i = 0; i < c->nstacks; i++) {
		look_at_stack(s, c->stacks[i]);
		assert_string_equal(s->last, "leaf2 work main ");
	}
	s->samples++;
}

/* What a measure hands out is read as it was: texts of labels, tables, stacks, whose it is. */
static void test_measures(void **state)
{
	struct record_interval iv;
	struct status st = {0};
	struct reader *r;
	struct seen seen;
	struct builder m;

	unlink(path_of("measure.ptr"));
	builder__begin(&m, path_of("measure.ptr"));
	put_measure(&m);
	builder__end_interval(&m);
	builder__finish(&m);
	r = reader__open(path_of("measure.ptr"), symbols, &st);
	assert_non_null(r);
	seen = (struct seen){.reader = r};
	assert_true(reader__next(r, &iv));
	reader__samples(r, MODEL_SYSCALLS, see_measure, &seen);
	assert_int_equal(seen.samples, 8);
	assert_int_equal(seen.stacks, 6);
	reader__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_measures)};

	return cmocka_run_group_tests(tests, setup, teardown);
}
