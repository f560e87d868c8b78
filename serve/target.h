/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a request asks for, from its target as it came ("/view/cpu.json?group=pid"). Pure: nothing of it
 * is ever a path of a file.
 */
#ifndef SERVE_TARGET_H
#define SERVE_TARGET_H

#include "base/base.h"

enum target_kind {
	TARGET_INDEX,	  /* / */
	TARGET_METRICS,
	TARGET_HEALTH,
	TARGET_PPROF,	  /* the index of profiles */
	TARGET_PROFILE,	  /* /debug/pprof/NAME: what is called so is in name */
	TARGET_VIEW,	  /* /view/NAME.SUFFIX */
	TARGET_RECORDING,
	TARGET_UNKNOWN,
};

#define TARGET_NAME   40
#define TARGET_TEXT   256
#define TARGET_BYTES  2048 /* the longest */
#define TARGET_SECONDS_MAX 300

struct target {
	enum target_kind kind;
	char name[TARGET_NAME];	  /* of a view or a profile */
	char suffix[TARGET_NAME]; /* of a view, with its dot */
	char group[TARGET_TEXT], filter[TARGET_TEXT], sort[TARGET_TEXT]; /* "" none */
	u32 seconds; /* 0: not said */
	u32 pid;     /* 0: not said */
};

/* False with `why`, one line: the target is malformed, too long, or a parameter has no such value.
 * Parameters that are not known are ignored, as scrapers add their own. */
bool target__parse(const char *text, struct target *t, char *why, size_t size);

#endif
