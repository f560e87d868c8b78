// SPDX-License-Identifier: GPL-2.0-only
#include "sources/event_samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "sources/ask_events.h"
#include "sources/events.h"
#include "sources/perf_ring.h"

#define RING_PAGES 8

struct taking {
	struct event_samples *to;
	const struct trace_format *format;
};

/* --- one value --- */

/* size: how much of the record there is; 0 and up to room bytes in *from, *n, or false. */
static bool find_text(const struct trace_field *f, const u8 *record, u32 size, u32 *from, u32 *n)
{
	u32 at;

	*from = f->offset;
	*n = f->size;
	if (f->loc != LOC_NONE) {
		memcpy(&at, record + f->offset, sizeof(at));
		*from = (at & 0xffff) + (f->loc == LOC_REL ? f->offset + f->size : 0);
		*n = at >> 16;
	}
	return *from <= size && *n <= size - *from;
}

static bool text_of(const struct trace_field *f, const u8 *record, u32 size, char *buf, size_t room)
{
	u32 from, n;
	const char *text;

	if (!find_text(f, record, size, &from, &n))
		return false;
	text = (const char *)record + from;
	n = (u32)strnlen(text, n);
	if (memchr(text, '"', n) || n + sizeof("\"\"") > room)
		return false;
	snprintf(buf, room, "\"%.*s\"", (int)n, text);
	return true;
}

static bool number_of(const struct trace_field *f, const u8 *record, char *buf, size_t room)
{
	u32 bytes = MIN(f->field.type.size, f->size), unused = 64 - 8 * bytes;
	u64 v = 0;

	if (!bytes || bytes > sizeof(v))
		return false;
	memcpy(&v, record + f->offset, bytes);
	v <<= unused;
	if (strchr(f->type, '*'))
		snprintf(buf, room, "0x%" PRIx64, v >> unused);
	else if (f->field.type.is_signed)
		snprintf(buf, room, "%" PRId64, (s64)v >> unused);
	else
		snprintf(buf, room, "%" PRIu64, v >> unused);
	return true;
}

static bool value_of(const struct trace_field *f, const u8 *record, u32 size, char *buf, size_t room)
{
	if (f->offset > size || f->size > size - f->offset)
		return false;
	if (f->field.type.kind == TYPE_TEXT)
		return text_of(f, record, size, buf, room);
	return !f->is_array && number_of(f, record, buf, room);
}

/* --- all of them --- */

static void add_value(struct event_field_samples *s, const char *value)
{
	for (u32 i = 0; i < s->n; i++)
		if (!strcmp(s->values[i], value))
			return;
	if (s->n < EVENT_SAMPLE_VALUES)
		copy_str(s->values[s->n++], sizeof(s->values[0]), value);
}

/* Of the record the sample has its size, then itself; nothing else was asked for. */
static void take_record(void *ctx, const struct perf_event_header *h)
{
	const struct taking *t = ctx;
	const u8 *at = (const u8 *)(h + 1);
	char value[sizeof(t->to->fields->values[0])];
	u32 size;

	if (h->type != PERF_RECORD_SAMPLE || h->size < sizeof(*h) + sizeof(size))
		return;
	memcpy(&size, at, sizeof(size));
	size = MIN(size, h->size - (u32)(sizeof(*h) + sizeof(size)));
	for (u32 i = 0; i < t->format->nfields; i++)
		if (value_of(&t->format->fields[i], at + sizeof(size), size, value, sizeof(value)))
			add_value(&t->to->fields[i], value);
}

static void take(struct event_samples *s, const struct ask_target *target, u64 ns)
{
	struct taking t = {.to = s, .format = target->format};
	struct perf_event_attr attr;
	struct perf_ring ring;

	if (event__resolve(target->name, event__tracefs(), &attr, NULL))
		return;
	attr.size = sizeof(attr);
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW;
	if (perf_ring__open(&ring, &attr, NULL, 0, RING_PAGES))
		return;
	nanosleep(&(struct timespec){.tv_nsec = (long)MIN(ns, NSEC_PER_SEC - 1)}, NULL);
	s->nfields = t.format->nfields;
	s->fields = xcalloc(s->nfields, sizeof(*s->fields));
	for (u32 i = 0; i < s->nfields; i++)
		copy_str(s->fields[i].name, sizeof(s->fields[i].name), t.format->fields[i].name);
	perf_ring__read(&ring, take_record, &t);
	perf_ring__close(&ring);
}

void event_samples__take(struct event_samples *s, const char *event, u64 ns)
{
	const struct field_resolver *fields;
	struct ask_targets targets = {0};
	const struct question_event *e;
	struct expr_error err;
	struct status st = {0};
	struct arena arena;

	arena__init(&arena);
	e = question_event__parse(event, &arena, &err);
	if (e && e->kind == EVENT_TRACEPOINT && !e->glob && !ask_targets__resolve(&targets, e, &st) &&
	    targets.n && !ask_target__fields(&targets.v[0], &fields, &st))
		take(s, &targets.v[0], ns);
	ask_targets__fini(&targets);
	arena__fini(&arena);
}

const struct event_field_samples *event_samples__of(const struct event_samples *s, const char *field)
{
	for (u32 i = 0; i < s->nfields; i++)
		if (!strcmp(s->fields[i].name, field) && s->fields[i].n)
			return &s->fields[i];
	return NULL;
}

void event_samples__free(struct event_samples *s)
{
	free(s->fields);
	*s = (struct event_samples){0};
}
