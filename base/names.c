// SPDX-License-Identifier: GPL-2.0-only
#include "base/names.h"

#include <stdio.h>

static u32 find(const char *const *names, u32 n, const char *name, size_t len)
{
	u32 i = 0;

	while (i < n && (strlen(names[i]) != len || memcmp(names[i], name, len) != 0))
		i++;
	return i;
}

bool names__parse(const char *const *names, u32 n, const char *text, u32 *bits)
{
	u32 all = 0;

	*bits = 0;
	for (size_t len;; text += len + 1) {
		u32 i;

		len = strcspn(text, ",+");
		i = find(names, n, text, len);
		if (i == n)
			return false;
		all |= 1u << i;
		if (!text[len])
			break;
	}
	*bits = all;
	return true;
}

const char *names__text(const char *const *names, u32 n, const u32 *order, u32 bits, char *buf,
			size_t size)
{
	size_t len = 0;

	*buf = '\0';
	for (u32 i = 0; i < n && len < size; i++) {
		u32 at = order ? order[i] : i;

		if (bits & (1u << at))
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? "+" : "",
						names[at]);
	}
	return buf;
}
