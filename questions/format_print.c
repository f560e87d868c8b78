// SPDX-License-Identifier: GPL-2.0-only
#include "questions/format_print.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Behind a text in quotes that begins at s. */
static const char *behind_quotes(const char *s)
{
	for (s++; *s && *s != '"'; s++)
		if (*s == '\\' && s[1])
			s++;
	return *s ? s + 1 : s;
}

/* The comma or parenthesis that ends an argument, or the end. */
static const char *end_of_argument(const char *s)
{
	u32 depth = 0;

	for (; *s; s++) {
		if (*s == '"')
			s = behind_quotes(s) - 1;
		else if (*s == '(' || *s == '{')
			depth++;
		else if ((*s == ')' || *s == '}') && depth)
			depth--;
		else if ((*s == ',' || *s == ')') && !depth)
			return s;
	}
	return s;
}

/* Behind `REC->field` in [s, end); NULL: it is not there. */
static const char *find_record(const char *s, const char *end, const char *field)
{
	static const char record[] = "REC->";
	size_t len = strlen(field);

	while ((s = strstr(s, record)) && s < end) {
		s += strlen(record);
		if (!strncmp(s, field, len) && !isalnum((u8)s[len]) && s[len] != '_')
			return s + len;
	}
	return NULL;
}

/* The n-th argument that is printed, behind the format's text; NULL: there are fewer. */
static const char *argument(const char *print, u32 n)
{
	const char *s = behind_quotes(print);

	for (; *s == ','; s = end_of_argument(s))
		if (s++, !n--)
			return s;
	return NULL;
}

/* The next thing that the text prints, behind its %; NULL: there is none before its closing quote. */
static const char *next_spec(const char *s)
{
	for (; *s && *s != '"'; s++) {
		if (*s == '\\' && s[1])
			s++;
		else if (*s == '%' && s[1] == '%')
			s++;
		else if (*s == '%')
			return s + 1;
	}
	return NULL;
}

bool trace_format__is_code(const struct trace_format *f, const char *field)
{
	const char *s = *f->print == '"' ? f->print + 1 : NULL, *arg;
	u32 n = 0;

	for (; s && (s = next_spec(s)); n++) {
		/* A width that is an argument: which one is which is not clear any more. */
		if (*s == '*')
			return false;
		if (*s != 'p' || !s[1] || !strchr("sSbBfF", s[1]))
			continue;
		arg = argument(f->print, n);
		if (arg && find_record(arg, end_of_argument(arg), field))
			return true;
	}
	return false;
}

/* { 1, "NAME" } */
static const char *read_value(const char *s, s64 *value, char *name, size_t size)
{
	const char *end;
	char *behind;

	s += strspn(s, ", ");
	if (*s != '{')
		return NULL;
	*value = strtoll(s + 1, &behind, 0);
	s = behind + strspn(behind, " )ULul");
	if (*s != ',')
		return NULL;
	s += 1 + strspn(s + 1, " ");
	if (*s != '"')
		return NULL;
	end = behind_quotes(s);
	snprintf(name, size, "%.*s", (int)MAX(end - s - 2, 0), s + 1);
	return end + strspn(end, " }");
}

bool trace_format__value(const struct trace_format *f, const char *field, u32 i, s64 *value, char *name, size_t size)
{
	static const char call[] = "__print_symbolic(";
	const char *s = f->print, *end;

	while ((s = strstr(s, call))) {
		s += strlen(call);
		end = find_record(s, end_of_argument(s), field);
		if (!end)
			continue;
		for (s = end; s && i != UINT32_MAX; i--)
			s = read_value(s, value, name, size);
		return s;
	}
	return false;
}
