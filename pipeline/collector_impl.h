/* SPDX-License-Identifier: GPL-2.0-only */
/* The collector from within: shared by pipeline/collector.c, which is its owner's side,
 * pipeline/collector_run.c, which is its thread, and what that calls. */
#ifndef PIPELINE_COLLECTOR_IMPL_H
#define PIPELINE_COLLECTOR_IMPL_H

#include <pthread.h>

#include "base/cpus.h"
#include "pipeline/collector.h"
#include "pipeline/command.h"
#include "pipeline/feeds.h"
#include "pipeline/mailbox.h"
#include "pipeline/schedule.h"

/* Of what the collector waits for; slots count up from the last one. */
enum { TAG_COMMANDS, TAG_TIMER, TAG_CPUS, TAG_REPLAY, TAG_SLOTS };

/* A replay. */
struct play {
	struct replay_source *replay; /* NULL: live */
	struct record_interval coming;
	bool has_coming;
	u64 merge_ns;
	bool paused;
	double speed;
	u64 due_ns; /* when the coming interval is shown */
	u64 first_ns, last_ns;	 /* what is shown at all lies between them */
	u64 asked_from, asked_to; /* what to go to when it begins; 0 nothing */
};

struct collector {
	/* any thread */
	struct mailbox mailbox;
	struct command_queue commands;
	atomic_bool quit;
	atomic_bool busy; /* with what was asked for, at the start or by commands */
	/* const */
	pthread_t thread;
	bool joined; /* by the caller of collector__stop */
	int epoll_fd, timer_fd;
	bool manual, early_frames, every_frame;
	u64 wanted; /* to begin with */
	/* the collector thread's own */
	struct feeds feeds;
	struct play play;
	struct schedule schedule;
	u64 interval_ns;
	u64 ticked_ns;	     /* when the last regular interval ended or the first one began */
	u64 t0_ns, t1_ns;    /* the last interval of any kind */
	u64 fake_ns;	     /* manual: what the time is */
	u64 early_models;    /* models that early ticks are for */
	u64 cpu_ns, wall_ns; /* when self_cpu_pct was taken last */
	struct cpus_watch cpus; /* live: else nothing is watched */
	struct health_gap gap;	/* what it told since the last regular tick */
	double self_cpu_pct;
	u64 seq;
	bool started; /* the grid of intervals has begun */
	bool ended;
	bool dirty; /* there is news for a frame */
};

/* Neither a replay nor a test's. */
static inline bool collector__live(const struct collector *c)
{
	return !c->manual && !c->play.replay;
}

/* Live elsewhere: intervals end when they come. */
static inline bool collector__remote(const struct collector *c)
{
	return c->play.replay && c->play.replay->ops->fd;
}

/* It was asked to end: what takes long is given up. */
static inline bool collector__quits(const struct collector *c)
{
	return atomic_load_explicit(&c->quit, memory_order_relaxed);
}

/* --- pipeline/collector_run.c --- */

/* The thread; arg is the collector. */
void *collector__run(void *arg);

/* --- pipeline/collector_play.c: instead of the clock --- */

void play__begin(struct collector *c);
/* Of what is live elsewhere: shows all that has come. */
void play__look(struct collector *c);
/* Shows the coming interval, if it is not paused. */
void play__tick(struct collector *c);
/* See collector__seek. */
void play__seek(struct collector *c, u64 from_ns, u64 to_ns);
void play__set(struct collector *c, bool paused, double speed);
/* When the timer is to fire; SCHEDULE_NEVER. */
u64 play__due(const struct collector *c);

/* --- pipeline/collector_frame.c --- */

u64 collector__now_ns(const struct collector *c);
/* A frame of how things are now. */
void collector__publish(struct collector *c, bool final);
/* A reference: to everything when s is NULL. */
struct scope *collector__scope(const struct scope *s);
/* From now on this is the scope in force; NULL: everything. */
void collector__use_scope(struct collector *c, const struct scope *scope);
/* Cgroups come and go. */
void collector__resolve_scope(struct collector *c);

#endif
