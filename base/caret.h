/* SPDX-License-Identifier: GPL-2.0-only */
/* Where in a line of text somebody typed the fault is. Pure. */
#ifndef BASE_CARET_H
#define BASE_CARET_H

#include "base/base.h"

/* The line to print below a text: blanks up to the fault, then ^~~. Column and length are bytes; it
 * counts characters. */
void caret__draw(u32 column, u32 length, const char *text, char *buf, size_t size);

/* Of a message with the text and such a line behind its first: where in @line, which has the text in it, the fault is.
 * False: the message has no caret, or is of another text. */
bool caret__find(const char *msg, const char *line, u32 *column, u32 *length);

#endif
