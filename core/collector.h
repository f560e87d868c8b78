/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The collector: the background thread that owns sources and models, publishes immutable
 * frames and takes commands. Callers never wait for it, except in collector__stop.
 */
#ifndef CORE_COLLECTOR_H
#define CORE_COLLECTOR_H

#include "core/scope.h"
#include "core/snap.h"
#include "core/status.h"
#include "sources/source.h"
#include "symbols/symbols.h"

struct collector;

struct collector_config {
	struct symbols *symbols;
	const struct scope *scope; /* a reference is taken */
	struct sampling sampling;
	u64 interval_ns;
	u32 wanted; /* bit per model_id to begin with */
	bool manual_tick; /* tests: intervals end at collector__tick only, clock is fake */
	/* Tests replace the real table: same shape, ends with ops == NULL. NULL: source_table. */
	const struct source_row *sources;
};

struct collector *collector__start(const struct collector_config *cfg, struct status *st);
/* Detaches everything, joins the thread, frees it. */
void collector__stop(struct collector *c);

/* Readable when a frame is waiting. Owned by the collector. */
int collector__fd(const struct collector *c);
/* The newest frame since the last call, or NULL; the caller gets the reference
 * (snap__put). Never waits. */
const struct frame *collector__take(struct collector *c);

/* Commands: queued, never wait, act at once (within a drain). */
void collector__set_scope(struct collector *c, const struct scope *scope);
void collector__set_sampling(struct collector *c, const struct sampling *how);
void collector__set_interval(struct collector *c, u64 interval_ns);
void collector__want(struct collector *c, enum model_id m, bool on);
void collector__zero(struct collector *c);
/* Ends the interval now; with manual_tick the fake clock advances by the interval. */
void collector__tick(struct collector *c);

#endif
