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

volatile u32 stack_every = 0; /* one request in so many has its stack taken */

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
	r->writeback =
		(flags & PF_WQ_WORKER) && r->inode && (bio->bi_opf & REQ_OP_MASK) == REQ_OP_WRITE;
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

#endif
