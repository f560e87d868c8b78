/* SPDX-License-Identifier: GPL-2.0-only */
#include "tests/fuzz/elf_mutator.h"

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
	return elf__mutate(data, size, max_size, seed);
}
