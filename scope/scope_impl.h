/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scopes under construction: for the files of scope/ only. A scope that is being built belongs to
 * one thread; once scope__finish has set its text it is const.
 */
#ifndef SCOPE_SCOPE_IMPL_H
#define SCOPE_SCOPE_IMPL_H

#include "scope/scope.h"

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

/* --- scopes (scope/scope.c, scope/scope_text.c) --- */
struct scope *scope__new(void);
/* Appends a term; the text is copied, .re is NULL. */
struct name_term *scope__add_name(struct name_term **terms, u32 *n, const char *text, bool negate);
/* Sets text from the normal form. */
void scope__finish(struct scope *s);

/* Adds what the cgroup globs stand for now (scope/scope_resolve.c); false with the first include
 * that matches nothing. */
bool scope__find_cgroups(struct scope *s, const char **unmatched);

#endif
