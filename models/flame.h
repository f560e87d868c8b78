/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flame: the stacks of a view as one merged call tree, whatever model they come from.
 *
 * A model that has stacks says so by a struct flame_source: its stacks() hands out each stack
 * of a snapshot with its command and its weight. Names, terms on names and commands, inlined
 * functions and merging are done here. models/flame_sources.c has those that are there; one
 * more is a function there and `.stacks = &flame_NAME` in its view's listing.
 *
 * A query is a pure function over a frame; any thread (in the program: the query worker).
 * Memory is bounded by FLAME_MAX_NODES: where stacks have more frames than that the lightest
 * end early, and what weight that is about is in the answer. Sums never change.
 */
#ifndef MODELS_FLAME_H
#define MODELS_FLAME_H

#include "models/query_result.h"
#include "samples/snap.h"
#include "scope/scope.h"
#include "models/profile.h" /* struct callstack, enum time_window */

#define FLAME_MAX_NODES (1u << 18)
#define FLAME_MAX_DEPTH 1024
#define FLAME_MAX_QUERY 768 /* bytes of the query of a source */
#define FLAME_SEARCH	256

struct flame_builder;

/* What a graph's weights are. */
struct flame_weight {
	enum value_type unit;
	const char *noun; /* of VALUE_COUNT */
	char what[64];
};

struct flame_source {
	const char *view; /* "cpu"; in reports and names of files */
	const char *what; /* what a graph of it shows, in a few words */
	/* What time it is about where the window does not matter; NULL where it does. */
	const char *always;
	const char *noun;     /* of VALUE_COUNT: "samples" */
	enum value_type unit; /* of weights: VALUE_COUNT or VALUE_NS */
	enum model_id model;
	/* The view's own query: how large it is, where it lies in its answer, and where its
	 * window is in it. */
	size_t query_size, query_at, window_at;
	/* Hands out all stacks of the query's window that are in scope, as far as the scope is
	 * about ids: flame_builder__add looks at names. */
	void (*stacks)(const struct snap *snap, const void *query, const struct scope *scope,
		       struct flame_builder *m);
	/* Optional: where weights depend on the query; as the source has them otherwise. */
	void (*weigh)(const void *query, struct flame_weight *out);
	/* Optional, where only some of what happened was looked at: by how many points shares may be
	 * wrong for that; 0: all was. */
	double (*error)(const struct snap *snap, const void *query, const struct scope *scope);
	/* Optional: whether inlined functions are frames of their own to begin with. */
	bool (*inlined)(const void *query);
	/* Optional, for both halves of a hot and cold graph. Whether it is time off the CPU;
	 * what one of its weights is in ns (0: that is not known in this frame). */
	bool cold;
	double (*weight_ns)(const struct frame *f);
	/* With it: its query where the graph is another view's. */
	void (*init)(void *query);
};

extern const struct flame_source flame_profile, flame_waits, flame_io, flame_io_slow,
	flame_cache;
/* Of one question, which the query names; of all that are asked. */
extern const struct flame_source flame_events, flame_pairs, flame_held;
extern const struct flame_source flame_all_events, flame_all_pairs, flame_all_held;
/* The other half of a hot and cold graph; NULL: there is none. */
const struct flame_source *flame_source__other_half(const struct flame_source *s);

struct flame_weight flame_source__weight(const struct flame_source *s, const void *query);

/* --- for sources --- */

struct flame_stack {
	const struct callstack *stack; /* NULL: not known. Stays until the query is over */
	/* In the place of a stack: names with `between` between them, the outermost first; NULL: a
	 * stack. */
	const char *path, *between;
	const char *comm;
	u64 weight; /* 0: ignored */
};

void flame_builder__add(struct flame_builder *m, const struct flame_stack *stack);
/* The same minus the tracer's own frames at the leaf. */
void flame_builder__add_trimmed(struct flame_builder *m, const struct flame_stack *stack);
/* Whether a task passes the scope's terms about ids. */
bool flame_builder__task(const struct flame_builder *m, u32 tgid, u32 tid, u32 cpu, u64 cgroup);
/* Which frames count, before the first stack; both do otherwise. */
void flame_builder__code(struct flame_builder *m, bool user, bool kernel);
/* Memory that stays until the query is over; fini is called then, may be NULL. */
struct arena *flame_builder__arena(struct flame_builder *m);
void flame_builder__keep(struct flame_builder *m, void *what, void (*fini)(void *what));

/* --- queries --- */

#define FLAME_PARTS 2 /* hot and cold */

struct flame_part {
	const struct flame_source *source;
	u64 query[FLAME_MAX_QUERY / sizeof(u64)];
};

/* A value; compared bytewise: zero it first. */
struct flame_query {
	struct flame_part parts[FLAME_PARTS];
	u32 nparts;		   /* of several: weights are ns */
	bool leaf_first;	   /* what is below the root: leaves; else whoever began it all */
	bool by_comm;		   /* commands come between root and frames */
	bool inlined;		   /* functions inlined at an address are frames of their own */
	bool by_baseline;	   /* nodes lie as they did in the baseline: of what is gone, too */
	char search[FLAME_SEARCH]; /* regular expression; "" none */
};

/* One part, its view's own query copied; by comm. */
void flame_query__init(struct flame_query *q, const struct flame_source *source, const void *query);
/* Of all parts. */
enum time_window flame_query__window(const struct flame_query *q);
void flame_query__set_window(struct flame_query *q, enum time_window w);

/* What nodes are called: functions, commands, the root. */
struct flame_frame {
	const char *name, *object_name; /* never NULL */
	u32 func, object;		/* 0: none is known */
	enum code_kind kind;		/* CODE_UNKNOWN of what is no code too */
	bool comm;			/* a command, or the root */
	bool library;			/* in a shared object */
	bool go;			/* of Go's own */
	bool match;			/* the search's */
	u8 shade;			/* by its name, evenly spread */
};

/* In preorder, siblings by name; 0 is the root. What begins at a node's start and is as wide as
 * its value (flame_node__width) holds all its descendants, one beside the other from the left. */
struct flame_node {
	u64 key;	 /* stable: hash of the path */
	u64 start;	 /* of the root's value; with by_baseline of its value in the baseline */
	u64 value;	 /* all that passes it: its children's, and its own */
	u64 cold;	 /* part of value: off the CPU */
	u64 self;	 /* part of value: ends here */
	u64 baseline, baseline_self; /* the same in the baseline */
	u32 parent, end; /* end: position behind its last descendant */
	u32 frame;
	u16 depth; /* 0 the root */
	bool inlined;
};

struct flame_result {
	struct query_result base; /* no rows: flame_rows makes some */
	struct flame_query query;
	enum value_type unit;
	const char *noun;
	const struct flame_node *nodes; /* base.nnodes is 0; at least one */
	u32 nnodes;
	const struct flame_frame *frames;
	u32 nframes;
	bool compared;	      /* with a baseline; nodes of both are there */
	u64 gone;	      /* of the baseline's weight: on paths that have none now */
	u64 stacks;	      /* distinct ones */
	u64 cut;	      /* weight of stacks whose outer end of the tree is missing */
	u64 matched;	      /* weight of stacks with a match, each counted once */
	u32 nmatches;	      /* nodes */
	double truncated_pct; /* of the weight with user frames: stacks that end too early */
	double error_pct;     /* points that shares may be wrong by, as there were only samples; 0 none */
	const char *missing;  /* a part that the frame does not have: its view; NULL none */
	char wrong[120];      /* why the search is no regular expression; "" none */
};

/* Never NULL; scope may be NULL (everything). The frame has the first part's snapshot. */
struct flame_result *flame__query(const struct frame *f, const struct flame_query *q,
				  const struct scope *scope);
/* The same against a baseline, NULL none, which has the first part's snapshot too. */
struct flame_result *flame__compare(const struct frame *f, const struct frame *baseline,
				    const struct flame_query *q, const struct scope *scope);
/* As flame__query, from the snapshots of the parts (NULL: missing) and what their weights are in ns. */
struct flame_result *flame__build(const struct snap *const *snaps, const double *weight_ns,
				  const struct flame_query *q, const struct scope *scope);
/* Weight of stacks through a node that have a match in it, above or below it. */
u64 flame__matched(const struct flame_result *a, u32 node);

static inline const struct flame_frame *flame__frame(const struct flame_result *a, u32 node)
{
	return &a->frames[a->nodes[node].frame];
}

static inline u64 flame_node__width(const struct flame_result *a, const struct flame_node *n)
{
	return a->query.by_baseline ? n->baseline : n->value;
}

/* By how many points its share of all there is now exceeds that of all there was then. */
double flame__change(const struct flame_result *a, u32 node);

/* "user" "kernel" ..., "library", "go", "inlined", "comm": in exports. */
const char *flame_frame__kind(const struct flame_frame *f, bool inlined);

/* Calls emit for each distinct path that ends at or below a node, from the root; names are as
 * folded text has them. Weights are undivided. frames are valid during the call. */
void flame__stacks(const struct flame_result *a, u32 node,
		   void (*emit)(void *ctx, const struct value_frame *frames, u32 n, u64 weight),
		   void *ctx);
/* The same of the baseline. */
void flame__baseline_stacks(const struct flame_result *a, u32 node,
			    void (*emit)(void *ctx, const struct value_frame *frames, u32 n,
					 u64 weight),
			    void *ctx);

#endif
