// SPDX-License-Identifier: GPL-2.0-only
/* The stacks and the heat log of any measure. */
#include <stdio.h>

#include "models/asked.h"
#include "models/flame.h"
#include "models/heat.h"
#include "models/measure.h"
#include "models/measure_nested.h"
#include "models/task_text.h"

static const struct measure_snap *snap_of(const struct snap *s)
{
	return container_of(s, struct measure_snap, base);
}

_Static_assert(sizeof(struct measure_query) <= FLAME_MAX_QUERY && sizeof(struct measure_query) <= HEAT_MAX_QUERY,
	       "they are copied");

/* --- weights --- */

static u64 weight_of(const struct measure *m, const struct measure_entry *e,
		     const struct measure_query *q)
{
	const struct measure_values *v = &e->v[q->window];

	switch (q->weight) {
	case WEIGHT_OWN:
		if (m->shape == MEASURE_SHAPE_HOLDING)
			return e->held.bytes;
		if (m->shape == MEASURE_SHAPE_SPAN)
			return v->sum;
		return m->stacks_of_sum ? v->sums[0] : v->count;
	case WEIGHT_COUNT:
		return v->count;
	case WEIGHT_ERRORS:
		return v->errors;
	case WEIGHT_VALUE:
		return v->sum;
	case WEIGHT_HELD:
		return e->held.n;
	default:
		return v->sums[MIN(q->weight - WEIGHT_SUM, MEASURE_SUMS - 1u)];
	}
}

static bool is_named(const char *column, const char *sum)
{
	size_t n = strlen(sum);

	return !strncmp(column, sum, n) && (!column[n] || !strcmp(column + n, "_rate"));
}

static u32 held_weight(const char *column)
{
	static const struct {
		const char *column;
		u32 weight;
	} all[] = {
		{"held", WEIGHT_HELD},
		{"acquired", WEIGHT_COUNT},
		{"rate", WEIGHT_COUNT},
		{"acquired_bytes", WEIGHT_VALUE},
		{"bytes_rate", WEIGHT_VALUE},
		{"released", WEIGHT_SUM + HOLDING_RELEASED},
		{"released_bytes", WEIGHT_SUM + HOLDING_RELEASED_BYTES},
		{"churned", WEIGHT_SUM + HOLDING_CHURNED},
		{"churned_bytes", WEIGHT_SUM + HOLDING_CHURNED_BYTES},
		{"churn_rate", WEIGHT_SUM + HOLDING_CHURNED_BYTES},
		{"wasted_bytes", WEIGHT_SUM + HOLDING_WASTED_BYTES},
		{"wasted_rate", WEIGHT_SUM + HOLDING_WASTED_BYTES},
	};

	for (u32 i = 0; i < ARRAY_SIZE(all); i++)
		if (!strcmp(all[i].column, column))
			return all[i].weight;
	return WEIGHT_OWN;
}

u32 measure__weight_of(const struct measure *m, const char *column)
{
	bool span = m->shape == MEASURE_SHAPE_SPAN;

	if (m->shape == MEASURE_SHAPE_HOLDING)
		return held_weight(column);
	if (!strcmp(column, "count") || !strcmp(column, "rate"))
		return span ? WEIGHT_COUNT : WEIGHT_OWN;
	if (!strcmp(column, "errors") || !strcmp(column, "error_rate"))
		return WEIGHT_ERRORS;
	if (!span && m->value && !strncmp(column, "sum", 3))
		return WEIGHT_VALUE;
	for (u32 i = 0; i < MEASURE_SUMS; i++)
		if (m->sums[i].name && is_named(column, m->sums[i].name))
			return WEIGHT_SUM + i;
	return WEIGHT_OWN;
}

static void held_noun(u32 sum, struct flame_weight *out)
{
	static const struct flame_weight all[] = {
		[HOLDING_RELEASED] = {VALUE_COUNT, "released", ""},
		[HOLDING_RELEASED_BYTES] = {VALUE_BYTES, "released bytes", ""},
		[HOLDING_CHURNED] = {VALUE_COUNT, "churned", ""},
		[HOLDING_CHURNED_BYTES] = {VALUE_BYTES, "churned bytes", ""},
		[HOLDING_WASTED_BYTES] = {VALUE_BYTES, "wasted bytes", ""},
	};

	*out = all[MIN(sum, ARRAY_SIZE(all) - 1)];
}

/* Of times their unit is said by the numbers: "own time of irq". */
static void say_sum(struct flame_weight *out, const char *of)
{
	size_t len = strlen(out->noun);
	bool is_time = out->unit == VALUE_NS && len > 3 && !strcmp(out->noun + len - 3, "_ns");

	snprintf(out->what, sizeof(out->what), "%.*s%s of %s", (int)(is_time ? len - 3 : len), out->noun,
		 is_time ? " time" : "", of);
}

/* What the weight of a query is called. */
static void weigh(const struct measure *m, const void *query, struct flame_weight *out)
{
	const struct measure_query *q = query;
	const char *of = m->name;

	switch (q->weight) {
	case WEIGHT_OWN:
		if (!m->stacks_of_sum)
			return;
		*out = (struct flame_weight){m->sums[0].type, m->sums[0].name, ""};
		snprintf(out->what, sizeof(out->what), "%s of %s", out->noun, of);
		return;
	case WEIGHT_COUNT:
		*out = (struct flame_weight){VALUE_COUNT, m->noun, ""};
		snprintf(out->what, sizeof(out->what), "number of %s", of);
		return;
	case WEIGHT_ERRORS:
		*out = (struct flame_weight){VALUE_COUNT, "errors", ""};
		snprintf(out->what, sizeof(out->what), "errors of %s", of);
		return;
	case WEIGHT_HELD:
		*out = (struct flame_weight){VALUE_COUNT, m->noun, ""};
		snprintf(out->what, sizeof(out->what), "%s that are held", m->noun);
		return;
	case WEIGHT_VALUE:
		*out = m->shape == MEASURE_SHAPE_HOLDING || !strcmp(m->value, "bytes")
			       ? (struct flame_weight){VALUE_BYTES, "bytes", ""}
		       : !strcmp(m->value, "ns") ? (struct flame_weight){VALUE_NS, "time", ""}
						 : (struct flame_weight){VALUE_COUNT, "sum", ""};
		snprintf(out->what, sizeof(out->what), "sum of %s", of);
		return;
	default: {
		const struct measure_sum *sum =
			&m->sums[MIN(q->weight - WEIGHT_SUM, MEASURE_SUMS - 1u)];

		if (m->shape == MEASURE_SHAPE_HOLDING)
			held_noun(q->weight - WEIGHT_SUM, out);
		else
			*out = (struct flame_weight){sum->type, sum->name ? sum->name : "", ""};
		say_sum(out, of);
	}
	}
}

/* --- stacks --- */

/* Pairs that lie in each other are a graph of their names; each has its own time. */
static void nested_stacks(const struct measure_snap *s, const struct measure_query *q,
			  const struct scope *scope, struct flame_builder *f)
{
	for (u32 i = 0; i < s->nentries; i++) {
		const struct measure_entry *e = &s->entries[i];

		if (*e->keys[0].text && measure__passes(s->measure, &q->narrow, e->keys) &&
		    measure__in_scope(s->measure, scope, &e->who, e->keys))
			flame_builder__add(
				f, &(struct flame_stack){.path = e->keys[0].text,
							 .between = ASK_NEST_IN,
							 .comm = e->who.comm,
							 .weight = e->v[q->window].sums[0]});
	}
}

static const char *root_of(const struct measure *m, const struct measure_entry *e)
{
	return m->stacks_by && !e->who.comm[0] ? e->keys[m->stacks_by - 1].text : e->who.comm;
}

/* What waits for something new would hide the rest. */
static void measure_stacks(const struct snap *snap, const void *query, const struct scope *scope,
			   struct flame_builder *f)
{
	const struct measure_snap *s = snap_of(snap);
	const struct measure_query *q = query;
	/* As below rows. */
	void (*add)(struct flame_builder *f, const struct flame_stack *stack) =
		s->measure->unfolds ? flame_builder__add_trimmed : flame_builder__add;
	bool narrowed = false;

	if (measure__nests(s->measure)) {
		nested_stacks(s, q, scope, f);
		return;
	}
	for (u32 i = 0; i < MEASURE_MAX_LABELS; i++)
		narrowed |= q->narrow.hashes[i] != 0;
	for (u32 i = 0; i < s->nsampled; i++) {
		const struct measure_entry *e = &s->sampled[i];

		if ((e->waits && !narrowed) || !measure__passes(s->measure, &q->narrow, e->keys) ||
		    (q->narrow.by_process && q->narrow.tgid != e->who.tgid) ||
		    !measure__in_scope(s->measure, scope, &e->who, e->keys))
			continue;
		add(f, &(struct flame_stack){.stack = e->stack,
					     .comm = root_of(s->measure, e),
					     .weight = weight_of(s->measure, e, q)});
	}
}

static bool measure_counts(const struct snap *snap, const void *query, u32 kind, u32 part,
			   u32 series)
{
	const struct measure_snap *s = snap_of(snap);
	const struct measure_query *q = query;

	if (part)
		return series + 1 == part;
	return !q->narrow.first ||
	       (series < s->nheat_names &&
		measure__text_hash(s->heat_names[series]) == q->narrow.first);
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

/* --- of questions: the query says which --- */

static const struct measure_snap *asked_of(const struct snap *snap, const void *query)
{
	return asked__find(snap, ((const struct measure_query *)query)->asked);
}

static void asked_stacks(const struct snap *snap, const void *query, const struct scope *scope,
			 struct flame_builder *f)
{
	const struct measure_snap *s = asked_of(snap, query);

	if (s)
		measure_stacks(&s->base, query, scope, f);
}

static void weigh_asked(const void *query, struct flame_weight *out)
{
	const struct measure *m = ((const struct measure_query *)query)->asked;

	if (!measure__nests(m))
		weigh(m, query, out);
}

/* Of all questions that their view has. */
static void all_stacks(const struct snap *snap, const void *query, const struct scope *scope,
		       struct flame_builder *f)
{
	const struct asked_snap *s = container_of(snap, struct asked_snap, base);
	const struct asked_query *all = query;

	for (u32 i = 0; i < s->n; i++) {
		const struct measure_query q = {.window = all->window};

		if (s->questions[i])
			measure_stacks(&s->questions[i]->base, &q, scope, f);
	}
}

#define ASKED_SOURCE(name_, view_, id, unit_, what_, noun_, query_, result_, ...)                  \
	const struct flame_source flame_##name_ = {                                                \
		.view = view_,                                                                     \
		.what = what_,                                                                     \
		.noun = noun_,                                                                     \
		.unit = unit_,                                                                     \
		.model = MODEL_##id,                                                               \
		.query_size = sizeof(struct query_),                                               \
		.query_at = offsetof(struct result_, query) - offsetof(struct result_, base),      \
		.window_at = offsetof(struct query_, window),                                      \
		__VA_ARGS__,                                                                       \
	}
#define ASKED(name_, id, unit_, what_, noun_)                                                      \
	ASKED_SOURCE(name_, #name_, id, unit_, what_ " of a question", noun_, measure_query,       \
		     measure_result, .stacks = asked_stacks, .weigh = weigh_asked);                \
	ASKED_SOURCE(all_##name_, #name_, id, unit_, what_ " of questions", noun_, asked_query,    \
		     asked_result, .stacks = all_stacks)

static const struct snap *asked_snap_of(const struct snap *snap, const void *query)
{
	const struct measure_snap *s = asked_of(snap, query);

	return s ? &s->base : NULL;
}

#define HEAT(of_, name_, id, lo_, what_, noun_, ...)                                                \
	static const struct heat_kind kinds_##name_[] = {{what_, noun_}};                          \
	const struct heat_source of_##name_ = {                                                    \
		.view = #name_,                                                                    \
		.model = MODEL_##id,                                                               \
		.kinds = kinds_##name_,                                                            \
		.nkinds = 1,                                                                       \
		.query_size = sizeof(struct measure_query),                                        \
		.nbuckets = MEASURE_BUCKETS,                                                       \
		.lo = lo_,                                                                         \
		.counts = measure_counts,                                                          \
		.parts = measure_parts,                                                            \
		.part_name = measure_part_name,                                                    \
		.all_parts = "all " noun_,                                                         \
		__VA_ARGS__                                                                        \
	}

/* Of spans; of counts where the value is a time, which they count in units of 1. */
HEAT(heat_, pairs, PAIRS, measure__lo_ns, "durations of spans", "spans", .of = asked_snap_of);
HEAT(heat_, events, EVENTS, measure__lo_number, "times of events", "events", .of = asked_snap_of);

ASKED(events, EVENTS, VALUE_COUNT, "events", "events");
ASKED(pairs, PAIRS, VALUE_NS, "time", "spans");
ASKED(held, HELD, VALUE_BYTES, "bytes held", "bytes");

/* --- of the page cache --- */

const struct flame_source flame_cache = {
	.view = "cache",
	.what = "misses of the page cache",
	.noun = "pages",
	.unit = VALUE_COUNT,
	.model = MODEL_CACHE,
	.query_size = sizeof(struct measure_query),
	.query_at = offsetof(struct measure_result, query) - offsetof(struct measure_result, base),
	.window_at = offsetof(struct measure_query, window),
	.stacks = measure_stacks,
};

/* --- of measures --- */

#define UNIT_SPAN    VALUE_NS
#define UNIT_COUNT   VALUE_COUNT
#define UNIT_HOLDING VALUE_BYTES
#define WHAT_SPAN    "time of "
#define WHAT_COUNT   "events of "
#define WHAT_HOLDING "bytes held of "

#define MEASURE(id, name_, key, shape_, ...)                                                       \
	static void weigh_##name_(const void *query, struct flame_weight *out)                     \
	{                                                                                          \
		weigh(measure_table[MEASURE_##id], query, out);                                    \
	}                                                                                          \
	const struct flame_source flame_measure_##name_ = {                                        \
		.view = #name_,                                                                    \
		.what = WHAT_##shape_ #name_,                                                      \
		.noun = #name_,                                                                    \
		.unit = UNIT_##shape_,                                                             \
		.model = MODEL_##id,                                                               \
		.query_size = sizeof(struct measure_query),                                        \
		.query_at = offsetof(struct measure_result, query) -                               \
			    offsetof(struct measure_result, base),                                 \
		.window_at = offsetof(struct measure_query, window),                               \
		.stacks = measure_stacks,                                                          \
		.weigh = weigh_##name_,                                                            \
	};                                                                                         \
	HEAT(heat_measure_, name_, id, measure__lo_ns, "durations of " #name_, #name_);
#include "measures/measures.def"
#undef MEASURE
