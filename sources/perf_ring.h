/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One perf event on many CPUs or threads, with rings to read: libperf's evlist, and the fds
 * that libperf keeps to itself (for epoll and for changing the rate). Collector thread only.
 */
#ifndef SOURCES_PERF_RING_H
#define SOURCES_PERF_RING_H

#include <linux/perf_event.h>
#include <perf/event.h>

#include "base/base.h"

struct perf_ring {
	struct perf_evlist *evlist;
	int *fds; /* borrowed from libperf */
	u32 nfds;
	int epoll_fd; /* readable when a ring is past its watermark */
	u32 ncpus;
	u32 pages;
	u64 since_ns, until_ns; /* it holds what was recorded between them; 0: there is no end */
};

/* Opens the event on all CPUs (ntids 0), or for these threads on all CPUs, and maps rings of
 * at most `pages` (a power of two), fewer where the kernel does not grant that much. The event
 * is enabled. 0 or -errno; then nothing is left open. */
int perf_ring__open(struct perf_ring *r, const struct perf_event_attr *attr, const pid_t *tids,
		    u32 ntids, u32 pages);
void perf_ring__close(struct perf_ring *r);
/* `fresh`, which is open beside it, takes its place: from now on records are that one's, those of
 * before are handed out. With perf_ring__holds nothing is missing and nothing comes twice. */
void perf_ring__succeed(struct perf_ring *r, struct perf_ring *fresh,
			void (*each)(void *ctx, const struct perf_event_header *h), void *ctx);
/* Whether a record of that time is this ring's; t_ns: by clock__monotonic_ns(). */
static inline bool perf_ring__holds(const struct perf_ring *r, u64 t_ns)
{
	return t_ns >= r->since_ns && (!r->until_ns || t_ns < r->until_ns);
}
/* Hands out every record that is there now. */
void perf_ring__read(struct perf_ring *r,
		     void (*each)(void *ctx, const struct perf_event_header *h), void *ctx);
/* PERF_EVENT_IOC_PERIOD on all; 0 or -errno. */
int perf_ring__set_rate(struct perf_ring *r, u64 rate);

#endif
