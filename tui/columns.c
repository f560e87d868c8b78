// SPDX-License-Identifier: GPL-2.0-only
#include "tui/columns.h"

#include <stdio.h>

#define LISTING_MAX 32

/* The next part into the name and the names (their length in *n); false at the end. */
static bool next_part(const char **at, char name[LISTING_MAX], const char **names, size_t *n)
{
	const char *from = *at + strspn(*at, "; ");
	size_t all = strcspn(from, ";"), colon = strcspn(from, ":;");

	if (!all)
		return false;
	copy_str(name, MIN(colon + 1, (size_t)LISTING_MAX), from);
	*names = colon < all ? from + colon + 1 : from + all;
	*n = (size_t)(from + all - *names);
	*at = from + all;
	return true;
}

bool columns__valid(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_-, ";
	char name[LISTING_MAX];
	const char *names;
	size_t n, parts = 0;

	if (strlen(text) >= COLUMNS_TEXT)
		return false;
	for (; next_part(&text, name, &names, &n); parts++)
		if (!*name || !n || strspn(names, letters) < n)
			return false;
	return parts > 0;
}

bool columns__of(const char *text, const char *listing, char *buf, size_t size)
{
	char name[LISTING_MAX];
	const char *names;
	size_t n;

	*buf = '\0';
	while (next_part(&text, name, &names, &n)) {
		if (strcmp(name, listing))
			continue;
		copy_str(buf, MIN(n + 1, size), names);
		return *buf != '\0';
	}
	return false;
}

bool columns__set(char text[COLUMNS_TEXT], const char *listing, const char *names)
{
	char next[COLUMNS_TEXT], name[LISTING_MAX];
	const char *at = text, *others;
	size_t len = 0, n;

	next[0] = '\0';
	while (len < sizeof(next) && next_part(&at, name, &others, &n))
		if (strcmp(name, listing))
			len += (size_t)snprintf(next + len, sizeof(next) - len, "%s%s:%.*s",
						len ? ";" : "", name, (int)n, others);
	if (*names && len < sizeof(next))
		len += (size_t)snprintf(next + len, sizeof(next) - len, "%s%s:%s", len ? ";" : "",
					listing, names);
	if (len >= sizeof(next))
		return false;
	memcpy(text, next, len + 1);
	return true;
}
