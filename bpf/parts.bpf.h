/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts of a span's time: what the thread waited for a CPU, and what it was blocked, by what it waited for.
 * They are counted by programs on the scheduler's events, which each includer has for its own storage, in
 * the thread's struct parts; a span has their differences. What is waited for is looked at when the thread
 * leaves its CPU: by its system call, and the descriptors that this is about.
 */
#ifndef BPF_PARTS_BPF_H
#define BPF_PARTS_BPF_H

#include "bpf/parts.h"
#include "bpf/wait_on.bpf.h"

#if defined(__TARGET_ARCH_x86)
enum {
	CALL_WRITE = 1, CALL_WRITEV = 20, CALL_NANOSLEEP = 35, CALL_CLOCK_NANOSLEEP = 230, CALL_CONNECT = 42,
	CALL_ACCEPT = 43, CALL_ACCEPT4 = 288, CALL_SENDTO = 44, CALL_SENDMSG = 46, CALL_FSYNC = 74,
	CALL_FDATASYNC = 75,
};
#elif defined(__TARGET_ARCH_arm64)
enum {
	CALL_WRITE = 64, CALL_WRITEV = 66, CALL_NANOSLEEP = 101, CALL_CLOCK_NANOSLEEP = 115,
	CALL_CONNECT = 203, CALL_ACCEPT = 202, CALL_ACCEPT4 = 242, CALL_SENDTO = 206, CALL_SENDMSG = 211,
	CALL_FSYNC = 82, CALL_FDATASYNC = 83,
};
#endif

struct parts_ns {
	u64 blocked;   /* all of it */
	u64 ns[PARTS]; /* of PART_ONCPU none */
};

struct parts {
	struct parts_ns ns;
	u64 span[PARTS]; /* of the one that has ended */
	u64 since_ns; /* of the state */
	u32 state;    /* enum part, PART_ONCPU: it runs; PARTS: another wait */
	u32 pad;
};

static __always_inline void parts__end_state(struct parts *p, u64 now)
{
	u64 ns = now - p->since_ns;
	u32 state = p->state;

	if (state < PARTS)
		p->ns.ns[state] += ns;
	if (state > PART_RUNQ)
		p->ns.blocked += ns;
	p->since_ns = now;
}

#define ON_SOCKETS \
	(ON_LISTENER | ON_ANSWERED | ON_UNANSWERED | ON_REQUEST | ON_REPLIED | ON_CLIENT | ON_SOCKET)

/* Global: it is verified once. */
__noinline u32 part__of_call(u64 task_at, u32 call, u64 a, u64 b)
{
	u32 on;

	switch (call) {
	case CALL_FSYNC:
	case CALL_FDATASYNC:
		return PART_DISK;
	case CALL_NANOSLEEP:
	case CALL_CLOCK_NANOSLEEP:
		return PART_SLEEP;
	case CALL_CONNECT:
	case CALL_ACCEPT:
	case CALL_ACCEPT4:
	case CALL_SENDTO:
	case CALL_SENDMSG:
		return PART_NETWORK;
	case CALL_WRITE:
	case CALL_WRITEV:
		on = socket_of(task_at, a);
		break;
	default:
		on = call__on(task_at, call, a, b, 0);
	}
	if (on & ON_SOCKETS)
		return PART_NETWORK;
	return on & ON_NONE ? PART_SLEEP : PARTS;
}

static __always_inline u32 part__of_wait(struct task_struct *task)
{
	REGS_TYPE *regs = (void *)bpf_task_pt_regs(task);
	u32 call = task__syscall(task);

	if (task__in_iowait(task))
		return PART_DISK;
	if (call == WAIT_CALL_FUTEX)
		return futex__is_lock(regs) ? PART_LOCK : PARTS;
	return call == ~0u ? PARTS : part__of_call(as_number(task), call, REGS_ARG1(regs), REGS_ARG2(regs));
}

/* Of sched_switch: it leaves its CPU, and is current. */
static __always_inline void parts__leave(struct parts *p, struct task_struct *task, bool preempted)
{
	p->since_ns = bpf_ktime_get_ns();
	p->state = preempted || !task__state(task) ? PART_RUNQ : part__of_wait(task);
}

/* Of sched_switch: it gets one. */
static __always_inline void parts__arrive(struct parts *p)
{
	if (!p->state)
		return;
	parts__end_state(p, bpf_ktime_get_ns());
	p->state = PART_ONCPU;
}

/* Of sched_wakeup. */
static __always_inline void parts__wake(struct parts *p)
{
	if (p->state <= PART_RUNQ)
		return;
	parts__end_state(p, bpf_ktime_get_ns());
	p->state = PART_RUNQ;
}

/* Of a span of so many ns; in span, as the stack is short. What was no wait was on a CPU. */
static __always_inline void parts__end(struct parts *p, const struct parts_ns *at_begin, u64 ns)
{
	u64 blocked = p->ns.blocked - at_begin->blocked;

	for (u32 i = PART_RUNQ; i < PARTS; i++)
		p->span[i] = p->ns.ns[i] - at_begin->ns[i];
	p->span[PART_ONCPU] = ns - p->span[PART_RUNQ] - blocked;
}

static __always_inline void parts__copy(u64 *to, const struct parts *p)
{
	for (u32 i = 0; i < PARTS; i++)
		to[i] = p->span[i];
}

/* To sums of a cell. */
static __always_inline void parts__add(u64 *to, const struct parts *p)
{
	for (u32 i = 0; i < PARTS; i++)
		cell__add_to(&to[i], p->span[i]);
}

#endif
