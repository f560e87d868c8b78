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
#include "bpf/block.h"

#include "bpf/block_kernel.bpf.h"
#include "bpf/scope.bpf.h"
#include "bpf/stack.bpf.h"

char LICENSE[] SEC("license") = "GPL";

const volatile u32 rq_arg = 0;	/* 1: a queue comes before the request; up to 5.10 */
const volatile u32 bio_arg = 0; /* the same of block_bio_queue */
const volatile u32 rqf_io_stat = 1 << 13, rqf_flush_seq = 1 << 4; /* up to 6.10 */

volatile u32 ready = 0;	 /* all programs are attached */
volatile u32 active = 0; /* which maps count now */
volatile u32 slow_told = 0;
volatile u64 slow_ns = 0;     /* requests from here on are told one by one */
volatile u64 slow_max_ns = 0; /* up to here; 0: no limit */
volatile u32 stack_every = 0; /* one request in so many has its stack taken */

#define TRACER_FRAMES                                                                              \
	2 /* the program's and the tracepoint's: not of the stack that it looks at                 \
	   */

/* A request on its way. */
struct request_state {
	u64 start_ns, insert_ns, issue_ns;
	u64 done_ns; /* its data is written, a flush follows */
	u64 sector;
	u64 cgroup, inode; /* the file's; where in memory */
	u64 stack;
	u32 tgid, tid, cpu;
	u32 bytes;
	u8 kthread, writeback;
	u16 place; /* PLACE_x */
	u32 pad;
	char comm[16];
};

enum { PLACE_UNKNOWN, PLACE_RANDOM, PLACE_SEQUENTIAL };

/* By the address of the request, or of the bio. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, u64);
	__type(value, struct request_state);
} requests SEC(".maps");

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

/* Where the last request of a disk ended, in sectors. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 512);
	__type(key, u32);
	__type(value, u64);
} last_end SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct block_stats);
} stats SEC(".maps");

/* Never written to: what a new entry begins with is too large for the programs' stack. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct block_sum);
} empty_sum SEC(".maps");

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

static __always_inline struct block_stats *stats__get(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&stats, &zero);
}

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

/* --- whose it is --- */

/* The v2 cgroup that the I/O is charged to: of writeback that of who dirtied the pages. */
static __always_inline u64 bio__cgroup(struct bio *bio)
{
	struct cgroup___rooted *c = BPF_CORE_READ(bio, bi_blkg, blkcg, css.cgroup);

	if (!c || BPF_CORE_READ(c, root, hierarchy_id))
		return 0;
	return BPF_CORE_READ(c, kn, id);
}

/* The inode whose page comes first; 0: the memory is not a file's. */
static __always_inline u64 bio__inode(struct bio *bio)
{
	struct page *page = BPF_CORE_READ(bio, bi_io_vec, bv_page);
	struct address_space *mapping;
	u64 head;

	if (!page || !bpf_core_field_exists(page->mapping))
		return 0;
	head = BPF_CORE_READ(page, compound_head);
	if (head & 1)
		page = (void *)(head - 1);
	mapping = BPF_CORE_READ(page, mapping);
	if (!mapping || ((u64)mapping & PAGE_MAPPING_NO_FILE))
		return 0;
	return (u64)BPF_CORE_READ(mapping, host);
}

static __always_inline bool is_bdev(struct inode *inode)
{
	return BPF_CORE_READ(inode, i_sb, s_magic) == BDEVFS_MAGIC;
}

static __always_inline u64 inode__number(struct inode *inode)
{
	return inode && !is_bdev(inode) ? BPF_CORE_READ(inode, i_ino) : 0;
}

static __always_inline void inode__name(struct inode *inode, char *to)
{
	struct hlist_node *node = BPF_CORE_READ(inode, i_dentry.first);
	struct dentry *d = NULL;

	if (!node || is_bdev(inode) || !bpf_core_field_exists(d->d_u))
		return;
	d = (void *)node - bpf_core_field_offset(struct dentry, d_u.d_alias);
	bpf_probe_read_kernel_str(to, BLOCK_FILE_LEN, BPF_CORE_READ(d, d_name.name));
}

static __always_inline void take_stack(void *ctx, struct request_state *r, u64 now, u64 runs)
{
	u32 slot = STACK_SLOT_TRACE, zero = 0, every = stack_every, nkernel, nuser = 0;
	struct stack_record *s = bpf_map_lookup_elem(&stack_scratch, &slot);
	struct stack_stats *ss = bpf_map_lookup_elem(&stack_stats, &zero);

	if (!s || !ss || (every > 1 && runs % every))
		return;
	nkernel = stack__walk(ctx, s->ips, false, TRACER_FRAMES);
	if (!r->kthread)
		nuser = stack__walk(ctx, s->ips + nkernel, false, BPF_F_USER_STACK);
	if (!(nkernel + nuser))
		return;
	s->type = RECORD_STACK;
	s->tgid = r->tgid;
	s->nkernel = nkernel;
	s->nuser = nuser;
	s->t_ns = now;
	s->flags = 0;
	s->hash = stack__hash(s);
	if (stack__send(s, ss))
		r->stack = s->hash;
}

/* Fills who the current task is; false: not in scope. */
static __always_inline bool state__whose(struct request_state *r, struct bio *bio)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	u64 id = bpf_get_current_pid_tgid();
	u32 flags = BPF_CORE_READ(task, flags);

	if (!scope__passes(task, id >> 32, (u32)id, bpf_get_smp_processor_id()))
		return false;
	r->tgid = id >> 32;
	r->tid = (u32)id;
	r->cpu = bpf_get_smp_processor_id();
	r->kthread = (flags & PF_KTHREAD) != 0;
	bpf_get_current_comm(r->comm, sizeof(r->comm));
	if (!bio)
		return true;
	r->inode = bio__inode(bio);
	r->cgroup = bio__cgroup(bio);
	r->writeback = (flags & PF_WQ_WORKER) && r->inode;
	if (!r->cgroup)
		r->cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	return true;
}

static __always_inline struct request_state *request__of(u64 address)
{
	return bpf_map_lookup_elem(&requests, &address);
}

/* One that begins here; NULL: out of scope, or no room. */
static __always_inline struct request_state *start(void *ctx, u64 address, struct bio *bio, u64 now,
						   struct block_stats *st)
{
	struct request_state r = {.start_ns = now};

	if (!state__whose(&r, bio))
		return NULL;
	take_stack(ctx, &r, now, st->runs);
	if (bpf_map_update_elem(&requests, &address, &r, BPF_ANY)) {
		st->requests_full++;
		return NULL;
	}
	return request__of(address);
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

/* Names of threads are judged by user space: while it has to, they are counted apart. */
static __always_inline void key__name(struct block_key *k, const char *comm)
{
	const u64 *w = (const void *)comm;

	if ((u32)scope_state & SCOPE_BPF_COMMS)
		k->name = hash_finish(hash_step(hash_step(1, w[0]), w[1]));
}

/* --- counting --- */

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
