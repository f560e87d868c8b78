/* SPDX-License-Identifier: GPL-2.0-only */
/* A file that debug information says is source code: each line can be shown as it is. */
#include <stdio.h>
#include <unistd.h>

#include "symbols/sources.h"
#include "tests/fuzz/fuzz.h"

static void check_line(const char *line)
{
	if (strlen(line) > 500)
		abort();
	for (const char *c = line; *c; c++)
		if ((u8)*c < ' ' || *c == 0x7f)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz__file(data, size);
	struct sources *s = sources__new("", getuid());
	u32 lines = 1;
	bool any = false;
	char path[32];

	for (size_t i = 0; i < size; i++)
		lines += data[i] == '\n';
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	for (u32 i = 1; i <= lines; i++) {
		const char *line = sources__line(s, path, i);

		if (!line)
			abort();
		check_line(line);
		any |= *line;
	}
	if (sources__line(s, path, 0) || sources__line(s, path, lines + 1))
		abort();
	sources__free(s);
	close(fd);
	return fuzz__through(any);
}
