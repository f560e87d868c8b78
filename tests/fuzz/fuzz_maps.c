/* SPDX-License-Identifier: GPL-2.0-only */
/* /proc/PID/maps, whose paths the process chooses, and the table of mappings behind it. */
#include <unistd.h>

#include "symbols/maps.h"
#include "tests/fuzz/fuzz.h"

struct reader {
	struct maps *maps;
	u64 t_ns;
};

static void add(void *ctx, const struct maps_line *l)
{
	struct reader *r = ctx;

	if (strlen(l->path) > 1u << 16)
		abort();
	if (l->start >= l->end)
		return;
	maps__add(r->maps, &(struct mapping){.start = l->start,
					     .end = l->end,
					     .pgoff = l->pgoff,
					     .t_ns = r->t_ns++,
					     .file = (u32)l->inode});
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct reader r = {.maps = maps__new()};
	int fd = fuzz__file(data, size);
	struct maps *other;
	u32 known;

	maps__read(fd, add, &r);
	close(fd);
	other = maps__get(r.maps);
	maps__own(&r.maps);
	for (u64 ip = 0x400000; ip < 0x480000; ip += 0x1fff) {
		const struct mapping *m = maps__find(r.maps, ip, ip & 15);

		if (m && (ip < m->start || ip >= m->end))
			abort();
	}
	maps__find(r.maps, UINT64_MAX, UINT64_MAX);
	maps__all(r.maps, &known);
	maps__put(other);
	maps__put(r.maps);
	return fuzz__through(known);
}
