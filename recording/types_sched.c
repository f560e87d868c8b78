// SPDX-License-Identifier: GPL-2.0-only
/* Samples of samples/sched.h. */
#include "bpf/hist.h"
#include "recording/types.h"

#define WAKER_KINDS (WAKER_INTERRUPT + 1)

static void code_ident(struct codec *c, struct task_ident *t)
{
	code_tgid(c, &t->tgid);
	code_tid(c, &t->tid);
	code_cgroup(c, &t->cgroup);
	code_u64(c, &t->start_ns);
	code_host(c, &t->host);
	code_kthread(c, &t->kthread);
	code_comm(c, t->comm);
}

static void ident_fields(struct codec *c, void *x)
{
	code_ident(c, x);
}

static void waker_fields(struct codec *c, void *p)
{
	struct waker *w = p;

	CODE_U32S(c, &w->tgid, &w->tid);
	code_text(c, w->comm, sizeof(w->comm));
	code_stack(c, &w->kstack, w->tgid);
	code_stack(c, &w->ustack, w->tgid);
}

static void code_waker(struct codec *c, struct waker *w)
{
	CODE_ENUM(c, w->kind, WAKER_KINDS);
	if (w->kind != WAKER_NONE)
		waker_fields(c, w);
}

/* As SCOPE_STATES has them; a wait for a CPU is R. */
static u32 scope_state(enum task_state state)
{
	static const u32 letters[TASK_STATES] = {
		[TASK_STATE_RUNNING] = 1 << 0, [TASK_STATE_RUNNABLE] = 1 << 0,
		[TASK_STATE_SLEEP] = 1 << 1,   [TASK_STATE_DISK] = 1 << 2,
		[TASK_STATE_STOPPED] = 1 << 3, [TASK_STATE_TRACED] = 1 << 4,
		[TASK_STATE_IDLE] = 1 << 8,
	};

	return letters[state];
}

/* Where it waited, and in what state. */
static void code_where(struct codec *c, struct wait_sample *x)
{
	code_stack(c, &x->kstack, x->task.tgid);
	code_stack(c, &x->ustack, x->task.tgid);
	CODE_ENUM(c, x->state, TASK_STATES);
	if (c->who)
		c->who->state = scope_state(x->state);
}

void code_wait_fields(struct codec *c, struct wait_sample *x)
{
	code_ident(c, &x->task);
	code_where(c, x);
	CODE_U32S(c, &x->syscall, &x->futex_op);
	code_waker(c, &x->waker);
	CODE_U64S(c, &x->count, &x->off_ns, &x->runq_ns, &x->full_ns);
	code_longest(c, &x->max_ns);
	CODE_U64S(c, &x->open, &x->open_ns, &x->open_full_ns);
	code_time(c, &x->t_ns);
	code_bool(c, &x->since_before);
	code_hist(c, &x->hist, HIST_OCTAVES);
	code_u32(c, &x->on);
	code_u64(c, &x->object);
}

/* What most waits are; what a bit says is not written. */
enum {
	SHAPE_ONCE = 1 << 0,	   /* one, that ended: it is the longest, and all of the histogram */
	SHAPE_OFF_FULL = 1 << 1,   /* off_ns is full_ns */
	SHAPE_OFF_OPEN = 1 << 2,   /* off_ns is open_ns */
	SHAPE_NO_RUNQ = 1 << 3,	   /* runq_ns is 0 */
	SHAPE_RUNQ = 1 << 4,	   /* runq_ns is off_ns */
	SHAPE_ENDED = 1 << 5,	   /* none goes on */
	SHAPE_MAX_OPEN = 1 << 6,   /* max_ns is open_full_ns */
	SHAPE_NO_SYSCALL = 1 << 7,
	SHAPE_NO_OBJECT = 1 << 8,  /* and nothing that it waits on */
	SHAPE_BEFORE = 1 << 9,	   /* since_before */
	SHAPES = 1 << 10,
	SHAPE_LASTS = SHAPES,	   /* it goes on, and began before the interval; not of type 40 */
	SHAPES_KEPT = SHAPES << 1,
};

static bool is_alone(const u32 *hist, u32 bucket)
{
	for (u32 i = 0; hist && i < HIST_OCTAVES; i++)
		if (hist[i] != (i == bucket))
			return false;
	return hist;
}

static bool is_none(const u32 *hist)
{
	for (u32 i = 0; hist && i < HIST_OCTAVES; i++)
		if (hist[i])
			return false;
	return true;
}

static u32 shape_of(const struct wait_sample *x)
{
	bool ended = !x->open && !x->open_ns && !x->open_full_ns;
	bool once = ended && x->count == 1 && x->full_ns == x->max_ns && is_alone(x->hist, hist__octave(x->max_ns));

	return (once ? SHAPE_ONCE : 0) | (x->off_ns == x->full_ns ? SHAPE_OFF_FULL : 0) |
	       (x->off_ns == x->open_ns ? SHAPE_OFF_OPEN : 0) | (!x->runq_ns ? SHAPE_NO_RUNQ : 0) |
	       (x->runq_ns == x->off_ns ? SHAPE_RUNQ : 0) | (ended ? SHAPE_ENDED : 0) |
	       (x->max_ns == x->open_full_ns ? SHAPE_MAX_OPEN : 0) |
	       (x->syscall == WAIT_NO_SYSCALL && !x->futex_op ? SHAPE_NO_SYSCALL : 0) |
	       (!x->object && !x->on ? SHAPE_NO_OBJECT : 0) | (x->since_before ? SHAPE_BEFORE : 0);
}

/* Reading: what the shape says. */
static void code_sums(struct codec *c, u32 shape, struct wait_sample *x)
{
	bool reads = !c->out && !c->who;

	if (!(shape & SHAPE_ENDED))
		CODE_U64S(c, &x->open, &x->open_ns, &x->open_full_ns);
	if (!(shape & SHAPE_MAX_OPEN))
		code_longest(c, &x->max_ns);
	else if (reads)
		x->max_ns = x->open_full_ns;
	if (!(shape & SHAPE_ONCE)) {
		CODE_U64S(c, &x->count, &x->full_ns);
		code_hist(c, &x->hist, HIST_OCTAVES);
	} else if (reads) {
		x->count = 1;
		x->full_ns = x->max_ns;
		x->hist = codec__one(c, hist__octave(x->max_ns), HIST_OCTAVES);
	}
	if (!(shape & (SHAPE_OFF_FULL | SHAPE_OFF_OPEN)))
		code_u64(c, &x->off_ns);
	else if (reads)
		x->off_ns = shape & SHAPE_OFF_FULL ? x->full_ns : x->open_ns;
	if (!(shape & (SHAPE_NO_RUNQ | SHAPE_RUNQ)))
		code_u64(c, &x->runq_ns);
	else if (reads)
		x->runq_ns = shape & SHAPE_RUNQ ? x->off_ns : 0;
}

void code_wait_shaped_fields(struct codec *c, struct wait_sample *x)
{
	u32 shape = c->out ? shape_of(x) : 0; /* whom it is about any shape tells */

	code_below(c, &shape, SHAPES);
	code_ident(c, &x->task);
	code_where(c, x);
	code_waker(c, &x->waker);
	code_sums(c, shape, x);
	code_time(c, &x->t_ns);
	if (!(shape & SHAPE_NO_SYSCALL))
		CODE_U32S(c, &x->syscall, &x->futex_op);
	if (!(shape & SHAPE_NO_OBJECT)) {
		code_u32(c, &x->on);
		code_u64(c, &x->object);
	}
	if (c->out || c->who)
		return;
	if (shape & SHAPE_NO_SYSCALL)
		x->syscall = WAIT_NO_SYSCALL;
	x->since_before = shape & SHAPE_BEFORE;
}

/* It goes on, as it did in the interval before: all of it but the time is the same again. */
static bool wait_lasts(const struct wait_sample *x)
{
	return x->open == 1 && !x->count && !x->full_ns && x->off_ns == x->open_ns &&
	       x->max_ns == x->open_full_ns && x->open_full_ns > x->open_ns && x->t_ns >= x->open_full_ns &&
	       (!x->runq_ns || x->runq_ns == x->off_ns) && is_none(x->hist);
}

/* What a wait is, beside its numbers: whose, where, and who ended it. */
static void wait_key_fields(struct codec *c, void *p)
{
	struct wait_sample *x = p;
	u32 syscall = x->syscall + 1; /* most have none */

	code_kept(c, ident_fields, &x->task);
	code_where(c, x);
	CODE_ENUM(c, x->waker.kind, WAKER_KINDS);
	if (x->waker.kind != WAKER_NONE)
		code_kept(c, waker_fields, &x->waker);
	CODE_U32S(c, &syscall, &x->futex_op, &x->on);
	code_u64(c, &x->object);
	x->syscall = syscall - 1;
}

/* Reading: open_full_ns is when it began, runq_ns whether it is one for a CPU. */
static void lasting_wait_fields(struct codec *c, void *p)
{
	struct wait_sample *x = p;
	u64 since_ns = x->t_ns - x->open_full_ns;
	bool in_runq = x->runq_ns;

	code_kept(c, wait_key_fields, x);
	CODE_BOOLS(c, &x->since_before, &in_runq);
	code_time(c, &since_ns);
	if (c->out)
		return;
	x->open_full_ns = since_ns;
	x->runq_ns = in_runq;
}

static void code_lasting_wait(struct codec *c, struct wait_sample *x)
{
	code_kept(c, lasting_wait_fields, x);
	code_time(c, &x->t_ns);
	code_u64(c, &x->open_ns);
	if (c->out)
		return;
	x->open = 1;
	x->off_ns = x->open_ns;
	x->runq_ns = x->runq_ns ? x->open_ns : 0;
	x->max_ns = x->open_full_ns = x->t_ns - MIN(x->t_ns, x->open_full_ns);
}

void code_wait_kept_fields(struct codec *c, struct wait_sample *x)
{
	u32 shape = !c->out ? 0 : wait_lasts(x) ? SHAPE_LASTS : shape_of(x);

	code_below(c, &shape, SHAPES_KEPT);
	if (shape & SHAPE_LASTS) {
		code_lasting_wait(c, x);
		return;
	}
	code_kept(c, wait_key_fields, x);
	code_sums(c, shape, x);
	if (!c->out && !c->who)
		x->since_before = shape & SHAPE_BEFORE;
}

void code_wait_lock_fields(struct codec *c, struct wait_lock_sample *x)
{
	code_tgid(c, &x->tgid);
	code_u64(c, &x->object);
	code_text(c, x->name, sizeof(x->name));
	CODE_U32S(c, &x->holder.tgid, &x->holder.tid);
	code_text(c, x->holder.comm, sizeof(x->holder.comm));
}

static void code_task_sums(struct codec *c, struct task_sample *x)
{
	code_cpu(c, &x->cpu);
	code_time(c, &x->t_ns);
	code_u64(c, &x->span_ns);
	for (u32 i = 0; i < TASK_STATES; i++)
		code_u64(c, &x->state_ns[i]);
	CODE_ENUM(c, x->state, TASK_STATES);
	code_u64(c, &x->since_ns);
	code_bool(c, &x->gone);
	CODE_U64S(c, &x->runs, &x->voluntary, &x->preempted, &x->migrations, &x->delays,
		  &x->delay_ns, &x->delay_max_ns, &x->run_max_ns);
	code_hist(c, &x->delay_hist, HIST_BUCKETS);
	code_hist(c, &x->on_hist, HIST_BUCKETS);
	code_hist(c, &x->off_hist, HIST_BUCKETS);
}

void code_task_fields(struct codec *c, struct task_sample *x)
{
	code_ident(c, &x->task);
	code_task_sums(c, x);
}

/* It has been in one state since before the interval, and nothing else is told of it. */
static bool task_lasts(const struct task_sample *x)
{
	const u64 others[] = {x->runs,	 x->voluntary, x->preempted,	x->migrations,
			      x->delays, x->delay_ns,  x->delay_max_ns, x->run_max_ns};
	u64 any = x->gone || x->delay_hist || x->on_hist || x->off_hist;

	for (u32 i = 0; i < ARRAY_SIZE(others); i++)
		any |= others[i];
	for (u32 i = 0; i < TASK_STATES; i++)
		any |= i == x->state ? x->state_ns[i] ^ x->span_ns : x->state_ns[i];
	return !any && x->span_ns < x->t_ns && x->since_ns < x->t_ns - x->span_ns;
}

static void lasting_task_fields(struct codec *c, void *p)
{
	struct task_sample *x = p;

	code_kept(c, ident_fields, &x->task);
	code_cpu(c, &x->cpu);
	CODE_ENUM(c, x->state, TASK_STATES);
	code_time(c, &x->since_ns);
}

void code_task_kept_fields(struct codec *c, struct task_sample *x)
{
	bool lasts = c->out && task_lasts(x);

	code_bool(c, &lasts);
	if (!lasts) {
		code_kept(c, ident_fields, &x->task);
		code_task_sums(c, x);
		return;
	}
	code_kept(c, lasting_task_fields, x);
	code_time(c, &x->t_ns);
	code_u64(c, &x->span_ns);
	if (!c->out)
		x->state_ns[x->state] = x->span_ns;
}

void code_cpu_fields(struct codec *c, struct cpu_sample *x)
{
	code_u32(c, &x->cpu);
	code_time(c, &x->t_ns);
	CODE_U64S(c, &x->span_ns, &x->busy_ns, &x->switches, &x->run_max_ns);
	code_ident(c, &x->longest);
	code_ident(c, &x->running);
	code_table64(c, &x->delay_hist, HIST_BUCKETS);
}

void code_delay_fields(struct codec *c, struct delay_sample *x)
{
	code_ident(c, &x->task);
	code_cpu(c, &x->cpu);
	code_time(c, &x->t_ns);
	code_u64(c, &x->delay_ns);
	code_ident(c, &x->holder);
	code_u64(c, &x->holder_ran_ns);
	code_stack(c, &x->holder_kstack, x->holder.tgid);
	code_stack(c, &x->holder_ustack, x->holder.tgid);
}

/* Its thread's process is not told: kernel frames are found without, user frames in the source's
 * own way. */
void code_sw_fields(struct codec *c, struct switch_sample *x)
{
	CODE_U32S(c, &x->tid, &x->cpu);
	code_time(c, &x->t_ns);
	CODE_ENUM(c, x->state, TASK_STATES);
	CODE_U32S(c, &x->syscall, &x->futex_op);
	code_stack(c, &x->kstack, 0);
	code_stack(c, &x->ustack, 0);
}
