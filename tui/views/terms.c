// SPDX-License-Identifier: GPL-2.0-only
#include "tui/views/terms.h"

#include <stdio.h>
#include <stdlib.h>

#include "scope/filter.h"

/* What cannot be written in an expression: the filter language's own quote, and control
 * characters, which hostile names have. */
static bool is_unwritable(char c)
{
	return c == '"' || (u8)c < ' ' || c == 0x7f;
}

/* Quotes what a regular expression would act on; any character stands for an unwritable one. */
static void regex_quote(const char *s, char *buf, size_t size)
{
	size_t n = 0;

	for (; *s && n + 3 < size; s++) {
		if (strchr("\\^$.|?*+()[]{}", *s))
			buf[n++] = '\\';
		buf[n++] = is_unwritable(*s) ? '.' : *s;
	}
	buf[n] = '\0';
}

bool term__name(const char *field, const char *name, char *buf, size_t size)
{
	char quoted[512];

	if (!name)
		return false;
	regex_quote(name, quoted, sizeof(quoted));
	snprintf(buf, size, "%s~\"^%s$\"", field, quoted);
	return true;
}

bool term__id(const char *field, u32 id, char *buf, size_t size)
{
	snprintf(buf, size, "%s=%u", field, id);
	return id != UINT32_MAX;
}

bool term__cgroup(u64 id, const char *path, char *buf, size_t size)
{
	/* A row is what runs in the cgroup itself; one without a name is told by its id. */
	char *term = filter__cgroup(*path ? path : "/", *path && *path != '/');
	bool fits = strlen(term) < size;

	copy_str(buf, size, term);
	free(term);
	return id != 0 && fits;
}

bool terms__select(const void *row, u32 keys, u32 n, term_of_key term, char *buf, size_t size)
{
	char one[TERM_MAX];
	bool all = true;
	size_t len = 0;

	*buf = '\0';
	for (u32 k = 0; k < n; k++) {
		if (!(keys & 1u << k))
			continue;
		if (term(row, k, one, sizeof(one)) && len + strlen(one) + 2 < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? " " : "", one);
		else
			all = false;
	}
	return all;
}

bool terms__exclude(const void *row, u32 keys, const u8 *order, u32 n, term_of_key term, char *buf,
		    size_t size)
{
	for (u32 i = 0; i < n; i++)
		if (keys & 1u << order[i] && term(row, order[i], buf, size))
			return true;
	return false;
}

const struct scope *terms__scope(const struct scope *scope, const char *terms)
{
	char *both = filter__join(scope->text, terms);
	struct filter_error err;
	struct scope *narrow = filter__parse(both, &err), *resolved;

	free(both);
	resolved = narrow ? scope__resolve(narrow) : NULL;
	if (!resolved)
		return narrow;
	scope__put(narrow);
	return resolved;
}
