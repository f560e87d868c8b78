/* SPDX-License-Identifier: GPL-2.0-only */
/* A test that cannot run here says why: the runner counts a skip without a reason as failed. */
#ifndef TESTS_LIB_SKIP_H
#define TESTS_LIB_SKIP_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define skip_because(reason)                                                                       \
	do {                                                                                       \
		puts("skip: " reason);                                                             \
		skip();                                                                            \
	} while (0)

/* What /proc tells of a process under qemu's user mode is in part what it tells of qemu, and some
 * calls are not there. */
static inline bool is_emulated(void)
{
	int fd = open("/proc/self/comm", O_RDONLY);
	char comm[16] = "";

	if (fd < 0 || read(fd, comm, sizeof(comm) - 1) < 0)
		return false;
	close(fd);
	return !strncmp(comm, "qemu-", 5);
}

#define skip_when_emulated()                                                                       \
	do {                                                                                       \
		if (is_emulated())                                                                 \
			skip_because("qemu's user mode is no kernel to look at");                  \
	} while (0)

#endif
