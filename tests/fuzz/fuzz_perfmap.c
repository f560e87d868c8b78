/* SPDX-License-Identifier: GPL-2.0-only */
/* What a JIT says about its code. The file grows: it is given in two halves. */
#include <unistd.h>

#include "symbols/perfmap.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perfmap *p = perfmap__new((u32)getpid(), 0);
	struct perfmap_hit hit;
	u32 known;

	perfmap__refresh_fd(p, fuzz__file(data, size / 2));
	perfmap__refresh_fd(p, fuzz__file(data, size));
	for (u64 at = 0; at < 0x10000; at += 0x333)
		if (perfmap__find(p, at, &hit) && (at < hit.start || at - hit.start >= hit.size))
			abort();
	perfmap__find(p, UINT64_MAX, &hit);
	known = perfmap__count(p);
	perfmap__free(p);
	return fuzz__through(known);
}
