// SPDX-License-Identifier: GPL-2.0-only
#include "models/window_snap.h"

#include "models/snap_box.h"
#include "models/stacks.h"

void *window_snap__new(size_t size, struct window_clock *clock, const struct stacks *stacks,
		       u64 t0_ns, u64 t1_ns, struct window_pace *pace, struct arena **arena)
{
	struct window_snap *s = snap_box__new(size, t0_ns, t1_ns, arena);

	*pace = window_clock__pace(clock, t0_ns, t1_ns, s->window_ns);
	s->since_ns = clock->since_ns;
	heat_columns__hold(&s->heat, s);
	if (!stacks)
		return s;
	s->symbols = stacks->symbols;
	stack_store__hold(stacks->store, s);
	return s;
}

void *window_result__new(size_t size, const struct snap *snap, enum time_window window)
{
	const struct window_snap *s = container_of(snap, struct window_snap, base);
	struct query_result *a =
		query_result__new(size, snap, s->symbols, window_snap__since(snap, window));

	a->window_ns = s->window_ns[window];
	return a;
}
