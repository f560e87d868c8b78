// SPDX-License-Identifier: GPL-2.0-only
/* Who is active, by the iterator: a child that computes, one that sleeps, and ran meanwhile. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "sources/active.h"
#include "tests/lib/skip.h"

static struct active *active;

static pid_t computing(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	for (volatile u64 n = 0;; n++)
		;
}

static void on_signal(int signal)
{
}

/* Says each time that it is about to sleep; a signal wakes it. */
static pid_t sleeping(int *said)
{
	sigset_t usr1, none;
	int fds[2];
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	signal(SIGUSR1, on_signal);
	sigemptyset(&none);
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
	pid = fork();
	*said = fds[0];
	if (pid) {
		close(fds[1]);
		return pid;
	}
	sigprocmask(SIG_BLOCK, &usr1, NULL);
	while (write(fds[1], "", 1) == 1)
		sigsuspend(&none);
	_exit(1);
}

/* It has said so, and its CPU is somebody else's since. */
static void wait_asleep(pid_t pid, int said)
{
	char path[32], text[512] = "";
	char byte;
	FILE *f;

	assert_int_equal(read(said, &byte, 1), 1);
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	while (!strstr(text, ") S ")) {
		f = fopen(path, "r");
		assert_non_null(f);
		assert_non_null(fgets(text, sizeof(text), f));
		fclose(f);
	}
}

/* More than clocks may differ by. */
static void pass_time(void)
{
	struct timespec t = {.tv_nsec = 50000000};

	nanosleep(&t, NULL);
}

static bool is_active(pid_t pid)
{
	u32 n;
	const u32 *pids = active__pids(active, &n);

	assert_non_null(pids);
	for (u32 i = 0; i < n; i++)
		if (pids[i] == (u32)pid)
			return true;
	return false;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Once, instead of a visit. Whoever ran up to then is told, and not found by the visit after it. */
static void what_another_visitor_told_is_taken(void **state)
{
	const u32 *pids;
	u32 n;

	if (!active)
		skip_because("no BPF iterator may be loaded here");
	for (u32 round = 1; round <= 2; round++) {
		active__begin_report();
		for (u32 pid = 1; pid <= round; pid++)
			active__report(pid);
		pids = active__pids(active, &n);
		assert_int_equal(n, round);
		assert_int_equal(pids[round - 1], round);
	}
	assert_true(is_active(getpid()));
}

static int close_active(void **state)
{
	active__close(active);
	return 0;
}

static void who_computes_is_there_from_the_first_call_on(void **state)
{
	pid_t busy;

	active = active__open();
	if (!active)
		skip_because("no BPF iterator may be loaded here");
	busy = computing();
	assert_true(is_active(busy));
	assert_true(is_active(busy));
	end(busy);
	assert_false(is_active(busy));
}

static void who_sleeps_is_there_once_it_ran(void **state)
{
	pid_t idle;
	int said;

	if (!active)
		skip_because("no BPF iterator may be loaded here");
	idle = sleeping(&said);
	wait_asleep(idle, said);
	pass_time();
	is_active(idle);
	assert_false(is_active(idle));
	kill(idle, SIGUSR1);
	wait_asleep(idle, said);
	assert_true(is_active(idle));
	end(idle);
	close(said);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_computes_is_there_from_the_first_call_on),
		cmocka_unit_test(who_sleeps_is_there_once_it_ran),
		cmocka_unit_test(what_another_visitor_told_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, close_active);
}
