// SPDX-License-Identifier: GPL-2.0-only
/* The words that can be had at an event, on this kernel. */
#include "sources/ask_making.h"
#include "sources/moment.h"

enum moment_at ask_target__at(const struct ask_target *t)
{
	switch (t->of->kind) {
	case EVENT_PERF:
	case EVENT_BREAKPOINT:
	case EVENT_KPROBE:
	case EVENT_KRETPROBE:
		return MOMENT_REGISTERS;
	case EVENT_TRACEPOINT:
	case EVENT_BTF:
		return moment__has_irqs() ? MOMENT_SAVED : MOMENT_TRACED;
	default:
		return MOMENT_USER;
	}
}

u32 ask_words__at(const struct ask_target *t)
{
	return WORDS_ALWAYS | (moment__has_run_queue() ? 1u << WORD_NR_RUNNING : 0) |
	       (moment__need_resched() ? 1u << WORD_NEED_RESCHED : 0) |
	       (moment__knows_irqs(ask_target__at(t)) ? 1u << WORD_IRQS_DISABLED : 0);
}
