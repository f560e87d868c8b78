/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ELF files that hold a program's debug information: the program itself, its separate
 * debug file (by build-id, else by .gnu_debuglink), and the one dwz moved shared parts to
 * (.gnu_debugaltlink). Looked for below a process's root, then below the host's
 * /usr/lib/debug. A file counts only when its build-id or checksum matches.
 * One thread at a time.
 */
#ifndef SYMBOLS_DEBUGFILE_H
#define SYMBOLS_DEBUGFILE_H

#include <libelf.h>

#include "base/base.h"

struct debugfile {
	int fd; /* -1: none */
	Elf *elf;
	char *path; /* as opened, without the root; "" when not known */
};

#define DEBUGFILE_NONE ((struct debugfile){.fd = -1})

/* Takes fd over, on failure too. why (may be NULL) is one line. A file that others may cut
 * short is read into memory instead of mapped: a mapping of it could kill us any time. */
int debugfile__open(struct debugfile *f, int fd, const char *root, const char *path, char *why,
		    size_t why_size);
/*
 * A file with nothing in it, to stand in for a dwz file that was not found: left without
 * one, libdw would open whatever path .gnu_debugaltlink names on its own, devices included.
 */
int debugfile__open_empty(struct debugfile *f);
void debugfile__close(struct debugfile *f);
/* Has it .debug_info or .debug_line with content, for addresses of a linked program? */
bool debugfile__has_dwarf(const struct debugfile *f);
/* 0 or -ENOENT. path: of the program, to find a .gnu_debuglink's neighbours; may be "". */
int debugfile__find_separate(const struct debugfile *program, const char *root, const char *path,
			     struct debugfile *out);
/* The file that a .gnu_debugaltlink in f names, if any: 1 found, 0 f needs none, -ENOENT. */
int debugfile__find_alt(const struct debugfile *f, const char *root, struct debugfile *out);
/* The build-id in hex; "" when there is none. */
void debugfile__build_id(const struct debugfile *f, char *hex, size_t size);

#endif
