// SPDX-License-Identifier: GPL-2.0-only
/* Runs the programs of CIEs and FDEs (DWARF 5, 6.4.2). */
#include <dwarf.h>

#include "symbols/unwind_cfi.h"

#define MAX_REMEMBERED 16 /* compilers nest one, at most two */
#define LOW_BITS       0x3f

#ifndef DW_CFA_AARCH64_negate_ra_state_with_pc
#define DW_CFA_AARCH64_negate_ra_state_with_pc 0x2c
#endif

struct run {
	const struct unwind_machine *m;
	const struct cfi_cie *cie;
	struct bytes b;
	struct cfi_state s;
	u32 pc, end;
	u64 base;
	u32 depth;
	struct cfi_state remembered[MAX_REMEMBERED];
};

/* --- rules --- */

/* Registers that rows say nothing of end up in a place that is never read. */
static struct reg_rule *rule_in(struct cfi_state *s, const struct unwind_machine *m, u64 reg)
{
	if (reg == m->fp)
		return &s->fp;
	if (reg == m->bx)
		return &s->bx;
	return reg == m->ra ? &s->ra : NULL;
}

static struct reg_rule *rule_of(struct run *r, u64 reg)
{
	return rule_in(&r->s, r->m, reg);
}

static bool set_rule(struct run *r, u64 reg, enum reg_kind kind, u64 offset)
{
	struct reg_rule *rule = rule_of(r, reg);

	if (rule)
		*rule = (struct reg_rule){.kind = kind, .offset = (s64)offset};
	return true;
}

static bool restore(struct run *r, u64 reg)
{
	struct cfi_state initial = r->cie->initial;
	struct reg_rule *rule = rule_of(r, reg);

	if (rule)
		*rule = *rule_in(&initial, r->m, reg);
	return true;
}

static u64 factored(const struct run *r, u64 offset)
{
	return offset * (u64)r->cie->data_align;
}

static void set_cfa_reg(struct run *r, u64 reg)
{
	if (reg == r->m->sp)
		r->s.cfa = CFA_SP;
	else if (reg == r->m->bx)
		r->s.cfa = CFA_BX;
	else
		r->s.cfa = reg == r->m->fp ? CFA_FP : CFA_OTHER;
}

static bool take_reg(struct run *r, u64 *reg)
{
	return bytes__uleb(&r->b, reg);
}

static bool take_expression(struct run *r, struct bytes *expr)
{
	u64 n;

	if (!bytes__uleb(&r->b, &n) || n > r->b.n)
		return false;
	*expr = (struct bytes){r->b.p, n};
	return bytes__skip(&r->b, n);
}

/* --- operations, by the shape of their operands --- */

static bool op_cfa(struct run *r, u8 op)
{
	struct bytes expr;
	s64 offset;
	u64 value;

	switch (op) {
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_register:
		if (!take_reg(r, &value))
			return false;
		set_cfa_reg(r, value);
		return op == DW_CFA_def_cfa_register || bytes__uleb(&r->b, (u64 *)&r->s.cfa_offset);
	case DW_CFA_def_cfa_offset:
		return bytes__uleb(&r->b, (u64 *)&r->s.cfa_offset);
	case DW_CFA_def_cfa_sf:
		if (!take_reg(r, &value))
			return false;
		set_cfa_reg(r, value);
		/* fall through */
	case DW_CFA_def_cfa_offset_sf:
		if (!bytes__sleb(&r->b, &offset))
			return false;
		r->s.cfa_offset = (s64)factored(r, (u64)offset);
		return true;
	default: /* DW_CFA_def_cfa_expression */
		if (!take_expression(r, &expr))
			return false;
		cfi_state__cfa_expression(&r->s, expr, r->m);
		return true;
	}
}

/* A register and an offset without a sign. */
static bool op_offset(struct run *r, u8 op)
{
	u64 reg, offset;

	if (!take_reg(r, &reg) || !bytes__uleb(&r->b, &offset))
		return false;
	if (op == DW_CFA_val_offset)
		return set_rule(r, reg, REG_OTHER, 0);
	if (op == DW_CFA_GNU_negative_offset_extended)
		offset = -offset;
	return set_rule(r, reg, REG_AT_CFA, factored(r, offset));
}

/* A register and an offset with one. */
static bool op_offset_sf(struct run *r, u8 op)
{
	s64 offset;
	u64 reg;

	if (!take_reg(r, &reg) || !bytes__sleb(&r->b, &offset))
		return false;
	if (op == DW_CFA_val_offset_sf)
		return set_rule(r, reg, REG_OTHER, 0);
	return set_rule(r, reg, REG_AT_CFA, factored(r, (u64)offset));
}

static bool op_expression(struct run *r, u8 op)
{
	struct reg_rule rule = {.kind = REG_OTHER};
	struct bytes expr;
	u64 reg;

	if (!take_reg(r, &reg) || !take_expression(r, &expr))
		return false;
	if (op == DW_CFA_expression && rule_of(r, reg))
		rule = cfi__reg_expression(expr, r->m);
	return set_rule(r, reg, rule.kind, (u64)rule.offset);
}

/* Only a register. */
static bool op_reg(struct run *r, u8 op)
{
	u64 reg, other;

	if (!take_reg(r, &reg))
		return false;
	switch (op) {
	case DW_CFA_restore_extended:
		return restore(r, reg);
	case DW_CFA_undefined:
		return set_rule(r, reg, REG_UNDEFINED, 0);
	case DW_CFA_same_value:
		return set_rule(r, reg, REG_SAME, 0);
	default: /* DW_CFA_register */
		if (!take_reg(r, &other))
			return false;
		return set_rule(r, reg, other == reg ? REG_SAME : REG_OTHER, 0);
	}
}

static bool op_state(struct run *r, u8 op)
{
	if (op == DW_CFA_remember_state) {
		if (r->depth == MAX_REMEMBERED)
			return false;
		r->remembered[r->depth++] = r->s;
		return true;
	}
	if (!r->depth)
		return false;
	r->s = r->remembered[--r->depth];
	return true;
}

/* What moves no pc. */
static bool op_other(struct run *r, u8 op)
{
	u64 ignored;

	switch (op) {
	case DW_CFA_nop:
	case DW_CFA_GNU_window_save: /* aarch64: the return address is signed from here on */
	case DW_CFA_AARCH64_negate_ra_state_with_pc:
		return true;
	case DW_CFA_GNU_args_size:
		return bytes__uleb(&r->b, &ignored);
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_expression:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_offset_sf:
		return op_cfa(r, op);
	case DW_CFA_offset_extended:
	case DW_CFA_GNU_negative_offset_extended:
	case DW_CFA_val_offset:
		return op_offset(r, op);
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset_sf:
		return op_offset_sf(r, op);
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		return op_expression(r, op);
	case DW_CFA_restore_extended:
	case DW_CFA_undefined:
	case DW_CFA_same_value:
	case DW_CFA_register:
		return op_reg(r, op);
	case DW_CFA_remember_state:
	case DW_CFA_restore_state:
		return op_state(r, op);
	default:
		return false;
	}
}

static bool op_short_offset(struct run *r, u8 reg)
{
	u64 offset;

	return bytes__uleb(&r->b, &offset) && set_rule(r, reg, REG_AT_CFA, factored(r, offset));
}

/* --- programs --- */

/* The pc that an operation moves to. 1 it does, 0 it is none of these, -1 it is broken. */
static int op_advance(struct run *r, u8 op, u64 *pc)
{
	u64 delta;
	size_t n;

	switch (op) {
	case DW_CFA_set_loc:
		if (!r->cie->section || !cfi__pointer(r->cie->section, &r->b, r->cie->encoding, pc))
			return -1;
		*pc -= r->base;
		return 1;
	case DW_CFA_advance_loc1:
	case DW_CFA_advance_loc2:
	case DW_CFA_advance_loc4:
	case DW_CFA_MIPS_advance_loc8:
		n = op == DW_CFA_MIPS_advance_loc8 ? 8 : 1u << (op - DW_CFA_advance_loc1);
		if (!bytes__take(&r->b, n, &delta))
			return -1;
		break;
	default:
		if ((op & ~LOW_BITS) != DW_CFA_advance_loc)
			return 0;
		delta = op & LOW_BITS;
	}
	if (__builtin_mul_overflow(delta, r->cie->code_align, &delta) ||
	    __builtin_add_overflow(delta, r->pc, pc))
		*pc = UINT64_MAX;
	return 1;
}

/* Runs up to the next operation that moves on; *pc: to where, the end when there is none. */
static bool run_row(struct run *r, u64 *pc)
{
	bool ok = true;

	*pc = r->end;
	while (ok && r->b.n) {
		u8 op = *r->b.p++;
		int moves;

		r->b.n--;
		if ((op & ~LOW_BITS) == DW_CFA_offset) {
			ok = op_short_offset(r, op & LOW_BITS);
		} else if ((op & ~LOW_BITS) == DW_CFA_restore) {
			ok = restore(r, op & LOW_BITS);
		} else {
			moves = op_advance(r, op, pc);
			if (moves > 0)
				return true;
			ok = !moves && op_other(r, op);
		}
	}
	return ok;
}

bool cfi_run_cie(struct cfi_cie *c, struct bytes program, const struct unwind_machine *m)
{
	struct run r = {.m = m, .cie = c, .b = program};
	u64 pc;

	c->initial = (struct cfi_state){.cfa = CFA_OTHER};
	r.s = c->initial;
	/* One that moves on is none of a CIE's. */
	if (!run_row(&r, &pc) || r.b.n)
		return false;
	c->initial = r.s;
	return true;
}

bool cfi_run(const struct cfi_index *x, const struct cfi_fde *f, cfi_take_fn take, void *ctx)
{
	const struct cfi_cie *c = &x->cies[f->cie];
	struct run r;
	u64 pc;

	r.m = x->machine;
	r.cie = c;
	r.b = (struct bytes){f->program, f->size};
	r.s = c->initial;
	r.pc = f->pc;
	r.end = f->pc + f->len;
	r.base = x->code->base;
	r.depth = 0;
	while (r.pc < r.end) {
		if (!run_row(&r, &pc) || pc < r.pc)
			return false;
		pc = MIN(pc, r.end);
		if (pc > r.pc && !take(ctx, r.pc, (u32)pc, &r.s, c->signal))
			return false;
		r.pc = (u32)pc;
	}
	return true;
}
