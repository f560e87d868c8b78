/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that read recorded input. */
#ifndef TESTS_LIB_FIXTURE_IMPL_H
#define TESTS_LIB_FIXTURE_IMPL_H

#include "samples/sample.h"
#include "symbols/symbols.h"

#define FIXTURE_FRAMES 128

/* "\\x1b" and the like -> the byte; in place. */
char *fixture__unescape(char *text);

/* A stack's definition with room for its frames; its hash is that of the text. */
struct fixture_stack {
	struct stack_def def;
	u64 ips[FIXTURE_FRAMES];
};

/* Frames come root first, ';' between; a stack is kept leaf first, kernel frames before user
 * frames. "" has none, and hash 0. */
void fixture_stack__fill(struct fixture_stack *s, struct symbols *symbols, const char *frames);

/* A line about the scheduler: wait, task, busy, delay, switch; see tests/lib/fixture.h. */
struct sched_record;

/* NULL: none of these lines. */
struct sched_record *sched_record__parse(const char *text);
/* Before the first put. */
void sched_record__begin(struct sched_record *r, struct symbols *symbols);
/* now_ns: where the interval ends. */
void sched_record__put(struct sched_record *r, u64 now_ns, const struct sample_sink *sink);

/* The same of lines about the page cache: cache, miss, totals. */
struct cache_record;

struct cache_record *cache_record__parse(const char *text);
void cache_record__begin(struct cache_record *r, struct symbols *symbols);
void cache_record__put(struct cache_record *r, const struct sample_sink *sink);

/* The same of lines about processes: proc, short. */
struct procs_line;

struct procs_line *procs_line__parse(const char *text);
void procs_line__put(struct procs_line *r, const struct sample_sink *sink);

/* The same of lines about block I/O: io, slow, disk. */
struct io_record;

struct io_record *io_record__parse(const char *text);
void io_record__begin(struct io_record *r, struct symbols *symbols);
void io_record__put(struct io_record *r, u64 now_ns, const struct sample_sink *sink);

/* The same of lines about BPF programs: prog, map, bpfstate. They need no symbols. */
struct bpf_record;

struct bpf_record *bpf_record__parse(const char *text);
void bpf_record__put(const struct bpf_record *r, const struct sample_sink *sink);

/* The same of lines about measures: measure, unfinished, took. */
struct measure_record;
struct measure;

struct measure_record *measure_record__parse(const char *text);
void measure_record__begin(struct measure_record *r, struct symbols *symbols);
/* Which measure it is of. */
const struct measure *measure_record__of(const struct measure_record *r);
void measure_record__put(struct measure_record *r, u64 now_ns, const struct sample_sink *sink);

/* The same of lines about the machine: figure, usage, notice. */
struct system_record;

struct system_record *system_record__parse(const char *text);
void system_record__put(struct system_record *r, u64 now_ns, const struct sample_sink *sink);

#endif
