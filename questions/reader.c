// SPDX-License-Identifier: GPL-2.0-only
#include "questions/reader.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/caret.h"
#include "base/utf8.h"

#define EXCERPT 100 /* characters of a text that an error shows */

void reader__blanks(struct reader *r)
{
	while (char__is_blank(reader__peek(r, 0)))
		r->pos++;
}

u32 reader__name(const struct reader *r)
{
	u32 n = 0;

	if (char__begins_name(reader__peek(r, 0)))
		while (char__in_name(reader__peek(r, n)))
			n++;
	return n;
}

bool reader__take(struct reader *r, char c)
{
	reader__blanks(r);
	if (reader__peek(r, 0) != c)
		return false;
	r->pos++;
	return true;
}

bool reader__take_word(struct reader *r, const char *word)
{
	u32 n;

	reader__blanks(r);
	n = reader__name(r);
	if (n != strlen(word) || memcmp(r->text + r->pos, word, n))
		return false;
	r->pos += n;
	return true;
}

char *reader__copy(const struct reader *r, u32 from, u32 to)
{
	char *s = arena__alloc(r->arena, to - from + 1);

	memcpy(s, r->text + from, to - from);
	return s;
}

int reader__expected(struct reader *r, const char *what)
{
	u32 n;

	reader__blanks(r);
	n = reader__name(r);
	return expr__fail(r->err, r->pos, MAX(n, 1u), "%s", what);
}

int expr__fail(struct expr_error *err, u32 at, u32 length, const char *fmt, ...)
{
	va_list args;

	err->column = at;
	err->length = MAX(length, 1u);
	va_start(args, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, args);
	va_end(args);
	return -EINVAL;
}

/* Where an excerpt begins: a little before the fault. */
static u32 excerpt_begin(const struct expr_error *err, const char *text)
{
	u32 from = err->column > EXCERPT / 2 ? err->column - EXCERPT / 2 : 0;

	while (from && ((u8)text[from] & 0xc0) == 0x80)
		from--;
	return from;
}

void expr_error__print(const struct expr_error *err, const char *text, char *buf, size_t size)
{
	u32 from = strlen(text) > EXCERPT ? excerpt_begin(err, text) : 0, column = 0, length = 0;
	char line[EXCERPT * 4 + 1], caret[EXCERPT + 2], msg[sizeof(err->msg)];
	const char *s = text + from, *m = err->msg;
	u32 n = 0;

	for (u32 i = 0; i < EXCERPT && *s; i++) {
		if ((u32)(s - text) < err->column)
			column = n + 1;
		line[n] = '\0';
		n += utf8__clean(&s, line + n);
		if ((u32)(s - text) <= err->column)
			column = n;
		if ((u32)(s - text) <= err->column + err->length)
			length = n;
	}
	line[n] = '\0';
	caret__draw(column, length > column ? length - column : 1, line, caret, sizeof(caret));
	for (n = 0; *m && n + 5 < sizeof(msg);)
		n += utf8__clean(&m, msg + n);
	msg[n] = '\0';
	snprintf(buf, size, "%s\n%s\n%s", msg, line, caret);
}

void text_buf__add(struct text_buf *b, const char *s)
{
	u32 n = (u32)strlen(s);

	if (b->len + n + 1 > b->cap) {
		b->cap = MAX(b->cap * 2, b->len + n + 64);
		b->s = xrealloc(b->s, b->cap);
	}
	memcpy(b->s + b->len, s, n + 1);
	b->len += n;
}

void text_buf__addf(struct text_buf *b, const char *fmt, ...)
{
	char line[64];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	text_buf__add(b, line);
}
