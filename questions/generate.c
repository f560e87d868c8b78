// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers are in r0, as 64 bits: those with sign are sign-extended, the others zero-extended, so
 * that most operators are one instruction of 64 bits and what is wider need not be converted. Of
 * two operands the one that needs more is first; it is kept in r8, r9 or on the stack meanwhile.
 * What needs k such places has at least 2^k terms.
 */
#include "questions/generate.h"

#include <stdio.h>

#define SLOTS_IN_REGS  2
#define CTX	       BPF_REG_6
#define FRAME	       BPF_REG_7
#define BUFFER	       (-8) /* on the stack: what helpers read into */
#define OFFSET(member) ((s32)offsetof(struct question_frame, member))
#define TEXT_OFFSET(i) (OFFSET(texts) + (s32)(i)*QUESTION_TEXT)

/* A text that is somewhere in the frame. */
struct area {
	s32 offset;
	u32 size;
};

struct slot {
	const struct checked *text; /* NULL: free */
	bool ready;		    /* it has been read on every way to here */
	bool padded;		    /* what is behind its NUL is 0 wherever it is read */
};

struct generator {
	const struct eval_unit *unit;
	struct eval_code *code;
	u32 room, globs_room, depth;
	struct slot slots[QUESTION_TEXTS];
	const char *glob_texts[QUESTION_GLOBS];
	const char *full; /* what there is no room for */
};

static void number(struct generator *g, const struct checked *e);

/* --- instructions --- */

static u32 put(struct generator *g, u8 code, u8 dst, u8 src, int16_t off, s32 imm)
{
	struct eval_code *c = g->code;

	if (c->ninsns + 1 >= QUESTION_REGION)
		g->full = "more code than there is room for: ask for less at once";
	else
		c->insns[c->ninsns++] = (struct bpf_insn){.code = code,
							  .dst_reg = dst & 15,
							  .src_reg = src & 15,
							  .off = off,
							  .imm = imm};
	return c->ninsns - 1;
}

static void put_alu(struct generator *g, u8 op, u8 dst, u8 src)
{
	put(g, BPF_ALU64 | BPF_X | op, dst, src, 0, 0);
}

static void put_alu_imm(struct generator *g, u8 op, u8 dst, s32 imm)
{
	put(g, BPF_ALU64 | BPF_K | op, dst, 0, 0, imm);
}

static void put_load(struct generator *g, u8 size, u8 dst, u8 src, s32 off)
{
	put(g, BPF_LDX | BPF_MEM | size, dst, src, (int16_t)off, 0);
}

static void put_store(struct generator *g, u8 dst, s32 off, u8 src)
{
	put(g, BPF_STX | BPF_MEM | BPF_DW, dst, src, (int16_t)off, 0);
}

static void put_const(struct generator *g, u8 dst, u64 v)
{
	if ((s64)v == (s32)v) {
		put_alu_imm(g, BPF_MOV, dst, (s32)v);
		return;
	}
	put(g, BPF_LD | BPF_DW | BPF_IMM, dst, 0, 0, (s32)v);
	put(g, 0, 0, 0, 0, (s32)(v >> 32));
}

/* A jump whose end comes later: lands at the next instruction once land() is called. */
static u32 put_jump(struct generator *g, u8 op, u8 dst, u8 src)
{
	return put(g, BPF_JMP | BPF_X | op, dst, src, 0, 0);
}

static u32 put_jump_imm(struct generator *g, u8 op, u8 dst, s32 imm)
{
	return put(g, BPF_JMP | BPF_K | op, dst, 0, 0, imm);
}

static void land(struct generator *g, u32 jump)
{
	g->code->insns[jump].off = (int16_t)(g->code->ninsns - jump - 1);
}

static void put_exit(struct generator *g, s32 ret)
{
	put_alu_imm(g, BPF_MOV, BPF_REG_0, ret);
	put(g, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

static void put_helper(struct generator *g, enum bpf_func_id id)
{
	put(g, BPF_JMP | BPF_CALL, 0, 0, 0, (s32)id);
}

/* r0 < 0: adds to the frame's faults. Uses r1. */
static void put_fault_count(struct generator *g)
{
	u32 well = put_jump_imm(g, BPF_JSGE, BPF_REG_0, 0);

	put_load(g, BPF_DW, BPF_REG_1, FRAME, OFFSET(faults));
	put_alu_imm(g, BPF_ADD, BPF_REG_1, 1);
	put_store(g, FRAME, OFFSET(faults), BPF_REG_1);
	land(g, well);
}

/* --- values --- */

/* The low bytes of reg as a value of this type, in 64 bits. */
static void cut(struct generator *g, u8 reg, u8 size, bool is_signed)
{
	s32 unused = 64 - size * 8;

	if (size == 8)
		return;
	if (!is_signed && size == 4) {
		put(g, BPF_ALU | BPF_X | BPF_MOV, reg, reg, 0, 0);
	} else if (!is_signed) {
		put_alu_imm(g, BPF_AND, reg, (1 << size * 8) - 1);
	} else {
		put_alu_imm(g, BPF_LSH, reg, unused);
		put_alu_imm(g, BPF_ARSH, reg, unused);
	}
}

static void cut_to(struct generator *g, struct field_type type)
{
	if (type.kind == TYPE_INT)
		cut(g, BPF_REG_0, type.size, type.is_signed);
}

/* Whether every value of a type is one of the other, in 64 bits. */
static bool holds(struct field_type to, struct field_type from)
{
	if (to.kind != TYPE_INT || to.size == 8)
		return true;
	if (from.kind != TYPE_INT || from.size > to.size)
		return false;
	if (from.size == to.size)
		return from.is_signed == to.is_signed;
	return to.is_signed || !from.is_signed;
}

static u8 load_size(u32 bytes)
{
	return bytes == 1 ? BPF_B : bytes == 2 ? BPF_H : bytes == 4 ? BPF_W : BPF_DW;
}

static u32 field_bytes(const struct checked *e)
{
	return e->field.wide || e->type.kind != TYPE_INT ? 8 : e->type.size;
}

/* Loaded from the context without a helper. */
static bool is_direct(const struct checked *e)
{
	return e->op == CHECKED_CONTEXT && e->field.offset % field_bytes(e) == 0;
}

static bool is_leaf(const struct checked *e)
{
	return e->op == CHECKED_NUMBER || e->op == CHECKED_WORD || e->op == CHECKED_ENTRY ||
	       is_direct(e);
}

static u64 constant(const struct checked *e)
{
	u32 unused = 64 - e->type.size * 8u;

	return e->type.is_signed ? (u64)((s64)(e->number << unused) >> unused)
				 : e->number << unused >> unused;
}

/* Of bytes that were loaded with zeros above them. */
static void cut_field(struct generator *g, u8 reg, const struct checked *e)
{
	const struct field *f = &e->field;

	if (f->bits) {
		put_alu_imm(g, BPF_LSH, reg, 64 - f->bits - f->bit_at);
		put_alu_imm(g, e->type.is_signed ? BPF_ARSH : BPF_RSH, reg, 64 - f->bits);
	} else if (e->type.kind == TYPE_INT && (e->type.is_signed || f->wide)) {
		cut(g, reg, e->type.size, e->type.is_signed);
	}
}

static void leaf(struct generator *g, u8 reg, const struct checked *e)
{
	if (e->op == CHECKED_NUMBER) {
		put_const(g, reg, constant(e));
		return;
	}
	if (e->op == CHECKED_CONTEXT) {
		put_load(g, load_size(field_bytes(e)), reg, CTX, (s32)e->field.offset);
		cut_field(g, reg, e);
		return;
	}
	if (e->op == CHECKED_WORD) {
		g->code->words |= 1u << e->index;
		put_load(g, BPF_DW, reg, FRAME, OFFSET(words) + 8 * (s32)e->index);
	} else {
		g->code->entries |= 1u << e->index;
		put_load(g, BPF_DW, reg, FRAME, OFFSET(entry) + 8 * (s32)e->index);
	}
	if (e->type.kind == TYPE_INT)
		cut(g, reg, e->type.size, e->type.is_signed);
}

/* Adds a constant that may be larger than 32 bits with sign. */
static void add_offset(struct generator *g, u8 reg, u32 offset)
{
	if (offset)
		put_alu_imm(g, BPF_ADD, reg, (s32)offset);
}

/* The field's bytes into the buffer, by a helper; r3 is their address. */
static void read_to_buffer(struct generator *g, u32 bytes, bool user)
{
	put_alu(g, BPF_MOV, BPF_REG_1, BPF_REG_10);
	put_alu_imm(g, BPF_ADD, BPF_REG_1, BUFFER);
	put_alu_imm(g, BPF_MOV, BPF_REG_2, (s32)bytes);
	put_helper(g, user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel);
	put_fault_count(g);
	put_load(g, load_size(bytes), BPF_REG_0, BPF_REG_10, BUFFER);
}

/* r3: where the field is, or what its text is found by. */
static void field_address(struct generator *g, const struct checked *e)
{
	if (e->op == CHECKED_MEMORY) {
		number(g, e->a);
		put_alu(g, BPF_MOV, BPF_REG_3, BPF_REG_0);
	} else {
		put_alu(g, BPF_MOV, BPF_REG_3, CTX);
	}
	add_offset(g, BPF_REG_3, e->field.offset);
}

static bool field_in_user(const struct checked *e)
{
	return e->op == CHECKED_MEMORY && e->a->type.user;
}

static void read_field(struct generator *g, const struct checked *e)
{
	field_address(g, e);
	read_to_buffer(g, field_bytes(e), field_in_user(e));
	cut_field(g, BPF_REG_0, e);
}

/* --- texts --- */

static bool is_text(const struct checked *e)
{
	return e->type.kind == TYPE_TEXT;
}

static void fill_zero(struct generator *g, s32 from, s32 to)
{
	for (; from < to; from += 8)
		put(g, BPF_ST | BPF_MEM | BPF_DW, FRAME, 0, (int16_t)from, 0);
}

static void copy_words(struct generator *g, s32 to, s32 from, s32 bytes)
{
	for (s32 i = 0; i < bytes; i += 8) {
		put_load(g, BPF_DW, BPF_REG_1, FRAME, from + i);
		put_store(g, FRAME, to + i, BPF_REG_1);
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
		put_const(g, BPF_REG_1, text_word(s, len, i));
		put_store(g, FRAME, to + (s32)i, BPF_REG_1);
	}
}

/* r3: the address of the string itself; returns its most bytes, the NUL among them. */
static u32 string_address(struct generator *g, const struct checked *e)
{
	const struct field *f = &e->field;

	if (f->text_at == TEXT_ARRAY) {
		field_address(g, e);
		return MIN(f->length, QUESTION_TEXT - 1u) + 1;
	}
	if (f->text_at == TEXT_POINTER) {
		if (is_direct(e))
			leaf(g, BPF_REG_0, e);
		else
			read_field(g, e);
		put_alu(g, BPF_MOV, BPF_REG_3, BPF_REG_0);
		return QUESTION_TEXT;
	}
	put_load(g, BPF_W, BPF_REG_0, CTX, (s32)f->offset);
	put_alu_imm(g, BPF_AND, BPF_REG_0, 0xffff);
	put_alu(g, BPF_MOV, BPF_REG_3, CTX);
	put_alu(g, BPF_ADD, BPF_REG_3, BPF_REG_0);
	if (f->text_at == TEXT_REL_LOC)
		add_offset(g, BPF_REG_3, f->offset + 4);
	return QUESTION_TEXT;
}

static void read_string(struct generator *g, const struct checked *e, s32 to, bool padded)
{
	bool user = e->field.text_at == TEXT_POINTER ? e->type.user : field_in_user(e);
	u32 size, well;

	if (padded)
		fill_zero(g, to, to + QUESTION_TEXT);
	size = string_address(g, e);
	put_alu(g, BPF_MOV, BPF_REG_1, FRAME);
	put_alu_imm(g, BPF_ADD, BPF_REG_1, to);
	put_alu_imm(g, BPF_MOV, BPF_REG_2, (s32)size);
	put_helper(g, user ? BPF_FUNC_probe_read_user_str : BPF_FUNC_probe_read_kernel_str);
	put_fault_count(g);
	well = put_jump_imm(g, BPF_JSGE, BPF_REG_0, 0);
	fill_zero(g, to, to + (padded ? QUESTION_TEXT : 8));
	land(g, well);
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

	put_alu(g, BPF_MOV, BPF_REG_4, BPF_REG_1);
	put_alu(g, BPF_SUB, BPF_REG_4, BPF_REG_2);
	put_alu(g, BPF_MOV, BPF_REG_0, BPF_REG_1);
	put_alu_imm(g, BPF_XOR, BPF_REG_0, -1);
	put_alu(g, BPF_AND, BPF_REG_4, BPF_REG_0);
	put_alu(g, BPF_AND, BPF_REG_4,
		BPF_REG_3); /* its lowest bit: 80 in the first byte that is 0 */
	none = put_jump_imm(g, BPF_JEQ, BPF_REG_4, 0);
	put_alu(g, BPF_MOV, BPF_REG_0, BPF_REG_4);
	put_alu_imm(g, BPF_NEG, BPF_REG_0, 0);
	put_alu(g, BPF_AND, BPF_REG_4, BPF_REG_0);
	put_alu_imm(g, BPF_RSH, BPF_REG_4, 7);
	put_alu_imm(g, BPF_SUB, BPF_REG_4, 1);
	put_alu(g, BPF_AND, BPF_REG_1, BPF_REG_4);
	put_store(g, FRAME, to, BPF_REG_1);
	done = put(g, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	land(g, none);
	put_store(g, FRAME, to, BPF_REG_1);
	return done;
}

static void copy_array(struct generator *g, const struct checked *e, s32 to, bool padded)
{
	s32 length = (s32)e->field.length, offset = (s32)e->field.offset;
	u32 done[SHORT_ARRAY / 8], all;

	put_const(g, BPF_REG_2, 0x0101010101010101);
	put_const(g, BPF_REG_3, 0x8080808080808080);
	for (s32 at = 0; at < length; at += 8) {
		put_load(g, BPF_DW, BPF_REG_1, CTX, offset + at);
		done[at / 8] = copy_to_nul(g, to + at);
	}
	all = put(g, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	for (s32 at = 0; at < length; at += 8) {
		land(g, done[at / 8]);
		if (at + 8 == length)
			land(g, all);
		fill_zero(g, to + at + 8, to + at + 16);
	}
	if (padded)
		fill_zero(g, to + length + 8, to + QUESTION_TEXT);
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
	default:
		if (is_short_array(e))
			copy_array(g, e, to, padded);
		else
			read_string(g, e, to, padded);
	}
}

/* The slot that a text has, or gets; its contents need not be there. */
static int slot_of(struct generator *g, const struct checked *e)
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
static struct area in_slot(struct generator *g, const struct checked *e)
{
	int i = slot_of(g, e);
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
	return in_slot(g, e);
}

/* Jumps that end where something is found to be false. */
struct jumps {
	u32 at[QUESTION_TEXT / 8 + 1], n;
};

/* r0: whether none of the jumps was taken. */
static void put_outcome(struct generator *g, const struct jumps *j)
{
	u32 over;

	put_alu_imm(g, BPF_MOV, BPF_REG_0, 1);
	if (!j->n)
		return;
	over = put(g, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	for (u32 i = 0; i < j->n; i++)
		land(g, j->at[i]);
	put_alu_imm(g, BPF_MOV, BPF_REG_0, 0);
	land(g, over);
}

/* Whether the area begins with these bytes, of which a NUL may be the last. */
static void begins_with(struct generator *g, struct area a, const char *s, size_t len)
{
	struct jumps j = {.n = 0};

	if (len > a.size) {
		put_alu_imm(g, BPF_MOV, BPF_REG_0, 0);
		return;
	}
	for (size_t at = 0; at < len; at += 8) {
		u32 unused = len - at < 8 ? 64 - 8 * (u32)(len - at) : 0;

		put_load(g, BPF_DW, BPF_REG_1, FRAME, a.offset + (s32)at);
		if (unused)
			put_alu_imm(g, BPF_LSH, BPF_REG_1, (s32)unused);
		put_const(g, BPF_REG_2, text_word(s, len, at) << unused);
		j.at[j.n++] = put_jump(g, BPF_JNE, BPF_REG_1, BPF_REG_2);
	}
	put_outcome(g, &j);
}

/* Both are padded with zeros, and each has a NUL within itself. */
static void same_areas(struct generator *g, struct area a, struct area b)
{
	struct jumps j = {.n = 0};

	for (s32 at = 0; at < (s32)MIN(a.size, b.size); at += 8) {
		put_load(g, BPF_DW, BPF_REG_1, FRAME, a.offset + at);
		put_load(g, BPF_DW, BPF_REG_2, FRAME, b.offset + at);
		j.at[j.n++] = put_jump(g, BPF_JNE, BPF_REG_1, BPF_REG_2);
	}
	put_outcome(g, &j);
}

static void same_text(struct generator *g, const struct checked *e)
{
	const struct checked *a = e->a, *b = e->b;
	struct area in;

	if (a->op == CHECKED_TEXT && b->op == CHECKED_TEXT) {
		put_alu_imm(g, BPF_MOV, BPF_REG_0, !strcmp(a->text, b->text));
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
static void glob(struct generator *g, const struct checked *e)
{
	size_t len = strlen(e->text), plain = strcspn(e->text, "*?[\\");
	struct area a;

	if (plain == len) {
		begins_with(g, area_of(g, e->a), e->text, len + 1);
	} else if (plain == len - 1 && e->text[plain] == '*') {
		begins_with(g, area_of(g, e->a), e->text, plain);
	} else {
		a = e->a->op == CHECKED_ENTRY ? area_of(g, e->a) : in_slot(g, e->a);
		put_alu(g, BPF_MOV, BPF_REG_1, FRAME);
		put_alu_imm(g, BPF_ADD, BPF_REG_1, a.offset);
		put_alu_imm(g, BPF_MOV, BPF_REG_2, (s32)glob_number(g, e->text));
		put(g, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_CALL, 0,
		    -1); /* where to: eval__splice() */
		cut(g, BPF_REG_0, 4, true);
	}
}

/* --- operators --- */

static void spill(struct generator *g, u32 depth, bool store)
{
	if (depth < SLOTS_IN_REGS && store)
		put_alu(g, BPF_MOV, (u8)(BPF_REG_8 + depth), BPF_REG_0);
	else if (depth < SLOTS_IN_REGS)
		put_alu(g, BPF_MOV, BPF_REG_0, (u8)(BPF_REG_8 + depth));
	else if (store)
		put_store(g, BPF_REG_10, BUFFER - 8 * (s32)(depth - SLOTS_IN_REGS + 1), BPF_REG_0);
	else
		put_load(g, BPF_DW, BPF_REG_0, BPF_REG_10,
			 BUFFER - 8 * (s32)(depth - SLOTS_IN_REGS + 1));
}

/* a in r0 and b in r1. */
static void operands(struct generator *g, const struct checked *a, const struct checked *b)
{
	bool swap = b->need > a->need;
	u32 depth = g->depth;

	if (is_leaf(b)) {
		number(g, a);
		leaf(g, BPF_REG_1, b);
		return;
	}
	number(g, swap ? b : a);
	spill(g, depth, true);
	g->depth++;
	number(g, swap ? a : b);
	g->depth--;
	if (swap) {
		put_alu(g, BPF_MOV, BPF_REG_1, BPF_REG_0);
		spill(g, depth, false);
		put_alu(g, BPF_MOV, BPF_REG_2, BPF_REG_0);
		put_alu(g, BPF_MOV, BPF_REG_0, BPF_REG_1);
		put_alu(g, BPF_MOV, BPF_REG_1, BPF_REG_2);
	} else {
		put_alu(g, BPF_MOV, BPF_REG_1, BPF_REG_0);
		spill(g, depth, false);
	}
}

static void negate_if_negative(struct generator *g, u8 reg, bool note)
{
	u32 over = put_jump_imm(g, BPF_JSGE, reg, 0);

	put_alu_imm(g, BPF_NEG, reg, 0);
	if (note)
		put_alu_imm(g, BPF_XOR, BPF_REG_2, 1);
	land(g, over);
}

/* The kernel divides without sign, by 0 as expr.h says: 0, and the dividend as the rest. */
static void divide(struct generator *g, bool is_signed, bool rest)
{
	u32 over;

	if (is_signed) {
		put_alu_imm(g, BPF_MOV, BPF_REG_2, 0);
		negate_if_negative(g, BPF_REG_0, true);
		negate_if_negative(g, BPF_REG_1, !rest);
	}
	put_alu(g, rest ? BPF_MOD : BPF_DIV, BPF_REG_0, BPF_REG_1);
	if (!is_signed)
		return;
	over = put_jump_imm(g, BPF_JEQ, BPF_REG_2, 0);
	put_alu_imm(g, BPF_NEG, BPF_REG_0, 0);
	land(g, over);
}

static void shift(struct generator *g, const struct checked *e)
{
	put_alu_imm(g, BPF_AND, BPF_REG_1, e->type.size * 8 - 1);
	put_alu(g,
		e->op == CHECKED_SHL ? BPF_LSH
		: e->type.is_signed  ? BPF_ARSH
				     : BPF_RSH,
		BPF_REG_0, BPF_REG_1);
}

static void arithmetic(struct generator *g, const struct checked *e)
{
	static const u8 ops[] = {
		[CHECKED_MUL] = BPF_MUL, [CHECKED_ADD] = BPF_ADD, [CHECKED_SUB] = BPF_SUB,
		[CHECKED_AND] = BPF_AND, [CHECKED_XOR] = BPF_XOR, [CHECKED_OR] = BPF_OR,
	};

	operands(g, e->a, e->b);
	if (e->op == CHECKED_DIV || e->op == CHECKED_MOD)
		divide(g, e->type.is_signed, e->op == CHECKED_MOD);
	else if (e->op == CHECKED_SHL || e->op == CHECKED_SHR)
		shift(g, e);
	else
		put_alu(g, ops[e->op], BPF_REG_0, BPF_REG_1);
	if (e->op != CHECKED_AND && e->op != CHECKED_XOR && e->op != CHECKED_OR &&
	    e->op != CHECKED_SHR)
		cut_to(g, e->type);
}

static void compare(struct generator *g, const struct checked *e)
{
	bool is_signed = e->a->type.is_signed;
	u8 op = e->op == CHECKED_EQ   ? BPF_JEQ
		: e->op == CHECKED_LT ? (is_signed ? BPF_JSLT : BPF_JLT)
				      : (is_signed ? BPF_JSLE : BPF_JLE);
	u32 yes;

	if (e->b->op == CHECKED_NUMBER && (s64)constant(e->b) == (s32)constant(e->b)) {
		number(g, e->a);
		put_alu(g, BPF_MOV, BPF_REG_1, BPF_REG_0);
		put_alu_imm(g, BPF_MOV, BPF_REG_0, 1);
		yes = put_jump_imm(g, op, BPF_REG_1, (s32)constant(e->b));
	} else {
		operands(g, e->a, e->b);
		put_alu(g, BPF_MOV, BPF_REG_2, BPF_REG_0);
		put_alu_imm(g, BPF_MOV, BPF_REG_0, 1);
		yes = put_jump(g, op, BPF_REG_2, BPF_REG_1);
	}
	put_alu_imm(g, BPF_MOV, BPF_REG_0, 0);
	land(g, yes);
}

/* What is read within one branch is not there in others. */
static void branch(struct generator *g, const struct checked *e)
{
	struct slot before[QUESTION_TEXTS];

	memcpy(before, g->slots, sizeof(before));
	number(g, e);
	for (u32 i = 0; i < QUESTION_TEXTS; i++)
		g->slots[i].ready = before[i].ready;
}

static void to_bool(struct generator *g, u8 if_zero)
{
	u32 over = put_jump_imm(g, BPF_JEQ, BPF_REG_0, 0);

	put_alu_imm(g, BPF_MOV, BPF_REG_0, 1);
	land(g, over);
	if (if_zero)
		put_alu_imm(g, BPF_XOR, BPF_REG_0, 1);
}

static void logic(struct generator *g, const struct checked *e)
{
	u32 over;

	number(g, e->a);
	over = put_jump_imm(g, e->op == CHECKED_BOTH ? BPF_JEQ : BPF_JNE, BPF_REG_0, 0);
	branch(g, e->b);
	land(g, over);
	to_bool(g, 0);
}

static void choice(struct generator *g, const struct checked *e)
{
	u32 otherwise, over;

	number(g, e->a);
	otherwise = put_jump_imm(g, BPF_JEQ, BPF_REG_0, 0);
	branch(g, e->b);
	over = put(g, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	land(g, otherwise);
	branch(g, e->c);
	land(g, over);
}

static void number(struct generator *g, const struct checked *e)
{
	if (is_leaf(e)) {
		leaf(g, BPF_REG_0, e);
		return;
	}
	switch (e->op) {
	case CHECKED_CONTEXT:
	case CHECKED_MEMORY:
		read_field(g, e);
		break;
	case CHECKED_CONVERT:
		number(g, e->a);
		if (!holds(e->type, e->a->type))
			cut_to(g, e->type);
		break;
	case CHECKED_FLIP:
		number(g, e->a);
		put_alu_imm(g, BPF_XOR, BPF_REG_0, -1);
		cut_to(g, e->type);
		break;
	case CHECKED_NEG:
		number(g, e->a);
		put_alu_imm(g, BPF_NEG, BPF_REG_0, 0);
		cut_to(g, e->type);
		break;
	case CHECKED_NOT:
		number(g, e->a);
		to_bool(g, 1);
		break;
	case CHECKED_BOTH:
	case CHECKED_EITHER:
		logic(g, e);
		break;
	case CHECKED_IF:
		choice(g, e);
		break;
	case CHECKED_LT:
	case CHECKED_LE:
	case CHECKED_EQ:
		compare(g, e);
		break;
	case CHECKED_SAME_TEXT:
		same_text(g, e);
		break;
	case CHECKED_GLOB:
		glob(g, e);
		break;
	default:
		arithmetic(g, e);
	}
}

/* --- the whole --- */

/* Conditions that have all to hold: each ends the code, so that what they read stays read. */
static void condition(struct generator *g, const struct checked *e)
{
	u32 well;

	if (e->op == CHECKED_BOTH) {
		condition(g, e->a);
		condition(g, e->b);
		return;
	}
	number(g, e);
	well = put_jump_imm(g, BPF_JNE, BPF_REG_0, 0);
	put_exit(g, 0);
	land(g, well);
}

static void emit(struct generator *g, const struct checked *e, s32 to)
{
	if (is_text(e)) {
		in_slot(g, e);
		put_alu_imm(g, BPF_MOV, BPF_REG_0, slot_of(g, e));
	} else {
		number(g, e);
	}
	put_store(g, FRAME, to, BPF_REG_0);
}

static int8_t give_slot(const struct checked *e, const struct checked **texts, u32 *n)
{
	if (!is_text(e))
		return -1;
	for (u32 i = 0; i < *n; i++)
		if (checked__equal(texts[i], e))
			return (int8_t)i;
	if (*n == QUESTION_TEXTS)
		return 0; /* eval__generate() refuses it */
	texts[*n] = e;
	return (int8_t)(*n)++;
}

void eval_unit__slots(const struct eval_unit *unit, struct eval_slots *slots)
{
	const struct checked *texts[QUESTION_TEXTS];

	*slots = (struct eval_slots){.used = 0};
	for (u32 i = 0; i < unit->nkeys; i++)
		slots->key[i] = give_slot(unit->keys[i], texts, &slots->used);
	for (u32 i = 0; i < unit->nvalues; i++)
		slots->value[i] = give_slot(unit->values[i], texts, &slots->used);
}

static void pad(struct generator *g, const struct checked *e)
{
	if (is_text(e) && e->op != CHECKED_COMM && e->op != CHECKED_ENTRY)
		g->slots[slot_of(g, e)].padded = true;
}

/* Texts that are compared with others, not with constants. */
static void pad_compared(struct generator *g, const struct checked *e)
{
	if (!e)
		return;
	if (e->op == CHECKED_SAME_TEXT && e->a->op != CHECKED_TEXT && e->b->op != CHECKED_TEXT) {
		pad(g, e->a);
		pad(g, e->b);
	}
	pad_compared(g, e->a);
	pad_compared(g, e->b);
	pad_compared(g, e->c);
}

/* What goes out is in the first slots, as eval_unit__slots() says. */
static void keep_slots(struct generator *g)
{
	const struct eval_unit *u = g->unit;

	for (u32 i = 0; i < u->nkeys; i++)
		if (is_text(u->keys[i]))
			g->slots[slot_of(g, u->keys[i])].padded = true;
	for (u32 i = 0; i < u->nvalues; i++)
		if (is_text(u->values[i]))
			g->slots[slot_of(g, u->values[i])].padded = true;
	pad_compared(g, u->condition);
	for (u32 i = 0; i < u->nkeys; i++)
		pad_compared(g, u->keys[i]);
	for (u32 i = 0; i < u->nvalues; i++)
		pad_compared(g, u->values[i]);
}

static void outputs(struct generator *g)
{
	const struct eval_unit *u = g->unit;

	for (u32 i = 0; i < u->nkeys; i++) {
		emit(g, u->keys[i], OFFSET(keys) + 8 * (s32)i);
		g->code->key_stack[i] = u->keys[i]->type.kind == TYPE_STACK;
	}
	for (u32 i = 0; i < u->nvalues; i++) {
		emit(g, u->values[i], OFFSET(values) + 8 * (s32)i);
		g->code->value_stack[i] = u->values[i]->type.kind == TYPE_STACK;
	}
}

int eval__generate(const struct eval_unit *unit, struct eval_code *code, char *why, size_t size)
{
	struct generator g = {.unit = unit, .code = code};

	*code = (struct eval_code){.ninsns = 0};
	code->insns = xcalloc(QUESTION_REGION, sizeof(*code->insns));
	eval_unit__slots(unit, &code->slots);
	keep_slots(&g);
	if (unit->condition)
		condition(&g, unit->condition);
	outputs(&g);
	put_exit(&g, 1);
	if (!g.full)
		return 0;
	copy_str(why, size, g.full);
	eval_code__fini(code);
	return -E2BIG;
}

void eval_code__fini(struct eval_code *code)
{
	free(code->insns);
	free(code->globs);
	*code = (struct eval_code){.ninsns = 0};
}

int eval_unit__add_entries(struct eval_unit *unit, const struct entry_list *entries)
{
	if (unit->nvalues + entries->nnumbers + entries->ntexts > QUESTION_VALUES)
		return -E2BIG;
	for (u32 i = 0; i < entries->nnumbers; i++)
		unit->values[unit->nvalues++] = entries->numbers[i];
	for (u32 i = 0; i < entries->ntexts; i++)
		unit->values[unit->nvalues++] = entries->texts[i];
	return 0;
}
