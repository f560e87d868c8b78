/* SPDX-License-Identifier: GPL-2.0-only */
/* What is wrong in the text of a question, and where. */
#ifndef QUESTIONS_ERROR_H
#define QUESTIONS_ERROR_H

#include "base/base.h"

struct expr_error {
	u32 column;    /* byte offset in the text where the fault is */
	u32 length;    /* of the faulty part, at least 1 */
	char msg[320]; /* what is wrong, and what would be right */
};

/* Three lines for a person: what is wrong, the text and the caret; of long texts what is around
 * the fault. Nothing of it can move a cursor. */
void expr_error__print(const struct expr_error *err, const char *text, char *buf, size_t size);

/* Fills err and returns -EINVAL. */
int expr__fail(struct expr_error *err, u32 at, u32 length, const char *fmt, ...) PRINTF_LIKE(4, 5);

#endif
