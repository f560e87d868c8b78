/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The past: going back and forth in time, through what is kept of the last minutes while collecting
 * goes on, or through a recording. What is shown then comes from a second collector that replays
 * the history, or from the one that replays the recording. UI thread only.
 */
#ifndef TUI_TIME_TRAVEL_H
#define TUI_TIME_TRAVEL_H

#include "base/status.h"
#include "samples/snap.h"
#include "tui/keymap.h"
#include "widgets/cells.h"

struct host;
struct player;
struct timeline;

struct time_travel {
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
bool time_travel__plays(const struct host *h);
/* The collector that goes on sampling. */
struct collector *time_travel__live(const struct host *h);

/* Shows another recording from now on, in a collector of its own, which the player is given to, on
 * failure too; time_travel__leave ends it. */
bool time_travel__enter(struct host *h, struct player *player, struct status *st);
/* The last interval of it. */
void time_travel__show_end(struct host *h);
/* False: not its action. */
bool time_travel__action(struct host *h, enum action a);
/* Shows the interval at a time (base/timepoint.h); "live": what is now. */
bool time_travel__goto(struct host *h, const char *when, struct status *st);
/* Sums what is between two times: "FROM TO". */
bool time_travel__range(struct host *h, const char *range, struct status *st);
/* What is shown of the past again, as after another filter. */
void time_travel__show_again(struct host *h);
/* Back to what is now; does nothing when that is shown. */
void time_travel__leave(struct host *h);
/* At the end of the session, before its collector is stopped. */
void time_travel__fini(struct host *h);

/* The line with the load over time; whether it is shown. */
bool time_travel__has_strip(const struct host *h);
void time_travel__draw_strip(struct host *h, int y);

#endif
