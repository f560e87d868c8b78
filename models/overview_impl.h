/* SPDX-License-Identifier: GPL-2.0-only */
/* What rules look at, and how they say what they found. */
#ifndef MODELS_OVERVIEW_IMPL_H
#define MODELS_OVERVIEW_IMPL_H

#include <math.h>

#include "base/arena.h"
#include "models/bpf.h"
#include "models/io.h"
#include "models/measure.h"
#include "models/overview.h"
#include "models/profile.h"
#include "models/sched.h"
#include "models/waits.h"

/* Of one frame. Those of models that are not there, or whose interval is too short, are NULL. */
struct facts {
	const struct frame *frame;
	const struct scope *scope;
	const struct system_snap *system;
	const struct profile_rows *functions; /* by pid and symbol */
	const struct sched_snap *sched;
	const struct waits_snap *waits;
	const struct measure_snap *locks, *tcp, *sockets, *irq, *kvm, *counters;
	const struct bpf_snap *bpf;
	const struct waits_result *reasons;	    /* by tid and reason */
	const struct io_result *devices, *io_users; /* by device; by pid */
	u64 models; /* that are there, a bit each */
	double span_s;
	u32 ncpus;
	u32 own_pid; /* proftop's; 0: not known, as of recordings of before */
	bool short_;	 /* the interval: rates are there, but nothing is to be concluded */
	bool unresolved; /* names are missing */
};

void facts__init(struct facts *f, const struct frame *frame, const struct scope *scope);
void facts__fini(struct facts *f);

struct who {
	u32 pid;
	const char *comm;
	u64 cgroup;
};

struct rule_run {
	const struct facts *facts;
	enum rule_id id;
	struct arena *arena;
	struct finding *findings;
	u32 *nfindings;
	u32 nown; /* findings of this rule */
};

/* value: in the rule's unit; below the threshold of a note nothing is added. who may be NULL:
 * nobody. filter NULL: the process, if any. What follows a '|' in fmt is about who, and is left out
 * while nobody is known. */
void finding__add(struct rule_run *r, double value, const struct who *who, const char *filter,
		  const char *fmt, ...) PRINTF_LIKE(5, 6);
/* Whether it would be added. */
bool finding__counts(const struct rule_run *r, double value);

/* Whether the findings are to be about it. */
bool facts__passes(const struct facts *f, const struct usage_sample *u);
/* The process for which `of` is greatest, per second into *per_s; NULL: it is 0 for all. What proftop itself takes
 * is a rule of its own: it is not what is looked for. */
const struct system_process *facts__top(const struct facts *f,
					double (*of)(const struct usage_sample *u), double *per_s);
/* NULL: none is known. */
const struct system_process *facts__most_threads(const struct facts *f);
/* Tasks that wait for a CPU, on average; 0 where the scheduler is not traced. */
double facts__runnable(const struct facts *f);
struct who who__of_process(const struct system_process *p);
struct who who__of_task(const struct task_ident *t);
/* "`worker` of `shopd`": threads have names that nobody knows who did not write the program; "`shopd`" where they
 * have none of their own. The rule's arena's. */
const char *task__said(const struct rule_run *r, const struct task_ident *t);

/* What facts__top takes. */
double usage__cpu(const struct usage_sample *u);
double usage__system(const struct usage_sample *u);
double usage__minor(const struct usage_sample *u);
double usage__swapped(const struct usage_sample *u);
double usage__major(const struct usage_sample *u);
double usage__reads(const struct usage_sample *u);
double usage__writes(const struct usage_sample *u);
double usage__io(const struct usage_sample *u);

/* Share of the time of all CPUs, or of one (its number as text), in percent. */
/* Of all network namespaces, per second. */
double facts__networks(const struct facts *f, enum figure what);
/* That of the one that has most; NULL: none has any. Its instance is "" in proftop's own. */
const struct system_series *facts__network(const struct facts *f, enum figure what);
double facts__cpu_pct(const struct facts *f, enum figure what, const char *cpu);
double facts__busy_pct(const struct facts *f, const char *cpu);
/* Greatest value per second in the last `s` seconds. */
double series__most(const struct system_series *v, double s, double span_s);

/* --- overview_processes.c --- */

void overview__processes(struct overview_result *a, const struct facts *f, struct arena *arena);
u64 overview__helps(const struct facts *f);
u64 overview__affordable(const struct facts *f);

/* One function a row of overview_rules.def: rule__CPU_FULL and so on. */
#define RULE(id, ...) void rule__##id(struct rule_run *r);
#include "models/overview_rules.def"
#undef RULE

#endif
