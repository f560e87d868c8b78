/* SPDX-License-Identifier: GPL-2.0-only */
/* Expressions within a longer text: for the files of questions/ that parse. */
#ifndef QUESTIONS_EXPR_IMPL_H
#define QUESTIONS_EXPR_IMPL_H

#include "questions/expr.h"
#include "questions/reader.h"

/* One expression; it ends where no operator follows. NULL with err filled. */
const struct expr *expr__read(struct reader *r);
/* Also what an expression's constants are: a number with its unit or suffix. */
const struct expr *expr__read_number(struct reader *r);

void expr__add_text(struct text_buf *b, const struct expr *e);
/* A text in quotes, with escapes. */
void expr__add_quoted(struct text_buf *b, const char *s);

#endif
