// SPDX-License-Identifier: GPL-2.0-only
/* Bursts whose slots a timer ends: cpu-clock, every so often on each CPU. */
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

static bool name_of(const struct field_resolver *r, u32 i, char *buf, size_t size)
{
	const struct ask_counts *c = container_of(r, struct ask_counts, resolver);

	if (i >= MIN(c->targets->n, (u32)QUESTION_ENTRIES))
		return false;
	name_count(&c->targets->v[i], buf, size);
	return true;
}

static int find_count(const struct field_resolver *r, const char *name, struct field *out)
{
	char text[ASK_LABEL_NAME];

	for (u32 i = 0; name_of(r, i, text, sizeof(text)); i++) {
		if (strcmp(text, name))
			continue;
		*out = (struct field){
			.type = {.kind = TYPE_INT, .size = 8}, .at = FIELD_KEPT, .index = i};
		return 0;
	}
	return -ENOENT;
}

const struct field_resolver *ask_counts__init(struct ask_counts *c, const struct ask_targets *t)
{
	*c = (struct ask_counts){
		.resolver = {.field = find_count, .name = name_of, .event = "the slot's counts"},
		.targets = t,
	};
	return &c->resolver;
}
