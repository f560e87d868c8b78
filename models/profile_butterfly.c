// SPDX-License-Identifier: GPL-2.0-only
/* Who calls a function and what it calls. */
#include "models/profile_impl.h"

/* Which of the two sides of the focus. */
enum side { CALLERS, CALLEES };

struct side_sum {
	double weight;
	u64 count;
};

struct butterfly {
	struct selection *s;
	u32 focus; /* func */
	struct side_sum total, self;
	struct side_sum *sides[2]; /* by ident */
	u32 nsides;
};

static void add_sum(struct side_sum *to, const struct filtered_stack *h)
{
	to->weight += h->weight;
	to->count += h->count;
}

static struct side_sum *side_of(struct butterfly *b, enum side side, u32 ident)
{
	if (ident >= b->nsides) {
		u32 n = MAX(b->s->idents_cap, ident + 1);

		for (u32 i = 0; i < ARRAY_SIZE(b->sides); i++) {
			b->sides[i] = xrealloc(b->sides[i], n * sizeof(*b->sides[i]));
			memset(b->sides[i] + b->nsides, 0, (n - b->nsides) * sizeof(*b->sides[i]));
		}
		b->nsides = n;
	}
	return &b->sides[side][ident];
}

static void add_filtered(struct butterfly *b, const struct filtered_stack *h)
{
	struct selection *s = b->s;
	u32 n = selection__expand(s, h, s->query->inlined);
	u32 innermost = n, outermost = n;

	for (u32 i = 0; i < n; i++) {
		if (s->idents[frame__ident(s->frames[i])].func != b->focus)
			continue;
		innermost = MIN(innermost, i);
		outermost = i;
	}
	if (innermost == n)
		return;
	add_sum(&b->total, h);
	if (innermost)
		add_sum(side_of(b, CALLEES, frame__ident(s->frames[innermost - 1])), h);
	else
		add_sum(&b->self, h);
	if (outermost + 1 < n)
		add_sum(side_of(b, CALLERS, frame__ident(s->frames[outermost + 1])), h);
	else
		add_sum(side_of(b, CALLERS, h->stack->folded ? IDENT_FOLDED : IDENT_NONE), h);
}

static int compare_butterfly(const void *pa, const void *pb)
{
	const struct butterfly_row *a = pa, *b = pb;

	if (a->pct != b->pct)
		return a->pct < b->pct ? 1 : -1;
	return strcmp(a->name, b->name);
}

static u32 side_rows(const struct butterfly *b, enum side side, const struct profile_rows *rows,
		     const struct butterfly_row **out)
{
	struct butterfly_row *r;
	u32 n = 0;

	for (u32 i = 0; i < b->nsides; i++)
		n += b->sides[side][i].weight > 0;
	r = arena__array(b->s->arena, struct butterfly_row, n);
	n = 0;
	for (u32 i = 0; i < b->nsides; i++) {
		const struct side_sum *sum = &b->sides[side][i];
		const struct ident *id = &b->s->idents[i];

		if (sum->weight <= 0)
			continue;
		r[n++] = (struct butterfly_row){
			.func = id->func,
			.name = i == IDENT_NONE ? "[no caller]" : id->name,
			.object_name = id->object_name,
			.count = sum->count,
			.pct = sum->weight * 100 / rows->weight,
			.share = sum->weight * 100 / b->total.weight,
		};
	}
	qsort(r, n, sizeof(*r), compare_butterfly);
	*out = r;
	return n;
}

void butterfly__fill(struct selection *s, struct profile_rows *rows)
{
	struct butterfly b = {.s = s, .focus = symbols__func(s->symbols, rows->query.focus)->id};

	for (u32 i = 0; i < s->nfiltered; i++)
		if (s->filtered[i].weight > 0 && s->filtered[i].stack)
			add_filtered(&b, &s->filtered[i]);
	if (b.total.weight > 0) {
		rows->focus_self = b.self.count;
		rows->focus_total = b.total.count;
		rows->focus_self_pct = b.self.weight * 100 / rows->weight;
		rows->focus_total_pct = b.total.weight * 100 / rows->weight;
		rows->ncallers = side_rows(&b, CALLERS, rows, &rows->callers);
		rows->ncallees = side_rows(&b, CALLEES, rows, &rows->callees);
	}
	free(b.sides[CALLERS]);
	free(b.sides[CALLEES]);
}
