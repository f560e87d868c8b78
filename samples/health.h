/* SPDX-License-Identifier: GPL-2.0-only */
/* How far the numbers of a source can be trusted and what they cost; a plain value. */
#ifndef SAMPLES_HEALTH_H
#define SAMPLES_HEALTH_H

#include "base/base.h"

/* How user stacks are got. */
enum stacks_by {
	STACKS_BY_NOTHING, /* there are none, or the source does not say */
	STACKS_BY_TABLES,  /* walked in the kernel by unwind tables */
	STACKS_BY_COPIES,  /* copied with each sample, walked here by unwind tables */
	STACKS_BY_FP,	   /* walked in the kernel by frame pointers */
};

const char *stacks_by__name(enum stacks_by by); /* "" of STACKS_BY_NOTHING */

/* User stacks by unwind tables: how the walks of the last interval ended, and the tables. */
struct health_stacks {
	u64 whole, cut; /* at the outermost frame; at the depth limit */
	/* Too early: */
	u64 unknown;   /* what is mapped there was not known yet */
	u64 no_table;  /* the object's table was not there yet */
	u64 no_row;    /* the table does not describe the place */
	u64 bad_stack; /* the stack cannot be read, or leads nowhere */
	u64 fp_end;    /* frame pointers, of code without a table, led no further */
	u64 fp_zero;   /* frame pointers ended properly: whole if the last function is an outermost one */
	u64 gone;      /* no frames: the process ended, its memory was given back */
	u64 listed;    /* of all, those that looked up the kernel's list of what is mapped */
	/* Of processes with an interpreter: with its frames; that could not be read, or were not what they
	 * should be; of which it was not clear where among the others they belong. */
	u64 scripts, scripts_doubt, scripts_astray;
	/* Of copies that came with the samples: */
	u64 copy_end; /* the stack goes on above what was copied */
	u64 unwalked; /* the leaf alone: more came than could be walked; in stacks_lost too */
	enum stacks_by by;
	/* Of all sources together: */
	u64 tables, rows, bytes, budget; /* bytes: of budget, which are the most there may be */
	u64 evictions;			 /* tables that made room for others, since start */
};

/* Why an interval is not as long as asked, or the time of day has gone on further. */
struct health_gap {
	u64 missed_ticks; /* that it goes on over: proftop was stopped, or starved */
	u64 suspended_ns; /* time suspended in this interval, excluded from all durations */
	u64 cpus_changed; /* how often it was heard in it that CPUs came or went */
};

static inline bool health_gap__any(const struct health_gap *g)
{
	return g->missed_ticks || g->suspended_ns || g->cpus_changed;
}

struct health {
	u64 samples;	   /* in the last interval, counted by the source itself */
	u64 samples_total; /* since start or zero */
	u64 lost;	   /* samples that are in no row, since start or zero */
	u64 map_full;	   /* failed map inserts, since start or zero */
	u64 stacks_lost;   /* samples whose frames are missing (in rows as [no stack] or a leaf) */
	u64 side_lost;	   /* fork, exec and mmap records lost: names of new code may be missing */
	struct health_gap gap; /* of the last interval */
	double map_fill_pct;   /* fullest map at its last drain */
	double truncated_pct; /* samples whose user stack does not reach its outermost frame */
	double self_cpu_pct;  /* proftop's own CPU over the last interval, of one CPU */
	double cost_pct;      /* estimate: frequency x cost per sample / CPUs, of the machine */
	double run_pct;	      /* measured: time in the BPF program / wall time / CPUs */
	double cost_ns;	      /* mean run time of the program per sample; 0 unknown */
	u64 freq;	      /* Hz asked for, 0 when a period is set */
	u64 period;	      /* events per sample, 0 when a frequency is set */
	bool precise;	      /* the address is the sampled instruction's; else it may skid */
	struct health_stacks stacks;
	char tier[32];	/* which engine serves: "bpf", "perf" ... */
	char event[64]; /* the event really sampled */
	char note[400]; /* what this tier cannot see, in words; "" if nothing */
};

/* What a source says of itself, in the place of what h has but for what others add: records lost
 * beside it, and proftop's own CPU. */
void health__take(struct health *h, const struct health *of);

/* Adds "N what" to the note, unless n is 0. */
void health__note(struct health *h, u64 n, const char *what);
/* Adds a text of its own, as printf(3). */
__attribute__((format(printf, 2, 3))) void health__say(struct health *h, const char *format, ...);

/* Adds what its gap was. */
void health__note_gap(struct health *h);

/* Adds why stacks ended early, when that is more than one in a hundred. */
void health__note_stacks(struct health *h);

/* What programs cost that ran `runs` times in wall_ns, of which `timed` took run_ns: cost_ns,
 * run_pct and cost_pct, which are the same where nothing is sampled. */
void health__cost(struct health *h, u64 runs, u64 timed, u64 run_ns, u64 wall_ns);

#endif
