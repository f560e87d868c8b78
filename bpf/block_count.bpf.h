/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests that end: counting them by device and by process, and telling slow ones. */
#ifndef BPF_BLOCK_COUNT_BPF_H
#define BPF_BLOCK_COUNT_BPF_H

#include "bpf/block_state.bpf.h"

volatile u32 active = 0; /* which maps count now */
volatile u32 slow_told = 0;
volatile u64 slow_ns = 0;     /* requests from here on are told one by one */
volatile u64 slow_max_ns = 0; /* up to here; 0: no limit */

#define DEVICES                                                                                    \
	__uint(type, BPF_MAP_TYPE_HASH);                                                           \
	__uint(max_entries, 512);                                                                  \
	__type(key, struct block_key);                                                             \
	__type(value, struct block_sum)

struct {
	DEVICES;
} devices_a SEC(".maps");

struct {
	DEVICES;
} devices_b SEC(".maps");

#define PROCS                                                                                      \
	__uint(type, BPF_MAP_TYPE_HASH);                                                           \
	__uint(max_entries, 8192);                                                                 \
	__type(key, struct block_proc_key);                                                        \
	__type(value, struct block_proc_sum)

struct {
	PROCS;
} procs_a SEC(".maps");

struct {
	PROCS;
} procs_b SEC(".maps");

/* Never written to: what a new entry begins with is too large for the programs' stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct block_sum);
} empty_sum SEC(".maps");

/* Names of threads are judged by user space: while it has to, they are counted apart. */
static __always_inline void key__name(struct block_key *k, const char *comm)
{
	const u64 *w = (const void *)comm;

	if ((u32)scope_state & SCOPE_BPF_COMMS)
		k->name = hash_finish(hash_step(hash_step(1, w[0]), w[1]));
}

static __always_inline void add(u64 *to, u64 n)
{
	__sync_fetch_and_add(to, n);
}

static __always_inline u32 size__bucket(u32 bytes)
{
	u32 i = bytes > 512 ? hist__log2(bytes - 1) - 8 : 0;

	return i < BLOCK_SIZES ? i : BLOCK_SIZES - 1;
}

/* What is known of a request that ends, or of a part of it. */
struct ended {
	struct block_proc_key key;
	u64 now, ns[BLOCK_STAGES]; /* 0: not known */
	u64 bytes;		   /* done now */
	u64 done;		   /* 1: it is its end */
	u64 address;
};

static __noinline void count_device(struct ended *e, struct request_state *r)
{
	void *map = active ? (void *)&devices_b : (void *)&devices_a;
	struct block_sum *sum = bpf_map_lookup_elem(map, &e->key.dev), *none;
	u32 zero = 0, size;

	if (!sum) {
		none = bpf_map_lookup_elem(&empty_sum, &zero);
		if (none)
			bpf_map_update_elem(map, &e->key.dev, none, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(map, &e->key.dev);
		if (!sum) {
			struct block_stats *st = stats__get();

			if (st)
				st->devices_full += e->done;
			return;
		}
		if (r) {
			sum->tgid = r->tgid;
			sum->tid = r->tid;
			sum->cpu = r->cpu;
			sum->cgroup = r->cgroup;
			__builtin_memcpy(sum->comm, r->comm, sizeof(sum->comm));
		}
	}
	add(&sum->bytes, e->bytes);
	if (!e->done)
		return;
	add(&sum->count, 1);
	sum->last_ns = e->now;
	size = size__bucket(r && r->bytes ? r->bytes : e->bytes);
	if (size < BLOCK_SIZES)
		__sync_fetch_and_add(&sum->sizes[size], 1);
	if (r && r->place == PLACE_RANDOM)
		add(&sum->random, 1);
	if (r && r->place == PLACE_SEQUENTIAL)
		add(&sum->sequential, 1);
	for (u32 i = 0; i < BLOCK_STAGES; i++) {
		u64 ns = e->ns[i];
		u32 at = block__bucket(ns);

		if (!ns || at >= BLOCK_BUCKETS)
			continue;
		add(&sum->known[i], 1);
		add(&sum->ns[i], ns);
		if (sum->max_ns[i] < ns)
			sum->max_ns[i] = ns;
		__sync_fetch_and_add(&sum->hist[i][at], 1);
	}
}

static __noinline struct block_proc_sum *new_proc(struct ended *e, struct request_state *r,
						  void *map)
{
	struct block_proc_sum sum = {};

	sum.tid = r->tid;
	sum.cpu = r->cpu;
	sum.kthread = r->kthread;
	__builtin_memcpy(sum.comm, r->comm, sizeof(sum.comm));
	if (r->inode)
		inode__name((void *)r->inode, sum.file);
	bpf_map_update_elem(map, &e->key, &sum, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, &e->key);
}

static __noinline void count_proc(struct ended *e, struct request_state *r)
{
	void *map = active ? (void *)&procs_b : (void *)&procs_a;
	struct block_proc_sum *sum = bpf_map_lookup_elem(map, &e->key);

	if (!sum)
		sum = new_proc(e, r, map);
	if (!sum) {
		struct block_stats *st = stats__get();

		if (st)
			st->procs_full += e->done;
		return;
	}
	add(&sum->bytes, e->bytes);
	if (!e->done)
		return;
	add(&sum->count, 1);
	sum->last_ns = e->now;
	if (!e->ns[BLOCK_TOTAL])
		return;
	add(&sum->known, 1);
	add(&sum->ns, e->ns[BLOCK_TOTAL]);
	if (sum->max_ns < e->ns[BLOCK_TOTAL])
		sum->max_ns = e->ns[BLOCK_TOTAL];
}

/* When too many are told, only slower ones are from then on: the slowest are never missed. */
static __always_inline bool is_slow(u64 ns)
{
	u64 most = slow_max_ns;

	if (!slow_ns || ns < slow_ns || (most && ns > most))
		return false;
	if (__sync_fetch_and_add(&slow_told, 1) >= BLOCK_SLOW_MAX) {
		slow_told = 0;
		slow_ns *= 2;
	}
	return true;
}

static __noinline void tell_slow(struct ended *e, struct request_state *r)
{
	struct block_slow_record s = {
		.type = RECORD_BLOCK_SLOW,
		.bytes = r->bytes,
		.key = e->key,
		.t_ns = e->now,
		.total_ns = e->ns[BLOCK_TOTAL],
		.queued_ns = e->ns[BLOCK_QUEUED],
		.device_ns = e->ns[BLOCK_DEVICE],
		.sector = r->sector,
		.stack = r->stack,
		.tid = r->tid,
		.cpu = r->cpu,
		.kthread = r->kthread,
	};
	struct block_stats *st = stats__get();

	__builtin_memcpy(s.comm, r->comm, sizeof(s.comm));
	if (r->inode)
		inode__name((void *)r->inode, s.file);
	if (bpf_ringbuf_output(&records, &s, sizeof(s), ring_flags(false)) && st)
		st->records_full++;
}

static __always_inline u64 span(u64 from, u64 to, struct block_stats *st)
{
	if (!from || !to)
		return 0;
	if ((s64)(to - from) <= 0) {
		st->backward++;
		return 0;
	}
	return to - from;
}

static __always_inline void count(struct ended *e, struct request_state *r, struct block_stats *st)
{
	if (r) {
		e->key.tgid = r->tgid;
		e->key.writeback = r->writeback;
		e->key.cgroup = r->cgroup;
		e->key.inode = inode__number((void *)r->inode);
		key__name(&e->key.dev, r->comm);
		if (e->done) {
			e->ns[BLOCK_QUEUED] = span(r->insert_ns, r->issue_ns, st);
			e->ns[BLOCK_DEVICE] =
				span(r->issue_ns, r->done_ns ? r->done_ns : e->now, st);
			e->ns[BLOCK_TOTAL] = span(r->start_ns, e->now, st);
		}
	}
	st->requests += e->done;
	count_device(e, r);
	if (!r)
		return;
	count_proc(e, r);
	if (e->done && is_slow(e->ns[BLOCK_TOTAL]))
		tell_slow(e, r);
}

#endif
