/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Types of debug information as those of questions. A record is known by its DIE, and by where it is:
 * in memory, or in parts of the registers of an event. Broken DWARF gives "unknown". One thread at a time.
 */
#ifndef SYMBOLS_DWARF_TYPES_H
#define SYMBOLS_DWARF_TYPES_H

#include "base/arena.h"
#include "questions/fields.h"
#include "symbols/dwarf_die.h"

#define VALUE_PARTS  4

struct debuginfo;

/* Where a value is when the event comes. */
struct dwarf_place {
	enum { PLACE_NONE, PLACE_PARTS, PLACE_MEMORY, PLACE_NUMBER } kind;
	const char *why; /* PLACE_NONE; for good */
	u32 nparts;
	struct value_part {
		u32 at, size; /* bytes of the value */
		u32 context;  /* where they are */
	} parts[VALUE_PARTS];
	u32 base; /* PLACE_MEMORY: where in the context the address is, to which `number` is added */
	s64 number;
};

struct dwarf_types {
	struct type_resolver resolver;
	struct debuginfo *debug; /* borrowed, as libdw's own */
	Dwarf *dwarf;
	struct arena arena;
	struct dwarf_record {
		Dwarf_Off die;
		u32 base; /* PLACE_PARTS: where in the value it begins */
		const struct dwarf_place *place; /* NULL: in memory */
	} *records;
	u32 nrecords, records_cap;
};

void dwarf_types__init(struct dwarf_types *t, struct debuginfo *debug, Dwarf_Die *unit);
void dwarf_types__fini(struct dwarf_types *t);

/* A value of this type at a place. */
void dwarf_types__field(struct dwarf_types *t, Dwarf_Die *type, const struct dwarf_place *place,
			struct field *out);

/* std::string of libstdc++, which its file may only announce. */
bool dwarf_type__is_std_string(struct debuginfo *d, Dwarf_Die *type);

#endif
