// SPDX-License-Identifier: GPL-2.0-only
/* What is kept of the past: bounded, readable while it goes on, from any time on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "models/stacks.h"
#include "recording/timeline.h"
#include "tests/lib/scratch.h"

#include "tests/lib/recording_builder.h"

#define END_OF(i) (MAKER_T0 + ((i) + 1) * NSEC_PER_SEC)

static void begin(struct builder *m, u64 span_s, u64 bytes)
{
	struct status st = {0};

	*m = (struct builder){.symbols = symbols__new(&st), .t_ns = MAKER_T0};
	m->sink = recorder__new(&(struct recorder_config){.symbols = m->symbols,
							  .ring = {span_s * NSEC_PER_SEC, bytes}},
				&st);
	assert_non_null(m->sink);
}

static int memory_of(const struct builder *m)
{
	struct status st = {0};
	int fd = recorder__memory(m->sink, &st);

	assert_true(fd >= 0);
	return fd;
}

static struct reader *reader_of(const struct builder *m)
{
	struct status st = {0};
	struct reader *r = reader__open_memory(memory_of(m), m->symbols, &st);

	assert_non_null(r);
	return r;
}

static u64 next(struct reader *r)
{
	struct record_interval iv;

	return reader__next(r, &iv) ? iv.t1_ns : 0;
}

/* --- stacks --- */

struct seen {
	struct reader *reader;
	u32 named, nameless;
};

static void see(void *ctx, const struct codec *c, const struct sample_codec *type,
		const union any_sample *sample)
{
	struct seen *s = ctx;
	u64 ips[STACKS_MAX_FRAMES];
	struct stack_def def;

	if (type->type != SAMPLE_STACK)
		return;
	if (!c->nstacks)
		s->nameless++;
	for (u32 i = 0; i < c->nstacks; i++) {
		names_in__stack(reader__names(s->reader), c->stacks[i], ips, &def);
		s->named += def.nuser == 3;
	}
}

static void look(struct reader *r, struct seen *s)
{
	*s = (struct seen){.reader = r};
	reader__samples(r, MODEL_PROFILE, see, s);
}

/* A stack that its source defined once, long ago, and used now and then. */
static void test_old_stacks(void **state)
{
	struct builder m;
	struct reader *r;
	struct seen s;

	begin(&m, 16, 1 << 20); /* a part every two seconds */
	builder__stack(&m, 7);
	for (u32 i = 0; i < 40; i++) {
		struct stack_sample old = {.head.type = SAMPLE_STACK, .stack = 107, .count = 1};

		if (i == 39)
			builder__put(&m, 1u << MODEL_PROFILE, &old.head);
		builder__interval(&m);
	}
	r = reader_of(&m);
	assert_true(reader__seek(r, END_OF(38)));
	assert_int_equal(next(r), END_OF(39));
	look(r, &s);
	assert_int_equal(s.named, MAKER_SAMPLES + 1);
	assert_int_equal(s.nameless, 0);
	reader__free(r);
	builder__finish(&m);
}

/* --- how much is kept --- */

static u64 allocated(int fd)
{
	struct stat st;

	assert_int_equal(fstat(fd, &st), 0);
	return (u64)st.st_blocks * 512;
}

/* By time: the last 16 seconds are all there, what is much older is not, and its memory is free. */
static void test_span(void **state)
{
	struct timeline *line;
	struct status st = {0};
	struct builder m;
	int fd;

	begin(&m, 16, 64 << 20);
	for (u32 i = 0; i < 400; i++)
		builder__interval(&m);
	fd = memory_of(&m);
	assert_true(allocated(fd) < 300 << 10);
	line = timeline__read(fd, &st);
	assert_non_null(line);
	assert_in_range(line->n, 16, 22);
	for (u32 i = 0; i < line->n; i++) {
		assert_int_equal(line->v[i].t1_ns, END_OF(400 - line->n + i));
		assert_true(line->v[i].busy_pct == 100);
	}
	free(line);
	builder__finish(&m);
}

/* By size. */
static void test_bytes(void **state)
{
	struct recording_state told;
	struct status st = {0};
	struct timeline *line;
	struct builder m;

	begin(&m, 100000, 32 << 10);
	for (u32 i = 0; i < 400; i++)
		builder__interval(&m);
	m.sink->ops->state(m.sink, &told);
	assert_in_range(told.bytes, 16 << 10, 48 << 10);
	assert_int_equal(told.end_ns, END_OF(399));
	line = timeline__read(memory_of(&m), &st);
	assert_non_null(line);
	assert_in_range(line->n, 20, 399);
	assert_int_equal(line->v[line->n - 1].t1_ns, END_OF(399));
	assert_true(told.begin_ns <= line->v[0].t1_ns);
	free(line);
	builder__finish(&m);
}

/* The machine sleeps for ten minutes in the third interval and for one in the sixth. */
static void test_sleeps(void **state)
{
	struct status st = {0};
	struct timeline *line;
	struct builder m;

	begin(&m, 60, 1 << 20);
	for (u32 i = 0; i < 10; i++) {
		m.suspended_ns = i == 2 ? 600 * NSEC_PER_SEC : i == 5 ? 60 * NSEC_PER_SEC : 0;
		builder__interval(&m);
	}
	line = timeline__read(memory_of(&m), &st);
	assert_non_null(line);
	assert_int_equal(line->nsleeps, 2);
	assert_int_equal(line->sleeps[0].t_ns, END_OF(2));
	assert_int_equal(line->sleeps[0].slept_ns, 600 * NSEC_PER_SEC);
	assert_int_equal(line->sleeps[1].t_ns, END_OF(5));
	assert_int_equal(line->sleeps[1].slept_ns, 660 * NSEC_PER_SEC);
	free(line);
	builder__finish(&m);
}

/* A machine that sleeps in each: as many as there is room for. */
static void test_sleeps_are_bounded(void **state)
{
	struct status st = {0};
	struct timeline *line;
	struct builder m;

	begin(&m, 1000, 4 << 20);
	for (u32 i = 0; i < 2 * TIMELINE_SLEEPS; i++) {
		m.suspended_ns = i % 2 ? UINT64_MAX / 2 : NSEC_PER_SEC;
		builder__interval(&m);
	}
	line = timeline__read(memory_of(&m), &st);
	assert_non_null(line);
	assert_int_equal(line->nsleeps, TIMELINE_SLEEPS);
	assert_int_equal(line->sleeps[TIMELINE_SLEEPS - 1].slept_ns,
			 TIMELINE_SLEEPS * NSEC_PER_SEC);
	free(line);
	builder__finish(&m);
}

/* --- seeking --- */

static void test_seek(void **state)
{
	struct builder m;
	struct reader *r;

	begin(&m, 40, 1 << 20);
	for (u32 i = 0; i < 30; i++)
		builder__interval(&m);
	r = reader_of(&m);
	for (u32 i = 1; i < 30; i += 3) {
		assert_true(reader__seek(r, END_OF(i) - 1));
		assert_int_equal(next(r), END_OF(i));
		assert_true(reader__seek(r, END_OF(30 - i) - NSEC_PER_SEC));
		assert_int_equal(next(r), END_OF(30 - i));
	}
	assert_true(reader__seek(r, 0));
	assert_int_equal(next(r), END_OF(0));
	assert_false(reader__seek(r, END_OF(29)));
	assert_int_equal(next(r), 0);
	/* One that came since. */
	builder__interval(&m);
	assert_true(reader__seek(r, END_OF(29)));
	assert_int_equal(next(r), END_OF(30));
	assert_int_equal(next(r), 0);
	reader__free(r);
	builder__finish(&m);
}

/* In a file, whose blocks have several intervals, names included. */
static void test_seek_in_file(void **state)
{
	char path[128];
	struct status st = {0};
	struct symbols *symbols = symbols__new(&st);
	struct reader *r;
	struct builder m;
	struct seen s;

	snprintf(path, sizeof(path), "%s/seek.ptr", scratch_dir);
	builder__begin(&m, path);
	for (u32 i = 0; i < 50; i++)
		builder__interval(&m);
	builder__finish(&m);
	r = reader__open(path, symbols, &st);
	assert_non_null(r);
	for (u32 i = 0; i < 50; i++) {
		u32 at = i * 17 % 50;

		assert_true(reader__seek(r, END_OF(at) - 1));
		assert_int_equal(next(r), END_OF(at));
		look(r, &s);
		assert_int_equal(s.named, MAKER_SAMPLES);
	}
	reader__free(r);
	symbols__free(symbols);
}

static int setup(void **state)
{
	return scratch__make("history");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_old_stacks),   cmocka_unit_test(test_span),
		cmocka_unit_test(test_bytes),	     cmocka_unit_test(test_seek),
		cmocka_unit_test(test_seek_in_file), cmocka_unit_test(test_sleeps),
		cmocka_unit_test(test_sleeps_are_bounded),
	};

	return cmocka_run_group_tests(tests, setup, scratch__remove);
}
