/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System: figures of the whole machine and of what processes use, now and of late; what the
 * overview's rules look at first. Takes the samples of samples/system.h.
 *
 * Memory is bounded: SYSTEM_MAX_SERIES figures, SYSTEM_MAX_PROCESSES processes (beyond that those
 * that come are left out until others end, and counted), SYSTEM_MAX_NOTICES messages. Snapshots are
 * immutable.
 */
#ifndef MODELS_SYSTEM_H
#define MODELS_SYSTEM_H

#include "samples/snap.h"
#include "samples/system.h"

#define SYSTEM_MAX_SERIES    8192
#define SYSTEM_MAX_PROCESSES 8192
#define SYSTEM_MAX_NOTICES   32
#define SYSTEM_TREND	     120
#define SYSTEM_USUAL_S	     120 /* how far back what is usual reaches, as a decaying mean */

struct model_ops;
extern const struct model_ops model_system;

struct system_series {
	enum figure figure;
	char instance[FIGURE_INSTANCE]; /* "" the machine */
	u64 value;   /* of the last interval: growth of a counter, or level */
	double rate; /* per second, or level */
	double usual; /* the same in the minutes before */
	double usual_s; /* of how many seconds that is; 0: nothing is known */
	u32 pid;
	u32 ntrend;
	float trend[SYSTEM_TREND]; /* rate, oldest first */
};

struct system_process {
	struct usage_sample u; /* of the last look */
	u64 t_ns;	       /* the interval's end when it was looked at */
	/* Its memory grew in each of so many looks, without a break, from that on: */
	u32 grew;
	u64 grew_from_bytes, grew_since_ns;
	u32 blocked; /* in so many looks, without a break, it was in D */
};

struct system_snap {
	struct snap base;
	u32 nseries, nprocesses, nnotices;
	const struct system_series *series; /* by figure; of one: in the order they came */
	u32 first[FIGURES + 1];		    /* of each figure: its first in series */
	const struct system_process *processes; /* of the last interval */
	const struct notice_sample *notices;	/* oldest first */
	u64 left_out;				/* figures and processes that there was no room for */
};

/* NULL: there is no such figure. */
const struct system_series *system__series(const struct system_snap *s, enum figure f,
					   const char *instance);
/* Per second, or what it is; 0 where there is no such figure. */
double system__rate(const struct system_snap *s, enum figure f, const char *instance);
/* Whether the machine has it at all. */
bool system__has(const struct system_snap *s, enum figure f);
/* A process of the last interval; NULL: it did nothing in it. */
const struct system_process *system__process(const struct system_snap *s, u32 pid);

#endif
