// SPDX-License-Identifier: GPL-2.0-only
#include "models/quantile.h"

double histogram__count(const struct histogram *h)
{
	double all = 0;

	for (u32 i = 0; i < h->nbuckets; i++)
		all += h->n[i];
	return all;
}

u64 histogram__quantile(const struct histogram *h, double q)
{
	double below = 0, all = histogram__count(h), rank = q * all;
	u64 lo, hi = 0;

	if (!(all > 0))
		return 0;
	for (u32 i = 0; i < h->nbuckets; i++) {
		if (!(h->n[i] > 0))
			continue;
		lo = MIN(MAX(h->lo(i), h->min), h->max);
		hi = MAX(MIN(h->lo(i + 1), h->max), lo);
		if (below + h->n[i] >= rank) {
			hi = lo + (u64)((double)(hi - lo) * (rank - below) / h->n[i]);
			break;
		}
		below += h->n[i];
	}
	return hi;
}

/* --- as a value --- */

struct bucket_item {
	u64 lo, hi, count, zero;
	enum value_type type;
};

static void member(const void *of, u32 i, struct value_part *out)
{
	static const char *const times[] = {"lo_ns", "hi_ns"}, *const bytes[] = {"lo_bytes", "hi_bytes"},
				 *const plain[] = {"lo", "hi"};
	const struct bucket_item *b = of;
	const char *const *names = b->type == VALUE_BYTES   ? bytes
				   : b->type == VALUE_COUNT ? plain
							    : times;
	struct value_part parts[] = {
		{names[0], {.type = b->type, .u = b->lo}},
		{names[1], {.type = b->type, .u = b->hi}},
		{"count", {.type = VALUE_COUNT, .u = b->count}},
	};

	for (u32 k = 0; k < 2 && b->zero; k++)
		if (parts[k].value.u != UINT64_MAX)
			parts[k].value = value__from_zero(parts[k].value.u, b->zero, VALUE_COUNT);
	*out = parts[i];
	/* The last one may have no upper end. */
	if (out->value.type != VALUE_CHANGE && out->value.u == UINT64_MAX)
		out->value.type = VALUE_NONE;
}

static void item(const void *of, u32 i, struct value_part *out)
{
	const struct bucket_item *b = of;

	out->value = (struct value){.type = VALUE_OBJECT, .n = 3};
	out->value.of = &b[i];
	out->value.part = member;
}

struct value histogram__value(const struct histogram *h, bool whole, struct arena *a)
{
	u32 first = 0, end = h->nbuckets;
	struct value v = {.type = VALUE_LIST};
	struct bucket_item *items;

	while (first < end && !(h->n[first] > 0))
		first++;
	while (end > first && !(h->n[end - 1] > 0))
		end--;
	items = arena__array(a, struct bucket_item, end - first);
	for (u32 i = first; i < end; i++)
		if (whole || h->n[i] > 0)
			items[v.n++] = (struct bucket_item){h->lo(i), h->lo(i + 1), (u64)(h->n[i] + 0.5),
							    h->zero, h->type};
	v.of = items;
	v.part = item;
	return v;
}
