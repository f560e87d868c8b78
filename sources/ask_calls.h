/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Globs of system calls' tracepoints ("syscalls:sys_enter_*"). Each perf event of a tracepoint that is closed
 * waits for all CPUs, some 75 ms, one after the other: 350 of them half a minute. Instead all entries, or all
 * returns, are one raw tracepoint each, whose program knows the calls that are asked for (bpf/question_call.bpf.h).
 */
#ifndef SOURCES_ASK_CALLS_H
#define SOURCES_ASK_CALLS_H

#include <bpf/libbpf.h>

#include "sources/ask_plan.h"

/* Marks the targets that are served so, if they are many: t->call and t->call_nr. Calls that are not known by
 * number stay as they are, and all do on kernels before 5.15. */
void ask_calls__mark(struct ask *a);
/* Of a marked one: the raw tracepoint. */
const char *ask_call__tracepoint(const struct ask_target *t);
/* Has a marked target counted by the program of its slot. 0 or -errno. */
int ask_calls__add(const struct ask *a, struct bpf_object *obj, u32 target);

#endif
