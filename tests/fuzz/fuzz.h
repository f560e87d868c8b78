/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What fuzzers share. One fuzzer a file, tests/fuzz/fuzz_NAME.c, one entry point in it; its
 * seeds come from tests/fuzz/seeds.sh. To add one: write the file, give it seeds there; the
 * makefile picks it up.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "core/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

/* A file in memory with these bytes, at its beginning; the caller closes it. */
int fuzz__file(const uint8_t *data, size_t size);
/* A NUL-terminated copy for free(). */
char *fuzz__string(const uint8_t *data, size_t size);

#endif
