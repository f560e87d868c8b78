/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What holds at one place of the code, as call frame information says it, and the row's fields
 * that it comes to. For the files of symbols/unwind_table.h.
 */
#ifndef SYMBOLS_UNWIND_RULE_H
#define SYMBOLS_UNWIND_RULE_H

#include "bpf/unwind.h"
#include "symbols/bytes.h"

/* Where x86's ucontext has the interrupted stack pointer and the place it was at. */
#define X86_UCONTEXT_RSP 160
#define X86_UCONTEXT_RIP 168

/* DWARF's numbers of the registers that rows know. */
struct unwind_machine {
	u16 elf; /* EM_x */
	u8 fp, sp, ra;
	u8 bx; /* one that calls leave as it is, see CFA_BX; UNWIND_NO_REG none */
};

#define UNWIND_NO_REG 0xff

/* NULL: none that rows are made for. */
const struct unwind_machine *unwind_machine__of(u16 elf);

enum cfa_kind {
	CFA_OTHER, /* another register, or an expression that is none of these */
	CFA_SP,
	CFA_FP,
	CFA_DEREF_SP, /* and cfa_add */
	CFA_DEREF_FP,
	CFA_BX,
	CFA_PLT, /* offset: from which byte of 16 on the entry has pushed a word */
};

enum reg_kind {
	REG_SAME, /* or nothing is said */
	REG_UNDEFINED,
	REG_AT_CFA, /* in memory at CFA + offset */
	REG_AT_SP,
	REG_AT_FP,
	REG_OTHER,
};

struct reg_rule {
	s64 offset; /* bytes */
	enum reg_kind kind;
};

struct cfi_state {
	s64 cfa_offset; /* bytes */
	enum cfa_kind cfa;
	u8 cfa_add; /* bytes that a word in memory is short of it */
	struct reg_rule fp, ra, bx;
};

/* A row's fields behind the pc, to be compared in one go. */
struct unwind_rule {
	__s16 cfa;
	__s8 fp;
	__u8 rule;
};

#define UNWIND_RULE_NONE ((struct unwind_rule){.rule = UNWIND_CFA_NONE})

static inline bool unwind_rule__equal(struct unwind_rule a, struct unwind_rule b)
{
	return a.cfa == b.cfa && a.fp == b.fp && a.rule == b.rule;
}

/* DW_CFA_def_cfa_expression. */
void cfi_state__cfa_expression(struct cfi_state *s, struct bytes expr,
			       const struct unwind_machine *m);
/* DW_CFA_expression. */
struct reg_rule cfi__reg_expression(struct bytes expr, const struct unwind_machine *m);
/* False when a row cannot hold it. signal: the range is said to be a signal's trampoline. A
 * CFA_PLT whose word is not pushed at byte 11 comes out as it is before that. */
bool cfi_state__rule(const struct cfi_state *s, bool signal, const struct unwind_machine *m,
		     struct unwind_rule *out);

#endif
