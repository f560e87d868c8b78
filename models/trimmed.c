// SPDX-License-Identifier: GPL-2.0-only
#include "models/trimmed.h"

#include "models/frames.h"
#include "models/wait_place.h"

static const struct profile_stack *trim(const struct trimmed *t, const struct profile_stack *seen)
{
	u32 n = profile_stack__nlocs(seen), skip;
	struct profile_stack *out;
	struct wait_place place;

	wait_place__read_kernel(&place, seen, t->symbols);
	skip = place.known ? place.clue.tracer : 0;
	if (!skip || skip >= n)
		return seen;
	n -= skip;
	out = arena__alloc(t->arena, sizeof(*out) + n * sizeof(*out->locs));
	*out = *seen;
	out->nkernel -= skip;
	memcpy(out->locs, seen->locs + skip, n * sizeof(*out->locs));
	return out;
}

const struct profile_stack *trimmed__stack(struct trimmed *t, const struct profile_stack *seen)
{
	u64 hash = mix64((u64)(uintptr_t)seen);
	u32 at;

	if (!seen)
		return NULL;
	HIDX_FIND(at, &t->index, hash, pos, t->items[pos].seen == seen);
	if (at != HIDX_NONE)
		return t->items[at].shown;
	t->items = xgrow(t->items, t->n, &t->cap, sizeof(*t->items));
	t->items[t->n] = (struct trimmed_stack){seen, trim(t, seen)};
	hidx__add(&t->index, hash, t->n);
	return t->items[t->n++].shown;
}

void trimmed__fini(struct trimmed *t)
{
	hidx__fini(&t->index);
	free(t->items);
}
