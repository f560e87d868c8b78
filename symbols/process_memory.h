/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory of a process, as runtimes in it are looked into. What is there is hostile. Any thread. */
#ifndef SYMBOLS_PROCESS_MEMORY_H
#define SYMBOLS_PROCESS_MEMORY_H

#include "base/base.h"

/* False: not all of it can be read. */
struct process_memory {
	bool (*read)(void *ctx, u64 from, void *to, size_t size);
	void *ctx;
};

/* Of a process of this machine; ctx is its number, as a pointer. */
bool process_memory__read(void *ctx, u64 from, void *to, size_t size);

static inline struct process_memory process_memory__of(u32 tgid)
{
	return (struct process_memory){process_memory__read, (void *)(intptr_t)tgid};
}

static inline bool memory__u64(const struct process_memory *m, u64 from, void *to)
{
	return m->read(m->ctx, from, to, sizeof(u64));
}

static inline bool memory__u32(const struct process_memory *m, u64 from, u32 *to)
{
	return m->read(m->ctx, from, to, sizeof(*to));
}

static inline bool memory__u16(const struct process_memory *m, u64 from, u16 *to)
{
	return m->read(m->ctx, from, to, sizeof(*to));
}

#endif
