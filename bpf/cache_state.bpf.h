/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is known of a thread, in its task-local storage, and where its numbers go.
 *
 * A thread adds up in a bank what it does with one file. There are two banks, which take turns
 * with the maps: when user space has switched `active` and no program runs any more that began
 * before, nobody writes to the other bank, and an iterator carries it into the other map. Who
 * goes on to another file, or ends, carries its bank itself.
 */
#ifndef BPF_CACHE_STATE_BPF_H
#define BPF_CACHE_STATE_BPF_H

#include "bpf/cache.h"
#include "bpf/cache_kernel.bpf.h"
#define SOURCE_STATS cache_stats
#include "bpf/moment.bpf.h"
#include "bpf/source.bpf.h"
#include "bpf/stack.bpf.h"

const volatile u32 page_shift = 12;

volatile u32 interval = 0;   /* counts them */

/* Who a thread is, in the program that it executes: names and their hashes belong together. */
struct whose {
	u64 exec; /* task_struct.self_exec_id: another program is somebody else */
	u64 cgroup, name;
	char comm[16];
};

struct bank {
	struct whose whose;
	u64 mapping; /* 0: empty */
	u64 number;  /* i_ino: a mapping's memory may have become another file's */
	u64 inode;   /* the same, but 0 of devices */
	u32 dev;
	u32 taken;
	s64 n[CACHE_NUMBERS];
};

/* A range of pages, `end` not in it. */
struct range {
	u64 first, end;
};

/* Pages that were put into the cache: why is told by the event that follows. */
struct pending {
	u64 mapping;
	struct range at;
	u64 number, inode;	     /* as in struct bank */
	u64 read_token, write_token; /* as they were */
	u32 dev;
	u32 used; /* taken by whoever sets it to 0: the thread itself, or the iterator */
	u32 interval;
	u32 pad;
};

#define PENDINGS 4

/* The last fault or write; the token says whether it is still going on. */
struct operation {
	u64 mapping;
	u64 token;
	struct range at;
};

struct thread {
	u64 read_token; /* of the last read */
	u64 read_mapping;
	u64 read_first, read_last;
	u64 read_at; /* its last batch began here */
	struct bank bank[2];
	u64 scope; /* thread__scope() that `watched` was decided under */
	struct whose whose; /* of the last file it turned to */
	struct operation fault, write; /* write: told before it is done */
	struct operation written;      /* its last part, where they are told when done */
	struct pending pending[PENDINGS];
	u32 watched;
	u32 gone; /* it exits: nothing is kept back */
};

TASK_MAP(threads, struct thread);

HALVES(sums, 16384, struct cache_key, struct cache_sum);
/* Of processes, without files: what finds no place in the maps above. */
HALVES(rests, 16384, struct cache_key, struct cache_sum);

/* Of all for whom there is none either: sums stay what they are, whatever happens. */
ARRAY_MAP(others, 2, struct cache_sum);

/* --- which file --- */

static __always_inline bool is_bdev(struct inode *inode)
{
	return inode->i_sb->s_magic == BDEVFS_MAGIC;
}

static __always_inline u64 inode__number(struct inode *inode)
{
	return is_bdev(inode) ? 0 : inode->i_ino;
}

static __always_inline u32 inode__dev(struct inode *inode)
{
	return is_bdev(inode) ? inode->i_rdev : inode->i_sb->s_dev;
}

/* --- which operation --- */

static __always_inline u32 task__call(struct task_struct *task)
{
	REGS_TYPE *regs;

	if (!has_user_part(task))
		return CALL_NONE;
	regs = (void *)bpf_task_pt_regs(task);
	return (s32)REGS_SYSCALL(regs) < 0 ? CALL_NONE : REGS_SYSCALL(regs);
}

/* System calls that read, as many as have ended: tells one from the next. Reads of kernel
 * threads and of io_uring do not count; then only their ranges tell. */
static __always_inline u64 read__token(struct task_struct *task)
{
	struct task_struct___cache *t = (void *)task;

	return bpf_core_field_exists(t->ioac.syscr) ? t->ioac.syscr : 0;
}

static __always_inline u64 write__token(struct task_struct *task)
{
	struct task_struct___cache *t = (void *)task;

	return bpf_core_field_exists(t->ioac.syscw) ? t->ioac.syscw : 0;
}

/* Faults that have ended; never 0. One that is tried again has not. */
static __always_inline u64 fault__token(struct task_struct *task)
{
	struct task_struct___cache *t = (void *)task;

	return t->min_flt + t->maj_flt + 1;
}

/* --- where numbers go --- */

static __always_inline void add(s64 *to, s64 n)
{
	if (n)
		__sync_fetch_and_add(to, n);
}

/* Scratch: too large for the programs' stack, of which older kernels count more. */
PERCPU_MAP(fresh_sums, 1, struct cache_sum);

static __always_inline struct cache_sum *fresh_sum(void)
{
	u32 zero = 0;
	struct cache_sum *sum = bpf_map_lookup_elem(&fresh_sums, &zero);

	if (sum)
		__builtin_memset(sum, 0, sizeof(*sum));
	return sum;
}

static __always_inline struct cache_sum *new_sum(void *map, struct cache_key *key,
						 struct task_struct *task, const char *comm)
{
	struct cache_sum *sum = fresh_sum();

	if (!sum)
		return NULL;
	if (key->tgid) {
		sum->tid = task->pid;
		sum->kthread = (task->flags & PF_KTHREAD) != 0;
		if (comm)
			__builtin_memcpy(sum->comm, comm, sizeof(sum->comm));
	}
	sum->cpu = bpf_get_smp_processor_id();
	bpf_map_update_elem(map, key, sum, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, key);
}

/* Where that is counted for which new_sum() found no place: who it is stands in the scratch still.
 * The key loses its file, which is nobody's business then. */
static __noinline struct cache_sum *rest_sum(u32 which, struct cache_key *key)
{
	void *map = half__of(rests, which);
	u32 zero = 0, half = which != 0;
	struct cache_sum *sum, *fresh;

	key->inode = 0;
	key->dev = 0;
	sum = bpf_map_lookup_elem(map, key);
	if (sum)
		return sum;
	fresh = bpf_map_lookup_elem(&fresh_sums, &zero);
	if (fresh)
		bpf_map_update_elem(map, key, fresh, BPF_NOEXIST);
	sum = bpf_map_lookup_elem(map, key);
	return sum ?: bpf_map_lookup_elem(&others, &half);
}

static __always_inline void note_folded(s64 n)
{
	struct cache_stats *st = stats__get();

	if (st && n > 0)
		st->sums_full += n;
}

static __always_inline void key__fill(struct cache_key *key, const struct whose *whose,
				      struct task_struct *task, u32 dev, u64 inode)
{
	key->inode = inode;
	key->dev = dev;
	key->cgroup = whose->cgroup;
	key->name = whose->name;
	key->tgid = task->tgid;
	if (task->flags & PF_KSWAPD)
		key->cgroup = key->name = key->tgid = 0;
}

/* One number of the present task's, past the banks; NULL: nobody's. Global: the verifier looks at it
 * once. */
__noinline int count_at(struct thread *t, struct cache_key *key, u32 what, s64 n)
{
	u32 which = active;
	void *map = half__of(sums, which);
	struct cache_sum *sum;
	struct cache_key own; /* verifiers up to 6.1 take no argument as a key */

	if (!key || what >= CACHE_NUMBERS)
		return 0;
	own = *key;
	sum = bpf_map_lookup_elem(map, &own);
	if (!sum)
		sum = new_sum(map, &own, bpf_get_current_task_btf(), t ? t->whose.comm : NULL);
	if (!sum) {
		note_folded(n);
		sum = rest_sum(which, &own);
	}
	if (sum) {
		add(&sum->n[what], n);
		sum->last_ns = bpf_ktime_get_ns();
	}
	return 0;
}

/* The same for whoever did it some time ago, and may be gone. */
static __always_inline void count_for(const struct cache_key *key, u32 what, s64 n, u32 tid,
				      u32 kthread, const char *comm)
{
	u32 which = active;
	void *map = half__of(sums, which);
	struct cache_sum *sum = bpf_map_lookup_elem(map, key), *fresh;
	struct cache_key own;

	fresh = sum ? NULL : fresh_sum();
	if (fresh) {
		fresh->tid = tid;
		fresh->kthread = kthread;
		__builtin_memcpy(fresh->comm, comm, sizeof(fresh->comm));
		bpf_map_update_elem(map, key, fresh, BPF_NOEXIST);
		sum = bpf_map_lookup_elem(map, key);
	}
	if (!sum) {
		note_folded(n);
		own = *key;
		sum = rest_sum(which, &own);
	}
	if (sum) {
		add(&sum->n[what], n);
		sum->last_ns = bpf_ktime_get_ns();
	}
}

/* Empties a bank into a sum, if there is one; returns how many it held, but for dirty pages.
 * Global: the verifier looks at it once. */
__noinline s64 bank__empty(struct bank *b, struct cache_sum *sum)
{
	s64 n = 0;

	if (!b)
		return 0;
	for (u32 i = 0; i < CACHE_NUMBERS; i++) {
		if (sum)
			add(&sum->n[i], b->n[i]);
		if (i != CACHE_N_DIRTIED && b->n[i] > 0)
			n += b->n[i];
		b->n[i] = 0;
	}
	return n;
}

/* Empties a bank into a map. Whoever takes it does it: the thread itself or the iterator. */
static __always_inline void bank__carry(struct bank *b, struct task_struct *task, u32 which)
{
	void *map = half__of(sums, which);
	struct cache_key key;
	struct cache_sum *sum;
	bool folded;
	s64 n;

	if (!b->mapping || __sync_lock_test_and_set(&b->taken, 1))
		return;
	key__fill(&key, &b->whose, task, b->dev, b->inode);
	sum = bpf_map_lookup_elem(map, &key);
	if (!sum)
		sum = new_sum(map, &key, task, b->whose.comm);
	folded = !sum;
	if (folded)
		sum = rest_sum(which, &key);
	n = bank__empty(b, sum);
	if (sum)
		sum->last_ns = bpf_ktime_get_ns();
	if (folded)
		note_folded(n);
	b->mapping = 0;
	b->taken = 0;
}

/* Of the present task. */
static __always_inline void whose__note(struct whose *whose, struct task_struct *task)
{
	u64 w[2] = {};

	whose->exec = task->self_exec_id;
	whose->cgroup = bpf_get_current_cgroup_id();
	bpf_probe_read_kernel_str(w, sizeof(w), task->comm);
	__builtin_memcpy(whose->comm, w, sizeof(whose->comm));
	whose->name = (u32)scope_state & SCOPE_BPF_COMMS
			      ? hash_finish(hash_step(hash_step(1, w[0]), w[1]))
			      : 0;
}

/* What a decision about a thread is good for; never 0. */
static __always_inline u64 thread__scope(void)
{
	return scope_state ^ (1u << 31);
}

static __always_inline bool thread__watched(struct thread *t, struct task_struct *task)
{
	u64 scope = thread__scope();

	if (t->scope != scope) {
		t->watched = scope__task(task, task->tgid, task->pid);
		t->scope = scope;
	}
	return t->watched &&
	       (!(u32)scope_state || (scope__cpu(bpf_get_smp_processor_id()) && moment__passes_now()));
}

#endif
