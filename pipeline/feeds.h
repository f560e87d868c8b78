/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Feeds: which models are wanted, which sources serve them, and what is told about both.
 *
 * A wanted model opens its sources of tier 0, then its alternatives in rising tier until one
 * really opens. One source is opened per feeds__open_next, so that a frame can tell in
 * between what is being waited for. Collector thread only.
 */
#ifndef PIPELINE_FEEDS_H
#define PIPELINE_FEEDS_H

#include "models/model.h"
#include "pipeline/slots.h"
#include "samples/record_sink.h"

#define ALL_MODELS (~0ULL)
_Static_assert(MODEL_COUNT <= 64, "sets of models are 64 bits");

enum setting { SETTING_SCOPE, SETTING_SAMPLING, SETTINGS };

struct model_feed {
	const struct model_ops *ops; /* NULL: a test has no such model, it is never wanted */
	struct model *model;	     /* NULL until it is wanted first; then kept with its history */
	struct snap *snap;	     /* the newest, NULL while there is none */
	struct feed feed;
	u32 next;		     /* FEED_OPENING: the row to be tried next, */
	bool open;		     /* or that is open and awaits its tables */
	u64 t0_ns;		     /* FEED_LIVE: where the interval that goes on began */
	u64 last_samples;	     /* total at t0 */
	char failed[512];	     /* which sources did not open, and why */
	char missing[192];	     /* the same of tier 0, for the health's note */
	char refused[SETTINGS][192]; /* what could not be set and so stays; "" nothing */
};

struct feeds {
	struct slots slots;
	struct source_row *rows; /* by rising tier */
	u32 nrows;
	u64 opening;		 /* models in FEED_OPENING */
	u64 trial;		 /* of those: opened anew for another event ... */
	struct sampling before;	 /* ... and back to this when no source takes it */
	struct symbols *symbols; /* NULL in tests, and when nothing is to be located */
	bool borrows_symbols;
	u64 tables_until_ns;	 /* of the source that is next: waited for so long; 0: not yet */
	char gone[128];		 /* what of the scope is not there any more: scope__gone() */
	struct record_sink *sinks[SINKS]; /* take everything down; NULL none */
	struct model_feed v[MODEL_COUNT];
};

struct feeds_config {
	const struct source_row *rows;
	u32 nrows;
	const struct model_ops *const *models; /* MODEL_COUNT of them */
	struct symbols *symbols;	       /* NULL in tests */
	bool borrows_symbols;		       /* see struct collector_config */
	struct sampling how;
	struct scope *scope; /* not NULL; the reference is taken over */
	int epoll_fd;	     /* where the sources' fds are listened to ... */
	u32 epoll_tag;	     /* ... with data.u32 = epoll_tag + index of the slot */
};

void feeds__init(struct feeds *f, const struct feeds_config *cfg);
/* Closes the sources, frees the models. */
void feeds__fini(struct feeds *f);
/* Closes all sources; states and snapshots stay as they were. */
void feeds__detach(struct feeds *f);

void feeds__want(struct feeds *f, enum model_id m, bool on);
/* Tries one source of one model in FEED_OPENING. Returns the models that went live with it:
 * call feeds__begin for them. */
u64 feeds__open_next(struct feeds *f);
/* The first interval of these models begins at t0. */
void feeds__begin(struct feeds *f, u64 models, u64 t0_ns);
/* Live models that have nothing but sources of tier 0: they have something to show at once. */
u64 feeds__upkeep(const struct feeds *f);
/* Models whose open sources answer questions. */
u64 feeds__asked(const struct feeds *f);

/* Ends an interval at t1, which is just now: hands out what the sources of these models gathered (sources shared
 * with others too). */
void feeds__drain(struct feeds *f, u64 models, u64 t1_ns);
/* Urgent records only, for a slot whose fd is readable. */
void feeds__drain_urgent(struct feeds *f, struct slot *slot);
/* Ends the interval of these models if they are live. */
void feeds__tick(struct feeds *f, u64 models, u64 t1_ns, double self_cpu_pct,
		 struct health_gap gap);
/* changed: CPUs came or went, or were away: what sources have open on each of them is opened anew.
 * Else that is tried again where it failed. */
void feeds__renew(struct feeds *f, bool changed);
/* What sources tell of their health is looked at again. */
void feeds__refresh(struct feeds *f);
/* Starts recording to @sink, which is taken over; a sink of that use that was there is closed. NULL:
 * stops. */
void feeds__record(struct feeds *f, enum record_sink_use use, struct record_sink *sink);
/* Nothing is taken down any more. */
void feeds__stop_recording(struct feeds *f);
/* Forgets what these models gathered so far; their intervals begin at t0. */
void feeds__zero(struct feeds *f, u64 models, u64 t0_ns);

/* Models whose feed failed are tried again. The scope's reference is taken over. */
void feeds__set_scope(struct feeds *f, struct scope *scope);
void feeds__set_sampling(struct feeds *f, const struct sampling *wanted);
/* See struct source_ops. */
void feeds__prepare(struct feeds *f, const struct ask *ask);

/* Adds states, health and references to the snapshots. */
void feeds__fill(struct feeds *f, struct frame *fr);

#endif
