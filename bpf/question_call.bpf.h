/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints of many system calls as one: which event of the question a call is, and its record. Programs of
 * slots with `call` are attached to the raw tracepoint of all entries, or of all returns. */
#ifndef BPF_QUESTION_CALL_BPF_H
#define BPF_QUESTION_CALL_BPF_H

#include "bpf/call.bpf.h"
#include "bpf/question_run.bpf.h"

ARRAY_MAP(question_calls, 2 * QUESTION_CALLS, struct question_call_event);

/* The numbers of 32-bit programs mean other calls: as the kernel's own tracepoints they are left out. */
static __always_inline struct question_call_event *call__asked(u32 slot, u32 nr)
{
	struct question_call_event *e;
	u32 at = nr + (slots[slot].call == QUESTION_CALL_RETURNS ? QUESTION_CALLS : 0);

	if (nr >= QUESTION_CALLS)
		return NULL;
	e = bpf_map_lookup_elem(&question_calls, &at);
	return e && e->slot == slot + 1 && !is_compat(bpf_get_current_task_btf()) ? e : NULL;
}

static __always_inline u32 call__nr(u64 *ctx, u32 slot)
{
	u64 second = ctx[1];

	barrier_var(second); /* a context is read at constant places alone */
	if (slots[slot].call == QUESTION_CALL_ENTERS)
		return second;
	return REGS_SYSCALL((REGS_TYPE *)bpf_task_pt_regs(bpf_get_current_task_btf()));
}

static __noinline bool call__is_asked(u64 *ctx, u32 slot)
{
	return call__asked(slot, call__nr(ctx, slot));
}

/* Of one that is asked for. */
static __noinline int call__fill(u64 *ctx, struct question_call *c, u32 slot)
{
	u32 nr = call__nr(ctx, slot);
	struct question_call_event *e = call__asked(slot, nr);
	u64 result = ctx[1];

	barrier_var(result);
	c->nr = nr;
	c->event = e ? e->event : 0;
	if (slots[slot].call == QUESTION_CALL_RETURNS)
		c->args[0] = result;
	else
		read_args((REGS_TYPE *)bpf_task_pt_regs(bpf_get_current_task_btf()), false, c->args);
	return 0;
}

#endif
