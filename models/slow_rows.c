// SPDX-License-Identifier: GPL-2.0-only
#include "models/slow_rows.h"

#include "models/stack_rows.h"

static u32 loc_of(const struct slow_row *r, u32 i)
{
	u32 n = callstack__nlocs(r->stacks[0]);

	return i < n ? r->stacks[0]->locs[i] : r->stacks[1]->locs[i - n];
}

struct frame_text slow_row__frame(const struct slow_row *r, u32 i)
{
	return frame__text(r->symbols, loc_of(r, i));
}

void slow_row__init(struct slow_row *r, struct query_result *a, const struct symbols *symbols,
		    u64 key, const struct callstack *first, const struct callstack *then)
{
	*r = (struct slow_row){.key = key, .symbols = symbols, .stacks = {first, then}};
	r->nframes = callstack__nlocs(first) + callstack__nlocs(then);
	for (u32 i = 0; i < r->nframes; i++)
		a->unresolved |= slow_row__frame(r, i).pending;
}

static void value_frame(const void *of, u32 i, struct value_frame *out)
{
	struct frame_text f = slow_row__frame(of, i);

	*out = (struct value_frame){.symbol = f.name, .object = f.object_name, .kind = f.kind};
}

void slow_row__stack(const struct query_result *a, const void *row, struct value *out)
{
	out->n = ((const struct slow_row *)row)->nframes;
	out->of = row;
	out->frame = value_frame;
}

/* --- stacks below the rows --- */

static const struct slow_row *row_at(const void *result, u32 row)
{
	const struct rows_of *of = ((const struct query_result *)result)->of;

	return (const void *)((const char *)of->rows + row * of->size);
}

u32 slow_rows__function(const struct query_result *a, u32 row)
{
	const struct slow_row *r = row_at(a, row);
	u32 func = stack__func(r->stacks[0], r->symbols);

	return func ? func : stack__func(r->stacks[1], r->symbols);
}

static u64 tree_key(const void *result, u32 row)
{
	return row_at(result, row)->key;
}

static u32 tree_nframes(const void *result, u32 row)
{
	return row_at(result, row)->nframes;
}

static struct frame_text tree_frame(const void *result, u32 row, u32 i)
{
	return slow_row__frame(row_at(result, row), i);
}

void slow_rows__unfold(struct query_result *a, const u64 *unfolded, u32 nunfolded, const char *none)
{
	const struct stack_rows rows = {
		.n = a->table.nrows,
		.key = tree_key,
		.nframes = tree_nframes,
		.frame = tree_frame,
		.ctx = a,
		.none = none,
	};

	stack_rows__build(a, &rows, unfolded, nunfolded, &a->arena);
}
