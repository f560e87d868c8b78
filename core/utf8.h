/* SPDX-License-Identifier: GPL-2.0-only */
/* UTF-8 from untrusted places: names of tasks, symbols and files. Pure functions. */
#ifndef CORE_UTF8_H
#define CORE_UTF8_H

#include "core/base.h"

#define UTF8_REPLACEMENT 0xfffdu

/* The next code point; a byte that begins no valid sequence (overlong forms, surrogates and
 * values above U+10FFFF included) is taken alone as UTF8_REPLACEMENT. 0 at the end. */
u32 utf8__next(const char **s);
/* True when utf8__next would replace nothing. */
bool utf8__valid(const char *s);
/* A valid copy, bad bytes replaced; the caller frees it. */
char *utf8__dup(const char *s);

#endif
