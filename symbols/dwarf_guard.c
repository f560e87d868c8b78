/* SPDX-License-Identifier: GPL-2.0-only */
#include "symbols/dwarf_guard.h"

#include <dwarf.h>
#include <gelf.h>

#define MAX_ABBREVS	(1u << 17)
#define MAX_ATTRS	1024 /* of one abbreviation */
#define MAX_SIZELESS	64   /* attributes that take no byte of a DIE */
#define MAX_LINE_UNIT	(8u << 20)
#define MAX_LINE_MEMORY (1ull << 30)
#define MAX_COMP_DIR	4096

static bool take(struct bytes *b, size_t n, u64 *value)
{
	if (b->n < n)
		return false;
	*value = 0;
	memcpy(value, b->p, n); /* files of the other byte order are refused at opening */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	*value >>= 64 - 8 * n;
#endif
	b->p += n;
	b->n -= n;
	return true;
}

static bool take_uleb(struct bytes *b, u64 *value)
{
	*value = 0;
	for (u32 shift = 0; b->n; shift += 7) {
		u8 byte = *b->p++;

		b->n--;
		if (shift < 64)
			*value |= (u64)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

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

void dwarf_guard__init(struct dwarf_guard *g, Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;

	*g = (struct dwarf_guard){.last_offset = UINT64_MAX};
	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr shdr;
		const char *name =
			gelf_getshdr(scn, &shdr) ? elf_strptr(elf, names, shdr.sh_name) : NULL;

		if (!name || shdr.sh_type == SHT_NOBITS)
			continue;
		if (!strcmp(name, ".debug_info"))
			keep_first(&g->info, scn);
		else if (!strcmp(name, ".debug_abbrev"))
			keep_first(&g->abbrev, scn);
		else if (!strcmp(name, ".debug_line"))
			keep_first(&g->line, scn);
		else if (!strcmp(name, ".debug_line_str"))
			keep_first(&g->line_str, scn);
	}
	g->longest_line_str = longest_string(g->line_str);
}

/* The attributes of one abbreviation, behind its code. */
static bool check_abbrev(struct bytes *b)
{
	u64 tag, children, name, form, value;
	u32 attrs = 0, sizeless = 0;

	if (!take_uleb(b, &tag) || !take(b, 1, &children))
		return false;
	for (;;) {
		if (!take_uleb(b, &name) || !take_uleb(b, &form))
			return false;
		if (!name && !form)
			return true;
		if (form == DW_FORM_implicit_const && !take_uleb(b, &value))
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
		if (!take_uleb(&b, &code))
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

/*
 * libdw copies "directory/name" for every file, and for every row keeps a few words. The worst
 * that a table can make of that is its size times the longest strings it can name.
 */
bool dwarf_guard__lines(const struct dwarf_guard *g, u64 offset, size_t comp_dir_len)
{
	struct bytes b = g->line;
	u64 length, version, sizes, header;
	size_t longest, entries;

	if (offset >= b.n || comp_dir_len > MAX_COMP_DIR)
		return false;
	b.p += offset;
	b.n -= offset;
	if (!take(&b, 4, &length) || length > b.n || length > MAX_LINE_UNIT)
		return false;
	b.n = length;
	if (!take(&b, 2, &version) || (version >= 5 && !take(&b, 2, &sizes)))
		return false;
	if (!take(&b, 4, &header) || header > b.n || header < 8)
		return false;
	entries = b.n / 4;
	b.n = header;
	longest = longest_string(b);
	if (version >= 5)
		longest = MAX(longest, g->longest_line_str);
	return entries * (2 * longest + comp_dir_len) <= MAX_LINE_MEMORY;
}

size_t dwarf_guard__strlen(const struct dwarf_guard *g, const char *s, size_t max)
{
	const u8 *p = (const u8 *)s;

	if (g->info.p && p >= g->info.p && p < g->info.p + g->info.n)
		max = MIN(max, (size_t)(g->info.p + g->info.n - p));
	return strnlen(s, max);
}
