// SPDX-License-Identifier: GPL-2.0-only
#include "sources/event_samples.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "sources/ask_events.h"
#include "sources/context_words.h"
#include "sources/events.h"
#include "sources/perf_ring.h"

#define RING_PAGES 8
#define FIELDS_MAX 24

/* A field that is (the low part of) a word, or a string that it is the address of. */
struct word_field {
	struct field_type type;
	u32 word, text; /* text: of a string, one more than its place behind the words */
};

struct taking {
	struct event_samples *to;
	const struct trace_format *format; /* of a tracepoint's records; NULL: fields are words */
	struct word_field words[FIELDS_MAX];
	struct context_words context; /* what programs take for them */
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

static bool quote(const char *text, u32 n, char *buf, size_t room)
{
	if (memchr(text, '"', n) || n + sizeof("\"\"") > room)
		return false;
	snprintf(buf, room, "\"%.*s\"", (int)n, text);
	return true;
}

static bool text_of(const struct trace_field *f, const u8 *record, u32 size, char *buf, size_t room)
{
	u32 from, n;
	const char *text;

	if (!find_text(f, record, size, &from, &n))
		return false;
	text = (const char *)record + from;
	return quote(text, (u32)strnlen(text, n), buf, room);
}

/* bytes: of v that are the value. */
static void print_number(u64 v, u32 bytes, bool is_address, bool is_signed, char *buf, size_t room)
{
	u32 unused = 64 - 8 * bytes;

	v <<= unused;
	if (is_address)
		snprintf(buf, room, "0x%" PRIx64, v >> unused);
	else if (is_signed)
		snprintf(buf, room, "%" PRId64, (s64)v >> unused);
	else
		snprintf(buf, room, "%" PRIu64, v >> unused);
}

static bool number_of(const struct trace_field *f, const u8 *record, char *buf, size_t room)
{
	u32 bytes = MIN(f->field.type.size, f->size);
	u64 v = 0;

	if (!bytes || bytes > sizeof(v))
		return false;
	memcpy(&v, record + f->offset, bytes);
	print_number(v, bytes, strchr(f->type, '*'), f->field.type.is_signed, buf, room);
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

/* Strings that could not be read are left out, and those that went on: no question could compare them. */
static bool word_of(const struct taking *t, const struct word_field *f, const u64 *words, char *buf, size_t room)
{
	const char *text;

	if (!f->text) {
		print_number(words[f->word], f->type.size, f->type.kind == TYPE_POINTER, f->type.is_signed, buf,
			     room);
		return true;
	}
	text = (const char *)(words + t->context.n) + (f->text - 1) * CONTEXT_TEXT;
	return *text && strnlen(text, CONTEXT_TEXT) < CONTEXT_TEXT - 1 &&
	       quote(text, (u32)strlen(text), buf, room);
}

static void take_words(void *ctx, const u64 *words, u32 bytes)
{
	const struct taking *t = ctx;
	char value[sizeof(t->to->fields->values[0])];

	for (u32 i = 0; i < t->to->nfields; i++)
		if (t->words[i].word < bytes / 8 && word_of(t, &t->words[i], words, value, sizeof(value)))
			add_value(&t->to->fields[i], value);
}

static void take_words_of(void *ctx, const struct perf_event_header *h)
{
	if (h->type == PERF_RECORD_SAMPLE)
		take_words(ctx, (const u64 *)(h + 1), h->size - (u32)sizeof(*h));
}

/* --- what is recorded --- */

static void add_field(struct taking *t, const char *name, struct word_field as)
{
	struct event_samples *s = t->to;

	if (s->nfields == FIELDS_MAX)
		return;
	copy_str(s->fields[s->nfields].name, sizeof(s->fields[0].name), name);
	t->words[s->nfields++] = as;
}

static int record_tracepoint(struct taking *t, const struct ask_target *target, struct perf_event_attr *attr)
{
	t->format = target->format;
	t->to->nfields = t->format->nfields;
	t->to->fields = xcalloc(t->to->nfields, sizeof(*t->to->fields));
	for (u32 i = 0; i < t->to->nfields; i++)
		copy_str(t->to->fields[i].name, sizeof(t->to->fields[i].name), t->format->fields[i].name);
	if (event__resolve(target->name, event__tracefs(), attr, NULL))
		return -ENOENT;
	attr->sample_type = PERF_SAMPLE_RAW;
	return 0;
}

/* In the order of a record; as registers__fields(REGISTERS_PERF) calls them. */
static int record_software(struct taking *t, const struct ask_target *target, struct perf_event_attr *attr)
{
	static const struct field_type address = {.kind = TYPE_POINTER, .size = 8},
				       number = {.kind = TYPE_INT, .size = 8};

	*attr = target->attr;
	if (attr->type != PERF_TYPE_SOFTWARE)
		return -ENOENT;
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_PERIOD;
	add_field(t, "ip", (struct word_field){.type = address, .word = 0});
	add_field(t, "addr", (struct word_field){.type = address, .word = 1});
	add_field(t, "period", (struct word_field){.type = number, .word = 2});
	return 0;
}

/* Records of every CPU. */
static void take_records(struct taking *t, struct perf_event_attr *attr, u64 ns)
{
	struct perf_ring ring;

	attr->size = sizeof(*attr);
	attr->sample_period = 1;
	if (perf_ring__open(&ring, attr, NULL, 0, RING_PAGES))
		return;
	nanosleep(&(struct timespec){.tv_nsec = (long)MIN(ns, NSEC_PER_SEC - 1)}, NULL);
	perf_ring__read(&ring, t->format ? take_record : take_words_of, t);
	perf_ring__close(&ring);
}

/* What else is in memory would have to be read by each program that passes. */
static bool is_word(const struct field *f)
{
	if (f->at != FIELD_IN_CONTEXT || f->bits || f->unreadable || f->offset % 8)
		return false;
	return f->type.kind == TYPE_INT || f->type.kind == TYPE_POINTER ||
	       (f->type.kind == TYPE_TEXT && f->text_at == TEXT_POINTER);
}

/* What programs find at it from the word `skipped` on. */
static void choose_words(struct taking *t, const struct field_resolver *r, u32 skipped)
{
	struct context_words *w = &t->context;
	struct field f;
	char name[96];

	w->skipped = skipped;
	for (u32 i = 0; r->name(r, i, name, sizeof(name)); i++) {
		struct word_field as = {0};

		if (r->field(r, name, &f) || !is_word(&f) || f.offset / 8 < skipped ||
		    f.offset / 8 - skipped >= CONTEXT_WORDS_MAX)
			continue;
		as.type = f.type;
		as.word = f.offset / 8 - skipped;
		if (f.type.kind == TYPE_TEXT) {
			if (w->ntexts == CONTEXT_TEXTS)
				continue;
			w->texts[w->ntexts].word = as.word;
			w->texts[w->ntexts].user = f.type.user;
			as.text = ++w->ntexts;
		}
		w->n = MAX(w->n, as.word + 1);
		add_field(t, name, as);
	}
}

static void take_calls(struct taking *t, const struct ask_target *target, u64 ns)
{
	const u64 *offset = target->usdt ? &target->usdt->offset : &target->place.offset;
	struct uprobe_set set = {.path = target->file, .offsets = offset, .n = 1, .pid = target->pid};

	if (target->of->kind == EVENT_URETPROBE)
		set.when = UPROBE_ENDS;
	if (target->usdt && target->usdt->semaphore)
		set.semaphores = &target->usdt->semaphore;
	if (*offset)
		context_words__of_calls(&t->context, &set, ns, take_words, t);
}

/* A record has the address of a string, and a program what is there. */
static bool has_addresses_of_texts(const struct trace_format *f)
{
	for (u32 i = 0; i < f->nfields; i++)
		if (f->fields[i].field.type.kind == TYPE_TEXT && f->fields[i].field.text_at == TEXT_POINTER)
			return true;
	return false;
}

static void take_tracepoint(struct taking *t, const struct ask_target *target, const struct field_resolver *r,
			    u64 ns)
{
	struct perf_event_attr attr = {0};

	if (!has_addresses_of_texts(target->format)) {
		if (!record_tracepoint(t, target, &attr))
			take_records(t, &attr, ns);
		return;
	}
	t->to->fields = xcalloc(FIELDS_MAX, sizeof(*t->to->fields));
	choose_words(t, r, 1); /* the first one no program may read */
	if (t->context.n)
		context_words__of_tracepoint(&t->context, target->name, ns, take_words, t);
}

static void take_software(struct taking *t, const struct ask_target *target, u64 ns)
{
	struct perf_event_attr attr = {0};

	if (!record_software(t, target, &attr))
		take_records(t, &attr, ns);
}

static void take_words_at(struct taking *t, const struct ask_target *target, u64 ns)
{
	bool returns = target->of->kind == EVENT_KRETPROBE;

	if (ask_target__is_of_program(target))
		take_calls(t, target, ns);
	else if (target->of->kind == EVENT_BTF)
		context_words__of_raw(&t->context, target->event, ns, take_words, t);
	else
		context_words__of_kernel(&t->context, target->event, returns, ns, take_words, t);
}

static void take(struct event_samples *s, const struct ask_target *target, const struct field_resolver *r,
		 u64 ns)
{
	struct taking t = {.to = s};

	if (target->of->kind == EVENT_TRACEPOINT) {
		take_tracepoint(&t, target, r, ns);
		return;
	}
	s->fields = xcalloc(FIELDS_MAX, sizeof(*s->fields));
	if (target->of->kind == EVENT_PERF) {
		take_software(&t, target, ns);
		return;
	}
	if (r && r->name)
		choose_words(&t, r, 0);
	if (t.context.n)
		take_words_at(&t, target, ns);
}

static bool has_records(const struct question_event *e)
{
	return e->kind != EVENT_BREAKPOINT;
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
	if (e && has_records(e) && !e->glob && !ask_targets__resolve(&targets, e, &st) &&
	    targets.n && !ask_target__fields(&targets.v[0], &fields, &st))
		take(s, &targets.v[0], fields, ns);
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
