// SPDX-License-Identifier: GPL-2.0-only
/* cgroup mounts, ids, names that outlive their cgroup. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cgroup.h"
#include "tests/lib/skip.h"

static void read_text(struct cgroup_mounts *m, const char *text)
{
	FILE *f = fmemopen((char *)text, strlen(text), "r");

	cgroup_mounts__read(m, f);
	fclose(f);
}

static void test_mounts(void **state)
{
	struct cgroup_mounts m;

	read_text(&m, "31 23 0:28 / /sys/fs/cgroup rw shared:1 - tmpfs tmpfs rw\n"
		      "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
		      "33 31 0:30 / /sys/fs/a\\040b\\134c rw master:1 x:2 - cgroup cgroup rw\n"
		      "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
		      "42 31 0:38 / /elsewhere rw - cgroup2 cgroup2 rw\n");
	assert_string_equal(m.v2, "/sys/fs/cgroup/unified");
	assert_int_equal(m.nv1, 2);
	assert_string_equal(m.v1[0], "/sys/fs/cgroup/cpu");
	assert_string_equal(m.v1[1], "/sys/fs/a b\\c");
	cgroup_mounts__fini(&m);
}

static void test_broken_mounts(void **state)
{
	struct cgroup_mounts m;

	read_text(&m, "\n - \n - cgroup2\n1 2 3 - cgroup2 x\n 1 2 3 4 - cgroup\nx - cgroup2 a b\n"
		      "1 2 3 4 /end\\0 - cgroup2");
	assert_string_equal(m.v2, "/end\\0");
	assert_int_equal(m.nv1, 0);
	cgroup_mounts__fini(&m);
}

static void test_names(void **state)
{
	char dir[300], name[64], buf[256];
	u64 id;

	assert_string_equal(cgroup__name(~0ULL, buf, sizeof(buf)), "cgroup:18446744073709551615");
	assert_string_equal(cgroup__name(0, buf, sizeof(buf)), "cgroup:0");
	assert_int_equal(cgroup__id("/no-such-cgroup"), 0);
	if (!*cgroup__mount())
		skip_because("no cgroup v2 here");
	/* What a process outside of our namespace is in is none of ours. */
	assert_int_equal(cgroup__id("/.."), 0);
	assert_int_equal(cgroup__id("/../../proc"), 0);
	assert_int_equal(cgroup__id("/./.."), 0);
	assert_string_equal(cgroup__name(cgroup__id("/"), buf, sizeof(buf)), "/");
	assert_string_equal(cgroup__name(cgroup__id("/"), buf, 1), "");
	snprintf(name, sizeof(name), "/proftop-test-%d", getpid());
	snprintf(dir, sizeof(dir), "%.200s%s", cgroup__mount(), name);
	if (mkdir(dir, 0755))
		skip_because("needs root to make a cgroup");
	id = cgroup__id(name);
	assert_true(id != 0);
	assert_string_equal(cgroup__name(id, buf, sizeof(buf)), name);
	assert_int_equal(rmdir(dir), 0);
	assert_int_equal(cgroup__id(name), 0);
	assert_string_equal(cgroup__name(id, buf, sizeof(buf)), name);
}

struct seen {
	char last[4096];
	u32 n, stop_at;
	bool parent_first;
};

static bool see(void *ctx, const char *path, u64 id)
{
	struct seen *s = ctx;

	if (path[0] != '/' || (path[1] && path[strlen(path) - 1] == '/') || !id)
		s->parent_first = false;
	copy_str(s->last, sizeof(s->last), path);
	return ++s->n != s->stop_at;
}

/* Any tree of folders will do for the walk. */
static void test_walk(void **state)
{
	char top[64], path[200];
	struct seen all = {.parent_first = true}, some = {.stop_at = 3, .parent_first = true};

	snprintf(top, sizeof(top), "/tmp/proftop-cgroup-%d", getpid());
	assert_int_equal(mkdir(top, 0755), 0);
	for (int i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/%d", top, i);
		assert_int_equal(mkdir(path, 0755), 0);
	}
	snprintf(path, sizeof(path), "%s/link", top);
	assert_int_equal(symlink("/", path), 0);
	cgroup__walk(top, see, &all);
	cgroup__walk(top, see, &some);
	assert_int_equal(all.n, 6);
	assert_true(all.parent_first);
	assert_int_equal(some.n, 3);
	unlink(path);
	for (int i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/%d", top, i);
		rmdir(path);
	}
	rmdir(top);
	cgroup__walk("/no/such/mount", see, &all);
	assert_int_equal(all.n, 6);
}

static void count(void *ctx, u32 pid)
{
	*(bool *)ctx |= pid == (u32)getpid();
}

static void test_procs(void **state)
{
	char dir[64], path[100];
	bool found = false;
	FILE *f;

	assert_int_equal(cgroup__procs("/no/such/mount", "/", NULL, NULL), 0);
	snprintf(dir, sizeof(dir), "/tmp/proftop-procs-%d", getpid());
	snprintf(path, sizeof(path), "%s/cgroup.procs", dir);
	assert_int_equal(mkdir(dir, 0755), 0);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "0\n%d\n1\n", getpid()); /* 0: of another pid namespace */
	fclose(f);
	assert_int_equal(cgroup__procs(dir, "/", count, &found), 3);
	assert_true(found);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_mounts), cmocka_unit_test(test_broken_mounts),
		cmocka_unit_test(test_names),  cmocka_unit_test(test_walk),
		cmocka_unit_test(test_procs),
	};

	return cmocka_run_group_tests_name("cgroup", tests, NULL, NULL);
}
