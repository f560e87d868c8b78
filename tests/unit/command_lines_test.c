// SPDX-License-Identifier: GPL-2.0-only
/* Command lines and threads' names by pid and time: pids are used again, programs run others, and there are many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/command_lines.h"

#define S NSEC_PER_SEC

static int forget(void **state)
{
	command_lines__forget_all();
	return 0;
}

static void expect(u32 tgid, u64 start_ns, const char *line)
{
	struct arena a = {0};

	assert_string_equal(command_lines__copy(&a, tgid, start_ns), line);
	arena__fini(&a);
}

static void by_pid_and_time(void **state)
{
	expect(7, 0, "");
	command_lines__learn(7, 100 * S, "sleep 1");
	expect(7, 0, "sleep 1");
	expect(7, 100 * S + 5 * NSEC_PER_MSEC, "sleep 1");
	expect(7, 150 * S, "sleep 1"); /* a thread of it */
	expect(7, 99 * S, "");	       /* somebody else */
	expect(8, 100 * S, "");
}

static void another_program(void **state)
{
	command_lines__learn(7, 100 * S, "sh -c sleep");
	command_lines__learn(7, 100 * S + NSEC_PER_MSEC, "sleep 2");
	expect(7, 100 * S, "sleep 2");
}

static void pids_are_used_again(void **state)
{
	command_lines__learn(7, 100 * S, "first");
	command_lines__end(7, 200 * S);
	expect(7, 150 * S, "first");
	expect(7, 250 * S, ""); /* began after it */
	expect(7, 0, "first");
	command_lines__learn(7, 300 * S, "second");
	expect(7, 100 * S, "first");
	expect(7, 300 * S, "second");
	expect(7, 0, "second");
	command_lines__learn(7, 400 * S, "third"); /* the second one's end was not seen */
	expect(7, 350 * S, "second");
	expect(7, 400 * S, "third");
}

static void who_ended_makes_room(void **state)
{
	char line[32];

	for (u32 i = 1; i <= COMMAND_LINES_MAX + 10; i++) {
		snprintf(line, sizeof(line), "p%u", i);
		command_lines__learn(i, i * S, line);
		if (i > 100)
			command_lines__end(i, i * S + 1000);
	}
	expect(1, 1 * S, "p1");
	expect(100, 100 * S, "p100");
	expect(101, 101 * S, "");
	expect(COMMAND_LINES_MAX + 10, 0, line);
}

static void expect_thread(u32 tgid, u32 tid, u64 start_ns, const char *name)
{
	struct arena a = {0};

	assert_string_equal(command_lines__thread(&a, tgid, tid, start_ns), name);
	arena__fini(&a);
}

static void threads_are_of_a_process(void **state)
{
	command_lines__learn_thread(7, 8, "nobody's"); /* of whom no process is known */
	expect_thread(7, 8, 0, "");
	command_lines__learn(7, 100 * S, "first");
	command_lines__learn_thread(7, 8, "worker");
	command_lines__learn_thread(7, 8, "worker 2");
	command_lines__learn_thread(7, 9, "other");
	expect_thread(7, 8, 0, "worker 2");
	expect_thread(7, 9, 150 * S, "other");
	expect_thread(7, 7, 0, "");
	expect(7, 0, "first");
	expect(8, 0, "");
	command_lines__end(7, 200 * S);
	command_lines__learn(7, 300 * S, "second");
	expect_thread(7, 8, 0, ""); /* the same ids of another process */
	expect_thread(7, 8, 150 * S, "worker 2");
	command_lines__learn_thread(7, 8, "main's");
	expect_thread(7, 8, 310 * S, "main's");
	expect_thread(7, 8, 150 * S, "worker 2");
}

static void expect_process(u32 tgid, u64 start_ns, const char *name)
{
	struct arena a = {0};

	assert_string_equal(command_lines__process(&a, tgid, start_ns), name);
	arena__fini(&a);
}

static void processes_have_names(void **state)
{
	command_lines__learn_thread(7, 0, "nobody's");
	expect_process(7, 0, "");
	command_lines__learn(7, 100 * S, "/usr/bin/first -x");
	expect_process(7, 0, "");
	command_lines__learn_thread(7, 0, "first");
	command_lines__learn_thread(7, 7, "main");
	expect_process(7, 0, "first");
	expect_thread(7, 7, 0, "main");
	expect_thread(7, 0, 0, "");
	command_lines__learn_thread(7, 0, "renamed");
	expect_process(7, 150 * S, "renamed");
	command_lines__end(7, 200 * S);
	expect_process(7, 0, "renamed");
	command_lines__learn(7, 300 * S, "second");
	expect_process(7, 0, "");
	expect_process(7, 150 * S, "renamed");
}

static void threads_of_who_ended_make_room(void **state)
{
	command_lines__learn(1, S, "ends");
	for (u32 i = 1; i <= COMMAND_LINES_MAX / 2; i++)
		command_lines__learn_thread(1, i, "its");
	command_lines__learn(2, S, "goes on");
	command_lines__learn_thread(2, 3, "kept");
	command_lines__end(1, 2 * S);
	for (u32 i = 0; i < COMMAND_LINES_MAX / 2; i++)
		command_lines__learn(100000 + i, S, "more");
	expect_thread(1, 1, 0, "");
	expect_thread(2, 3, 0, "kept");
	expect(100000, 0, "more");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(by_pid_and_time, forget),
		cmocka_unit_test_teardown(another_program, forget),
		cmocka_unit_test_teardown(pids_are_used_again, forget),
		cmocka_unit_test_teardown(who_ended_makes_room, forget),
		cmocka_unit_test_teardown(threads_are_of_a_process, forget),
		cmocka_unit_test_teardown(processes_have_names, forget),
		cmocka_unit_test_teardown(threads_of_who_ended_make_room, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
