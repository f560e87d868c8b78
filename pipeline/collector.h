/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The collector: the background thread that owns sources and models, publishes immutable
 * frames and takes commands. Callers never wait for it, except in collector__stop.
 *
 * Frames. The first one comes at once and tells what is being opened; another one follows
 * each step of that (struct feed). A model's first interval begins when all its sources are
 * attached. Intervals end on a fixed grid that begins when everything wanted at the start
 * has been opened or has failed; a late one is longer and delays nothing after it. What did
 * not change since the last frame is carried over by reference.
 */
#ifndef PIPELINE_COLLECTOR_H
#define PIPELINE_COLLECTOR_H

#include "base/status.h"
#include "models/model.h"
#include "samples/snap.h"
#include "samples/record_sink.h"
#include "scope/scope.h"
#include "sources/source.h"
#include "symbols/symbols.h"

struct collector;

struct collector_config {
	struct symbols *symbols;   /* NULL in tests: nobody is told of processes */
	bool borrows_symbols;	   /* they are another collector's, which alone asks them for more */
	const struct scope *scope; /* a reference is taken; NULL: everything */
	struct sampling sampling;  /* interval_s and replay are set from what follows */
	u64 interval_ns;	   /* at least COLLECTOR_MIN_INTERVAL_NS */
	u64 wanted;		   /* bit per model_id to begin with */
	/* Interactive: a few short intervals follow when something was opened, so that rows show
	 * within 300 ms. Off, each interval is interval_ns long from the attachment on. */
	bool early_frames;
	/* Frames that are not taken in time wait behind the next one (struct frame.before), up to
	 * COLLECTOR_FRAMES_WAITING: more are dropped, and logged. Off, the newest replaces them. */
	bool every_frame;
	bool manual_tick; /* tests: intervals end at collector__tick only, clock is fake */
	/* Tests replace the real table: same shape, ends with ops == NULL. NULL: source_table. */
	const struct source_row *sources;
	/* Likewise; MODEL_COUNT entries, NULL where there is none. NULL: model_table. */
	const struct model_ops *const *models;
	struct record_sink
		*sinks[SINKS]; /* record from the beginning; taken over unless the start fails */
	/* A replay: intervals come from there, and end when they did, one after the other; at their
	 * own pace, or with manual_tick one a tick. Borrowed. The last frame is marked final. */
	struct replay_source *replay;
	u64 from_ns, to_ns; /* of a replay: only what ends after it, up to it; 0: all */
	u64 merge_ns; /* of a replay: intervals are put together to be so long; 0: as they were */
};

#define COLLECTOR_FRAMES_WAITING  16
#define COLLECTOR_MIN_INTERVAL_NS (10 * NSEC_PER_MSEC)
/* Where the fake clock begins; it moves by collector__tick and collector__end only. Whatever a
 * command causes, openings too, is done before the next one, so frames are the same in each
 * run. */
#define COLLECTOR_FAKE_START_NS (1000 * NSEC_PER_SEC)

struct collector *collector__start(const struct collector_config *cfg, struct status *st);
/* Asks it to end. True once it has; it is freed by collector__stop alone. */
bool collector__stops_within(struct collector *c, u64 ns);
/* Detaches everything, joins the thread, frees it. Waits for a source that is busy. */
void collector__stop(struct collector *c);

/* Readable when a frame is waiting. Owned by the collector. */
int collector__fd(const struct collector *c);
/* The newest frame since the last call, or NULL; the caller gets the reference
 * (snap__put). Never waits. */
const struct frame *collector__take(struct collector *c);

/* Idle: all commands ran and the frames they led to were taken. With
 * manual_tick only, for scripted sessions; the fd wakes when it may have become true. */
bool collector__idle(struct collector *c);

/* Commands: queued, never wait, act at once (within a drain), in order. What a source refuses
 * is told in its feed's health.note and logged; the source goes on as before. */
void collector__set_scope(struct collector *c, const struct scope *scope);
void collector__set_sampling(struct collector *c, const struct sampling *how);
/* A question that may be asked soon, in the place of the one before; a reference, taken over. NULL: none is. */
void collector__prepare(struct collector *c, const struct ask *ask);
void collector__set_interval(struct collector *c, u64 interval_ns);
/* A model that is not wanted has no source attached; its last snapshot stays in the frames
 * and its history goes on when it is wanted again. */
void collector__want(struct collector *c, enum model_id m, bool on);
void collector__zero(struct collector *c);
/* Records to a file from now on; the sink is taken over. What was recording ends and is whole when
 * the command was done. NULL: that is all. */
void collector__record(struct collector *c, struct record_sink *sink);
/* A replay goes on or not, so many times as fast as it was. */
void collector__play(struct collector *c, bool paused, double speed);
/* Of a replay: shows the interval that ends last up to `to`, as if those before it had been played;
 * with `from` all that end after it, up to `to`, as one. It pauses there. */
void collector__seek(struct collector *c, u64 from_ns, u64 to_ns);
/* Runs fn on the collector's thread, where it alone uses the collector's symbols; nothing is collected
 * meanwhile. The caller waits, so it is a worker. False: the collector ended before. */
bool collector__call(struct collector *c, void (*fn)(void *ctx), void *ctx);
/* Ends the interval now; with manual_tick the fake clock advances by the interval. */
void collector__tick(struct collector *c);
/* Ends the interval now, publishes it in a frame marked final and detaches everything. Later
 * commands do nothing. */
void collector__end(struct collector *c);
/* Nothing more is gathered, and no frame comes any more: all sources are closed when it returns. What
 * they took of memory is free for reports of the last frame. */
void collector__rest(struct collector *c);

#endif
