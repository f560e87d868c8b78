/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tour: steps through views on a recording that is compiled in, beside whatever is collected,
 * which goes on. Its screens, filter and place are its own. UI thread only.
 */
#ifndef TUI_TOUR_H
#define TUI_TOUR_H

#include "base/status.h"
#include "pipeline/collector.h"
#include "scope/scope.h"
#include "tui/view.h"

/* What the session has and the tour has too: kept until the tour ends. */
struct tour_kept {
	enum view_id view, led_from;
	struct screen *stacks[VIEW_COUNT];
	u64 left_ns[VIEW_COUNT];
	char *led_filter;
	const struct scope *scope;
	struct sampling sampling;
	struct baseline baseline;
};

struct tour {
	bool on;
	u32 step;
	const char *words; /* of the step */
	struct tour_kept kept;
};

/* As a word of the palette; false: st says why not. */
bool tour__begin(struct host *h, const char *arg, struct status *st);
/* Does nothing when there is none. */
void tour__end(struct host *h);
/* True when the event was the tour's. */
bool tour__input(struct host *h, const struct input *in);
/* Lines that it takes from the view, 0: none. */
int tour__height(const struct host *h);
void tour__draw(struct host *h, struct canvas *c, struct rect r);

#endif
