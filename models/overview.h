/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Overview: what is wrong with the machine, in sentences; the query behind the view. A rule is a row
 * of overview_rules.def and a function that looks at the snapshots of a frame. Nothing is guessed: a
 * sentence has the figures that were measured, and who is behind it where that was measured, too.
 *
 * Pure functions over a const frame; any thread.
 */
#ifndef MODELS_OVERVIEW_H
#define MODELS_OVERVIEW_H

#include "models/query_result.h"
#include "models/system.h"
#include "scope/scope.h"

#define OVERVIEW_FINDINGS  48
#define OVERVIEW_PER_RULE  2  /* more of one kind say little */
#define OVERVIEW_PROCESSES 64
#define OVERVIEW_MIN_NS	   (120 * NSEC_PER_MSEC) /* shorter intervals say nothing */

enum rule_id {
#define RULE(id, ...) RULE_##id,
#include "models/overview_rules.def"
#undef RULE
	RULES
};

enum severity { SEVERITY_NOTE, SEVERITY_WARNING, SEVERITY_CRITICAL, SEVERITIES };
extern const char *const severity_names[SEVERITIES]; /* in JSON too */

struct rule_run;
struct row_texts;

struct overview_rule {
	const char *name, *unit;
	double from[SEVERITIES]; /* infinite: never */
	u64 needs;		 /* bit per model_id, beside MODEL_SYSTEM */
	const char *view, *group, *sort, *basis, *help; /* sort "": as the view has it */
	void (*run)(struct rule_run *r);
};
extern const struct overview_rule overview_rules[RULES];

struct finding {
	enum rule_id rule;
	enum severity severity;
	double value; /* in the rule's unit */
	const char *text;
	u32 pid; /* 0: nobody is behind it */
	const char *comm;
	const char *view, *group, *filter; /* where to look further; filter "" none */
	int part_of; /* the rule of another finding, of which this one is a part; -1: it stands by itself */
	const struct row_texts *cells; /* of its row, by column */
};

/* One that uses something, and what its time was spent on; shares of one CPU, or of its threads'
 * time; negative: not known. */
struct overview_process {
	u32 pid;
	char comm[COMM_LEN];
	char state;
	double cpu_pct, system_pct, runq_pct, disk_pct, lock_pct;
	u64 rss_bytes;
	double io_per_s; /* bytes from and to disks */
};

/* A value; zero it first. */
struct overview_query {
	bool partial; /* models that are not there are on their way: their rules come later */
};

struct overview_result {
	struct query_result base; /* rows are the findings, worst first, parts of others last */
	u32 nfindings, nparts;
	const struct finding *findings; /* the last nparts are parts of others */
	u32 nrules;	  /* that were looked at */
	u64 missing;	  /* models whose rules were not, a bit each */
	u64 helps;	  /* models that would tell more of what goes on now, a bit each */
	u64 affordable;	  /* and those that would not cost too much */
	bool too_short;	  /* the interval: nothing was looked at */
	u32 nprocesses;
	const struct overview_process *processes; /* what they want most first */
};

/* Never NULL; scope may be NULL. Findings about processes that it does not let pass are left out. */
struct overview_result *overview__query(const struct frame *f, const struct overview_query *q,
					const struct scope *scope);

/* That of MODEL_SYSTEM's source, with the losses and the cost of all that is traced for findings. */
void overview__health(const struct frame *f, struct health *h);

#endif
