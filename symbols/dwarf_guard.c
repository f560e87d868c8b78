/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/dwarf_guard.h"

#include <dwarf.h>

#include "symbols/section.h"

#define MAX_ABBREVS	(1u << 17)
#define MAX_ATTRS	1024 /* of one abbreviation */
#define MAX_SIZELESS	64   /* attributes that take no byte of a DIE */
#define MAX_LINE_UNIT	(8u << 20)
#define MAX_LINE_MEMORY (1ull << 30)
#define MAX_COMP_DIR	4096

static size_t longest_string(struct bytes b)
{
	size_t longest = 0;

	while (b.n) {
		const u8 *nul = memchr(b.p, 0, b.n);
		size_t len = nul ? (size_t)(nul - b.p) : b.n;

		longest = MAX(longest, len);
		b.p += MIN(len + 1, b.n);
		b.n -= MIN(len + 1, b.n);
	}
	return longest;
}

static struct bytes section_bytes(Elf_Scn *scn)
{
	Elf_Data *data = elf_getdata(scn, NULL);

	if (!data || !data->d_buf)
		return (struct bytes){0};
	return (struct bytes){data->d_buf, data->d_size};
}

/* The first section of a name is the one that libdw takes. */
static void keep_first(struct bytes *b, Elf_Scn *scn)
{
	if (!b->p)
		*b = section_bytes(scn);
}

static bool ends_with_nul(struct bytes b)
{
	return !b.n || !b.p[b.n - 1];
}

bool dwarf_guard__init(struct dwarf_guard *g, Elf *elf)
{
	const struct {
		const char *name;
		struct bytes *bytes;
	} wanted[] = {
		{".debug_info", &g->info},	   {".debug_abbrev", &g->abbrev},
		{".debug_line", &g->line},	   {".debug_str", &g->str},
		{".debug_line_str", &g->line_str},
	};
	struct elf_section s = {0};
	size_t names;

	*g = (struct dwarf_guard){.last_offset = UINT64_MAX};
	if (elf_getshdrstrndx(elf, &names))
		return false;
	while (elf_section__next(elf, &s)) {
		if (!s.name || s.shdr.sh_type == SHT_NOBITS)
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(wanted); i++)
			if (!strcmp(s.name, wanted[i].name))
				keep_first(wanted[i].bytes, s.scn);
	}
	g->longest_line_str = longest_string(g->line_str);
	return ends_with_nul(g->str) && ends_with_nul(g->line_str);
}

/* The attributes of one abbreviation, behind its code. */
static bool check_abbrev(struct bytes *b)
{
	u64 tag, children, name, form, value;
	u32 attrs = 0, sizeless = 0;

	if (!bytes__uleb(b, &tag) || !bytes__take(b, 1, &children))
		return false;
	for (;;) {
		if (!bytes__uleb(b, &name) || !bytes__uleb(b, &form))
			return false;
		if (!name && !form)
			return true;
		if (form == DW_FORM_implicit_const && !bytes__uleb(b, &value))
			return false;
		sizeless += form == DW_FORM_implicit_const || form == DW_FORM_flag_present;
		if (++attrs > MAX_ATTRS || sizeless > MAX_SIZELESS)
			return false;
	}
}

static bool check_abbrevs(struct bytes b, u32 *count)
{
	u64 code;

	for (*count = 0; *count < MAX_ABBREVS; (*count)++) {
		if (!b.n)
			return *count > 0; /* some producers leave the last 0 out */
		if (!bytes__uleb(&b, &code))
			return false;
		if (!code)
			return true;
		if (!check_abbrev(&b))
			return false;
	}
	return false;
}

bool dwarf_guard__abbrevs(struct dwarf_guard *g, u64 offset, u32 *count)
{
	struct bytes b = g->abbrev;

	if (offset >= b.n)
		return false;
	if (offset != g->last_offset) {
		b.p += offset;
		b.n -= offset;
		g->last_ok = check_abbrevs(b, &g->last_count);
		g->last_offset = offset;
	}
	*count = g->last_count;
	return g->last_ok;
}

/* --- strings --- */

/* How many bytes there are from s to the end of its section; max when it is in none. A place
 * right behind a section is in it only when it is not the first of the next. */
static size_t room(const struct dwarf_guard *g, const char *s, size_t max)
{
	const struct bytes *sections[] = {&g->info, &g->str, &g->line_str};
	uintptr_t at = (uintptr_t)s;

	bool behind = false;

	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		uintptr_t start = (uintptr_t)sections[i]->p;

		if (start && at - start < sections[i]->n)
			return MIN(max, sections[i]->n - (at - start));
		behind |= start && at - start == sections[i]->n;
	}
	return behind ? 0 : max;
}

size_t dwarf_guard__strlen(const struct dwarf_guard *g, const char *s, size_t max)
{
	return strnlen(s, room(g, s, max));
}

/* Is there a NUL behind these bytes, in the same section? */
static bool is_terminated(const struct dwarf_guard *g, const char *s, size_t len)
{
	return room(g, s, len + 1) > len && !s[len];
}

/* --- line tables --- */

static bool take_string(struct bytes *b)
{
	const u8 *nul = memchr(b->p, 0, b->n);
	size_t n = nul ? (size_t)(nul + 1 - b->p) : b->n;

	b->p += n;
	b->n -= n;
	return nul != NULL;
}

/* Takes a value of one of the forms that line tables are written with (DWARF 5, 6.2.4.1). */
static bool take_form(struct bytes *b, u64 form)
{
	u64 value;

	switch (form) {
	case DW_FORM_data1:
		return bytes__take(b, 1, &value);
	case DW_FORM_data2:
		return bytes__take(b, 2, &value);
	case DW_FORM_data4:
	case DW_FORM_strp:
	case DW_FORM_line_strp:
		return bytes__take(b, 4, &value);
	case DW_FORM_data8:
		return bytes__take(b, 8, &value);
	case DW_FORM_data16:
		return bytes__take(b, 8, &value) && bytes__take(b, 8, &value);
	case DW_FORM_udata:
		return bytes__uleb(b, &value);
	case DW_FORM_string:
		return take_string(b);
	default:
		return false;
	}
}

/* The directories or the files of a DWARF 5 table: their format, their number, themselves. */
static bool take_entries(struct bytes *b)
{
	u64 forms[8], nforms, content, count;

	if (!bytes__take(b, 1, &nforms) || nforms > ARRAY_SIZE(forms))
		return false;
	for (u64 i = 0; i < nforms; i++)
		if (!bytes__uleb(b, &content) || !bytes__uleb(b, &forms[i]))
			return false;
	if (!bytes__uleb(b, &count) || (count && !nforms))
		return false;
	for (; count; count--)
		for (u64 i = 0; i < nforms; i++)
			if (!take_form(b, forms[i]))
				return false;
	return true;
}

/* What is between header_length and the program. */
static bool check_tables(struct bytes b, u64 version)
{
	u64 opcode_base, ignored;
	size_t skip = version >= 4 ? 5 : 4;

	if (b.n < skip)
		return false;
	b.p += skip;
	b.n -= skip;
	if (!bytes__take(&b, 1, &opcode_base) || !opcode_base)
		return false;
	while (--opcode_base)
		if (!bytes__take(&b, 1, &ignored))
			return false;
	return version < 5 || (take_entries(&b) && take_entries(&b));
}

/*
 * libdw copies "directory/name" for every file, and for every row keeps a few words. The worst
 * that a table can make of that is its size times the longest strings it can name.
 */
bool dwarf_guard__lines(const struct dwarf_guard *g, u64 offset, const char *comp_dir)
{
	size_t dir_len = comp_dir ? dwarf_guard__strlen(g, comp_dir, MAX_COMP_DIR) : 0;
	struct bytes b = g->line;
	u64 length, version, sizes, header;
	size_t longest, entries;

	if (offset >= b.n || (comp_dir && !is_terminated(g, comp_dir, dir_len)))
		return false;
	b.p += offset;
	b.n -= offset;
	if (!bytes__take(&b, 4, &length) || length > b.n || length > MAX_LINE_UNIT)
		return false;
	b.n = length;
	if (!bytes__take(&b, 2, &version) || (version >= 5 && !bytes__take(&b, 2, &sizes)))
		return false;
	if (!bytes__take(&b, 4, &header) || header > b.n)
		return false;
	entries = b.n / 4;
	b.n = header;
	longest = longest_string(b);
	if (version >= 5)
		longest = MAX(longest, g->longest_line_str);
	return check_tables(b, version) && entries * (2 * longest + dir_len) <= MAX_LINE_MEMORY;
}
