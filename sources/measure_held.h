/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The part of a measure's source (sources/measure.c) that is about what is held: reads the tables
 * that the programs of bpf/measure_held.bpf.h fill, frees sites of which nothing is held, and says
 * how many objects are followed. Collector thread only.
 */
#ifndef SOURCES_MEASURE_HELD_H
#define SOURCES_MEASURE_HELD_H

#include "base/status.h"
#include "samples/measure.h"

struct bpf_object;
struct held_tables;

/* Before the object is loaded: sizes of maps and constants. stacks: that are to be kept apart, 0: as usual; little:
 * there is little memory. */
struct held_tables *held_tables__new(struct bpf_object *obj, u32 stacks, bool little);
/* After it: maps what is shared. */
int held_tables__map(struct held_tables *t, struct status *st);
void held_tables__free(struct held_tables *t);

/* As in struct sampling. */
void held_tables__set_sampling(struct held_tables *t, u64 sample_bytes);
/* In force: 0 all are followed, else mean bytes between two that are. */
u64 held_tables__sampling(const struct held_tables *t);

/* Of sites that `gone` names everything that is held is released: their process has ended. */
void held_tables__release(struct held_tables *t,
			  bool (*gone)(void *ctx, const struct measure_owner *owner), void *ctx);

/* Ends an interval: each site of which something is held, was acquired or released, without its keys
 * (owner->labels). Returns how full the fuller table is, in %. */
double held_tables__drain(struct held_tables *t,
			  void (*put)(void *ctx, struct measure_held_sample *out,
				      const struct measure_owner *owner),
			  void *ctx);
/* After a drain, with what the programs cost, in % of one CPU: follows fewer objects from now on, or
 * more again. */
void held_tables__adapt(struct held_tables *t, double cost_pct);

#endif
