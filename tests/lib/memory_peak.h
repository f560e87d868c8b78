/* SPDX-License-Identifier: GPL-2.0-only */
/* How much memory something takes at its most: done in a child, as a peak is never taken back. */
#ifndef TESTS_LIB_MEMORY_PEAK_H
#define TESTS_LIB_MEMORY_PEAK_H

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"

/* In MiB, at most 255; fn cannot fail the test. */
static inline int memory_peak(void (*fn)(int fd), int fd)
{
	pid_t pid = fork();
	struct rusage before, after;
	int status;

	if (!pid) {
		getrusage(RUSAGE_SELF, &before);
		fn(fd);
		getrusage(RUSAGE_SELF, &after);
		_exit((int)MIN((after.ru_maxrss - before.ru_maxrss) >> 10, 255L));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

#endif
