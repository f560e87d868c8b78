/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What fuzzers share. One fuzzer a file, tests/fuzz/fuzz_NAME.c, one entry point in it; its
 * seeds come from tests/fuzz/seeds.sh. To add one: write the file, give it seeds there; the
 * makefile picks it up.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include "base/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

/* A file in memory with these bytes, at its beginning; the caller closes it. */
int fuzz__file(const uint8_t *data, size_t size);
/* A NUL-terminated copy for free(). */
char *fuzz__string(const uint8_t *data, size_t size);
/* The same up to the first NUL; *rest is what stands behind it, in the copy too. */
char *fuzz__string_and(const uint8_t *data, size_t size, char **rest);
/*
 * What an entry point ends with: whether the input got all the way through what it is for. Always
 * 0. They are counted and told at the end: a fuzzer whose inputs are all turned away at the door
 * would find nothing, and look well. Each seed has to get through, unless its name begins with
 * "wrong"; see run.sh.
 */
int fuzz__through(bool yes);

#endif
