// SPDX-License-Identifier: GPL-2.0-only
#include "serve/accept.h"

#include <strings.h>

#define BLANKS " \t"

/* Of one range: how exactly it names the type; 0 not at all. */
static u32 match(const char *range, size_t n, const char *type)
{
	size_t family = strcspn(type, "/") + 1;

	if (n == strlen(type) && !strncasecmp(range, type, n))
		return 3;
	if (n == family + 1 && range[n - 1] == '*' && !strncasecmp(range, type, family))
		return 2;
	return n == 3 && !strncmp(range, "*/*", 3);
}

/* 0, 1, and up to three digits behind the point; what is malformed is 1. */
static u32 quality(const char *s)
{
	u32 q = 0, digit = 100;

	if (*s != '0')
		return 1000;
	if (s[1] == '.')
		for (s += 2; *s >= '0' && *s <= '9' && digit; s++, digit /= 10)
			q += (u32)(*s - '0') * digit;
	return q;
}

/* Of the parameters of a range, up to the next comma. */
static u32 quality_of(const char *s, const char *end)
{
	for (; s < end; s++) {
		s += strspn(s, BLANKS);
		if (s + 1 < end && (*s == 'q' || *s == 'Q') && s[1] == '=')
			return quality(s + 2);
		s += strcspn(s, ";,");
	}
	return 1000;
}

u32 accept__quality(const char *header, const char *type)
{
	u32 best = 0, q = 0;

	if (!header || !header[strspn(header, BLANKS)])
		return 1000;
	for (const char *s = header; *s;) {
		const char *end = s + strcspn(s, ",");
		const char *range = s + strspn(s, BLANKS);
		size_t n = strcspn(range, ";, \t");
		u32 exact = match(range, n, type), of = exact ? quality_of(range + n, end) : 0;

		if (exact > best || (exact == best && of > q)) {
			best = exact;
			q = of;
		}
		s = end + (*end == ',');
	}
	return q;
}
