// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where functions begin, from the binary search table of .eh_frame_hdr (Linux Standard Base,
 * core specification, 10.6.2): a stripped program has at least that. Only the one encoding
 * that linkers write is read: pairs of 4-byte offsets from the section's own start. A static program
 * has no such table: there .eh_frame itself is read.
 */
#include <gelf.h>

#include "symbols/code.h"
#include "symbols/elf.h"
#include "symbols/unwind_table.h"

#define HDR_TABLE 12   /* version, three encodings, eh_frame_ptr, fde_count: 4 bytes each */
#define ENC_COUNT 0x03 /* DW_EH_PE_udata4 */
#define ENC_TABLE 0x3b /* DW_EH_PE_datarel | DW_EH_PE_sdata4 */
#define ENC_PTR	  0x1b /* DW_EH_PE_pcrel | DW_EH_PE_sdata4 */

struct ranges {
	const struct code *c;
	struct symtab_builder *b;
};

static void add_range(void *ctx, u64 start, u64 size)
{
	const struct ranges *r = ctx;

	if (code__exec_end(r->c, start) != start)
		symtab_builder__add(r->b, start, size, NAME_NONE, 0, RANK_FRAME);
}

/* A static program has no search table. */
static void add_ranges(Elf *elf, const struct code *c, struct symtab_builder *b)
{
	struct ranges r = {c, b};

	unwind_table__each_range(elf, add_range, &r);
}

void frames__add(Elf *elf, const struct code *c, struct symtab_builder *b)
{
	Elf_Scn *scn = elf__section(elf, ".eh_frame_hdr", 0);
	Elf_Data *d = elf__bytes(scn, &b->budget);
	const u8 *p;
	GElf_Shdr sh;
	u32 n;

	if (!scn)
		add_ranges(elf, c, b);
	if (!d || d->d_size < HDR_TABLE || !gelf_getshdr(scn, &sh))
		return;
	p = d->d_buf;
	if (p[0] != 1 || p[1] != ENC_PTR || p[2] != ENC_COUNT || p[3] != ENC_TABLE)
		return;
	memcpy(&n, p + 8, sizeof(n));
	n = (u32)MIN(n, (d->d_size - HDR_TABLE) / 8);
	for (u32 i = 0; i < n; i++) {
		s32 rel;
		u64 start;

		memcpy(&rel, p + HDR_TABLE + (size_t)i * 8, sizeof(rel));
		start = sh.sh_addr + (u64)(s64)rel;
		if (code__exec_end(c, start) != start)
			symtab_builder__add(b, start, 0, NAME_NONE, 0, RANK_FRAME);
	}
}
