// SPDX-License-Identifier: GPL-2.0-only
/*
 * V8's translations: what the frames of optimised code are where it is given up. Instructions with operands, of
 * which those that begin a frame are looked at. From V8 10.6 or so on a translation may repeat instructions of the
 * one that it names, at the same place in both.
 */
#include "symbols/v8_code_impl.h"

/* How many operands each opcode has. */
static const u8 operands_10_2[] = {2, 1, 0, 3, 1, 1, 3, 1, 3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 5, 3, 3, 4, 1, 1, 1, 1, 1, 2};
static const u8 operands_11_3[] = {1, 0, 3, 3, 1, 1, 3, 1, 3, 1, 1, 1, 1, 1, 2, 1, 1, 1,
				   1, 1, 1, 1, 1, 5, 3, 3, 3, 4, 0, 1, 1, 1, 1, 1, 2, 1};
static const u8 operands_12_4[] = {5, 3, 3, 3, 2, 1, 3, 4, 3, 2, 1, 0, 3, 3, 1, 1, 1, 1, 1, 1,
				   1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 2, 1};

#define OPERANDS(of) .operands = (of), .nopcodes = ARRAY_SIZE(of)

/* Of node 18, 20 and 22. */
static const struct v8_layout layouts[] = {
	{.major = 10, .minor = 2, .header = 128, .size = 40, .flags = 48, .data = 16, .positions = 24,
	 .optimised = 12, .first_begin = 3, .last_begin = 3, .first_frame = 18, .last_frame = 20,
	 .is_signed = true, OPERANDS(operands_10_2)},
	{.major = 11, .minor = 3, .header = 16, .code = 8, .begin = 40, .size = 56, .flags = 48, .data = 16,
	 .positions = 24, .optimised = 12, .first_begin = 2, .last_begin = 3, .first_frame = 23, .last_frame = 26,
	 OPERANDS(operands_11_3)},
	{.major = 12, .minor = 4, .header = 32, .code = 8, .begin = 40, .size = 52, .flags = 48, .data = 8,
	 .positions = 16, .optimised = 11, .first_begin = 12, .last_begin = 13, .first_frame = 0, .last_frame = 3,
	 OPERANDS(operands_12_4)},
};

const struct v8_layout *v8_layout__of(u32 major, u32 minor)
{
	for (u32 i = 0; i < ARRAY_SIZE(layouts); i++)
		if (layouts[i].major == major && layouts[i].minor == minor)
			return &layouts[i];
	return NULL;
}

#define OPERANDS_MAX 5
#define STEPS_MAX    (1u << 16) /* instructions of one translation */

struct instruction {
	u32 opcode;
	u32 operands[OPERANDS_MAX];
};

struct reader {
	const struct v8_layout *l;
	const u8 *bytes;
	u32 n;
	u32 at, old; /* where to read on: in this translation, and in the one that it repeats */
	u32 repeats; /* how many instructions are still to be read there */
	u32 since;   /* how many were read here since that was looked at */
};

static bool is_begin(const struct v8_layout *l, u32 opcode)
{
	return opcode >= l->first_begin && opcode <= l->last_begin;
}

static s32 with_sign(u32 number)
{
	return number & 1 ? -(s32)(number >> 1) : (s32)(number >> 1);
}

static bool read_number(const struct reader *r, u32 *at, u32 *out)
{
	struct bytes b = {r->bytes + *at, r->n - *at};
	u64 value;

	if (!bytes__uleb(&b, &value) || value > UINT32_MAX)
		return false;
	*at = r->n - (u32)b.n;
	*out = (u32)value;
	return true;
}

static bool read_operands(const struct reader *r, u32 *at, struct instruction *out)
{
	u32 n = r->l->operands[out->opcode];

	for (u32 i = 0; i < n; i++)
		if (!read_number(r, at, &out->operands[i]))
			return false;
	return true;
}

/* One that stands there as it is. */
static bool read_plain(const struct reader *r, u32 *at, struct instruction *out)
{
	if (!read_number(r, at, &out->opcode))
		return false;
	if (r->l->is_signed)
		out->opcode >>= 1;
	return out->opcode < r->l->nopcodes && read_operands(r, at, out);
}

/* Of the last opcode, or beyond all of them: how many instructions to repeat from the other translation. */
static bool begin_repeats(struct reader *r, u32 opcode)
{
	struct instruction skipped;

	r->repeats = opcode - r->l->nopcodes;
	if (opcode < r->l->nopcodes && !read_number(r, &r->at, &r->repeats))
		return false;
	for (; r->since; r->since--)
		if (!read_plain(r, &r->old, &skipped))
			return false;
	return r->repeats && r->old < r->at;
}

static bool read_next(struct reader *r, struct instruction *out)
{
	u32 begin = r->at;

	if (r->l->is_signed)
		return read_plain(r, &r->at, out);
	if (!r->repeats) {
		if (r->at >= r->n)
			return false;
		if (r->bytes[r->at] < r->l->nopcodes - 1) {
			r->since++;
			if (!read_plain(r, &r->at, out))
				return false;
			if (is_begin(r->l, out->opcode)) {
				r->old = begin - out->operands[0];
				r->since = 1;
				return out->operands[0] <= begin;
			}
			return true;
		}
		if (!begin_repeats(r, r->bytes[r->at++]))
			return false;
	}
	r->repeats--;
	return read_plain(r, &r->old, out);
}

bool v8_translation__read(const struct v8_layout *l, const u8 *bytes, u32 n, u32 at, struct v8_chain *out)
{
	struct reader r = {.l = l, .bytes = bytes, .n = n, .at = at};
	struct instruction i;
	s32 frames;

	out->n = 0;
	if (at >= n || !read_next(&r, &i) || !is_begin(l, i.opcode))
		return false;
	/* How many frames, and of those the functions'. */
	frames = with_sign(i.operands[l->is_signed ? 1 : 2]);
	if (frames <= 0 || frames > V8_PLACES)
		return false;
	for (u32 step = 0; step < STEPS_MAX && out->n < (u32)frames; step++) {
		if (!read_next(&r, &i) || is_begin(l, i.opcode))
			return false;
		if (i.opcode < l->first_frame || i.opcode > l->last_frame)
			continue;
		out->v[out->n++] = (struct v8_frame){.literal = (u32)with_sign(i.operands[1]),
						     .bytecode = with_sign(i.operands[0])};
	}
	return out->n == (u32)frames;
}
