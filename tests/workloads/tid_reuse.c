/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: processes that all have the same pid, one after another: every other one is "first",
 * waits in first_waits and is killed there after 50 ms; the next one is "second" and naps four
 * times 10 ms in second_naps. Nobody's wait may go on in the next one. Logs: of each kind
 * together. Fails where pids cannot be chosen (clone3 with set_tid).
 */
#include <linux/sched.h>
#include <sys/wait.h>

#include "wait_log.h"

static struct wait_log *logs;
static uint64_t *since;

static int fork_as(int pid)
{
	struct clone_args how = {
		.exit_signal = SIGCHLD, .set_tid = (uint64_t)&pid, .set_tid_size = 1};
	int got = (int)syscall(SYS_clone3, &how, sizeof(how));

	if (!got)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return got;
}

static NOINLINE void first_waits(void)
{
	static int word;

	RAW_FUTEX_WAIT(&word, 0);
}

static NOINLINE void second_naps(void)
{
	RAW_SLEEP(10 * MS);
}

static void first(void)
{
	prctl(PR_SET_NAME, "first");
	__atomic_store_n(since, wall_ns(), __ATOMIC_RELEASE);
	first_waits();
}

static void second(void)
{
	prctl(PR_SET_NAME, "second");
	for (int i = 0; i < 4; i++) {
		uint64_t from = wall_ns();

		second_naps();
		wait_log__add(&logs[1], "sleep", from, wall_ns());
	}
}

static int one_life(int pid, int n)
{
	int child = fork_as(pid);

	if (!child) {
		n % 2 ? second() : first();
		_exit(0);
	}
	if (child < 0)
		return -1;
	if (n % 2 == 0) {
		while (!__atomic_load_n(since, __ATOMIC_ACQUIRE))
			sleep_ns(MS);
		sleep_ns(50 * MS);
		wait_log__add(&logs[0], "lock", *since, wall_ns());
		kill(child, SIGKILL);
		*since = 0;
	}
	waitpid(child, NULL, 0);
	return 0;
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);
	int pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	logs = wait_logs__new(2, seconds);
	since = shared_memory(sizeof(*since));
	for (int i = 0; i < 2; i++) {
		snprintf(logs[i].name, sizeof(logs[i].name), i ? "second" : "first");
		logs[i].pid = logs[i].tid = pid;
	}
	if (one_life(pid, 1)) {
		perror("clone3");
		return 1;
	}
	work__ready();
	for (int n = 0; going_on(); n++)
		if (one_life(pid, n))
			return 1;
	wait_logs__print(logs, 2);
	return 0;
}
