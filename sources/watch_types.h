/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Members of variables by debug information: where "var.member[3].next->field" is. Only what is in the file
 * itself is read, within bounds; the file is hostile.
 */
#ifndef SOURCES_WATCH_TYPES_H
#define SOURCES_WATCH_TYPES_H

#include "base/base.h"

#define WATCH_STEPS 8

/* What to add to an address; behind each but the last the pointer that is there is followed. */
struct watch_path {
	u32 n;
	u64 add[WATCH_STEPS];
};

/* at: the variable, as the file has it; len: bytes of what is named. -ENOENT, -ENODATA (no debug information),
 * -EINVAL: it does not lead there; with words in why. */
int watch_types__find(const char *path, const char *text, u64 *at, struct watch_path *way, u64 *len,
		      char *why, size_t size);

#endif
