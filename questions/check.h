/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Checks an expression against an event: names become places, types are C's. What comes out is
 * what is compiled (questions/generate.h): every conversion is in it, nothing can fail any more but reads of memory.
 */
#ifndef QUESTIONS_CHECK_H
#define QUESTIONS_CHECK_H

#include "bpf/question_eval.h"
#include "questions/expr.h"
#include "questions/fields.h"

enum checked_op {
	/* numbers */
	CHECKED_NUMBER,
	CHECKED_WORD,
	CHECKED_ENTRY,	 /* frame.entry[index] */
	CHECKED_CONTEXT, /* a field of the context */
	CHECKED_MEMORY,	 /* a field of a record behind the pointer `a` */
	CHECKED_SAMPLE,	 /* where a perf event's sample is: in what the kernel's function `number` has of the context */
	CHECKED_CONVERT, /* a, to this type */
	CHECKED_FLIP,
	CHECKED_NEG,
	CHECKED_MUL,
	CHECKED_DIV,
	CHECKED_MOD,
	CHECKED_ADD,
	CHECKED_SUB,
	CHECKED_SHL,
	CHECKED_SHR,
	CHECKED_AND,
	CHECKED_XOR,
	CHECKED_OR,
	CHECKED_LT, /* both operands are of one type: that of a */
	CHECKED_LE,
	CHECKED_EQ,
	CHECKED_NOT,  /* !a, int */
	CHECKED_BOTH, /* a and b are int, 0 or not */
	CHECKED_EITHER,
	CHECKED_IF,
	CHECKED_SAME_TEXT, /* a == b, texts */
	CHECKED_GLOB,	   /* a ~ text */
	/* texts; of CHECKED_CONTEXT, CHECKED_MEMORY and CHECKED_ENTRY, too */
	CHECKED_TEXT,
	CHECKED_COMM,
	CHECKED_SIZED_TEXT, /* of b bytes at a, in user memory */
};

struct checked {
	enum checked_op op;
	struct field_type type; /* TYPE_INT of 4 or 8 bytes but for fields and conversions, which
				   may be shorter; or TYPE_TEXT, or TYPE_STACK */
	const struct checked *a, *b, *c;
	u64 number;
	u32 index; /* of an entry: among numbers, or among texts; of a word: enum question_word */
	struct field field;
	const char *text;		   /* CHECKED_TEXT, CHECKED_GLOB */
	u8 need;			   /* values kept aside while it is evaluated, at most */
	const struct type_resolver *types; /* of a pointer or record: whose type_id it is */
};

/* entry() of a question, kept at the begin; the begin's code has them as its values in this order:
 * first numbers, then texts. Shared by all expressions of the end. */
struct entry_list {
	const struct checked *numbers[QUESTION_ENTRIES], *texts[QUESTION_ENTRY_TEXTS];
	u32 nnumbers, ntexts;
};

/* Where an expression is evaluated. */
struct check_scope {
	const struct field_resolver *fields; /* NULL: words alone */
	const struct field_resolver *begin;  /* of entry(); NULL: it cannot be asked for here */
	struct entry_list *entries;	     /* is added to; may be NULL without begin */
	u32 words;			     /* bit 1 << enum question_word: it is to be had here */
	const struct type_resolver *kernel;  /* casts, and members of what has none; may be NULL */
};

/* What is expected of it. */
enum check_want {
	WANT_NUMBER, /* sum, hist, size, conditions */
	WANT_KEY,    /* a number, a text or a stack */
};

/* NULL with *err filled, columns as in the text that e was parsed from. What comes back lives in
 * the arena, and points into e and the resolvers' answers. */
const struct checked *expr__check(const struct expr *e, const struct check_scope *scope,
				  enum check_want want, struct arena *a, struct expr_error *err);

/* a && b, of conditions of one event, either may be NULL. */
const struct checked *checked__both(const struct checked *a, const struct checked *b,
				    struct arena *arena);

/* Whether both are the same of the same event. */
bool checked__equal(const struct checked *a, const struct checked *b);

/* Whether any of it is read from this place of the context. a may be NULL. */
bool checked__reads_context(const struct checked *a, u32 offset);

/* A word's name; NULL beyond the last. "ret" and "entry" are none. */
const char *question_word__name(u32 i);

#endif
