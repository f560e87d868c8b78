/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of locks and of who waits for them: maps, and which lock of user space an address is. */
#ifndef BPF_LOCKS_STATE_BPF_H
#define BPF_LOCKS_STATE_BPF_H

#include "bpf/call.bpf.h"
#include "bpf/locks.h"
#include "bpf/measure.bpf.h"

#define FUTEX_OPS 0x7f /* without FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME */
#define PRIVATE	  128
enum {
	OP_WAIT = 0, OP_WAKE = 1, OP_REQUEUE = 3, OP_CMP_REQUEUE = 4, OP_WAKE_OP = 5, OP_LOCK_PI = 6,
	OP_UNLOCK_PI = 7, OP_WAIT_BITSET = 9, OP_WAKE_BITSET = 10, OP_WAIT_REQUEUE_PI = 11,
	OP_CMP_REQUEUE_PI = 12, OP_LOCK_PI2 = 13,
};

#define REPORT_EVERY_NS 20000000ULL /* a lock of which user space cannot say what it is */
#define HOLDER_EVERY_NS 1000000ULL /* between two stacks of who lets go of a lock */

const volatile u64 static_begin = 0, static_end = 0; /* of the kernel's image */
const volatile u32 futex_call = 202, waitv_call = 449;

/* A user's lock that is waited for. */
struct lock {
	u32 waiters;
	u32 kind;    /* enum lock_kind; user space says */
	u64 reported_ns; /* when user space was last told */
	u64 address; /* 0: it is in memory that processes share, or stands for itself */
	u64 as;	     /* of a LOCK_PARKS: what its thread waited for last */
	/* Who let go of it last. */
	u64 woke_ns, holder, stack, stack_ns;
};

LRU_MAP(locks, LOCKS_MAX, u64, struct lock);

/* By what user space learnt: kinds of locks, and LOCK_PARKS. */
LRU_MAP(lock_kinds, LOCKS_MAX, u64, u32);

/* Threads that have what others wait for, by LOCK_HOLDER: user space wants their registers. */
HASH_MAP(lock_wanted, HOLDERS_WANTED * 2, u64, u32);

/* Threads whose names were told, by LOCK_HOLDER. */
struct lock_named {
	u64 start_ns, comm[2];
};

LRU_MAP(lock_named, NAMED_MAX, u64, struct lock_named);

/* Waits that go on whose threads were reported, by LOCK_HOLDER: when they began. */
LRU_MAP(lock_waiters, WAITERS_MAX, u64, u64);

u32 waiters_reported = 0; /* by this visit */

#define HELD_MAX	 32 /* a bit each in a u32 */
#define ORDER_EVERY_NS	 100000000ULL /* that user space is told of one */
#define MUTEX_OWNER	 8 /* where struct pthread_mutex_t has it */
#define MUTEX_OWNER_LAST (1u << 22)

/* The mutexes that a thread perhaps has: others found its number in them, or it waited for them itself. */
struct lock_thread {
	u64 held[HELD_MAX];
	/* Its own, while it tells of an order: what else it has. Numbers in memory, as the verifier would
	 * follow each of them in a register. */
	u64 guards[ORDER_GUARDS];
	u32 nguards;
	u32 nheld, due; /* due: bits of held that user space should hear of */
	u32 pad;
};

/* By process, and the thread's number as that knows it: see LOCK_HOLDER. */
LRU_MAP(lock_threads, LOCKS_MAX / 4, u64, struct lock_thread);

#define KNOWN_MAX 64

/* Mutexes of a process that were waited for: what guards others may not be waited for when it does. */
struct lock_process {
	u64 known[KNOWN_MAX];
};

LRU_MAP(lock_processes, LOCKS_MAX / 32, u32, struct lock_process);

struct order {
	u64 first, second;
	u64 nheld; /* with how many others: what is guarded does not keep what is not from being told */
};

/* When user space was told of it. */
LRU_MAP(orders, LOCKS_MAX / 4, struct order, u64);

#define SPINS 4 /* of contexts that interrupt each other */

struct lock_cpu {
	u32 busy; /* one of the programs below runs */
	u32 nspins;
	struct {
		u64 lock, begin_ns;
		u32 flags, pad;
	} spins[SPINS];
};

PERCPU_MAP(lock_cpus, 1, struct lock_cpu);

/* In measure_task.own: what of the kernel the thread waits for. */
enum { OWN_BEGIN, OWN_KEY, OWN_LOCK, OWN_HOLDER };

/* NULL: it runs already, and what it does itself is not counted. */
static __always_inline struct lock_cpu *cpu__enter(struct measure_stats *st)
{
	u32 zero = 0;
	struct lock_cpu *c = bpf_map_lookup_elem(&lock_cpus, &zero);

	if (!c || c->busy) {
		st->notes[LOCKS_OWN]++;
		return NULL;
	}
	c->busy = 1;
	return c;
}

/* --- which lock of user space --- */

struct vm_area_struct;

struct vm_area_struct___locks {
	unsigned long vm_start, vm_flags, vm_pgoff;
	struct file___locks *vm_file;
} KERNEL_TYPE;

struct super_block___locks {
	u32 s_dev;
} KERNEL_TYPE;

struct inode___locks {
	struct super_block___locks *i_sb;
	unsigned long i_ino;
} KERNEL_TYPE;

struct file___locks {
	struct inode___locks *f_inode;
} KERNEL_TYPE;

enum bpf_func_id___find { BPF_FUNC_find_vma___find = 180 };

#define VMA_SHARED 8 /* VM_SHARED */

struct place {
	u64 address, file;
};

static long place__look(struct task_struct *task, struct vm_area_struct *area, void *ctx)
{
	struct vm_area_struct___locks *vma = (void *)area;
	struct inode___locks *inode = BPF_CORE_READ(vma, vm_file, f_inode);
	struct place *p = ctx;

	if (!inode || !(BPF_CORE_READ(vma, vm_flags) & VMA_SHARED))
		return 0;
	p->file = hash_finish(hash_step(BPF_CORE_READ(inode, i_sb, s_dev),
					BPF_CORE_READ(inode, i_ino)));
	p->address += (BPF_CORE_READ(vma, vm_pgoff) << 12) - BPF_CORE_READ(vma, vm_start);
	return 0;
}

/* The lock at an address of a process; of one that others map, too, by the file and the place in it.
 * *file: see struct lock_record. */
static __always_inline u64 lock__key(struct task_struct *task, u64 address, bool private, u64 *file)
{
	struct place p = {.address = address};
	u64 h;

	if (!private && bpf_core_enum_value_exists(enum bpf_func_id___find, BPF_FUNC_find_vma___find))
		bpf_find_vma(task, address, place__look, &p, 0);
	*file = p.file;
	if (p.file)
		h = hash_step(p.file, p.address);
	else
		h = hash_step(hash_step(task->tgid, BPF_CORE_READ(task, group_leader, start_time)),
			      address);
	return hash_finish(h) & ~LOCK_KERNEL;
}

static __always_inline bool op__waits(u32 op)
{
	return op == OP_WAIT || op == OP_WAIT_BITSET || op == OP_LOCK_PI || op == OP_LOCK_PI2 ||
	       op == OP_WAIT_REQUEUE_PI;
}

static __always_inline bool op__wakes(u32 op)
{
	return op == OP_WAKE || op == OP_WAKE_BITSET || op == OP_WAKE_OP || op == OP_UNLOCK_PI ||
	       op == OP_REQUEUE || op == OP_CMP_REQUEUE || op == OP_CMP_REQUEUE_PI;
}

/* Begun when it is first waited for. */
static __always_inline struct lock *lock__get(u64 key, u64 address, u64 file)
{
	struct lock *l = bpf_map_lookup_elem(&locks, &key);
	struct lock new = {.address = file ? 0 : address};

	if (l)
		return l;
	bpf_map_update_elem(&locks, &key, &new, BPF_NOEXIST);
	return bpf_map_lookup_elem(&locks, &key);
}

/* Whether user space should hear of it: as long as it cannot say what it is. */
static __always_inline bool lock__is_due(struct lock *l, u64 key, u64 now)
{
	u32 *kind;

	if (l->kind || now - l->reported_ns < REPORT_EVERY_NS)
		return false;
	kind = bpf_map_lookup_elem(&lock_kinds, &key);
	if (kind && *kind)
		l->kind = *kind;
	else
		l->reported_ns = now;
	return !l->kind;
}

static __always_inline void record__who(struct lock_record *r, struct task_struct *task, REGS_TYPE *regs)
{
	r->tgid = task->tgid;
	r->tid = task->pid;
	r->ip = REGS_IP(regs), r->sp = REGS_SP(regs);
	r->fp = REGS_FP(regs), r->lr = REGS_LR(regs);
}

static __always_inline void lock__report(const struct lock_record *r, struct measure_stats *st)
{
	if (bpf_ringbuf_output(&records, (void *)r, sizeof(*r), ring_flags(true)))
		st->names_lost++;
}

static __always_inline void labels__begin(u64 *labels, u64 lock)
{
	labels[LOCK_LABEL_LOCK] = lock;
	labels[LOCK_LABEL_ERROR] = labels[LOCK_LABEL_HOLDER] = labels[LOCK_LABEL_AT] = 0;
}

#endif
