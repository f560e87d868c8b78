// SPDX-License-Identifier: GPL-2.0-only
/*
 * Texts: they are read into slots of the frame, each once, and compared there.
 */
#include "questions/generate_impl.h"

#include <stdio.h>

static void fill_zero(struct generator *g, s32 from, s32 to)
{
	for (; from < to; from += 8)
		code__put(g, BPF_ST | BPF_MEM | BPF_DW, FRAME, 0, (int16_t)from, 0);
}

static void copy_words(struct generator *g, s32 to, s32 from, s32 bytes)
{
	for (s32 i = 0; i < bytes; i += 8) {
		code__load(g, BPF_DW, BPF_REG_1, FRAME, from + i);
		code__store(g, FRAME, to + i, BPF_REG_1);
	}
}

/* 8 bytes of a text as they lie in memory, zeros behind its end. */
static u64 text_word(const char *s, size_t len, size_t at)
{
	u64 v = 0;

	for (u32 i = 0; i < 8 && at + i < len; i++)
		v |= (u64)(u8)s[at + i] << 8 * i;
	return v;
}

static void copy_constant(struct generator *g, s32 to, const char *s)
{
	size_t len = strlen(s);

	for (size_t i = 0; i < QUESTION_TEXT; i += 8) {
		code__const(g, BPF_REG_1, text_word(s, len, i));
		code__store(g, FRAME, to + (s32)i, BPF_REG_1);
	}
}

/* r3: the address of the string itself; returns its most bytes, the NUL among them. */
static u32 string_address(struct generator *g, const struct checked *e)
{
	const struct field *f = &e->field;

	if (f->text_at == TEXT_ARRAY) {
		value__field_address(g, e);
		return MIN(f->length, QUESTION_TEXT - 1u) + 1;
	}
	if (f->text_at == TEXT_POINTER) {
		if (value__is_direct(e))
			value__leaf(g, BPF_REG_0, e);
		else
			value__read_field(g, e);
		code__alu(g, BPF_MOV, BPF_REG_3, BPF_REG_0);
		return QUESTION_TEXT;
	}
	code__load(g, BPF_W, BPF_REG_0, CTX, (s32)f->offset);
	code__alu_imm(g, BPF_AND, BPF_REG_0, 0xffff);
	code__alu(g, BPF_MOV, BPF_REG_3, CTX);
	code__alu(g, BPF_ADD, BPF_REG_3, BPF_REG_0);
	if (f->text_at == TEXT_REL_LOC)
		value__add_offset(g, BPF_REG_3, f->offset + 4);
	return QUESTION_TEXT;
}

static void read_string(struct generator *g, const struct checked *e, s32 to, bool padded)
{
	bool user = e->field.text_at == TEXT_POINTER ? e->type.user : value__field_in_user(e);
	u32 size, well;

	if (padded)
		fill_zero(g, to, to + QUESTION_TEXT);
	size = string_address(g, e);
	code__alu(g, BPF_MOV, BPF_REG_1, FRAME);
	code__alu_imm(g, BPF_ADD, BPF_REG_1, to);
	code__alu_imm(g, BPF_MOV, BPF_REG_2, (s32)size);
	code__helper(g, user ? BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_kernel_str);
	code__count_fault(g);
	well = code__jump_imm(g, BPF_JSGE, BPF_REG_0, 0);
	fill_zero(g, to, to + (padded ? QUESTION_TEXT : 8));
	code__land(g, well);
}

/* An array in the context that is short and aligned is copied without a helper: names of threads.
 */
#define SHORT_ARRAY 32

static bool is_short_array(const struct checked *e)
{
	return e->op == CHECKED_CONTEXT && e->field.text_at == TEXT_ARRAY &&
	       e->field.offset % 8 == 0 && e->field.length && e->field.length % 8 == 0 &&
	       e->field.length <= SHORT_ARRAY;
}

/* r1 is stored; where one of its bytes is 0, what is behind that becomes 0, and the jump that comes
 * back is taken. r2 and r3 have 01 and 80 in each byte. */
static u32 copy_to_nul(struct generator *g, s32 to)
{
	u32 none, done;

	code__alu(g, BPF_MOV, BPF_REG_4, BPF_REG_1);
	code__alu(g, BPF_SUB, BPF_REG_4, BPF_REG_2);
	code__alu(g, BPF_MOV, BPF_REG_0, BPF_REG_1);
	code__alu_imm(g, BPF_XOR, BPF_REG_0, -1);
	code__alu(g, BPF_AND, BPF_REG_4, BPF_REG_0);
	code__alu(g, BPF_AND, BPF_REG_4,
		  BPF_REG_3); /* its lowest bit: 80 in the first byte that is 0 */
	none = code__jump_imm(g, BPF_JEQ, BPF_REG_4, 0);
	code__alu(g, BPF_MOV, BPF_REG_0, BPF_REG_4);
	code__alu_imm(g, BPF_NEG, BPF_REG_0, 0);
	code__alu(g, BPF_AND, BPF_REG_4, BPF_REG_0);
	code__alu_imm(g, BPF_RSH, BPF_REG_4, 7);
	code__alu_imm(g, BPF_SUB, BPF_REG_4, 1);
	code__alu(g, BPF_AND, BPF_REG_1, BPF_REG_4);
	code__store(g, FRAME, to, BPF_REG_1);
	done = code__put(g, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	code__land(g, none);
	code__store(g, FRAME, to, BPF_REG_1);
	return done;
}

static void copy_array(struct generator *g, const struct checked *e, s32 to, bool padded)
{
	s32 length = (s32)e->field.length, offset = (s32)e->field.offset;
	u32 done[SHORT_ARRAY / 8], all;

	code__const(g, BPF_REG_2, 0x0101010101010101);
	code__const(g, BPF_REG_3, 0x8080808080808080);
	for (s32 at = 0; at < length; at += 8) {
		code__load(g, BPF_DW, BPF_REG_1, CTX, offset + at);
		done[at / 8] = copy_to_nul(g, to + at);
	}
	all = code__put(g, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	for (s32 at = 0; at < length; at += 8) {
		code__land(g, done[at / 8]);
		if (at + 8 == length)
			code__land(g, all);
		fill_zero(g, to + at + 8, to + at + 16);
	}
	if (padded)
		fill_zero(g, to + length + 8, to + QUESTION_TEXT);
}

/* As many bytes as there are, or as fit. */
static void read_sized(struct generator *g, const struct checked *e, s32 to)
{
	u32 fits;

	fill_zero(g, to, to + QUESTION_TEXT);
	value__pair(g, e->a, e->b);
	code__alu(g, BPF_MOV, BPF_REG_3, BPF_REG_0);
	code__alu(g, BPF_MOV, BPF_REG_2, BPF_REG_1);
	fits = code__jump_imm(g, BPF_JLE, BPF_REG_2, QUESTION_TEXT - 1);
	code__alu_imm(g, BPF_MOV, BPF_REG_2, QUESTION_TEXT - 1);
	code__land(g, fits);
	code__alu(g, BPF_MOV, BPF_REG_1, FRAME);
	code__alu_imm(g, BPF_ADD, BPF_REG_1, to);
	code__helper(g, BPF_FUNC_probe_read_user);
	code__count_fault(g);
}

static void fill_slot(struct generator *g, const struct checked *e, s32 to, bool padded)
{
	switch (e->op) {
	case CHECKED_TEXT:
		copy_constant(g, to, e->text);
		break;
	case CHECKED_COMM:
		g->code->words |= 1u << WORD_COMM;
		copy_words(g, to, OFFSET(comm), COMM_LEN);
		fill_zero(g, to + COMM_LEN, to + QUESTION_TEXT);
		break;
	case CHECKED_ENTRY:
		g->code->entry_texts |= 1u << e->index;
		copy_words(g, to, OFFSET(entry_texts) + (s32)e->index * QUESTION_TEXT,
			   QUESTION_TEXT);
		break;
	case CHECKED_SIZED_TEXT:
		read_sized(g, e, to);
		break;
	default:
		if (is_short_array(e))
			copy_array(g, e, to, padded);
		else
			read_string(g, e, to, padded);
	}
}

/* The slot that a text has, or gets; its contents need not be there. */
int text__slot_of(struct generator *g, const struct checked *e)
{
	for (u32 i = 0; i < QUESTION_TEXTS; i++) {
		if (!g->slots[i].text)
			g->slots[i].text = e;
		if (checked__equal(g->slots[i].text, e))
			return (int)i;
	}
	g->full = "more strings than there is room for: 8 at most";
	return 0;
}

/* A text in its slot, read where that was not done yet. */
struct area text__in_slot(struct generator *g, const struct checked *e)
{
	int i = text__slot_of(g, e);
	struct slot *s = &g->slots[i];

	if (!s->ready)
		fill_slot(g, e, TEXT_OFFSET(i), s->padded);
	s->ready = true;
	return (struct area){TEXT_OFFSET(i), QUESTION_TEXT};
}

/* A text wherever it is already. */
static struct area area_of(struct generator *g, const struct checked *e)
{
	if (e->op == CHECKED_COMM) {
		g->code->words |= 1u << WORD_COMM;
		return (struct area){OFFSET(comm), COMM_LEN};
	}
	if (e->op == CHECKED_ENTRY) {
		g->code->entry_texts |= 1u << e->index;
		return (struct area){OFFSET(entry_texts) + (s32)e->index * QUESTION_TEXT,
				     QUESTION_TEXT};
	}
	return text__in_slot(g, e);
}

/* Jumps that end where something is found to be false. */
struct jumps {
	u32 at[QUESTION_TEXT / 8 + 1], n;
};

/* r0: whether none of the jumps was taken. */
static void put_outcome(struct generator *g, const struct jumps *j)
{
	u32 over;

	code__alu_imm(g, BPF_MOV, BPF_REG_0, 1);
	if (!j->n)
		return;
	over = code__put(g, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	for (u32 i = 0; i < j->n; i++)
		code__land(g, j->at[i]);
	code__alu_imm(g, BPF_MOV, BPF_REG_0, 0);
	code__land(g, over);
}

/* Whether the area begins with these bytes, of which a NUL may be the last. */
static void begins_with(struct generator *g, struct area a, const char *s, size_t len)
{
	struct jumps j = {.n = 0};

	if (len > a.size) {
		code__alu_imm(g, BPF_MOV, BPF_REG_0, 0);
		return;
	}
	for (size_t at = 0; at < len; at += 8) {
		u32 unused = len - at < 8 ? 64 - 8 * (u32)(len - at) : 0;

		code__load(g, BPF_DW, BPF_REG_1, FRAME, a.offset + (s32)at);
		if (unused)
			code__alu_imm(g, BPF_LSH, BPF_REG_1, (s32)unused);
		code__const(g, BPF_REG_2, text_word(s, len, at) << unused);
		j.at[j.n++] = code__jump(g, BPF_JNE, BPF_REG_1, BPF_REG_2);
	}
	put_outcome(g, &j);
}

/* Both are padded with zeros, and each has a NUL within itself. */
static void same_areas(struct generator *g, struct area a, struct area b)
{
	struct jumps j = {.n = 0};

	for (s32 at = 0; at < (s32)MIN(a.size, b.size); at += 8) {
		code__load(g, BPF_DW, BPF_REG_1, FRAME, a.offset + at);
		code__load(g, BPF_DW, BPF_REG_2, FRAME, b.offset + at);
		j.at[j.n++] = code__jump(g, BPF_JNE, BPF_REG_1, BPF_REG_2);
	}
	put_outcome(g, &j);
}

void text__same(struct generator *g, const struct checked *e)
{
	const struct checked *a = e->a, *b = e->b;
	struct area in;

	if (a->op == CHECKED_TEXT && b->op == CHECKED_TEXT) {
		code__alu_imm(g, BPF_MOV, BPF_REG_0, !strcmp(a->text, b->text));
	} else if (a->op == CHECKED_TEXT || b->op == CHECKED_TEXT) {
		const char *s = a->op == CHECKED_TEXT ? a->text : b->text;

		begins_with(g, area_of(g, a->op == CHECKED_TEXT ? b : a), s, strlen(s) + 1);
	} else {
		in = area_of(g, a);
		same_areas(g, in, area_of(g, b));
	}
}

/* The number of the glob's automaton. */
static u32 glob_number(struct generator *g, const char *glob)
{
	struct eval_code *c = g->code;

	for (u32 i = 0; i < c->nglobs; i++)
		if (!strcmp(g->glob_texts[i], glob))
			return g->unit->glob_base + i;
	if (g->unit->glob_base + c->nglobs >= QUESTION_GLOBS) {
		g->full = "more globs than there is room for: 8 at most";
		return 0;
	}
	c->globs = xgrow(c->globs, c->nglobs, &g->globs_room, sizeof(*c->globs));
	if (question_glob__compile(glob, &c->globs[c->nglobs]))
		g->full = "a glob is too long: 63 characters at most";
	g->glob_texts[c->nglobs] = glob;
	return g->unit->glob_base + c->nglobs++;
}

/* A literal text with at most a star at its end is compared; all else asks the automaton. */
void text__glob(struct generator *g, const struct checked *e)
{
	size_t len = strlen(e->text), plain = strcspn(e->text, "*?[\\");
	struct area a;

	if (plain == len) {
		begins_with(g, area_of(g, e->a), e->text, len + 1);
	} else if (plain == len - 1 && e->text[plain] == '*') {
		begins_with(g, area_of(g, e->a), e->text, plain);
	} else {
		a = e->a->op == CHECKED_ENTRY ? area_of(g, e->a) : text__in_slot(g, e->a);
		code__alu(g, BPF_MOV, BPF_REG_1, FRAME);
		code__alu_imm(g, BPF_ADD, BPF_REG_1, a.offset);
		code__alu_imm(g, BPF_MOV, BPF_REG_2, (s32)glob_number(g, e->text));
		code__put(g, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0,
			  -1); /* where to: eval__splice() */
		value__cut(g, BPF_REG_0, 4, true);
	}
}
