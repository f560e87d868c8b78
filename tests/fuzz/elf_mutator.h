/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Changes ELF files where it matters: within one section's bytes, or in the headers, without
 * moving what follows. Left to itself the fuzzer mostly makes files that are none.
 */
#ifndef TESTS_FUZZ_ELF_MUTATOR_H
#define TESTS_FUZZ_ELF_MUTATOR_H

#include "tests/fuzz/fuzz.h"

/* As LLVMFuzzerCustomMutator, which fuzzers of one ELF file have from tests/fuzz/elf_entry.c. */
size_t elf__mutate(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

#endif
