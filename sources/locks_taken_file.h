/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the functions that take locks are in a file that processes map: those of glibc or musl, in a library or in the
 * program itself. */
#ifndef SOURCES_LOCKS_TAKEN_FILE_H
#define SOURCES_LOCKS_TAKEN_FILE_H

#include "base/base.h"

/* As glibc has them on 64-bit machines; musl's mutexes that are plain have none, and are not 0 there. */
#define TAKEN_MUTEX_OWNER  8
#define TAKEN_RWLOCK_OWNER 24
#define TAKEN_MUSL_OWNER   4

#define TAKEN_FUNCTIONS 64

struct taken_file {
	u64 dev, ino;
	u32 n; /* 0: there are none */
	u64 offsets[TAKEN_FUNCTIONS], cookies[TAKEN_FUNCTIONS]; /* TAKEN_COOKIE */
};

/* path: where it can be read; name: as it is mapped. */
void taken_file__look(struct taken_file *f, const char *path, const char *name);

#endif
