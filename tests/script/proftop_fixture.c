/* SPDX-License-Identifier: GPL-2.0-only */
/* proftop on recorded input: proftop_fixture FIXTURE [proftop's own arguments]. */
#include <stdio.h>

#include "tests/lib/fixture.h"

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: proftop_fixture FIXTURE [OPTIONS]\n");
		return 2;
	}
	return program__main(argc - 1, argv + 1, fixture__read(argv[1]));
}
