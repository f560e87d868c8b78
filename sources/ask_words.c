// SPDX-License-Identifier: GPL-2.0-only
/* The words that can be had at an event, on this kernel. */
#include "sources/ask_making.h"
#include "sources/kernel_types.h"

static u32 member(u32 type, const char *name)
{
	struct field f;

	if (!type || kernel_types.member(&kernel_types, type, name, &f))
		return 0;
	return f.type.type_id;
}

/* As task__nr_running() of bpf/question_run.bpf.h finds it. */
static bool has_run_queue(void)
{
	u32 cfs_rq = kernel_types.find(&kernel_types, "cfs_rq");

	return member(cfs_rq, "rq") != 0;
}

static bool has_flags(const struct ask_target *t)
{
#if defined(__x86_64__)
	return t->of->kind == EVENT_PERF || t->of->kind == EVENT_BREAKPOINT ||
	       t->of->kind == EVENT_KPROBE || t->of->kind == EVENT_KRETPROBE;
#else
	(void)t;
	return false;
#endif
}

u32 ask_words__at(const struct ask_target *t)
{
	return WORDS_ALWAYS | (has_run_queue() ? 1u << WORD_NR_RUNNING : 0) |
	       (has_flags(t) ? 1u << WORD_IRQS_DISABLED : 0);
}
