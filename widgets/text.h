/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Untrusted bytes -> what may be shown. Widths come from wcwidth(3), so setlocale(LC_CTYPE, "")
 * comes first where characters beyond ASCII are wanted. Stateless.
 */
#ifndef WIDGETS_TEXT_H
#define WIDGETS_TEXT_H

#include <wchar.h>

#include "base/utf8.h"

#define GLYPH_MAX_COMBINING 2

/* One base character with its combining marks, as it is shown. */
struct glyph {
	wchar_t ch[1 + GLYPH_MAX_COMBINING];
	u8 width; /* 1 or 2 cells */
	u8 bytes; /* of the text it stands for; marks beyond the kept ones are counted too */
};

/* The glyph at the start of s; false at its end. What must not reach a terminal becomes
 * visible: C0 controls and DEL as their pictures (U+2400..), everything else (broken bytes,
 * C1, bidi overrides, invisible format characters, unassigned ones) as U+FFFD. */
bool text__glyph(const char *s, struct glyph *out);
/* Display width of UTF-8 text in cells. */
int text__width(const char *text);

/* Bytes of the longest prefix that needs at most w cells; *used its width (may be NULL). */
size_t text__fit(const char *s, int w, int *used);
/* The same from the end: bytes from the start of s to the suffix that needs at most w. */
size_t text__fit_end(const char *s, int w, int *used);

/* The 7-bit character that stands for a drawn one in ascii mode: boxes, blocks, arrows and
 * the ellipsis have look-alikes, the rest is '?'. */
char text__ascii(wchar_t ch);

#endif
