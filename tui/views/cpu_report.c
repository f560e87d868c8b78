// SPDX-License-Identifier: GPL-2.0-only
/* The table of hot things as a report. */
#include "tui/views/cpu.h"
#include "tui/views/window.h"

static void folded(const struct report *r, void (*emit)(void *ctx, const char *stack, u64 weight),
		   void *ctx)
{
	const struct profile_rows *rows = container_of(r->asked, struct profile_rows, base.table);

	profile__folded((const void *)rows->base.snap, &rows->query, r->priv, emit, ctx);
}

void cpu__report(const struct query_result *a, const struct frame *f, struct report *r)
{
	const struct profile_rows *rows = container_of(a, struct profile_rows, base);

	r->view = "cpu";
	r->window = window__text(rows->query.window);
	r->group = rows->grouping;
	r->health = f->feeds[MODEL_PROFILE].health;
	r->health.samples = rows->count;
	r->health.truncated_pct = rows->truncated_pct;
	r->folded = folded;
}
