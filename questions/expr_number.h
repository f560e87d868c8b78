/* SPDX-License-Identifier: GPL-2.0-only */
/* Types and units of constants, for those who read and print them. */
#ifndef QUESTIONS_EXPR_NUMBER_H
#define QUESTIONS_EXPR_NUMBER_H

#include "base/base.h"

/* The type that C gives a constant without a suffix. */
void expr_number__type(u64 value, bool decimal, u8 *size, bool *is_unsigned);
/* What a unit multiplies by; 1 of "", and of "x", which stands for hexadecimal. */
u64 expr_number__unit(const char *unit);

#endif
