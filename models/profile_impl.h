/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that make a struct profile_rows. One thread, one query at a time. */
#ifndef MODELS_PROFILE_IMPL_H
#define MODELS_PROFILE_IMPL_H

#include "models/profile_select.h"

/* A stack's share in a row whose chains are wanted. */
struct chain_item {
	u32 hit;
	double weight;
	u64 count;
};

struct chain_items {
	struct chain_item *items;
	u32 n, cap;
};

/* A row in the making. */
struct bucket {
	u64 key;
	double self, total;
	u64 nself, ntotal;
	u32 stamp;			   /* last hit counted in total: recursion counts once */
	u32 ident;			   /* by symbol and object: one that belongs here */
	u32 unfolded;			   /* position in query.unfolded + 1; 0 no */
	u32 kinds;			   /* bit per enum leaf_kind, by task */
	const struct profile_entry *entry; /* by task: the one that names the row */
};

struct buckets {
	struct bucket *items;
	float (*trends)[PROFILE_TREND]; /* of self, beside items */
	u32 n, cap;
	struct hidx index;
	u32 *of_ident; /* bucket + 1 of each ident; 0 unknown yet */
	u32 of_ident_n;
	struct chain_items *chains; /* query.nunfolded of them */
};

/* Groups what the selection finds and leaves the hits gathered. */
void buckets__fill(struct buckets *b, struct selection *s);
void buckets__fini(struct buckets *b, const struct profile_query *q);
/* Fills rows->rows, sorted. sources[i] becomes the bucket of row i, caller frees. */
void buckets__rows(const struct buckets *b, struct selection *s, struct profile_rows *rows,
		   u32 **sources);

/* What a row is called, in the arena of the selection or as long-lived as symbols. */
struct row_name {
	const char *name;
	const char *pid_text, *id_text; /* as in struct profile_row */
};

struct row_name bucket__name(const struct bucket *b, const struct selection *s);
/* Fills what says which thing a row is about. */
void profile_row__describe(struct profile_row *row, const struct bucket *b,
			   const struct selection *s, const struct row_name *name);
void profile_rows__table(struct profile_rows *rows, struct arena *a);

struct chain_nodes {
	struct chain_node *items;
	u32 n, cap;
};

/* Appends the chains of one row; its bucket tells which frames it starts from. */
void chains__build(struct selection *s, const struct bucket *row, const struct chain_items *items,
		   double window_weight, struct chain_nodes *out);

/* Fills the butterfly of query.focus. */
void butterfly__fill(struct selection *s, struct profile_rows *rows);

#endif
