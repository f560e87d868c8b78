/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads what is packed as DWARF packs it, never past the end. Numbers are in the byte order of
 * this machine: files of the other one are refused when they are opened. What is read when false
 * is returned means nothing.
 */
#ifndef SYMBOLS_BYTES_H
#define SYMBOLS_BYTES_H

#include "base/base.h"

struct bytes {
	const u8 *p;
	size_t n;
};

static inline bool bytes__skip(struct bytes *b, u64 n)
{
	if (b->n < n)
		return false;
	b->p += n;
	b->n -= n;
	return true;
}

/* A number of up to 8 bytes, without a sign. */
static inline bool bytes__take(struct bytes *b, size_t n, u64 *value)
{
	if (b->n < n)
		return false;
	*value = 0;
	memcpy(value, b->p, n);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	*value >>= 64 - 8 * n;
#endif
	return bytes__skip(b, n);
}

/* Numbers of any length, 7 bits a byte; what does not fit into 64 bits is cut off. */
static inline bool bytes__uleb(struct bytes *b, u64 *value)
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

static inline bool bytes__sleb(struct bytes *b, s64 *value)
{
	u64 bits = 0;

	for (u32 shift = 0; b->n;) {
		u8 byte = *b->p++;

		b->n--;
		if (shift < 64)
			bits |= (u64)(byte & 0x7f) << shift;
		shift += 7;
		if (byte & 0x80)
			continue;
		if (shift < 64 && (byte & 0x40))
			bits |= ~0ull << shift;
		*value = (s64)bits;
		return true;
	}
	return false;
}

#endif
