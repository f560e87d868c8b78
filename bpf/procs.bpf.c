// SPDX-License-Identifier: GPL-2.0-only
/*
 * Processes and where their wall time goes. The kernel counts time on a CPU and time in a run
 * queue itself, so one program on sched_switch has only to note, when a thread leaves its CPU,
 * what it is going to wait for; what is neither of the two was that wait. An iterator visits all
 * threads once an interval and reports those that did something since.
 *
 * What is known of a thread lies in its task-local storage, in two parts: one that only the
 * switches of the thread itself write, and one that only the iterator writes, and the thread
 * itself as it ends.
 */
#include "bpf/procs_kernel.bpf.h"
#include "bpf/procs.h"
#include "bpf/slept_on.bpf.h"
#define SOURCE_STATS procs_stats
#include "bpf/source.bpf.h"

char LICENSE[] SEC("license") = "GPL";

const volatile u32 switch_has_state = 0;       /* sched_switch has a fourth argument, 5.18 on */
const volatile u8 call_part[PROCS_CALLS] = {}; /* by system call: what sleeping in it is */

volatile u32 report_all = 0;   /* the iterator reports threads that did not move, too */
volatile u64 round_ns = 0, last_round_ns = 0; /* when this round of visits began, and the last */
volatile u64 rounds = 0;
volatile s64 rq_clock = 0; /* ours minus the scheduler's, as of the last switch */

/* Sums since the thread was first visited. */
struct totals {
	u64 ran, part_ns[PROCS_PARTS]; /* ran: user and system together, which are 0 here */
	u64 utime, stime;	       /* as sampled by the kernel's tick */
	u64 minor_faults, major_faults, read_bytes, write_bytes;
};

struct thread {
	/* Written by its switches. */
	u64 since_ns, ran, delay; /* when it last left its CPU, and the kernel's sums then */
	u64 part_ns[PROCS_PARTS]; /* up to then */
	u32 part;		  /* what it left for; PROCS_RUNQ: it was preempted, or is new */
	u32 in_lock;		  /* it waits for a lock of the kernel's */
	/* Written by the iterator. */
	u64 scope; /* the task__scope_version() that `watched` was decided under */
	u32 watched, gone, reported, rest;
	u64 gauges;	/* a hash over what was reported besides sums */
	u64 visited_ns; /* when the round began in which it was looked at last */
	struct totals seen;
	/* Written by its fork, and by the end of a first thread when it is the one that executes. */
	u32 parent;
	char parent_comm[16];
	u32 process_reported;
	/* Under which it is known: an exec gives it the process's. */
	u32 tid;
	u64 start_ns;
};

TASK_MAP(threads, struct thread);

HALVES(ends, PROCS_ENDS, struct procs_end_key, struct procs_end_sum);

/* What is too large for the stack. */
struct scratch {
	struct totals now, before;
	struct procs_record record;
	struct procs_end_key key;
	struct procs_end_sum end;
};

PERCPU_MAP(scratches, 2, struct scratch); /* 0: threads that end; 1: the iterator */

/* --- who is looked at --- */

/* Where a thread's sums begin. */
static __always_inline void thread__begin(struct thread *t, struct task_struct *task, u64 now)
{
	t->tid = task->pid;
	t->start_ns = task->start_boottime;
	t->since_ns = now;
	t->ran = task->se.sum_exec_runtime;
	t->delay = task->sched_info.run_delay;
	for (u32 i = 0; i < PROCS_PARTS; i++)
		t->part_ns[i] = 0;
}

/* --- what it waits for --- */

static __always_inline u32 part_of_call(struct task_struct *task)
{
	u32 call = task__syscall(task), part;

	if (call == ~0u)
		return PROCS_WAIT;
	part = call_part[call & (PROCS_CALLS - 1)];
	if (part == PROCS_LOCK && !futex__is_lock((REGS_TYPE *)bpf_task_pt_regs(task)))
		return PROCS_WAIT;
	return part;
}

static __always_inline u32 part_of(struct thread *t, struct task_struct *task, u64 state)
{
	u32 part;

	if (!state)
		return PROCS_RUNQ;
	if (t->in_lock)
		return PROCS_LOCK;
	if (task__in_iowait(task))
		return PROCS_DISK;
	if (state & (TASK_STOPPED | TASK_TRACED) || !has_user_part(task))
		return state & TASK_UNINTERRUPTIBLE && !(state & TASK_NOLOAD) ? PROCS_WAIT
									      : PROCS_SLEEP;
	part = part_of_call(task);
	if (state & TASK_UNINTERRUPTIBLE && part != PROCS_DISK)
		return PROCS_WAIT;
	return part;
}

/* Up to now all that was neither on a CPU nor in a run queue was the wait it left for. */
static __always_inline void thread__leave(struct thread *t, struct task_struct *task, u32 part,
					  u64 now)
{
	u64 ran = task->se.sum_exec_runtime, delay = task->sched_info.run_delay;
	s64 rest = (s64)(now - t->since_ns) - (s64)(ran - t->ran) - (s64)(delay - t->delay);
	u32 was = t->part;

	if (rest > 0 && was < PROCS_PARTS)
		t->part_ns[was] += rest;
	t->since_ns = now;
	t->ran = ran;
	t->delay = delay;
	t->part = part;
}

SEC("tp_btf/sched_switch")
int procs_switch(u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	struct procs_stats *st = stats__get();
	struct thread *t;
	u64 now, state;

	if (!st)
		return 0;
	now = run__begin(st);
	if (prev->pid) {
		if (st->tid == (u64)prev->pid && st->since_ns)
			rq_clock = st->since_ns - prev->sched_info.last_arrival;
		t = bpf_task_storage_get(&threads, prev, 0, 0);
		if (t) {
			state = switch_has_state ? ctx[3] : task__state(prev);
			thread__leave(t, prev, ctx[0] ? PROCS_RUNQ : part_of(t, prev, state), now);
			st->switches++;
		}
	}
	st->since_ns = now;
	st->tid = next->pid;
	run__end(st, now);
	return 0;
}

static __always_inline int note_lock(u32 in_lock)
{
	struct thread *t = bpf_task_storage_get(&threads, bpf_get_current_task_btf(), 0, 0);

	if (t)
		t->in_lock = in_lock;
	return 0;
}

SEC("tp_btf/contention_begin")
int procs_lock(u64 *ctx)
{
	return note_lock(1);
}

SEC("tp_btf/contention_end")
int procs_locked(u64 *ctx)
{
	return note_lock(0);
}

/* --- sums --- */

/* Time since it got its CPU that the scheduler has not counted yet. */
static __always_inline u64 uncounted_run(struct task_struct *task, u64 since, u64 now)
{
	u64 arrived = task->sched_info.last_arrival + rq_clock;
	u64 counted = task->se.sum_exec_runtime - task->se.prev_sum_exec_runtime;

	if (!rq_clock || arrived > now || arrived + counted > now)
		return 0;
	return now - arrived - counted > now - since ? now - since : now - arrived - counted;
}

/* Time since it was queued, which is counted when it gets its CPU. */
static __always_inline u64 uncounted_delay(struct task_struct *task, u64 since, u64 now)
{
	u64 queued = task->sched_info.last_queued;

	if (!queued || !rq_clock)
		return 0;
	queued += rq_clock;
	if (queued > now)
		return 0;
	return now - (queued < since ? since : queued);
}

static __always_inline void totals__of(struct totals *o, struct thread *t, struct task_struct *task,
				       u64 now)
{
	u64 ran = task->se.sum_exec_runtime, delay = task->sched_info.run_delay;
	u64 since = t->since_ns;
	u32 part = t->part;
	s64 rest;

	if (task->on_cpu)
		ran += uncounted_run(task, since, now);
	else if (!task__state(task))
		delay += uncounted_delay(task, since, now);
	rest = (s64)(now - since) - (s64)(ran - t->ran) - (s64)(delay - t->delay);
	for (u32 i = PROCS_RUNQ; i < PROCS_PARTS; i++)
		o->part_ns[i] = t->part_ns[i];
	if (rest > 0 && part < PROCS_PARTS)
		o->part_ns[part] += rest;
	o->part_ns[PROCS_RUNQ] += delay;
	o->ran = ran;
	o->utime = task->utime;
	o->stime = task->stime;
	o->minor_faults = task->min_flt;
	o->major_faults = task->maj_flt;
	if (HAS_IO_COUNTS) {
		o->read_bytes = task->ioac.read_bytes;
		o->write_bytes = task->ioac.write_bytes;
	}
}

/* Sums never go back: what was guessed too high is made up for later. */
static __always_inline u64 advance(u64 *seen, u64 now)
{
	u64 by = now > *seen ? now - *seen : 0;

	*seen += by;
	return by;
}

/* The kernel samples at its tick whether user or kernel code runs, and scales that to what it
 * counted; a thread that no tick has met is taken for user code, as there. */
static __always_inline void split_run(struct procs_sums *o, u64 ran, u64 user, u64 system,
				      const struct totals *all)
{
	if (!(user + system)) {
		user = all->utime;
		system = all->stime;
	}
	/* Milliseconds, so that the product fits. */
	user >>= 20;
	system >>= 20;
	o->part_ns[PROCS_SYSTEM] = user + system ? ran * system / (user + system) : 0;
	o->part_ns[PROCS_USER] = ran - o->part_ns[PROCS_SYSTEM];
}

static __always_inline void sums__since(struct procs_sums *o, struct totals *seen,
					const struct totals *now)
{
	u64 ran = advance(&seen->ran, now->ran);
	u64 user = advance(&seen->utime, now->utime), system = advance(&seen->stime, now->stime);

	split_run(o, ran, user, system, now);
	for (u32 i = PROCS_RUNQ; i < PROCS_PARTS; i++)
		o->part_ns[i] = advance(&seen->part_ns[i], now->part_ns[i]);
	o->minor_faults = advance(&seen->minor_faults, now->minor_faults);
	o->major_faults = advance(&seen->major_faults, now->major_faults);
	o->read_bytes = advance(&seen->read_bytes, now->read_bytes);
	o->write_bytes = advance(&seen->write_bytes, now->write_bytes);
}

/* --- begin and end --- */

SEC("tp_btf/sched_process_fork")
int procs_new(u64 *ctx)
{
	struct task_struct *parent = (void *)ctx[0], *child = (void *)ctx[1];
	struct procs_stats *st = stats__get();
	struct thread *t;
	u64 now;

	if (!st)
		return 0;
	now = run__begin(st);
	t = bpf_task_storage_get(&threads, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!t) {
		st->tasks_full++;
		return 0;
	}
	thread__begin(t, child, now);
	t->part = PROCS_RUNQ;
	t->parent = parent->tgid;
	BPF_CORE_READ_STR_INTO(&t->parent_comm, parent, group_leader, comm);
	run__end(st, now);
	return 0;
}

/* What ends with a thread. */
struct ending {
	const struct thread *process; /* the first thread's; NULL: not known */
	bool whole;		      /* the process with it */
	bool alone;		      /* it was reported, under an id that ends, too */
	bool of_reported;	      /* the process was reported */
};

/* Threads of a process that was not reported are summed up with it. */
static __always_inline void end__key(struct procs_end_key *k, struct thread *t,
				     const struct ending *end, struct task_struct *task)
{
	__builtin_memset(k, 0, sizeof(*k));
	if (end->alone) {
		k->kind = PROCS_END_ONE;
		k->id = t->tid;
		k->start_ns = t->start_ns;
		BPF_CORE_READ_STR_INTO(&k->comm, task, comm);
	} else if (!end->whole && end->of_reported) {
		k->kind = PROCS_END_THREAD;
		k->id = task->tgid;
		k->start_ns = BPF_CORE_READ(task, group_leader, start_boottime);
	} else {
		k->kind = PROCS_END_PROCESS;
		k->id = end->process ? end->process->parent : t->parent;
		BPF_CORE_READ_STR_INTO(&k->comm, task, group_leader, comm);
	}
}

static __always_inline void end__fill(struct procs_end_sum *e, const struct thread *t,
				      const struct thread *process, struct task_struct *task,
				      u64 now)
{
	e->count = 0;
	e->cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp, kn, id);
	e->start_ns = t->start_ns;
	e->process_ns = BPF_CORE_READ(task, group_leader, start_boottime);
	e->life_ns = now - task->start_time;
	e->tgid = task->tgid;
	e->ppid = process->parent;
	e->uid = BPF_CORE_READ(task, cred, euid.val);
	e->flags = task->flags & PF_KTHREAD ? PROCS_KTHREAD : 0;
	if (HAS_IO_COUNTS)
		e->flags |= PROCS_HAS_IO;
	__builtin_memcpy(e->parent_comm, process->parent_comm, sizeof(e->parent_comm));
}

static __always_inline void sums__add(struct procs_end_sum *e, const struct procs_sums *s)
{
	for (u32 i = 0; i < PROCS_PARTS; i++)
		__sync_fetch_and_add(&e->sums.part_ns[i], s->part_ns[i]);
	__sync_fetch_and_add(&e->sums.minor_faults, s->minor_faults);
	__sync_fetch_and_add(&e->sums.major_faults, s->major_faults);
	__sync_fetch_and_add(&e->sums.read_bytes, s->read_bytes);
	__sync_fetch_and_add(&e->sums.write_bytes, s->write_bytes);
}

static __always_inline struct procs_end_sum *end__get(const struct scratch *c)
{
	void *map = half__of(ends, active);
	struct procs_end_sum *e = bpf_map_lookup_elem(map, &c->key);

	if (e)
		return e;
	bpf_map_update_elem(map, &c->key, &c->end, BPF_NOEXIST);
	return bpf_map_lookup_elem(map, &c->key);
}

static __always_inline void add_end(struct scratch *c, const struct procs_sums *sums, bool leads,
				    struct procs_stats *st)
{
	struct procs_end_sum *e = end__get(c);

	if (!e) {
		st->ends_full++;
		__builtin_memset(&c->key, 0, sizeof(c->key));
		c->key.kind = PROCS_END_REST;
		e = end__get(c);
	}
	if (!e)
		return;
	sums__add(e, sums);
	if (leads)
		__sync_fetch_and_add(&e->count, 1);
}

/* So long user space has taken its time for more of the same. */
static __always_inline void passed_over(struct thread *t, u64 ns)
{
	u32 rest = t->rest;

	if (rest < PROCS_RUNQ)
		return;
	barrier_var(rest); /* older verifiers have to see that it is the index that is bounded */
	if (rest < PROCS_PARTS)
		t->seen.part_ns[rest] += ns;
}

/* What the thread did since it was last reported is added to what ended. */
static __noinline void sum_up(struct thread *t, struct task_struct *task, const struct ending *end,
			      u64 now, struct procs_stats *st)
{
	struct scratch *c = map__only(&scratches);

	if (!c)
		return;
	if (t->visited_ns != round_ns && t->reported && round_ns > t->visited_ns)
		passed_over(t, round_ns - t->visited_ns);
	totals__of(&c->now, t, task, now);
	sums__since(&c->record.sums, &t->seen, &c->now);
	end__key(&c->key, t, end, task);
	__builtin_memset(&c->end, 0, sizeof(c->end));
	end__fill(&c->end, t, end->process ? end->process : t, task, now);
	add_end(c, &c->record.sums, end->whole, st);
}

/* The first thread ends, as another one executes, which will be the process from then on. Whether there is one. */
static __always_inline bool hand_over(const struct thread *t, struct task_struct *task)
{
	struct task_struct *other = executing(task);
	struct thread *heir;

	if (task->pid != task->tgid || !other)
		return false;
	heir = bpf_task_storage_get(&threads, other, 0, 0);
	if (!heir)
		return true;
	heir->parent = t->parent;
	__builtin_memcpy(heir->parent_comm, t->parent_comm, sizeof(heir->parent_comm));
	heir->process_reported = t->reported;
	return true;
}

SEC("tp_btf/sched_process_exit")
int procs_exit(u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct procs_stats *st = stats__get();
	struct ending end = {};
	struct thread *t;
	bool goes_on;
	u64 now;

	if (!st)
		return 0;
	now = run__begin(st);
	t = bpf_task_storage_get(&threads, task, 0, 0);
	if (!t || t->gone)
		return 0;
	t->gone = 1;
	goes_on = hand_over(t, task);
	if (!t->reported && !task__in_scope(task))
		return 0;
	end.process = bpf_task_storage_get(&threads, task->group_leader, 0, 0);
	end.whole = task->pid == task->tgid && !goes_on;
	end.alone = t->reported && !goes_on;
	end.of_reported = !end.process || end.process->reported;
	sum_up(t, task, &end, now, st);
	run__end(st, now);
	return 0;
}

/* Another thread than the first executes: it ends under its own id and goes on under the process's. */
SEC("tp_btf/sched_process_exec")
int procs_exec(u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	struct procs_stats *st = stats__get();
	struct thread *t = bpf_task_storage_get(&threads, task, 0, 0);
	struct ending end = {.process = t};

	if (!st || !t || t->tid == (u32)task->pid)
		return 0;
	end.alone = t->reported;
	end.of_reported = t->process_reported;
	if (t->reported || task__in_scope(task))
		sum_up(t, task, &end, bpf_ktime_get_ns(), st);
	/* Threads are reported together; the first one may have ended before it was looked at. */
	t->reported |= t->process_reported;
	t->tid = task->pid;
	t->start_ns = task->start_boottime;
	t->visited_ns = t->gauges = 0;
	return 0;
}

/* --- once an interval --- */

static __always_inline u8 state_letter(struct task_struct *task)
{
	u64 state = task__state(task);

	if (task->exit_state)
		return 'Z';
	if (state & TASK_INTERRUPTIBLE)
		return 'S';
	if (state & TASK_UNINTERRUPTIBLE)
		return state & TASK_NOLOAD ? 'I' : 'D';
	if (state & TASK_STOPPED)
		return 'T';
	if (state & TASK_TRACED)
		return 't';
	return state ? 'P' : 'R';
}

static __always_inline void record__who(struct procs_record *r, const struct thread *t,
					struct task_struct *task)
{
	r->start_ns = t->start_ns;
	r->process_ns = task->group_leader->start_boottime;
	r->cgroup = task->cgroups->dfl_cgrp->kn->id;
	r->tgid = task->tgid;
	r->tid = t->tid;
	r->ppid = task->real_parent->tgid;
	r->uid = task->cred->euid.val;
	r->nthreads = task->signal->nr_threads;
	r->policy = task->policy;
	r->nice = (s32)task->static_prio - 120;
	r->rt_priority = task->rt_priority;
	r->execs = task->self_exec_id;
	BPF_CORE_READ_STR_INTO(&r->comm, task, comm);
}

/* What a process has, told with its first thread. */
static __always_inline void record__has(struct procs_record *r, struct task_struct *task)
{
	struct mm_struct *mm = task->mm;

	r->flags = task->flags & PF_KTHREAD ? PROCS_KTHREAD : 0;
	if (task->exit_state)
		r->flags |= PROCS_ZOMBIE;
	if (HAS_IO_COUNTS)
		r->flags |= PROCS_HAS_IO;
	r->rss_pages = 0;
	r->fds = 0;
	if (!mm || task->pid != task->tgid)
		return;
	r->rss_pages = mm__rss(mm);
	r->flags |= PROCS_HAS_RSS;
	r->fds = files__count(as_number(task->files));
	if (r->fds != ~0u)
		r->flags |= PROCS_HAS_FDS;
}

static __always_inline u64 gauges__hash(const struct procs_record *r)
{
	u64 h = r->cgroup * 31 + r->rss_pages;

	h = h * 1000003 + r->ppid;
	h = h * 1000003 + r->uid + ((u64)r->state << 32);
	h = h * 1000003 + r->nthreads + ((u64)r->flags << 32);
	h = h * 1000003 + r->policy + ((u64)(u32)r->nice << 32);
	return h * 1000003 + r->fds + r->rt_priority + ((u64)r->execs << 32);
}

/* Whether it did anything but go on with what it was doing. */
static __always_inline bool has_moved(const struct thread *t, const struct procs_record *r)
{
	u64 moved = 0;

	if (!t->reported || r->rest != t->rest || gauges__hash(r) != t->gauges)
		return true;
	for (u32 i = 0; i < PROCS_PARTS; i++)
		if (i != r->rest)
			moved |= r->sums.part_ns[i];
	return moved || r->rest == PROCS_RUNQ;
}

static __always_inline struct thread *thread__visit(struct task_struct *task, u64 now,
						    struct procs_stats *st)
{
	struct thread *t = bpf_task_storage_get(&threads, task, 0, 0);

	if (!t) {
		t = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
		if (!t) {
			st->tasks_full++;
			return NULL;
		}
		thread__begin(t, task, now);
		t->part = task->on_cpu ? PROCS_RUNQ : part_of(t, task, task__state(task));
		t->seen.ran = ~0ULL; /* what was before is not ours */
	}
	if (look_again || !t->reported || t->scope != task__scope_version(task)) {
		t->watched = task__in_scope(task);
		t->scope = task__scope_version(task);
	}
	return t->watched ? t : NULL;
}

/* The first sums of a thread that was there before are where its counts begin. */
static __always_inline void sums__of(struct scratch *c, struct thread *t)
{
	if (t->seen.ran == ~0ULL) {
		t->seen = c->now;
		__builtin_memset(&c->record.sums, 0, sizeof(c->record.sums));
	} else {
		sums__since(&c->record.sums, &t->seen, &c->now);
	}
}

/* It stands alone in the list of its process's threads: told without a look at the process. */
static __always_inline bool has_threads(struct task_struct *task)
{
	return task->thread_node.next != task->thread_node.prev;
}

/* It has not run since the last round, nor could it: whatever it did then, it did all the time.
 * What else may have changed of it (others' doing: its nice value, its memory) comes when all are
 * reported. */
static __always_inline bool went_on(struct task_struct *task)
{
	bool slept = slept_on(task, rq_clock, last_round_ns, rounds);

	return slept && !report_all && !look_again && !task->exit_state &&
	       (task->pid != task->tgid || !has_threads(task));
}

/* The rounds that it was passed over in. */
static __always_inline void catch_up(struct thread *t)
{
	u64 to = last_round_ns;

	if (t->reported && t->visited_ns && to > t->visited_ns + ROUND_MARGIN_NS)
		passed_over(t, to - t->visited_ns);
}

/* What is counted must have been written: a record for which the buffer has no room is asked for
 * again, and has the sums of the first try, which are kept until it is written. */
SEC("iter/task")
int procs_visit(struct bpf_iter__task *ctx)
{
	struct task_struct *task = ctx->task;
	struct procs_stats *st = stats__get();
	struct procs_record *r;
	struct thread *t;
	struct scratch *c;
	u32 slot = 1;
	u64 now;

	if (!task || !st)
		return 0;
	st->visited++;
	if (went_on(task))
		return 0;
	if (task->exit_state && (!(task->exit_state & EXIT_ZOMBIE) || task->pid != task->tgid))
		return 0;
	c = bpf_map_lookup_elem(&scratches, &slot);
	slot = 0;
	if (!c)
		return 0;
	now = bpf_ktime_get_ns();
	t = thread__visit(task, now, st);
	if (!t)
		return 0;
	catch_up(t);
	t->visited_ns = round_ns;
	r = &c->record;
	c->before = t->seen;
	if (t->gone && !task->exit_state)
		return 0;
	if (task->exit_state) {
		__builtin_memset(&r->sums, 0, sizeof(r->sums));
	} else {
		totals__of(&c->now, t, task, now);
		sums__of(c, t);
	}
	record__who(r, t, task);
	record__has(r, task);
	r->state = state_letter(task);
	r->rest = task->on_cpu || !task__state(task) ? PROCS_RUNQ : t->part;
	if (!report_all && !task->exit_state && !has_moved(t, r))
		return 0;
	st->reported++;
	if (bpf_seq_write(ctx->meta->seq, r, sizeof(*r))) {
		t->seen = c->before;
		return 0;
	}
	t->reported = 1;
	t->rest = r->rest;
	t->gauges = gauges__hash(r);
	return 0;
}
