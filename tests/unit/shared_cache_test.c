// SPDX-License-Identifier: GPL-2.0-only
/* Which CPUs share a last-level cache, from a sysfs of our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "sources/shared_cache.h"
#include "tests/lib/scratch.h"

static void cache(u32 cpu, u32 index, const char *level, const char *shared)
{
	run("mkdir -p cpu%u/cache/index%u && cd cpu%u/cache/index%u && echo %s >level && echo %s >shared_cpu_list", cpu,
	    index, cpu, index, level, shared);
}

static void is(u32 cpu, u32 first, const char *cpus)
{
	struct shared_cache c;

	shared_cache__of(&c, scratch_dir, cpu);
	assert_int_equal(c.first, first);
	assert_string_equal(c.cpus, cpus);
}

static void test_last_level(void **state)
{
	cache(9, 0, "1", "9");
	cache(9, 1, "1", "9");
	cache(9, 2, "3", "8-15,72-79");
	cache(9, 3, "2", "9,73");
	is(9, 8, "8-15,72-79");
}

static void test_not_known(void **state)
{
	is(77, 77, "77");
}

static void test_long_list(void **state)
{
	cache(4, 0, "3", "4,8,12,16,20,24,28,32,36,40,44,48");
	is(4, 4, "4,8,12,16,20,24,28,32,36,..");
	cache(5, 0, "3", "5,100000001,200000002,3000003");
	is(5, 5, "5,100000001,200000002,..");
	cache(6, 0, "3", "6,100000001,200000002,300003");
	is(6, 6, "6,100000001,200000002,..");
	cache(7, 0, "3", "7,100000001,200000002,30000");
	is(7, 7, "7,100000001,200000002,30000");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_last_level),
		cmocka_unit_test(test_not_known),
		cmocka_unit_test(test_long_list),
	};

	if (scratch__make("shared_cache"))
		return 1;
	return cmocka_run_group_tests(tests, NULL, scratch__remove);
}
