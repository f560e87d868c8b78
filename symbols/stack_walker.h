/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Walks copies of user stacks of processes of this machine (samples/walk.h), by the unwind tables of
 * what the spaces know to be mapped there.
 *
 * Bounded: what is mapped is kept of WALKER_SPACES processes beside those whose copies are on their
 * way, WALKER_MAPPINGS of each; tables in as many bytes as is said when it is made: those not used
 * longest make room.
 */
#ifndef SYMBOLS_STACK_WALKER_H
#define SYMBOLS_STACK_WALKER_H

#include "samples/walk.h"
#include "symbols/sym.h"

#define WALKER_SPACES	1024
#define WALKER_MAPPINGS 4096
#define WALKER_BUDGET	(64u << 20)

struct walker;

struct walker *walker__new(struct symbols *s, size_t budget);
/* No walk is under way, and all spaces were put back. NULL is fine. */
void walker__free(struct walker *w);
const struct stack_walker *walker__ops(struct walker *w);
/* Adds what it has, and its budget when it has some. Any thread. */
void walker__stats(const struct walker *w, struct symbols_unwind_stats *out);

#endif
