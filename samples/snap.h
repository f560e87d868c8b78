/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Immutable snapshots and the frame that carries them.
 *
 * A model builds a snapshot on the collector thread; from then on it is const and shared
 * by reference count between threads. A frame is all snapshots at one time.
 */
#ifndef SAMPLES_SNAP_H
#define SAMPLES_SNAP_H

#include <stdatomic.h>

#include "base/base.h"
#include "samples/health.h"

struct scope;

/* First member of every x_snap. */
struct snap {
	atomic_uint refs;
	void (*free)(struct snap *s);
	u64 t0_ns, t1_ns; /* the last interval that is in it; CLOCK_MONOTONIC */
};

static inline void *snap__get(const void *s)
{
	if (s)
		atomic_fetch_add_explicit(&((struct snap *)s)->refs, 1, memory_order_relaxed);
	return (void *)s;
}

static inline void snap__put(const void *p)
{
	struct snap *s = (struct snap *)p;

	if (s && atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) == 1)
		s->free(s);
}

enum model_id {
#define MODEL(id, ops) MODEL_##id,
#include "models/models.def"
#undef MODEL
	MODEL_COUNT
};

#define MODEL_BIT(m) (1ULL << (m)) /* of a set of models */

/* What is going on with a model's sources, for views that have nothing to show yet. */
enum feed_state { FEED_OFF, FEED_OPENING, FEED_LIVE, FEED_FAILED };

struct feed {
	enum feed_state state;
	struct health health;
	/* FEED_OPENING: what is being opened. FEED_FAILED: why, and what to do, of each source
	 * that was tried. FEED_LIVE: the same of better sources that did not open; "" the best
	 * one serves. */
	char reason[512];
	char gone[128];	   /* what of the scope is not there any more, in words; "" nothing */
	char refused[256]; /* what was asked for last and could not be done; "" nothing */
	int exit_code; /* FEED_FAILED: enum exit_code of the failure that tells most */
};

/* What is recorded or replayed, for the screen. */
enum recording_kind { RECORDING_NONE, RECORDING_RECORD, RECORDING_REPLAY };

struct recording_state {
	enum recording_kind kind;
	u64 intervals;	   /* written, or there are; 0 of a replay: not known */
	u64 bytes;	   /* written */
	u64 dropped;	   /* intervals that could not be written in time */
	u64 begin_ns, end_ns; /* of a replay and of what is kept in memory: the whole of it */
	u64 at_ns;	      /* of a replay: where it is */
	double speed;
	bool stopped; /* paused, or at its end */
	char error[200]; /* why recording ended, or what of the file cannot be read; "" nothing */
};

struct frame {
	struct snap base;
	u64 seq;   /* counts up from 1 */
	u64 t_ns;  /* when it was made */
	bool final; /* nothing follows: the command ended or the input is at its end */
	/* With collector_config.every_frame: the one made before, a reference, when nobody had taken it
	 * yet; else NULL. */
	const struct frame *before;
	const struct snap *snaps[MODEL_COUNT]; /* NULL while there is none */
	/* In force when it was made, with the cgroups that its globs stood for then. */
	const struct scope *scope;
	struct feed feeds[MODEL_COUNT];
	struct recording_state recording;
	struct recording_state history; /* what is kept of the last minutes */
};

#endif
