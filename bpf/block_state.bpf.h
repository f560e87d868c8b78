/* SPDX-License-Identifier: GPL-2.0-only */
/* Requests on their way: whose they are, where they were begun. */
#ifndef BPF_BLOCK_STATE_BPF_H
#define BPF_BLOCK_STATE_BPF_H

#include "bpf/block.h"
#include "bpf/block_dirty.bpf.h"
#include "bpf/block_kernel.bpf.h"
#include "bpf/moment.bpf.h"
#include "bpf/stack.bpf.h"

/* Stacks are sampled by chance: each request has its stack taken with a probability of one in stack_every,
 * a power of two, and stands for so many. What was taken so far in the interval decides how many
 * that is, never the request, so that sums by stack are unbiased. */
#define STACK_EVERY_MOST (1u << 20)
volatile u32 stack_every = 1;
volatile u32 stacks_taken = 0;
volatile u32 stacks_most = 128; /* in an interval; then fewer requests have theirs taken */

/* A request, or a bio of a device that has no requests. What is another's with each request fills
 * the first cache line; the others as a rule are written anew only when somebody else begins one,
 * see STORE(). */
struct request_state {
	u64 live;    /* when it began; 0: there is none; BLOCK_SLOT_TAKEN: it begins now */
	u64 address; /* of the request, or of the bio */
	u64 insert_ns, issue_ns;
	u64 stamp; /* of request.start_time_ns: whether it is still the same one */
	u64 sector;
	u32 bytes, left; /* as it was issued; what is not done of that */
	u8 issued;	 /* key and bytes are filled */
	u8 accounted;	 /* in diskstats */
	u8 outside;	 /* not in scope */
	u8 is_bio;
	u8 place; /* enum block_place */
	u8 kthread;
	u16 pad;
	struct block_proc_key key;
	u32 tid, cpu;
	u32 sum, proc; /* where in the maps such keys were counted last */
	char comm[16];
	u64 done_ns; /* its data is written, a flush follows */
	u64 inode;   /* where in memory it is */
	u64 stack;
	u64 group, group_ns; /* whose cgroup is in the key, and when that was looked up */
	u32 weight;  /* requests that its stack stands for; 0: it was not chosen */
	u32 walk_ns; /* what taking its stack took, which is no time of the request's */
};

/* What one CPU writes and another one reads costs most of all here: not where it is the same. */
#define STORE(to, what)                                                                            \
	do {                                                                                       \
		__typeof__(to) what_ = (what);                                                     \
                                                                                                   \
		if ((to) != what_)                                                                 \
			(to) = what_;                                                              \
	} while (0)

_Static_assert(sizeof(struct request_state) % 64 == 0 &&
		       sizeof(struct request_state) == sizeof(struct block_slot),
	       "cache lines, and what user space looks at");

/*
 * Each address has REQUEST_WAYS places in a row, from request__at() on. That costs a tenth of a
 * hash map's entry that is made, found and deleted. An entry whose request ended stays for the
 * next one at its address (requests are used again and again), or for whoever needs the place.
 */
#define REQUEST_WAYS 4

SHARED_ARRAY_MAP(requests, 16384, struct request_state); /* begins with a page, and so with a cache line */

const volatile u32 requests_mask = 16383; /* their number is a power of two */

static __always_inline bool bio__is_charged(struct bio *bio)
{
	struct blkcg_gq *group = bio->bi_blkg;

	return group && !group->blkcg->css.cgroup->root->hierarchy_id;
}

/* The v2 cgroup that the I/O is charged to: of writeback that of who dirtied the pages. bio is
 * a pointer that the verifier knows, so that no helper is needed. */
static __always_inline u64 bio__cgroup(struct bio *bio)
{
	if (!bio__is_charged(bio))
		return bpf_get_current_cgroup_id();
	return bio->bi_blkg->blkcg->css.cgroup->kn->id;
}

#define GROUP_KNOWN_NS 100000000

/* The same for some time, as the way there is long: who used this entry before as a rule uses
 * it again, and another group is not soon made at the address of one that went. */
static __always_inline u64 cached_cgroup(struct request_state *r, struct bio *bio, u64 now)
{
	u64 group = (u64)bio->bi_blkg;

	if (group && group == r->group && now - r->group_ns < GROUP_KNOWN_NS)
		return r->key.cgroup;
	r->group = group;
	r->group_ns = now;
	return bio__cgroup(bio);
}

static __always_inline bool is_file(u64 mapping)
{
	return mapping && !(mapping & PAGE_MAPPING_NO_FILE);
}

/* The address of the page that stands for all that are in one piece with this one. */
static __always_inline u64 page__head(struct page *page)
{
	struct page___info *now = (void *)page;
	u64 info, at = as_number(page);

	if (bpf_core_field_exists(now->compound_info))
		info = BPF_CORE_READ(now, compound_info);
	else
		info = BPF_CORE_READ(page, compound_head);
	if (!(info & 1))
		return at;
	/* No page lies in the last 4 GiB of all addresses. */
	return info > ~0xffffffffULL ? at & info : info - 1;
}

/* The inode whose page comes first; 0: the memory is not a file's. The verifier does not let
 * bits of a pointer be looked at: in memory it is a number. */
static __always_inline u64 bio__inode(struct bio *bio, volatile u64 *scratch)
{
	struct page *page = bio->bi_io_vec->bv_page;
	u64 mapping;

	if (!page || !bpf_core_field_exists(page->mapping))
		return 0;
	*scratch = (u64)page->mapping;
	mapping = *scratch;
	if (!is_file(mapping))
		return 0;
	mapping = (u64)BPF_CORE_READ((struct page *)page__head(page), mapping);
	return is_file(mapping) ? (u64)BPF_CORE_READ((struct address_space *)mapping, host) : 0;
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

/* How many requests this one's stack is to stand for, 0 none: ever more when there are more than
 * were expected. */
static __always_inline u32 stack__weight(void)
{
	u32 every = stack_every;

	if (every > 1 && (bpf_get_prandom_u32() & (every - 1)))
		return 0;
	if (__sync_fetch_and_add(&stacks_taken, 1) >= stacks_most) {
		stacks_taken = 0;
		stack_every = every < STACK_EVERY_MOST ? every * 16 : every;
	}
	return every;
}

static __always_inline void take_stack(void *ctx, struct request_state *r, u64 now)
{
	u32 slot = STACK_SLOT_TRACE, zero = 0, nkernel, nuser = 0;
	struct stack_record *s = bpf_map_lookup_elem(&stack_scratch, &slot);
	struct stack_stats *ss = bpf_map_lookup_elem(&stack_stats, &zero);

	if (!s || !ss)
		return;
	s->flags = 0;
	nkernel = stack__walk(ctx, s->ips, false, TRACER_FRAMES);
	if (!r->kthread)
		nuser = stack__walk_user(ctx, s, slot, nkernel, false, 0, now);
	if (!(nkernel + nuser))
		return;
	s->type = RECORD_STACK;
	s->tgid = r->key.tgid;
	s->nkernel = nkernel;
	s->nuser = nuser;
	s->t_ns = now;
	s->hash = stack__hash(s, slot);
	if (stack__send(s, ss))
		r->stack = s->hash;
}

/* Two loads, as the helper costs more than all that is asked of the task besides. Names of
 * threads are judged by user space: while it has to, they are counted apart. */
static __always_inline void take_comm(struct request_state *r, struct task_struct *task)
{
	u64 *to = (void *)r->comm, *from = (void *)task->comm;

	STORE(to[0], from[0]);
	STORE(to[1], from[1]);
	STORE(r->key.dev.name, comm__hash(to));
}

/* Makes a worker's write that of who dirtied the file, if that is known, and says whether it is in
 * scope; a function of its own, as it is seldom called. charged: the cgroup is known already. */
static __noinline bool attribute(struct request_state *r, bool passes, bool charged)
{
	u64 at = r->inode, *comm = (void *)r->comm;
	struct dirtier *d = bpf_map_lookup_elem(&dirtiers, &at);

	if (!d || d->number != r->key.inode || d->scope != scope_state)
		return passes;
	if (!d->watched)
		return false;
	r->key.writeback = BLOCK_WRITEBACK_DIRTIED;
	r->key.tgid = d->tgid;
	r->tid = d->tid;
	comm[0] = d->comm[0];
	comm[1] = d->comm[1];
	r->key.dev.name = d->name;
	if (!charged) {
		r->key.cgroup = d->cgroup;
		r->group = 0;
	}
	return true;
}

/* Written by a worker: others have dirtied it. */
static __always_inline bool is_writeback(struct bio *bio, u32 flags)
{
	return bio && (flags & PF_WQ_WORKER) && (bio->bi_opf & REQ_OP_MASK) == REQ_OP_WRITE;
}

static __always_inline void request__set(struct request_state *r, u32 tgid, u32 tid, u32 cpu)
{
	STORE(r->key.tgid, tgid);
	STORE(r->key.writeback, BLOCK_NO_WRITEBACK);
	STORE(r->tid, tid);
	STORE(r->cpu, cpu);
}

static __always_inline void request__set_inode(struct request_state *r, u64 inode)
{
	STORE(r->inode, inode);
	STORE(r->key.inode, inode__number((void *)inode));
}

/* Of what has no bio. */
static __always_inline void request__set_no_group(struct request_state *r)
{
	STORE(r->key.cgroup, 0);
	STORE(r->group, 0);
}

/* Fills who the current task is, or who it works for; false: not in scope. */
static __always_inline bool state__whose(struct request_state *r, struct bio *bio, u64 now)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 cpu = bpf_get_smp_processor_id(), flags = task->flags;
	bool passes = scope__passes(task, task->tgid, task->pid, cpu);

	if (!moment__passes_now() || (!passes && !is_writeback(bio, flags)))
		return false;
	request__set(r, task->tgid, task->pid, cpu);
	r->kthread = (flags & PF_KTHREAD) != 0;
	take_comm(r, task);
	if (!bio) {
		request__set_no_group(r);
		request__set_inode(r, 0);
		return passes;
	}
	request__set_inode(r, bio__inode(bio, &r->live));
	STORE(r->key.cgroup, cached_cgroup(r, bio, now));
	if (!r->inode || !is_writeback(bio, flags))
		return passes;
	r->key.writeback = BLOCK_WRITEBACK;
	return attribute(r, passes, bio__is_charged(bio));
}

/* The verifier knows addresses as pointers, and lets nothing be done with them but to take the
 * difference of two. */
static __always_inline u32 address__hash(u64 address)
{
	asm volatile("%0 -= %1" : "+r"(address) : "r"(&requests_mask));
	return (address * 0x9e3779b97f4a7c15ULL) >> 32;
}

static __always_inline struct request_state *request__at(u32 hash, u32 way)
{
	u32 i = (hash + way) & requests_mask;

	return bpf_map_lookup_elem(&requests, &i);
}

/* The place of an address; there may be no request now. */
static __always_inline struct request_state *request__place(u64 address)
{
	u32 hash = address__hash(address);

	for (u32 i = 0; i < REQUEST_WAYS; i++) {
		struct request_state *r = request__at(hash, i);

		if (r && r->address == address)
			return r;
	}
	return NULL;
}

static __always_inline bool is_live(const struct request_state *r)
{
	return *(volatile u64 *)&r->live > BLOCK_SLOT_TAKEN;
}

static __always_inline struct request_state *request__of(u64 address)
{
	struct request_state *r = request__place(address);

	return r && is_live(r) ? r : NULL;
}

#define NO_PLACE (~0u)

/* Takes a free place of those of a hash; NO_PLACE: there is none. Functions that are not static
 * are verified by themselves, which spares the verifier each call of them. */
__noinline u32 take_place(u32 hash)
{
	struct block_stats *st = stats__get();

	for (u32 i = 0; i < REQUEST_WAYS; i++) {
		struct request_state *r = request__at(hash, i);

		if (r && !__sync_val_compare_and_swap(&r->live, 0, BLOCK_SLOT_TAKEN))
			return i;
	}
	if (st)
		st->requests_full++;
	return NO_PLACE;
}

/* What is left of the one before goes, but for whose it was. */
static __always_inline void request__clear(struct request_state *r)
{
	r->live = BLOCK_SLOT_TAKEN;
	r->insert_ns = r->issue_ns = r->stamp = 0;
	r->bytes = r->left = 0;
	r->issued = r->accounted = r->is_bio = r->kthread = r->outside = 0;
	r->place = BLOCK_PLACE_UNKNOWN;
	STORE(r->done_ns, 0);
	STORE(r->stack, 0);
	STORE(r->weight, 0);
	STORE(r->walk_ns, 0);
}

#endif
