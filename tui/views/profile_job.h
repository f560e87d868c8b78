/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Asking the profile model from a screen without waiting: the query runs on the query
 * worker, the answer comes back on the UI thread. UI thread only.
 */
#ifndef TUI_VIEWS_PROFILE_JOB_H
#define TUI_VIEWS_PROFILE_JOB_H

#include "models/profile.h"
#include "tui/view.h"

/* Freed by profile_answer__free. */
struct profile_answer {
	struct profile_rows *rows;
	u32 func; /* whose offsets were asked for; 0 none */
	struct offset_weight *offsets;
	u32 noffsets;
};

void profile_answer__free(struct profile_answer *a);

/* Embedded in a screen. */
struct profile_asker {
	struct host *host;
	struct ticket *ticket; /* outlives the screen while jobs are under way */
	const struct scope *extra_scope; /* on top of the host's; NULL none; owned */
	bool offsets;			 /* ask for the offsets of query.focus too */
	/* the last question, not to ask it twice: */
	u64 asked_seq, asked_generation;
	const struct scope *asked_scope; /* a reference */
	struct profile_query asked;
};

/* ready: takes the answer over; called with the screen as owner. */
void profile_asker__init(struct profile_asker *a, struct host *h, void *owner,
			 void (*ready)(void *owner, struct profile_answer *answer));
/* Whatever is still under way is thrown away when it arrives. */
void profile_asker__fini(struct profile_asker *a);
/* Posts the query on the frame that is shown, unless that was the last question. */
void profile_asker__ask(struct profile_asker *a, const struct profile_query *q);
bool profile_asker__busy(const struct profile_asker *a);
/* The scope in force for this screen, one reference. */
const struct scope *profile_asker__scope(const struct profile_asker *a);

#endif
