// SPDX-License-Identifier: GPL-2.0-only
#include "core/utf8.h"

#include "core/arena.h"

/* Bytes of the sequence that a first byte announces, 0 when it cannot be one. */
static u32 sequence_length(u8 first)
{
	if (first < 0x80)
		return 1;
	if (first >= 0xc2 && first <= 0xdf)
		return 2;
	if (first >= 0xe0 && first <= 0xef)
		return 3;
	if (first >= 0xf0 && first <= 0xf4)
		return 4;
	return 0;
}

u32 utf8__next(const char **s)
{
	static const u32 least[] = {0, 0, 0x80, 0x800, 0x10000};
	const u8 *p = (const u8 *)*s;
	u32 n = sequence_length(*p), cp;

	if (!*p)
		return 0;
	(*s)++;
	if (n <= 1)
		return n ? *p : UTF8_REPLACEMENT;
	cp = *p & (0xffu >> (n + 1));
	for (u32 i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return UTF8_REPLACEMENT;
		cp = cp << 6 | (p[i] & 0x3f);
	}
	if (cp < least[n] || cp > 0x10ffff || (cp >= 0xd800 && cp <= 0xdfff))
		return UTF8_REPLACEMENT;
	*s = (const char *)p + n;
	return cp;
}

/* Only ASCII is one byte long. */
static bool is_bad(const char *at, const char *after)
{
	return after - at == 1 && (u8)*at >= 0x80;
}

bool utf8__valid(const char *s)
{
	while (*s) {
		const char *at = s;

		utf8__next(&s);
		if (is_bad(at, s))
			return false;
	}
	return true;
}

char *utf8__dup(const char *s)
{
	char *copy = xmalloc(strlen(s) * 3 + 1), *out = copy;

	while (*s) {
		const char *at = s;

		utf8__next(&s);
		if (is_bad(at, s)) {
			out = stpcpy(out, "\xef\xbf\xbd");
		} else {
			memcpy(out, at, (size_t)(s - at));
			out += s - at;
		}
	}
	*out = '\0';
	return copy;
}
