// SPDX-License-Identifier: GPL-2.0-only
/* Quantiles of histograms beside those of sorted values; log-linear buckets beside the formulas
 * that each view had of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "bpf/block.h"
#include "bpf/hist.h"
#include "bpf/measure.h"
#include "models/quantile.h"

#define MS NSEC_PER_MSEC

static u64 seed;

static u64 random_bits(u32 bits)
{
	seed = mix64(seed + 0x9e3779b97f4a7c15ULL);
	return seed >> (64 - bits);
}

static u64 lo_ns(u32 bucket)
{
	return loglin__lo(bucket, MEASURE_SUB_SHIFT) << MEASURE_NS_SHIFT;
}

static u32 bucket_of(u64 ns)
{
	return loglin__bucket(ns >> MEASURE_NS_SHIFT, MEASURE_SUB_SHIFT, MEASURE_BUCKETS);
}

static int by_value(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return (x > y) - (x < y);
}

/* The bucket that has the rank has the quantile. */
static void quantiles_are_in_the_bucket_of_the_sorted_values(void **state)
{
	static const double qs[] = {0.001, 0.1, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1};
	u64 values[2000];

	for (u32 round = 0; round < 50; round++) {
		double n[MEASURE_BUCKETS] = {0};
		struct histogram h = {n, MEASURE_BUCKETS, lo_ns, UINT64_MAX, 0, 0, VALUE_NS};
		u32 count = 1 + (u32)random_bits(round % 11 + 1);
		u64 before = 0;

		count = MIN(count, (u32)ARRAY_SIZE(values));
		for (u32 i = 0; i < count; i++) {
			values[i] = random_bits(1 + (u32)random_bits(5) % 30);
			n[bucket_of(values[i])]++;
			h.min = MIN(h.min, values[i]);
			h.max = MAX(h.max, values[i]);
		}
		qsort(values, count, sizeof(values[0]), by_value);
		for (u32 i = 0; i < ARRAY_SIZE(qs); i++) {
			u64 got = histogram__quantile(&h, qs[i]);
			double rank = qs[i] * count;
			u32 at = (u32)rank;
			u64 exact;

			at = at < rank ? at : at ? at - 1 : 0;
			exact = values[at];
			assert_true(got >= h.min && got <= h.max && got >= before);
			assert_true(got >= lo_ns(bucket_of(exact)) &&
				    got <= lo_ns(bucket_of(exact) + 1));
			before = got;
		}
		assert_int_equal(histogram__quantile(&h, 1), h.max);
	}
}

static void of_one_value_all_are_that(void **state)
{
	double n[MEASURE_BUCKETS] = {0};
	struct histogram h = {n, MEASURE_BUCKETS, lo_ns, 12345, 12345, 0, VALUE_NS};

	n[bucket_of(12345)] = 7;
	assert_int_equal(histogram__quantile(&h, 0.01), 12345);
	assert_int_equal(histogram__quantile(&h, 0.5), 12345);
	assert_int_equal(histogram__quantile(&h, 1), 12345);
}

static void of_none_it_is_nothing(void **state)
{
	double n[MEASURE_BUCKETS] = {0};
	struct histogram h = {n, MEASURE_BUCKETS, lo_ns, 0, UINT64_MAX, 0, VALUE_NS};

	assert_int_equal(histogram__quantile(&h, 0.5), 0);
}

/* Decayed counts are no whole numbers; extremes may be unknown. */
static void parts_of_a_count_count(void **state)
{
	double n[MEASURE_BUCKETS] = {0};
	struct histogram h = {n, MEASURE_BUCKETS, lo_ns, 0, UINT64_MAX, 0, VALUE_NS};
	u32 fast = bucket_of(1000), slow = bucket_of(MS);

	n[fast] = 0.75;
	n[slow] = 0.25;
	assert_in_range(histogram__quantile(&h, 0.5), lo_ns(fast), lo_ns(fast + 1));
	assert_in_range(histogram__quantile(&h, 0.8), lo_ns(slow), lo_ns(slow + 1));
	n[MEASURE_BUCKETS - 1] = 100; /* without an upper end */
	assert_true(histogram__quantile(&h, 0.99) >= lo_ns(MEASURE_BUCKETS - 1));
}

/* --- buckets --- */

/* As they were written for each: HIST_SUB 4 of 256 ns, and those of block I/O 16. */
static u32 old_bucket(u64 units, u32 shift, u32 n)
{
	u32 sub = 1u << shift, log, i;

	if (units < sub)
		return (u32)units;
	log = 63 - (u32)__builtin_clzll(units);
	i = (log - shift + 1) * sub + (u32)((units >> (log - shift)) & (sub - 1));
	return i < n ? i : n - 1;
}

static u64 old_lo(u32 i, u32 shift)
{
	u32 sub = 1u << shift;

	return i < sub ? i : (u64)(sub + i % sub) << (i / sub - 1);
}

static void check_buckets(u32 shift, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		u64 lo = loglin__lo(i, shift), hi = loglin__lo(i + 1, shift);

		assert_int_equal(lo, old_lo(i, shift));
		assert_true(hi > lo);
		assert_int_equal(loglin__bucket(lo, shift, n), i);
		if (i + 1 < n)
			assert_int_equal(loglin__bucket(hi - 1, shift, n), i);
		assert_true(lo < 1u << shift || hi - lo <= lo >> shift);
	}
	for (u32 i = 0; i < 20000; i++) {
		u64 units = random_bits(1 + i % 64);

		assert_int_equal(loglin__bucket(units, shift, n), old_bucket(units, shift, n));
	}
	assert_int_equal(loglin__bucket(UINT64_MAX, shift, n), n - 1);
}

static void buckets_are_the_old_ones(void **state)
{
	check_buckets(HIST_SUB_SHIFT, HIST_BUCKETS);
	check_buckets(MEASURE_SUB_SHIFT, MEASURE_BUCKETS);
	check_buckets(4, BLOCK_BUCKETS);
	for (u32 i = 0; i < 5000; i++) {
		u64 ns = random_bits(1 + i % 40);

		assert_int_equal(hist__bucket(ns),
				 old_bucket(ns >> HIST_UNIT_SHIFT, HIST_SUB_SHIFT, HIST_BUCKETS));
	}
	for (u32 i = 0; i < HIST_BUCKETS; i++)
		assert_int_equal(hist__lo(i), old_lo(i, HIST_SUB_SHIFT) << HIST_UNIT_SHIFT);
	/* What bpf/measure.h says of the last one. */
	assert_true(lo_ns(MEASURE_BUCKETS - 1) >= 100 * NSEC_PER_SEC);
}

static void logarithms_are_floors(void **state)
{
	for (u32 bit = 0; bit < 64; bit++) {
		assert_int_equal(hist__log2(1ULL << bit), bit);
		assert_int_equal(hist__log2((1ULL << bit) | ((1ULL << bit) - 1)), bit);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quantiles_are_in_the_bucket_of_the_sorted_values),
		cmocka_unit_test(of_one_value_all_are_that),
		cmocka_unit_test(of_none_it_is_nothing),
		cmocka_unit_test(parts_of_a_count_count),
		cmocka_unit_test(buckets_are_the_old_ones),
		cmocka_unit_test(logarithms_are_floors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
