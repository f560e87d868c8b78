// SPDX-License-Identifier: GPL-2.0-only
#include "models/bucket_list.h"

static void member(const void *of, u32 i, struct value_part *out)
{
	const struct bucket_item *b = of;
	const struct value_part parts[] = {
		{"lo_ns", {.type = VALUE_NS, .u = b->lo_ns}},
		{"hi_ns", {.type = VALUE_NS, .u = b->hi_ns}},
		{"count", {.type = VALUE_COUNT, .u = b->count}},
	};

	*out = parts[i];
	/* The last one may have no upper end. */
	if (out->value.u == UINT64_MAX)
		out->value.type = VALUE_NONE;
}

static void item(const void *of, u32 i, struct value_part *out)
{
	const struct bucket_item *b = of;

	out->value = (struct value){.type = VALUE_OBJECT, .n = 3};
	out->value.of = &b[i];
	out->value.part = member;
}

struct value bucket_list__value(const struct bucket_item *items, u32 n)
{
	struct value v = {.type = VALUE_LIST, .n = n};

	v.of = items;
	v.part = item;
	return v;
}
