/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of users, from /etc/passwd alone: a directory service that does not answer must not stop
 * whoever asks. One owner.
 */
#ifndef BASE_USERS_H
#define BASE_USERS_H

#include "base/hidx.h"

struct users {
	struct arena arena;
	struct user {
		u32 uid;
		const char *name;
	} * v;
	u32 n;
	struct hidx by_uid;
};

/* Reads the file. */
void users__init(struct users *u);
void users__fini(struct users *u);
/* The name, or the number as text; good until users__fini. */
const char *users__name(struct users *u, u32 uid);

#endif
