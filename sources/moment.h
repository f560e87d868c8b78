/* SPDX-License-Identifier: GPL-2.0-only */
/* What this kernel tells programs of the state that a CPU is in (bpf/moment.bpf.h). */
#ifndef SOURCES_MOMENT_H
#define SOURCES_MOMENT_H

#include "bpf/moment.h"
#include "scope/scope.h"

/* Bits of thread_info.flags that ask a task to give up its CPU, lazily too; 0: not known for this kernel or
 * machine. Any thread. */
u64 moment__need_resched(void);
/* 0; -EOPNOTSUPP with st: the scope has a term that this kernel does not let programs there judge. */
int moment__check(const struct scope *scope, enum moment_at at, struct status *st);
/* The same for what has no programs at all. */
int moment__refuse(const struct scope *scope, const char *who, struct status *st);
/* Whether interrupts are off can be read at tracepoints. Before the next. Any thread. */
bool moment__has_irqs(void);
/* A copy of programs with the kernel's functions in the place of the calls that stand for them; free() it. */
void *moment__put_calls(const void *elf, size_t size);
/* Whether programs there know if interrupts are off. */
bool moment__knows_irqs(enum moment_at at);
/* How many threads a run queue has. UI thread. */
bool moment__has_run_queue(void);

#endif
