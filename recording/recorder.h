/* SPDX-License-Identifier: GPL-2.0-only */
/* Records what the collector's sources hand out; see recording/format.h for the file. */
#ifndef RECORDING_RECORDER_H
#define RECORDING_RECORDER_H

#include "base/status.h"
#include "samples/record_sink.h"
#include "symbols/symbols.h"

struct recording_note {
	const char *key, *value;
};

struct recorder_config {
	const char *path;		  /* a file; NULL: in memory, by ring */
	int stream; /* an fd to write to as it comes, in place of both; 0: none */
	struct record_ring ring;
	struct symbols *symbols;
	const struct recording_note *notes; /* how it is made; ends with a NULL key; NULL none */
	u32 names_max; /* tests: of each sort in a part; 0: what the format allows */
};

/* What the head of every recording tells; a reader takes them from there by these names. */
#define NOTE_VERSION  "version"
#define NOTE_HOST     "host"
#define NOTE_KERNEL   "kernel"
#define NOTE_COMMAND  "command line"
#define NOTE_RATE     "rate"
#define NOTE_RIGHTS   "rights" /* capabilities and what limits sampling, in words */
#define NOTE_SCOPE    "scope"
#define NOTE_STARTED  "started"	 /* seconds since 1970, decimal */
#define NOTE_INTERVAL "interval" /* seconds */

/* Any thread makes it, the collector that it is given to owns it. NULL with st: the file cannot
 * be made. */
struct record_sink *recorder__new(const struct recorder_config *cfg, struct status *st);
/* Of one in memory: another fd to read it by, for player__open_memory; -1 with st. It has locs of
 * symbols instead of names: only this process can read it, and that from the interval on that ended
 * last. */
int recorder__memory(const struct record_sink *t, struct status *st);

#endif
