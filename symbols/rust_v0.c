// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/rust_v0.h"

#define MAX_DEPTH 500

/* What may begin at a byte, as bits: backward references lead to one of the same kind. */
enum part { PATH = 1, TYPE = 2, CONST = 4 };

struct walk {
	const char *s; /* after "_R" */
	u32 at, depth;
	u8 parts[RUST_V0_MAX];
};

static bool walk_path(struct walk *w);
static bool walk_type(struct walk *w);
static bool walk_const(struct walk *w);

static bool eat(struct walk *w, char c)
{
	if (w->s[w->at] != c)
		return false;
	w->at++;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits of base 62 and _: the number itself, saturated. "_" is 0, "0_" is 1. */
static bool number_62(struct walk *w, u64 *out)
{
	u64 x = 0, digit;

	if (eat(w, '_')) {
		*out = 0;
		return true;
	}
	for (;; x = MIN(x * 62 + digit, UINT32_MAX)) {
		char c = w->s[w->at++];

		if (is_digit(c))
			digit = (u64)(c - '0');
		else if (c >= 'a' && c <= 'z')
			digit = (u64)(c - 'a') + 10;
		else if (c >= 'A' && c <= 'Z')
			digit = (u64)(c - 'A') + 36;
		else
			break;
	}
	*out = x + 1;
	return w->s[w->at - 1] == '_';
}

static bool skip_number(struct walk *w)
{
	u64 x;

	return number_62(w, &x);
}

static bool disambiguator(struct walk *w)
{
	return !eat(w, 's') || skip_number(w);
}

static bool lifetimes(struct walk *w)
{
	u64 n;

	return !eat(w, 'G') || (number_62(w, &n) && n < RUST_V0_MAX_LIFETIMES);
}

static bool identifier(struct walk *w)
{
	size_t n = 0;

	eat(w, 'u');
	if (!is_digit(w->s[w->at]))
		return false;
	if (!eat(w, '0'))
		while (is_digit(w->s[w->at]) && n < RUST_V0_MAX)
			n = n * 10 + (size_t)(w->s[w->at++] - '0');
	eat(w, '_');
	if (strnlen(w->s + w->at, n) < n)
		return false;
	w->at += (u32)n;
	return true;
}

/* After its B. */
static bool back_reference(struct walk *w, enum part part)
{
	u32 here = w->at - 1;
	u64 to;

	return number_62(w, &to) && to < here && w->parts[to] & part;
}

static bool until_end(struct walk *w, bool (*walk)(struct walk *w))
{
	while (!eat(w, 'E'))
		if (!walk(w))
			return false;
	return true;
}

/* --- constants --- */

static bool field(struct walk *w)
{
	return disambiguator(w) && identifier(w) && walk_const(w);
}

static bool hex(struct walk *w)
{
	eat(w, 'n');
	w->at += (u32)strspn(w->s + w->at, "0123456789abcdef");
	return eat(w, '_');
}

static bool structure(struct walk *w)
{
	if (!walk_path(w))
		return false;
	switch (w->s[w->at++]) {
	case 'U':
		return true;
	case 'T':
		return until_end(w, walk_const);
	case 'S':
		return until_end(w, field);
	default:
		return false;
	}
}

static bool constant(struct walk *w)
{
	char tag = w->s[w->at++];

	switch (tag) {
	case 'B':
		return back_reference(w, CONST);
	case 'p':
		return true;
	case 'R':
	case 'Q':
		return walk_const(w);
	case 'A':
	case 'T':
		return until_end(w, walk_const);
	case 'V':
		return structure(w);
	default:
		return tag && strchr("abcehijlmnostxy", tag) && hex(w);
	}
}

/* --- types --- */

static bool generic_argument(struct walk *w)
{
	if (eat(w, 'L'))
		return skip_number(w);
	return eat(w, 'K') ? walk_const(w) : walk_type(w);
}

static bool function(struct walk *w)
{
	if (!lifetimes(w))
		return false;
	eat(w, 'U');
	if (eat(w, 'K') && !eat(w, 'C') && !identifier(w))
		return false;
	return until_end(w, walk_type) && walk_type(w);
}

static bool bound(struct walk *w)
{
	if (!walk_path(w))
		return false;
	while (eat(w, 'p'))
		if (!identifier(w) || !walk_type(w))
			return false;
	return true;
}

static bool type(struct walk *w)
{
	char tag = w->s[w->at++];

	if (tag && strchr("abcdefhijlmnopstuvxyz", tag))
		return true;
	switch (tag) {
	case 'R':
	case 'Q':
		return (!eat(w, 'L') || skip_number(w)) && walk_type(w);
	case 'P':
	case 'O':
	case 'S':
		return walk_type(w);
	case 'A':
		return walk_type(w) && walk_const(w);
	case 'T':
		return until_end(w, walk_type);
	case 'F':
		return function(w);
	case 'D':
		return lifetimes(w) && until_end(w, bound) && eat(w, 'L') && skip_number(w);
	case 'B':
		return back_reference(w, TYPE);
	default:
		w->at--;
		return walk_path(w);
	}
}

/* --- paths --- */

static bool path(struct walk *w)
{
	switch (w->s[w->at++]) {
	case 'C':
		return disambiguator(w) && identifier(w);
	case 'N':
		return w->s[w->at++] && walk_path(w) && disambiguator(w) && identifier(w);
	case 'M':
		return disambiguator(w) && walk_path(w) && walk_type(w);
	case 'X':
		return disambiguator(w) && walk_path(w) && walk_type(w) && walk_path(w);
	case 'Y':
		return walk_type(w) && walk_path(w);
	case 'I':
		return walk_path(w) && until_end(w, generic_argument);
	case 'B':
		return back_reference(w, PATH);
	default:
		return false;
	}
}

static bool walk_part(struct walk *w, enum part part, bool (*what)(struct walk *w))
{
	bool ok;

	if (w->depth == MAX_DEPTH)
		return false;
	w->parts[w->at] |= part;
	w->depth++;
	ok = what(w);
	w->depth--;
	return ok;
}

static bool walk_path(struct walk *w)
{
	return walk_part(w, PATH, path);
}

static bool walk_type(struct walk *w)
{
	return walk_part(w, TYPE, type);
}

static bool walk_const(struct walk *w)
{
	return walk_part(w, CONST, constant);
}

/* The second path is that of the crate that has it made. */
bool rust_v0__is_sound(const char *s)
{
	struct walk w = {.s = s + 2};

	if (strnlen(s, RUST_V0_MAX + 1) > RUST_V0_MAX || !walk_path(&w))
		return false;
	if (w.s[w.at] && !strchr(".$", w.s[w.at]) && !walk_path(&w))
		return false;
	return !w.s[w.at] || strchr(".$", w.s[w.at]) != NULL;
}
