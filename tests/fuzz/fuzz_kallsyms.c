/* SPDX-License-Identifier: GPL-2.0-only */
#include <unistd.h>

#include "symbols/kallsyms.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz__file(data, size);
	struct kallsyms *k = kallsyms__read(fd);
	struct kallsym sym;
	size_t sum = 0;

	for (u64 at = 0xffffffff81000000; at < 0xffffffff81010000; at += 0x333)
		if (kallsyms__find(k, at, &sym))
			sum += strlen(sym.name) + strlen(sym.module);
	kallsyms__find(k, UINT64_MAX, &sym);
	kallsyms__find(k, 0, &sym);
	if (sum > size * 4096)
		abort();
	kallsyms__free(k);
	close(fd);
	return fuzz__through(sum);
}
