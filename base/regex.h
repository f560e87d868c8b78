/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Regular expressions as Perl has them, by PCRE2. Neither compiling nor matching can take more
 * than a bounded time or memory, whatever is typed: where the C library's regcomp multiplies
 * nested repeats without end, PCRE2 refuses what is too large, and a match gives up after
 * REGEX_STEPS. What is compiled is never changed, so any thread may match with it.
 */
#ifndef BASE_REGEX_H
#define BASE_REGEX_H

#include "base/base.h"

#define REGEX_STEPS 50000 /* a few ms; a name that asks for more does not match */

struct regex;

/* NULL, with the reason in `why`, when the pattern is wrong or too large. */
struct regex *regex__new(const char *pattern, char *why, size_t size);
/* NULL is fine. */
void regex__free(struct regex *re);
/* Anywhere in the text, which need not be UTF-8. */
bool regex__match(const struct regex *re, const char *text);

#endif
