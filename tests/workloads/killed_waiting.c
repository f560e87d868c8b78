/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: one process "doomed" after another waits for a pipe in waits_in_vain and is killed
 * there after 20 ms; every other one is a thread whose process exits under it. The log, of
 * all of them together, has each wait from its begin to the kill.
 */
#include <pthread.h>
#include <sys/wait.h>

#include "wait_log.h"

static struct wait_log *log_;
static uint64_t *since; /* shared: when the wait began, 0 not yet */
static int never[2];

static NOINLINE void waits_in_vain(void)
{
	char c;

	raw_syscall(SYS_read, never[0], (long)&c, 1, 0, 0, 0);
}

static void *doomed(void *arg)
{
	prctl(PR_SET_NAME, "doomed");
	__atomic_store_n(since, wall_ns(), __ATOMIC_RELEASE);
	waits_in_vain();
	return arg;
}

/* The first thread sleeps, then ends the process; the other one is the doomed one. */
static void with_thread(void)
{
	pthread_t thread;

	prctl(PR_SET_NAME, "doomsday");
	if (pthread_create(&thread, NULL, doomed, NULL))
		_exit(1);
	while (!__atomic_load_n(since, __ATOMIC_ACQUIRE))
		sleep_ns(MS);
	sleep_ns(20 * MS);
	wait_log__add(log_, "pipe", *since, wall_ns());
	_exit(0);
}

static void one_process(void)
{
	int pid = fork_child();

	if (!pid)
		doomed(NULL);
	while (!__atomic_load_n(since, __ATOMIC_ACQUIRE))
		sleep_ns(MS);
	sleep_ns(20 * MS);
	wait_log__add(log_, "pipe", *since, wall_ns());
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	double seconds = work__begin(argc, argv, 10);

	log_ = wait_logs__new(1, seconds);
	since = shared_memory(sizeof(*since));
	if (pipe(never))
		return 1;
	prctl(PR_SET_NAME, "killer");
	work__ready();
	for (int n = 0; going_on(); n++) {
		*since = 0;
		if (n % 2) {
			one_process();
			continue;
		}
		if (!fork_child())
			with_thread();
		wait(NULL);
	}
	snprintf(log_->name, sizeof(log_->name), "doomed");
	log_->tid = log_->pid = getpid();
	wait_logs__print(log_, 1);
	return 0;
}
