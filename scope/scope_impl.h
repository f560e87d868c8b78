/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How filter terms become a scope: shared by scope/filter.c, scope/scope*.c only. A scope that
 * is being built belongs to one thread; once scope__finish has set its text it is const.
 */
#ifndef SCOPE_SCOPE_IMPL_H
#define SCOPE_SCOPE_IMPL_H

#include "scope/filter.h"

/* --- id sets, sorted and without duplicates (scope/idset.c) --- */
void id_set__fini(struct id_set *set);
void id_set__add_range(struct id_set *set, u64 lo, u64 hi); /* unsorted until __seal */
void id_set__seal(struct id_set *set);
bool id_set__equal(const struct id_set *a, const struct id_set *b);
/* set becomes set AND more; a set that is not active yet becomes more. */
void id_set__intersect(struct id_set *set, const struct id_set *more);
/* set becomes set OR more. */
void id_set__unite(struct id_set *set, const struct id_set *more);
/* set loses what is in less. */
void id_set__subtract(struct id_set *set, const struct id_set *less);

/* --- scopes under construction (scope/scope.c, scope/scope_text.c) --- */
struct scope *scope__new(void);
/* Appends a term; the text is copied, .re is NULL. */
struct name_term *scope__add_name(struct name_term **terms, u32 *n, const char *text, bool negate);
/* Sets text from the normal form. */
void scope__finish(struct scope *s);

/* Adds what the cgroup globs stand for now (scope/scope_resolve.c); false with the first include
 * that matches nothing. */
bool scope__find_cgroups(struct scope *s, const char **unmatched);

/* --- terms (scope/filter.c, scope/filter_value.c) --- */

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
/* NULL when it is wrong; the caller frees it. */
struct regex *value__regex(const struct term *t, struct filter_error *err);
/* Longest time in canonical form, with its unit. */
void value__print_time(u64 ns, char *buf, size_t size);

#endif
