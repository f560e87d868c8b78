/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sources: open an event source, drain it, hand out raw samples. Collector thread only;
 * no locks. Nothing stays attached after close, whatever happened before.
 *
 * To add one: 1. sources/<name>.c with a const struct source_ops; 2. a row in sources.def;
 * 3. a live test against a workload whose truth is known.
 */
#ifndef SOURCES_SOURCE_H
#define SOURCES_SOURCE_H

#include "samples/address_names.h"
#include "samples/health.h"
#include "samples/sample.h"
#include "samples/snap.h"
#include "samples/unwind.h"
#include "samples/walk.h"
#include "scope/scope.h"

struct replay_source;
struct ask_list;
struct ask;
void ask__put(const struct ask *a); /* a reference (sources/ask.h); NULL is fine. Any thread. */

enum call_graph { CALL_GRAPH_AUTO, CALL_GRAPH_FP, CALL_GRAPH_EH, CALL_GRAPH_OFF };

#define WATCHES_MAX 4 /* as many as a CPU has */

#define STACK_COPY_BYTES 8192
#define STACK_COPY_MIN	 1024
#define STACK_COPY_MAX	 32768 /* rings may be as small */

/* FORCED: whatever it takes of a CPU. */
enum lock_orders { LOCK_ORDERS_OFF, LOCK_ORDERS_ON, LOCK_ORDERS_FORCED };

/* How to sample; a value. */
struct sampling {
	u64 freq;	 /* Hz; 0 when period is set */
	u64 period;	 /* events per sample; 0 when freq is set */
	char event[128]; /* as given by -e; "" picks cycles:P, else cpu-clock */
	enum call_graph call_graph;
	bool user, kernel; /* which frames and samples are wanted; both true by default */
	bool idle;	   /* count the idle task too */
	bool active_only;  /* where threads are very many, those that sleep all the time may be left out */
	u32 watch;	   /* thread whose every change of state is told; 0 none */
	double interval_s; /* expected time between drains: sizes maps and rings */
	struct replay_source
		*replay; /* of a replay: what its sources hand out; borrowed, NULL live */
	/* Of what is held: mean bytes between two objects that are followed, SAMPLE_EVERY: all are;
	 * 0: all are while they are not too many or too dear. With SAMPLE_PAGES a program's memory is followed by
	 * the kernel's pages. */
	u64 sample_bytes;
	u32 stack_bytes;   /* of user stack to copy where BPF cannot walk it; 0: STACK_COPY_BYTES */
	/* Walks the copies; put in by pipeline/feeds.c. NULL: nobody does. */
	const struct stack_walker *walker;
	/* Names addresses at once; likewise. */
	const struct address_names *names;
	const char *watches[WATCHES_MAX]; /* --watch, as given; NULL: no more. They last for good. */
	enum lock_orders lock_orders; /* whether each lock that is taken is seen */
	const struct ask_list *asks; /* questions (sources/ask.h); NULL: none */
	const struct func_list *functions; /* that are timed (samples/functions.h); NULL: none */
	char counters[256]; /* what is counted (sources/counter_list.h); "": the usual events */
};

#define SAMPLE_EVERY	 1
#define SAMPLE_PAGES	 (1ULL << 32) /* beside the bytes */
#define SAMPLE_BYTES_MAX (16u << 20)

struct source; /* private to each source */

struct source_ops {
	const char *name;  /* tier name on screen: "bpf", "perf" */
	const char *title; /* one line for --doctor */
	bool asks; /* it is about sampling.asks: opened anew when those are others */
	/* Optional: whether it has to be opened anew for other settings. */
	bool (*other)(const struct sampling *was, const struct sampling *wanted);
	/* Optional, before open: hands out a SAMPLE_UNWIND for each process in scope that is there, so that
	 * tables are there before the first stack is walked. False: it walks none. */
	bool (*ask_tables)(const struct sampling *how, const struct scope *scope,
			   const struct sample_sink *sink);
	/* Optional: does of a question what can be done before it is asked, which nobody pays for while it is not: programs
	 * are loaded, not attached. One at a time, for all sources that have this; NULL: none. */
	void (*prepare)(const struct ask *one, const struct sampling *how);
	/* Opens and attaches everything, or nothing: on failure no trace is left and st tells
	 * why and what would enable it. The scope is borrowed for the call. When it returns 0
	 * every probe is attached. */
	struct source *(*open)(const struct sampling *how, const struct scope *scope,
			       struct status *st);
	void (*close)(struct source *s);
	/* Takes effect at once without detaching; on failure the old one stays in force. NULL:
	 * the collector closes and reopens, but a source of tier 0 then does not depend on it. */
	int (*set_scope)(struct source *s, const struct scope *scope, struct status *st);
	int (*set_sampling)(struct source *s, const struct sampling *how, struct status *st);
	/* Optional: CPUs came or went, or were away (base/cpus.h). Opens the perf events of CPUs
	 * anew; on failure it goes on with those it has. */
	int (*renew)(struct source *s, struct status *st);
	/* Optional: which models it serves, a bit per enum model_id; called after open and whenever
	 * that changes. What none of them needs is not gathered. */
	void (*serve)(struct source *s, u64 models);
	/* Between open and begin it counts nothing and takes no stacks: tables may come meanwhile. */
	bool held_off;
	/* Optional: the first interval of what it serves begins at t0_ns, which is just now: what was counted before
	 * is of none. */
	void (*begin)(struct source *s, u64 t0_ns);
	/* Optional: an fd that becomes readable when drain() has work before the tick; -1 none. */
	int (*fd)(struct source *s);
	/* Optional, before fetch at a tick: the interval ends at t1_ns, which is just now; what lasts is cut there.
	 * Has the programs go on elsewhere. True: who calls it waits until none runs where they were
	 * (source__wait_turns), once for all sources. */
	bool (*turn)(struct source *s, u64 t1_ns);
	/* Optional, before drain: takes what waits in the kernel over without handing it out.
	 * Sources without it are drained in between, so that the processes and mappings of all
	 * that was fetched are known when it is handed out. */
	void (*fetch)(struct source *s, bool tick);
	/* Hands out everything gathered so far. `tick` is false when called for fd's sake
	 * (then only urgent records: new processes, maps), true at the end of an interval. */
	void (*drain)(struct source *s, bool tick, const struct sample_sink *sink);
	/* Adds what it knows since open: the collector computes rates and differences. */
	void (*health)(struct source *s, struct health *h);
};

/* Until no BPF program runs that has begun before: 5 to 20 ms. */
void source__wait_turns(void);

/* Where unwind tables are kept for the programs; a source that wants some makes the maps. */
extern const struct unwind_sink source_unwind_sink;

enum source_id {
#define SOURCE(id, ops, model, tier) SOURCE_##id,
#include "sources/sources.def"
#undef SOURCE
	SOURCE_COUNT
};

struct source_row {
	const struct source_ops *ops;
	enum model_id model;
	int tier;
};

extern const struct source_row source_table[SOURCE_COUNT];

#endif
