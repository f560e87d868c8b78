/* SPDX-License-Identifier: GPL-2.0-only */
/* A question that runs, and what is special to its measure. Collector thread only. */
#ifndef SOURCES_ASK_RUNNING_H
#define SOURCES_ASK_RUNNING_H

#include "sources/ask_links.h"
#include "sources/ask_log.h"
#include "sources/ask_plan.h"
#include "sources/measure.h"
#include "sources/rate_guard.h"

struct running {
	const struct ask *ask;
	struct measure_programs programs;
	struct source *source; /* of sources/measure.c; NULL: not open */
	struct ask_links links;
	bool opening; /* spans that have no keys yet are handed out */
	struct ask_log log;
	const struct address_names *names; /* NULL: nobody has names */
	u64 cost_ns;	      /* of an event of a program, about; 0: of other events */
	struct rate_watch watch;
	char taken_off[160];
};

extern const struct measure_hooks ask_hooks; /* their context is a struct running */

#endif
