// SPDX-License-Identifier: GPL-2.0-only
/* The live process and cgroup lists, with hostile names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cgroup.h"
#include "scope/proclist.h"
#include "tests/lib/skip.h"

static const struct proc_item *find(const struct proc_item *items, u32 n, u32 pid)
{
	for (u32 i = 0; i < n; i++)
		if (items[i].pid == pid)
			return &items[i];
	return NULL;
}

static void test_self(void **state)
{
	const struct proc_item *items, *me;
	struct arena a;
	u32 n;

	skip_when_emulated();
	arena__init(&a);
	n = proclist__read(&a, NULL, &items);
	assert_true(n >= 1);
	me = find(items, n, (u32)getpid());
	assert_non_null(me);
	assert_int_equal(me->uid, geteuid());
	assert_int_equal(me->nthreads, 1);
	assert_int_equal(me->state, 'R');
	assert_true(me->rss_bytes > 4096);
	assert_true(*me->user != '\0');
	if (!geteuid())
		assert_string_equal(me->user, "root");
	assert_non_null(strstr(me->cmdline, "proclist_test"));
	for (u32 i = 1; i < n; i++)
		assert_true(items[i - 1].cpu_ms >= items[i].cpu_ms);
	arena__fini(&a);
}

/* A child with parentheses, a newline and an escape in its name, seen while it waits. */
static void test_hostile_name(void **state)
{
	const struct proc_item *items, *child;
	int ready[2], go[2];
	struct arena a;
	char byte = 0;
	pid_t pid;
	u32 n;

	skip_when_emulated();
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(go), 0);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_NAME, "a) S 1 (\n\033[2J");
		close(go[1]);
		if (write(ready[1], &byte, 1) == 1 && read(go[0], &byte, 1) >= 0)
			_exit(0);
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	arena__init(&a);
	n = proclist__read(&a, NULL, &items);
	child = find(items, n, (u32)pid);
	assert_non_null(child);
	assert_int_equal(child->nthreads, 1);
	assert_string_equal(child->comm, "a) S 1 (??[2J");
	arena__fini(&a);
	close(go[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(ready[0]);
	close(ready[1]);
	close(go[0]);
}

static void test_zombie(void **state)
{
	const struct proc_item *items, *child;
	siginfo_t info;
	struct arena a;
	pid_t pid = fork();
	u32 n;

	skip_when_emulated();
	if (!pid)
		_exit(0);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	arena__init(&a);
	n = proclist__read(&a, NULL, &items);
	child = find(items, n, (u32)pid);
	assert_non_null(child);
	assert_int_equal(child->state, 'Z');
	assert_int_equal(child->cmdline[0], '[');
	arena__fini(&a);
	waitpid(pid, NULL, 0);
}

static void test_usage(void **state)
{
	struct proc_item then[] = {{.pid = 1, .start = 5, .cpu_ms = 90000},
				   {.pid = 2, .start = 6, .cpu_ms = 100},
				   {.pid = 3, .start = 7, .cpu_ms = 100}};
	struct proc_item now[] = {{.pid = 1, .start = 5, .cpu_ms = 90500},
				  {.pid = 2, .start = 9, .cpu_ms = 250}, /* another one */
				  {.pid = 3, .start = 7, .cpu_ms = 40},	 /* cannot be */
				  {.pid = 4, .start = 9, .cpu_ms = 1000}};
	struct proc_usage *usage = NULL;

	proc_usage__update(&usage, then, 3, 7 * NSEC_PER_SEC);
	assert_true(then[0].cpu_pct < 0 && then[2].cpu_pct < 0);
	proc_usage__update(&usage, now, 4, 9 * NSEC_PER_SEC);
	assert_true(now[0].cpu_pct == 25);
	assert_true(now[1].cpu_pct == 12.5);
	assert_true(now[2].cpu_pct == 0);
	assert_true(now[3].cpu_pct == 50);
	proc_usage__update(&usage, now, 4, 9 * NSEC_PER_SEC); /* no time has gone by */
	assert_true(now[0].cpu_pct < 0);
	proc_usage__update(&usage, now, 4, 99 * NSEC_PER_SEC); /* too long ago */
	assert_true(now[0].cpu_pct < 0);
	proc_usage__update(&usage, now, 0, 100 * NSEC_PER_SEC);
	proc_usage__free(usage);
	proc_usage__free(NULL);
}

/* Two reads with work between: this process is not idle, and the order is by what is told. */
static void test_busy_first(void **state)
{
	const struct proc_item *items, *me;
	struct proc_usage *usage = NULL;
	struct arena a;
	u64 before;
	u32 n;

	skip_when_emulated();
	arena__init(&a);
	n = proclist__read(&a, &usage, &items);
	before = find(items, n, (u32)getpid())->cpu_ms;
	assert_true(items[0].cpu_pct < 0);
	do {
		arena__fini(&a);
		arena__init(&a);
		n = proclist__read(&a, NULL, &items);
		me = find(items, n, (u32)getpid());
	} while (me->cpu_ms < before + 20);
	n = proclist__read(&a, &usage, &items);
	me = find(items, n, (u32)getpid());
	assert_true(me->cpu_pct > 0);
	for (u32 i = 1; i < n; i++)
		assert_true(items[i - 1].cpu_pct >= items[i].cpu_pct);
	arena__fini(&a);
	proc_usage__free(usage);
}

static void test_cgroups(void **state)
{
	const struct cgroup_item *items;
	char dir[300], name[64];
	bool made, found = false;
	struct arena a;
	u32 n;

	snprintf(name, sizeof(name), "/proftop-list-%d", getpid());
	snprintf(dir, sizeof(dir), "%.200s%s", cgroup__mount(), name);
	made = *cgroup__mount() && !mkdir(dir, 0755);
	arena__init(&a);
	n = cgrouplist__read(&a, &items);
	for (u32 i = 0; i < n; i++) {
		assert_int_equal(items[i].path[0], '/');
		assert_int_equal(items[i].v1, items[i].id == 0);
		if (!strcmp(items[i].path, name)) {
			assert_false(found); /* once */
			found = true;
			assert_true(items[i].id == cgroup__id(name));
			assert_int_equal(items[i].nprocs, 0);
		}
	}
	assert_true(found == made);
	arena__fini(&a);
	if (made)
		rmdir(dir);
	if (!n)
		skip_because("no cgroup could be made or read here");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_self),	   cmocka_unit_test(test_hostile_name),
		cmocka_unit_test(test_zombie),	   cmocka_unit_test(test_usage),
		cmocka_unit_test(test_busy_first), cmocka_unit_test(test_cgroups),
	};

	return cmocka_run_group_tests_name("proclist", tests, NULL, NULL);
}
