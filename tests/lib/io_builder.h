/* SPDX-License-Identifier: GPL-2.0-only */
/* Feeds an io model by hand; include after fake_symbols.h. */
#ifndef TESTS_LIB_IO_BUILDER_H
#define TESTS_LIB_IO_BUILDER_H

#include "models/io.h"
#include "models/model.h"
#include "scope/filter.h"

#define MS    NSEC_PER_MSEC
#define VDA   (254u << 20)
#define VDA1  (VDA | 1)
#define LOOP0 (7u << 20)

struct builder {
	struct symbols *symbols;
	struct model *model;
	u64 now_ns, seed;
};

static inline int setup(void **state)
{
	static struct builder m;

	m = (struct builder){.symbols = fake_symbols__new(), .now_ns = 1000 * NSEC_PER_SEC};
	m.model = model_io.new(m.symbols);
	*state = &m;
	return 0;
}

static inline int teardown(void **state)
{
	struct builder *m = *state;

	model_io.free(m->model);
	fake_symbols__free(m->symbols);
	return 0;
}

static inline u32 random_below(struct builder *m, u32 below)
{
	m->seed = mix64(m->seed + 0x9e3779b97f4a7c15ULL);
	return (u32)((m->seed >> 32) * below >> 32);
}

static inline struct io_device device(u32 dev, u32 disk, const char *name, const char *disk_name)
{
	struct io_device d = {.dev = dev, .disk = disk};

	copy_str(d.name, sizeof(d.name), name);
	copy_str(d.disk_name, sizeof(d.disk_name), disk_name);
	return d;
}

static inline struct io_device vda(void)
{
	return device(VDA, VDA, "vda", "vda");
}

/* n requests of 4 KiB that took `ns` each; the scheduler held them for a quarter, or is none. */
static inline void put(struct builder *m, struct io_device d, enum io_op op, u32 flags, u32 n, u64 ns,
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

static inline void put_proc(struct builder *m, u32 tgid, const char *comm, bool writeback, u64 inode,
		     enum io_op op, u64 count)
{
	struct io_proc_sample s = {
		.head.type = SAMPLE_IO_PROC,
		.who = {.device = vda(), .op = op, .tgid = tgid, .tid = tgid,
			.writeback = writeback, .kthread = writeback, .cgroup = 1,
			.inode = inode},
		.count = count,
		.bytes = count * 4096,
		.known = count,
		.ns = count * MS,
		.max_ns = 3 * MS,
	};

	copy_str(s.who.comm, sizeof(s.who.comm), comm);
	if (inode)
		copy_str(s.who.file, sizeof(s.who.file), "data.db");
	model_io.consume(m->model, &s.head);
}

static inline const struct io_snap *tick(struct builder *m)
{
	struct snap *s = model_io.tick(m->model, m->now_ns, m->now_ns + NSEC_PER_SEC);

	m->now_ns += NSEC_PER_SEC;
	return container_of(s, struct io_snap, base);
}

static inline struct io_result *ask(const struct io_snap *s, enum io_group group, bool joined,
			     const char *filter)
{
	struct io_query q = {.group = group, .window = WINDOW_LAST, .joined = joined};
	struct filter_error err;
	struct scope *scope = filter__parse(filter, &err);
	struct io_result *a = io__query(s, &q, scope);

	scope__put(scope);
	return a;
}

static inline void put_slow(struct builder *m, u64 t_ns, u64 total_ns, u64 stack)
{
	struct io_slow_sample s = {.head.type = SAMPLE_IO_SLOW,
				   .who = {.device = vda(), .op = IO_READ, .tgid = 10,
					   .tid = 11, .comm = "db"},
				   .t_ns = t_ns,
				   .total_ns = total_ns,
				   .sector = total_ns,
				   .bytes = 4096,
				   .stack = stack};

	model_io.consume(m->model, &s.head);
}

#endif
