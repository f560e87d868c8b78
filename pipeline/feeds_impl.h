/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Feeds from within: what pipeline/feeds.c, which is their life as a whole, shares with
 * pipeline/feeds_open.c (which sources serve), pipeline/feeds_drain.c (samples on their way),
 * pipeline/feeds_interval.c (intervals and health) and pipeline/feeds_settings.c (filters and
 * sampling). Collector thread only.
 */
#ifndef PIPELINE_FEEDS_IMPL_H
#define PIPELINE_FEEDS_IMPL_H

#include "pipeline/feeds.h"

/* Appends after "; ", cut at the buffer's end. */
void PRINTF_LIKE(3, 4) feeds__join(char *buf, size_t size, const char *fmt, ...);

/* What is said of a setting that a source refused. */
extern const char *const feeds_refusals[SETTINGS];

/* --- which sources serve --- */

/* All its sources are tried from the first, one per feeds__open_next. */
void feeds__start_opening(struct feeds *f, u32 model);

/* --- samples --- */

/* Where the samples of a slot go: to its models, to symbols and to what takes them down. */
struct route {
	struct feeds *feeds;
	const struct slot *slot;
};

/* Borrows the route. */
struct sample_sink feeds__sink(struct route *r);
/* tick: an interval ends; otherwise urgent records only. The slot is open. */
void feeds__drain_slot(struct feeds *f, struct slot *slot, bool tick);

/* --- intervals --- */

/* What its sources say now; what belongs to an interval is kept. */
void feeds__refresh_health(struct feeds *f, u32 model);
/* Forgets what its sources and the model itself, which is there, have gathered. */
void feeds__zero_model(struct feeds *f, u32 model);

#endif
