/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Code of processes that some other program has watched, maybe elsewhere: who was where is told by
 * the caller, names come from the files that are here. A file counts when its build-id is the
 * recorded one, or none was recorded. It is looked for by its path and where perf keeps copies
 * (~/.debug). Collector thread.
 */
#ifndef SYMBOLS_FOREIGN_H
#define SYMBOLS_FOREIGN_H

#include "symbols/symbols.h"

/* An object of its own for each call; build_id: hex, "" not known. o->id is ignored, strings are
 * copied; a CODE_JIT of that tgid is read from its perf map. 0: the table is full. */
u32 symbols__foreign_object(struct symbols *s, const struct sym_object *o, const char *build_id);
/* Asks the worker to resolve it; SYM_UNKNOWN when the table is full. */
u32 symbols__foreign_loc(struct symbols *s, u32 object, u64 offset);
/* A descriptor of the object's file, or -errno (-ESTALE: it is another one). Any thread. */
int symbols__foreign_file(struct symbols *s, u32 object);

#endif
