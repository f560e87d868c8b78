// SPDX-License-Identifier: GPL-2.0-only
#include "measures/sql_text.h"

#include <string.h>

#include "base/base.h"

/* No byte comes out before it was read, and a blank only for one that was left out. */
static void fold_bytes(enum sql_dialect dialect, const char *text, char *out, size_t size)
{
	struct sql_fold f = {.dialect = (u8)dialect};
	size_t n = 0;

	for (; *text && n + 2 < size; text++) {
		u32 c = sql_fold__step(&f, (u8)text[0], (u8)text[1]);

		if (c & SQL_FOLD_BLANK)
			out[n++] = ' ';
		if (c)
			out[n++] = (char)c;
	}
	while (n && (out[n - 1] == ';' || out[n - 1] == ' '))
		n--;
	out[n] = '\0';
}

/* Behind a comma and a blank or none; NULL: there is no comma. */
static const char *after_comma(const char *at)
{
	if (*at == ' ')
		at++;
	if (*at != ',')
		return NULL;
	return at + 1 + (at[1] == ' ');
}

/* Behind "?, ?, ?"; *n: how many. */
static const char *skip_list(const char *at, u32 *n)
{
	const char *next;

	for (*n = 1;; ++*n) {
		next = after_comma(++at);
		if (!next || *next != '?')
			return at;
		at = next;
	}
}

/* Rows that are like the one before, as in VALUES (?, ?), (?, ?), are left out. */
static void fold_rows(char *text)
{
	const char *next;
	char *to = text, *open = NULL;

	for (const char *at = text; *at;) {
		if (*at == '(')
			open = to;
		*to++ = *at++;
		if (to[-1] != ')' || !open)
			continue;
		while ((next = after_comma(at)) && !strncmp(next, open, (size_t)(to - open)))
			at = next + (to - open);
		open = NULL;
	}
	*to = '\0';
}

#define MORE "?, ..."
#define LONG_LIST 4 /* literals; without blanks they take as much as what stands for them */

/* Whether "IN (" or "in(" ends there. */
static bool is_after_in(const char *text, const char *at)
{
	if (at == text || *--at != '(')
		return false;
	if (at > text && at[-1] == ' ')
		at--;
	return at - text > 2 && at[-3] == ' ' && !strncasecmp(at - 2, "in", 2);
}

static void fold_lists(char *text)
{
	char *to = text;

	for (const char *at = text; *at;) {
		const char *end = at + 1;
		u32 n = 0;

		if (*at == '?' && is_after_in(text, to))
			end = skip_list(at, &n);
		if (n >= LONG_LIST) {
			memcpy(to, MORE, sizeof(MORE) - 1);
			to += sizeof(MORE) - 1;
		} else {
			memmove(to, at, (size_t)(end - at));
			to += end - at;
		}
		at = end;
	}
	*to = '\0';
}

void sql_text__fold(enum sql_dialect dialect, const char *text, bool cut, char *out, size_t size)
{
	size_t n;

	fold_bytes(dialect, text, out, size);
	fold_rows(out);
	fold_lists(out);
	n = strlen(out);
	if (cut && n + 4 < size)
		memcpy(out + n, " ...", 5);
}
