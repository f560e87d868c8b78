/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that make a struct profile_rows. One thread, one query at a time. */
#ifndef MODELS_PROFILE_IMPL_H
#define MODELS_PROFILE_IMPL_H

#include "models/profile_select.h"
#include "models/storms.h"

/* A stack's share in a row whose chains are wanted. */
struct chain_item {
	u32 filtered;
	double weight;
	u64 count;
};

struct chain_items {
	struct chain_item *items;
	u32 n, cap;
};

/* One combination of the task's keys that rows are grouped by. */
struct task {
	u64 key;
	bool ended;
	const struct profile_entry *entry; /* the one that names it; NULL: by no such key */
	const struct storm *storm;	   /* NULL: it is a single one */
	/* As in struct profile_row; set by tasks__name. */
	const char *comm, *cgroup_name, *pid_text, *tid_text, *cpu_text, *host;
	const char *name; /* of a row that is the task */
};

struct tasks {
	struct task *items;
	u32 n, cap;
	struct hidx index;
	struct storms storms; /* by pid */
};

/* Before the first entry: which processes are rows of many. */
void tasks__find_storms(struct tasks *t, const struct selection *s);
/* The position of an entry's task, added when it is new. Without such keys there is one. */
u32 tasks__find(struct tasks *t, const struct selection *s, const struct profile_entry *e);
/* Looks the names up, in the arena of the selection. */
void tasks__name(struct tasks *t, const struct selection *s);
void tasks__fini(struct tasks *t);

/* What of frames rows are about: GROUP_SYMBOL or GROUP_OBJECT; GROUPS: they are tasks. */
static inline enum profile_group query__code(const struct profile_query *q)
{
	if (q->groups & GROUP_BIT(GROUP_SYMBOL))
		return GROUP_SYMBOL;
	return q->groups & GROUP_BIT(GROUP_OBJECT) ? GROUP_OBJECT : GROUPS;
}

/* A row in the making. */
struct bucket {
	u64 key;
	double self, total;
	u64 nself, ntotal;
	u32 stamp;    /* last share counted in total: recursion counts once */
	u32 task;     /* position in buckets.tasks */
	u32 ident;    /* by symbol and object: one that belongs here */
	u32 unfolded; /* position in query.unfolded + 1; 0 no */
	u32 kinds;    /* bit per enum leaf_kind, by task alone */
	u32 most;     /* position in buckets.owners + 1 of the largest; 0 none */
};

/* What a process has of a row's own weight. */
struct owner {
	u32 bucket;
	const struct profile_entry *entry; /* the first one of the process */
	double weight;
};

struct owners {
	struct owner *items;
	u32 n, cap;
	struct hidx index;
};

void owners__add(struct owners *l, struct bucket *row, u32 bucket, const struct profile_entry *e,
		double weight);
/* Fills row->most_*, in the arena of the selection. */
void profile_row__most(struct profile_row *row, const struct bucket *b, const struct owners *l,
		       const struct selection *s);
void owners__fini(struct owners *l);

/* What a task has of the samples of a stack. */
struct share {
	u32 task, filtered;
	double weight;
	u64 count;
};

struct shares {
	struct share *items;
	u32 n, cap;
	struct hidx index;
};

/* The bucket of an ident, for the task it was last looked up for. */
struct ident_bucket {
	u32 task;
	u32 bucket; /* position + 1; 0 unknown yet */
};

struct buckets {
	struct bucket *items;
	float (*trends)[TREND_LEN]; /* of self, beside items */
	u32 n, cap;
	struct hidx index;
	struct ident_bucket *of_ident;
	u32 of_ident_n;
	struct tasks tasks;
	struct shares shares; /* by code and task at once */
	struct owners owners;   /* by code */
	bool full;	      /* some functions without own samples have no row */
	struct chain_items *chains; /* query.nunfolded of them */
};

/* Groups what the selection finds and leaves the hits gathered. b: zeroed, or used before and
 * not fini'ed: its memory then serves again. */
void buckets__fill(struct buckets *b, struct selection *s);
/* Frees what is no memory to serve again. */
void buckets__end(struct buckets *b, const struct profile_query *q);
void buckets__fini(struct buckets *b);
size_t buckets__bytes(const struct buckets *b);
/* Fills rows->rows, sorted. sources[i] becomes the bucket of row i, caller frees. */
void buckets__rows(const struct buckets *b, struct selection *s, struct profile_rows *rows,
		   u32 **sources);

/* The text that rows are ordered by, in the arena of the selection or as long-lived as symbols. */
const char *bucket__name(const struct bucket *b, const struct task *t, const struct selection *s);
/* Fills what says which thing a row is about. */
void profile_row__describe(struct profile_row *row, const struct bucket *b, const struct task *t,
			   const struct selection *s);
void profile_rows__table(struct profile_rows *rows, struct arena *a);

struct chain_nodes {
	struct tree_node *items;
	u32 n, cap;
};

/* Appends the chains of one row, `most` nodes at most; its bucket tells which frames it starts
 * from. */
void chains__build(struct selection *s, const struct bucket *row, const struct chain_items *items,
		   double window_weight, u32 most, struct chain_nodes *out);

/* Fills the butterfly of query.focus. */
void butterfly__fill(struct selection *s, struct profile_rows *rows);

#endif
