// SPDX-License-Identifier: GPL-2.0-only
/* What a listing shows as a report. */
#include "base/arena.h"
#include "models/flame_rows.h"
#include "tui/report_sort.h"
#include "tui/views/listing_diff.h"

static void fill_report(const struct listing_ops *ops, struct query_result *shown,
			const struct frame *f, const struct baseline *b, const struct scope *scope,
			struct report *r)
{
	struct result_diff *diff = listing__diff_of(shown);
	const struct query_result *a = diff ? diff->now : shown;

	*r = (struct report){
		.seq = f->seq,
		.t0_ns = a->since_ns,
		.t1_ns = a->snap->t1_ns,
		.scope = scope->text,
		.rows = &shown->table,
		.asked = &a->table,
		.priv = (void *)scope,
	};
	if (ops->stacks)
		flame__report(r, ops->stacks);
	ops->report(a, f, r);
	if (diff)
		listing__diff_report(diff, b, r);
}

bool listing__report(struct screen *s, struct report *r)
{
	struct listing *l = container_of(s, struct listing, base);
	const struct frame *f = host__frame(s->host);
	const struct scope *extra = l->query_client.extra_scope;

	if (!l->result || !f)
		return false;
	fill_report(l->ops, l->shown, f, host__baseline(s->host),
		    extra ? extra : host__scope(s->host), r);
	if (l->table.norder == l->shown->table.nrows)
		r->order = l->table.order;
	return true;
}

int listing__batch(const struct listing_ops *ops, const struct frame *f,
		   const struct view_args *args, const void *query, const struct scope *scope,
		   struct report *r)
{
	const struct baseline *b = args->baseline;
	enum model_id m = ops->ask.model;
	struct sort_order by;
	struct query_result *a;
	void *mine;

	if (!f->snaps[m])
		return -ENODATA;
	mine = xmalloc(ops->ask.size);
	memcpy(mine, query, ops->ask.size);
	if (ops->weigh && args->sort && sort_order__parse(args->sort, &by))
		ops->weigh(ops, mine, by.column);
	a = b && b->frame->snaps[m] ? listing__compare(&ops->ask, f, b->frame, mine, scope)
				    : ops->ask.run(f, mine, scope);
	free(mine);
	fill_report(ops, a, f, b, scope, r);
	return 0;
}

void listing__report_free(struct report *r)
{
	query_result__free(container_of(r->rows, struct query_result, table));
}
