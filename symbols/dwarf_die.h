/* SPDX-License-Identifier: GPL-2.0-only */
/* What entries of debug information say of types. Broken DWARF gives "unknown". Pure. */
#ifndef SYMBOLS_DWARF_DIE_H
#define SYMBOLS_DWARF_DIE_H

#include <elfutils/libdw.h>

#include "base/base.h"

#define DWARF_NESTED 16 /* modifiers of a type, records in each other */

/* The type of a variable, member or pointer without typedefs and qualifiers. False: void. */
bool dwarf_type__of(Dwarf_Die *die, Dwarf_Die *type);
bool dwarf_type__is_record(Dwarf_Die *type);
bool dwarf_type__is_reference(Dwarf_Die *type);
bool dwarf_type__is_pointer(Dwarf_Die *type); /* references too */
/* Of an array, of all its dimensions; UINT64_MAX: not known. */
u64 dwarf_type__elements(Dwarf_Die *array);
/* In bytes, of arrays too; 0: not known. */
u64 dwarf_type__size(Dwarf_Die *type);
/* A number of an attribute, `otherwise` where it has none. */
u64 dwarf_die__number(Dwarf_Die *die, unsigned int attribute, u64 otherwise);
/* Members and base classes one after the other, with where each begins; false: no more. *next:
 * {.addr = NULL} at first. */
bool dwarf_type__next(Dwarf_Die *record, Dwarf_Die *next, u64 *at);
/* What an enumerator stands for. */
bool dwarf_enumerator__value(Dwarf_Die *enumerator, s64 *value);

#endif
