/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows as terms of the filter language, for drilling and excluding. */
#ifndef TUI_VIEWS_TERMS_H
#define TUI_VIEWS_TERMS_H

#include "scope/scope.h"

#define TERM_MAX  600
#define TERMS_MAX 1400

/* Each fills one term, 'comm~"^sh$"'; false when its value is not known. */
bool term__name(const char *field, const char *name, char *buf, size_t size); /* NULL: unknown */
bool term__id(const char *field, u32 id, char *buf, size_t size);    /* UINT32_MAX: unknown */
bool term__cgroup(u64 id, const char *path, char *buf, size_t size); /* 0: unknown */

/* Of a row that has these of n keys (bit k of `keys`), a view's own. */
typedef bool (*term_of_key)(const void *row, u32 key, char *buf, size_t size);
/* The terms of its keys, blank-separated; false when some are not known: the others are given. */
bool terms__select(const void *row, u32 keys, u32 n, term_of_key term, char *buf, size_t size);
/*
 * The term to negate for the row not to be shown: the first one known of its keys in this
 * order. All terms of a filter hold at once, so "not this function in this process" is none.
 */
bool terms__exclude(const void *row, u32 keys, const u8 *order, u32 n, term_of_key term, char *buf,
		    size_t size);

/* A scope with more terms, one reference; NULL when they make none. */
const struct scope *terms__scope(const struct scope *scope, const char *terms);

#endif
