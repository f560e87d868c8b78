/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a JIT says about its code in /tmp/perf-PID.map: lines "START SIZE NAME", numbers in
 * hex, appended as code is made (Linux, tools/perf/Documentation/jit-interface.txt). The
 * file is under the control of whoever runs the process: it must be a regular file of the
 * process's user or of root, which everybody may read unless its user began both the process
 * and us (as root, just the process); it is never followed through a link, and at most
 * PERFMAP_BYTES and PERFMAP_ENTRIES are read. Names stay in the file. One thread at a time.
 */
#ifndef SYMBOLS_PERFMAP_H
#define SYMBOLS_PERFMAP_H

#include <stdio.h>
#include <sys/types.h>

#include "base/base.h"

#define PERFMAP_BYTES	(64u << 20)
#define PERFMAP_ENTRIES (1u << 20)
#define PERFMAP_NAME	512 /* longest name that is shown, with its NUL */

struct perfmap;

struct perfmap_hit {
	u64 start, size;
	char name[PERFMAP_NAME];
};

/* parent: whose map serves when the process has none (it was forked, and did not exec); 0 no
 * such. Nothing is read yet. */
struct perfmap *perfmap__new(u32 tgid, u32 parent);
void perfmap__free(struct perfmap *p);
/* Reads what was appended since; true when there is something new. */
bool perfmap__refresh(struct perfmap *p);
/* Where code was made twice at an address the later one counts. */
bool perfmap__find(struct perfmap *p, u64 addr, struct perfmap_hit *out);
/* Gives its descriptor back; names read later open the file again. */
void perfmap__rest(struct perfmap *p);
u32 perfmap__count(const struct perfmap *p);
/* What is wrong or missing, "" nothing. */
const char *perfmap__note(const struct perfmap *p);

/* The pid as the process itself knows it, and its users. */
struct perfmap_owner {
	u32 nspid;
	uid_t ruid, euid;
	bool known;
};

/* From /proc/PID/status; what is not said there stays as it is. */
void perfmap_owner__read(struct perfmap_owner *o, FILE *status);

/* Tests: as refresh, from a file that is open; the descriptor is taken over. */
bool perfmap__refresh_fd(struct perfmap *p, int fd);

#endif
