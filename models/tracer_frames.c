// SPDX-License-Identifier: GPL-2.0-only
#include "models/tracer_frames.h"

#include "models/frames.h"
#include "models/wait_place.h"

static const struct callstack *trim(const struct tracer_frames *t, const struct callstack *seen)
{
	u32 n = callstack__nlocs(seen), skip;
	struct callstack *out;
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

const struct callstack *tracer_frames__stack(struct tracer_frames *t, const struct callstack *seen)
{
	u64 hash = mix64((u64)(uintptr_t)seen);
	u32 at;

	if (!seen)
		return NULL;
	HIDX_FIND(at, &t->index, hash, pos, t->items[pos].seen == seen);
	if (at != HIDX_NONE)
		return t->items[at].shown;
	t->items = xgrow(t->items, t->n, &t->cap, sizeof(*t->items));
	t->items[t->n] = (struct tracerless_stack){seen, trim(t, seen)};
	hidx__add(&t->index, hash, t->n);
	return t->items[t->n++].shown;
}

void tracer_frames__fini(struct tracer_frames *t)
{
	hidx__fini(&t->index);
	free(t->items);
}
