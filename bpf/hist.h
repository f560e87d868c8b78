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

/* Which bit is set of one, by de Bruijn's sequence: BPF has no instruction for it, and each branch
 * would double what verifiers have to look at. */
static inline __attribute__((always_inline)) __u32 hist__bit(__u64 one)
{
	static const __u8 bits[64] = {
		0, 1, 48, 2, 57, 49, 28, 3, 61, 58, 50, 42, 38, 29, 17, 4,
		62, 55, 59, 36, 53, 51, 43, 22, 45, 39, 33, 30, 24, 18, 12, 5,
		63, 47, 56, 27, 60, 41, 37, 16, 54, 35, 52, 21, 44, 32, 23, 11,
		46, 26, 40, 15, 34, 20, 31, 10, 25, 14, 19, 9, 13, 8, 7, 6,
	};

	return bits[(one * 0x03f79d71b4cb0a89ULL) >> 58];
}

/* Floor of the binary logarithm, v not 0. */
static inline __attribute__((always_inline)) __u32 hist__log2(__u64 v)
{
	v |= v >> 1;
	v |= v >> 2;
	v |= v >> 4;
	v |= v >> 8;
	v |= v >> 16;
	v |= v >> 32;
	return hist__bit(v - (v >> 1));
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
