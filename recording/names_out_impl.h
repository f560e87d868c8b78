/* SPDX-License-Identifier: GPL-2.0-only */
/* Between recording/names_out.c and recording/stacks_out.c. */
#ifndef RECORDING_NAMES_OUT_IMPL_H
#define RECORDING_NAMES_OUT_IMPL_H

#include "recording/names_out.h"

/* Address space generations: processes share one by hash, which only costs a look-up more. */
#define OUT_EPOCHS 4096
/* Of an interval there may be so many different fields that come again; more take each other's places, of which
 * each has a few. */
#define OUT_MET	   (64u << 10)
#define MET_PLACES 4

void stacks_out__fini(struct out_stacks *s);
void slots_out__fini(struct out_slots *s);
/* Before a part is the one before: what is only in the one before that would be out of reach. */
void stacks_out__keep(struct names_out *n);

/* A record's begin for bytes__end; blocks begin with their base. */
size_t names_out__begin(struct names_out *n, u32 type);
bool names_out__room(struct names_out *n, enum name_table t, u32 more);
/* Position + 1 of a loc of symbols; 0 no room. */
u32 names_out__loc(struct names_out *n, u32 loc);

#endif
