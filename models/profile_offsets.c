// SPDX-License-Identifier: GPL-2.0-only
/* Where in a function its samples were taken. */
#include "models/profile_select.h"

struct offset_sum {
	u64 offset;
	u64 count;
	double weight;
};

static int compare_offsets(const void *pa, const void *pb)
{
	const struct offset_sum *a = pa, *b = pb;

	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Whether a hit's leaf lies in the function's code, or in code inlined from it. */
static bool leaf_in(struct selection *s, const struct filtered_stack *h, u32 func)
{
	u32 n, ident;

	if (!h->stack)
		return false;
	ident = selection__ident(s, h->stack->locs[0]);
	if (s->idents[ident].func == func)
		return true;
	if (!s->query->inlined)
		return false;
	n = selection__expand(s, h, true);
	for (u32 i = 0; i < n && frame__inlined(s->frames[i]); i++)
		if (s->idents[frame__ident(s->frames[i])].func == func)
			return true;
	return false;
}

static u32 merge_offsets(struct offset_sum *sums, u32 n)
{
	u32 kept = 0;

	qsort(sums, n, sizeof(*sums), compare_offsets);
	for (u32 i = 0; i < n; i++) {
		if (!kept || sums[kept - 1].offset != sums[i].offset) {
			sums[kept++] = sums[i];
			continue;
		}
		sums[kept - 1].count += sums[i].count;
		sums[kept - 1].weight += sums[i].weight;
	}
	return kept;
}

u32 profile__offsets(const struct profile_snap *snap, const struct profile_query *q,
		     const struct scope *scope, u32 func, struct offset_weight **out)
{
	struct offset_sum *sums;
	struct arena arena;
	struct selection s = {0};
	double whole = 0;
	u32 n = 0;

	arena__init(&arena);
	selection__init(&s, &arena, snap, q, scope);
	selection__gather(&s);
	sums = xmalloc(s.nfiltered * sizeof(*sums));
	func = symbols__func(s.symbols, func)->id;
	for (u32 i = 0; func && i < s.nfiltered; i++) {
		const struct filtered_stack *h = &s.filtered[i];

		if (h->weight <= 0 || !leaf_in(&s, h, func))
			continue;
		sums[n++] = (struct offset_sum){symbols__offset_of(s.symbols, h->stack->locs[0]),
						h->count, h->weight};
		whole += h->weight;
	}
	n = merge_offsets(sums, n);
	*out = xcalloc(n, sizeof(**out));
	for (u32 i = 0; i < n; i++)
		(*out)[i] = (struct offset_weight){sums[i].offset, sums[i].count,
						   sums[i].weight * 100 / whole};
	free(sums);
	selection__fini(&s);
	arena__fini(&arena);
	return n;
}
