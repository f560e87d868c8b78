// SPDX-License-Identifier: GPL-2.0-only
/*
 * Block I/O: how long requests waited and were served, whose they were, and what was slow.
 * Programs on block_rq_insert, block_rq_issue and block_rq_complete follow each request;
 * block_bio_queue and block_bio_complete those of devices that have no requests (zram, device
 * mapper ...).
 *
 * Whose a request is, is asked when it is first seen: whoever submits it also inserts it or, where
 * no scheduler is, issues it. What a flush comes first of is given to workers at once: of such ones
 * block_io_start tells who began them, or, up to 6.4, the bio that they are made of.
 *
 * What is counted is what /proc/diskstats counts, at the same places: a request once, when its
 * last byte is done; bytes whenever some are, for as long as it has a bio; a flush when the
 * device has done it, once for all who asked for it. Partitions are counted apart; their disk's
 * numbers are made of them by user space.
 *
 * Counts are taken by atomic additions in maps that take turns as in cpu.bpf.c. Ends that no
 * program is told of are found when the next request begins at the same address, or by
 * block_look, which looks at requests that are long on their way once an interval: see count_unseen().
 *
 * There is no other set of programs on functions, by fentry: blk_account_io_start() and _done() are
 * part of their callers on most kernels since 5.17, what they do is done where the tracepoints are,
 * and an end that a tracepoint's program is not run for is hidden from a function's just as well.
 */
#include "bpf/block_count.bpf.h"
#include "bpf/block_state.bpf.h"

char LICENSE[] SEC("license") = "GPL";

const volatile u32 rq_arg = 0;	  /* 1: a queue comes before the request; up to 5.10 */
const volatile u32 bio_arg = 0;	  /* the same of block_bio_queue */
const volatile u32 by_bio = 0;	  /* there is no block_io_start */
const volatile u32 rqf_io_stat = 1 << 13, rqf_flush_seq = 1 << 4; /* up to 6.10 */

volatile u32 ready = 0; /* all programs are attached */

#define DISKS	1024
#define EARLY_NS 60000000000ULL /* what is told ahead of a request is of one that came by then */

struct last_end {
	u32 disk, pad;
	u64 sector;
};

/* Where the last request of a disk ended; disks that share a place take it from each other. */
ARRAY_MAP(last_ends, DISKS, struct last_end);

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

static __always_inline u32 opf__op(u32 opf)
{
	u32 op = opf & REQ_OP_MASK;

	if (op == REQ_OP_FLUSH)
		return BLOCK_FLUSH;
	if (op == REQ_OP_DISCARD)
		return BLOCK_DISCARD;
	return op & 1 ? BLOCK_WRITE : BLOCK_READ;
}

static __always_inline void key__op(struct block_key *k, u32 opf)
{
	u32 op = opf & REQ_OP_MASK, flags = 0;

	STORE(k->op, opf__op(opf));
	if (k->op == BLOCK_WRITE && (opf & (REQ_SYNC | REQ_PREFLUSH)))
		flags |= BLOCK_FLAG_SYNC;
	if (opf & REQ_META)
		flags |= BLOCK_FLAG_META;
	if (op > REQ_OP_DISCARD && op != REQ_OP_ZONE_APPEND)
		flags |= BLOCK_FLAG_OTHER;
	STORE(k->flags, flags);
}

/* --- requests --- */

/* A queue that times nothing has no time of its begin: then that is now. */
static __always_inline u64 began(struct request *rq, u64 now)
{
	u64 at = rq->start_time_ns;

	return at && at < now ? at : now;
}

/* The one that the device's flush is made of belongs to many, or to nobody. */
static __always_inline void start_flush(struct request_state *r, u64 began)
{
	request__set(r, 0, 0, 0);
	request__set_inode(r, 0);
	request__set_no_group(r);
	STORE(r->key.dev.name, 0);
	__builtin_memset(r->comm, 0, sizeof(r->comm));
	__builtin_memcpy(r->comm, "[flush]", 8);
	r->outside = (scope_state & ~0u) != 0;
	r->live = began;
}

static __always_inline bool is_flush(struct request *rq)
{
	return (rq->cmd_flags & REQ_OP_MASK) == REQ_OP_FLUSH;
}

/* Whether it is another one than that which was seen at its address; of one that only block_start
 * has seen nobody knows. */
static __always_inline bool is_stale(struct request_state *r, struct request *rq)
{
	return r->stamp && r->stamp != rq->start_time_ns;
}

/* Of a request that a flush comes first of: what its bio told, or NULL. It is in a sequence of
 * flushes then, or has been and has no data. */
static __always_inline struct request_state *state_of_bio(struct request *rq)
{
	if (!by_bio || !rq->bio || (rq->__data_len && !(rq->rq_flags & rqf_flush_seq)))
		return NULL;
	return request__of((u64)rq->bio);
}

/* From now on it is known by the request's address. */
static __always_inline void take_over(struct request_state *r, struct request_state *from)
{
	u64 address = r->address;

	*r = *from;
	r->address = address;
	from->live = 0;
}

/* NULL: no room. What it takes to start one is no time of the request's: now is later then. */
static __always_inline struct request_state *find_or_start(void *ctx, struct request *rq, u64 *now)
{
	struct request_state *r = request__place((u64)rq), *from;

	if (r && is_live(r) && !is_stale(r, rq))
		return r;
	r = request__begin(r, (u64)rq);
	if (!r)
		return NULL;
	from = state_of_bio(rq);
	if (from) {
		take_over(r, from);
	} else if (is_flush(rq)) {
		start_flush(r, began(rq, *now));
	} else {
		start(ctx, r, rq->bio, began(rq, *now));
		*now += r->walk_ns;
	}
	return r;
}

/* The time of its begin is put into the request after this. */
SEC("tp_btf/block_io_start")
int block_start(u64 *ctx)
{
	struct request *rq = (void *)ctx[0];
	struct request_state *r;
	struct block_stats *st;
	u64 now;

	if (!(rq->cmd_flags & REQ_PREFLUSH))
		return 0;
	st = stats__get();
	if (!st || !ready)
		return 0;
	now = run__begin(st);
	r = request__begin(request__place((u64)rq), (u64)rq);
	if (r)
		start(ctx, r, rq->bio, now);
	run__end(st, now);
	return 0;
}

SEC("tp_btf/block_rq_insert")
int block_insert(u64 *ctx)
{
	struct request *rq = rq_arg ? (void *)ctx[1] : (void *)ctx[0];
	struct block_stats *st = stats__get();
	struct request_state *r;
	u64 begin_ns, now;

	if (!st || !ready)
		return 0;
	begin_ns = now = run__begin(st);
	r = find_or_start(ctx, rq, &now);
	if (r)
		r->stamp = rq->start_time_ns;
	/* Without a scheduler only a few are inserted: they tell nothing of the others. */
	if (r && rq->q->elevator)
		r->insert_ns = now;
	run__end(st, begin_ns);
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

static __always_inline void identify(struct block_key *k, struct request *rq)
{
	STORE(k->disk, disk__dev(request__disk(rq)));
	STORE(k->dev, is_flush(rq) ? k->disk : request__dev(rq, k->disk));
	key__op(k, rq->cmd_flags);
}

/* What is known of it from its issue on: nothing is merged into it any more. */
static __always_inline void take_request(struct request_state *r, struct request *rq)
{
	identify(&r->key.dev, rq);
	r->sector = rq->__sector;
	r->bytes = r->left = rq->__data_len;
	r->accounted = is_accounted(rq);
	r->issued = 1;
}

static __always_inline void note_place(struct request_state *r)
{
	u32 disk = r->key.dev.disk, slot = (disk ^ (disk >> 20)) % DISKS;
	struct last_end *last = bpf_map_lookup_elem(&last_ends, &slot);

	if (!last)
		return;
	if (last->disk == disk)
		r->place = last->sector == r->sector ? BLOCK_SEQUENTIAL : BLOCK_RANDOM;
	last->disk = disk;
	last->sector = r->sector + (r->bytes >> 9);
}

SEC("tp_btf/block_rq_issue")
int block_issue(u64 *ctx)
{
	struct request *rq = rq_arg ? (void *)ctx[1] : (void *)ctx[0];
	struct block_stats *st = stats__get();
	struct request_state *r;
	u64 begin_ns, now;

	if (!st || !ready)
		return 0;
	begin_ns = now = run__begin(st);
	r = find_or_start(ctx, rq, &now);
	if (r)
		r->stamp = rq->start_time_ns;
	if (r && !r->outside) {
		r->issue_ns = now;
		take_request(r, rq);
		if (r->bytes && r->key.dev.op != BLOCK_FLUSH)
			note_place(r);
	}
	run__end(st, begin_ns);
	return 0;
}

/* It became part of another one. */
SEC("tp_btf/block_rq_merge")
int block_merge(u64 *ctx)
{
	struct request_state *r = request__of(rq_arg ? ctx[1] : ctx[0]);

	if (r)
		r->live = 0;
	return 0;
}

/* Who began it is not known. */
static __always_inline void complete_unknown(struct request *rq, struct ended *e,
					     struct block_stats *st)
{
	struct block_key k = {};

	if (!is_accounted(rq))
		return;
	identify(&k, rq);
	if (rq->start_time_ns && e->done)
		e->ns[BLOCK_TOTAL] = span(rq->start_time_ns, e->now, st);
	st->requests += e->done;
	count_device(&k, e, NULL);
}

static __always_inline void complete_known(struct request *rq, struct ended *e, u32 bytes,
					   struct request_state *r, struct block_stats *st)
{
	if (r->outside) {
		if (e->done)
			r->live = 0;
		return;
	}
	if (!r->issued)
		take_request(r, rq);
	if (e->done)
		stages(e, r, st);
	else if (bytes >= rq->__data_len)
		r->done_ns = e->now;
	r->left -= e->bytes < r->left ? e->bytes : r->left;
	if (r->accounted && (e->done || e->bytes))
		count(e, r, st);
	if (e->done)
		r->live = 0;
}

SEC("tp_btf/block_rq_complete")
int block_complete(u64 *ctx)
{
	struct request *rq = (void *)ctx[0];
	struct block_stats *st = stats__get();
	struct request_state *r;
	struct ended e = {};
	u32 bytes = ctx[2];

	if (!st || !ready)
		return 0;
	e.now = run__begin(st);
	e.bytes = rq->bio ? bytes & ~511u : 0;
	/* Within a flush, the data that was written is not the end yet. */
	e.done = bytes >= rq->__data_len && (is_flush(rq) || !(rq->rq_flags & rqf_flush_seq));
	r = request__of((u64)rq);
	if (r && is_stale(r, rq)) {
		count_unseen(r);
		r->live = 0;
		r = NULL;
	}
	if (!r)
		r = state_of_bio(rq);
	if (r)
		complete_known(rq, &e, bytes, r, st);
	else if (!(u32)scope_state)
		complete_unknown(rq, &e, st);
	run__end(st, e.now);
	return 0;
}

/* User space runs it for each request that is long on its way: the argument is its place. */
SEC("raw_tp")
int block_look(struct bpf_raw_tracepoint_args *ctx)
{
	u32 i = (u32)ctx->args[0];
	struct request_state *r = bpf_map_lookup_elem(&requests, &i), was;
	struct request *rq;

	if (!r || !is_live(r) || r->is_bio)
		return 0;
	was = *r;
	if (!was.issued) {
		/* Told ahead, of a request that then ended unseen. */
		if (!was.stamp && bpf_ktime_get_ns() - was.live > EARLY_NS)
			__sync_val_compare_and_swap(&r->live, was.live, 0);
		return 0;
	}
	rq = (void *)was.address;
	if (BPF_CORE_READ(rq, ref.counter) && BPF_CORE_READ(rq, start_time_ns) == was.stamp)
		return 0;
	if (__sync_val_compare_and_swap(&r->live, was.live, 0) == was.live)
		count_unseen(&was);
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
	now = run__begin(st);
	r = request__begin(request__place((u64)bio), (u64)bio);
	if (r)
		start(ctx, r, bio, now);
	if (r && r->outside) {
		r->live = 0;
	} else if (r) {
		r->key.dev.disk = disk__dev(bio__disk(bio));
		r->key.dev.dev = bio__dev(bio, r->key.dev.disk);
		key__op(&r->key.dev, bio->bi_opf);
		r->sector = bio->bi_iter.bi_sector;
		r->bytes = r->left = bio->bi_iter.bi_size;
		r->is_bio = r->issued = r->accounted = 1;
		if (r->bytes)
			note_place(r);
	}
	run__end(st, now);
	return 0;
}

/* Who sends what a flush comes first of: the request that is made of it takes it over. */
SEC("tp_btf/block_bio_queue")
int block_flush_bio(u64 *ctx)
{
	struct bio *bio = bio_arg ? (void *)ctx[1] : (void *)ctx[0];
	struct block_stats *st;
	struct request_state *r;
	u64 now;

	if (!(bio->bi_opf & REQ_PREFLUSH) || bio__disk(bio)->fops->submit_bio)
		return 0;
	st = stats__get();
	if (!st || !ready)
		return 0;
	now = run__begin(st);
	r = request__begin(request__place((u64)bio), (u64)bio);
	if (r)
		start(ctx, r, bio, now);
	run__end(st, now);
	return 0;
}

/* How many bytes it had is known from its begin alone. */
SEC("tp_btf/block_bio_complete")
int block_bio_end(u64 *ctx)
{
	struct bio *bio = (void *)ctx[1];
	struct block_stats *st = stats__get();
	struct request_state *r;
	struct ended e = {.done = 1};

	if (!st || !ready || !bio__disk(bio)->fops->submit_bio)
		return 0;
	r = request__of((u64)bio);
	if (!r)
		return 0;
	e.now = run__begin(st);
	e.bytes = r->bytes & ~511u;
	stages(&e, r, st);
	count(&e, r, st);
	r->live = 0;
	run__end(st, e.now);
	return 0;
}

/* --- files that become dirty --- */

static __always_inline int dirty(struct address_space *mapping)
{
	struct block_stats *st = stats__get();
	struct inode *inode;
	u64 begin_ns;

	if (!st || !ready || !mapping)
		return 0;
	begin_ns = run__begin_unclocked(st);
	inode = mapping->host;
	if (inode)
		note_dirtier(inode);
	run__end(st, begin_ns);
	return 0;
}

SEC("tp_btf/writeback_dirty_folio")
int block_dirty(u64 *ctx)
{
	return dirty((void *)ctx[1]);
}

/* Up to 5.17. */
SEC("tp_btf/writeback_dirty_page")
int block_dirty_page(u64 *ctx)
{
	return dirty((void *)ctx[1]);
}

