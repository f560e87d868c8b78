// SPDX-License-Identifier: GPL-2.0-only
/* Records of several CPUs, written in rounds, come out in the order of their times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "recording/perf_order.h"

static void note_time(void *ctx, const struct perf_event_header *h)
{
	u64 **next = ctx;
	u64 t;

	memcpy(&t, h + 1, sizeof(t));
	*(*next)++ = t;
}

static void put_time(struct perf_order *o, u64 t)
{
	struct {
		struct perf_event_header h;
		u64 t;
	} record = {{.type = PERF_RECORD_SAMPLE, .size = sizeof(record)}, t};

	perf_order__put(o, &record.h, t);
}

/* What the round before had is handed out when one ends, in its order. */
static void test_order(void **state)
{
	static const u64 expected[] = {1, 2, 5, 6, 7, 9};
	u64 times[8], *next = times;
	struct perf_order o = {.fn = note_time, .ctx = &next};

	put_time(&o, 5);
	put_time(&o, 1);
	put_time(&o, 6);
	perf_order__round(&o);
	assert_int_equal(next - times, 0);
	put_time(&o, 2);
	put_time(&o, 9);
	perf_order__round(&o);
	assert_int_equal(next - times, 4);
	put_time(&o, 7);
	perf_order__end(&o);
	assert_int_equal(next - times, ARRAY_SIZE(expected));
	assert_memory_equal(times, expected, sizeof(expected));
	perf_order__fini(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
