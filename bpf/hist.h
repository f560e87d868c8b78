/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Buckets of durations; shared by kernel and user side. Log-linear: each power of two is cut
 * into HIST_SUB equal parts, so a bucket is at most 1/4 of its lower end wide. Below
 * HIST_SUB units buckets are one unit wide. Unit: 256 ns; the last bucket has no upper end
 * (34 s and more).
 */
#ifndef BPF_HIST_H
#define BPF_HIST_H

#include <linux/types.h>

#define HIST_UNIT_SHIFT 8
#define HIST_SUB_SHIFT	2
#define HIST_SUB	(1u << HIST_SUB_SHIFT)
#define HIST_BUCKETS	104

/* Floor of the binary logarithm, v not 0. BPF has no count of leading zeros. */
static inline __attribute__((always_inline)) __u32 hist__log2(__u64 v)
{
	__u32 r = 0;

	if (v >> 32) {
		r += 32;
		v >>= 32;
	}
	if (v >> 16) {
		r += 16;
		v >>= 16;
	}
	if (v >> 8) {
		r += 8;
		v >>= 8;
	}
	if (v >> 4) {
		r += 4;
		v >>= 4;
	}
	if (v >> 2) {
		r += 2;
		v >>= 2;
	}
	return r + (__u32)(v >> 1);
}

/*
 * Log-linear buckets in general: values are counted in units (already shifted or divided), each
 * power of two is cut into 2^sub equal parts, and the last of n buckets has no upper end.
 */
static inline __attribute__((always_inline)) __u32 loglin__bucket(__u64 units, __u32 sub, __u32 n)
{
	__u32 log, i;

	if (units < (1u << sub))
		return (__u32)units;
	log = hist__log2(units);
	i = ((log - sub + 1) << sub) + (__u32)((units >> (log - sub)) & ((1u << sub) - 1));
	return i < n ? i : n - 1;
}

/* The least number of units of a bucket; of n: where the last one would end. */
static inline __attribute__((always_inline)) __u64 loglin__lo(__u32 i, __u32 sub)
{
	if (i < (1u << sub))
		return i;
	return (__u64)((1u << sub) + (i & ((1u << sub) - 1))) << ((i >> sub) - 1);
}

static inline __attribute__((always_inline)) __u32 hist__bucket(__u64 ns)
{
	return loglin__bucket(ns >> HIST_UNIT_SHIFT, HIST_SUB_SHIFT, HIST_BUCKETS);
}

/* The least duration of a bucket; of HIST_BUCKETS: where the last one would end. */
static inline __attribute__((always_inline)) __u64 hist__lo(__u32 i)
{
	return loglin__lo(i, HIST_SUB_SHIFT) << HIST_UNIT_SHIFT;
}

/* Coarser: powers of two of a microsecond. The first is all below 1 us, the last has no upper end
 * (18 min and more). */
#define HIST_OCTAVES 32

static inline __attribute__((always_inline)) __u32 hist__octave(__u64 ns)
{
	__u64 us = ns / 1000;
	__u32 i = us ? hist__log2(us) + 1 : 0;

	return i < HIST_OCTAVES ? i : HIST_OCTAVES - 1;
}

/* The least duration of an octave; of HIST_OCTAVES: where the last one would end. */
static inline __attribute__((always_inline)) __u64 hist__octave_lo(__u32 i)
{
	return i ? 1000ULL << (i - 1) : 0;
}

#endif
