// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/dwarf_die.h"

#include <dwarf.h>

#define MEMBERS_MOST  4096
#define ELEMENTS_MOST (1u << 30)

u64 dwarf_die__number(Dwarf_Die *die, unsigned int attribute, u64 otherwise)
{
	Dwarf_Attribute mem;
	Dwarf_Word n;

	return dwarf_formudata(dwarf_attr_integrate(die, attribute, &mem), &n) ? otherwise : n;
}

static bool is_modifier(int tag)
{
	return tag == DW_TAG_typedef || tag == DW_TAG_const_type || tag == DW_TAG_volatile_type ||
	       tag == DW_TAG_restrict_type || tag == DW_TAG_atomic_type;
}

bool dwarf_type__of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute mem;

	if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &mem), type))
		return false;
	for (u32 i = 0; is_modifier(dwarf_tag(type)); i++) {
		Dwarf_Die to;

		if (i == DWARF_NESTED ||
		    !dwarf_formref_die(dwarf_attr(type, DW_AT_type, &mem), &to))
			return false;
		*type = to;
	}
	return true;
}

bool dwarf_type__is_record(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

bool dwarf_type__is_reference(Dwarf_Die *type)
{
	int tag = dwarf_tag(type);

	return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

bool dwarf_type__is_pointer(Dwarf_Die *type)
{
	return dwarf_tag(type) == DW_TAG_pointer_type || dwarf_type__is_reference(type);
}

u64 dwarf_type__elements(Dwarf_Die *array)
{
	Dwarf_Die range;
	u64 n = 1;

	if (dwarf_child(array, &range))
		return UINT64_MAX;
	do {
		u64 count;

		if (dwarf_tag(&range) != DW_TAG_subrange_type)
			continue;
		count = dwarf_die__number(&range, DW_AT_count, UINT64_MAX);
		if (count == UINT64_MAX)
			count = dwarf_die__number(&range, DW_AT_upper_bound, UINT64_MAX - 1) + 1;
		if (count > ELEMENTS_MOST || (n *= count) > ELEMENTS_MOST)
			return UINT64_MAX;
	} while (!dwarf_siblingof(&range, &range));
	return n;
}

static u64 size_within(Dwarf_Die *type, u32 depth)
{
	u64 n, size;
	Dwarf_Die of;

	if (dwarf_tag(type) != DW_TAG_array_type) {
		size = dwarf_die__number(type, DW_AT_byte_size, dwarf_type__is_pointer(type) ? 8 : 0);
		return size <= UINT32_MAX ? size : 0;
	}
	n = dwarf_type__elements(type);
	if (n == UINT64_MAX || depth == DWARF_NESTED || !dwarf_type__of(type, &of))
		return 0;
	size = size_within(&of, depth + 1) * n;
	return size <= UINT32_MAX ? size : 0;
}

u64 dwarf_type__size(Dwarf_Die *type)
{
	return size_within(type, 0);
}

static bool is_member(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return (tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
	       !dwarf_hasattr(die, DW_AT_external) && !dwarf_hasattr(die, DW_AT_declaration);
}

/* DWARF 2 says it as an expression. Base classes that are virtual have a place of their own in each
 * object, which only code finds. */
static bool member_offset(Dwarf_Die *member, u64 *at)
{
	Dwarf_Attribute mem;
	Dwarf_Word n;
	Dwarf_Op *ops;
	size_t nops;

	if (!dwarf_attr(member, DW_AT_data_member_location, &mem))
		n = dwarf_die__number(member, DW_AT_data_bit_offset, 0) / 8;
	else if (dwarf_formudata(&mem, &n) && (dwarf_getlocation(&mem, &ops, &nops) || nops != 1 ||
					       ops->atom != DW_OP_plus_uconst))
		return false;
	else if (dwarf_formudata(&mem, &n))
		n = ops->number;
	*at = n;
	return n <= INT32_MAX;
}

bool dwarf_type__next(Dwarf_Die *record, Dwarf_Die *next, u64 *at)
{
	bool first = !next->addr;

	for (u32 i = 0; i < MEMBERS_MOST; i++, first = false) {
		if (first ? dwarf_child(record, next) : dwarf_siblingof(next, next))
			return false;
		if (is_member(next) && member_offset(next, at))
			return true;
	}
	return false;
}

/* A form without a sign of its own has none: data1 of 200 is no -56. */
bool dwarf_enumerator__value(Dwarf_Die *enumerator, s64 *value)
{
	Dwarf_Attribute mem;
	Dwarf_Sword s;
	Dwarf_Word u;
	u32 form;

	if (!dwarf_attr(enumerator, DW_AT_const_value, &mem))
		return false;
	form = dwarf_whatform(&mem);
	if (form == DW_FORM_sdata || form == DW_FORM_implicit_const) {
		*value = dwarf_formsdata(&mem, &s) ? 0 : s;
		return true;
	}
	*value = dwarf_formudata(&mem, &u) ? 0 : (s64)u;
	return true;
}
