/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which functions are inlined where, for one compilation unit: its DIE tree is walked once
 * and flattened into disjoint address segments, each with its innermost inlined scope, so
 * that a look-up is one binary search and a walk up the parents. One thread at a time.
 */
#ifndef SYMBOLS_DWARF_SCOPES_H
#define SYMBOLS_DWARF_SCOPES_H

#include <elfutils/libdw.h>

#include "base/base.h"

#define SCOPE_NONE UINT32_MAX

/* A DW_TAG_inlined_subroutine. */
struct dwarf_scope {
	Dwarf_Off die;
	u32 parent;	  /* the scope it is inlined into, SCOPE_NONE: the function itself */
	bool named;	  /* name was looked up */
	const char *name; /* the owner's; NULL while unknown */
};

struct dwarf_segment {
	u64 start; /* up to the next one's start */
	u32 scope; /* SCOPE_NONE: nothing is inlined here */
};

struct dwarf_scopes {
	struct dwarf_scope *scopes;
	struct dwarf_segment *segments;
	u32 nscopes, nsegments;
	bool cut; /* a limit was met: what lies behind it is missing */
};

/* Never fails; broken DWARF gives fewer scopes. The abbreviations of the unit were checked
 * (dwarf_guard), or one step of the walk has no bound. */
void dwarf_scopes__init(struct dwarf_scopes *s, Dwarf_Die *unit);
void dwarf_scopes__fini(struct dwarf_scopes *s);
/* The innermost scope at an address, or SCOPE_NONE. */
u32 dwarf_scopes__find(const struct dwarf_scopes *s, u64 addr);
size_t dwarf_scopes__bytes(const struct dwarf_scopes *s);

#endif
