// SPDX-License-Identifier: GPL-2.0-only
#include "models/joined_stacks.h"

#define LEAF_FUNCTION (1ULL << 32)

static const u32 *user_locs(const struct callstack *s)
{
	return s->locs + s->nkernel;
}

/* What tells leaves apart. */
static u64 leaf_of(const struct joined_stacks *j, const struct callstack *s)
{
	u32 loc = user_locs(s)[0], func = j->symbols ? symbols__func_of(j->symbols, loc) : 0;

	return func ? LEAF_FUNCTION | func : loc;
}

static u32 first_of(const struct joined_stacks *j, u32 tgid, u64 leaf)
{
	u32 at;

	HIDX_FIND(at, &j->index, mix64_pair(tgid, leaf), pos, j->v[pos].tgid == tgid && j->v[pos].leaf == leaf);
	return at;
}

static bool same_callers(const struct callstack *a, const struct callstack *b)
{
	return a->nuser == b->nuser &&
	       !memcmp(user_locs(a) + 1, user_locs(b) + 1, (a->nuser - 1) * sizeof(*a->locs));
}

void joined_stacks__add(struct joined_stacks *j, u32 tgid, const struct callstack *s)
{
	u64 leaf;
	u32 first;

	if (!s || !s->nuser || !s->whole || s->folded)
		return;
	leaf = leaf_of(j, s);
	first = first_of(j, tgid, leaf);
	if (first != HIDX_NONE && j->v[first].n > JOINED_MAX)
		return;
	for (u32 i = first; i != HIDX_NONE; i = j->v[i].next)
		if (same_callers(j->v[i].stack, s))
			return;
	j->v = xgrow(j->v, j->n, &j->cap, sizeof(*j->v));
	j->v[j->n] = (struct whole_stack){.tgid = tgid, .n = 1, .leaf = leaf, .stack = s, .next = HIDX_NONE};
	if (first == HIDX_NONE) {
		hidx__add(&j->index, mix64_pair(tgid, leaf), j->n++);
		return;
	}
	j->v[first].n++;
	j->v[j->n].next = j->v[first].next;
	j->v[first].next = j->n++;
}

bool callstack__ends_early(const struct callstack *s)
{
	return s && s->nuser && !s->whole && !s->cut && !s->folded;
}

/* Behind the leaf. */
static bool is_part(const struct callstack *part, const struct callstack *whole)
{
	u32 n = 1;

	for (u32 i = 1; i < whole->nuser && n < part->nuser; i++)
		n += user_locs(whole)[i] == user_locs(part)[n];
	return n == part->nuser;
}

const struct callstack *joined_stacks__find(const struct joined_stacks *j, u32 tgid, const struct callstack *s)
{
	const struct callstack *found = NULL;
	u32 i = callstack__ends_early(s) ? first_of(j, tgid, leaf_of(j, s)) : HIDX_NONE;

	if (i != HIDX_NONE && j->v[i].n > JOINED_MAX)
		return NULL;
	for (; i != HIDX_NONE; i = j->v[i].next) {
		if (!is_part(s, j->v[i].stack))
			continue;
		if (found)
			return NULL;
		found = j->v[i].stack;
	}
	return found;
}

void joined_stacks__fini(struct joined_stacks *j)
{
	free(j->v);
	hidx__fini(&j->index);
	*j = (struct joined_stacks){0};
}
