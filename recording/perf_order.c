// SPDX-License-Identifier: GPL-2.0-only
#include "recording/perf_order.h"

/* Of equal times, the one that was written first. */
static int by_time(const void *a, const void *b)
{
	const struct perf_order_entry *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Keeps the records from `from` on, which are in the order of their times. */
static void keep(struct perf_order *o, u32 from)
{
	struct bytes old = o->bytes, kept = o->spare;

	kept.n = 0;
	for (u32 i = from; i < o->n; i++) {
		const struct perf_event_header *h = (const void *)(old.v + o->v[i].at);
		size_t at = kept.n;

		bytes__put(&kept, h, h->size);
		bytes__add(&kept, -kept.n % 8);
		o->v[i - from] = (struct perf_order_entry){o->v[i].t_ns, at};
	}
	o->n -= from;
	o->bytes = kept;
	o->spare = old;
}

/* Those up to a time, and at least so many. */
static void hand_out(struct perf_order *o, u64 until_ns, u32 least)
{
	u32 i = 0;

	qsort(o->v, o->n, sizeof(*o->v), by_time);
	for (; i < o->n && (i < least || o->v[i].t_ns <= until_ns); i++)
		o->fn(o->ctx, (const void *)(o->bytes.v + o->v[i].at));
	keep(o, i);
}

void perf_order__put(struct perf_order *o, const struct perf_event_header *h, u64 t_ns)
{
	if (o->bytes.n > ORDER_BYTES)
		hand_out(o, 0, o->n / 2 + 1);
	o->v = xgrow(o->v, o->n, &o->cap, sizeof(*o->v));
	o->v[o->n++] = (struct perf_order_entry){t_ns, o->bytes.n};
	bytes__put(&o->bytes, h, h->size);
	bytes__add(&o->bytes, -o->bytes.n % 8);
	o->newest = MAX(o->newest, t_ns);
}

void perf_order__round(struct perf_order *o)
{
	if (o->n)
		hand_out(o, o->newest_before, 0);
	o->newest_before = o->newest;
}

void perf_order__end(struct perf_order *o)
{
	if (o->n)
		hand_out(o, UINT64_MAX, 0);
}

void perf_order__fini(struct perf_order *o)
{
	bytes__free(&o->bytes);
	bytes__free(&o->spare);
	free(o->v);
	o->v = NULL;
}
