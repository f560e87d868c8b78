// SPDX-License-Identifier: GPL-2.0-only
/* Folded stacks, into a recording that is read to its end. */
#include <sys/mman.h>
#include <unistd.h>

#include "recording/folded_in.h"
#include "recording/reader.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = fuzz__file(data, size), to = memfd_create("fuzz", MFD_CLOEXEC);
	struct status st = {0};
	struct tape_interval iv;
	struct reader *r;

	folded__is(fd);
	if (folded_import(fd, to, "folded", &st)) {
		if (!st.msg[0])
			abort();
		close(to);
	} else {
		r = reader__open_fd(to, "folded", NULL, &st);
		if (!r || !reader__next(r, &iv))
			abort();
		reader__free(r);
	}
	close(fd);
	return 0;
}
