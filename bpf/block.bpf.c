// SPDX-License-Identifier: GPL-2.0-only
/*
 * Block I/O: how long requests waited and were served, whose they were, and what was slow.
 * Programs on block_io_start, block_rq_insert, block_rq_issue and block_rq_complete follow each
 * request; block_bio_queue and block_bio_complete those of devices that have no requests
 * (zram, device mapper ...).
 *
 * What is counted is what /proc/diskstats counts, at the same places: a request once, when its
 * last byte is done; bytes whenever some are, for as long as it has a bio; a flush when the
 * device has done it, once for all who asked for it. Partitions are counted apart; their disk's
 * numbers are made of them by user space.
 *
 * Counts are taken by atomic additions in maps that take turns as in cpu.bpf.c. Newer kernels
 * leave a program out that would interrupt itself, as when a disk's interrupt comes while a
 * loop device's request ends: therefore each end is looked at twice, see seen__mark().
 */
#include "bpf/block_count.bpf.h"
#include "bpf/block_state.bpf.h"

char LICENSE[] SEC("license") = "GPL";

const volatile u32 rq_arg = 0;	/* 1: a queue comes before the request; up to 5.10 */
const volatile u32 bio_arg = 0; /* the same of block_bio_queue */
const volatile u32 rqf_io_stat = 1 << 13, rqf_flush_seq = 1 << 4; /* up to 6.10 */

volatile u32 ready = 0; /* all programs are attached */

/* Where the last request of a disk ended, in sectors. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 512);
	__type(key, u32);
	__type(value, u64);
} last_end SEC(".maps");

#define SEEN_DEPTH 8

struct seen {
	u32 n;
	u64 at[SEEN_DEPTH];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct seen);
} seen SEC(".maps");

static __always_inline u64 begin(struct block_stats *st)
{
	st->runs++;
	return bpf_ktime_get_ns();
}

/* A look at the clock costs as much as a good part of a run: one in 64 is timed. */
static __always_inline void end(struct block_stats *st, u64 then)
{
	if (st->runs & 63)
		return;
	st->timed++;
	st->run_ns += bpf_ktime_get_ns() - then;
}

/* --- which device --- */

static __always_inline u32 disk__dev(struct gendisk *d)
{
	return d ? ((u32)d->major << 20) | (u32)d->first_minor : 0;
}

static __always_inline struct gendisk *request__disk(struct request *rq)
{
	if (bpf_core_field_exists(rq->q->disk))
		return rq->q->disk;
	return ((struct request___old *)rq)->rq_disk;
}

static __always_inline u32 request__dev(struct request *rq, u32 disk)
{
	if (bpf_core_type_exists(struct hd_struct)) {
		struct hd_struct *part = ((struct request___old *)rq)->part;

		return part ? disk + part->partno : disk;
	}
	return rq->part ? rq->part->bd_dev : disk;
}

static __always_inline void key__op(struct block_key *k, u32 opf)
{
	u32 op = opf & REQ_OP_MASK;

	if (op == REQ_OP_FLUSH)
		k->op = BLOCK_FLUSH;
	else if (op == REQ_OP_DISCARD)
		k->op = BLOCK_DISCARD;
	else
		k->op = op & 1 ? BLOCK_WRITE : BLOCK_READ;
	k->flags = 0;
	if (k->op == BLOCK_WRITE && (opf & (REQ_SYNC | REQ_PREFLUSH)))
		k->flags |= BLOCK_FLAG_SYNC;
	if (opf & REQ_META)
		k->flags |= BLOCK_FLAG_META;
	if (op > REQ_OP_DISCARD && op != REQ_OP_ZONE_APPEND)
		k->flags |= BLOCK_FLAG_OTHER;
}

/* --- requests --- */

SEC("tp_btf/block_io_start")
int block_start(u64 *ctx)
{
	struct request *rq = (void *)ctx[0];
	struct block_stats *st = stats__get();
	u64 now;

	if (!st || !ready)
		return 0;
	now = begin(st);
	start(ctx, (u64)rq, rq->bio, now, st);
	end(st, now);
	return 0;
}

/* The one that the device's flush is made of belongs to many, or to nobody. */
static __always_inline struct request_state *start_flush(struct request *rq, u64 now,
							 struct block_stats *st)
{
	struct request_state r = {.start_ns = rq->start_time_ns};
	u64 address = (u64)rq;

	if (scope_state & ~0u)
		return NULL;
	if (!r.start_ns || r.start_ns > now)
		r.start_ns = now;
	__builtin_memcpy(r.comm, "[flush]", 8);
	if (bpf_map_update_elem(&requests, &address, &r, BPF_ANY)) {
		st->requests_full++;
		return NULL;
	}
	return request__of(address);
}

static __always_inline bool is_flush(struct request *rq)
{
	return (rq->cmd_flags & REQ_OP_MASK) == REQ_OP_FLUSH;
}

/* Where its begin is not told (before 6.5), this is the first that is seen of it. */
static __always_inline struct request_state *find_or_start(void *ctx, struct request *rq, u64 now,
							   struct block_stats *st)
{
	struct request_state *r = request__of((u64)rq);

	if (r)
		return r;
	if (is_flush(rq))
		return start_flush(rq, now, st);
	return start(ctx, (u64)rq, rq->bio, now, st);
}

SEC("tp_btf/block_rq_insert")
int block_insert(u64 *ctx)
{
	struct request *rq = rq_arg ? (void *)ctx[1] : (void *)ctx[0];
	struct block_stats *st = stats__get();
	struct request_state *r;
	u64 now;

	if (!st || !ready)
		return 0;
	now = begin(st);
	r = find_or_start(ctx, rq, now, st);
	/* Without a scheduler only a few are inserted: they tell nothing of the others. */
	if (r && rq->q->elevator)
		r->insert_ns = now;
	end(st, now);
	return 0;
}

static __always_inline void note_place(struct request_state *r, u32 disk)
{
	u64 after = r->sector + (r->bytes >> 9), *last = bpf_map_lookup_elem(&last_end, &disk);

	if (last) {
		r->place = *last == r->sector ? PLACE_SEQUENTIAL : PLACE_RANDOM;
		*last = after;
	} else {
		bpf_map_update_elem(&last_end, &disk, &after, BPF_ANY);
	}
}

SEC("tp_btf/block_rq_issue")
int block_issue(u64 *ctx)
{
	struct request *rq = rq_arg ? (void *)ctx[1] : (void *)ctx[0];
	struct block_stats *st = stats__get();
	struct request_state *r;
	u64 now;

	if (!st || !ready)
		return 0;
	now = begin(st);
	r = find_or_start(ctx, rq, now, st);
	if (r) {
		r->issue_ns = now;
		r->sector = rq->__sector;
		r->bytes = rq->__data_len;
		if (r->bytes && !is_flush(rq))
			note_place(r, disk__dev(request__disk(rq)));
	}
	end(st, now);
	return 0;
}

/* It became part of another one. */
SEC("tp_btf/block_rq_merge")
int block_merge(u64 *ctx)
{
	u64 address = rq_arg ? ctx[1] : ctx[0];

	bpf_map_delete_elem(&requests, &address);
	return 0;
}

/* Whether it is in diskstats. Its flag is missing where they are switched off; what a driver
 * sends on its own is counted where they say so. */
static __always_inline bool is_accounted(struct request *rq)
{
	if (is_flush(rq))
		return rq->rq_flags & rqf_flush_seq;
	return (rq->rq_flags & rqf_io_stat) || (rq->cmd_flags & REQ_OP_MASK) < REQ_OP_PASSTHROUGH;
}

static __always_inline void ended__fill(struct ended *e, struct request *rq, u32 bytes, u64 now)
{
	bool in_flush = rq->rq_flags & rqf_flush_seq;

	e->key.dev.disk = disk__dev(request__disk(rq));
	e->key.dev.dev = is_flush(rq) ? e->key.dev.disk : request__dev(rq, e->key.dev.disk);
	key__op(&e->key.dev, rq->cmd_flags);
	e->now = now;
	e->bytes = rq->bio ? bytes & ~511u : 0;
	/* Within a flush, the data that was written is not the end yet. */
	e->done = bytes >= rq->__data_len && (is_flush(rq) || !in_flush);
	e->address = (u64)rq;
}

static __always_inline void complete(struct request *rq, u32 bytes, struct block_stats *st)
{
	u64 now = begin(st);
	struct request_state *r = request__of((u64)rq);
	struct ended e = {};

	/* Who began it is not known, or does not count. */
	if (!r && (u32)scope_state)
		return;
	if (!is_accounted(rq)) {
		if (r)
			bpf_map_delete_elem(&requests, &(u64){(u64)rq});
		return;
	}
	ended__fill(&e, rq, bytes, now);
	if (!r && rq->start_time_ns && e.done)
		e.ns[BLOCK_TOTAL] = span(rq->start_time_ns, now, st);
	if (r && !e.done && bytes >= rq->__data_len)
		r->done_ns = now;
	if (e.done || e.bytes)
		count(&e, r, st);
	if (r && e.done)
		bpf_map_delete_elem(&requests, &e.address);
	end(st, now);
}

/*
 * Two programs in a row see each end. The first one marks it, the second one finds the mark, or
 * takes its place. Ends lie within each other as interrupts do: what is above the own mark is
 * of interrupts that have returned.
 */
static __always_inline void seen__mark(u64 address)
{
	u32 zero = 0, n;
	struct seen *s = bpf_map_lookup_elem(&seen, &zero);

	if (!s)
		return;
	n = *(volatile u32 *)&s->n;
	if (n >= SEEN_DEPTH)
		n = 0;
	s->at[n] = address;
	*(volatile u32 *)&s->n = n + 1;
}

static __always_inline bool seen__take(u64 address)
{
	u32 zero = 0, n;
	struct seen *s = bpf_map_lookup_elem(&seen, &zero);

	if (!s)
		return true;
	n = *(volatile u32 *)&s->n;
	for (int i = SEEN_DEPTH - 1; i >= 0; i--) {
		if ((u32)i >= n || s->at[i] != address)
			continue;
		*(volatile u32 *)&s->n = i;
		return true;
	}
	return false;
}

SEC("tp_btf/block_rq_complete")
int block_complete(u64 *ctx)
{
	struct request *rq = (void *)ctx[0];
	struct block_stats *st = stats__get();

	if (!st || !ready)
		return 0;
	seen__mark((u64)rq);
	complete(rq, ctx[2], st);
	return 0;
}

SEC("tp_btf/block_rq_complete")
int block_complete_again(u64 *ctx)
{
	struct request *rq = (void *)ctx[0];
	struct block_stats *st = stats__get();

	if (!st || !ready || seen__take((u64)rq))
		return 0;
	st->nested++;
	complete(rq, ctx[2], st);
	return 0;
}

/* --- devices without requests --- */

static __always_inline struct gendisk *bio__disk(struct bio *bio)
{
	if (bpf_core_field_exists(bio->bi_bdev))
		return bio->bi_bdev->bd_disk;
	return ((struct bio___old *)bio)->bi_disk;
}

static __always_inline u32 bio__dev(struct bio *bio, u32 disk)
{
	if (bpf_core_field_exists(bio->bi_bdev))
		return bio->bi_bdev->bd_dev;
	return disk + ((struct bio___old *)bio)->bi_partno;
}

SEC("tp_btf/block_bio_queue")
int block_bio_start(u64 *ctx)
{
	struct bio *bio = bio_arg ? (void *)ctx[1] : (void *)ctx[0];
	struct block_stats *st = stats__get();
	struct request_state *r;
	u64 now;

	if (!st || !ready || !bio__disk(bio)->fops->submit_bio)
		return 0;
	now = begin(st);
	r = start(ctx, (u64)bio, bio, now, st);
	if (r) {
		r->sector = bio->bi_iter.bi_sector;
		r->bytes = bio->bi_iter.bi_size;
		if (r->bytes)
			note_place(r, disk__dev(bio__disk(bio)));
	}
	end(st, now);
	return 0;
}

/* How many bytes it had is known from its begin alone. */
SEC("tp_btf/block_bio_complete")
int block_bio_end(u64 *ctx)
{
	struct bio *bio = (void *)ctx[1];
	struct block_stats *st = stats__get();
	struct request_state *r;
	struct ended e = {};
	u64 address = (u64)bio;

	if (!st || !ready || !bio__disk(bio)->fops->submit_bio)
		return 0;
	r = request__of(address);
	if (!r)
		return 0;
	e.now = begin(st);
	e.key.dev.disk = disk__dev(bio__disk(bio));
	e.key.dev.dev = bio__dev(bio, e.key.dev.disk);
	key__op(&e.key.dev, bio->bi_opf);
	e.bytes = r->bytes & ~511u;
	e.done = 1;
	count(&e, r, st);
	bpf_map_delete_elem(&requests, &address);
	end(st, e.now);
	return 0;
}

/* --- children --- */

SEC("raw_tp/sched_process_fork")
int block_fork(struct bpf_raw_tracepoint_args *ctx)
{
	struct block_stats *st = stats__get();

	if (!scope__follow_fork((void *)ctx->args[0], (void *)ctx->args[1]) && st)
		st->forks_lost++;
	return 0;
}

SEC("raw_tp/sched_process_exit")
int block_exit(struct bpf_raw_tracepoint_args *ctx)
{
	scope__follow_exit((void *)ctx->args[0]);
	return 0;
}
