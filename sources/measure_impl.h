/* SPDX-License-Identifier: GPL-2.0-only */
/* The source of measures from within. Collector thread only. */
#ifndef SOURCES_MEASURE_IMPL_H
#define SOURCES_MEASURE_IMPL_H

#include "sources/bpf_source.h"
#include "sources/measure.h"
#include "sources/measure_held.h"
#include "sources/measure_names.h"

struct sizes {
	u32 cells; /* of a half; a power of two */
	u32 stacks, ring_bytes;
};

/* Where the programs' variables are. */
struct globals {
	volatile u64 *slow_ns, *min_ns, *max_ns;
	volatile u32 *nused, *nslow, *label_filters, *held_off;
	volatile u64 *label_passes;
};

struct source {
	struct bpf_source base; /* visits who is inside */
	const struct measure *m;
	const struct measure_hooks *hooks;
	void *ctx;			   /* of the hooks */
	struct sizes sizes;
	struct globals g;
	struct measure_cell *cells; /* both halves; NULL until mapped */
	u64 *used;
	struct measure_cell *rest; /* scratch: of all CPUs */
	/* Of the half that programs count in: what was handed out of each of its cells that far. */
	struct measure_cell *reported; /* MEASURE_REPORTED of them; NULL: nothing */
	u32 nreported, npeeked; /* npeeked: cells of that half when the tick began */
	bool peeks;	    /* at this tick: the halves have not turned */
	u64 peeks_until_ns; /* 0: never */
	struct held_tables *held;  /* of a holding, in the place of cells; NULL of others */
	u64 unseen;		   /* releases that were reported to the model */
	u64 min_ns;		   /* of the scope */
	bool active_only;	   /* struct sampling */
	u32 ncpus;
	struct bpf_map *names_seen;
	struct measure_names names;
	struct measure_key keys[MEASURE_OWN_LABELS];
	char texts[MEASURE_OWN_LABELS][MEASURE_LABEL_TEXT]; /* of keys, where they are made */
	char what[64];
};

/* --- measure_put.c: what the programs counted and sent, to s->sink --- */

#define MEASURE_REPORTED  256 /* cells of a half that are looked at while programs count in them */
#define MEASURE_UNWRITTEN UINT32_MAX

/* The first n places of a half are not written down yet. */
void measure_put__unwritten(struct source *s, u32 half, u32 n);

/* What was counted in the half that programs count in since it was last looked at, of cells that were there
 * before the ring was read: their names and stacks are known. Returns how full it is, in %. */
double measure_put__peek(struct source *s);
/* The half that no program counts in any more, read and emptied. Returns how full it was, in %. */
double measure_put__cells(struct source *s);
void measure_put__rest(struct source *s);
void measure_put__open(struct source *s);
void measure_put__held(void *ctx, struct measure_held_sample *out, const struct measure_owner *owner);
void measure_put__unseen(struct source *s, u64 total);
/* Names and stacks come before what needs them. */
void measure_put__first(void *ctx, const void *data, size_t size);
void measure_put__record(struct source *s, const void *data, size_t size);

#endif
