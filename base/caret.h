/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in a line of text somebody typed the fault is. Pure. */
#ifndef BASE_CARET_H
#define BASE_CARET_H

#include "base/base.h"

/* The line to print below a text: blanks up to the fault, then ^~~. Column and length are bytes; it
 * counts characters. */
void caret__draw(u32 column, u32 length, const char *text, char *buf, size_t size);

#endif
