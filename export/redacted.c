// SPDX-License-Identifier: GPL-2.0-only
#include "export/redacted.h"

#include "base/arena.h"
#include "base/redact.h"

#define FRAMES_MAX 512

/* A value with parts, whose parts are redacted when they are asked for. */
struct part_of {
	struct redacted *owner;
	struct value value;
};

struct redacted {
	struct report report;
	const struct report *plain;
	struct row_table rows;
	struct arena memory;
};

static void redact(struct redacted *r, struct value *v);

static void part(const void *of, u32 i, struct value_part *out)
{
	const struct part_of *p = of;

	p->value.part(p->value.of, i, out);
	redact(p->owner, &out->value);
}

static void redact_frame(struct value_frame *f)
{
	f->symbol = redact__text(f->symbol);
	f->object = redact__text(f->object);
	f->path = redact__text(f->path);
}

static void frame(const void *of, u32 i, struct value_frame *out)
{
	const struct part_of *p = of;

	p->value.frame(p->value.of, i, out);
	redact_frame(out);
}

static void redact(struct redacted *r, struct value *v)
{
	struct part_of *p;

	if (v->type == VALUE_TEXT || v->type == VALUE_NONE)
		v->s = redact__text(v->s);
	if (v->type != VALUE_STACK && v->type != VALUE_LIST && v->type != VALUE_OBJECT)
		return;
	p = arena__alloc(&r->memory, sizeof(*p));
	*p = (struct part_of){r, *v};
	v->of = p;
	if (v->type == VALUE_STACK)
		v->frame = frame;
	else
		v->part = part;
}

static bool cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	struct redacted *r = container_of(t, struct redacted, rows);

	if (!r->plain->rows->cell(r->plain->rows, row, column, out))
		return false;
	redact(r, out);
	return true;
}

static u64 key(const struct row_table *t, u32 row)
{
	const struct redacted *r = container_of(t, struct redacted, rows);

	return r->plain->rows->key(r->plain->rows, row);
}

struct emitter {
	void (*emit)(void *ctx, const struct value_frame *frames, u32 n, u64 weight);
	void *ctx;
};

static void emit_stack(void *ctx, const struct value_frame *frames, u32 n, u64 weight)
{
	const struct emitter *e = ctx;
	struct value_frame copy[FRAMES_MAX];

	n = MIN(n, (u32)FRAMES_MAX);
	for (u32 i = 0; i < n; i++) {
		copy[i] = frames[i];
		redact_frame(&copy[i]);
	}
	e->emit(e->ctx, copy, n, weight);
}

static void stacks(const struct report *report,
		   void (*emit)(void *ctx, const struct value_frame *frames, u32 n, u64 weight), void *ctx)
{
	const struct redacted *r = container_of(report->rows, struct redacted, rows);
	struct report plain = *r->plain;

	plain.inlined = report->inlined;
	plain.stacks(&plain, emit_stack, &(struct emitter){emit, ctx});
}

struct folded_emitter {
	void (*emit)(void *ctx, const char *stack, u64 weight);
	void *ctx;
};

/* Frame by frame. */
static void emit_folded(void *ctx, const char *stack, u64 weight)
{
	const struct folded_emitter *e = ctx;
	char *text = NULL, *words = xstrdup(stack), *save = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		die("out of memory for a stack");
	for (char *w = strtok_r(words, ";", &save); w; w = strtok_r(NULL, ";", &save))
		fprintf(out, "%s%s", w == words ? "" : ";", redact__text(w));
	fclose(out);
	e->emit(e->ctx, text, weight);
	free(text);
	free(words);
}

static void folded(const struct report *report, void (*emit)(void *ctx, const char *stack, u64 weight),
		   void *ctx)
{
	const struct redacted *r = container_of(report->rows, struct redacted, rows);

	r->plain->folded(r->plain, emit_folded, &(struct folded_emitter){emit, ctx});
}

const struct report *redacted__new(const struct report *plain, struct redacted **out)
{
	struct redacted *r;

	*out = NULL;
	if (!redact__active())
		return plain;
	*out = r = xcalloc(1, sizeof(*r));
	arena__init(&r->memory);
	r->plain = plain;
	r->report = *plain;
	r->rows = *plain->rows;
	r->rows.cell = cell;
	r->rows.key = key;
	r->report.rows = &r->rows;
	r->report.asked = &r->rows;
	/* What no rule is applied to does not leave. */
	r->report.events = NULL;
	r->report.baseline_stacks = NULL;
	r->report.stacks = plain->stacks ? stacks : NULL;
	r->report.folded = plain->folded ? folded : NULL;
	for (u32 i = 0; i < r->report.nsummary; i++)
		redact(r, &r->report.summary[i].value);
	return &r->report;
}

void redacted__free(struct redacted *r)
{
	if (!r)
		return;
	arena__fini(&r->memory);
	free(r);
}
