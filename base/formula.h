/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Formulas over named numbers: + - * / and parentheses, numbers, names. A name begins with a letter
 * and goes on with letters, digits, '.', '_' and '-'; so blanks stand around a minus. Pure; time and
 * memory are bounded by the text.
 */
#ifndef BASE_FORMULA_H
#define BASE_FORMULA_H

#include "base/base.h"

#define FORMULA_STEPS	 48
#define FORMULA_NAMES	 8
#define FORMULA_NAME_MAX 32 /* with its NUL */

/* In the order that a stack machine wants. */
struct formula_step {
	char op; /* + - * /, '1': a number, 'x': a name */
	u8 name;
	double number;
};

struct formula {
	struct formula_step steps[FORMULA_STEPS];
	u32 nsteps;
	char names[FORMULA_NAMES][FORMULA_NAME_MAX]; /* each once */
	u32 nnames;
};

/* NULL: f is the formula. Else what is wrong, and *at is where it stands in the text. */
const char *formula__parse(struct formula *f, const char *text, const char **at);
/* values: of f->names. Not finite where it divides by 0. */
double formula__value(const struct formula *f, const double *values);

#endif
