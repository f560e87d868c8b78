/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Makes a statement of a query's text, byte by byte: literals become `?`, comments and what is
 * more than one blank are left out. Shared by kernel and user side: programs hash what comes out, so
 * that queries which differ in literals alone count as one, and user space writes the same out.
 */
#ifndef BPF_SQL_FOLD_H
#define BPF_SQL_FOLD_H

#include <linux/types.h>

/* MariaDB: "..." is a string, \ escapes, # begins a comment. PostgreSQL: $1 and $tag$...$tag$. */
enum sql_dialect { SQL_POSTGRESQL, SQL_MARIADB, SQL_DIALECTS };

enum sql_state {
	SQL_TEXT,
	SQL_WORD,
	SQL_NUMBER,
	SQL_STRING,
	SQL_NAME, /* in quotes */
	SQL_LINE_COMMENT,
	SQL_BLOCK_COMMENT,
	SQL_TAG,     /* of a dollar quote, at its begin */
	SQL_DOLLARS, /* within one */
	SQL_END_TAG, /* maybe */
};

/* All 0 but for the dialect before the first byte. */
struct sql_fold {
	__u8 dialect, state;
	__u8 quote;   /* that ends what it is in */
	__u8 escapes; /* \ does in this string */
	__u8 skip;    /* the next byte belongs to the last one */
	__u8 blank;   /* there was some since the last byte that came out */
	__u8 last;    /* that came out */
	__u8 before;  /* the byte before, of numbers and words */
	__u32 length; /* of a word */
	__u32 tag, end_tag;
};

#define SQL_FOLD_BLANK 0x100 /* a blank comes before the byte */

#define SQL_FOLD_INLINE static inline __attribute__((always_inline))

SQL_FOLD_INLINE int sql__is_digit(__u8 c)
{
	return c >= '0' && c <= '9';
}

SQL_FOLD_INLINE int sql__is_word(__u8 c)
{
	return sql__is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c >= 0x80;
}

/* Whether a sign after it belongs to the number behind. */
SQL_FOLD_INLINE int sql__is_operator(__u8 c)
{
	return !c || c == '=' || c == '<' || c == '>' || c == '+' || c == '-' || c == '*' ||
	       c == '/' || c == '%' || c == '(' || c == ',' || c == '|' || c == '&' || c == '[';
}

SQL_FOLD_INLINE __u32 sql_fold__emit(struct sql_fold *f, __u8 c, __u8 state)
{
	__u32 blank = f->blank && f->last ? SQL_FOLD_BLANK : 0;

	f->state = state;
	f->blank = 0;
	f->last = c;
	return c | blank;
}

SQL_FOLD_INLINE __u32 sql_fold__enter(struct sql_fold *f, __u8 state, __u8 skip)
{
	f->state = state;
	f->skip = skip;
	f->blank = 1;
	return 0;
}

/* At a quote; `joined`: a word ends right before it. */
SQL_FOLD_INLINE __u32 sql_fold__quote(struct sql_fold *f, __u8 c, int joined)
{
	f->quote = c;
	if (c == '`' || (c == '"' && f->dialect == SQL_POSTGRESQL))
		return sql_fold__emit(f, c, SQL_NAME);
	f->escapes = f->dialect == SQL_MARIADB ||
		     (joined && f->length == 1 && (f->last | 0x20) == 'e');
	return sql_fold__emit(f, '?', SQL_STRING);
}

/* At a dollar that is in no word. */
SQL_FOLD_INLINE __u32 sql_fold__dollar(struct sql_fold *f, __u8 next)
{
	if (sql__is_digit(next))
		return sql_fold__emit(f, '?', SQL_NUMBER);
	if (next != '$' && !sql__is_word(next))
		return sql_fold__emit(f, '$', SQL_TEXT);
	f->tag = 0;
	return sql_fold__emit(f, '?', SQL_TAG);
}

/* Where a token may begin. */
SQL_FOLD_INLINE __u32 sql_fold__begin(struct sql_fold *f, __u8 c, __u8 next, int joined)
{
	if (c <= ' ') {
		f->state = SQL_TEXT;
		f->blank = 1;
		return 0;
	}
	if (c == '-' && next == '-')
		return sql_fold__enter(f, SQL_LINE_COMMENT, 0);
	if (c == '#' && f->dialect == SQL_MARIADB)
		return sql_fold__enter(f, SQL_LINE_COMMENT, 0);
	if (c == '/' && next == '*')
		return sql_fold__enter(f, SQL_BLOCK_COMMENT, 1);
	if (c == '\'' || c == '"' || c == '`')
		return sql_fold__quote(f, c, joined);
	if (c == '$' && f->dialect == SQL_POSTGRESQL)
		return sql_fold__dollar(f, next);
	f->before = c;
	if (sql__is_digit(c) || (c == '.' && sql__is_digit(next) && sql__is_operator(f->last)))
		return sql_fold__emit(f, '?', SQL_NUMBER);
	if ((c == '-' || c == '+') && (sql__is_digit(next) || next == '.') &&
	    sql__is_operator(f->last)) {
		f->state = SQL_TEXT;
		return 0;
	}
	f->length = 1;
	return sql_fold__emit(f, c, sql__is_word(c) ? SQL_WORD : SQL_TEXT);
}

/* Whether a byte still belongs to a number: 1.5e-3, 0x1f, 1_000. */
SQL_FOLD_INLINE int sql_fold__counts(const struct sql_fold *f, __u8 c, __u8 next)
{
	if (sql__is_word(c) || c == '.')
		return 1;
	return (c == '-' || c == '+') && (f->before | 0x20) == 'e' && sql__is_digit(next);
}

SQL_FOLD_INLINE __u32 sql_fold__string(struct sql_fold *f, __u8 c, __u8 next)
{
	if (c == '\\' && f->escapes)
		f->skip = 1;
	else if (c == f->quote && next == f->quote)
		f->skip = 1;
	else if (c == f->quote)
		f->state = SQL_TEXT;
	return 0;
}

/* $tag$ ... $tag$: the tag by its hash. */
SQL_FOLD_INLINE __u32 sql_fold__dollars(struct sql_fold *f, __u8 c)
{
	if (f->state == SQL_TAG) {
		if (c == '$')
			f->state = SQL_DOLLARS;
		else
			f->tag = f->tag * 31 + c + 1;
	} else if (c == '$') {
		f->state = f->state == SQL_END_TAG && f->end_tag == f->tag ? SQL_TEXT : SQL_END_TAG;
		f->end_tag = 0;
	} else if (f->state == SQL_END_TAG) {
		f->end_tag = f->end_tag * 31 + c + 1;
		if (!sql__is_word(c))
			f->state = SQL_DOLLARS;
	}
	return 0;
}

/* One byte, and the one after it (0: none). What comes out: 0 nothing, else the byte, and
 * SQL_FOLD_BLANK. */
SQL_FOLD_INLINE __u32 sql_fold__step(struct sql_fold *f, __u8 c, __u8 next)
{
	if (f->skip) {
		f->skip = 0;
		return 0;
	}
	switch (f->state) {
	case SQL_WORD:
		if (!sql__is_word(c) && c != '$')
			return sql_fold__begin(f, c, next, 1);
		f->length++;
		return sql_fold__emit(f, c, SQL_WORD);
	case SQL_NUMBER:
		if (!sql_fold__counts(f, c, next))
			return sql_fold__begin(f, c, next, 0);
		f->before = c;
		return 0;
	case SQL_STRING:
		return sql_fold__string(f, c, next);
	case SQL_NAME:
		return sql_fold__emit(f, c, c == f->quote ? SQL_TEXT : SQL_NAME);
	case SQL_LINE_COMMENT:
		if (c == '\n')
			f->state = SQL_TEXT;
		return 0;
	case SQL_BLOCK_COMMENT:
		if (c == '*' && next == '/')
			sql_fold__enter(f, SQL_TEXT, 1);
		return 0;
	case SQL_TAG:
	case SQL_DOLLARS:
	case SQL_END_TAG:
		return sql_fold__dollars(f, c);
	default:
		return sql_fold__begin(f, c, next, 0);
	}
}

#endif
