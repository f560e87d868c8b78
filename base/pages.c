// SPDX-License-Identifier: GPL-2.0-only
#include "base/pages.h"

#include <string.h>
#include <sys/mman.h>

/* Of a file, private, and not to be written: such as code and constants. */
static bool is_of_file(const char *line, struct pages_range *out)
{
	unsigned long start, end, inode;
	char perms[5];

	if (sscanf(line, "%lx-%lx %4s %*s %*s %lu", &start, &end, perms, &inode) != 4)
		return false;
	*out = (struct pages_range){start, end};
	return inode && perms[0] == 'r' && perms[1] == '-' && perms[3] == 'p';
}

/* What the loader or a probe has written there is in the file's place: it must stay. Fields begin with a capital. */
bool pages__next_clean(FILE *smaps, struct pages_range *out)
{
	bool candidate = false;
	unsigned long written;
	char line[512];

	while (fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "Anonymous: %lu kB", &written) == 1) {
			if (candidate && !written)
				return true;
			candidate = false;
		} else if (line[0] < 'A' || line[0] > 'Z') {
			candidate = is_of_file(line, out);
		}
	}
	return false;
}

u64 pages__drop_files(void)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	struct pages_range r;
	u64 bytes = 0;

	while (smaps && pages__next_clean(smaps, &r))
		if (!madvise((void *)r.start, r.end - r.start, MADV_DONTNEED))
			bytes += r.end - r.start;
	if (smaps)
		fclose(smaps);
	return bytes;
}
