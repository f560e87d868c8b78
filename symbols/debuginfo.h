/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source lines and inline chains of one ELF file, by libdw. One thread at a time. Finds
 * separate debug files (build-id, .gnu_debuglink, .gnu_debugaltlink) below the root it is
 * given and below /usr/lib/debug of the host. Broken DWARF gives "unknown".
 */
#ifndef SYMBOLS_DEBUGINFO_H
#define SYMBOLS_DEBUGINFO_H

#include <sys/types.h>

#include "base/base.h"

#define DEBUGINFO_NOBODY ((uid_t)-1)

struct debuginfo;

struct inline_frame {
	const char *name; /* linkage or plain name, owned by the debuginfo */
};

/* fd: the ELF file, duplicated by the callee. path: for finding .gnu_debuglink neighbours,
 * may be ""; root: prefix like /proc/PID/root or "". NULL when there is no debug information
 * or it cannot be read; then note (size note_size) says why and what would help. */
struct debuginfo *debuginfo__open(int fd, const char *path, const char *root, char *note,
				  size_t note_size);
void debuginfo__close(struct debuginfo *d);
/* On whose word a path to a source is taken: of the one user beside root whose files the program
 * and its debug information are in, root when there is none, NOBODY when there are several. */
uid_t debuginfo__owner(const struct debuginfo *d);
/* vaddr: address as in the ELF file (p_vaddr space). False when unknown. file is owned. */
bool debuginfo__line(struct debuginfo *d, u64 vaddr, const char **file, u32 *line);
/* Inlined functions at vaddr, innermost first; returns their number. */
int debuginfo__inlined(struct debuginfo *d, u64 vaddr, struct inline_frame *out, int max);

#endif
