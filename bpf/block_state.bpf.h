/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests on their way: whose they are, where they were begun. */
#ifndef BPF_BLOCK_STATE_BPF_H
#define BPF_BLOCK_STATE_BPF_H

#include "bpf/block.h"
#include "bpf/block_kernel.bpf.h"
#include "bpf/scope.bpf.h"
#include "bpf/stack.bpf.h"

/* The program's and the tracepoint's: not of the stack that it looks at. */
#define TRACER_FRAMES 2

volatile u32 stack_every = 1; /* one request in so many has its stack taken */
volatile u32 stacks_taken = 0;
volatile u32 keep_requests = 1; /* see request__ends() */

/* A request, or a bio of a device that has no requests. */
struct request_state {
	u64 live; /* when it began; 0: there is none at this address now */
	u64 insert_ns, issue_ns;
	u64 done_ns; /* its data is written, a flush follows */
	u64 stamp;   /* of request.start_time_ns: whether it is still the same one */
	u64 sector;
	u64 inode; /* where in memory it is */
	u64 stack;
	struct block_proc_key key;
	u32 tid, cpu;
	u32 bytes, left; /* as it was issued; what is not done of that */
	u8 issued;	 /* key and bytes are filled */
	u8 accounted;	 /* in diskstats */
	u8 is_bio, kthread;
	u32 place; /* enum block_place */
	char comm[16];
};

/* By the address of the request, or of the bio. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 16384);
	__type(key, u64);
	__type(value, struct request_state);
} requests SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct block_stats);
} stats SEC(".maps");

static __always_inline struct block_stats *stats__get(void)
{
	u32 zero = 0;

	return bpf_map_lookup_elem(&stats, &zero);
}

/* The v2 cgroup that the I/O is charged to: of writeback that of who dirtied the pages. bio is
 * a pointer that the verifier knows, so that no helper is needed. */
static __always_inline u64 bio__cgroup(struct bio *bio)
{
	struct blkcg_gq *group = bio->bi_blkg;

	if (!group || group->blkcg->css.cgroup->root->hierarchy_id)
		return bpf_get_current_cgroup_id();
	return group->blkcg->css.cgroup->kn->id;
}

/* The inode whose page comes first; 0: the memory is not a file's. */
static __always_inline u64 bio__inode(struct bio *bio)
{
	struct page *page = bio->bi_io_vec->bv_page;
	struct address_space *mapping;
	u64 head;

	if (!page || !bpf_core_field_exists(page->mapping))
		return 0;
	mapping = BPF_CORE_READ(page, mapping);
	if (!mapping || ((u64)mapping & PAGE_MAPPING_NO_FILE))
		return 0;
	head = BPF_CORE_READ(page, compound_head);
	if (head & 1)
		mapping = BPF_CORE_READ((struct page *)(head - 1), mapping);
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

/* One in stack_every, ever fewer when there are more than were expected. */
static __always_inline bool wants_stack(u64 runs)
{
	u32 every = stack_every;

	if (every > 1 && runs % every)
		return false;
	if (__sync_fetch_and_add(&stacks_taken, 1) >= BLOCK_STACKS_MAX) {
		stacks_taken = 0;
		stack_every = every * 2;
	}
	return true;
}

static __always_inline void take_stack(void *ctx, struct request_state *r, u64 now)
{
	u32 slot = STACK_SLOT_TRACE, zero = 0, nkernel, nuser = 0;
	struct stack_record *s = bpf_map_lookup_elem(&stack_scratch, &slot);
	struct stack_stats *ss = bpf_map_lookup_elem(&stack_stats, &zero);

	if (!s || !ss)
		return;
	nkernel = stack__walk(ctx, s->ips, false, TRACER_FRAMES);
	if (!r->kthread)
		nuser = stack__walk(ctx, s->ips + nkernel, false, BPF_F_USER_STACK);
	if (!(nkernel + nuser))
		return;
	s->type = RECORD_STACK;
	s->tgid = r->key.tgid;
	s->nkernel = nkernel;
	s->nuser = nuser;
	s->t_ns = now;
	s->flags = 0;
	s->hash = stack__hash(s);
	if (stack__send(s, ss))
		r->stack = s->hash;
}

/* Names of threads are judged by user space: while it has to, they are counted apart. */
static __always_inline void name_key(struct request_state *r)
{
	const u64 *w = (const void *)r->comm;

	r->key.dev.name = 0;
	if ((u32)scope_state & SCOPE_BPF_COMMS)
		r->key.dev.name = hash_finish(hash_step(hash_step(1, w[0]), w[1]));
}

/* Fills who the current task is; false: not in scope. */
static __always_inline bool state__whose(struct request_state *r, struct bio *bio)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u64 id = bpf_get_current_pid_tgid();
	u32 cpu = bpf_get_smp_processor_id(), flags = task->flags;

	if (!scope__passes(task, id >> 32, (u32)id, cpu))
		return false;
	r->key.tgid = id >> 32;
	r->tid = (u32)id;
	r->cpu = cpu;
	r->kthread = (flags & PF_KTHREAD) != 0;
	bpf_get_current_comm(r->comm, sizeof(r->comm));
	name_key(r);
	if (!bio)
		return true;
	r->inode = bio__inode(bio);
	r->key.inode = inode__number((void *)r->inode);
	r->key.cgroup = bio__cgroup(bio);
	r->key.writeback =
		(flags & PF_WQ_WORKER) && r->inode && (bio->bi_opf & REQ_OP_MASK) == REQ_OP_WRITE;
	return true;
}

static __always_inline struct request_state *request__of(u64 address)
{
	return bpf_map_lookup_elem(&requests, &address);
}

static __noinline struct request_state *make_request(u64 address)
{
	struct request_state r = {};
	struct block_stats *st = stats__get();

	if (!st)
		return NULL;
	if (bpf_map_update_elem(&requests, &address, &r, BPF_NOEXIST)) {
		st->requests_full++;
		return NULL;
	}
	st->made++;
	return request__of(address);
}

/*
 * Requests are used again and again at the same addresses: entries of those that ended stay,
 * which spares making them anew each time, unless there are too many. Bios come anywhere.
 */
static __always_inline void request__ends(struct request_state *r, u64 address,
					  struct block_stats *st)
{
	r->live = 0;
	if (keep_requests && !r->is_bio)
		return;
	if (!bpf_map_delete_elem(&requests, &address))
		st->deleted++;
}

/* What is left of the one before goes. */
static __always_inline void request__clear(struct request_state *r)
{
	r->insert_ns = r->issue_ns = r->done_ns = 0;
	r->stamp = r->stack = r->inode = 0;
	r->key.cgroup = r->key.inode = 0;
	r->key.tgid = r->key.writeback = 0;
	r->key.dev.name = 0;
	r->tid = r->cpu = r->bytes = r->left = 0;
	r->issued = r->accounted = r->is_bio = r->kthread = 0;
	r->place = BLOCK_PLACE_UNKNOWN;
}

#endif
