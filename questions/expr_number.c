// SPDX-License-Identifier: GPL-2.0-only
/* Constants of expressions: their types are those of C, or their units say what they are. */
#include <limits.h>
#include <stdio.h>

#include "questions/expr_number.h"
#include "questions/expr_impl.h"

static const struct {
	char name[3];
	u64 times;
} units[] = {
	{"ns", 1},	   {"us", 1000},      {"ms", 1000000},	 {"s", 1000000000},
	{"K", 1ULL << 10}, {"M", 1ULL << 20}, {"G", 1ULL << 30}, {"T", 1ULL << 40},
};

/* Suffixes, in lower case: bit 0 unsigned, bit 1 long. */
static const struct {
	char text[4];
	u8 what;
} suffixes[] = {{"", 0},   {"u", 1},  {"l", 2},	  {"ul", 3},
		{"lu", 3}, {"ll", 2}, {"ull", 3}, {"llu", 3}};

void expr_number__type(u64 value, bool decimal, u8 *size, bool *is_unsigned)
{
	*is_unsigned = false;
	*size = 8;
	if (value <= INT_MAX) {
		*size = 4;
	} else if (!decimal && value <= UINT_MAX) {
		*size = 4;
		*is_unsigned = true;
	} else if (value > LLONG_MAX) {
		*is_unsigned = true;
	}
}

u64 expr_number__unit(const char *unit)
{
	for (u32 i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(units[i].name, unit))
			return units[i].times;
	return 1;
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 99;
}

/* The digits from the place on; -EINVAL: they are too many. */
static int read_digits(struct reader *r, u32 base, u64 *out)
{
	u32 at = r->pos;

	for (*out = 0; digit_value(reader__peek(r, 0)) < (int)base; r->pos++)
		if (__builtin_mul_overflow(*out, (u64)base, out) ||
		    __builtin_add_overflow(*out, (u64)digit_value(reader__peek(r, 0)), out))
			return expr__fail(r->err, at, 20,
					  "the number is too large: 8 bytes at most");
	return 0;
}

static bool take_unit(struct expr *e, const char *tail)
{
	for (u32 i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(units[i].name, tail)) {
			e->unit = units[i].name;
			e->size = 8;
			e->is_unsigned = false;
			return true;
		}
	return false;
}

static void apply_suffix(struct expr *e, u8 what)
{
	if (what & 1) {
		e->is_unsigned = true;
		e->size = (what & 2) || e->number > UINT_MAX ? 8 : 4;
	} else if (what & 2) {
		e->is_unsigned = e->number > LLONG_MAX;
		e->size = 8;
	}
}

static bool take_suffix(struct expr *e, const char *tail)
{
	char lower[4] = "";

	for (u32 i = 0; tail[i] && i < 3; i++)
		lower[i] = tail[i] | 0x20;
	for (u32 i = 0; i < ARRAY_SIZE(suffixes); i++)
		if (!strcmp(suffixes[i].text, lower)) {
			apply_suffix(e, suffixes[i].what);
			return true;
		}
	return false;
}

/* What stands behind the digits says what the number is. */
static int read_tail(struct reader *r, struct expr *e)
{
	char tail[4] = "";
	u32 n = 0, at = r->pos;
	u64 value;

	while (char__in_name(reader__peek(r, n)))
		n++;
	if (n < sizeof(tail))
		memcpy(tail, r->text + at, n);
	r->pos += n;
	e->length = r->pos - e->at;
	if (n >= sizeof(tail) || (!take_suffix(e, tail) && !take_unit(e, tail)))
		return expr__fail(r->err, at, n, "units are ns us ms s K M G T, or none");
	if (__builtin_mul_overflow(e->number, expr_number__unit(e->unit), &value) ||
	    (e->size == 8 && *e->unit && *e->unit != 'x' && value > LLONG_MAX))
		return expr__fail(r->err, e->at, e->length,
				  "the number is too large: 8 bytes at most");
	e->number = value;
	return 0;
}

const struct expr *expr__read_number(struct reader *r)
{
	u32 at = r->pos, base = 10;
	struct expr *e;
	u64 value;

	if (reader__peek(r, 0) == '0' && (reader__peek(r, 1) | 0x20) == 'x' &&
	    digit_value(reader__peek(r, 2)) < 16) {
		r->pos += 2;
		base = 16;
	} else if (reader__peek(r, 0) == '0') {
		base = 8;
	}
	if (read_digits(r, base, &value))
		return NULL;
	if (++r->terms > EXPR_MAX_TERMS) {
		expr__fail(r->err, at, 1, "an expression has at most %d terms", EXPR_MAX_TERMS);
		return NULL;
	}
	e = arena__alloc(r->arena, sizeof(*e));
	e->op = EXPR_NUMBER;
	e->at = at;
	e->number = value;
	e->unit = base == 16 ? "x" : "";
	expr_number__type(value, base == 10, &e->size, &e->is_unsigned);
	return read_tail(r, e) ? NULL : e;
}
