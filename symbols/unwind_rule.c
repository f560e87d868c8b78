// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/unwind_rule.h"

#include <dwarf.h>
#include <elf.h>

#define WORD	   8
#define PLT_PUSHED 11 /* the byte of an entry that UNWIND_CFA_PLT means */

const struct unwind_machine *unwind_machine__of(u16 elf)
{
	static const struct unwind_machine machines[] = {
		{.elf = EM_X86_64, .fp = 6, .sp = 7, .ra = 16, .bx = 3},
		{.elf = EM_AARCH64, .fp = 29, .sp = 31, .ra = 30, .bx = UNWIND_NO_REG},
	};

	for (u32 i = 0; i < ARRAY_SIZE(machines); i++)
		if (machines[i].elf == elf)
			return &machines[i];
	return NULL;
}

/* --- expressions --- */

/* "Register plus offset", and the word at that place when deref. */
struct place {
	u64 reg;
	s64 offset;
	bool deref;
	bool next; /* the word's value + 8 */
};

static bool take_breg(struct bytes *b, struct place *p)
{
	u64 op;

	if (!bytes__take(b, 1, &op))
		return false;
	if (op == DW_OP_bregx)
		return bytes__uleb(b, &p->reg) && bytes__sleb(b, &p->offset);
	p->reg = op - DW_OP_breg0;
	return op >= DW_OP_breg0 && op <= DW_OP_breg31 && bytes__sleb(b, &p->offset);
}

static bool parse_place(struct bytes b, struct place *p)
{
	static const u8 next[] = {DW_OP_plus_uconst, WORD};
	u64 op, add;

	*p = (struct place){0};
	if (!take_breg(&b, p))
		return false;
	while (b.n && !p->deref) {
		if (!bytes__take(&b, 1, &op))
			return false;
		if (op == DW_OP_plus_uconst && bytes__uleb(&b, &add))
			p->offset = (s64)((u64)p->offset + add);
		else if (op == DW_OP_deref)
			p->deref = true;
		else
			return false;
	}
	p->next = p->deref && b.n == sizeof(next) && !memcmp(b.p, next, sizeof(next));
	return !b.n || p->next;
}

/*
 * The expression that linkers write for x86's procedure linkage table: sp + 8, and 8 more where
 * (pc & 15) >= N. Returns N, or -1.
 */
static int parse_plt(struct bytes b, const struct unwind_machine *m)
{
	static const u8 head[] = {DW_OP_breg7, 8, DW_OP_breg16, 0, DW_OP_lit15, DW_OP_and};
	static const u8 tail[] = {DW_OP_ge, DW_OP_lit3, DW_OP_shl, DW_OP_plus};
	const size_t at = sizeof(head);

	if (m->elf != EM_X86_64 || b.n != at + 1 + sizeof(tail) || memcmp(b.p, head, at) ||
	    memcmp(b.p + at + 1, tail, sizeof(tail)) || b.p[at] < DW_OP_lit0 ||
	    b.p[at] > DW_OP_lit15)
		return -1;
	return b.p[at] - DW_OP_lit0;
}

void cfi_state__cfa_expression(struct cfi_state *s, struct bytes expr,
			       const struct unwind_machine *m)
{
	int pushed = parse_plt(expr, m);
	struct place p;

	s->cfa = CFA_OTHER;
	s->cfa_offset = 0;
	s->cfa_add = 0;
	if (pushed >= 0) {
		s->cfa = CFA_PLT;
		s->cfa_offset = pushed;
	} else if (parse_place(expr, &p) && (p.reg == m->sp || p.reg == m->fp)) {
		if (p.reg == m->sp)
			s->cfa = p.deref ? CFA_DEREF_SP : CFA_SP;
		else
			s->cfa = p.deref ? CFA_DEREF_FP : CFA_FP;
		s->cfa_offset = p.offset;
		s->cfa_add = p.next ? WORD : 0;
	}
}

struct reg_rule cfi__reg_expression(struct bytes expr, const struct unwind_machine *m)
{
	struct place p;

	if (!parse_place(expr, &p) || p.deref || (p.reg != m->sp && p.reg != m->fp))
		return (struct reg_rule){.kind = REG_OTHER};
	return (struct reg_rule){.kind = p.reg == m->sp ? REG_AT_SP : REG_AT_FP,
				 .offset = p.offset};
}

/* --- rows --- */

/* Bytes to words of which a row has so many bits. */
static bool to_words(s64 offset, s64 max, s64 *words)
{
	*words = offset / WORD;
	return offset % WORD == 0 && *words <= max && *words >= -max - 1;
}

static bool put_cfa(const struct cfi_state *s, struct unwind_rule *out)
{
	static const u8 rules[] = {
		[CFA_SP] = UNWIND_CFA_SP,
		[CFA_FP] = UNWIND_CFA_FP,
		[CFA_DEREF_SP] = UNWIND_CFA_DEREF_SP,
		[CFA_DEREF_FP] = UNWIND_CFA_DEREF_FP,
		[CFA_BX] = UNWIND_CFA_NONE, /* and an offset */
		[CFA_PLT] = UNWIND_CFA_PLT,
	};
	s64 words, add = s->cfa_add / WORD;

	if (s->cfa == CFA_OTHER)
		return false;
	out->rule |= rules[s->cfa];
	if (s->cfa == CFA_PLT) {
		if (s->cfa_offset == PLT_PUSHED)
			return true;
		out->rule = (u8)((out->rule & ~UNWIND_CFA) | UNWIND_CFA_SP);
		out->cfa = 1;
		return true;
	}
	if (s->cfa == CFA_DEREF_SP || s->cfa == CFA_DEREF_FP) {
		if (!to_words(s->cfa_offset, INT16_MAX / (UNWIND_DEREF_ADD_MAX + 1), &words) ||
		    s->cfa_add % WORD || add > UNWIND_DEREF_ADD_MAX)
			return false;
		words = UNWIND_DEREF(words, add);
	} else if (!to_words(s->cfa_offset, INT16_MAX, &words)) {
		return false;
	}
	out->cfa = (__s16)words;
	return true;
}

static bool put_offset(s64 offset, struct unwind_rule *out)
{
	s64 words;

	if (!to_words(offset, INT8_MAX, &words))
		return false;
	out->fp = (__s8)words;
	return true;
}

static bool put_fp(const struct reg_rule *fp, struct unwind_rule *out)
{
	switch (fp->kind) {
	case REG_SAME:
	case REG_UNDEFINED:
		return true;
	case REG_AT_CFA:
		out->rule |= UNWIND_FP_SAVED;
		return put_offset(fp->offset, out);
	case REG_AT_FP:
		out->rule |= UNWIND_FP_AT_FP;
		return put_offset(fp->offset, out);
	default:
		return false;
	}
}

static bool put_x86(const struct cfi_state *s, struct unwind_rule *out)
{
	out->rule |= UNWIND_RA_BELOW_CFA;
	return s->ra.kind == REG_AT_CFA && s->ra.offset == -WORD && put_fp(&s->fp, out);
}

static bool put_aarch64(const struct cfi_state *s, struct unwind_rule *out)
{
	if (s->ra.kind == REG_SAME) {
		out->rule |= UNWIND_RA_LR;
		return put_fp(&s->fp, out);
	}
	if (s->ra.kind != REG_AT_CFA)
		return false;
	if (s->fp.kind == REG_SAME || s->fp.kind == REG_UNDEFINED) {
		out->rule |= UNWIND_RA_AT_FP;
		return put_offset(s->ra.offset, out);
	}
	out->rule |= UNWIND_RA_ABOVE_FP;
	if (s->fp.kind != REG_AT_CFA || s->fp.offset != s->ra.offset - WORD)
		return false;
	if (put_offset(s->fp.offset, out)) {
		out->rule |= UNWIND_FP_SAVED;
		return true;
	}
	/* The two lie at the lower end of a frame, which may be large. */
	out->rule |= UNWIND_FP_AT_BASE;
	return (s->cfa == CFA_SP || s->cfa == CFA_FP) &&
	       put_offset(s->cfa_offset + s->fp.offset, out);
}

/* x86: the whole of the frame has to be as the kernel makes it. */
static bool is_signal_frame(const struct cfi_state *s, const struct unwind_machine *m)
{
	return m->elf == EM_AARCH64 ||
	       (s->cfa == CFA_DEREF_SP && !s->cfa_add && s->cfa_offset == X86_UCONTEXT_RSP &&
		s->ra.kind == REG_AT_SP && s->ra.offset == X86_UCONTEXT_RIP);
}

bool cfi_state__rule(const struct cfi_state *s, bool signal, const struct unwind_machine *m,
		     struct unwind_rule *out)
{
	*out = UNWIND_RULE_NONE;
	if (s->ra.kind == REG_UNDEFINED)
		out->rule = UNWIND_CFA_END;
	else if (signal && is_signal_frame(s, m))
		out->rule = UNWIND_CFA_SIGNAL;
	else if (!put_cfa(s, out) ||
		 !(m->elf == EM_X86_64 ? put_x86(s, out) : put_aarch64(s, out))) {
		*out = UNWIND_RULE_NONE;
		return false;
	}
	return true;
}
