/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * UTF-8 (RFC 3629) from untrusted places: names of tasks, symbols and files. Decoded here and not
 * by the C library, so that broken input and a C locale behave the same. Pure functions.
 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include "base/base.h"

#define UTF8_REPLACEMENT 0xfffdu

/* One code point: its bytes, 0 at the end. A byte that begins no valid sequence (overlong forms,
 * surrogates and values above U+10FFFF included) is taken alone and gives UTF8_REPLACEMENT. */
u32 utf8__decode(const char *s, u32 *cp);
/* Writes at most 4 bytes, no NUL; returns their number, 0 for what is no code point. */
u32 utf8__encode(u32 cp, char *out);

/* The next code point; 0 at the end. */
u32 utf8__next(const char **s);
/* Whether it draws nothing but changes how its neighbours look, or where they are: bidi controls,
 * joiners, byte order marks, tags. Names with such characters are built to deceive. */
bool utf8__deceives(u32 cp);
/* The next character as bytes that may go into any text and to any terminal: broken bytes, control
 * characters and those that deceive as '?'. Their number, at most 4; 0 at the end. */
u32 utf8__clean(const char **s, char *out);
/* True when utf8__dup() would replace nothing. */
bool utf8__valid(const char *s);
/* A valid copy, bad bytes and the control characters beyond ASCII replaced; the caller frees it. */
char *utf8__dup(const char *s);

#endif
