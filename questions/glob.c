// SPDX-License-Identifier: GPL-2.0-only
/* Globs as automata: a bit for each item, all of them advanced by one shift a byte. */
#include "questions/generate.h"

#define MOST_ITEMS 63

static void add_range(struct question_glob *g, u64 item, u8 from, u8 to)
{
	for (u32 c = from; c <= to; c++)
		g->member[c] |= item;
}

/* [a-z] or [!a-z]; returns behind it, or NULL when it is not closed and stands for itself. */
static const char *add_class(struct question_glob *g, u64 item, const char *p)
{
	bool negate = p[1] == '!' || p[1] == '^';
	const char *s = p + 1 + negate, *first = s;
	u8 from, to;

	if (!strchr(*first ? first + 1 : first, ']'))
		return NULL;
	while (*s != ']' || s == first) {
		s += *s == '\\' && s[1];
		from = to = (u8)*s++;
		if (!from)
			return NULL;
		if (*s == '-' && s[1] && s[1] != ']') {
			to = (u8)s[1];
			s += 2;
		}
		add_range(g, item, from, to);
	}
	for (u32 c = 1; negate && c < 256; c++)
		g->member[c] ^= item;
	return s + 1;
}

/* One item of the glob: what byte stands here. */
static const char *add_item(struct question_glob *g, u64 item, const char *p)
{
	const char *after = *p == '[' ? add_class(g, item, p) : NULL;

	if (after)
		return after;
	for (u32 c = 0; *p == '[' && c < 256; c++)
		g->member[c] &= ~item; /* of a class that was not closed */
	if (*p == '?') {
		add_range(g, item, 1, 255);
		return p + 1;
	}
	p += *p == '\\' && p[1];
	g->member[(u8)*p] |= item;
	return p + 1;
}

int question_glob__compile(const char *glob, struct question_glob *out)
{
	u32 n = 0;

	memset(out, 0, sizeof(*out));
	while (*glob) {
		if (*glob == '*') {
			out->star |= 1ULL << n;
			glob++;
			continue;
		}
		if (n == MOST_ITEMS)
			return -E2BIG;
		glob = add_item(out, 1ULL << n, glob);
		n++;
	}
	out->accept = n;
	return 0;
}
