// SPDX-License-Identifier: GPL-2.0-only
#include "measures/file_names.h"

#include <stdio.h>

#define CUT "..." /* stands for the beginning of a path that is too long */

/* Where the last part of what was written begins. */
static char *parent(char *begin, char *end)
{
	while (end > begin && *--end != '/')
		;
	return end;
}

static void tidy_path(char *begin)
{
	char *to = begin, *from = begin;

	while (*from) {
		size_t len;

		from += strspn(from, "/");
		len = strcspn(from, "/");
		if (len == 2 && !memcmp(from, "..", 2)) {
			to = parent(begin, to);
		} else if (len && !(len == 1 && *from == '.')) {
			*to++ = '/';
			memmove(to, from, len);
			to += len;
		}
		from += len;
	}
	if (to == begin)
		*to++ = '/';
	*to = '\0';
}

/* memfds and mappings of System V are files without a directory, and have names of their own. */
static void bracket(char *text, size_t size)
{
	char name[64];

	copy_str(name, sizeof(name), text);
	if (!strncmp(name, "memfd:", 6))
		copy_str(name, sizeof(name), "memfd");
	else if (!strncmp(name, "SYSV", 4))
		copy_str(name, sizeof(name), "shm");
	snprintf(text, size, "[%s]", name);
}

void file_name__tidy(u64 value, char *text, size_t size)
{
	if (*text == '/')
		tidy_path(text);
	else if (!strncmp(text, CUT "/", sizeof(CUT)))
		tidy_path(text + sizeof(CUT) - 1);
	else if (*text != '[')
		bracket(text, size);
}

void file_system__tidy(u64 dev, char *text, size_t size)
{
	size_t type = strcspn(text, " ");

	/* Without a device of its own it is told by its number, as in /proc/self/mountinfo. */
	if (text[type] && !strncmp(text, text + type + 1, type) && !text[2 * type + 1])
		snprintf(text + type, size - type, " %llu:%llu", (unsigned long long)(dev >> 20),
			 (unsigned long long)(dev & 0xfffff));
}

bool file_name__dir(const char *text, u32 i, char *buf, size_t size)
{
	char *end;

	copy_str(buf, size, text);
	end = buf + strlen(buf);
	if (!strchr(buf, '/'))
		return !i;
	for (u32 up = 0; up <= i; up++) {
		if (end == buf || (up && end == buf + 1 && *buf == '/'))
			return false;
		end = parent(buf, end);
	}
	if (end == buf && *buf == '/')
		end++;
	*end = '\0';
	return end > buf;
}
