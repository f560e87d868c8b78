/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Source lines and inline chains of one ELF file, by libdw. One thread at a time. Finds
 * separate debug files (build-id, .gnu_debuglink, .gnu_debugaltlink) below the root it is
 * given and below /usr/lib/debug of the host. Broken DWARF gives "unknown". Of a Go program
 * without any, its runtime's own table tells (symbols/go_table.h), of lines and inline chains alone.
 */
#ifndef SYMBOLS_DEBUGINFO_H
#define SYMBOLS_DEBUGINFO_H

#include <elfutils/libdw.h>
#include <sys/types.h>

#include "base/base.h"
#include "symbols/inline_frame.h"

#define DEBUGINFO_NOBODY ((uid_t)-1)

struct debuginfo;

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

/* --- DIEs, for symbols/arguments.h: libdw's, valid until the next call of one above --- */

/* By its segments: p_vaddr space. */
bool debuginfo__vaddr(const struct debuginfo *d, u64 offset, u64 *vaddr);
/* The function that begins at an address, and its unit. */
bool debuginfo__function(struct debuginfo *d, u64 vaddr, Dwarf_Die *function, Dwarf_Die *unit);
/* A name that is there whatever the file says; NULL: none. Owned. */
const char *debuginfo__die_name(struct debuginfo *d, Dwarf_Die *die);
/* What compiler a unit is of, likewise. */
const char *debuginfo__die_producer(struct debuginfo *d, Dwarf_Die *unit);
/* A struct, class or union of this name that is defined in any unit: as far as a second goes. */
bool debuginfo__find_record(struct debuginfo *d, const char *name, Dwarf_Die *record);
/* One of an enum's names, likewise. */
bool debuginfo__find_enumerator(struct debuginfo *d, const char *name, Dwarf_Die *enumerator);

#endif
