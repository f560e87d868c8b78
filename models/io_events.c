// SPDX-License-Identifier: GPL-2.0-only
/* The slowest requests of the last minute, one by one. */
#include "models/io_model.h"

static struct io_slot *slot_of(struct model *m, u64 t_ns)
{
	u64 epoch = t_ns / IO_SLOT_NS;
	struct io_slot *slot = &m->slow[epoch % IO_SLOTS];

	if (slot->epoch > epoch)
		return NULL;
	if (slot->epoch < epoch) {
		slot->epoch = epoch;
		slot->n = 0;
	}
	if (!slot->items)
		slot->items = xcalloc(IO_MAX_SLOW, sizeof(*slot->items));
	return slot;
}

/* Where a request goes; NULL when it is not among the slowest. */
static struct io_live_slow *place(struct io_slot *slot, u64 total_ns)
{
	struct io_live_slow *least = &slot->items[0];

	if (slot->n < IO_MAX_SLOW)
		return &slot->items[slot->n++];
	for (u32 i = 1; i < slot->n; i++)
		if (slot->items[i].s.total_ns < least->s.total_ns)
			least = &slot->items[i];
	return total_ns > least->s.total_ns ? least : NULL;
}

void io__consume_slow(struct model *m, const struct io_slow_sample *s)
{
	struct io_slot *slot = slot_of(m, s->t_ns);
	struct io_live_slow *to = slot ? place(slot, s->total_ns) : NULL;

	if (!to)
		return;
	to->s = *s;
	to->stack = stacks__find(&m->stacks, s->stack, s->tgid);
}

static int by_total(const void *a, const void *b)
{
	const struct io_live_slow *x = a, *y = b;

	if (x->s.total_ns != y->s.total_ns)
		return x->s.total_ns > y->s.total_ns ? -1 : 1;
	return (x->s.t_ns < y->s.t_ns) - (x->s.t_ns > y->s.t_ns);
}

static u32 gather(const struct model *m, u64 from_ns, struct io_live_slow *out)
{
	u32 n = 0;

	for (u32 i = 0; i < IO_SLOTS; i++)
		for (u32 k = 0; k < m->slow[i].n; k++)
			if (m->slow[i].items[k].s.t_ns >= from_ns)
				out[n++] = m->slow[i].items[k];
	return n;
}

void io__snap_slow(struct model *m, struct io_snap *snap, struct arena *a)
{
	u64 age = IO_SLOW_S * NSEC_PER_SEC, now = snap->base.t1_ns;
	struct io_live_slow *all = xmalloc(IO_SLOTS * IO_MAX_SLOW * sizeof(*all));
	u32 n = gather(m, now > age ? now - age : 0, all);
	struct io_slow *out;

	qsort(all, n, sizeof(*all), by_total);
	n = MIN(n, (u32)IO_MAX_SLOW);
	out = arena__array(a, struct io_slow, n);
	for (u32 i = 0; i < n; i++)
		out[i] = (struct io_slow){all[i].s, stacks__at(&m->stacks, all[i].stack)};
	free(all);
	snap->slow = out;
	snap->nslow = n;
}

void io__move_stacks(struct model *m, struct stacks *to, const struct stacks *from)
{
	for (u32 i = 0; i < IO_SLOTS; i++)
		for (u32 k = 0; k < m->slow[i].n; k++) {
			struct io_live_slow *s = &m->slow[i].items[k];

			s->stack = stacks__move(to, from, s->stack);
		}
}

void io__zero_slow(struct model *m)
{
	for (u32 i = 0; i < IO_SLOTS; i++)
		m->slow[i].n = 0;
}
