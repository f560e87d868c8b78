// SPDX-License-Identifier: GPL-2.0-only
#include "sources/cache_totals.h"

#include <stdio.h>

#include "base/file.h"

void cache_totals__read(struct cache_totals *t, struct cache_totals_sample *out)
{
	u64 refaults = 0, evicted = 0;
	const struct file_value memory[] = {
		{"Cached", &out->cached_bytes, 1024},
		{"Buffers", &out->buffers_bytes, 1024},
		{"Dirty", &out->dirty_bytes, 1024},
		{"Writeback", &out->writeback_bytes, 1024},
	};
	const struct file_value events[] = {
		{"workingset_refault_file", &refaults, 1},
		{"workingset_refault", &refaults, 1}, /* up to 5.8 */
		{"pgsteal_file", &evicted, 1},
	};

	file__add_values("/proc/meminfo", memory, ARRAY_SIZE(memory));
	file__add_values("/proc/vmstat", events, ARRAY_SIZE(events));
	if (t->begun) {
		out->refaults = refaults - MIN(refaults, t->refaults);
		out->evicted = evicted - MIN(evicted, t->evicted);
	}
	*t = (struct cache_totals){refaults, evicted, true};
}

static bool is_among(const char *type, const char *const *names)
{
	for (; *names; names++)
		if (!strcmp(*names, type))
			return true;
	return false;
}

static bool is_reported(const char *type, const char *out)
{
	size_t n = strlen(type);

	for (const char *at = strstr(out, type); at; at = strstr(at + n, type))
		if ((at == out || at[-1] == ' ') && (!at[n] || at[n] == ' '))
			return true;
	return false;
}

/* Those that hold no files of their own that anybody would write to. */
static bool has_pages(const char *type, const char *source)
{
	static const char *const none[] = {"overlay", "squashfs", "erofs", "iso9660", NULL};

	return (source[0] == '/' || !strcmp(type, "tmpfs")) && !is_among(type, none);
}

static void take_mount(const char *line, const char *const *seen, char *out, size_t size)
{
	const char *rest = strstr(line, " - ");
	char type[32], source[8];
	size_t len = strlen(out);

	if (!rest || sscanf(rest, " - %31s %7s", type, source) != 2 || !has_pages(type, source) ||
	    is_among(type, seen) || is_reported(type, out))
		return;
	if (len + strlen(type) + 2 <= size)
		snprintf(out + len, size - len, "%s%s", len ? " " : "", type);
}

void cache_totals__blind(const char *mountinfo, const char *const *seen, char *out, size_t size)
{
	char line[1024];

	out[0] = '\0';
	while (*mountinfo) {
		size_t n = strcspn(mountinfo, "\n");

		snprintf(line, sizeof(line), "%.*s", (int)MIN(n, sizeof(line) - 1), mountinfo);
		take_mount(line, seen, out, size);
		mountinfo += n + (mountinfo[n] == '\n');
	}
}
