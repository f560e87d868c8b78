/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Looks at the parts of DWARF whose reading by libdw has no bound of its own, before libdw
 * does: a few bytes can make it allocate gigabytes (a line table whose every file names one
 * huge directory) or spin for hours (an abbreviation with a million attributes of no size).
 * Formats: DWARF 5, sections 7.5.3 (abbreviations) and 6.2.4 (line number programs).
 */
#ifndef SYMBOLS_DWARF_GUARD_H
#define SYMBOLS_DWARF_GUARD_H

#include <libelf.h>

#include "symbols/bytes.h"

/* Borrowed from the Elf, which outlives it. */
struct dwarf_guard {
	struct bytes info, abbrev, line, str, line_str;
	size_t longest_line_str;
	u64 last_offset; /* of the abbreviations looked at last: neighbours share them */
	u32 last_count;
	bool last_ok;
};

/* After dwarf_begin_elf(), which has uncompressed the sections. False when a string section
 * does not end with a NUL: libdw up to 0.188 relies on it. */
bool dwarf_guard__init(struct dwarf_guard *g, Elf *elf);
/* Are the abbreviations at an offset sane? count: how many there are. */
bool dwarf_guard__abbrevs(struct dwarf_guard *g, u64 offset, u32 *count);
/* Is the line table at an offset of a sane size and form? comp_dir: of its unit, NULL none. */
bool dwarf_guard__lines(const struct dwarf_guard *g, u64 offset, const char *comp_dir);
/* The length of a string that DWARF points at: at most max, and never past the end of its
 * section, which libdw does not see to. */
size_t dwarf_guard__strlen(const struct dwarf_guard *g, const char *s, size_t max);

#endif
