/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether programs of a question interrupt one another. Before the engines, which add to cells accordingly. */
#ifndef BPF_QUESTION_NEST_BPF_H
#define BPF_QUESTION_NEST_BPF_H

#include "bpf/kernel.bpf.h"

/* The kernel runs one at a time on a CPU of those on tracepoints, perf events and kprobes, and drops the others. */
const volatile u32 may_nest = 1;

#endif
