/* SPDX-License-Identifier: GPL-2.0-only */
/* Disassembly of any bytes; the first one chooses the machine. */
#include <elf.h>

#include "symbols/annotate.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const u16 machines[] = {EM_X86_64, EM_AARCH64, EM_386, EM_NONE};
	struct annotate_code code = {.offset = 0x1000, .vaddr = 0xffffffff81001000};
	const struct annotation *a;
	u64 end = 0x1000;
	u32 insns;

	if (!size)
		return 0;
	code.machine = machines[data[0] % ARRAY_SIZE(machines)];
	code.bytes = data + 1;
	code.size = size - 1;
	a = annotate__code(1, &code);
	for (u32 i = 0; i < a->ninsns; i++) {
		if (a->insns[i].offset != end || !a->insns[i].text[0])
			abort(); /* no gap, no overlap */
		end += a->insns[i].size;
	}
	if (end > 0x1000 + code.size)
		abort();
	insns = a->ninsns;
	annotation__put(a);
	return fuzz__through(insns);
}
