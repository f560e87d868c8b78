// SPDX-License-Identifier: GPL-2.0-only
/* Memory limits of control groups of both versions, the least on the way up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/cgroup.h"
#include "base/memory.h"
#include "tests/lib/scratch.h"

static struct cgroup_mounts mounts;

static int make(void **state)
{
	int err = scratch__make("memory");

	run("mkdir -p two/a/b one/c/d other");
	write_file("two/a/memory.max", "50000000\n");
	write_file("two/a/b/memory.max", "max\n");
	write_file("one/memory.limit_in_bytes", "9223372036854771712\n");
	write_file("one/c/memory.limit_in_bytes", "67108864\n");
	write_file("one/c/d/memory.limit_in_bytes", "9223372036854771712\n");
	mounts.v2 = xasprintf("%s/two", scratch_dir);
	mounts.v1[0] = xasprintf("%s/other", scratch_dir);
	mounts.v1[1] = xasprintf("%s/one", scratch_dir);
	mounts.nv1 = 2;
	return err;
}

static int done(void **state)
{
	cgroup_mounts__fini(&mounts);
	return scratch__remove(state);
}

static u64 limit_of(const char *self)
{
	FILE *f = fmemopen((char *)self, strlen(self), "r");
	u64 limit = memory__limit_of(f, &mounts);

	fclose(f);
	return limit;
}

static void test_v2(void **state)
{
	assert_true(limit_of("0::/a/b\n") == 50000000);
	assert_true(limit_of("0::/a\n") == 50000000);
	assert_true(limit_of("0::/\n") == MEMORY_NO_LIMIT);
	assert_true(limit_of("0::/gone/since\n") == MEMORY_NO_LIMIT);
}

static void test_v1(void **state)
{
	assert_true(limit_of("4:memory:/c/d\n") == 67108864);
	assert_true(limit_of("4:cpu,memory:/c\n3:cpuset:/\n") == 67108864);
	assert_true(limit_of("4:memory,cpu:/\n") == 9223372036854771712ULL);
	assert_true(limit_of("4:memoryless:/c\n") == MEMORY_NO_LIMIT);
	assert_true(limit_of("4:cpu:/c\n") == MEMORY_NO_LIMIT);
}

static void test_both(void **state)
{
	assert_true(limit_of("4:memory:/c/d\n0::/a/b\n") == 50000000);
	assert_true(limit_of("\n:\n::\n4:memory\n0::\n") == MEMORY_NO_LIMIT);
}

static void test_share(void **state)
{
	assert_true(memory__share(0) == 0);
	assert_true(memory__share(~0ULL) <= memory__limit());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_v2),
		cmocka_unit_test(test_v1),
		cmocka_unit_test(test_both),
		cmocka_unit_test(test_share),
	};

	return cmocka_run_group_tests(tests, make, done);
}
