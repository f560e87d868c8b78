/* SPDX-License-Identifier: GPL-2.0-only */
/* A folder of a test's own: files written, commands run in it, gone with the test. */
#ifndef TESTS_LIB_SCRATCH_H
#define TESTS_LIB_SCRATCH_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"

static char scratch_dir[64];

/* As a group's setup and teardown. */
static inline int scratch__make(const char *name)
{
	snprintf(scratch_dir, sizeof(scratch_dir), "/tmp/%.40s.XXXXXX", name);
	return mkdtemp(scratch_dir) ? 0 : -1;
}

static inline int scratch__remove(void **state)
{
	char *cmd = xasprintf("rm -rf %s", scratch_dir);
	int err = system(cmd);

	free(cmd);
	return err;
}

/* Runs a shell command in the folder; the test fails when it does. */
static inline void run(const char *fmt, ...) PRINTF_LIKE(1, 2);
static inline void run(const char *fmt, ...)
{
	char cmd[2048];
	int n = snprintf(cmd, sizeof(cmd), "cd %s && ", scratch_dir);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(cmd + n, sizeof(cmd) - (size_t)n, fmt, ap);
	va_end(ap);
	if (system(cmd))
		fail_msg("failed: %s", cmd);
}

static inline void write_file(const char *name, const char *text)
{
	char *path = xasprintf("%s/%s", scratch_dir, name);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	free(path);
}

#endif
