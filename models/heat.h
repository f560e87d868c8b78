/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Heat: how often something took how long, over the last minutes; a latency heat map, whatever
 * model it comes from.
 *
 * A model that keeps a heat log (models/heat_log.h) says so by a struct heat_source: what its
 * series and buckets are. models/heat_sources.c has those that are there; one more is a row there
 * and `.heat = &...` in its view's listing. A query picks the series of one kind and part; a grid
 * cuts its answer to a size on the screen. Both are pure functions, any thread.
 */
#ifndef MODELS_HEAT_H
#define MODELS_HEAT_H

#include "models/query_result.h"
#include "models/heat_log.h"
#include "models/heat_range.h"
#include "samples/snap.h"
#include "scope/scope.h"

#define HEAT_MAX_QUERY 768 /* bytes of the query of a source */
#define HEAT_MAX_PARTS 256
#define HEAT_PART_NAME 80

struct heat_kind {
	const char *name; /* what a map of it shows: "waits for a CPU" */
	const char *noun; /* what is counted: "waits" */
};

struct heat_source {
	const char *view; /* "sched"; in reports and names of files */
	enum model_id model;
	const struct heat_kind *kinds; /* of times; by the key that changes it */
	u32 nkinds;
	u32 terms;	   /* SCOPE_TERM_*: of the filter, those that its counts have applied */
	size_t query_size; /* of the view's own query */
	u32 nbuckets;
	u64 (*lo)(u32 bucket); /* least duration; of nbuckets: where the last one would end */
	/* Optional: the part of the model's snapshot that a query is about, which the others then get in its
	 * place; NULL: there is none. */
	const struct snap *(*of)(const struct snap *snap, const void *query);
	/* Whether a series is of a kind and part. The query: the view's own. */
	bool (*counts)(const struct snap *snap, const void *query, u32 kind, u32 part, u32 series);
	/* Optional, together: parts that can be looked at alone (0: all of them is none of these);
	 * fills up to HEAT_MAX_PARTS, returns how many. What one is called. */
	u32 (*parts)(const struct snap *snap, const void *query, u32 *out);
	void (*part_name)(const struct snap *snap, u32 part, char *buf, size_t size);
	const char *all_parts; /* what all of them are called */
	/* The kind that the view's query is about; NULL: the first. */
	u32 (*kind)(const void *query);
};

extern const struct heat_source heat_sched, heat_io, heat_waits, heat_cache, heat_pairs, heat_events;

/* A value; compared bytewise: zero it first. */
struct heat_query {
	const struct heat_source *source;
	u64 view[HEAT_MAX_QUERY / sizeof(u64)];
	u32 kind, part;
	bool last; /* the newest column alone */
};

void heat_query__init(struct heat_query *q, const struct heat_source *source, const void *query);

/* So many that took so long, in one column. */
struct heat_bin {
	u32 bucket, n;
};

struct heat_time {
	u64 slot, t0_ns, t1_ns;
	u64 count;
	u32 first, n; /* in bins, by bucket */
};

struct heat_result {
	struct query_result base; /* rows: each count of each column, oldest first */
	struct heat_query query;
	u32 ntimes;
	const struct heat_time *times; /* oldest first */
	const struct heat_bin *bins;
	u64 count;		      /* of all */
	u64 left_out;		      /* counted, but not kept apart */
	u32 first_bucket, end_bucket; /* that have counts; 0, 0: none has */
	u32 nparts;
	const u32 *parts;
	char part_name[HEAT_PART_NAME]; /* "" all */
};

/* Never NULL; the frame has the source's snapshot. The scope is not looked at: counts are of what
 * was in scope when they were made. */
struct heat_result *heat__query(const struct frame *f, const struct heat_query *q);
/* The same of the source's snapshot. */
struct heat_result *heat__query_snap(const struct snap *snap, const struct heat_query *q);

/* --- what is seen of it --- */

struct heat_axes {
	u32 width, height; /* cells that there are */
	bool linear;
	u32 slots;     /* intervals in a column; 0: as many as it takes to show all */
	bool has_slot; /* this slot has to be in sight; else the newest is */
	u64 slot;
};

struct heat_grid_column {
	u64 slot;	  /* the first */
	u64 t0_ns, t1_ns; /* 0, 0: nobody watched */
	double count;
};

/* Cut to columns of equally many slots and rows of durations. Row 0 is the least. */
struct heat_grid {
	u32 ncols, nrows;
	u32 slots;	    /* of each column; aligned, so that columns stay as they are */
	u64 now_ns;	    /* end of the newest */
	u64 oldest, newest; /* slots that there are */
	bool linear;
	struct heat_grid_column *cols;
	u64 *edges; /* nrows + 1; row i: [edges[i], edges[i + 1]) */
	bool open;  /* the last row has no upper end */
	float *n;   /* nrows x ncols, row by row. Of linear rows: buckets are spread evenly */
	float max;  /* of n */
};

void heat_grid__make(struct heat_grid *g, const struct heat_result *a, const struct heat_axes *x);
void heat_grid__fini(struct heat_grid *g);
static inline float heat_grid__n(const struct heat_grid *g, u32 col, u32 row)
{
	return g->n[row * g->ncols + col];
}
/* The column of a slot, the row of a duration; what lies outside is at the border. */
u32 heat_grid__col(const struct heat_grid *g, u64 slot);
u32 heat_grid__row(const struct heat_grid *g, u64 ns);

#endif
