// SPDX-License-Identifier: GPL-2.0-only
#include "tests/lib/question_interpret.h"

#include <stdio.h>

struct run {
	const struct interpret_event *event;
	struct question_frame *frame;
};

static u64 number(const struct run *r, const struct checked *e);

/* The low bytes of v as a value of this type, in 64 bits. */
static u64 cut(u64 v, struct field_type type)
{
	u32 unused = type.kind == TYPE_INT ? 64 - type.size * 8u : 0;

	v <<= unused;
	return type.is_signed && type.kind == TYPE_INT ? (u64)((s64)v >> unused) : v >> unused;
}

static int read_context(const struct run *r, u64 offset, void *buf, u32 size)
{
	if (offset > r->event->size || size > r->event->size - offset)
		return -EFAULT;
	memcpy(buf, (const char *)r->event->context + offset, size);
	return 0;
}

static int read_memory(const struct run *r, bool user, u64 addr, void *buf, u32 size)
{
	const struct interpret_memory *m = r->event->memory;

	return m ? m->read(m->ctx, user, addr, buf, size) : -EFAULT;
}

/* --- numbers --- */

static u64 read_field(const struct run *r, const struct checked *e)
{
	const struct field *f = &e->field;
	u32 size = f->wide || e->type.kind != TYPE_INT ? 8 : e->type.size;
	u64 v = 0;
	int ret;

	ret = e->op == CHECKED_CONTEXT
		      ? read_context(r, f->offset, &v, size)
		      : read_memory(r, e->a->type.user, number(r, e->a) + f->offset, &v, size);
	if (ret) {
		r->frame->faults++;
		return 0;
	}
	if (!f->bits)
		return cut(v, e->type);
	v <<= 64 - f->bits - f->bit_at;
	return e->type.is_signed ? (u64)((s64)v >> (64 - f->bits)) : v >> (64 - f->bits);
}

static u64 magnitude(u64 v, bool is_signed)
{
	return is_signed && (s64)v < 0 ? 0 - v : v;
}

/* x / 0 is 0, x % 0 is x. */
static u64 divide(u64 a, u64 b, bool is_signed, bool rest)
{
	u64 ma = magnitude(a, is_signed), mb = magnitude(b, is_signed), v;
	bool negative;

	if (rest) {
		v = mb ? ma % mb : ma;
		negative = is_signed && (s64)a < 0;
	} else {
		v = mb ? ma / mb : 0;
		negative = is_signed && ((s64)a < 0) != ((s64)b < 0);
	}
	return negative ? 0 - v : v;
}

static u64 shift(const struct checked *e, u64 a, u64 count)
{
	count &= e->type.size * 8u - 1;
	if (e->op == CHECKED_SHL)
		return a << count;
	return e->type.is_signed ? (u64)((s64)a >> count) : a >> count;
}

static u64 compare(const struct checked *e, u64 a, u64 b)
{
	bool is_signed = e->a->type.is_signed;

	if (e->op == CHECKED_EQ)
		return a == b;
	if (e->op == CHECKED_LT)
		return is_signed ? (s64)a < (s64)b : a < b;
	return is_signed ? (s64)a <= (s64)b : a <= b;
}

static u64 arithmetic(const struct checked *e, u64 a, u64 b)
{
	switch (e->op) {
	case CHECKED_MUL:
		return a * b;
	case CHECKED_DIV:
	case CHECKED_MOD:
		return divide(a, b, e->type.is_signed, e->op == CHECKED_MOD);
	case CHECKED_ADD:
		return a + b;
	case CHECKED_SUB:
		return a - b;
	case CHECKED_SHL:
	case CHECKED_SHR:
		return shift(e, a, b);
	case CHECKED_AND:
		return a & b;
	case CHECKED_XOR:
		return a ^ b;
	case CHECKED_OR:
		return a | b;
	default:
		return compare(e, a, b);
	}
}

/* --- texts --- */

static void read_string(const struct run *r, bool user, u64 addr, char *buf)
{
	const struct interpret_memory *m = r->event->memory;

	if (m && m->read_text(m->ctx, user, addr, buf, QUESTION_TEXT) >= 0)
		return;
	r->frame->faults++;
	buf[0] = '\0';
}

/* Of the context, up to a NUL, its end or `most` bytes. */
static void read_bytes(const struct run *r, u64 offset, u32 most, char *buf)
{
	const char *from = (const char *)r->event->context + offset;
	u32 n = 0;

	if (offset >= r->event->size) {
		r->frame->faults++;
		buf[0] = '\0';
		return;
	}
	most = MIN(MIN(most, QUESTION_TEXT - 1u), r->event->size - (u32)offset);
	for (; n < most && from[n]; n++)
		buf[n] = from[n];
	buf[n] = '\0';
}

static void read_memory_text(const struct run *r, const struct checked *e, char *buf)
{
	u64 addr = number(r, e->a) + e->field.offset;

	if (e->field.text_at == TEXT_POINTER) {
		u64 to = 0;

		if (read_memory(r, e->a->type.user, addr, &to, 8))
			r->frame->faults++;
		read_string(r, e->type.user, to, buf);
		return;
	}
	read_string(r, e->a->type.user, addr, buf);
	if (e->field.length < QUESTION_TEXT)
		buf[e->field.length] = '\0';
}

static void read_context_text(const struct run *r, const struct checked *e, char *buf)
{
	u64 offset = e->field.offset, to = 0;
	u32 loc = 0;

	if (e->field.text_at == TEXT_ARRAY) {
		read_bytes(r, offset, e->field.length, buf);
	} else if (e->field.text_at == TEXT_POINTER) {
		if (read_context(r, offset, &to, 8))
			r->frame->faults++;
		read_string(r, e->type.user, to, buf);
	} else {
		if (read_context(r, offset, &loc, 4))
			r->frame->faults++;
		loc &= 0xffff;
		read_bytes(r, e->field.text_at == TEXT_REL_LOC ? loc + offset + 4 : loc,
			   QUESTION_TEXT, buf);
	}
}

static void read_sized_text(const struct run *r, const struct checked *e, char *buf)
{
	u64 n = MIN(number(r, e->b), QUESTION_TEXT - 1ull);

	if (!read_memory(r, true, number(r, e->a), buf, (u32)n)) {
		buf[n] = '\0';
		return;
	}
	r->frame->faults++;
	buf[0] = '\0';
}

/* Into QUESTION_TEXT bytes, all of them. */
static void text(const struct run *r, const struct checked *e, char *buf)
{
	char found[QUESTION_TEXT] = "";

	switch (e->op) {
	case CHECKED_TEXT:
		copy_str(found, sizeof(found), e->text);
		break;
	case CHECKED_COMM:
		memcpy(found, r->frame->comm, sizeof(r->frame->comm));
		break;
	case CHECKED_ENTRY:
		memcpy(found, r->frame->entry_texts[e->index].s, sizeof(found));
		break;
	case CHECKED_CONTEXT:
		read_context_text(r, e, found);
		break;
	case CHECKED_SIZED_TEXT:
		read_sized_text(r, e, found);
		break;
	default:
		read_memory_text(r, e, found);
	}
	memset(buf, 0, QUESTION_TEXT);
	copy_str(buf, QUESTION_TEXT, found);
}

static u64 same_text(const struct run *r, const struct checked *e)
{
	char a[QUESTION_TEXT], b[QUESTION_TEXT];

	text(r, e->a, a);
	text(r, e->b, b);
	return !strcmp(a, b);
}

static bool glob__matches(const struct question_glob *g, const char *text)
{
	u64 states = 1;

	for (; *text; text++)
		states = (states & g->member[(u8)*text]) << 1 | (states & g->star);
	return states >> g->accept & 1;
}

static u64 glob(const struct run *r, const struct checked *e)
{
	struct question_glob g;
	char a[QUESTION_TEXT];

	text(r, e->a, a);
	return !question_glob__compile(e->text, &g) && glob__matches(&g, a);
}

/* --- */

static u64 number(const struct run *r, const struct checked *e)
{
	switch (e->op) {
	case CHECKED_NUMBER:
		return cut(e->number, e->type);
	case CHECKED_WORD:
		return cut(r->frame->words[e->index], e->type);
	case CHECKED_ENTRY:
		return cut(r->frame->entry[e->index], e->type);
	case CHECKED_CONTEXT:
	case CHECKED_MEMORY:
		return read_field(r, e);
	case CHECKED_CONVERT:
		return cut(number(r, e->a), e->type);
	case CHECKED_FLIP:
		return cut(~number(r, e->a), e->type);
	case CHECKED_NEG:
		return cut(0 - number(r, e->a), e->type);
	case CHECKED_NOT:
		return !number(r, e->a);
	case CHECKED_BOTH:
		return number(r, e->a) && number(r, e->b);
	case CHECKED_EITHER:
		return number(r, e->a) || number(r, e->b);
	case CHECKED_IF:
		return number(r, e->a) ? number(r, e->b) : number(r, e->c);
	case CHECKED_SAME_TEXT:
		return same_text(r, e);
	case CHECKED_GLOB:
		return glob(r, e);
	default:
		return cut(arithmetic(e, number(r, e->a), number(r, e->b)), e->type);
	}
}

u64 interpret__number(const struct checked *e, const struct interpret_event *event,
		      struct question_frame *frame)
{
	const struct run r = {.event = event, .frame = frame};

	return number(&r, e);
}

/* A key or a value; of a text its slot. */
static u64 emit(const struct run *r, const struct checked *e, int slot)
{
	if (slot < 0)
		return number(r, e);
	text(r, e, r->frame->texts[slot].s);
	return (u64)slot;
}

bool interpret__run(const struct eval_unit *unit, const struct interpret_event *event,
		    struct question_frame *frame)
{
	const struct run r = {.event = event, .frame = frame};
	struct eval_slots slots;

	eval_unit__slots(unit, &slots);
	if (unit->condition && !number(&r, unit->condition))
		return false;
	for (u32 i = 0; i < unit->nkeys; i++)
		frame->keys[i] = emit(&r, unit->keys[i], slots.key[i]);
	for (u32 i = 0; i < unit->nvalues; i++)
		frame->values[i] = emit(&r, unit->values[i], slots.value[i]);
	return true;
}
