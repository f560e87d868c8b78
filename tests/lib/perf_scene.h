/* SPDX-License-Identifier: GPL-2.0-only */
/* What tests of perf.data share: files opened from memory, names of stacks as one text, and mappings
 * of which each address tells where it is. */
#ifndef TESTS_LIB_PERF_SCENE_H
#define TESTS_LIB_PERF_SCENE_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "models/stacks.h"
#include "recording/import.h"
#include "recording/reader.h"
#include "tests/lib/perf_builder.h"

#define FIELDS                                                                                     \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN)
#define T0   (100 * NSEC_PER_SEC)
#define TEXT 0x400000ull /* where something is mapped that is not there */

static struct symbols *symbols;

static const char *event = ""; /* that is asked for */

static inline struct reader *open_file(const struct bytes *file, struct status *st)
{
	int fd = memfd_create("import", MFD_CLOEXEC);
	struct reader *r;
	char path[32];

	assert_int_equal(write(fd, file->v, file->n), file->n);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	*st = (struct status){0};
	r = import__open(path, symbols, event, st);
	close(fd);
	return r;
}

/* The maker is used up. */
static inline struct reader *open_made(struct perf_builder *m, struct status *st)
{
	struct bytes file;
	struct reader *r;

	perf_builder__finish(m, "x86_64", &file);
	r = open_file(&file, st);
	bytes__free(&file);
	return r;
}

struct line {
	char comm[COMM_LEN], stack[256]; /* names, leaf first */
	u32 tgid, tid, cpu, nkernel;
	u64 count, weight;
};

static inline void describe(struct reader *r, u32 stack, struct line *l)
{
	u64 ips[STACKS_MAX_FRAMES];
	struct stack_def def;
	size_t n = 0;

	names_in__stack(reader__names(r), stack, ips, &def);
	l->nkernel = def.nkernel;
	for (u32 i = 0; i < (u32)def.nkernel + def.nuser && n < sizeof(l->stack); i++) {
		u32 func = symbols__func_of(symbols, (u32)ips[i]);

		n += (size_t)snprintf(l->stack + n, sizeof(l->stack) - n, "%s%s", n ? " " : "",
				      symbols__func(symbols, func)->name);
	}
}

struct seen {
	struct reader *reader;
	struct line v[16];
	u32 n;
};

static inline void see(void *ctx, const struct codec *c, const struct sample_codec *type, const union any_sample *s)
{
	struct seen *seen = ctx;
	struct line *l;

	assert_int_equal(type->type, SAMPLE_STACK);
	if (seen->n == ARRAY_SIZE(seen->v))
		return;
	l = &seen->v[seen->n++];
	*l = (struct line){.tgid = s->stack.tgid,
			   .tid = s->stack.tid,
			   .cpu = s->stack.cpu,
			   .count = s->stack.count,
			   .weight = s->stack.weight};
	memcpy(l->comm, s->stack.comm, sizeof(l->comm));
	if (c->nstacks)
		describe(seen->reader, c->stacks[0], l);
}

/* The samples of the next interval. */
static inline bool next(struct reader *r, struct seen *seen, struct record_interval *iv)
{
	*seen = (struct seen){.reader = r};
	if (!reader__next(r, iv))
		return false;
	reader__samples(r, MODEL_PROFILE, see, seen);
	return true;
}

/* Mappings that lie side by side, so that each address tells in which of them it is. */
static inline void map_parts(struct perf_builder *m)
{
	static const char *const names[] = {"/nonexistent/a", "/nonexistent/b", "/nonexistent/c"};

	perf_builder__comm(m, 10, 10, "prog", T0);
	for (u32 i = 0; i < ARRAY_SIZE(names); i++)
		perf_builder__mmap(m, 10, TEXT + i * 0x1000ull, 0x1000, 0, names[i], T0);
}

#define A TEXT
#define B (TEXT + 0x1000)
#define C (TEXT + 0x2000)
#define KERNEL 0xffffffff81000000ull

static inline int set_up(void **state)
{
	struct status st = {0};

	symbols = symbols__new(&st);
	return !symbols;
}

static inline int tear_down(void **state)
{
	symbols__free(symbols);
	return 0;
}

#endif
