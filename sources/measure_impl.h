/* SPDX-License-Identifier: GPL-2.0-only */
/* The source of measures from within. Collector thread only. */
#ifndef SOURCES_MEASURE_IMPL_H
#define SOURCES_MEASURE_IMPL_H

#include "bpf/unwind.h"
#include "sources/bpf_ring.h"
#include "sources/bpf_scope.h"
#include "sources/bpf_visit.h"
#include "sources/measure.h"
#include "sources/measure_held.h"
#include "sources/measure_names.h"

struct sizes {
	u32 cells; /* of a half; a power of two */
	u32 stacks, ring_bytes;
};

/* Where the programs' variables are. */
struct globals {
	volatile u64 *scope_state, *slow_ns, *min_ns, *max_ns;
	volatile u32 *active, *nused, *nslow, *thread_kinds, *look_again, *by_tables, *label_filters;
	volatile u64 *label_passes;
};

struct source {
	const struct measure *m;
	const struct measure_programs *of;
	const struct measure_hooks *hooks; /* of */
	void *ctx;			   /* of the hooks */
	struct bpf_object *obj;
	struct sizes sizes;
	struct globals g;
	struct bpf_link **links;
	u32 nlinks;
	struct bpf_visit visit;
	struct bpf_scope scope;
	struct bpf_ring *ring;
	struct measure_cell *cells; /* both halves; NULL until mapped */
	u64 *used;
	struct measure_cell *rest; /* scratch: of all CPUs */
	struct held_tables *held;  /* of a holding, in the place of cells; NULL of others */
	u64 unseen;		   /* releases that the model was told of */
	u32 ncpus;
	struct bpf_map *stacks_seen, *names_seen;
	u32 nstacks; /* sent since it was emptied */
	struct measure_names names;
	struct measure_key keys[MEASURE_OWN_LABELS];
	char texts[MEASURE_OWN_LABELS][MEASURE_LABEL_TEXT]; /* of keys, where they are made */
	const struct sample_sink *sink; /* during drain */
	bool flipped;
	struct measure_stats before;
	struct unwind_stats before_walks;
	u64 before_ns;
	struct health health;
};

/* --- measure_put.c: what the programs counted and sent, to s->sink --- */

/* The half that no program counts in any more, read and emptied. Returns how full it was, in %. */
double measure_put__cells(struct source *s);
void measure_put__rest(struct source *s);
void measure_put__open(struct source *s);
void measure_put__held(void *ctx, struct measure_held_sample *out, const struct measure_site *site);
void measure_put__unseen(struct source *s, u64 total);
/* Names and stacks come before what needs them. */
void measure_put__first(void *ctx, const void *data, size_t size);
void measure_put__slow(void *ctx, const void *data, size_t size);

#endif
