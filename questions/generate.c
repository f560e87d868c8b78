// SPDX-License-Identifier: GPL-2.0-only
/*
 * Numbers are in r0, as 64 bits: those with sign are sign-extended, the others zero-extended, so
 * that most operators are one instruction of 64 bits and what is wider need not be converted. Of
 * two operands the one that needs more is first; it is kept in r8, r9 or on the stack meanwhile.
 * What needs k such places has at least 2^k terms.
 */
#include "questions/generate_impl.h"

#include <stdio.h>

#include "questions/sample_fields.h"

#define SLOTS_IN_REGS 2

/* --- values --- */

/* The low bytes of reg as a value of this type, in 64 bits. */
void value__cut(struct generator *g, u8 reg, u8 size, bool is_signed)
{
	s32 unused = 64 - size * 8;

	if (size == 8)
		return;
	if (!is_signed && size == 4) {
		code__put(g, BPF_ALU | BPF_X | BPF_MOV, reg, reg, 0, 0);
	} else if (!is_signed) {
		code__alu_imm(g, BPF_AND, reg, (1 << size * 8) - 1);
	} else {
		code__alu_imm(g, BPF_LSH, reg, unused);
		code__alu_imm(g, BPF_ARSH, reg, unused);
	}
}

static void cut_to(struct generator *g, struct field_type type)
{
	if (type.kind == TYPE_INT)
		value__cut(g, BPF_REG_0, type.size, type.is_signed);
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
bool value__is_direct(const struct checked *e)
{
	return e->op == CHECKED_CONTEXT && e->field.offset % field_bytes(e) == 0;
}

static bool is_leaf(const struct checked *e)
{
	return e->op == CHECKED_NUMBER || e->op == CHECKED_WORD || e->op == CHECKED_ENTRY ||
	       value__is_direct(e);
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
		code__alu_imm(g, BPF_LSH, reg, 64 - f->bits - f->bit_at);
		code__alu_imm(g, e->type.is_signed ? BPF_ARSH : BPF_RSH, reg, 64 - f->bits);
	} else if (e->type.kind == TYPE_INT && (e->type.is_signed || f->wide)) {
		value__cut(g, reg, e->type.size, e->type.is_signed);
	}
}

void value__leaf(struct generator *g, u8 reg, const struct checked *e)
{
	if (e->op == CHECKED_NUMBER) {
		code__const(g, reg, constant(e));
		return;
	}
	if (e->op == CHECKED_CONTEXT) {
		code__load(g, load_size(field_bytes(e)), reg, CTX, (s32)e->field.offset);
		cut_field(g, reg, e);
		return;
	}
	if (e->op == CHECKED_WORD) {
		g->code->words |= 1u << e->index;
		code__load(g, BPF_DW, reg, FRAME, OFFSET(words) + 8 * (s32)e->index);
	} else {
		g->code->entries |= 1u << e->index;
		code__load(g, BPF_DW, reg, FRAME, OFFSET(entry) + 8 * (s32)e->index);
	}
	if (e->type.kind == TYPE_INT)
		value__cut(g, reg, e->type.size, e->type.is_signed);
}

/* Adds a constant that may be larger than 32 bits with sign. */
void value__add_offset(struct generator *g, u8 reg, u32 offset)
{
	if (offset)
		code__alu_imm(g, BPF_ADD, reg, (s32)offset);
}

/* The field's bytes into the buffer, by a helper; r3 is their address. */
static void read_to_buffer(struct generator *g, u32 bytes, bool user)
{
	code__alu(g, BPF_MOV, BPF_REG_1, BPF_REG_10);
	code__alu_imm(g, BPF_ADD, BPF_REG_1, BUFFER);
	code__alu_imm(g, BPF_MOV, BPF_REG_2, (s32)bytes);
	code__helper(g, user ? BPF_FUNC_probe_read_user : BPF_FUNC_probe_read_kernel);
	code__count_fault(g);
	code__load(g, load_size(bytes), BPF_REG_0, BPF_REG_10, BUFFER);
}

/* r3: where the field is, or what its text is found by. */
void value__field_address(struct generator *g, const struct checked *e)
{
	if (e->op == CHECKED_MEMORY) {
		value__number(g, e->a);
		code__alu(g, BPF_MOV, BPF_REG_3, BPF_REG_0);
	} else {
		code__alu(g, BPF_MOV, BPF_REG_3, CTX);
	}
	value__add_offset(g, BPF_REG_3, e->field.offset);
}

bool value__field_in_user(const struct checked *e)
{
	return e->op == CHECKED_MEMORY && e->a->type.user;
}

void value__read_field(struct generator *g, const struct checked *e)
{
	if (e->field.sample)
		g->code->sample_type |= e->field.sample->sample_type;
	value__field_address(g, e);
	read_to_buffer(g, field_bytes(e), value__field_in_user(e));
	cut_field(g, BPF_REG_0, e);
}

/* --- operators --- */

static void spill(struct generator *g, u32 depth, bool store)
{
	if (depth < SLOTS_IN_REGS && store)
		code__alu(g, BPF_MOV, (u8)(BPF_REG_8 + depth), BPF_REG_0);
	else if (depth < SLOTS_IN_REGS)
		code__alu(g, BPF_MOV, BPF_REG_0, (u8)(BPF_REG_8 + depth));
	else if (store)
		code__store(g, BPF_REG_10, BUFFER - 8 * (s32)(depth - SLOTS_IN_REGS + 1),
			    BPF_REG_0);
	else
		code__load(g, BPF_DW, BPF_REG_0, BPF_REG_10,
			   BUFFER - 8 * (s32)(depth - SLOTS_IN_REGS + 1));
}

void value__pair(struct generator *g, const struct checked *a, const struct checked *b)
{
	bool swap = b->need > a->need;
	u32 depth = g->depth;

	if (is_leaf(b)) {
		value__number(g, a);
		value__leaf(g, BPF_REG_1, b);
		return;
	}
	value__number(g, swap ? b : a);
	spill(g, depth, true);
	g->depth++;
	value__number(g, swap ? a : b);
	g->depth--;
	if (swap) {
		code__alu(g, BPF_MOV, BPF_REG_1, BPF_REG_0);
		spill(g, depth, false);
		code__alu(g, BPF_MOV, BPF_REG_2, BPF_REG_0);
		code__alu(g, BPF_MOV, BPF_REG_0, BPF_REG_1);
		code__alu(g, BPF_MOV, BPF_REG_1, BPF_REG_2);
	} else {
		code__alu(g, BPF_MOV, BPF_REG_1, BPF_REG_0);
		spill(g, depth, false);
	}
}

static void negate_if_negative(struct generator *g, u8 reg, bool note)
{
	u32 over = code__jump_imm(g, BPF_JSGE, reg, 0);

	code__alu_imm(g, BPF_NEG, reg, 0);
	if (note)
		code__alu_imm(g, BPF_XOR, BPF_REG_2, 1);
	code__land(g, over);
}

/* The kernel divides without sign, by 0 as expr.h says: 0, and the dividend as the rest. */
static void divide(struct generator *g, bool is_signed, bool rest)
{
	u32 over;

	if (is_signed) {
		code__alu_imm(g, BPF_MOV, BPF_REG_2, 0);
		negate_if_negative(g, BPF_REG_0, true);
		negate_if_negative(g, BPF_REG_1, !rest);
	}
	code__alu(g, rest ? BPF_MOD : BPF_DIV, BPF_REG_0, BPF_REG_1);
	if (!is_signed)
		return;
	over = code__jump_imm(g, BPF_JEQ, BPF_REG_2, 0);
	code__alu_imm(g, BPF_NEG, BPF_REG_0, 0);
	code__land(g, over);
}

static void shift(struct generator *g, const struct checked *e)
{
	code__alu_imm(g, BPF_AND, BPF_REG_1, e->type.size * 8 - 1);
	code__alu(g,
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

	value__pair(g, e->a, e->b);
	if (e->op == CHECKED_DIV || e->op == CHECKED_MOD)
		divide(g, e->type.is_signed, e->op == CHECKED_MOD);
	else if (e->op == CHECKED_SHL || e->op == CHECKED_SHR)
		shift(g, e);
	else
		code__alu(g, ops[e->op], BPF_REG_0, BPF_REG_1);
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
		value__number(g, e->a);
		code__alu(g, BPF_MOV, BPF_REG_1, BPF_REG_0);
		code__alu_imm(g, BPF_MOV, BPF_REG_0, 1);
		yes = code__jump_imm(g, op, BPF_REG_1, (s32)constant(e->b));
	} else {
		value__pair(g, e->a, e->b);
		code__alu(g, BPF_MOV, BPF_REG_2, BPF_REG_0);
		code__alu_imm(g, BPF_MOV, BPF_REG_0, 1);
		yes = code__jump(g, op, BPF_REG_2, BPF_REG_1);
	}
	code__alu_imm(g, BPF_MOV, BPF_REG_0, 0);
	code__land(g, yes);
}

/* What is read within one branch is not there in others. */
static void branch(struct generator *g, const struct checked *e)
{
	struct slot before[QUESTION_TEXTS];

	memcpy(before, g->slots, sizeof(before));
	value__number(g, e);
	for (u32 i = 0; i < QUESTION_TEXTS; i++)
		g->slots[i].ready = before[i].ready;
}

static void to_bool(struct generator *g, u8 if_zero)
{
	u32 over = code__jump_imm(g, BPF_JEQ, BPF_REG_0, 0);

	code__alu_imm(g, BPF_MOV, BPF_REG_0, 1);
	code__land(g, over);
	if (if_zero)
		code__alu_imm(g, BPF_XOR, BPF_REG_0, 1);
}

static void logic(struct generator *g, const struct checked *e)
{
	u32 over;

	value__number(g, e->a);
	over = code__jump_imm(g, e->op == CHECKED_BOTH ? BPF_JEQ : BPF_JNE, BPF_REG_0, 0);
	branch(g, e->b);
	code__land(g, over);
	to_bool(g, 0);
}

static void choice(struct generator *g, const struct checked *e)
{
	u32 otherwise, over;

	value__number(g, e->a);
	otherwise = code__jump_imm(g, BPF_JEQ, BPF_REG_0, 0);
	branch(g, e->b);
	over = code__put(g, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	code__land(g, otherwise);
	branch(g, e->c);
	code__land(g, over);
}

/* The kernel's own context has a pointer to it. */
static void sample(struct generator *g, const struct checked *e)
{
	code__alu(g, BPF_MOV, BPF_REG_1, CTX);
	code__put(g, BPF_JMP | BPF_CALL, 0, BPF_PSEUDO_KFUNC_CALL, 0, (s32)e->number);
	code__load(g, BPF_DW, BPF_REG_0, BPF_REG_0, (s32)e->field.offset);
}

void value__number(struct generator *g, const struct checked *e)
{
	if (is_leaf(e)) {
		value__leaf(g, BPF_REG_0, e);
		return;
	}
	switch (e->op) {
	case CHECKED_CONTEXT:
	case CHECKED_MEMORY:
		value__read_field(g, e);
		break;
	case CHECKED_SAMPLE:
		sample(g, e);
		break;
	case CHECKED_CONVERT:
		value__number(g, e->a);
		if (!holds(e->type, e->a->type))
			cut_to(g, e->type);
		break;
	case CHECKED_FLIP:
		value__number(g, e->a);
		code__alu_imm(g, BPF_XOR, BPF_REG_0, -1);
		cut_to(g, e->type);
		break;
	case CHECKED_NEG:
		value__number(g, e->a);
		code__alu_imm(g, BPF_NEG, BPF_REG_0, 0);
		cut_to(g, e->type);
		break;
	case CHECKED_NOT:
		value__number(g, e->a);
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
		text__same(g, e);
		break;
	case CHECKED_GLOB:
		text__glob(g, e);
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
	value__number(g, e);
	well = code__jump_imm(g, BPF_JNE, BPF_REG_0, 0);
	code__exit(g, 0);
	code__land(g, well);
}

static void emit(struct generator *g, const struct checked *e, s32 to)
{
	if (is_text(e)) {
		text__in_slot(g, e);
		code__alu_imm(g, BPF_MOV, BPF_REG_0, text__slot_of(g, e));
	} else {
		value__number(g, e);
	}
	code__store(g, FRAME, to, BPF_REG_0);
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
		g->slots[text__slot_of(g, e)].padded = true;
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
			g->slots[text__slot_of(g, u->keys[i])].padded = true;
	for (u32 i = 0; i < u->nvalues; i++)
		if (is_text(u->values[i]))
			g->slots[text__slot_of(g, u->values[i])].padded = true;
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
	code__exit(&g, 1);
	if (!g.full)
		return 0;
	copy_str(why, size, g.full);
	eval_code__fini(code);
	return -E2BIG;
}

/* Each behind a jump over it, when it is not the one. */
int eval_code__join(struct eval_code *code, const struct eval_code *units, u32 n)
{
	struct generator g = {.code = code};

	*code = (struct eval_code){.ninsns = 0};
	code->insns = xcalloc(QUESTION_REGION, sizeof(*code->insns));
	for (u32 i = 0; i < n && !g.full; i++) {
		u32 another;

		code__load(&g, BPF_DW, BPF_REG_0, FRAME, OFFSET(unit));
		another = code__jump_imm(&g, BPF_JNE, BPF_REG_0, (s32)i);
		for (u32 k = 0; k < units[i].ninsns; k++) {
			const struct bpf_insn *in = &units[i].insns[k];

			code__put(&g, in->code, in->dst_reg, in->src_reg, in->off, in->imm);
		}
		code__land(&g, another);
	}
	code__exit(&g, 0);
	if (!g.full)
		return 0;
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
