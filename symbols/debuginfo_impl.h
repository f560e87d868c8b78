/* SPDX-License-Identifier: GPL-2.0-only */
/* Debug information from within: its units, which hold what, and what is looked for in them. As symbols/debuginfo.h. */
#ifndef SYMBOLS_DEBUGINFO_IMPL_H
#define SYMBOLS_DEBUGINFO_IMPL_H

#include <elfutils/libdw.h>

#include "base/arena.h"
#include "base/hidx.h"
#include "symbols/debugfile.h"
#include "symbols/debuginfo.h"
#include "symbols/dwarf_guard.h"
#include "symbols/dwarf_scopes.h"

#define DEBUGINFO_MAX_OVERLAP 16 /* spans looked at for one address */
#define DEBUGINFO_MAX_UNIT (64u << 20) /* bytes of .debug_info; larger ones are not walked */
#define DEBUGINFO_MAX_STRING 8192 /* longer names are cut */

struct unit {
	Dwarf_Off die;
	u64 size, abbrevs;
	bool has_lines, lines_bad, walked;
	struct dwarf_scopes scopes;
};

/* Addresses of a unit; sorted by start. */
struct span {
	u64 start, end;
	u64 max_end; /* of this and all before: where to stop when looking back */
	u32 unit;
};

struct debuginfo {
	struct debugfile program, separate, alt;
	Dwarf *dwarf, *alt_dwarf;
	struct go_table *go; /* where there is none */
	struct dwarf_guard guard, alt_guard;
	struct unit *units;
	struct span *spans;
	u32 nunits, nspans, cap_units, cap_spans;
	bool indexed;
	u32 strikes;
	size_t memory; /* estimate, since the Dwarf was opened */
	struct arena strings;
	struct hidx by_string;
	const char **interned;
	u32 ninterned;
};

/* The units that hold an address, the likeliest first: more than one where broken or folded
 * sections overlap. Returns their number. */
u32 debuginfo__units_at(struct debuginfo *d, u64 addr, struct unit **out, u32 max);
/* All of them are known afterwards. */
void debuginfo__index(struct debuginfo *d);
bool debuginfo__unit_die(struct debuginfo *d, const struct unit *u, Dwarf_Die *die);
/* The text of an attribute, or of that of what it stands for; the owner's. NULL: it has none. */
const char *debuginfo__die_string(struct debuginfo *d, Dwarf_Die *die, unsigned int attribute);

#endif
