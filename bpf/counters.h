/* SPDX-License-Identifier: GPL-2.0-only */
/* Counters: words of labels and sums; shared by kernel and user side. */
#ifndef BPF_COUNTERS_H
#define BPF_COUNTERS_H

/* EVENT: which of the counters, and 1. */
enum { COUNTERS_LABEL_EVENT, COUNTERS_LABEL_CPU };
/* How long it was to be counted, and how long the CPU had a counter for it; ns. Of pairs: what the second one
 * counted, and user space: the first one without it. */
enum { COUNTERS_ENABLED, COUNTERS_RUNNING, COUNTERS_SECOND, COUNTERS_REST };
/* COUNTERS_LABEL_EVENT of the CPU's own caches. */
enum { HWCACHE_LLC = 1, HWCACHE_TLB, HWCACHES };

#define COUNTERS_MAX 32

#endif
