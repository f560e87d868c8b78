/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that check an expression: NULL is an error, which is in the checker's. One expression, on
 * one thread. */
#ifndef QUESTIONS_CHECK_IMPL_H
#define QUESTIONS_CHECK_IMPL_H

#include "questions/check.h"

struct checker {
	const struct check_scope *scope;
	struct arena *arena;
	struct expr_error *err;
};

#define TYPE(bytes, sign) ((struct field_type){.kind = TYPE_INT, .size = bytes, .is_signed = sign})
static const struct field_type type_int = {.kind = TYPE_INT, .size = 4, .is_signed = true};
static const struct field_type type_u64 = {.kind = TYPE_INT, .size = 8};
static const struct field_type type_text = {.kind = TYPE_TEXT};

/* --- checked.c --- */

bool checked__is_number(const struct checked *a);
struct checked *checker__binary(struct checker *c, enum checked_op op, struct field_type type,
			      const struct checked *a, const struct checked *b);
const struct checked *checker__convert(struct checker *c, const struct checked *a,
				     struct field_type type);
struct checked *checker__node(struct checker *c, enum checked_op op, struct field_type type);
/* Integer promotions. */
const struct checked *checker__promote(struct checker *c, const struct checked *a);
struct checked *checker__unary(struct checker *c, enum checked_op op, struct field_type type,
			     const struct checked *a);
/* What is computed is no enum's value any more. */
struct field_type field_type__plain(struct field_type type);
/* The usual arithmetic conversions of two promoted types. */
struct field_type field_type__common(struct field_type a, struct field_type b);
bool field_type__same(struct field_type a, struct field_type b);

/* --- check_names.c --- */

/* Of EXPR_CAST, EXPR_MEMBER, EXPR_NAME. */
const struct checked *checker__cast(struct checker *c, const struct expr *e);
const struct checked *checker__member(struct checker *c, const struct expr *e);
const struct checked *checker__name(struct checker *c, const struct expr *e);

/* --- check.c --- */

const char *checked__kind_name(const struct checked *a);
/* Any expression. */
const struct checked *checker__check(struct checker *c, const struct expr *e);
const struct checked *checker__fail(struct checker *c, const struct expr *e, const char *msg);
bool checker__want_number(struct checker *c, const struct expr *e, const struct checked *a);

#endif
