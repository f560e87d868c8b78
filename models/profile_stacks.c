// SPDX-License-Identifier: GPL-2.0-only
/* Distinct stacks, in memory that snapshots share. */
#include "models/profile_model.h"

struct stack_store *stack_store__get(struct stack_store *s)
{
	atomic_fetch_add_explicit(&s->refs, 1, memory_order_relaxed);
	return s;
}

void stack_store__put(struct stack_store *s)
{
	if (atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
		return;
	arena__fini(&s->arena);
	free(s);
}

void stacks__init(struct stacks *s)
{
	*s = (struct stacks){.store = xcalloc(1, sizeof(*s->store))};
	atomic_init(&s->store->refs, 1);
	arena__init(&s->store->arena);
}

void stacks__fini(struct stacks *s)
{
	stack_store__put(s->store);
	free(s->items);
	hidx__fini(&s->index);
	*s = (struct stacks){0};
}

static bool same_stack(const struct profile_stack *a, const struct profile_stack *b,
		       const u32 *blocs)
{
	size_t n = (size_t)b->nkernel + b->nuser;

	return a->nkernel == b->nkernel && a->nuser == b->nuser && a->cut == b->cut &&
	       a->folded == b->folded && !memcmp(a->locs, blocs, n * sizeof(*blocs));
}

static u64 stack_hash(const struct profile_stack *head, const u32 *locs)
{
	size_t n = (size_t)head->nkernel + head->nuser;
	u64 h = mix64_pair(head->nkernel | (u64)head->nuser << 16,
			   (u64)head->cut | (u64)head->folded << 1);

	for (size_t i = 0; i < n; i++)
		h = mix64(h ^ locs[i]) + i;
	return h;
}

u32 stacks__intern(struct stacks *s, const struct profile_stack *head, const u32 *locs)
{
	size_t n = (size_t)head->nkernel + head->nuser;
	u64 hash = stack_hash(head, locs);
	struct profile_stack *copy;
	u32 at;

	HIDX_FIND(at, &s->index, hash, pos, same_stack(s->items[pos], head, locs));
	if (at != HIDX_NONE)
		return at;
	copy = arena__alloc(&s->store->arena, sizeof(*copy) + n * sizeof(*locs));
	*copy = *head;
	memcpy(copy->locs, locs, n * sizeof(*locs));
	s->items = profile__room(s->items, s->n, &s->cap, sizeof(*s->items));
	s->items[s->n] = copy;
	hidx__add(&s->index, hash, s->n);
	return s->n++;
}
