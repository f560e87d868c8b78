// SPDX-License-Identifier: GPL-2.0-only
#include "models/slowest.h"

static u32 nparts(const struct slowest *s)
{
	return MIN(s->kind->seconds / 10 + 1, (u32)SLOWEST_MAX_PARTS);
}

static char *item_at(const struct slowest *s, const struct slowest_part *p, u32 i)
{
	return p->items + i * s->kind->size;
}

static u64 read_u64(const char *item, size_t at)
{
	u64 v;

	memcpy(&v, item + at, sizeof(v));
	return v;
}

void slowest__init(struct slowest *s, const struct slowest_kind *kind)
{
	*s = (struct slowest){.kind = kind};
}

void slowest__fini(struct slowest *s)
{
	for (u32 i = 0; i < SLOWEST_MAX_PARTS; i++) {
		struct slowest_part *p = &s->parts[i];

		for (u32 k = 0; p->items && s->kind->fini && k < s->kind->max; k++)
			s->kind->fini(item_at(s, p, k));
		free(p->items);
	}
}

static struct slowest_part *part_of(struct slowest *s, u64 end_ns)
{
	u64 epoch = end_ns / SLOWEST_PART_NS;
	struct slowest_part *p = &s->parts[epoch % nparts(s)];

	if (p->epoch > epoch)
		return NULL;
	if (p->epoch < epoch) {
		p->epoch = epoch;
		p->n = 0;
	}
	if (!p->items)
		p->items = xcalloc(s->kind->max, s->kind->size);
	return p;
}

void *slowest__place(struct slowest *s, u64 ns, u64 end_ns)
{
	struct slowest_part *p = part_of(s, end_ns);
	char *least;

	if (!p)
		return NULL;
	if (p->n < s->kind->max)
		return item_at(s, p, p->n++);
	least = p->items;
	for (u32 i = 1; i < p->n; i++) {
		char *item = item_at(s, p, i);

		if (read_u64(item, s->kind->ns_at) < read_u64(least, s->kind->ns_at))
			least = item;
	}
	return ns > read_u64(least, s->kind->ns_at) ? least : NULL;
}

void slowest__each(const struct slowest *s, void (*fn)(void *ctx, void *item), void *ctx)
{
	for (u32 i = 0; i < nparts(s); i++)
		for (u32 k = 0; k < s->parts[i].n; k++)
			fn(ctx, item_at(s, &s->parts[i], k));
}

struct gathering {
	const struct slowest_kind *kind;
	u64 from_ns;
	char *items;
	u32 n;
};

static void gather(void *ctx, void *item)
{
	struct gathering *g = ctx;

	if (read_u64(item, g->kind->end_at) >= g->from_ns)
		memcpy(g->items + g->n++ * g->kind->size, item, g->kind->size);
}

static int by_ns(const void *a, const void *b, void *ctx)
{
	const struct slowest_kind *kind = ctx;
	u64 x = read_u64(a, kind->ns_at), y = read_u64(b, kind->ns_at);

	if (x != y)
		return x > y ? -1 : 1;
	x = read_u64(a, kind->end_at);
	y = read_u64(b, kind->end_at);
	return (x < y) - (x > y);
}

void *slowest__list(const struct slowest *s, u64 now_ns, u32 *n)
{
	u64 age = s->kind->seconds * NSEC_PER_SEC;
	struct gathering g = {.kind = s->kind, .from_ns = now_ns > age ? now_ns - age : 0};

	g.items = xmalloc((size_t)nparts(s) * s->kind->max * s->kind->size);
	slowest__each(s, gather, &g);
	qsort_r(g.items, g.n, s->kind->size, by_ns, (void *)s->kind);
	*n = MIN(g.n, s->kind->max);
	return g.items;
}

struct moving {
	const struct slowest_kind *kind;
	struct stacks *to;
	const struct stacks *from;
};

static void move_item(void *ctx, void *item)
{
	const struct moving *m = ctx;

	for (u32 i = 0; i < ARRAY_SIZE(m->kind->stacks_at) && m->kind->stacks_at[i]; i++) {
		u32 *stack = (u32 *)((char *)item + m->kind->stacks_at[i]);

		*stack = stacks__move(m->to, m->from, *stack);
	}
}

void slowest__move(const struct slowest *s, struct stacks *to, const struct stacks *from)
{
	slowest__each(s, move_item, &(struct moving){s->kind, to, from});
}

void slowest__zero(struct slowest *s)
{
	for (u32 i = 0; i < SLOWEST_MAX_PARTS; i++)
		s->parts[i].n = 0;
}

size_t slowest__bytes(const struct slowest *s)
{
	size_t bytes = 0;

	for (u32 i = 0; i < SLOWEST_MAX_PARTS; i++)
		bytes += s->parts[i].items ? s->kind->max * s->kind->size : 0;
	return bytes;
}
