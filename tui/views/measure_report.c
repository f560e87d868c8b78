// SPDX-License-Identifier: GPL-2.0-only
/* Reports of measures: sums, and what locks have beside them. */
#include "tui/views/measure.h"

#include <stdio.h>

#include "models/windows.h"
#include "tui/views/window.h"

static void report__held(const struct measure_result *a, struct report *r)
{
	static _Thread_local char growing[160];

	report__sum_number(r, "held", VALUE_COUNT, a->held.n);
	report__sum_number(r, "held_bytes", VALUE_BYTES, a->held.bytes);
	report__sum_number(r, "acquired", VALUE_COUNT, a->all.count);
	report__sum_number(r, "acquired_bytes", VALUE_BYTES, a->all.sum);
	report__sum_number(r, "released", VALUE_COUNT, a->all.sums[HOLDING_RELEASED]);
	report__sum_number(r, "released_bytes", VALUE_BYTES, a->all.sums[HOLDING_RELEASED_BYTES]);
	report__sum_number(r, "released_unseen", VALUE_COUNT, a->all.errors);
	if (measure__growth_text(a, growing, sizeof(growing)))
		report__sum(r, "growing", (struct value){.type = VALUE_TEXT, .s = growing});
	report__sum_number(r, "window_ns", VALUE_NS, a->base.window_ns);
}

static void deadlock_part(const void *of, u32 i, struct value_part *out)
{
	const struct measure_waiting *const *v = of;

	out->value = (struct value){.type = VALUE_COUNT, .u = v[i]->waiter.tid};
}

static void frame_of(const struct symbols *symbols, const struct callstack *stack, u32 i, struct value_frame *out)
{
	struct frame_text f = frame__text(symbols, stack->locs[i]);

	*out = (struct value_frame){.symbol = f.name, .object = f.object_name, .kind = f.kind};
}

static void order_frame(const void *of, u32 i, struct value_frame *out)
{
	const struct measure_order *o = of;

	frame_of(o->symbols, o->stack, i, out);
}

static void first_frame(const void *of, u32 i, struct value_frame *out)
{
	const struct measure_order *o = of;

	frame_of(o->symbols, o->first_stack, i, out);
}

static void order_member(const void *of, u32 i, struct value_part *out)
{
	const struct measure_order *o = of;

	switch (i) {
	case 0:
		*out = (struct value_part){"first", {.type = VALUE_TEXT, .s = o->first.text}};
		break;
	case 1:
		*out = (struct value_part){"second", {.type = VALUE_TEXT, .s = o->second.text}};
		break;
	case 2:
		*out = (struct value_part){"comm", {.type = VALUE_TEXT, .s = o->who.comm}};
		break;
	case 3:
		*out = (struct value_part){"pid", {.type = VALUE_COUNT, .u = o->who.tgid}};
		break;
	case 4:
		*out = (struct value_part){"tid", {.type = VALUE_COUNT, .u = o->who.tid}};
		break;
	case 5:
		*out = (struct value_part){
			"stack",
			{.type = VALUE_STACK, .n = callstack__nlocs(o->stack), .of = o, .frame = order_frame}};
		break;
	case 6:
		*out = (struct value_part){"first_stack",
					   {.type = VALUE_STACK,
					    .n = callstack__nlocs(o->first_stack),
					    .of = o,
					    .frame = first_frame}};
		break;
	case 7:
		*out = (struct value_part){"count", {.type = o->count ? VALUE_COUNT : VALUE_NONE, .u = o->count}};
		break;
	case 8:
		*out = (struct value_part){"first_read", {.type = VALUE_BOOL, .u = o->first_read}};
		break;
	default:
		*out = (struct value_part){"second_read", {.type = VALUE_BOOL, .u = o->second_read}};
	}
}

static void cycle_part(const void *of, u32 i, struct value_part *out)
{
	const struct measure_cycle *c = of;

	out->value = (struct value){.type = VALUE_OBJECT, .n = 10, .of = c->v[i], .part = order_member};
}

static void cycles_part(const void *of, u32 i, struct value_part *out)
{
	const struct measure_cycle *c = (const struct measure_cycle *)of + i;

	out->value = (struct value){.type = VALUE_LIST, .n = c->n, .of = c, .part = cycle_part};
}

static void waiting_frame(const void *of, u32 i, struct value_frame *out)
{
	const struct measure_waiting *w = of;

	frame_of(w->symbols, w->stack, i, out);
}

static void waiting_member(const void *of, u32 i, struct value_part *out)
{
	const struct measure_waiting *w = of;
	const struct value_part parts[] = {
		{"comm", {.type = VALUE_TEXT, .s = w->waiter.comm}},
		{"pid", {.type = VALUE_COUNT, .u = w->waiter.tgid}},
		{"tid", {.type = VALUE_COUNT, .u = w->waiter.tid}},
		{"lock", {.type = VALUE_TEXT, .s = w->lock.text}},
		{"holder_comm", {.type = VALUE_TEXT, .s = w->comm}},
		{"holder_tid", {.type = VALUE_COUNT, .u = w->tid}},
		{"stack", {.type = VALUE_STACK, .n = callstack__nlocs(w->stack), .of = w, .frame = waiting_frame}},
	};

	*out = parts[i];
}

static void chain_part(const void *of, u32 i, struct value_part *out)
{
	const struct measure_waiting *const *v = of;

	out->value = (struct value){.type = VALUE_OBJECT, .n = 7, .of = v[i], .part = waiting_member};
}

static void report__locks(const struct measure_result *a, struct report *r)
{
	report__sum(r, "deadlock",
		    (struct value){.type = VALUE_LIST,
				   .n = a->ndeadlock,
				   .of = a->deadlock,
				   .part = deadlock_part});
	report__sum(r, "chain",
		    (struct value){.type = VALUE_LIST, .n = a->nchain, .of = a->chain, .part = chain_part});
	report__sum(r, "may_deadlock",
		    (struct value){.type = VALUE_LIST,
				   .n = a->ncycles,
				   .of = a->cycles,
				   .part = cycles_part});
}

static void report__levels(const struct measure_result *a, struct report *r)
{
	const struct measure_snap *s = container_of(a->base.snap, struct measure_snap, base);
	const struct measure_level *levels = a->measure->levels;

	for (u32 i = 0; i < MEASURE_LEVELS && levels[i].name; i++)
		report__sum_number(r, levels[i].name, s->levels_known ? levels[i].type : VALUE_NONE, s->levels[i]);
}

void measure__report(const struct query_result *base, const struct frame *f, struct report *r)
{
	const struct measure_result *a = container_of(base, struct measure_result, base);
	enum model_id model = measure__model(a->measure);
	static _Thread_local char group[160];

	r->view = measure__view(a->measure);
	r->window = window__text(a->query.window);
	r->group = measure__groups_text(a->measure, a->query.groups, group, sizeof(group));
	r->health = f->feeds[model].health;
	if (a->measure->shape == MEASURE_SHAPE_SPAN)
		r->events = measure_slow__events;
	report__levels(a, r);
	if (a->measure->shape == MEASURE_SHAPE_HOLDING) {
		report__held(a, r);
		return;
	}
	report__sum_number(r, "count", VALUE_COUNT, a->all.count);
	if (a->measure->count_name)
		report__sum_number(r, a->measure->count_name, VALUE_COUNT, a->all.count);
	report__sum_number(r, "errors", VALUE_COUNT, a->all.errors);
	if (a->measure->shape == MEASURE_SHAPE_SPAN) {
		report__sum_number(r, "total_ns", VALUE_NS, a->all.sum);
		report__sum_number(r, "waiting_ns", VALUE_NS, a->waiting_ns);
		report__sum_number(r, "unfinished", VALUE_COUNT, a->unfinished);
	}
	if (measure__holder_label(a->measure) >= 0)
		report__locks(a, r);
	for (u32 i = 0; i < MEASURE_SUMS; i++)
		if (a->measure->sums[i].name && a->measure->sums[i].type != VALUE_NS)
			report__sum_number(r, a->measure->sums[i].name, a->measure->sums[i].type,
					   a->all.sums[i]);
	report__sum_number(r, "window_ns", VALUE_NS, a->base.window_ns);
}
