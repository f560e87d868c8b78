/* SPDX-License-Identifier: GPL-2.0-only */
/* A recording as what is compared with: all of it as one interval. */
#ifndef TUI_BASELINE_FILE_H
#define TUI_BASELINE_FILE_H

#include "base/status.h"
#include "samples/snap.h"

struct symbols;

/* What a recording is asked for by: a file, or "host=NAME", that one of the recordings that are replayed. */
struct baseline_source {
	const char *text;
	const char *const *replays;
	u32 nreplays;
};

/* Plays it at once, while nothing else collects with these symbols; functions are distinguished by
 * their names from then on. event: see import__open. The recording's own machine and cgroups are
 * not taken over. The frame, a reference, or NULL with st saying why. */
const struct frame *baseline_file__read(const struct baseline_source *from, struct symbols *symbols,
					const char *event, struct status *st);

#endif
