/* SPDX-License-Identifier: GPL-2.0-only */
/* Linkage names come from hostile files, and demanglers recurse. */
#include "symbols/demangle.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *linkage = fuzz__string(data, size), *name = demangle(linkage);
	bool known = name;

	if (name && strlen(name) > DEMANGLE_MAX_OUT + DEMANGLE_MAX_IN)
		abort();
	free(name);
	free(linkage);
	return fuzz__through(known);
}
