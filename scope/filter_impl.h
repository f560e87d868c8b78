/* SPDX-License-Identifier: GPL-2.0-only */
/* Terms of the filter language, and how they get into a scope: for the files of scope/ only
 * (scope/filter.c, scope/filter_value.c). */
#ifndef SCOPE_FILTER_IMPL_H
#define SCOPE_FILTER_IMPL_H

#include "scope/filter.h"
#include "scope/scope_impl.h"

/* Asks whether ids lo..hi exist; false fills msg. */
typedef bool (*id_check_fn)(enum scope_kind kind, u64 lo, u64 hi, char *msg, size_t size);

struct term {
	const char *name;
	u32 name_len;
	bool negate;
	char op; /* '=' or '~' */
	const char *value;
	u32 at, len;	   /* of the value in the expression, quotes included */
	bool plain;	   /* no quotes: value offsets are expression offsets */
	id_check_fn check; /* NULL: any id will do */
};

/* Adds one term to s; 0 or -EINVAL with *err filled (columns as in the term). */
int filter__add(struct scope *s, const struct term *t, struct filter_error *err);
/* filter__parse without the length limit and with a check; s is added to. */
int filter__read(struct scope *s, const char *expr, id_check_fn check, struct filter_error *err);

/* Fills err and returns -EINVAL; column and length are within the term's value. */
int filter__fail(struct filter_error *err, u32 column, u32 length, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
int value__ids(const struct term *t, enum scope_kind kind, struct id_set *out,
	       struct filter_error *err);
int value__time(const struct term *t, u64 *ns, struct filter_error *err);
int value__states(const struct term *t, u32 *states, struct filter_error *err);
/* Bits of the values. */
int value__levels(const struct term *t, enum scope_level level, u64 bits[SCOPE_LEVEL_WORDS],
		  struct filter_error *err);
/* How many values there are. */
u32 scope_level__n(enum scope_level level);
const char *scope_level__name(enum scope_level level);
/* What a value is called; NULL: it has no name, and is a number. */
const char *scope_level__value(enum scope_level level, u32 value);
/* NULL when it is wrong; the caller frees it. */
struct regex *value__regex(const struct term *t, struct filter_error *err);
/* Longest time in canonical form, with its unit. */
void value__print_time(u64 ns, char *buf, size_t size);

#endif
