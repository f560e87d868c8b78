// SPDX-License-Identifier: GPL-2.0-only
/* Heat maps as views of their own, for --view and batch mode: an interval's counts as rows. */
#include <stdio.h>

#include "models/cache.h"
#include "models/io.h"
#include "models/sched.h"
#include "models/waits.h"
#include "tui/views/heat.h"
#include "tui/views/listing.h"

/* A query of a view that asks for nothing in particular. */
static const u64 nothing[HEAT_MAX_QUERY / sizeof(u64)];

static struct screen *pane__open(const struct view_ops *v, struct host *h,
				 const struct view_args *args)
{
	return heat__open(h, v->of, nothing, "", NULL);
}

static int pane__batch(const struct view_ops *v, const struct frame *f, const struct view_args *args,
		       const struct scope *scope, struct report *r)
{
	const struct heat_view *view = v->of;
	struct heat_query q;
	struct heat_result *a;

	if (!f->snaps[view->source->model])
		return -ENODATA;
	heat_query__init(&q, view->source, nothing);
	q.last = true;
	a = heat__query(f, &q);
	*r = (struct report){
		.seq = f->seq,
		.t0_ns = a->base.snap->t0_ns,
		.t1_ns = a->base.snap->t1_ns,
		.scope = scope->text,
		.view = v->name,
		.window = "last interval",
		.group = view->source->kinds[0].name,
		.health = f->feeds[view->source->model].health,
		.rows = &a->base.table,
	};
	report__sum_number(r, "count", VALUE_COUNT, a->count);
	report__sum_number(r, "left_out", VALUE_COUNT, a->left_out);
	return 0;
}

#define PANE(id, name_, title_, model_, terms_)                                                    \
	const struct view_ops view_##id##_heat = {                                                 \
		.name = name_,                                                                     \
		.title = title_,                                                                   \
		.models = 1ULL << (model_),                                                        \
		.feed = model_,                                                                    \
		.terms = terms_,                                                                   \
		.groups = "",                                                                      \
		.of = &heat_view_##id,                                                             \
		.open = pane__open,                                                                \
		.report = pane__batch,                                                             \
		.report_free = listing__report_free,                                               \
	}

PANE(sched, "sched-heat", "heat map of waits for a CPU: time by latency", MODEL_SCHED,
     SCOPE_TERM_TASK);
PANE(offcpu, "offcpu-heat", "heat map of waits: time by duration", MODEL_WAITS,
     SCOPE_TERM_TASK | SCOPE_TERM_STATE | SCOPE_TERM_TIME);
PANE(io, "io-heat", "heat map of block I/O: time by latency", MODEL_IO, 0);
