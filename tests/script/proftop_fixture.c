/* SPDX-License-Identifier: GPL-2.0-only */
/* proftop on recorded input: proftop_fixture FIXTURE [proftop's own arguments]. */
#include <stdio.h>
#include <sys/utsname.h>

#include "tests/lib/fixture.h"

/* In place of the C library's: the screens of recorded input are the same on each machine. */
int uname(struct utsname *name)
{
	*name = (struct utsname){
		.sysname = "Linux", .nodename = "web-03", .release = "6.1.0-18-amd64"};
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		fprintf(stderr, "usage: proftop_fixture FIXTURE [OPTIONS]\n");
		return 2;
	}
	return program__main(argc - 1, argv + 1, fixture__read(argv[1]));
}
