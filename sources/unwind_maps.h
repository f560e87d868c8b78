/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The maps with unwind tables and processes: made when the first source wants them, shared by
 * the programs of all sources, there until the program ends. Tables that were built once serve
 * every view that is opened later. Filled through source_unwind_sink (sources/source.h).
 */
#ifndef SOURCES_UNWIND_MAPS_H
#define SOURCES_UNWIND_MAPS_H

#include "base/status.h"
#include "sources/source.h"

struct bpf_object;
struct health;
struct unwind_stats;

/* Makes them unless they are there; the same errors. */
int unwind_maps__make(struct status *st);
/* Before an object is loaded: lets its maps of these names be the shared ones. Collector thread.
 * 0 or -errno with st. */
int unwind_maps__share(struct bpf_object *obj, struct status *st);
/* What user stacks are to be walked by: the value of the programs' unwind_by_tables. */
u32 unwind_maps__mode(enum call_graph call_graph);
/* How walks ended since `before`, from the map unwind_stats of an object; before moves on. mode: the
 * programs' unwind_by_tables. */
void unwind_maps__health(struct bpf_object *obj, u32 mode, struct unwind_stats *before,
			 struct health *h);

#endif
