// SPDX-License-Identifier: GPL-2.0-only
#include "base/formula.h"

#include <stdlib.h>

#define DEPTH_MAX 16

struct parser {
	struct formula *f;
	const char *at;
	const char *wrong;
	u32 depth; /* of parentheses */
};

static bool fail(struct parser *p, const char *why)
{
	if (!p->wrong)
		p->wrong = why;
	return false;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool goes_on(char c)
{
	return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.';
}

static char next(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
	return *p->at;
}

static bool add(struct parser *p, struct formula_step step)
{
	if (p->f->nsteps == FORMULA_STEPS)
		return fail(p, "the formula is too long");
	p->f->steps[p->f->nsteps++] = step;
	return true;
}

static bool parse_name(struct parser *p)
{
	struct formula *f = p->f;
	const char *from = p->at;
	u32 i = 0;
	size_t n;

	while (goes_on(*p->at))
		p->at++;
	n = (size_t)(p->at - from);
	while (i < f->nnames && (strncmp(f->names[i], from, n) || f->names[i][n]))
		i++;
	if (n >= FORMULA_NAME_MAX || i == FORMULA_NAMES) {
		p->at = from;
		return fail(p, i == FORMULA_NAMES ? "there are too many names" : "the name is too long");
	}
	if (i == f->nnames)
		copy_str(f->names[f->nnames++], n + 1, from);
	return add(p, (struct formula_step){.op = 'x', .name = (u8)i});
}

/* As strtod(3) reads what begins with a digit: decimals are in the C locale all the time. */
static bool parse_number(struct parser *p)
{
	char *end;
	double v = strtod(p->at, &end);

	if (is_letter(*end))
		return fail(p, "a number is expected");
	p->at = end;
	return add(p, (struct formula_step){.op = '1', .number = v});
}

static bool parse_sum(struct parser *p);

static bool parse_factor(struct parser *p)
{
	char c = next(p);

	if (is_letter(c))
		return parse_name(p);
	if (is_digit(c))
		return parse_number(p);
	if (c != '(')
		return fail(p, "a name, a number or ( is expected");
	if (++p->depth > DEPTH_MAX)
		return fail(p, "the formula is nested too deep");
	p->at++;
	if (!parse_sum(p))
		return false;
	if (next(p) != ')')
		return fail(p, ") is missing");
	p->at++;
	p->depth--;
	return true;
}

static bool parse_product(struct parser *p)
{
	bool ok = parse_factor(p);

	while (ok && (next(p) == '*' || *p->at == '/')) {
		char op = *p->at++;

		ok = parse_factor(p) && add(p, (struct formula_step){.op = op});
	}
	return ok;
}

static bool parse_sum(struct parser *p)
{
	bool ok = parse_product(p);

	while (ok && (next(p) == '+' || *p->at == '-')) {
		char op = *p->at++;

		ok = parse_product(p) && add(p, (struct formula_step){.op = op});
	}
	return ok;
}

const char *formula__parse(struct formula *f, const char *text, const char **at)
{
	struct parser p = {.f = f, .at = text};

	*f = (struct formula){0};
	if (parse_sum(&p) && next(&p))
		fail(&p, "an operator is expected");
	*at = p.at;
	return p.wrong;
}

static double apply(char op, double a, double b)
{
	switch (op) {
	case '+':
		return a + b;
	case '-':
		return a - b;
	case '*':
		return a * b;
	default:
		return a / b;
	}
}

double formula__value(const struct formula *f, const double *values)
{
	double stack[FORMULA_STEPS];
	u32 n = 0;

	for (u32 i = 0; i < f->nsteps; i++) {
		const struct formula_step *s = &f->steps[i];

		if (s->op == '1') {
			stack[n++] = s->number;
		} else if (s->op == 'x') {
			stack[n++] = values[s->name];
		} else {
			n--;
			stack[n - 1] = apply(s->op, stack[n - 1], stack[n]);
		}
	}
	return stack[0];
}
