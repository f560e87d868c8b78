// SPDX-License-Identifier: GPL-2.0-only
/*
 * Interrupts and what they leave to be done later: spans of the CPU that they are on and of the thread that
 * they interrupt. They come within one another (a softirq runs timers, a disk interrupts it), so each has its
 * own time beside the whole of it: own times do not overlap. Works are threads of their own; they may
 * sleep, and have none.
 *
 * Threads may be very many: then they are what is not kept.
 */
#define MEASURE_ATOMIC 1
#define MEASURE_IN_INTERRUPTS
#define MEASURE_STACKS (STACK_KERNEL | STACK_TRACED | STACK_SKIP(0xff))
#define STACK_OWN_SLOTS 2
#include "bpf/irq.h"
#include "bpf/measure.bpf.h"
#include "bpf/measure_names.bpf.h"

char LICENSE[] SEC("license") = "GPL";

struct irqaction {
	const char *name;
} KERNEL_TYPE;

struct work_struct {
	void *func;
} KERNEL_TYPE;

struct timer_list {
	void *function;
} KERNEL_TYPE;

struct timerqueue_node {
	s64 expires;
} KERNEL_TYPE;

struct hrtimer {
	struct timerqueue_node node;
	void *function;
	u8 is_soft;
} KERNEL_TYPE;

#define NAME_LEN 64
#define WORKS	 8192 /* queued at a time, of which it is known since when */

/* Functions whose timer is the tick, which is set to a time to come: 0 where the kernel has no such name. */
const volatile u64 tick_functions[2] = {};
/* Bit of thread_info.flags that asks for the CPU at once. */
const volatile u32 need_resched_bit = 0;

/* --- what a CPU is in --- */

/* In which a CPU may be at a time, once each. */
enum slot {
	SLOT_SOFT, SLOT_TIMER, SLOT_SOFT_HRTIMER, SLOT_TASKLET, /* interrupts are on */
	SLOT_HARD, SLOT_LOCAL, SLOT_HRTIMER, SLOT_CALL,		/* and off */
	SLOTS,
};

struct frame {
	u64 ns; /* when it began; 0: it is not in it */
	u64 vector, cause;
	u64 within;	/* time of what came within it */
	u64 queued_ns;	/* how long it waited; of softirqs */
	u32 outer;	/* the slot that it came within, and 1; 0: none */
};

struct ended {
	u64 labels[MEASURE_LABELS];
	u64 begin_ns, end_ns, own_ns, queued_ns;
	u32 slot;   /* of scratch */
	u32 calls;  /* functions between the program and where stacks are taken: 1 or 2 */
	u32 queued; /* 1: queued_ns is known */
};

/* Cells that were counted in last, by vector. Those of programs that interrupt each other are apart. */
#define LASTS	     16
#define LAST_CLASSES 8 /* not fewer than STACK_SLOTS */
struct last_of_thread {
	u64 start_ns; /* of the thread */
	u32 tid, pad;
	struct measure_last cell;
};

struct on_cpu {
	struct frame frames[SLOTS];
	struct ended ended[SLOTS]; /* of each, as there is no room on the stack */
	u64 raised_ns[IRQ_SOFT_VECTORS]; /* first, since it began last; 0: it is not known */
	u64 work_cause; /* of the next interrupt for irq_work */
	u64 named;	/* the handler whose name was there at the last look, */
	u32 named_half; /* which was in this half */
	u32 inner; /* the slot that began last, and 1; 0: none */
	struct last_of_thread last[LAST_CLASSES][LASTS];
};

PERCPU_MAP(on_cpus, 1, struct on_cpu);

static __always_inline struct on_cpu *on_cpu__get(void)
{
	return map__only(&on_cpus);
}

/* What others ask of a CPU. */
struct asked {
	u64 switch_ns;	 /* when it was told to switch; 0: it was not */
	u64 resched_site; /* who sent the last interrupt for that */
};

ARRAY_MAP(asked, 1024, struct asked);

static __always_inline struct asked *asked__of(u32 cpu)
{
	return bpf_map_lookup_elem(&asked, &cpu);
}

/* When works were queued. Those that are cancelled stay until others need their place. */
LRU_MAP(queued, WORKS, u64, u64);

/* The longest of each vector in the half that counts: whatever is longer has its stack taken. Vectors that share
 * a place are not remembered both: more stacks are taken then. */
struct longest {
	u64 vector, ns;
	u32 half;
};

#define LONGEST_BITS 10
ARRAY_MAP(longest, 1 << LONGEST_BITS, struct longest);

/* The engine of measures reads a half and empties it: then it begins anew. */
static __always_inline bool is_longest(u64 vector, u64 ns)
{
	u32 half = active, at = (u32)(hash_finish(vector) & ((1 << LONGEST_BITS) - 1));
	struct longest *l = bpf_map_lookup_elem(&longest, &at);

	if (!l || (l->vector == vector && l->half == half && ns <= l->ns))
		return false;
	l->vector = vector;
	l->half = half;
	l->ns = ns;
	return true;
}

/* --- ends --- */

/* Where scratch is: in threads, in softirqs, or where interrupts are off. */
enum { STACK_SLOT_SOFT = STACK_SLOT_OWN, STACK_SLOT_HARD };

/* Of the thread that is interrupted. */
static __always_inline struct measure_last *last__of(struct on_cpu *c, struct task_struct *task, u32 slot, u64 vector)
{
	struct last_of_thread *l = &c->last[slot % LAST_CLASSES][(vector ^ vector >> 4) & (LASTS - 1)];

	if (l->start_ns != task->start_time || l->tid != (u32)task->pid) {
		l->cell.id = 0;
		l->start_ns = task->start_time;
		l->tid = (u32)task->pid;
	}
	return &l->cell;
}

/* A global function, so that it is verified once. */
__noinline int span__ends(struct bpf_raw_tracepoint_args *ctx, struct ended *e)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct measure_stats *st = stats__get();
	struct measure_span s = {.task = task, .seldom = true};
	struct on_cpu *on = on_cpu__get();
	struct measure_cell *cell;
	u64 stack;

	if (!e || !st || !on)
		return 0;
	st->runs++;
	s.now = e->end_ns;
	if ((u32)scope_state && !task__in_scope(task))
		return 0;
	s.begin_ns = e->begin_ns;
	s.labels = e->labels;
	s.slot = e->slot;
	s.last = last__of(on, task, e->slot, e->labels[IRQ_LABEL_VECTOR]);
	s.alone = e->labels[IRQ_LABEL_KIND] <= IRQ_LOCAL; /* a timer may be in a softirq or out of one */
	s.stack = STACK_KERNEL | STACK_TRACED | STACK_SKIP(e->calls);
	s.sums[IRQ_SUM_OWN] = e->own_ns;
	s.sums[IRQ_SUM_QUEUED_NS] = e->queued_ns;
	s.sums[IRQ_SUM_QUEUED] = e->queued;
	s.stack_wanted = is_longest(e->labels[IRQ_LABEL_VECTOR], s.now - s.begin_ns);
	if (measure__end(ctx, &s, st, &stack, &cell) & MEASURE_IS_SLOW)
		slow__report(&s, stack);
	run__end(st, s.now);
	return 0;
}

static __always_inline int frame__begins(u32 slot, u64 vector, u64 cause)
{
	struct on_cpu *c = on_cpu__get();
	struct frame *f;

	if (!c)
		return 0;
	f = &c->frames[slot];
	f->vector = vector;
	f->cause = cause;
	f->within = f->queued_ns = 0;
	f->outer = c->inner;
	c->inner = slot + 1;
	f->ns = bpf_ktime_get_ns();
	return 0;
}

static __always_inline u32 kind_of(u32 slot)
{
	switch (slot) {
	case SLOT_SOFT: return IRQ_SOFT;
	case SLOT_TIMER: return IRQ_TIMER;
	case SLOT_TASKLET: return IRQ_TASKLET;
	case SLOT_HARD: return IRQ_HARD;
	case SLOT_LOCAL: return IRQ_LOCAL;
	case SLOT_CALL: return IRQ_CALL;
	default: return IRQ_HRTIMER;
	}
}

__noinline int frame__ends(struct bpf_raw_tracepoint_args *ctx, u32 slot)
{
	struct on_cpu *c = on_cpu__get();
	struct ended *e;
	struct frame *f;
	u64 ns;

	if (!c)
		return 0;
	f = &c->frames[slot & (SLOTS - 1)];
	e = &c->ended[slot & (SLOTS - 1)];
	e->begin_ns = f->ns;
	if (!e->begin_ns)
		return 0;
	e->end_ns = bpf_ktime_get_ns();
	ns = e->end_ns - e->begin_ns;
	f->ns = 0;
	c->inner = f->outer;
	if (f->outer)
		c->frames[(f->outer - 1) & (SLOTS - 1)].within += ns;
	e->labels[IRQ_LABEL_KIND] = kind_of(slot);
	e->labels[IRQ_LABEL_CPU] = bpf_get_smp_processor_id();
	e->labels[IRQ_LABEL_VECTOR] = f->vector;
	e->labels[IRQ_LABEL_CAUSE] = f->cause;
	e->own_ns = ns > f->within ? ns - f->within : 0;
	e->queued_ns = f->queued_ns;
	e->queued = f->queued_ns != 0;
	e->slot = slot < SLOT_HARD ? STACK_SLOT_SOFT : STACK_SLOT_HARD;
	e->calls = 2;
	return span__ends(ctx, e);
}

/* The first function that runs in a CPU's own interrupt is what it came for. */
static __always_inline void names_cause(u64 function)
{
	struct on_cpu *c = on_cpu__get();

	if (c && c->frames[SLOT_LOCAL].ns && !c->frames[SLOT_LOCAL].cause)
		c->frames[SLOT_LOCAL].cause = function;
}

/* --- handlers of devices --- */

SEC("raw_tp/irq_handler_entry")
int irq_hard_begins(struct bpf_raw_tracepoint_args *ctx)
{
	return frame__begins(SLOT_HARD, ctx->args[1], 0);
}

static __always_inline void name__handler(u64 action)
{
	struct measure_stats *st = stats__get();
	struct on_cpu *c = on_cpu__get();
	struct measure_name *n;
	const char *name;

	if (!st || !c || (c->named == action && c->named_half == (u32)active))
		return;
	if (!name__is_due(IRQ_LABEL_VECTOR, action, 0, 0)) {
		c->named = action;
		c->named_half = active;
		return;
	}
	n = name__begin(NAME_OF_TASK);
	if (!n)
		return;
	__builtin_memset(n->text, 0, NAME_LEN);
	name = BPF_CORE_READ((struct irqaction *)action, name);
	if (bpf_probe_read_kernel_str(n->text, NAME_LEN, name) > 0)
		name__send(n, IRQ_LABEL_VECTOR, action, NAME_LEN - 1, 0, st);
}

SEC("raw_tp/irq_handler_exit")
int irq_hard_ends(struct bpf_raw_tracepoint_args *ctx)
{
	name__handler(ctx->args[1]);
	return frame__ends(ctx, SLOT_HARD);
}

/* --- softirqs --- */

static __always_inline u64 *raised__place(struct on_cpu *c, u64 vector)
{
	return &c->raised_ns[vector & (IRQ_SOFT_VECTORS - 1)];
}

SEC("raw_tp/softirq_raise")
int irq_soft_raised(struct bpf_raw_tracepoint_args *ctx)
{
	struct on_cpu *c = on_cpu__get();

	if (c && !*raised__place(c, ctx->args[0]))
		*raised__place(c, ctx->args[0]) = bpf_ktime_get_ns();
	return 0;
}

SEC("raw_tp/softirq_entry")
int irq_soft_begins(struct bpf_raw_tracepoint_args *ctx)
{
	u64 vector = ctx->args[0] & (IRQ_SOFT_VECTORS - 1);
	struct on_cpu *c = on_cpu__get();
	u64 *raised;

	frame__begins(SLOT_SOFT, vector + 1, 0);
	if (!c)
		return 0;
	raised = raised__place(c, vector);
	if (*raised)
		c->frames[SLOT_SOFT].queued_ns = c->frames[SLOT_SOFT].ns - *raised;
	*raised = 0;
	return 0;
}

SEC("raw_tp/softirq_exit")
int irq_soft_ends(struct bpf_raw_tracepoint_args *ctx)
{
	return frame__ends(ctx, SLOT_SOFT);
}

/* --- interrupts of the CPU's own --- */

/* Attached to all of them by user space (sources/irq.c). */
SEC("raw_tp")
int irq_local_begins(struct bpf_raw_tracepoint_args *ctx)
{
	struct asked *a = asked__of(bpf_get_smp_processor_id());
	u32 number = (u32)ctx->args[0] & 0xff;
	struct on_cpu *c = on_cpu__get();
	u64 cause = 0;

	if (number == IRQ_RESCHEDULE && a)
		cause = a->resched_site;
	else if (number == IRQ_WORK_LATER && c)
		cause = c->work_cause;
	return frame__begins(SLOT_LOCAL, IRQ_VECTOR_LOCAL + number, cause);
}

SEC("raw_tp")
int irq_local_ends(struct bpf_raw_tracepoint_args *ctx)
{
	return frame__ends(ctx, SLOT_LOCAL);
}

/* To switch: no function is called, and whence it was sent tells. A CPU sends itself what irq_work has
 * to do, and the function of it is known. */
SEC("raw_tp/ipi_send_cpu")
int irq_sent(struct bpf_raw_tracepoint_args *ctx)
{
	u64 cpu = ctx->args[0], site = ctx->args[1], function = ctx->args[2];
	struct on_cpu *c = on_cpu__get();
	struct asked *a = asked__of(cpu);

	if (!function && a)
		a->resched_site = site;
	else if (c && (u32)cpu == bpf_get_smp_processor_id())
		c->work_cause = function;
	return 0;
}

SEC("raw_tp/csd_function_entry")
int irq_call_begins(struct bpf_raw_tracepoint_args *ctx)
{
	names_cause(ctx->args[0]);
	return frame__begins(SLOT_CALL, ctx->args[0], 0);
}

SEC("raw_tp/csd_function_exit")
int irq_call_ends(struct bpf_raw_tracepoint_args *ctx)
{
	return frame__ends(ctx, SLOT_CALL);
}

/* --- timers and tasklets: at their ends they may be gone --- */

SEC("raw_tp/timer_expire_entry")
int irq_timer_begins(struct bpf_raw_tracepoint_args *ctx)
{
	return frame__begins(SLOT_TIMER, as_number(BPF_CORE_READ((struct timer_list *)ctx->args[0], function)), 0);
}

SEC("raw_tp/timer_expire_exit")
int irq_timer_ends(struct bpf_raw_tracepoint_args *ctx)
{
	return frame__ends(ctx, SLOT_TIMER);
}

SEC("raw_tp/tasklet_entry")
int irq_tasklet_begins(struct bpf_raw_tracepoint_args *ctx)
{
	return frame__begins(SLOT_TASKLET, ctx->args[1], 0);
}

SEC("raw_tp/tasklet_exit")
int irq_tasklet_ends(struct bpf_raw_tracepoint_args *ctx)
{
	return frame__ends(ctx, SLOT_TASKLET);
}

/* The tick is asked for in time to come, on this CPU: so late as its interrupt comes, so long were interrupts
 * off, and the stack is where they are on again. Other timers may be set to a time that is over. */
static __always_inline void tick__comes(struct bpf_raw_tracepoint_args *ctx, struct hrtimer *timer)
{
	s64 expires = BPF_CORE_READ(timer, node.expires), now = 0;
	struct ended e = {.slot = STACK_SLOT_HARD, .calls = 1};

	if (bpf_probe_read_kernel(&now, sizeof(now), (void *)ctx->args[1]) || now < expires)
		return;
	e.end_ns = bpf_ktime_get_ns();
	e.begin_ns = e.end_ns - (now - expires);
	e.labels[IRQ_LABEL_KIND] = IRQ_IRQS_OFF;
	e.labels[IRQ_LABEL_CPU] = bpf_get_smp_processor_id();
	e.labels[IRQ_LABEL_VECTOR] = IRQ_VECTOR_IRQS_OFF;
	span__ends(ctx, &e);
}

/* Which of the slots it has is known at its end, too: it goes on with interrupts as they are. */
static __always_inline u32 hrtimer__slot(struct hrtimer *timer)
{
	return BPF_CORE_READ(timer, is_soft) ? SLOT_SOFT_HRTIMER : SLOT_HRTIMER;
}

SEC("raw_tp/hrtimer_expire_entry")
int irq_hrtimer_begins(struct bpf_raw_tracepoint_args *ctx)
{
	struct hrtimer *timer = (void *)ctx->args[0];
	u64 function = as_number(BPF_CORE_READ(timer, function));

	if (function && (function == tick_functions[0] || function == tick_functions[1]))
		tick__comes(ctx, timer);
	names_cause(function);
	return hrtimer__slot(timer) == SLOT_HRTIMER ? frame__begins(SLOT_HRTIMER, function, 0)
						    : frame__begins(SLOT_SOFT_HRTIMER, function, 0);
}

/* The one that began last ends first. */
SEC("raw_tp/hrtimer_expire_exit")
int irq_hrtimer_ends(struct bpf_raw_tracepoint_args *ctx)
{
	struct on_cpu *c = on_cpu__get();

	return c ? frame__ends(ctx, c->frames[SLOT_HRTIMER].ns ? SLOT_HRTIMER : SLOT_SOFT_HRTIMER) : 0;
}

/* --- works --- */

SEC("raw_tp/workqueue_queue_work")
int irq_work_queued(struct bpf_raw_tracepoint_args *ctx)
{
	u64 work = ctx->args[2], now = bpf_ktime_get_ns();

	bpf_map_update_elem(&queued, &work, &now, BPF_ANY);
	return 0;
}

enum { OWN_QUEUED_NS };

SEC("raw_tp/workqueue_execute_start")
int irq_work_starts(struct bpf_raw_tracepoint_args *ctx)
{
	struct measure_stats *st = stats__get();
	u64 work = ctx->args[0], *since;
	struct measure_task *t;

	if (!st)
		return 0;
	since = bpf_map_lookup_elem(&queued, &work);
	t = measure__task(bpf_get_current_task_btf(), st);
	if (t) {
		t->begin_ns = bpf_ktime_get_ns();
		t->labels[IRQ_LABEL_KIND] = IRQ_WORK;
		t->labels[IRQ_LABEL_CPU] = bpf_get_smp_processor_id();
		t->labels[IRQ_LABEL_VECTOR] = as_number(BPF_CORE_READ((struct work_struct *)work, func));
		t->own[OWN_QUEUED_NS] = since ? t->begin_ns - *since : 0;
		t->inside = 1;
	}
	if (since)
		bpf_map_delete_elem(&queued, &work);
	return 0;
}

SEC("raw_tp/workqueue_execute_end")
int irq_work_finishes(struct bpf_raw_tracepoint_args *ctx)
{
	struct measure_task *t = bpf_task_storage_get(&tasks, bpf_get_current_task_btf(), 0, 0);
	struct ended e = {.slot = STACK_SLOT_TRACE, .calls = 1};

	if (!t || !t->inside)
		return 0;
	t->inside = 0;
	e.begin_ns = t->begin_ns;
	e.end_ns = bpf_ktime_get_ns();
	e.queued_ns = t->own[OWN_QUEUED_NS];
	e.queued = e.queued_ns != 0;
	for (int i = 0; i < MEASURE_LABELS; i++)
		e.labels[i] = t->labels[i];
	/* It may have moved, and whether it is in scope is asked where it ends. */
	e.labels[IRQ_LABEL_CPU] = bpf_get_smp_processor_id();
	return span__ends(ctx, &e);
}

MEASURE_VISIT_OPEN

/* --- preemption off --- */

SEC("raw_tp/sched_set_need_resched_tp")
int irq_switch_wanted(struct bpf_raw_tracepoint_args *ctx)
{
	struct asked *a = asked__of(ctx->args[1]);

	if (a && (u32)ctx->args[2] == need_resched_bit)
		a->switch_ns = bpf_ktime_get_ns();
	return 0;
}

/* What would go on, had it not been told to give way: what sleeps may have been told before and then was
 * chosen again, which no event tells. Idle CPUs are there to be woken. */
SEC("raw_tp/sched_switch")
int irq_switches(struct bpf_raw_tracepoint_args *ctx)
{
	u32 cpu = bpf_get_smp_processor_id();
	struct task_struct *prev = (void *)ctx->args[1];
	struct asked *a = asked__of(cpu);
	struct ended e = {.slot = STACK_SLOT_TRACE, .calls = 1};

	if (!a || !a->switch_ns)
		return 0;
	e.begin_ns = a->switch_ns;
	e.end_ns = bpf_ktime_get_ns();
	a->switch_ns = 0;
	if (!BPF_CORE_READ(prev, pid) || BPF_CORE_READ(prev, __state))
		return 0;
	e.labels[IRQ_LABEL_KIND] = IRQ_PREEMPT_OFF;
	e.labels[IRQ_LABEL_CPU] = cpu;
	e.labels[IRQ_LABEL_VECTOR] = IRQ_VECTOR_PREEMPT_OFF;
	return span__ends(ctx, &e);
}
