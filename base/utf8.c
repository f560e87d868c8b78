// SPDX-License-Identifier: GPL-2.0-only
#include "base/utf8.h"

#include "base/arena.h"

/* Of a first byte: the length of its sequence, 0 when it begins none, the bits it holds and the
 * smallest code point that needs so many bytes. */
static u32 lead(u8 c, u32 *cp, u32 *least)
{
	if (c >= 0xc2 && c <= 0xdf) {
		*cp = c & 0x1f;
		*least = 0x80;
		return 2;
	}
	if ((c & 0xf0) == 0xe0) {
		*cp = c & 0x0f;
		*least = 0x800;
		return 3;
	}
	if (c >= 0xf0 && c <= 0xf4) {
		*cp = c & 0x07;
		*least = 0x10000;
		return 4;
	}
	return 0;
}

static bool is_surrogate(u32 cp)
{
	return cp >= 0xd800 && cp <= 0xdfff;
}

u32 utf8__decode(const char *s, u32 *cp)
{
	const u8 *p = (const u8 *)s;
	u32 v, least, n;

	*cp = p[0];
	if (p[0] < 0x80)
		return p[0] ? 1 : 0;
	n = lead(p[0], &v, &least);
	*cp = UTF8_REPLACEMENT;
	if (!n)
		return 1;
	for (u32 i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 1;
		v = v << 6 | (p[i] & 0x3f);
	}
	if (v < least || v > 0x10ffff || is_surrogate(v))
		return 1;
	*cp = v;
	return n;
}

u32 utf8__encode(u32 cp, char *out)
{
	if (cp < 0x80) {
		out[0] = (char)cp;
		return 1;
	}
	if (cp < 0x800) {
		out[0] = (char)(0xc0 | cp >> 6);
		out[1] = (char)(0x80 | (cp & 0x3f));
		return 2;
	}
	if (cp > 0x10ffff || is_surrogate(cp))
		return 0;
	if (cp < 0x10000) {
		out[0] = (char)(0xe0 | cp >> 12);
		out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
		out[2] = (char)(0x80 | (cp & 0x3f));
		return 3;
	}
	out[0] = (char)(0xf0 | cp >> 18);
	out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
	out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
	out[3] = (char)(0x80 | (cp & 0x3f));
	return 4;
}

u32 utf8__next(const char **s)
{
	u32 cp;

	*s += utf8__decode(*s, &cp);
	return cp;
}

/* Only ASCII is one byte long. Terminals take U+0080 to U+009F as they take escape sequences. */
static bool is_bad(const char *at, u32 n, u32 cp)
{
	return (n == 1 && (u8)*at >= 0x80) || (cp >= 0x80 && cp < 0xa0);
}

bool utf8__deceives(u32 cp)
{
	static const struct {
		u32 from, to;
	} ranges[] = {
		{0x00ad, 0x00ad}, {0x061c, 0x061c}, {0x180e, 0x180e},
		{0x200b, 0x200f}, {0x2028, 0x202e}, {0x2060, 0x206f},
		{0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
	};

	for (u32 i = 0; i < ARRAY_SIZE(ranges) && cp >= ranges[i].from; i++)
		if (cp <= ranges[i].to)
			return true;
	return false;
}

u32 utf8__clean(const char **s, char *out)
{
	const char *at = *s;
	u32 cp, n = utf8__decode(at, &cp);

	*s += n;
	if (n && (is_bad(at, n, cp) || cp < ' ' || cp == 0x7f || utf8__deceives(cp))) {
		*out = '?';
		return 1;
	}
	memcpy(out, at, n);
	return n;
}

bool utf8__valid(const char *s)
{
	for (u32 n, cp; (n = utf8__decode(s, &cp)); s += n)
		if (is_bad(s, n, cp))
			return false;
	return true;
}

char *utf8__dup(const char *s)
{
	char *copy = xmalloc(strlen(s) * 3 + 1), *out = copy;

	for (u32 n, cp; (n = utf8__decode(s, &cp)); s += n) {
		if (is_bad(s, n, cp)) {
			out += utf8__encode(UTF8_REPLACEMENT, out);
		} else {
			memcpy(out, s, n);
			out += n;
		}
	}
	*out = '\0';
	return copy;
}
