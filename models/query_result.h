/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a query over a snapshot answers: rows for a table, each with a tree below it that
 * unfolds in place. Immutable, made on the query worker, freed by whoever holds it. A
 * model's own answer has this as its first member and adds what its view knows more of.
 */
#ifndef MODELS_QUERY_RESULT_H
#define MODELS_QUERY_RESULT_H

#include "base/arena.h"
#include "base/table.h"
#include "samples/snap.h"

/* Rows whose trees a query may be asked for at once. */
#define RESULT_MAX_UNFOLDED 64
#define RESULT_TREE_NODES   4096 /* per row */
#define RESULT_TREE_DEPTH   127

/* The position of a row's key among those, and one; 0: it is not unfolded. */
static inline u32 unfolded__at(const u64 *unfolded, u32 n, u64 key)
{
	for (u32 i = 0; i < MIN(n, (u32)RESULT_MAX_UNFOLDED); i++)
		if (unfolded[i] == key)
			return i + 1;
	return 0;
}

/* A node below a row, depth first (preorder). */
struct tree_node {
	u32 func;   /* symbols' id; 0: no function */
	u32 depth;  /* 1 below the row */
	u32 parent; /* index in answer.nodes, UINT32_MAX at the top */
	u32 nchildren;
	u64 key; /* stable: hash of the path from the row */
	u64 count;
	double pct; /* of the whole window; negative: none is shown */
	bool inlined;
	bool heading;		 /* names the part that follows ("woken by ..."), no frame */
	const char *name;	 /* never NULL */
	const char *object_name; /* dim, behind the name; "" none */
};

struct query_result {
	struct row_table table;
	const struct snap *snap; /* holds a reference; where the counted time begins and ends */
	u64 since_ns;		 /* where the window begins */
	u64 window_ns;		 /* how long it is, the decaying one by its weight; 0 not known */
	u64 symbols_generation;	 /* what was resolved when it was made */
	bool unresolved;	 /* names are missing: worth asking again when more are known */
	const struct row_tree {
		u32 first, n; /* in nodes; n 0: nothing below it, or not asked for */
	} * trees;	      /* table.nrows of them, NULL: no row has a tree */
	const struct tree_node *nodes;
	u32 nnodes;
	/* What it is made of lives here, where it was made by query_result__new. */
	struct arena arena;
	const struct rows_of *of; /* where its cells are; see models/fields.h */
	void (*free)(struct query_result *a);
};

struct symbols;

/* A zeroed answer of so many bytes, whose first member is a struct query_result, with a reference
 * to the snapshot; symbols may be NULL. */
void *query_result__new(size_t size, const struct snap *snap, const struct symbols *symbols,
			u64 since_ns);
/* Its .free, for those who free more than that. */
void query_result__fini(struct query_result *a);

static inline void query_result__free(struct query_result *a)
{
	if (a)
		a->free(a);
}

#endif
