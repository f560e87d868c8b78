// SPDX-License-Identifier: GPL-2.0-only
/* The stacks and the heat log of any measure. */
#include <stdio.h>

#include "models/flame.h"
#include "models/heat.h"
#include "models/measure.h"
#include "models/who.h"

static const struct measure_snap *snap_of(const struct snap *s)
{
	return container_of(s, struct measure_snap, base);
}

static const struct symbols *measure_symbols(const struct snap *s)
{
	return snap_of(s)->symbols;
}

static u64 measure_since(const struct snap *s)
{
	return snap_of(s)->since_ns;
}

/* What waits for something new would hide the rest. */
static void measure_stacks(const struct snap *snap, const void *query, const struct scope *scope,
			   struct flame_maker *f)
{
	const struct measure_snap *s = snap_of(snap);
	const struct measure_query *q = query;
	bool spans = s->measure->shape == MEASURE_SHAPE_SPAN;
	bool narrowed = false;

	for (u32 i = 0; i < MEASURE_MAX_LABELS; i++)
		narrowed |= q->narrow.hashes[i] != 0;
	for (u32 i = 0; i < s->nsampled; i++) {
		const struct measure_entry *e = &s->sampled[i];
		const struct measure_values *v = &e->v[q->window];

		if ((e->waits && !narrowed) || !measure__passes(s->measure, &q->narrow, e->keys) ||
		    !measure__in_scope(s->measure, scope, &e->who, e->keys))
			continue;
		flame_maker__add(f, &(struct flame_stack){.stack = e->stack,
							  .comm = e->who.comm,
							  .weight = s->measure->shape ==
										    MEASURE_SHAPE_HOLDING
									    ? e->held.bytes
								    : spans ? v->sum
									    : v->count});
	}
}

static const struct heat_columns *measure_heat(const struct snap *s)
{
	return &snap_of(s)->heat;
}

static bool measure_counts(const struct snap *snap, const void *query, u32 kind, u32 part,
			   u32 series)
{
	const struct measure_snap *s = snap_of(snap);
	const struct measure_query *q = query;

	(void)kind;
	if (part)
		return series + 1 == part;
	return !q->narrow.hashes[0] ||
	       (series < s->nheat_names &&
		measure__text_hash(s->heat_names[series]) == q->narrow.hashes[0]);
}

static u32 measure_parts(const struct snap *snap, const void *query, u32 *out)
{
	const struct measure_snap *s = snap_of(snap);
	u32 n = 0;

	for (u32 i = 0; i < s->nheat_names && n < HEAT_MAX_PARTS; i++)
		if (measure_counts(snap, query, 0, 0, i))
			out[n++] = i + 1;
	return n;
}

static void measure_part_name(const struct snap *snap, u32 part, char *buf, size_t size)
{
	const struct measure_snap *s = snap_of(snap);

	*buf = '\0';
	if (part && part <= s->nheat_names)
		copy_str(buf, size, s->heat_names[part - 1]);
}

#define UNIT_SPAN    VALUE_NS
#define UNIT_COUNT   VALUE_COUNT
#define UNIT_HOLDING VALUE_BYTES
#define WHAT_SPAN    "time of "
#define WHAT_COUNT   "events of "
#define WHAT_HOLDING "bytes held of "

#define MEASURE(id, name_, key, shape_, ...)                                                       \
	const struct flame_source flame_measure_##name_ = {                                        \
		.view = #name_,                                                                    \
		.what = WHAT_##shape_ #name_,                                                         \
		.noun = #name_,                                                                    \
		.unit = UNIT_##shape_,                                                             \
		.model = MODEL_##id,                                                               \
		.query_size = sizeof(struct measure_query),                                        \
		.query_at = offsetof(struct measure_answer, query) -                               \
			    offsetof(struct measure_answer, base),                                 \
		.window_at = offsetof(struct measure_query, window),                               \
		.symbols = measure_symbols,                                                        \
		.since = measure_since,                                                            \
		.stacks = measure_stacks,                                                          \
	};                                                                                         \
	static const struct heat_kind kinds_##name_[] = {{"durations of " #name_, #name_}};        \
	const struct heat_source heat_measure_##name_ = {                                          \
		.view = #name_,                                                                    \
		.model = MODEL_##id,                                                               \
		.kinds = kinds_##name_,                                                            \
		.nkinds = 1,                                                                       \
		.query_size = sizeof(struct measure_query),                                        \
		.nbuckets = MEASURE_BUCKETS,                                                       \
		.lo = measure__lo_ns,                                                              \
		.columns = measure_heat,                                                           \
		.counts = measure_counts,                                                          \
		.parts = measure_parts,                                                            \
		.part_name = measure_part_name,                                                    \
		.all_parts = "all " #name_,                                                        \
	};
#include "measures/measures.def"
#undef MEASURE
