// SPDX-License-Identifier: GPL-2.0-only
/*
 * Places in the source that V8 keeps for optimised code: as a rule of calls alone; of all instructions where it was
 * compiled while node's own profiler ran, or with --detailed-line-info. A place says in which of the inlined
 * functions it is.
 */
#include "symbols/disasm.h"
#include "symbols/v8_code_impl.h"

/* A place, packed. */
#define IS_OUTSIDE(place)  ((place)&1) /* of no script */
#define OFFSET(place)	   ((s32)((place) >> 1 & 0x3fffffff) - 1)
#define INLINED(place)	   ((u32)((place) >> 31 & 0xffff)) /* 0: in the function itself */

/* Differences to the last one, with their sign in the lowest bit. */
struct reader {
	struct bytes b;
	u32 pc;
	u64 place;
};

static bool read_difference(struct bytes *b, s64 *out)
{
	u64 number;

	if (!bytes__uleb(b, &number))
		return false;
	*out = (s64)(number >> 1 ^ -(number & 1));
	return true;
}

static bool read_next(struct reader *r)
{
	s64 pc, place;

	if (!r->b.n || !read_difference(&r->b, &pc) || !read_difference(&r->b, &place))
		return false;
	r->pc += (u32)(pc < 0 ? -(pc + 1) : pc); /* below 0: no statement begins there */
	r->place += (u64)place;
	return true;
}

#define WITHOUT_CALL 2 /* so many show that places are not of calls alone */

bool v8_positions__are_detailed(const struct v8_code *k, struct disasm *d, const u8 *bytes)
{
	struct reader r = {.b = {k->positions, k->npositions}};
	bool begun = false, called = false, more = read_next(&r);
	size_t size = k->size;
	struct disasm_insn insn;
	u32 without = 0;
	u64 at = 0;

	while (more && without < WITHOUT_CALL && disasm__next(d, &bytes, &size, &at, &insn)) {
		for (; more && insn.addr >= r.pc; more = read_next(&r)) {
			without += begun && !called;
			begun = true;
			called = false;
		}
		called |= !strcmp(insn.mnemonic, "call");
	}
	return without >= WITHOUT_CALL;
}

static bool place_at(const struct v8_code *k, u32 pc, u64 *place)
{
	struct reader r = {.b = {k->positions, k->npositions}};
	bool found = false;

	while (read_next(&r) && r.pc <= pc) {
		*place = r.place;
		found = true;
	}
	return found;
}

/* The function that an entry of what is inlined is of, and where it is called. */
static bool read_inlined(const struct v8_code *k, u32 i, u64 *shared, u64 *caller)
{
	if (!i || i > k->ninlined)
		return false;
	*caller = k->inlined[2 * (size_t)(i - 1)];
	*shared = v8_code__literal(k, (u32)k->inlined[2 * (size_t)(i - 1) + 1]);
	return *shared && INLINED(*caller) < i; /* who calls was there before */
}

u32 v8_positions__find(const struct v8_code *k, u32 pc, struct v8_place places[V8_PLACES])
{
	u64 place, caller;
	u32 n = 0;

	if (!place_at(k, pc, &place))
		return 0;
	for (; INLINED(place) && n < V8_PLACES - 1; place = caller) {
		places[n].position = IS_OUTSIDE(place) ? -1 : OFFSET(place);
		if (!read_inlined(k, INLINED(place), &places[n++].shared, &caller))
			return 0;
	}
	if (INLINED(place))
		return 0;
	places[n++] = (struct v8_place){k->shared, IS_OUTSIDE(place) ? -1 : OFFSET(place)};
	return n;
}
