/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How the kernel prints a tracepoint's fields, by the print fmt line of its format: which are addresses of its code,
 * and what values are called. Pure; what makes no sense says nothing.
 */
#ifndef QUESTIONS_FORMAT_PRINT_H
#define QUESTIONS_FORMAT_PRINT_H

#include "questions/format.h"

/* Whether it is printed as a function: %ps, %pS and the like. */
bool trace_format__is_code(const struct trace_format *f, const char *field);
/* The i-th value that has a name (__print_symbolic), and that; false: there are no more. */
bool trace_format__value(const struct trace_format *f, const char *field, u32 i, s64 *value, char *name, size_t size);

#endif
