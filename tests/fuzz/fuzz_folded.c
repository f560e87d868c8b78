// SPDX-License-Identifier: GPL-2.0-only
/* Folded stacks, into a recording that is read to its end. */
#include <unistd.h>

#include "recording/folded_in.h"
#include "recording/reader.h"
#include "tests/fuzz/fuzz.h"

#define SYMBOLS_FOR 2000 /* inputs: its tables only grow */

static struct symbols *symbols;
static u32 inputs;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz__file(data, size), made;
	struct status st = {0};
	struct record_interval iv;
	struct reader *r;

	if (inputs++ % SYMBOLS_FOR == 0) {
		symbols__free(symbols);
		symbols = symbols__new(&st);
	}
	folded__is(fd);
	made = folded_import(fd, symbols, "folded", "", &st);
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
