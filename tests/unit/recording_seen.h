/* SPDX-License-Identifier: GPL-2.0-only */
/* What tests of recordings write, and what they saw of it when they read it back. */
#ifndef TESTS_UNIT_RECORDING_SEEN_H
#define TESTS_UNIT_RECORDING_SEEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "models/stacks.h"
#include "recording/block.h"
#include "symbols/tables.h"
#include "symbols/recorded.h"
#include "tests/lib/scratch.h"

#include "tests/lib/recording_builder.h"

#define TEST_HELPER __attribute__((unused)) static

static struct symbols *symbols;

TEST_HELPER char *path_of(const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%s", scratch_dir, name);
	return path;
}

/* A recording of so many intervals. */
TEST_HELPER void record(const char *name, u32 intervals)
{
	struct builder m;

	unlink(path_of(name));
	builder__begin(&m, path_of(name));
	while (intervals--)
		builder__interval(&m);
	builder__finish(&m);
}

TEST_HELPER void slurp(const char *name, struct bytes *out)
{
	int fd = open(path_of(name), O_RDONLY | O_CLOEXEC);
	struct stat st;

	assert_true(fd >= 0 && !fstat(fd, &st));
	out->n = 0;
	assert_int_equal(read(fd, bytes__add(out, (size_t)st.st_size), (size_t)st.st_size),
			 st.st_size);
	close(fd);
}

TEST_HELPER struct reader *open_bytes(const void *data, size_t n, struct status *st)
{
	int fd = memfd_create("recording", MFD_CLOEXEC);

	assert_int_equal(write(fd, data, n), n);
	*st = (struct status){0};
	return reader__open_fd(fd, "test.ptr", symbols, st);
}

/* --- what was read --- */

struct seen {
	struct reader *reader;
	u32 samples, stacks, whole;
	u64 count;
	char last[64]; /* its stack, leaf first */
	char comm[COMM_LEN];
};

TEST_HELPER void look_at_stack(struct seen *s, u32 stack)
{
	u64 ips[STACKS_MAX_FRAMES];
	struct stack_def def;

	names_in__stack(reader__names(s->reader), stack, ips, &def);
	s->stacks++;
	s->whole += def.whole;
	s->last[0] = '\0';
	for (u32 i = 0; i < def.nuser && i < 3; i++) {
		u32 func = symbols__func_of(symbols, (u32)ips[i]);

		strcat(s->last, symbols__func(symbols, func)->name);
		strcat(s->last, " ");
	}
}

TEST_HELPER void see(void *ctx, const struct codec *c, const struct sample_codec *type,
		const union any_sample *sample)
{
	struct seen *s = ctx;

	s->samples++;
	if (type->type != SAMPLE_STACK)
		return;
	s->count += sample->stack.count;
	copy_str(s->comm, sizeof(s->comm), sample->stack.comm);
	for (u32 i = 0; i < c->nstacks; i++)
		look_at_stack(s, c->stacks[i]);
}

/* Everything of it; returns the intervals. */
TEST_HELPER u32 read_all(struct reader *r, struct seen *seen)
{
	struct record_interval iv;
	u32 n = 0;

	*seen = (struct seen){.reader = r};
	for (; reader__next(r, &iv); n++)
		for (u32 m = 0; m < MODEL_COUNT; m++)
			reader__samples(r, m, see, seen);
	return n;
}

TEST_HELPER int setup(void **state)
{
	struct status st;

	symbols = symbols__new(&st);
	return symbols ? scratch__make("recording") : -1;
}

TEST_HELPER int teardown(void **state)
{
	symbols__free(symbols);
	return scratch__remove(state);
}

#endif
