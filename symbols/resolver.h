/* SPDX-License-Identifier: GPL-2.0-only */
/* From an object and an offset to the function there: symbols/load.c reads objects,
 * symbols/resolve.c looks up in them. Symbols worker only. */
#ifndef SYMBOLS_RESOLVER_H
#define SYMBOLS_RESOLVER_H

#include "symbols/tables.h"

#define PERFMAPS_OPEN 16 /* perf maps whose descriptor is kept: a map may be removed with its process */

struct resolver {
	struct symbols *s;
	struct hidx funcs;     /* by object and start, or object and name: func ids */
	struct hidx build_ids; /* objects with a table of their own */
	struct hidx modules;   /* of the kernel: objects by name */
	u64 bytes, kallsyms_at_ns, kallsyms_took_ns;
	u32 open_maps[PERFMAPS_OPEN], nopened; /* objects, those of the last so many that were opened */
};

/* From now on the object's perf map is one of those whose descriptors are kept; the one that was
 * opened longest ago is not any more. */
void resolver__keep_open(struct resolver *r, const struct object *o);

struct resolver *resolver__new(struct symbols *s);
void resolver__free(struct resolver *r);
/* Loads the object when that was not done; fills info. */
struct code *resolver__load(struct resolver *r, u32 object);
/* The function at an offset of an object, its object (module, equal file) and whether the
 * name is final (false: a newer map may know better). Never 0. */
u32 resolver__func(struct resolver *r, u32 object, u64 offset, u32 *owner, bool *final);
/* May a newer map of this object know more now? Reads it if so. */
bool resolver__refresh(struct resolver *r, u32 object);
/* A function known by name only: inlined at some place of the object. */
u32 resolver__inlined(struct resolver *r, u32 object, const char *name);
u64 resolver__bytes(const struct resolver *r);

/* enum func_flag that follow from a name. Any thread. */
u32 func__flags(const char *linkage);

#endif
