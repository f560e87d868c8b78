// SPDX-License-Identifier: GPL-2.0-only
/* A library that forgets memory, and is closed again: heap_leaks opens it. */
#include <stdlib.h>

#include "work.h"

void leak_in_library(int n, size_t size);

NOINLINE void leak_in_library(int n, size_t size)
{
	for (int i = 0; i < n; i++) {
		void *p = malloc(size);

		__asm__ volatile("" : : "r"(p) : "memory");
	}
}
