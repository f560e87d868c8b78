/* SPDX-License-Identifier: GPL-2.0-only */
#include "widgets/picker.h"

#define TEXT_MAX   512
#define MATCH	   16 /* for each character found */
#define NEXT_TO	   12 /* it follows the one before */
#define WORD_START 12 /* it begins a word */
#define TEXT_START 8  /* it begins the text */
#define WHOLE_WORD 8  /* the part ends where a word ends */
#define GAP_MAX	   12 /* cost of skipped characters, one each up to this */
#define LENGTH_MAX 15 /* cost of a text's length, one for 8 characters up to this */

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
}

static bool is_alnum(char c)
{
	return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || (u8)c >= 0x80;
}

static bool starts_word(const char *text, u32 i)
{
	if (i == 0)
		return true;
	if (!is_alnum(text[i]))
		return false;
	return !is_alnum(text[i - 1]) ||
	       (text[i] >= 'A' && text[i] <= 'Z' && text[i - 1] >= 'a' && text[i - 1] <= 'z');
}

static bool same(char pattern, char text, bool exact)
{
	return pattern == (exact ? text : lower(text));
}

static void mark(u64 *mask, u32 i)
{
	if (i < 64)
		*mask |= 1ULL << i;
}

/* The part matched from `start` on, each character as early as it comes. */
static int score_from(const char *part, u32 len, const char *text, u32 n, u32 start, bool exact,
		      u64 *mask)
{
	int score = start == 0 ? TEXT_START : 0;
	u32 p = 0, previous = start;

	*mask = 0;
	for (u32 i = start; i < n && p < len; i++) {
		if (!same(part[p], text[i], exact))
			continue;
		score += MATCH + (starts_word(text, i) ? WORD_START : 0);
		if (p)
			score += i == previous + 1 ? NEXT_TO
						   : -(int)MIN(i - previous - 1, (u32)GAP_MAX);
		mark(mask, i);
		previous = i;
		p++;
	}
	if (p < len)
		return 0;
	if (previous + 1 == n || !is_alnum(text[previous + 1]))
		score += WHOLE_WORD;
	return score - (int)MIN(start, (u32)GAP_MAX);
}

static int score_part(const char *part, u32 len, const char *text, u32 n, u64 *mask)
{
	bool exact = false;
	u64 marked;
	int best = 0;

	for (u32 i = 0; i < len; i++)
		exact |= part[i] >= 'A' && part[i] <= 'Z';
	for (u32 start = 0; start + len <= n; start++) {
		int score;

		if (!same(part[0], text[start], exact))
			continue;
		score = score_from(part, len, text, n, start, exact, &marked);
		if (!score)
			break; /* the rest is missing: later starts miss it too */
		if (score > best) {
			best = score;
			*mask = marked;
		}
	}
	return best;
}

int fuzzy__score(const char *pattern, const char *text, u64 *mask)
{
	u32 n = (u32)strnlen(text, TEXT_MAX), len;
	int total = 1 + LENGTH_MAX - (int)MIN(n / 8, (u32)LENGTH_MAX);
	u64 all = 0, marked = 0;

	pattern += strspn(pattern, " ");
	if (!*pattern)
		total = 1;
	for (; *pattern; pattern += len, pattern += strspn(pattern, " ")) {
		int score;

		len = (u32)strcspn(pattern, " ");
		score = score_part(pattern, len, text, n, &marked);
		if (!score)
			return 0;
		total += score;
		all |= marked;
	}
	if (mask)
		*mask = all;
	return total;
}
