// SPDX-License-Identifier: GPL-2.0-only
/* The table of waits as a report. */
#include "tui/views/offcpu.h"
#include "tui/views/window.h"

static void folded(const struct report *r, void (*emit)(void *ctx, const char *stack, u64 weight),
		   void *ctx)
{
	const struct waits_result *a = container_of(r->asked, struct waits_result, base.table);

	waits__folded((const void *)a->base.snap, &a->query, r->priv, emit, ctx);
}

void offcpu__report(const struct query_result *base, const struct frame *f, struct report *r)
{
	const struct waits_result *a = container_of(base, struct waits_result, base);

	r->view = "offcpu";
	r->window = window__text(a->query.window);
	r->group = a->grouping;
	r->health = f->feeds[MODEL_WAITS].health;
	r->health.truncated_pct = a->truncated_pct;
	r->folded = folded;
	report__sum_number(r, "window_ns", VALUE_NS, a->base.window_ns);
	report__sum_number(r, "off_ns", VALUE_NS, a->off_ns);
	report__sum_number(r, "count", VALUE_COUNT, a->count);
	report__sum_number(r, "open", VALUE_COUNT, a->open);
	report__sum_number(r, "idle_ns", VALUE_NS, a->idle_ns);
	report__sum_number(r, "harmful_ns", VALUE_NS, a->class_ns[CLASS_HARMFUL]);
	report__sum_number(r, "unclear_ns", VALUE_NS, a->class_ns[CLASS_UNCLEAR]);
	report__sum_number(r, "idle_rows", VALUE_COUNT, a->idle_rows);
	report__sum_number(r, "idle_threads", VALUE_COUNT, a->idle_threads);
}
