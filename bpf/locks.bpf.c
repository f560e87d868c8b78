// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks that are waited for: those of user space by the futex calls, those of the kernel by its own
 * events of contention. A wait is a span of the thread that waits.
 *
 * Who holds a user's lock is seen when it lets go: it wakes who waits. So a call that wakes looks
 * whether somebody is known to wait, and is noted only then; what nobody waits for costs one look
 * into a hash table. The kernel's mutexes and semaphores say themselves who has them.
 *
 * Which lock a thread has when it waits for another one is known of the C library's mutexes, as the thread's
 * number is in them, and only of those that somebody waited for, as only these are seen.
 *
 * Locks that spin are waited for anywhere, in interrupts, too, and by one at a time on a CPU: their
 * begin is kept by CPU.
 */
#include "bpf/locks.h"
#include "bpf/call.bpf.h"
#include "bpf/measure.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define FUTEX_OPS 0x7f /* without FUTEX_PRIVATE_FLAG and FUTEX_CLOCK_REALTIME */
#define PRIVATE	  128
enum {
	OP_WAIT = 0, OP_WAKE = 1, OP_REQUEUE = 3, OP_CMP_REQUEUE = 4, OP_WAKE_OP = 5, OP_LOCK_PI = 6,
	OP_UNLOCK_PI = 7, OP_WAIT_BITSET = 9, OP_WAKE_BITSET = 10, OP_WAIT_REQUEUE_PI = 11,
	OP_CMP_REQUEUE_PI = 12, OP_LOCK_PI2 = 13,
};

#define TELL_EVERY_NS 20000000ULL /* a lock of which user space cannot say what it is */
#define HOLDER_EVERY_NS 1000000ULL /* between two stacks of who lets go of a lock */

const volatile u64 static_begin = 0, static_end = 0; /* of the kernel's image */
/* Where the code lies that takes locks: .spinlock.text and .sched.text. */
const volatile u64 lock_text[4] = {};
const volatile u32 futex_call = 202, waitv_call = 449;

/* A user's lock that is waited for. */
struct lock {
	u32 waiters;
	u32 kind;    /* enum lock_kind; user space says */
	u64 told_ns; /* when user space was last told */
	u64 address; /* 0: it is in memory that processes share */
	/* Who let go of it last. */
	u64 woke_ns, holder, stack, stack_ns;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, LOCKS_MAX);
	__type(key, u64);
	__type(value, struct lock);
} locks SEC(".maps");

/* By what user space learnt: kinds of locks. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, LOCKS_MAX);
	__type(key, u64);
	__type(value, u32);
} lock_kinds SEC(".maps");

#define HELD_MAX	 8
#define ORDER_EVERY_NS	 100000000ULL /* that user space is told of one */
#define MUTEX_OWNER	 8 /* where struct pthread_mutex_t has it */
#define MUTEX_OWNER_LAST (1u << 22)

/* The mutexes that a thread perhaps has: others found its number in them, or it waited for them itself. */
struct lock_thread {
	u64 held[HELD_MAX];
};

/* By process, and the thread's number as that knows it: see LOCK_HOLDER. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, LOCKS_MAX / 2);
	__type(key, u64);
	__type(value, struct lock_thread);
} lock_threads SEC(".maps");

struct order {
	u64 first, second;
};

/* When user space was told of it. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, LOCKS_MAX / 4);
	__type(key, struct order);
	__type(value, u64);
} orders SEC(".maps");

#define SPINS 4 /* of contexts that interrupt each other */

struct lock_cpu {
	u32 busy; /* one of the programs below runs */
	u32 nspins;
	struct {
		u64 lock, begin_ns;
		u32 flags, pad;
	} spins[SPINS];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, u32);
	__type(value, struct lock_cpu);
} lock_cpus SEC(".maps");

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
static __always_inline bool lock__is_untold(struct lock *l, u64 key, u64 now)
{
	u32 *kind;

	if (l->kind || now - l->told_ns < TELL_EVERY_NS)
		return false;
	kind = bpf_map_lookup_elem(&lock_kinds, &key);
	if (kind && *kind)
		l->kind = *kind;
	else
		l->told_ns = now;
	return !l->kind;
}

static __always_inline void record__who(struct lock_record *r, struct task_struct *task, REGS_TYPE *regs)
{
	r->tgid = task->tgid;
	r->tid = task->pid;
	r->ip = REGS_IP(regs), r->sp = REGS_SP(regs);
	r->fp = REGS_FP(regs), r->lr = REGS_LR(regs);
}

static __always_inline void lock__tell(const struct lock_record *r, struct measure_stats *st)
{
	if (bpf_ringbuf_output(&records, (void *)r, sizeof(*r), ring_flags(true)))
		st->names_lost++;
}

static __always_inline void labels__begin(u64 *labels, u64 lock)
{
	labels[LOCK_LABEL_LOCK] = lock;
	labels[LOCK_LABEL_ERROR] = labels[LOCK_LABEL_HOLDER] = labels[LOCK_LABEL_AT] = 0;
}

/* --- the order that locks are taken in --- */

struct upid___locks {
	int nr;
} KERNEL_TYPE;

struct pid___locks {
	unsigned int level;
	struct upid___locks numbers[1];
} KERNEL_TYPE;

struct task_struct___locks {
	struct pid___locks *thread_pid;
} KERNEL_TYPE;

/* A thread's number as its own process knows it. */
static __always_inline u32 tid__inside(struct task_struct *task)
{
	struct pid___locks *pid = BPF_CORE_READ((struct task_struct___locks *)task, thread_pid);
	u32 level = BPF_CORE_READ(pid, level), nr = 0;

	bpf_probe_read_kernel(&nr, sizeof(nr),
			      (void *)pid + bpf_core_field_offset(struct pid___locks, numbers) +
				      level * bpf_core_type_size(struct upid___locks) +
				      bpf_core_field_offset(struct upid___locks, nr));
	return nr;
}

/* What is no mutex has something else there. */
static __always_inline u32 mutex__owner(u64 address)
{
	u32 owner = 0;

	bpf_probe_read_user(&owner, sizeof(owner), (void *)(address + MUTEX_OWNER));
	return owner < MUTEX_OWNER_LAST ? owner : 0;
}

static __always_inline bool lock__may_be_mutex(const struct lock *l)
{
	return l->address && l->kind <= LOCK_KIND_MUTEX;
}

static __always_inline struct lock_thread *lock_thread__get(u32 tgid, u32 tid)
{
	u64 key = LOCK_HOLDER(tgid, tid);
	struct lock_thread *t = bpf_map_lookup_elem(&lock_threads, &key), new = {};

	if (t)
		return t;
	bpf_map_update_elem(&lock_threads, &key, &new, BPF_NOEXIST);
	return bpf_map_lookup_elem(&lock_threads, &key);
}

/* Others add to it at the same time: one that is lost is found again when it is waited for next. */
static __always_inline void lock_thread__add(struct lock_thread *t, u64 lock)
{
	u32 at = lock & (HELD_MAX - 1);

	for (u32 i = 0; i < HELD_MAX; i++) {
		if (t->held[i] == lock)
			return;
		if (!t->held[i])
			at = i;
	}
	t->held[at & (HELD_MAX - 1)] = lock;
}

/* Of who waits for a lock: notes who has it. A global function, as are those below: each is verified once. */
__noinline int order__begin(u64 lock)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct lock *l = bpf_map_lookup_elem(&locks, &lock);
	u32 owner = l && lock__may_be_mutex(l) ? mutex__owner(l->address) : 0;
	struct lock_thread *t = owner ? lock_thread__get(task->tgid, owner) : NULL;

	if (t)
		lock_thread__add(t, lock);
	return 0;
}

static __always_inline bool order__is_due(u64 first, u64 second, u64 now)
{
	struct order o = {first, second};
	u64 *told = bpf_map_lookup_elem(&orders, &o);

	if (told && now - *told < ORDER_EVERY_NS)
		return false;
	bpf_map_update_elem(&orders, &o, &now, BPF_ANY);
	return true;
}

static __always_inline bool lock__is_held(u64 lock, u32 tid)
{
	struct lock *l = bpf_map_lookup_elem(&locks, &lock);

	return l && lock__may_be_mutex(l) && mutex__owner(l->address) == tid;
}

/*
 * Of who has waited for a lock: in its wait it let go of nothing, so the locks that it has now it had when it
 * waited, also those that others only came to wait for meanwhile. Which of them user space should hear of,
 * a bit each.
 */
__noinline u32 order__due(u64 second, u64 now)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct lock *l = bpf_map_lookup_elem(&locks, &second);
	u32 due = 0, tid = tid__inside(task);
	struct lock_thread *t;

	t = l && lock__may_be_mutex(l) ? lock_thread__get(task->tgid, tid) : NULL;
	if (!t)
		return 0;
	for (u32 i = 0; i < HELD_MAX; i++) {
		if (!t->held[i] || t->held[i] == second)
			continue;
		if (!lock__is_held(t->held[i], tid))
			t->held[i] = 0;
		else if (order__is_due(t->held[i], second, now))
			due |= 1u << i;
	}
	/* The others keep their places. */
	if (!due)
		lock_thread__add(t, second);
	return due;
}

/* stack: 0: none was taken. */
__noinline int order__send(u32 due, u64 second, u64 stack, u64 now)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct order_record r = {
		.type = RECORD_ORDER, .t_ns = now, .second = second, .stack = stack};
	struct lock_thread *t = lock_thread__get(task->tgid, tid__inside(task));
	struct measure_stats *st = stats__get();

	if (!t || !st)
		return 0;
	who__fill(&r.who, task);
	for (u32 i = 0; i < HELD_MAX; i++) {
		if (!(due & (1u << i)))
			continue;
		r.first = t->held[i];
		if (bpf_ringbuf_output(&records, &r, sizeof(r), ring_flags(true)))
			st->names_lost++;
	}
	lock_thread__add(t, second);
	return 0;
}

/* --- waits in user space --- */

struct wait {
	u64 address;
	u32 op, value;
	bool private;
};

/* What a call is about; a stack is taken in one place for all, as the verifier looks at each. */
struct noted {
	u64 now;
	struct lock *lock;
	bool told; /* user space hears of the lock, with the stack */
};

/* Returns whether the stack is wanted. */
static __always_inline bool wait__begin(struct task_struct *task, const struct wait *w,
					struct lock_record *r, struct noted *n, struct measure_stats *st)
{
	struct measure_task *t = measure__task(task, st);

	if (!t)
		return false;
	r->lock = lock__key(task, w->address, w->private, &r->file);
	labels__begin(t->labels, r->lock);
	n->now = t->begin_ns = run__begin(st);
	t->inside = 1;
	n->lock = lock__get(r->lock, w->address, r->file);
	if (!n->lock)
		return false;
	order__begin(r->lock);
	__sync_fetch_and_add(&n->lock->waiters, 1);
	n->told = lock__is_untold(n->lock, r->lock, n->now);
	return n->told;
}

/* Who wakes has held it. */
static __always_inline bool wake__note(struct task_struct *task, const struct wait *w, struct noted *n,
				       struct measure_stats *st)
{
	u64 file, key = lock__key(task, w->address, w->private, &file);
	struct lock *l = bpf_map_lookup_elem(&locks, &key);

	if (!l || !l->waiters)
		return false;
	n->now = run__begin(st);
	n->lock = l;
	l->holder = LOCK_HOLDER(task->tgid, (u32)task->pid);
	l->woke_ns = n->now;
	return n->now - l->stack_ns >= HOLDER_EVERY_NS;
}

static __always_inline void futex__note(void *ctx, struct task_struct *task, const struct wait *w,
					struct measure_stats *st)
{
	struct lock_record r = {.type = RECORD_LOCK, .op = w->op, .value = w->value};
	struct noted n = {};
	bool wanted = false;
	u64 stack;

	if (op__waits(w->op))
		wanted = wait__begin(task, w, &r, &n, st);
	else if (op__wakes(w->op))
		wanted = wake__note(task, w, &n, st);
	if (wanted && n.lock) {
		stack = stack__capture(ctx, STACK_SLOT_TRACE, STACK_USER, 0, n.now);
		if (n.told) {
			record__who(&r, task, (void *)bpf_task_pt_regs(task));
			r.address = w->address;
			r.stack = stack;
			lock__tell(&r, st);
		} else {
			n.lock->stack = stack;
			n.lock->stack_ns = n.now;
		}
	}
	if (n.now)
		run__end(st, n.now);
}

/* Of several that are waited for at once the first one stands for all. */
struct waitv {
	u64 value, address;
	u32 flags, pad;
};

static __always_inline bool waitv__read(const u64 *args, struct wait *w)
{
	struct waitv v = {};

	if (bpf_probe_read_user(&v, sizeof(v), (void *)args[0]))
		return false;
	w->address = v.address;
	w->op = OP_WAIT_BITSET;
	w->value = v.value;
	w->private = v.flags & PRIVATE;
	return true;
}

static __always_inline bool futex__read(const u64 *args, struct wait *w)
{
	w->address = args[0];
	w->op = args[1] & FUTEX_OPS;
	w->value = args[2];
	w->private = args[1] & PRIVATE;
	return true;
}

/* Of 32-bit programs none is known. */
static __always_inline bool is_call(struct task_struct *task, u32 nr)
{
	return (nr == futex_call || nr == waitv_call) && !is_compat(task);
}

SEC("tp_btf/sys_enter")
int locks_enter(u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	u32 nr = (u32)ctx[1];
	struct measure_stats *st;
	u64 args[MEASURE_ARGS];
	struct wait w = {};
	struct lock_cpu *c;

	if (!is_call(task, nr))
		return 0;
	st = stats__get();
	c = st ? cpu__enter(st) : NULL;
	if (!c)
		return 0;
	read_args((void *)ctx[0], false, args);
	if (nr == futex_call ? futex__read(args, &w) : waitv__read(args, &w))
		futex__note(ctx, task, &w, st);
	c->busy = 0;
	return 0;
}

static __noinline int slow__report(struct measure_span *s, u64 stack)
{
	struct measure_slow *r = slow__begin(s, stack);
	struct measure_stats *st = stats__get();

	if (r && st)
		slow__send(r, st);
	return 0;
}

#define EINTR		 4
#define ERESTARTSYS	 512
#define ERESTART_LAST	 516

static __always_inline u32 error_of(s64 result)
{
	if (result >= 0)
		return 0;
	return result <= -ERESTARTSYS && result >= -ERESTART_LAST ? EINTR : -result;
}

/* Labels of a wait that ends. Returns whether it waits for something new. */
static __always_inline u32 wait__end(u64 *labels, const struct measure_span *s)
{
	struct lock *l = bpf_map_lookup_elem(&locks, &labels[LOCK_LABEL_LOCK]);

	labels[LOCK_LABEL_ERROR] = error_of(s->result);
	labels[LOCK_LABEL_HOLDER] = labels[LOCK_LABEL_AT] = 0;
	if (!l)
		return MEASURE_WORKS;
	if (l->waiters)
		__sync_fetch_and_add(&l->waiters, -1);
	if (!s->error && l->woke_ns >= s->begin_ns) {
		labels[LOCK_LABEL_HOLDER] = l->holder;
		labels[LOCK_LABEL_AT] = l->stack;
	}
	return l->kind == LOCK_KIND_CONDITION ? MEASURE_WAITS : MEASURE_WORKS;
}

static __always_inline void futex__exit(void *ctx, struct task_struct *task, s64 result,
					bool for_good, struct measure_stats *st)
{
	struct measure_task *t = bpf_task_storage_get(&tasks, task, 0, 0);
	struct measure_span s = {.task = task, .stack = STACK_USER};
	struct measure_cell *cell = NULL;
	u64 stack = 0;
	u32 due;

	if (!t || !t->inside || !task__watched(t, task))
		return;
	s.now = run__begin(st);
	t->inside = 0;
	s.of = t;
	s.begin_ns = t->begin_ns;
	s.labels = t->labels;
	s.result = result;
	s.error = s.result < 0;
	s.class = wait__end(t->labels, &s);
	due = for_good ? order__due(t->labels[LOCK_LABEL_LOCK], s.now) : 0;
	s.stack_wanted = due != 0;
	if (measure__end(ctx, &s, st, &stack, &cell) & MEASURE_IS_SLOW)
		slow__report(&s, stack);
	if (due)
		order__send(due, t->labels[LOCK_LABEL_LOCK], stack, s.now);
	run__end(st, s.now);
}

/* Who waits for a time only is never stuck. */
static __always_inline bool waits_for_good(void *regs)
{
	u64 args[MEASURE_ARGS];

	read_args(regs, false, args);
	return !args[3];
}

SEC("tp_btf/sys_exit")
int locks_exit(u64 *ctx)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st;
	struct lock_cpu *c;

	if (!is_call(task, REGS_SYSCALL((REGS_TYPE *)ctx[0])))
		return 0;
	st = stats__get();
	c = st ? cpu__enter(st) : NULL;
	if (!c)
		return 0;
	futex__exit(ctx, task, ctx[1], waits_for_good((void *)ctx[0]), st);
	c->busy = 0;
	return 0;
}

/* --- the kernel's --- */

struct counter___locks {
	long counter;
} KERNEL_TYPE;

struct mutex___locks {
	struct counter___locks owner;
} KERNEL_TYPE;

struct rw_semaphore___locks {
	struct counter___locks owner;
} KERNEL_TYPE;

struct mm_struct___locks {
	struct rw_semaphore___locks mmap_lock;
} KERNEL_TYPE;

#define OWNER_FLAGS   7ULL
#define OWNER_IS_READ 1ULL /* of an rw_semaphore */

static __always_inline bool is_lock_text(u64 ip)
{
	return (ip >= lock_text[0] && ip < lock_text[1]) || (ip >= lock_text[2] && ip < lock_text[3]);
}

#define CALLERS 14

/* Who takes a lock: the first behind what is there for all locks, before which are the tracer's. */
static __noinline u64 lock__caller(void *ctx)
{
	u64 ips[CALLERS] = {};
	bool inside = false;
	long bytes = bpf_get_stack(ctx, ips, sizeof(ips), 0);
	u32 n = bytes > 0 ? (u64)bytes / sizeof(u64) : 0;

	for (u32 i = 0; i < CALLERS && i < n; i++) {
		if (is_lock_text(ips[i]))
			inside = true;
		else if (inside)
			return ips[i];
	}
	return 0;
}

static __always_inline u64 kernel__key(void *ctx, struct task_struct *task, u64 lock, u32 flags)
{
	u64 mm = (u64)BPF_CORE_READ(task, mm), how = LOCK_OF_CALLER, address;

	if (flags & LOCK_IS_MUTEX)
		flags &= ~LOCK_IS_SPIN;
	if (lock >= static_begin && lock < static_end) {
		how = LOCK_STATIC;
		address = lock;
	} else if (mm && lock == mm + bpf_core_field_offset(struct mm_struct___locks, mmap_lock)) {
		how = LOCK_OF_MM;
		address = 0;
	} else {
		address = lock__caller(ctx);
	}
	return LOCK_KERNEL | how << LOCK_HOW_SHIFT | (u64)(flags & 0xff) << LOCK_TYPE_SHIFT |
	       (address & LOCK_ADDRESS_MASK);
}

/* Who has it now; 0: it does not say. */
static __always_inline u64 kernel__holder(u64 lock, u32 flags)
{
	struct task_struct *owner;
	u64 word = 0, at = lock;

	if (flags & (LOCK_IS_SPIN | LOCK_IS_RT | LOCK_IS_PERCPU) && !(flags & LOCK_IS_MUTEX))
		return 0;
	if (flags & LOCK_IS_MUTEX) {
		if (!bpf_core_field_exists(((struct mutex___locks *)0)->owner))
			return 0;
		at += bpf_core_field_offset(struct mutex___locks, owner);
	} else {
		if (!bpf_core_field_exists(((struct rw_semaphore___locks *)0)->owner))
			return 0;
		at += bpf_core_field_offset(struct rw_semaphore___locks, owner);
	}
	bpf_probe_read_kernel(&word, sizeof(word), (void *)at);
	owner = (void *)(word & ~OWNER_FLAGS);
	if (!owner || (!(flags & LOCK_IS_MUTEX) && word & OWNER_IS_READ))
		return 0;
	return LOCK_HOLDER((u32)BPF_CORE_READ(owner, tgid), (u32)BPF_CORE_READ(owner, pid));
}

static __always_inline bool is_spin(u32 flags)
{
	return (flags & (LOCK_IS_SPIN | LOCK_IS_MUTEX)) == LOCK_IS_SPIN;
}

static __always_inline void spin__begin(struct lock_cpu *c, u64 lock, u32 flags)
{
	u32 i = c->nspins < SPINS ? c->nspins : 0; /* ends were missed */

	c->spins[i & (SPINS - 1)].lock = lock;
	c->spins[i & (SPINS - 1)].begin_ns = bpf_ktime_get_ns();
	c->spins[i & (SPINS - 1)].flags = flags;
	c->nspins = i + 1;
}

static __always_inline void sleep__begin(void *ctx, u64 lock, u32 flags, struct measure_stats *st)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_task *t = measure__task(task, st);

	/* One that spun for it at first goes on. */
	if (!t || (t->own[OWN_BEGIN] && t->own[OWN_LOCK] == lock))
		return;
	t->own[OWN_BEGIN] = run__begin(st);
	t->own[OWN_LOCK] = lock;
	t->own[OWN_HOLDER] = kernel__holder(lock, flags);
	t->own[OWN_KEY] = kernel__key(ctx, task, lock, flags);
}

/* Of who spins only the kernel's part: it may be anybody, and what it spins for others want, too. */
#define SPIN_STACK  (STACK_KERNEL | STACK_TRACED)
#define SLEEP_STACK (SPIN_STACK | STACK_USER)

/* What of the kernel was waited for; fills begin, labels and what comes of it. */
static __always_inline bool spin__end(void *ctx, struct lock_cpu *c, u32 at, struct measure_span *s,
				      u64 *labels, struct measure_stats *st)
{
	s->of = measure__task(s->task, st);
	s->begin_ns = c->spins[at & (SPINS - 1)].begin_ns;
	s->stack = SPIN_STACK;
	c->nspins = at;
	if (!s->of)
		return false;
	labels[LOCK_LABEL_LOCK] = kernel__key(ctx, s->task, c->spins[at & (SPINS - 1)].lock,
					      c->spins[at & (SPINS - 1)].flags);
	return true;
}

static __always_inline bool sleep__end(u64 lock, struct measure_span *s, u64 *labels)
{
	struct measure_task *t = bpf_task_storage_get(&tasks, s->task, 0, 0);

	if (!t || !t->own[OWN_BEGIN] || t->own[OWN_LOCK] != lock)
		return false;
	s->of = t;
	s->begin_ns = t->own[OWN_BEGIN];
	t->own[OWN_BEGIN] = 0;
	labels[LOCK_LABEL_LOCK] = t->own[OWN_KEY];
	labels[LOCK_LABEL_ERROR] = error_of(s->result);
	labels[LOCK_LABEL_HOLDER] = t->own[OWN_HOLDER];
	return task__watched(t, s->task);
}

static __always_inline void kernel__end(void *ctx, struct lock_cpu *c, u64 lock, s32 result,
					struct measure_stats *st)
{
	u64 labels[MEASURE_LABELS] = {}, stack;
	struct measure_span s = {.task = bpf_get_current_task_btf(),
				 .labels = labels,
				 .result = result,
				 .error = result < 0,
				 .stack = SLEEP_STACK};
	struct measure_cell *cell = NULL;
	u32 at = SPINS;

	for (u32 i = 0; i < SPINS; i++)
		if (i < c->nspins && c->spins[i].lock == lock)
			at = i;
	s.now = run__begin(st);
	if (!(at < SPINS ? spin__end(ctx, c, at, &s, labels, st) : sleep__end(lock, &s, labels)))
		return;
	if (measure__end(ctx, &s, st, &stack, &cell) & MEASURE_IS_SLOW)
		slow__report(&s, stack);
	run__end(st, s.now);
}

SEC("tp_btf/contention_begin")
int contention_begin(u64 *ctx)
{
	struct measure_stats *st = stats__get();
	struct lock_cpu *c = st ? cpu__enter(st) : NULL;

	if (!c)
		return 0;
	if (is_spin((u32)ctx[1]))
		spin__begin(c, ctx[0], (u32)ctx[1]);
	else
		sleep__begin(ctx, ctx[0], (u32)ctx[1], st);
	c->busy = 0;
	return 0;
}

SEC("tp_btf/contention_end")
int contention_end(u64 *ctx)
{
	struct measure_stats *st = stats__get();
	struct lock_cpu *c = st ? cpu__enter(st) : NULL;

	if (!c)
		return 0;
	kernel__end(ctx, c, ctx[0], (s32)ctx[1], st);
	c->busy = 0;
	return 0;
}

/* --- who waits since before, and who still does --- */

static __always_inline void visit__begin(struct task_struct *task, struct measure_task *t,
					 struct measure_stats *st)
{
	struct lock_record r = {.type = RECORD_LOCK};
	u64 args[MEASURE_ARGS];
	REGS_TYPE *regs;
	struct lock *l;
	u32 nr;

	if (t->inside || !sleeps_in_call(task, &nr) || nr != futex_call || is_compat(task))
		return;
	regs = (void *)bpf_task_pt_regs(task);
	read_args(regs, false, args);
	r.op = args[1] & FUTEX_OPS;
	if (!op__waits(r.op))
		return;
	r.value = args[2];
	record__who(&r, task, regs);
	r.address = args[0];
	r.lock = lock__key(task, args[0], args[1] & PRIVATE, &r.file);
	labels__begin(t->labels, r.lock);
	t->begin_ns = bpf_ktime_get_ns();
	t->inside = 1;
	l = lock__get(r.lock, r.address, r.file);
	if (!l)
		return;
	__sync_fetch_and_add(&l->waiters, 1);
	if (lock__is_untold(l, r.lock, t->begin_ns))
		lock__tell(&r, st);
}

static __always_inline void visit__kernel(struct bpf_iter__task *ctx, struct task_struct *task,
					  struct measure_task *t)
{
	struct measure_open open = {.begin_ns = t->own[OWN_BEGIN]};

	if (!open.begin_ns)
		return;
	open.labels[LOCK_LABEL_LOCK] = t->own[OWN_KEY];
	open.labels[LOCK_LABEL_HOLDER] = t->own[OWN_HOLDER];
	who__fill(&open.who, task);
	bpf_seq_write(ctx->meta->seq, &open, sizeof(open));
}

SEC("iter/task")
int measure_visit(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct measure_stats *st = stats__get();
	struct measure_task *t;

	if (!task || !st || task->exit_state)
		return 0;
	t = bpf_task_storage_get(&tasks, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t) {
		st->tasks_full++;
		return 0;
	}
	if (look_again)
		t->scope = 0;
	if (!task__watched(t, task))
		return 0;
	if (has_user_part(task)) {
		visit__begin(task, t, st);
		visit__open(ctx, task, t);
	}
	visit__kernel(ctx, task, t);
	return 0;
}
