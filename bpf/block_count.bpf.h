/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests that end: counting them by device and by process, and reporting slow and sampled ones. */
#ifndef BPF_BLOCK_COUNT_BPF_H
#define BPF_BLOCK_COUNT_BPF_H

#include "bpf/block_state.bpf.h"

volatile u32 slow_reported = 0;
volatile u64 slow_ns = 0;     /* requests from here on are reported one by one */
volatile u64 slow_max_ns = 0; /* up to here; 0: no limit */

/*
 * Two halves that take turns; user space empties the one that rests. A key is in one of a few
 * places in a row. Requests remember where: as a rule the key is found by comparing it once. It
 * may be there twice when two CPUs brought it at once; user space adds up.
 */
SHARED_ARRAY_MAP(devices, 2 * 512, struct block_sum);
SHARED_ARRAY_MAP(procs, 2 * 8192, struct block_proc_sum);

/* Entries of a half, less one; powers of two. */
const volatile u32 devices_mask = 511, procs_mask = 8191;

#define COUNT_WAYS 16

static __always_inline void add(u64 *to, u64 n)
{
	__sync_fetch_and_add(to, n);
}

static __always_inline u32 size__bucket(u32 bytes)
{
	u32 i = bytes > 512 ? hist__log2(bytes - 1) - 8 : 0;

	return i < BLOCK_SIZES ? i : BLOCK_SIZES - 1;
}

/* What is known of the end of a request, or of a part of it. */
struct ended {
	u64 now, ns[BLOCK_STAGES]; /* 0: not known */
	u64 bytes;		   /* done now */
	u64 done;		   /* 1: it is its end */
};

static __always_inline void keep_most(u64 *most, u64 ns)
{
	if (*(volatile u64 *)most < ns)
		*(volatile u64 *)most = ns;
}

static __always_inline bool same_words(const u64 *a, const u64 *b, u32 n)
{
	for (u32 i = 0; i < n; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

static __always_inline u64 hash_words(const u64 *a, u32 n)
{
	u64 h = 1;

	for (u32 i = 0; i < n; i++)
		h = hash_step(h, a[i]);
	return hash_finish(h);
}

#define WORDS(KEY) (sizeof(*(KEY)) / sizeof(u64))

static __always_inline bool sum__is(const struct block_sum *sum, const struct block_key *k)
{
	return sum->state == BLOCK_READY &&
	       same_words((const void *)&sum->key, (const void *)k, WORDS(k));
}

static __always_inline struct block_sum *sum__at(u32 i)
{
	i = (i & devices_mask) + (active ? devices_mask + 1 : 0);
	return bpf_map_lookup_elem(&devices, &i);
}

static __always_inline void sum__fill(struct block_sum *sum, const struct block_key *k,
				      const struct request_state *r)
{
	sum->key = *k;
	if (r) {
		sum->tgid = r->key.tgid;
		sum->tid = r->tid;
		sum->cpu = r->cpu;
		sum->cgroup = r->key.cgroup;
		__builtin_memcpy(sum->comm, r->comm, sizeof(sum->comm));
	}
	__sync_lock_test_and_set(&sum->state, BLOCK_READY);
}

/* Where a key is counted, or is to be from now on; NO_PLACE: all places are taken. r: NULL when
 * it is not known. */
__noinline u32 search_sum(struct block_key *k, struct request_state *r)
{
	struct block_stats *st = stats__get();
	u32 at = k ? hash_words((const void *)k, WORDS(k)) : 0;

	for (u32 i = 0; i < COUNT_WAYS; i++, at++) {
		struct block_sum *sum = sum__at(at);

		if (!sum || !k)
			break;
		if (!__sync_val_compare_and_swap(&sum->state, BLOCK_FREE, BLOCK_TAKEN))
			sum__fill(sum, k, r);
		else if (!sum__is(sum, k))
			continue;
		if (r)
			r->sum = at & devices_mask;
		return at & devices_mask;
	}
	if (st)
		st->devices_full++;
	return NO_PLACE;
}

static __always_inline struct block_sum *find_sum(struct block_key *k, struct request_state *r)
{
	struct block_sum *sum = r ? sum__at(r->sum) : NULL;
	u32 at;

	if (sum && sum__is(sum, k))
		return sum;
	at = search_sum(k, r);
	return at == NO_PLACE ? NULL : sum__at(at);
}

static __always_inline void count_times(struct block_sum *sum, struct ended *e)
{
	for (u32 i = 0; i < BLOCK_STAGES; i++) {
		u64 ns = e->ns[i];
		u32 at = block__bucket(ns);

		if (!ns || at >= BLOCK_BUCKETS)
			continue;
		add(&sum->ns[i], ns);
		keep_most(&sum->max_ns[i], ns);
		__sync_fetch_and_add(&sum->hist[i][at], 1);
	}
}

static __always_inline void count_device(struct block_key *k, struct ended *e,
					 struct request_state *r)
{
	struct block_sum *sum = find_sum(k, r);
	u32 size = size__bucket(r && r->bytes ? r->bytes : e->bytes);
	u32 place = r ? r->place : BLOCK_PLACE_UNKNOWN;

	if (!sum)
		return;
	if (e->bytes)
		add(&sum->bytes, e->bytes);
	if (!e->done)
		return;
	sum->last_ns = e->now;
	if (place < BLOCK_PLACES && size < BLOCK_SIZES)
		__sync_fetch_and_add(&sum->sizes[place][size], 1);
	count_times(sum, e);
}

static __always_inline bool proc__is(const struct block_proc_sum *sum,
				     const struct block_proc_key *k)
{
	return sum->state == BLOCK_READY &&
	       same_words((const void *)&sum->key, (const void *)k, WORDS(k));
}

static __always_inline struct block_proc_sum *proc__at(u32 i)
{
	i = (i & procs_mask) + (active ? procs_mask + 1 : 0);
	return bpf_map_lookup_elem(&procs, &i);
}

/* The newest one: what a process reads for its own exec is begun under its parent's name. */
static __always_inline void proc__name(struct block_proc_sum *sum, const struct request_state *r)
{
	const u64 *from = (const void *)r->comm;
	u64 *to = (void *)sum->comm;

	STORE(to[0], from[0]);
	STORE(to[1], from[1]);
}

static __always_inline void proc__fill(struct block_proc_sum *sum, const struct request_state *r)
{
	sum->key = r->key;
	sum->tid = r->tid;
	sum->cpu = r->cpu;
	sum->kthread = r->kthread;
	__builtin_memcpy(sum->comm, r->comm, sizeof(sum->comm));
	if (r->key.inode)
		inode__name((void *)r->inode, sum->file);
	__sync_lock_test_and_set(&sum->state, BLOCK_READY);
}

__noinline u32 search_proc(struct request_state *r)
{
	struct block_stats *st = stats__get();
	u32 at = r ? hash_words((const void *)&r->key, WORDS(&r->key)) : 0;

	for (u32 i = 0; i < COUNT_WAYS; i++, at++) {
		struct block_proc_sum *sum = proc__at(at);

		if (!sum || !r)
			break;
		if (!__sync_val_compare_and_swap(&sum->state, BLOCK_FREE, BLOCK_TAKEN))
			proc__fill(sum, r);
		else if (!proc__is(sum, &r->key))
			continue;
		r->proc = at & procs_mask;
		return r->proc;
	}
	if (st)
		st->procs_full++;
	return NO_PLACE;
}

static __always_inline struct block_proc_sum *find_proc(struct request_state *r)
{
	struct block_proc_sum *sum = proc__at(r->proc);
	u32 at;

	if (sum && proc__is(sum, &r->key))
		return sum;
	at = search_proc(r);
	return at == NO_PLACE ? NULL : proc__at(at);
}

static __always_inline void count_proc(struct ended *e, struct request_state *r)
{
	struct block_proc_sum *sum = find_proc(r);
	u64 ns = e->ns[BLOCK_TOTAL];

	if (!sum)
		return;
	if (e->bytes)
		add(&sum->bytes, e->bytes);
	if (!e->done)
		return;
	add(&sum->count, 1);
	sum->last_ns = e->now;
	proc__name(sum, r);
	if (!ns) {
		add(&sum->unknown, 1);
		return;
	}
	add(&sum->ns, ns);
	keep_most(&sum->max_ns, ns);
}

static __always_inline bool is_slow(u64 ns)
{
	u64 most = slow_max_ns;

	return !(most && ns > most) && slow__is_due(&slow_ns, &slow_reported, BLOCK_SLOW_MAX, ns);
}

__noinline int report_one(struct ended *e, struct request_state *r, u32 type)
{
	struct block_slow_record s = {.type = type};
	struct block_stats *st = stats__get();

	if (!e || !r)
		return 0;
	s.bytes = r->bytes;
	s.key = r->key;
	s.t_ns = e->now;
	s.total_ns = e->ns[BLOCK_TOTAL];
	s.queued_ns = e->ns[BLOCK_QUEUED];
	s.device_ns = e->ns[BLOCK_DEVICE];
	s.sector = r->sector;
	s.stack = r->stack;
	s.tid = r->tid;
	s.cpu = r->cpu;
	s.kthread = r->kthread;
	s.weight = r->weight;
	__builtin_memcpy(s.comm, r->comm, sizeof(s.comm));
	if (r->key.inode)
		inode__name((void *)r->inode, s.file);
	if (bpf_ringbuf_output(&records, &s, sizeof(s), ring_flags(false)) && st)
		st->records_full++;
	return 0;
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

static __always_inline void stages(struct ended *e, const struct request_state *r,
				   struct block_stats *st)
{
	e->ns[BLOCK_QUEUED] = span(r->insert_ns, r->issue_ns, st);
	e->ns[BLOCK_DEVICE] = span(r->issue_ns, r->done_ns ? r->done_ns : e->now, st);
	e->ns[BLOCK_TOTAL] = span(r->live, e->now, st);
}

static __always_inline void count(struct ended *e, struct request_state *r, struct block_stats *st)
{
	st->requests += e->done;
	count_device(&r->key.dev, e, r);
	count_proc(e, r);
	if (!e->done)
		return;
	if (r->weight)
		report_one(e, r, RECORD_BLOCK_STACK);
	if (is_slow(e->ns[BLOCK_TOTAL]))
		report_one(e, r, RECORD_BLOCK_SLOW);
}

/*
 * A request that has ended, as there is another one at its address or none, without a call of
 * the program that is to see it. Kernels leave programs out when they would interrupt
 * themselves, and there are some that run none on top of certain tasks: what an interrupt does
 * there is not told.
 */
__noinline int count_unseen(struct request_state *r)
{
	struct block_stats *st = stats__get();
	struct ended e = {.done = 1};

	if (!st || !r || !r->issued || !r->accounted)
		return 0;
	e.now = bpf_ktime_get_ns();
	e.bytes = r->left;
	st->unseen++;
	count(&e, r, st);
	return 0;
}

/* The place of one that begins; r: that of its address, if there is one. Release it, or let it
 * live. */
static __always_inline struct request_state *request__begin(struct request_state *r, u64 address)
{
	u32 hash, way;

	if (!r) {
		hash = address__hash(address);
		way = take_place(hash);
		r = way == NO_PLACE ? NULL : request__at(hash, way);
		if (!r)
			return NULL;
		r->address = address;
	}
	if (is_live(r))
		count_unseen(r);
	request__clear(r);
	return r;
}

/* One that is first seen here, and began at some time until now. Out of scope it is kept too, as
 * whoever comes across it later is not who began it. What taking its stack takes makes it begin
 * later, else those with stacks would be the slow ones. */
static __always_inline void start(void *ctx, struct request_state *r, struct bio *bio, u64 began)
{
	u64 now;

	if (!state__whose(r, bio, began)) {
		r->outside = 1;
	} else if ((r->weight = stack__weight())) {
		now = bpf_ktime_get_ns();
		take_stack(ctx, r, began);
		r->walk_ns = bpf_ktime_get_ns() - now;
	}
	r->live = began + r->walk_ns;
}

#endif
