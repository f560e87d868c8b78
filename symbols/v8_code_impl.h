/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files about V8's optimised code share: how versions lay it out, and one code object. */
#ifndef SYMBOLS_V8_CODE_IMPL_H
#define SYMBOLS_V8_CODE_IMPL_H

#include "symbols/bytes.h"
#include "symbols/v8_code.h"

/* Offsets in bytes; opcodes of translations as they are numbered. */
struct v8_layout {
	u16 major, minor;
	u16 header;	    /* from where an object with instructions begins to the first of them */
	u16 code;	    /* in that: the object that describes it; 0: it does itself */
	u16 begin, size;    /* in the one that describes: where the first instruction is (0: right behind), and bytes */
	u16 flags, data, positions;
	u16 optimised;	    /* kinds from this one on are */
	u8 first_begin, last_begin, first_frame, last_frame; /* of functions of JavaScript */
	u8 nopcodes;
	bool is_signed; /* all numbers of translations have a sign, and none refer to others */
	const u8 *operands;
};

/* NULL: it is not known. */
const struct v8_layout *v8_layout__of(u32 major, u32 minor);

/* Frames of translations and of inlined functions: by the index of what is in the code's table of literals. */
struct v8_frame {
	u32 literal;
	s32 bytecode;
};

struct v8_chain {
	u32 n; /* outermost first */
	struct v8_frame v[V8_PLACES];
};

/* What is at work at `at` of the translations; false: that is not what it says. */
bool v8_translation__read(const struct v8_layout *l, const u8 *bytes, u32 n, u32 at, struct v8_chain *out);

/* A code object, read from its process. */
struct v8_code {
	u32 tgid;
	u64 object, start; /* what begins with its map; the first instruction */
	u64 map, data;
	u32 size, id; /* those, too, tell it from one that came after it */
	u64 shared;
	/* Of the deoptimization data: */
	u32 eager, n; /* deoptimizations; the first ones are of checks, the others of calls */
	s32 *translation, *call_pc; /* of each of n */
	u8 *translations;
	u32 ntranslations;
	u64 *literals;
	u32 nliterals;
	u64 *inlined; /* pairs: a place in the source, and a literal */
	u32 ninlined;
	u8 *positions;
	u32 npositions;
	bool looked, detailed; /* whether its instructions were looked at; whether positions are of all of them */
};

/* Whether places in the source are of all of the `size` bytes of instructions, and not of calls alone. */
struct disasm;
bool v8_positions__are_detailed(const struct v8_code *k, struct disasm *d, const u8 *bytes);
/* By the last of those that begins at pc or before: as v8_codes__find(). */
u32 v8_positions__find(const struct v8_code *k, u32 pc, struct v8_place places[V8_PLACES]);

/* The function that a literal is; 0: it is none. */
static inline u64 v8_code__literal(const struct v8_code *k, u32 i)
{
	u64 word = i < k->nliterals ? k->literals[i] : 0;

	return (word & 7) == V8_TAG ? word - V8_TAG : 0;
}

#endif
