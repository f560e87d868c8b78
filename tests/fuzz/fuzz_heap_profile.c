// SPDX-License-Identifier: GPL-2.0-only
/* Heap profiles of allocators, into a recording that is read to its end; names as pprof has them. */
#include <unistd.h>

#include "recording/heap_in.h"
#include "recording/pprof_maps.h"
#include "recording/reader.h"
#include "tests/fuzz/fuzz.h"

#define SYMBOLS_FOR 2000 /* inputs: its tables only grow */

static struct symbols *symbols;
static u32 inputs;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz__file(data, size), made;
	char name[512];
	struct status st = {0};
	struct record_interval iv;
	struct reader *r;

	copy_str(name, MIN(size + 1, sizeof(name)), (const char *)data);
	pprof_name__shorten(name);
	if (inputs++ % SYMBOLS_FOR == 0) {
		symbols__free(symbols);
		symbols = symbols__new(&st);
	}
	heap_profile__is(fd);
	made = heap_profile_import(fd, symbols, "profile", "", &st);
	if (made < 0 && !st.msg[0])
		abort();
	if (made >= 0) {
		r = reader__open_memory(made, symbols, &st);
		if (!r || !reader__next(r, &iv))
			abort();
		reader__free(r);
	}
	close(fd);
	return fuzz__through(made >= 0);
}
