// SPDX-License-Identifier: GPL-2.0-only
/* The query over processes. */
#include "models/procs_rows.h"

static void procs_result__free(struct query_result *base)
{
	struct procs_box *box = container_of(base, struct procs_box, result.base);

	snap__put(base->snap);
	arena__fini(&box->arena);
	free(box);
}

struct procs_result *procs__query(const struct procs_snap *snap, const struct procs_query *q,
				  const struct scope *scope)
{
	struct procs_box *box = xcalloc(1, sizeof(*box));
	struct procs_result *a = &box->result;

	arena__init(&box->arena);
	a->base.snap = snap__get(&snap->base);
	a->base.since_ns = q->window == WINDOW_TOTAL ? snap->since_ns : snap->base.t0_ns;
	a->base.free = procs_result__free;
	a->query = *q;
	a->window_ns = a->base.window_ns = snap->window_ns[q->window];
	procs_rows__make(box, scope);
	procs_columns__set(a, &box->arena);
	return a;
}
