/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a function's parameters are at its first instruction, and its result behind its last one: by
 * their location lists where the compiler optimised, else by the calling convention, as what an
 * unoptimised function says holds from its prologue's end on only. Conventions: System V ABI for
 * x86-64, 3.2.3; of aarch64 numbers and pointers (AAPCS64, 6.8.2); of Rust pairs of numbers in two
 * registers, and larger things by their address. One thread at a time.
 */
#ifndef SYMBOLS_DWARF_PLACES_H
#define SYMBOLS_DWARF_PLACES_H

#include "symbols/debuginfo.h"
#include "symbols/dwarf_types.h"

/* Calls parameter(), in order, for each that has a type. pc: where the function begins. is_clone: its
 * name says that the compiler changed what it takes. */
void dwarf_places__each(struct debuginfo *debug, Dwarf_Die *function, Dwarf_Die *unit, u64 pc,
			bool is_clone,
			void (*parameter)(void *ctx, Dwarf_Die *die, Dwarf_Die *type,
					  const struct dwarf_place *place),
			void *ctx);
/* False: it returns nothing. */
bool dwarf_places__result(struct debuginfo *debug, Dwarf_Die *function, Dwarf_Die *unit, bool is_clone,
			  Dwarf_Die *type, struct dwarf_place *place);

#endif
