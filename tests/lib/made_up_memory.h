/* SPDX-License-Identifier: GPL-2.0-only */
/* Another process's memory, as a test makes it up: SIZE bytes at BASE, which are defined before. */
#ifndef TESTS_LIB_MADE_UP_MEMORY_H
#define TESTS_LIB_MADE_UP_MEMORY_H

#include <string.h>

#include "symbols/process_memory.h"

static u8 memory[SIZE];
static u32 reads; /* how many there were */

static bool read_made_up(void *ctx, u64 from, void *to, size_t size)
{
	reads++;
	if (from < BASE || from - BASE > SIZE || size > SIZE - (from - BASE))
		return false;
	memcpy(to, memory + (from - BASE), size);
	return true;
}

static const struct process_memory made_up = {read_made_up, NULL};

static inline void put(u64 at, u64 value, size_t size)
{
	memcpy(memory + (at - BASE), &value, size);
}

#endif
