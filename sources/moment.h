/* SPDX-License-Identifier: GPL-2.0-only */
/* What this kernel tells programs of the state that a CPU is in (bpf/moment.bpf.h). */
#ifndef SOURCES_MOMENT_H
#define SOURCES_MOMENT_H

#include "scope/scope.h"

/* Bits of thread_info.flags that ask a task to give up its CPU, lazily too; 0: not known for this kernel or
 * machine. Any thread. */
u64 moment__need_resched(void);
/* 0; -EOPNOTSUPP with st: the scope has a term that this kernel, or who has no program in it, cannot judge.
 * irqs: whether interrupts are off is known there. */
int moment__check(const struct scope *scope, bool irqs, struct status *st);
/* The same for what has no programs at all. */
int moment__refuse(const struct scope *scope, const char *who, struct status *st);
/* Whether interrupts are off can be read at tracepoints. UI thread, and before the next. */
bool moment__has_irqs(void);
struct bpf_insn;
/* Puts the kernel's functions in the place of the calls that stand for them. */
void moment__put_calls(struct bpf_insn *insns, u32 n);
/* Whether it can be read of registers. */
bool moment__has_irq_flag(void);
/* How many threads a run queue has. UI thread. */
bool moment__has_run_queue(void);

#endif
