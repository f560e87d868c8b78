/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines and inline chains of a hostile ELF file. */
#include <unistd.h>

#include "symbols/debuginfo.h"
#include "tests/fuzz/fuzz.h"

static bool look_up(struct debuginfo *d, u64 addr)
{
	struct inline_frame frames[8];
	const char *file;
	size_t sum = 0;
	bool known;
	u32 line;
	int n;

	known = debuginfo__line(d, addr, &file, &line);
	if (known)
		sum += strlen(file);
	n = debuginfo__inlined(d, addr, frames, ARRAY_SIZE(frames));
	for (int i = 0; i < n; i++)
		sum += strlen(frames[i].name);
	if (sum > 1u << 20)
		abort(); /* names have a bound */
	return known;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz__file(data, size);
	struct debuginfo *d;
	bool known = false;
	char note[160];

	d = debuginfo__open(fd, "/nowhere/fuzz", "", note, sizeof(note));
	close(fd);
	if (!d)
		return 0;
	/* Where the seeds have their code. */
	for (u64 addr = 0x200; addr < 0x1400; addr += 23)
		known |= look_up(d, addr);
	look_up(d, UINT64_MAX);
	debuginfo__close(d);
	return fuzz__through(known);
}
