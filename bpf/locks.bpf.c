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
#define OWN_STACKS	2
#define STACK_OWN_SLOTS OWN_STACKS
#include <linux/ptrace.h>

#include "bpf/locks_caller.bpf.h"
#include "bpf/locks_order.bpf.h"
#include "bpf/locks_taken.bpf.h"

char LICENSE[] SEC("license") = "GPL";

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
	bool report; /* user space hears of the lock, with the stack */
	bool parks;  /* the stack tells which lock it is */
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
	n->parks = n->lock->kind & LOCK_PARKS;
	if (n->parks)
		return true;
	order__begin(r->lock);
	__sync_fetch_and_add(&n->lock->waiters, 1);
	n->report = lock__is_due(n->lock, r->lock, n->now);
	return n->report;
}

/* What is waited for in this place, whichever thread does: its kind is told to user space by its stack. */
static __always_inline void park__begin(struct task_struct *task, struct noted *n, u64 stack,
					struct lock_record *r, struct measure_stats *st)
{
	struct measure_task *t = bpf_task_storage_get(&tasks, task, 0, 0);
	struct lock *l;

	r->lock = hash_finish(hash_step(hash_step(task->tgid, task->self_exec_id), stack)) & ~LOCK_KERNEL;
	n->lock->as = r->lock;
	l = t ? lock__get(r->lock, 0, 0) : NULL;
	if (!l)
		return;
	labels__begin(t->labels, r->lock);
	__sync_fetch_and_add(&l->waiters, 1);
	n->report = lock__is_due(l, r->lock, n->now);
}

static __always_inline u64 holder__of(struct task_struct *task)
{
	struct thread_record r = {.type = RECORD_THREAD,
				  .tgid = BPF_CORE_READ(task, tgid),
				  .tid = BPF_CORE_READ(task, pid)};
	struct lock_named now = {.start_ns = BPF_CORE_READ(task, start_time)}, *known;
	u64 key = LOCK_HOLDER(r.tgid, r.tid);

	BPF_CORE_READ_STR_INTO(&r.comm, task, comm);
	__builtin_memcpy(now.comm, r.comm, sizeof(now.comm));
	known = bpf_map_lookup_elem(&lock_named, &key);
	if (known && known->start_ns == now.start_ns && known->comm[0] == now.comm[0] &&
	    known->comm[1] == now.comm[1])
		return key;
	if (!bpf_ringbuf_output(&records, &r, sizeof(r), ring_flags(false)))
		bpf_map_update_elem(&lock_named, &key, &now, BPF_ANY);
	return key;
}

/* Who wakes has held it. */
static __always_inline bool wake__note(struct task_struct *task, const struct wait *w, struct noted *n,
				       struct measure_stats *st)
{
	u64 file, key = lock__key(task, w->address, w->private, &file);
	struct lock *l = bpf_map_lookup_elem(&locks, &key);

	if (l && l->kind & LOCK_PARKS) {
		key = l->as;
		l = bpf_map_lookup_elem(&locks, &key);
	}
	if (!l || !l->waiters)
		return false;
	n->now = run__begin(st);
	n->lock = l;
	l->holder = holder__of(task);
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
		if (n.parks)
			park__begin(task, &n, stack, &r, st);
		if (n.report) {
			record__who(&r, task, (void *)bpf_task_pt_regs(task));
			r.address = w->address;
			r.stack = stack;
			lock__report(&r, st);
		} else if (!n.parks) {
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
	return (l->kind & ~LOCK_PARKS) == LOCK_KIND_CONDITION ? MEASURE_WAITS : MEASURE_WORKS;
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
	if (due) {
		order__guards(t->labels[LOCK_LABEL_LOCK]);
		order__send(due, t->labels[LOCK_LABEL_LOCK], stack, s.now);
	}
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

/* ends: it is the event at the end, which has paths of its own. */
static __always_inline u64 kernel__key(void *ctx, struct task_struct *task, u64 lock, u32 flags, bool ends,
				       struct measure_stats *st)
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
		address = lock__caller(ctx, hash_finish(flags << 1 | ends), st);
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
	return holder__of(owner);
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
	t->own[OWN_KEY] = kernel__key(ctx, task, lock, flags, false, st);
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
					      c->spins[at & (SPINS - 1)].flags, true, st);
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
				 .stack = SLEEP_STACK,
				 .dear = true};
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
	if (lock__is_due(l, r.lock, t->begin_ns))
		lock__report(&r, st);
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

/* Returns whether user space can look where a thread sleeps. */
static __always_inline bool sleeper__report(struct task_struct *task, struct sleeper_record *r,
					    struct measure_stats *st)
{
	REGS_TYPE *regs = (void *)bpf_task_pt_regs(task);
	u32 nr;

	if (!sleeps_in_call(task, &nr) || is_compat(task))
		return false;
	r->ip = REGS_IP(regs), r->sp = REGS_SP(regs);
	r->fp = REGS_FP(regs), r->lr = REGS_LR(regs);
	if (!bpf_ringbuf_output(&records, r, sizeof(*r), ring_flags(true)))
		return true;
	st->names_lost++;
	return false;
}

/* Where a thread sleeps that has what others wait for. */
static __always_inline void visit__holder(struct task_struct *task, struct measure_stats *st)
{
	struct sleeper_record r = {.type = RECORD_HOLDER, .tgid = task->tgid, .tid = task->pid};
	u64 key = LOCK_HOLDER(r.tgid, r.tid);

	if (bpf_map_lookup_elem(&lock_wanted, &key))
		sleeper__report(task, &r, st);
}

/* Where a thread waits, once for each wait: its stack is taken when it ends, and this one goes on. */
static __always_inline void visit__waiter(struct task_struct *task, struct measure_task *t,
					  struct measure_stats *st)
{
	struct sleeper_record r = {
		.type = RECORD_WAITER, .tgid = task->tgid, .tid = task->pid, .begin_ns = t->begin_ns};
	u64 key = LOCK_HOLDER(r.tgid, r.tid), *known;

	if (!t->inside || waiters_reported >= WAITERS_ROUND ||
	    bpf_ktime_get_ns() - t->begin_ns < WAITERS_NS)
		return;
	known = bpf_map_lookup_elem(&lock_waiters, &key);
	if ((known && *known == r.begin_ns) || !sleeper__report(task, &r, st))
		return;
	waiters_reported++;
	bpf_map_update_elem(&lock_waiters, &key, &r.begin_ns, BPF_ANY);
}

SEC("iter/task")
int measure_visit(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct measure_stats *st = stats__get();
	struct measure_task *t;

	if (!ctx->meta->seq_num)
		waiters_reported = 0;
	if (!task || !st || task->exit_state)
		return 0;
	t = visit__task(task, st);
	if (!t)
		return 0;
	if (has_user_part(task)) {
		visit__holder(task, st);
		visit__begin(task, t, st);
		visit__waiter(task, t, st);
		visit__open(ctx, task, t);
	}
	visit__kernel(ctx, task, t);
	return 0;
}
