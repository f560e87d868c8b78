/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Expressions of questions: C over the fields of an event.
 *
 *	?: || && | ^ & == != ~ < <= > >= << >> + - * / %	as C binds them; ~ between as ==
 *	! ~ - + (struct NAME *) (char *) (u8) ... (s64)		before an operand
 *	a->b a.b						members; of what (struct NAME *) says,
 *too
 *
 * Constants: 10 0x1f 017 'a' '\n', with u l ul behind them as in C, or a unit: ns us ms s (in ns),
 * K M G T (powers of 1024), which make them 8 bytes with sign. Texts in double quotes, with the
 * escapes \n \t \r \0 \\ \" \' \xHH.
 *
 * Types are C's on 64-bit Linux (LP64): a constant is an int where it fits, else the next that it
 * fits; what is shorter than int becomes int; then the usual arithmetic conversions. So
 * `-1 < 1u` is 0, as in C. What C leaves undefined is defined: overflow wraps; x / 0 is 0 and
 * x % 0 is x; INT_MIN / -1 is INT_MIN and the remainder 0; the count of a shift is taken modulo the
 * width of the left operand; >> of a negative number keeps the sign. Comparisons, ! && || are int.
 *
 * Texts are compared by == and != in their first QUESTION_TEXT - 1 bytes, with another text, and by
 *`~` with a glob (* ? [a-z] [!a-z] \c), which has to be a constant.
 *
 * Names are the event's fields first, then the words: pid tid comm cpu cgroup prio policy ns ret
 *latency kstack ustack stack irqs_disabled need_resched nr_running and entry(EXPR), which is EXPR
 *at the begin of a span. `current` is the task that runs: current->mm, and current->pid is the word
 *where a field has its name. `ret` is a field: resolvers of what returns have it.
 *
 * A parsed expression is immutable, and lives as long as the arena that it is in.
 */
#ifndef QUESTIONS_EXPR_H
#define QUESTIONS_EXPR_H

#include "base/arena.h"
#include "base/base.h"
#include "questions/error.h"

#define EXPR_MAX_TERMS 1024 /* nodes of one expression */
#define EXPR_MAX_DEPTH 64   /* of parentheses, prefixes and ?: within each other */
#define EXPR_MAX_TEXT  127  /* bytes of a constant text */

enum expr_op {
	EXPR_NUMBER,
	EXPR_TEXT,
	EXPR_NAME,
	EXPR_MEMBER, /* a->text */
	EXPR_ENTRY,  /* entry(a) */
	EXPR_CAST,   /* text: "u32", or NAME of a pointer to a struct, "char" of one to a string */
	EXPR_NOT,    /* !a */
	EXPR_FLIP,   /* ~a */
	EXPR_NEG,
	EXPR_PLUS, /* +a, which promotes */
	EXPR_MUL,
	EXPR_DIV,
	EXPR_MOD,
	EXPR_ADD,
	EXPR_SUB,
	EXPR_SHL,
	EXPR_SHR,
	EXPR_LT,
	EXPR_LE,
	EXPR_GT,
	EXPR_GE,
	EXPR_EQ,
	EXPR_NE,
	EXPR_GLOB,
	EXPR_AND,
	EXPR_XOR,
	EXPR_OR,
	EXPR_BOTH,   /* && */
	EXPR_EITHER, /* || */
	EXPR_IF,     /* a ? b : c */
	EXPR_OPS,
};

struct expr {
	enum expr_op op;
	u32 at, length; /* where it is in the text it was parsed from, for carets */
	const struct expr *a, *b, *c;
	u64 number; /* EXPR_NUMBER */
	u8 size;    /* EXPR_NUMBER: 4 or 8; EXPR_CAST: bytes, 0 of a pointer to a record */
	bool is_unsigned;
	bool dot;	  /* EXPR_MEMBER: written with a dot */
	const char *text; /* EXPR_TEXT, EXPR_NAME, EXPR_MEMBER, EXPR_CAST */
	const char *unit; /* EXPR_NUMBER: as it was given, "" none; printed again */
};

/* All of a text as one expression; NULL with *err filled. Terms are bounded, whatever the text. */
const struct expr *expr__parse(const char *text, struct arena *a, struct expr_error *err);

/* The text in canonical form: parsed again it is the same expression. The caller frees it. */
char *expr__print(const struct expr *e);

/* The same but for where they stand. */
bool expr__equal(const struct expr *a, const struct expr *b);

#endif
