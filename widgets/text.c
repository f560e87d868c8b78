/* SPDX-License-Identifier: GPL-2.0-only */
#include "widgets/text.h"


#define DOTTED_CIRCLE 0x25cc /* carries a combining mark that has no base */

/* What is drawn for a code point, and its width; 0 for a combining mark. */
static u32 visible(u32 cp, int *width)
{
	*width = 1;
	if (cp < 0x20)
		return 0x2400 + cp;
	if (cp == 0x7f)
		return 0x2421;
	if (cp < 0x7f)
		return cp;
	if (cp < 0xa0 || utf8__deceives(cp))
		return UTF8_REPLACEMENT;
	*width = wcwidth((wchar_t)cp);
	if (*width >= 0)
		return cp;
	/* A C locale knows no widths; the terminal is in ascii mode then, which has look-alikes
	 * for what proftop itself draws. */
	*width = 1;
	return MB_CUR_MAX == 1 ? cp : UTF8_REPLACEMENT;
}

/* Emoji variation selectors change widths on some terminals and not on others. */
static bool is_variation(u32 cp)
{
	return (cp >= 0xfe00 && cp <= 0xfe0f) || (cp >= 0xe0100 && cp <= 0xe01ef);
}

/* Takes the marks that follow a base; hostile piles of them are swallowed up to a limit, so
 * that `bytes` cannot overflow. */
static void take_marks(const char *s, struct glyph *g)
{
	u32 n = g->ch[1] ? 2 : 1;
	u32 cp, len;
	int width;

	while (g->bytes < 240 && (u8)s[g->bytes] >= 0x80) {
		len = utf8__decode(s + g->bytes, &cp);
		cp = visible(cp, &width);
		if (width != 0)
			return;
		if (n <= GLYPH_MAX_COMBINING && !is_variation(cp))
			g->ch[n++] = (wchar_t)cp;
		g->bytes += (u8)len;
	}
}

bool text__glyph(const char *s, struct glyph *out)
{
	u32 cp;
	u32 len = utf8__decode(s, &cp);
	int width;

	*out = (struct glyph){.bytes = (u8)len, .width = 1};
	if (!len)
		return false;
	cp = visible(cp, &width);
	out->ch[0] = (wchar_t)cp;
	if (width == 0) {
		out->ch[0] = DOTTED_CIRCLE;
		out->ch[1] = is_variation(cp) ? 0 : (wchar_t)cp;
	} else {
		out->width = (u8)width;
	}
	take_marks(s, out);
	return true;
}

int text__width(const char *text)
{
	struct glyph g;
	int w = 0;

	for (; text__glyph(text, &g); text += g.bytes)
		w += g.width;
	return w;
}

size_t text__fit(const char *s, int w, int *used)
{
	struct glyph g;
	size_t pos = 0;
	int n = 0;

	for (; text__glyph(s + pos, &g) && n + g.width <= w; pos += g.bytes)
		n += g.width;
	if (used)
		*used = n;
	return pos;
}

size_t text__fit_end(const char *s, int w, int *used)
{
	int left = text__width(s);
	struct glyph g;
	size_t pos = 0;

	for (; left > w && text__glyph(s + pos, &g); pos += g.bytes)
		left -= g.width;
	if (used)
		*used = left;
	return pos;
}

static char ascii_box(wchar_t ch)
{
	switch (ch) {
	case 0x2500:
	case 0x2501:
	case 0x2504:
	case 0x2505:
	case 0x2508:
	case 0x2550:
		return '-';
	case 0x2502:
	case 0x2503:
	case 0x2506:
	case 0x250a:
	case 0x2551:
		return '|';
	case 0x2514:
	case 0x2570:
		return '`';
	default:
		return '+';
	}
}

/* Lower blocks by height, left blocks by width. */
static char ascii_block(wchar_t ch)
{
	static const char lower[] = "__..oo##", shade[] = ".:%";

	if (ch == 0x2580)
		return '"';
	if (ch <= 0x2588)
		return lower[ch - 0x2581];
	if (ch <= 0x258f)
		return ch <= 0x258c ? '#' : '|';
	if (ch >= 0x2591 && ch <= 0x2593)
		return shade[ch - 0x2591];
	return '#';
}

char text__ascii(wchar_t ch)
{
	static const struct {
		wchar_t ch;
		char to;
	} pairs[] = {
		{0x00a0, ' '}, {0x00b5, 'u'}, {0x03bc, 'u'}, {0x00b7, '.'},  {0x00d7, 'x'},
		{0x2010, '-'}, {0x2013, '-'}, {0x2014, '-'}, {0x2018, '\''}, {0x2019, '\''},
		{0x201c, '"'}, {0x201d, '"'}, {0x2022, '*'}, {0x2026, '~'},  {0x2190, '<'},
		{0x2191, '^'}, {0x2192, '>'}, {0x2193, 'v'}, {0x21b5, '<'},  {0x2212, '-'},
		{0x25a0, '#'}, {0x25b2, '^'}, {0x25b4, '^'}, {0x25b6, '>'},  {0x25b8, '>'},
		{0x25bc, 'v'}, {0x25be, 'v'}, {0x25c0, '<'}, {0x25c6, '*'},  {0x25cb, 'o'},
		{0x25cf, '*'}, {0x2713, 'y'}, {0x2717, 'x'}, {0x26a0, '!'},
	};

	if (ch >= 0x20 && ch < 0x7f)
		return (char)ch;
	if (ch >= 0x2500 && ch < 0x2580)
		return ascii_box(ch);
	if (ch >= 0x2580 && ch < 0x25a0)
		return ascii_block(ch);
	for (u32 i = 0; i < ARRAY_SIZE(pairs); i++)
		if (pairs[i].ch == ch)
			return pairs[i].to;
	return '?';
}
