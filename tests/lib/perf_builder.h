/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Small perf.data files for tests, of one event with id 7 and of as many more without samples as
 * are wanted: records are put one after the other, then the head is put before them.
 */
#ifndef TESTS_LIB_PERF_BUILDER_H
#define TESTS_LIB_PERF_BUILDER_H

#include "recording/bytes.h"
#include "samples/perf_record.h"

#define PERF_MAKER_ID 7

struct perf_builder {
	struct perf_event_attr attr;
	struct bytes data; /* records */
	size_t begin;	   /* of the record that is being put */
};

static inline void perf_builder__begin(struct perf_builder *m, u64 fields)
{
	*m = (struct perf_builder){
		.attr = {.type = PERF_TYPE_SOFTWARE,
			 .size = sizeof(struct perf_event_attr),
			 .config = PERF_COUNT_SW_CPU_CLOCK,
			 .sample_freq = 99,
			 .freq = 1,
			 .sample_type = fields,
			 .sample_id_all = 1},
	};
}

static inline void perf_builder__u64(struct perf_builder *m, u64 x)
{
	put_u64(bytes__add(&m->data, 8), x);
}

static inline void perf_builder__pair(struct perf_builder *m, u32 low, u32 high)
{
	perf_builder__u64(m, low | (u64)high << 32);
}

static inline void perf_builder__text(struct perf_builder *m, const char *text)
{
	size_t room = (strlen(text) + 8) & ~7ul;

	memset(bytes__add(&m->data, room), 0, room);
	memcpy(m->data.v + m->data.n - room, text, strlen(text));
}

static inline void perf_builder__open(struct perf_builder *m, u32 type, u16 misc)
{
	m->begin = m->data.n;
	perf_builder__pair(m, type, misc);
}

static inline void perf_builder__close(struct perf_builder *m)
{
	size_t size = m->data.n - m->begin;

	m->data.v[m->begin + 6] = (u8)size;
	m->data.v[m->begin + 7] = (u8)(size >> 8);
}

/* What sample_id_all adds, and the end. */
static inline void perf_builder__trail(struct perf_builder *m, u32 pid, u32 tid, u64 t_ns)
{
	u64 fields = m->attr.sample_type;

	if (fields & PERF_SAMPLE_TID)
		perf_builder__pair(m, pid, tid);
	if (fields & PERF_SAMPLE_TIME)
		perf_builder__u64(m, t_ns);
	if (fields & PERF_SAMPLE_CPU)
		perf_builder__pair(m, 0, 0);
	if (fields & PERF_SAMPLE_IDENTIFIER)
		perf_builder__u64(m, PERF_MAKER_ID);
	perf_builder__close(m);
}

static inline void perf_builder__comm(struct perf_builder *m, u32 pid, u32 tid, const char *comm,
				      u64 t_ns)
{
	perf_builder__open(m, PERF_RECORD_COMM, 0);
	perf_builder__pair(m, pid, tid);
	perf_builder__text(m, comm);
	perf_builder__trail(m, pid, tid, t_ns);
}

static inline void perf_builder__mmap(struct perf_builder *m, u32 pid, u64 start, u64 len,
				      u64 offset, const char *path, u64 t_ns)
{
	perf_builder__open(m, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	perf_builder__pair(m, pid, pid);
	perf_builder__u64(m, start);
	perf_builder__u64(m, len);
	perf_builder__u64(m, offset);
	perf_builder__pair(m, 8, 1);
	perf_builder__u64(m, 77);
	perf_builder__u64(m, 0);
	perf_builder__pair(m, 5, 2);
	perf_builder__text(m, path);
	perf_builder__trail(m, pid, pid, t_ns);
}

static inline void perf_builder__task(struct perf_builder *m, u32 type, u32 pid, u32 parent,
				      u64 t_ns)
{
	perf_builder__open(m, type, 0);
	perf_builder__pair(m, pid, parent);
	perf_builder__pair(m, pid, parent);
	perf_builder__u64(m, t_ns);
	perf_builder__trail(m, pid, pid, t_ns);
}

/* A sample's fields up to its call chain; the caller puts what follows and closes it. */
static inline void perf_builder__sample_head(struct perf_builder *m, u32 pid, u32 tid, u64 ip,
					     u64 t_ns, u64 period)
{
	u64 fields = m->attr.sample_type;

	perf_builder__open(m, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	if (fields & PERF_SAMPLE_IDENTIFIER)
		perf_builder__u64(m, PERF_MAKER_ID);
	perf_builder__u64(m, ip);
	perf_builder__pair(m, pid, tid);
	if (fields & PERF_SAMPLE_TIME)
		perf_builder__u64(m, t_ns);
	if (fields & PERF_SAMPLE_CPU)
		perf_builder__pair(m, 1, 0);
	if (fields & PERF_SAMPLE_PERIOD)
		perf_builder__u64(m, period);
}

/* A user sample with a call chain of n callers. */
static inline void perf_builder__sample(struct perf_builder *m, u32 pid, u32 tid, u64 ip, u64 t_ns,
					u64 period, const u64 *callers, u32 n)
{
	perf_builder__sample_head(m, pid, tid, ip, t_ns, period);
	if (m->attr.sample_type & PERF_SAMPLE_CALLCHAIN) {
		perf_builder__u64(m, n + 2);
		perf_builder__u64(m, (u64)PERF_CONTEXT_USER);
		perf_builder__u64(m, ip);
		for (u32 i = 0; i < n; i++)
			perf_builder__u64(m, callers[i]);
	}
	perf_builder__close(m);
}

static inline void perf_builder__section(struct bytes *b, u64 at, u64 size)
{
	put_u64(bytes__add(b, 8), at);
	put_u64(bytes__add(b, 8), size);
}

/* A feature that is a text, behind all else. */
static inline void perf_builder__feature(struct bytes *b, const char *text)
{
	u32 n = (u32)strlen(text) + 1;

	put_u32(bytes__add(b, 4), n);
	bytes__put(b, text, n);
}

#define PERF_MAKER_HEAD	   104
#define PERF_MAKER_ATTR	   (sizeof(struct perf_event_attr) + 16)
#define PERF_MAKER_ARCH	   6
#define PERF_MAKER_VERSION 5

/* The whole file; the maker is used up. */
static inline void perf_builder__finish(struct perf_builder *m, const char *arch, struct bytes *out)
{
	size_t ids = PERF_MAKER_HEAD + PERF_MAKER_ATTR, data = ids + 8, table, at;

	*out = (struct bytes){0};
	bytes__put(out, "PERFILE2", 8);
	put_u64(bytes__add(out, 8), PERF_MAKER_HEAD);
	put_u64(bytes__add(out, 8), PERF_MAKER_ATTR);
	perf_builder__section(out, PERF_MAKER_HEAD, PERF_MAKER_ATTR);
	perf_builder__section(out, data, m->data.n);
	perf_builder__section(out, 0, 0);
	put_u64(bytes__add(out, 8), 1u << PERF_MAKER_VERSION | 1u << PERF_MAKER_ARCH);
	memset(bytes__add(out, 24), 0, 24);
	bytes__put(out, &m->attr, sizeof(m->attr));
	perf_builder__section(out, ids, 8);
	put_u64(bytes__add(out, 8), PERF_MAKER_ID);
	bytes__put(out, m->data.v, m->data.n);
	table = out->n;
	bytes__add(out, 32);
	for (u32 i = 0; i < 2; i++) {
		at = out->n;
		perf_builder__feature(out, i ? arch : "6.1");
		put_u64(out->v + table + 16 * i, at);
		put_u64(out->v + table + 16 * i + 8, out->n - at);
	}
	bytes__free(&m->data);
}

#endif
