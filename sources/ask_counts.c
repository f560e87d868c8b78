// SPDX-License-Identifier: GPL-2.0-only
/* What bursts have counted, by name; their timer: cpu-clock, every so often on each CPU. */
#include <stdio.h>

#include "sources/ask_making.h"

bool ask_target__is_timer(const struct ask_target *t)
{
	return t->of->kind == EVENT_PERF && t->attr.type == PERF_TYPE_SOFTWARE &&
	       t->attr.config == PERF_COUNT_SW_CPU_CLOCK;
}

const struct ask_target *ask_targets__timer(const struct ask_targets *t)
{
	for (u32 i = 0; i < t->n; i++)
		if (ask_target__is_timer(&t->v[i]))
			return &t->v[i];
	return NULL;
}

/* "page_faults" of page-faults, "sched_switch" of sched:sched_switch. */
static void name_count(const struct ask_target *t, char *buf, size_t size)
{
	const char *colon = strrchr(t->name, ':');

	snprintf(buf, size, "%s", colon ? colon + 1 : t->name);
	for (char *c = buf; *c; c++)
		if (*c == '-')
			*c = '_';
}

/* The counts, then what the event that is counted has. */
static bool name_of(const struct field_resolver *r, u32 i, char *buf, size_t size)
{
	const struct ask_counts *c = container_of(r, struct ask_counts, resolver);
	u32 n = MIN(c->targets->n, (u32)QUESTION_ENTRIES);

	if (i >= n)
		return c->event && c->event->name(c->event, i - n, buf, size);
	name_count(&c->targets->v[i], buf, size);
	return true;
}

static int find_count(const struct ask_counts *c, const char *name, struct field *out)
{
	char text[ASK_LABEL_NAME];

	for (u32 i = 0; i < MIN(c->targets->n, (u32)QUESTION_ENTRIES); i++) {
		name_count(&c->targets->v[i], text, sizeof(text));
		if (strcmp(text, name))
			continue;
		*out = (struct field){
			.type = {.kind = TYPE_INT, .size = 8}, .at = FIELD_KEPT, .index = i};
		return 0;
	}
	return -ENOENT;
}

static int find(const struct field_resolver *r, const char *name, struct field *out)
{
	const struct ask_counts *c = container_of(r, struct ask_counts, resolver);

	if (c->event && !c->event->field(c->event, name, out))
		return 0;
	return find_count(c, name, out);
}

static int find_constant(const struct field_resolver *r, const char *name, struct field *out)
{
	const struct field_resolver *of = container_of(r, struct ask_counts, resolver)->event;

	return of && of->constant ? of->constant(of, name, out) : -ENOENT;
}

const struct field_resolver *ask_counts__init(struct ask_counts *c, const struct ask_targets *t,
					      const struct field_resolver *event)
{
	*c = (struct ask_counts){
		.resolver = {.field = find,
			     .name = name_of,
			     .constant = find_constant,
			     .types = event ? event->types : NULL,
			     .event = "a slot"},
		.event = event,
		.targets = t,
	};
	return &c->resolver;
}
