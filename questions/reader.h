/* SPDX-License-Identifier: GPL-2.0-only */
/* Reading a question's text: for the files of questions/ that parse (questions/expr.c,
 * questions/event.c, questions/question.c). */
#ifndef QUESTIONS_READER_H
#define QUESTIONS_READER_H

#include "base/arena.h"
#include "questions/error.h"

struct reader {
	const char *text;
	u32 pos, end; /* what is read, and where it ends for this reader */
	u32 depth, terms;
	struct arena *arena;
	struct expr_error *err;
};

/* The character i behind the place; NUL at the end. */
static inline char reader__peek(const struct reader *r, u32 i)
{
	return r->end - r->pos > i ? r->text[r->pos + i] : '\0';
}

static inline bool char__is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static inline bool char__begins_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool char__in_name(char c)
{
	return char__begins_name(c) || (c >= '0' && c <= '9');
}

void reader__blanks(struct reader *r);
/* Length of the name that stands here, 0 none. */
u32 reader__name(const struct reader *r);
/* Takes c, with blanks before it; false: something else stands here. */
bool reader__take(struct reader *r, char c);
/* Takes the word as a whole. */
bool reader__take_word(struct reader *r, const char *word);
/* A copy of text from..to. */
char *reader__copy(const struct reader *r, u32 from, u32 to);
/* An error at the place; what stands there is told by its length. */
int reader__expected(struct reader *r, const char *what);

/* Text that grows. */
struct text_buf {
	char *s;
	u32 len, cap;
};

void text_buf__add(struct text_buf *b, const char *s);
void text_buf__addf(struct text_buf *b, const char *fmt, ...) PRINTF_LIKE(2, 3);

#endif
