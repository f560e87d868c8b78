/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a user is told when something fails: one clear line that says what to do,
 * and the exit code that goes with it. Functions that can fail in a way a user
 * sees return 0 or -errno and fill a struct status.
 */
#ifndef BASE_STATUS_H
#define BASE_STATUS_H

#include "base/base.h"

enum exit_code {
	EXIT_CODE_OK = 0,
	EXIT_CODE_FAILURE = 1,
	EXIT_CODE_USAGE = 2,
	EXIT_CODE_PERMISSION = 3,
	EXIT_CODE_UNSUPPORTED = 4, /* this kernel or CPU cannot do what was asked */
	/* Of a command that cannot be run, as shells have them. */
	EXIT_CODE_NOT_EXECUTABLE = 126,
	EXIT_CODE_NOT_FOUND = 127,
};

struct status {
	enum exit_code code;
	char msg[512];
};

/* Fills st (may be NULL) and returns err, so that callers can `return status__set(...)`. */
int status__set(struct status *st, enum exit_code code, int err, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

/* The exit code that a -errno from the kernel usually means. */
enum exit_code exit_code__from_errno(int err);

#endif
