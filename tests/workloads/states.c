/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: one process for each state, in it for 40 ms again and again with little in between:
 * "st-sleep" sleeps (S); "st-disk" is in vfork until its child ends (D, without a disk);
 * "st-stop" stops itself and is continued (T); "st-trace" is held by a tracer (t); "st-run"
 * uses its CPU. Each log's waits are what its process was in; a few 0.1 ms are its begin's
 * and end's fault. Each process is in a function of its name.
 */
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "wait_log.h"

#define LENGTH (40 * MS)
enum { SLEEP, DISK, STOP, TRACE, RUN, KINDS };

static struct wait_log *logs;

static NOINLINE void st_sleep(void)
{
	RAW_SLEEP(LENGTH);
}

/* A function of its own: what vfork returns twice into has no registers that change. */
static NOINLINE void nap_and_end(void)
{
	RAW_SLEEP(LENGTH);
	_exit(0);
}

static NOINLINE void st_disk(void)
{
	int pid = vfork();

	if (!pid)
		nap_and_end();
	waitpid(pid, NULL, 0);
}

static NOINLINE void st_stop(void)
{
	raw_syscall(SYS_kill, getpid(), SIGSTOP, 0, 0, 0, 0);
}

static NOINLINE void st_run(void)
{
	burn(BURN_ROUNDS);
}

static void be(int kind, const char *name)
{
	wait_log__begin(&logs[kind], name);
	while (going_on()) {
		if (kind == SLEEP)
			LOGGED(&logs[kind], "S", st_sleep());
		else if (kind == DISK)
			LOGGED(&logs[kind], "D", st_disk());
		else if (kind == STOP)
			LOGGED(&logs[kind], "T", st_stop());
		else
			st_run();
		wait_log__mark_sometimes(&logs[kind]);
	}
	_exit(0);
}

static int start(int kind, const char *name)
{
	int pid = fork_child();

	if (!pid)
		be(kind, name);
	return pid;
}

/* Lets a stopped process stay so for LENGTH. */
static void continue_stopped(int pid)
{
	while (going_on()) {
		int status;

		if (waitpid(pid, &status, WUNTRACED) != pid || !WIFSTOPPED(status))
			break;
		sleep_ns(LENGTH);
		kill(pid, SIGCONT);
	}
	_exit(0);
}

static void trace(int pid)
{
	int status;

	ptrace(PTRACE_SEIZE, pid, 0, 0);
	while (going_on()) {
		uint64_t from;

		ptrace(PTRACE_INTERRUPT, pid, 0, 0);
		if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status))
			break;
		from = wall_ns();
		sleep_ns(LENGTH);
		wait_log__add(&logs[TRACE], "t", from, wall_ns());
		ptrace(PTRACE_CONT, pid, 0, 0);
		sleep_ns(MS);
	}
	_exit(0);
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);

	logs = wait_logs__new(KINDS, seconds);
	start(SLEEP, "st-sleep");
	start(DISK, "st-disk");
	start(RUN, "st-run");
	/* Whoever continues or traces one has to be its parent. */
	if (!fork_child())
		continue_stopped(start(STOP, "st-stop"));
	if (!fork_child())
		trace(start(TRACE, "st-trace"));
	for (int i = 0; i < KINDS; i++)
		while (!__atomic_load_n(&logs[i].nmarks, __ATOMIC_RELAXED))
			sleep_ns(MS);
	work__ready();
	while (going_on())
		sleep_ns(10 * MS);
	sleep_ns(2 * LENGTH);
	wait_logs__print(logs, KINDS);
	return 0;
}
