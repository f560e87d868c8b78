// SPDX-License-Identifier: GPL-2.0-only
/* Pointers in the encodings of .eh_frame. */
#include <dwarf.h>

#include "symbols/unwind_cfi.h"

#define FORMAT(enc)   ((enc)&0x0f)
#define RELATIVE(enc) ((enc)&0x70)

static u64 address_of(const struct cfi_section *s, const u8 *p)
{
	return s->addr + (u64)(p - s->data.p);
}

static bool take_signed(struct bytes *b, size_t n, u64 *value)
{
	u32 unused = 64 - 8 * (u32)n;

	if (!bytes__take(b, n, value))
		return false;
	*value = (u64)((s64)(*value << unused) >> unused);
	return true;
}

bool cfi__plain_pointer(struct bytes *b, u8 encoding, u64 *value)
{
	switch (FORMAT(encoding)) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return bytes__take(b, 8, value);
	case DW_EH_PE_uleb128:
		return bytes__uleb(b, value);
	case DW_EH_PE_udata2:
		return bytes__take(b, 2, value);
	case DW_EH_PE_udata4:
		return bytes__take(b, 4, value);
	case DW_EH_PE_sleb128:
		return bytes__sleb(b, (s64 *)value);
	case DW_EH_PE_sdata2:
		return take_signed(b, 2, value);
	case DW_EH_PE_sdata4:
		return take_signed(b, 4, value);
	default:
		return false;
	}
}

bool cfi__pointer(const struct cfi_section *s, struct bytes *b, u8 encoding, u64 *value)
{
	u64 at = address_of(s, b->p);

	if ((encoding & DW_EH_PE_indirect) || !cfi__plain_pointer(b, encoding, value))
		return false;
	switch (RELATIVE(encoding)) {
	case DW_EH_PE_absptr:
		break;
	case DW_EH_PE_pcrel:
		*value += at;
		break;
	case DW_EH_PE_datarel:
		*value += s->got;
		return s->got;
	default:
		return false;
	}
	*value += (u64)s->bias;
	return true;
}

bool cfi__skip_personality(struct bytes *b)
{
	u64 encoding, value;

	if (!bytes__take(b, 1, &encoding))
		return false;
	if (RELATIVE(encoding) == DW_EH_PE_aligned)
		return false;
	return encoding == DW_EH_PE_omit || cfi__plain_pointer(b, (u8)encoding, &value);
}
