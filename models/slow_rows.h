/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lists of single slow events: rows that each have one stack, which unfolds below them without
 * branches. A row begins with a struct slow_row; what else is in it is the subject's. Pure; on the
 * query worker.
 */
#ifndef MODELS_SLOW_ROWS_H
#define MODELS_SLOW_ROWS_H

#include "models/fields.h"
#include "models/frames.h"
#include "models/heat_range.h"
#include "scope/scope.h"

/* What a query of them begins with: */
#define SLOW_QUERY                                                                                 \
	struct heat_range range; /* all 0: everything */                                           \
	u32 nunfolded;                                                                             \
	u64 unfolded[RESULT_MAX_UNFOLDED]

struct slow_query {
	SLOW_QUERY;
};

struct slow_row {
	u64 key;
	const struct symbols *symbols;
	const struct callstack *stacks[2]; /* leaf first: the second goes on; NULL: none */
	u32 nframes;
	const char *thread_name; /* what the runtime calls who it was; NULL: nothing else */
};

/* Notes in the answer what names are missing. */
void slow_row__init(struct slow_row *r, struct query_result *a, const struct symbols *symbols,
		    u64 key, const struct callstack *first, const struct callstack *then);
struct frame_text slow_row__frame(const struct slow_row *r, u32 i);
/* Where the event of an answer's row was; 0: not known. */
u32 slow_rows__function(const struct query_result *a, u32 row);
/* For a field: the stack as a value. */
void slow_row__stack(const struct query_result *a, const void *row, struct value *out);
/* The trees of the answer's rows that are among `unfolded`; none: stands below rows without
 * frames; NULL: nothing does. */
void slow_rows__unfold(struct query_result *a, const u64 *unfolded, u32 nunfolded,
		       const char *none);

/* Whether a duration is within the scope's limits. */
static inline bool slow__passes(const struct scope *s, u64 ns)
{
	return !s || (ns >= s->min_ns && (!s->max_ns || ns <= s->max_ns));
}

/* Where a list of the last seconds begins. */
static inline u64 slow__since(const struct snap *s, u64 since_ns, u32 seconds)
{
	u64 age = seconds * NSEC_PER_SEC, from = s->t1_ns > age ? s->t1_ns - age : 0;

	return MAX(since_ns, from);
}

#endif
