// SPDX-License-Identifier: GPL-2.0-only
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

ssize_t file__read(int dirfd, const char *path, char *buf, size_t size)
{
	int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : 0;
	size_t n = 0;

	while (fd >= 0 && n < size - 1 && (got = read(fd, buf + n, size - 1 - n)) > 0)
		n += (size_t)got;
	buf[n] = '\0';
	got = got < 0 && !n ? -errno : (ssize_t)n;
	if (fd >= 0)
		close(fd);
	return got;
}

static char *next_line(FILE *f, char *buf, size_t size)
{
	char *line = fgets(buf, (int)size, f);

	if (line)
		line[strcspn(line, "\n")] = '\0';
	return line;
}

bool file__line(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	bool found = f && next_line(f, buf, size);

	if (f)
		fclose(f);
	return found;
}

long file__number(const char *path, long otherwise)
{
	char line[64], *end;
	long n;

	if (!file__line(path, line, sizeof(line)))
		return otherwise;
	n = strtol(line, &end, 10);
	return end == line ? otherwise : n;
}

static void add_value(const char *line, const struct file_value *v, u32 n)
{
	char name[64];
	unsigned long long value;

	if (sscanf(line, "%63[^: ]%*[: ]%llu", name, &value) != 2)
		return;
	for (u32 i = 0; i < n; i++)
		if (!strcmp(name, v[i].name))
			*v[i].to += value * v[i].unit;
}

void file__add_values(const char *path, const struct file_value *v, u32 n)
{
	FILE *f = fopen(path, "re");
	char line[512];

	while (f && next_line(f, line, sizeof(line)))
		add_value(line, v, n);
	if (f)
		fclose(f);
}

bool file__field(const char *path, const char *name, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	size_t n = strlen(name);
	bool found = false;
	char line[512];

	while (f && !found && next_line(f, line, sizeof(line)))
		found = !strncmp(line, name, n) && line[n] == ':';
	if (found)
		copy_str(buf, size, line + n + 1 + strspn(line + n + 1, " \t"));
	if (f)
		fclose(f);
	return found;
}
