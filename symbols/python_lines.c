// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPython's tables of lines: of each code object, which instructions are of which line. The format has
 * changed twice: pairs of bytes with differences (co_lnotab, 3.9; co_linetable, 3.10), and entries of
 * varying length that have columns, too (3.11 on). Hostile: read in bounds, sums wrap around.
 */
#include "symbols/python.h"

#define NO_LINE_3_10 (-128)

/* What is behind the first instruction of which `end` is past the last. */
struct entry {
	u32 end;   /* in units of two bytes */
	u32 line;
	bool none; /* it has no line */
};

struct reader {
	const u8 *at, *stop;
	struct entry e;
};

static u32 next_byte(struct reader *r)
{
	return r->at < r->stop ? *r->at++ : 0;
}

static bool next_pair(struct reader *r, u32 *units, int8_t *line)
{
	if (r->stop - r->at < 2)
		return false;
	*units = r->at[0];
	*line = (int8_t)r->at[1];
	r->at += 2;
	return true;
}

/* --- 3.9: a difference of lines holds from the instruction on that it comes with --- */

static u32 find_3_9(struct reader *r, u32 first, u32 unit, u32 *last)
{
	u32 bytes = 0, line = first, found = first, step;
	int8_t more;

	while (next_pair(r, &step, &more)) {
		bytes += step;
		line += (u32)(s32)more;
		if (bytes <= 2 * unit)
			found = line;
		*last = MAX(*last, line);
	}
	return found;
}

/* --- 3.10 --- */

static bool next_3_10(struct reader *r)
{
	u32 bytes;
	int8_t line;

	if (!next_pair(r, &bytes, &line))
		return false;
	r->e.end += bytes / 2;
	r->e.none = line == NO_LINE_3_10;
	if (!r->e.none)
		r->e.line += (u32)(s32)line;
	return true;
}

/* --- 3.11 on --- */

enum { KIND_ONE_LINE = 10, KIND_NO_COLUMNS = 13, KIND_LONG, KIND_NONE };

static u32 varint(struct reader *r)
{
	u32 v = 0, b, shift = 0;

	do {
		b = next_byte(r);
		v |= shift < 30 ? (b & 63) << shift : 0;
		shift += 6;
	} while ((b & 64) && r->at < r->stop);
	return v;
}

static u32 signed_varint(struct reader *r)
{
	u32 v = varint(r);

	return v & 1 ? 0 - (v >> 1) : v >> 1;
}

static bool next_3_11(struct reader *r)
{
	u32 head, kind;

	if (r->at == r->stop)
		return false;
	head = next_byte(r);
	kind = (head >> 3) & 15;
	r->e.end += (head & 7) + 1;
	r->e.none = kind == KIND_NONE;
	if (kind == KIND_LONG || kind == KIND_NO_COLUMNS)
		r->e.line += signed_varint(r);
	else if (kind >= KIND_ONE_LINE && kind < KIND_NO_COLUMNS)
		r->e.line += kind - KIND_ONE_LINE;
	/* What is left of it are columns: each entry's first byte alone has its highest bit set. */
	while (r->at < r->stop && !(*r->at & 0x80))
		r->at++;
	return true;
}

static bool next_entry(struct reader *r, u32 minor)
{
	return minor == 10 ? next_3_10(r) : next_3_11(r);
}

u32 python_lines__find(u32 minor, const u8 *table, u32 size, u32 first, u32 unit)
{
	struct reader r = {.at = table, .stop = table + size, .e.line = first};
	u32 last = first;

	if (minor < 10)
		return find_3_9(&r, first, unit, &last);
	while (next_entry(&r, minor))
		if (unit < r.e.end)
			return r.e.none ? 0 : r.e.line;
	return 0;
}

u32 python_lines__last(u32 minor, const u8 *table, u32 size, u32 first)
{
	struct reader r = {.at = table, .stop = table + size, .e.line = first};
	u32 last = first;

	if (minor < 10)
		find_3_9(&r, first, 0, &last);
	while (minor >= 10 && next_entry(&r, minor))
		if (!r.e.none && r.e.line < first + (1u << 24))
			last = MAX(last, r.e.line);
	return last;
}
