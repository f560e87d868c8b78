/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols that are known already, from a recording: no file is read for them, unless their code
 * is asked for and a file of that path and build-id is here. What is equal gets the same id.
 * Collector thread; none of the calls that locate addresses are made in the same session.
 */
#ifndef SYMBOLS_RECORDED_H
#define SYMBOLS_RECORDED_H

#include "symbols/symbols.h"

/* o->id is ignored, strings are copied; build_id is hex, "" not known: then it is any of the same file. 0: the table is full. */
u32 symbols__recorded_object(struct symbols *s, const struct sym_object *o, const char *build_id);
/* f->id is ignored, strings are copied. */
u32 symbols__recorded_func(struct symbols *s, const struct sym_func *f);

struct recorded_loc {
	u32 object, func; /* func 0: it was not known; it is called after its offset */
	u64 offset;	  /* as symbols__recorded_offset() has it: hidden ones are not told */
	const u32 *inlined; /* functions, innermost first */
	u32 ninlined;
};

/* SYM_UNKNOWN when the table is full. */
u32 symbols__recorded_loc(struct symbols *s, const struct recorded_loc *l);
/* A loc's function became known later. */
void symbols__recorded_name(struct symbols *s, u32 loc, u32 func);

#endif
