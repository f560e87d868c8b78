/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The past: going back and forth in time, through what is kept of the last minutes while collecting
 * goes on, or through a recording. What is shown then comes from a second collector that replays
 * the history, or from the one that replays the recording. UI thread only.
 */
#ifndef TUI_PAST_H
#define TUI_PAST_H

#include "base/status.h"
#include "samples/snap.h"
#include "tui/keymap.h"
#include "widgets/cells.h"

struct host;
struct player;
struct timeline;

struct past {
	int memory;		 /* of the history, to be read; -1: none is kept */
	struct collector *live;	 /* what goes on while the history is shown; else NULL */
	const struct frame *now; /* what was shown of it */
	struct player *player;
	struct timeline *line; /* NULL until it is read */
	bool line_asked;
	u64 at_ns;   /* where one is, as asked for last; 0 nowhere yet */
	u64 mark_ns; /* what is between there and where one is is summed; 0: an interval is shown */
};

/* What is shown is of a recording or the history. */
bool past__plays(const struct host *h);
/* The collector that goes on sampling. */
struct collector *past__live(const struct host *h);

/* Shows another recording from now on, in a collector of its own, which the player is given to, on
 * failure too; past__leave ends it. */
bool past__enter(struct host *h, struct player *player, struct status *st);
/* The last interval of it. */
void past__show_end(struct host *h);
/* False: not its action. */
bool past__action(struct host *h, enum action a);
/* Shows the interval at a time (base/timepoint.h); "live": what is now. */
bool past__goto(struct host *h, const char *when, struct status *st);
/* Sums what is between two times: "FROM TO". */
bool past__range(struct host *h, const char *range, struct status *st);
/* What is shown of the past again, as after another filter. */
void past__show_again(struct host *h);
/* Back to what is now; does nothing when that is shown. */
void past__leave(struct host *h);
/* At the end of the session, before its collector is stopped. */
void past__fini(struct host *h);

/* The line with the load over time; whether it is shown. */
bool past__has_strip(const struct host *h);
void past__draw_strip(struct host *h, int y);

#endif
