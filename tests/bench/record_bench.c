/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A recording as long as one likes: record_bench FILE INTERVALS SAMPLES STACKS. Each interval of a
 * second has vital signs and so many samples of so many distinct stacks of 20 frames; which ones
 * changes from interval to interval. Prints the file's bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "recording/recorder.h"
#include "samples/vitals.h"

#define FUNCS 3000
#define DEPTH 20

struct bench {
	struct symbols *symbols;
	struct record_sink *sink;
	u32 locs[FUNCS];
	u64 t_ns;
};

static void define(struct bench *b, u32 stack)
{
	u64 ips[DEPTH], h = stack;
	struct stack_def def = {.head.type = SAMPLE_STACK_DEF,
				.hash = stack + 1,
				.nuser = DEPTH,
				.named = true,
				.whole = true,
				.ips = ips};

	/* Callers are shared by most, the leaves by few. */
	for (u32 i = 0; i < DEPTH; i++)
		ips[i] = b->locs[mix64_pair(i, h >> (i / 2)) % FUNCS];
	b->sink->ops->put(b->sink, 1u << MODEL_PROFILE, &def.head);
}

static void put_interval(struct bench *b, u32 at, u32 samples, u32 stacks)
{
	struct vitals_sample v = {.head.type = SAMPLE_VITALS,
				  .vitals = {.ncpus = 4, .load1 = 1, .idle_pct = at % 100}};
	struct record_interval iv = {.t1_ns = b->t_ns + NSEC_PER_SEC,
				     .models = 1u << MODEL_PROFILE | 1u << MODEL_VITALS};

	b->sink->ops->put(b->sink, 1u << MODEL_VITALS, &v.head);
	for (u32 i = 0; i < samples; i++) {
		u32 stack = (u32)(mix64_pair(at, i) % stacks);
		struct stack_sample s = {.head.type = SAMPLE_STACK,
					 .stack = stack + 1,
					 .tgid = 100 + stack % 50,
					 .tid = 100 + stack % 50,
					 .count = 1,
					 .weight = 10101010,
					 .t_ns = b->t_ns + i};

		snprintf(s.comm, sizeof(s.comm), "command%u", stack % 50);
		define(b, stack);
		b->sink->ops->put(b->sink, 1u << MODEL_PROFILE, &s.head);
	}
	iv.v[MODEL_PROFILE].t0_ns = iv.v[MODEL_VITALS].t0_ns = b->t_ns;
	iv.v[MODEL_PROFILE].health = (struct health){.samples = samples, .tier = "bpf"};
	b->sink->ops->end_interval(b->sink, &iv);
	b->t_ns = iv.t1_ns;
}

int main(int argc, char **argv)
{
	struct recording_note none = {0};
	struct recorder_config cfg = {.path = argc > 4 ? argv[1] : "", .notes = &none};
	struct bench b = {.t_ns = 1000 * NSEC_PER_SEC};
	struct status st = {0};
	struct stat s;
	char name[32];

	if (argc != 5)
		die("usage: record_bench FILE INTERVALS SAMPLES STACKS");
	b.symbols = cfg.symbols = symbols__new(&st);
	b.sink = recorder__new(&cfg, &st);
	if (!b.sink)
		die("%s", st.msg);
	for (u32 i = 0; i < FUNCS; i++) {
		snprintf(name, sizeof(name), "function_%u", i);
		b.locs[i] = symbols__named(b.symbols, i % 3 ? "program" : "libc.so.6", name, CODE_USER);
	}
	for (u32 i = 0; i < (u32)atoi(argv[2]); i++)
		put_interval(&b, i, (u32)atoi(argv[3]), (u32)atoi(argv[4]));
	b.sink->ops->close(b.sink);
	symbols__free(b.symbols);
	printf("%lld\n", stat(argv[1], &s) ? -1LL : (long long)s.st_size);
	return 0;
}
