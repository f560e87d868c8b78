// SPDX-License-Identifier: GPL-2.0-only
/* The words that can be had at an event, on this kernel. */
#include "sources/ask_making.h"
#include "sources/moment.h"

enum question_irqs ask_target__irqs(const struct ask_target *t)
{
	switch (t->of->kind) {
	case EVENT_PERF:
	case EVENT_BREAKPOINT:
	case EVENT_KPROBE:
	case EVENT_KRETPROBE:
		return moment__has_irq_flag() ? QUESTION_IRQS_REGISTERS : QUESTION_IRQS_UNKNOWN;
	case EVENT_TRACEPOINT:
	case EVENT_BTF:
		return moment__has_irqs() ? QUESTION_IRQS_SAVED : QUESTION_IRQS_UNKNOWN;
	default:
		return QUESTION_IRQS_USER;
	}
}

u32 ask_words__at(const struct ask_target *t)
{
	return WORDS_ALWAYS | (moment__has_run_queue() ? 1u << WORD_NR_RUNNING : 0) |
	       (moment__need_resched() ? 1u << WORD_NEED_RESCHED : 0) |
	       (ask_target__irqs(t) != QUESTION_IRQS_UNKNOWN ? 1u << WORD_IRQS_DISABLED : 0);
}
