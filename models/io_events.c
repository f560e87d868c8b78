// SPDX-License-Identifier: GPL-2.0-only
/* The slowest requests of the last minute, one by one. */
#include "models/io_model.h"

const struct slowest_kind io_slow_requests = {
	.size = sizeof(struct io_live_slow),
	.max = IO_MAX_SLOW,
	.seconds = IO_SLOW_S,
	.ns_at = offsetof(struct io_live_slow, s.total_ns),
	.end_at = offsetof(struct io_live_slow, s.t_ns),
};

void io__consume_slow(struct model *m, const struct io_slow_sample *s)
{
	struct io_live_slow *to = slowest__place(&m->slow, s->total_ns, s->t_ns);

	if (!to)
		return;
	to->s = *s;
	to->stack = stacks__find(&m->stacks, s->stack, s->tgid);
}

void io__snap_slow(struct model *m, struct io_snap *snap, struct arena *a)
{
	struct io_live_slow *all = slowest__list(&m->slow, snap->base.t1_ns, &snap->nslow);
	struct io_slow *out = arena__array(a, struct io_slow, snap->nslow);

	for (u32 i = 0; i < snap->nslow; i++)
		out[i] = (struct io_slow){all[i].s, stacks__at(&m->stacks, all[i].stack)};
	free(all);
	snap->slow = out;
}

struct moving {
	struct stacks *to;
	const struct stacks *from;
};

static void move_stack(void *ctx, void *item)
{
	struct io_live_slow *s = item;
	struct moving *m = ctx;

	s->stack = stacks__move(m->to, m->from, s->stack);
}

void io__move_stacks(struct model *m, struct stacks *to, const struct stacks *from)
{
	slowest__each(&m->slow, move_stack, &(struct moving){to, from});
}

void io__zero_slow(struct model *m)
{
	slowest__zero(&m->slow);
}
