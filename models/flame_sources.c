// SPDX-License-Identifier: GPL-2.0-only
/* The stacks of each model that has some. */
#include "models/flame.h"
#include "models/io_result.h"
#include "models/waits_select.h"
#include "models/task_text.h"

#define QUERY_AT(result_type, query_type)                                                          \
	.query_size = sizeof(struct query_type),                                                   \
	.query_at = offsetof(struct result_type, query) - offsetof(struct result_type, base),      \
	.window_at = offsetof(struct query_type, window)

/* --- cpu --- */

static void profile_stacks(const struct snap *snap, const void *query, const struct scope *scope,
			   struct flame_builder *m)
{
	const struct profile_snap *s = (const void *)snap;
	const struct profile_query *q = query;

	flame_builder__code(m, q->user, q->kernel);
	for (u32 i = 0; i < s->nentries; i++) {
		const struct profile_entry *e = &s->entries[i];

		if (e->count[q->window] &&
		    flame_builder__task(m, e->tgid, e->tid, e->cpu, e->cgroup))
			flame_builder__add(m, &(struct flame_stack){.stack = e->stack,
								    .comm = s->comms[e->comm],
								    .weight = e->count[q->window]});
	}
}

/* Sampled by frequency, each sample stands for so much time on a CPU. */
static double profile_weight_ns(const struct frame *f)
{
	u64 freq = f->feeds[MODEL_PROFILE].health.freq;

	return freq ? (double)NSEC_PER_SEC / (double)freq : 0;
}

static bool profile_inlined(const void *query)
{
	return ((const struct profile_query *)query)->inlined;
}

static void profile_init(void *query)
{
	*(struct profile_query *)query = (struct profile_query){
		.groups = GROUP_BIT(GROUP_SYMBOL), .user = true, .kernel = true};
}

const struct flame_source flame_profile = {
	.view = "cpu",
	.what = "on the CPU",
	.noun = "samples",
	.unit = VALUE_COUNT,
	.model = MODEL_PROFILE,
	QUERY_AT(profile_rows, profile_query),
	.stacks = profile_stacks,
	.weight_ns = profile_weight_ns,
	.inlined = profile_inlined,
	.init = profile_init,
};

/* --- offcpu --- */

static void free_selection(void *what)
{
	waits_selection__fini(what);
	free(what);
}

/* Places are two stacks joined; the selection has them. */
static void waits_stacks(const struct snap *snap, const void *query, const struct scope *scope,
			 struct flame_builder *m)
{
	struct waits_selection *s = xcalloc(1, sizeof(*s));
	const struct waits_query *q = query;

	waits_selection__init(s, flame_builder__arena(m), (const void *)snap, q->window, false,
			      scope);
	flame_builder__keep(m, s, free_selection);
	waits_selection__fill(s, 0, 0);
	for (u32 i = 0; i < s->nwaits; i++) {
		const struct picked_wait *w = &s->waits[i];
		const struct filtered_stack *h = &s->names.filtered[s->places[w->place].filtered];

		if (w->is.class != CLASS_IDLE || q->idle)
			flame_builder__add(m, &(struct flame_stack){
						      .stack = h->stack,
						      .comm = w->entry->task.comm,
						      .weight = picked_wait__sums(s, w)->off_ns});
	}
}

static double waits_weight_ns(const struct frame *f)
{
	return f->snaps[MODEL_WAITS] ? 1 : 0;
}

static void waits_init(void *query)
{
	*(struct waits_query *)query = (struct waits_query){.groups = WAITS_BIT(WAITS_BY_STACK)};
}

const struct flame_source flame_waits = {
	.view = "offcpu",
	.what = "time off the CPU",
	.unit = VALUE_NS,
	.model = MODEL_WAITS,
	QUERY_AT(waits_result, waits_query),
	.stacks = waits_stacks,
	.cold = true,
	.weight_ns = waits_weight_ns,
	.init = waits_init,
};

struct flame_weight flame_source__weight(const struct flame_source *s, const void *query)
{
	struct flame_weight w = {.unit = s->unit, .noun = s->noun};

	copy_str(w.what, sizeof(w.what), s->what);
	if (w.unit == VALUE_BYTES)
		w.noun = "bytes";
	if (s->weigh)
		s->weigh(query, &w);
	return w;
}

const struct flame_source *flame_source__other_half(const struct flame_source *s)
{
	if (s == &flame_profile)
		return &flame_waits;
	return s == &flame_waits ? &flame_profile : NULL;
}

/* --- io: sampled requests, and the slow ones --- */

static void io_stacks(const struct snap *snap, const void *query, const struct scope *scope,
		      struct flame_builder *m)
{
	const struct io_snap *s = (const void *)snap;
	const struct io_query *q = query;

	for (u32 i = 0; i < s->nstacks; i++) {
		const struct io_stack *x = &s->stacks[i];

		if (io_stack__passes(x, q, scope))
			flame_builder__add_trimmed(
				m, &(struct flame_stack){
					   .stack = x->stack,
					   .comm = io_who__text(&x->who),
					   .weight = (u64)(x->sums[q->window].n[q->weight] + 0.5)});
	}
}

static double io_error(const struct snap *snap, const void *query, const struct scope *scope)
{
	return io__stacks_error((const void *)snap, query, scope);
}

static void io_weigh(const void *query, struct flame_weight *out)
{
	static const struct flame_weight all[IO_WEIGHTS] = {
		[IO_WEIGHT_COUNT] = {VALUE_COUNT, "requests", "requests"},
		[IO_WEIGHT_BYTES] = {VALUE_BYTES, "bytes", "bytes of requests"},
		[IO_WEIGHT_NS] = {VALUE_NS, NULL, "time of requests"},
	};

	*out = all[((const struct io_query *)query)->weight];
}

const struct flame_source flame_io = {
	.view = "io",
	.what = "requests",
	.noun = "requests",
	.unit = VALUE_COUNT,
	.model = MODEL_IO,
	QUERY_AT(io_result, io_query),
	.stacks = io_stacks,
	.weigh = io_weigh,
	.error = io_error,
};

static void io_slow_stacks(const struct snap *snap, const void *query, const struct scope *scope,
			   struct flame_builder *m)
{
	const struct io_snap *s = (const void *)snap;
	const struct io_query *q = query;

	for (u32 i = 0; i < s->nslow; i++) {
		const struct io_slow_sample *slow = &s->slow[i].s;

		if (io_slow__passes(slow, q->by_dev, q->dev, scope))
			flame_builder__add_trimmed(
				m, &(struct flame_stack){.stack = s->slow[i].stack,
							 .comm = io_who__text(&slow->who),
							 .weight = slow->total_ns});
	}
}

const struct flame_source flame_io_slow = {
	.view = "io",
	.what = "time of the slowest requests",
	.always = "last minute",
	.unit = VALUE_NS,
	.model = MODEL_IO,
	QUERY_AT(io_result, io_query),
	.stacks = io_slow_stacks,
};
