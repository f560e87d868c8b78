/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: a process executes itself every 100 ms, and it is not its first thread that does so:
 * while that one waits in leader_waits, the thread "execer" naps and then executes, which ends
 * the wait and gives the executing thread the first one's id. So the id of the process is
 * nearly all of the time off the CPU, in ever new waits of at most 100 ms. The first one is long
 * about its end: it reaps what it traced after it has let the other go on, on another CPU, so that its
 * last switch comes when its id is the other's. Logs go on in memory that the programs inherit: "leader" and, of
 * all their kind, "execer".
 */
#include <pthread.h>
#include <signal.h>
#include <sys/ptrace.h>

#include "wait_log.h"

static struct wait_log *logs;
static char **args;
static int word = 2; /* as a mutex that is contended */

#define TRACED 40

/* Zombies that only their tracer can reap, which it does when it ends. */
static void leave_traced(void)
{
	signal(SIGCHLD, SIG_IGN);
	for (int i = 0; i < TRACED; i++)
		if (!fork()) {
			ptrace(PTRACE_TRACEME, 0, NULL, NULL);
			_exit(0);
		}
}

static NOINLINE void leader_waits(void)
{
	RAW_FUTEX_WAIT(&word, 2);
}

static NOINLINE void execer_naps(void)
{
	RAW_SLEEP(100 * MS);
}

static void *execer(void *arg)
{
	uint64_t from, now;

	prctl(PR_SET_NAME, "execer");
	pin_to(last_cpu());
	from = wall_ns();
	execer_naps();
	now = wall_ns();
	wait_log__add(&logs[1], "sleep", from, now);
	wait_log__add(&logs[0], "lock", logs[0].marks[0].t, now);
	execv(work__self(), args);
	return arg;
}

/* Logs in a file without a name: descriptor and end go to the next program as arguments. */
static int first_program(int argc, char **argv)
{
	static char fd_text[16], end_text[32], seconds[] = "0", *next[5];
	double s = work__begin(argc, argv, 10);
	int fd = memfd_create("logs", 0);

	if (fd < 0 || ftruncate(fd, 2 * sizeof(struct wait_log)))
		return -1;
	snprintf(fd_text, sizeof(fd_text), "%d", fd);
	snprintf(end_text, sizeof(end_text), "%lu", wall_ns() + (uint64_t)(s * 1e9));
	next[0] = argv[0];
	next[1] = seconds;
	next[2] = fd_text;
	next[3] = end_text;
	args = next;
	work__ready();
	return fd;
}

int main(int argc, char **argv)
{
	int fd = argc > 3 ? atoi(argv[2]) : first_program(argc, argv);
	pthread_t thread;

	if (argc > 3)
		args = argv;
	logs = mmap(NULL, 2 * sizeof(struct wait_log), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd < 0 || logs == MAP_FAILED)
		return 1;
	if (wall_ns() >= strtoul(args[3], NULL, 10)) {
		logs[0].nmarks = 0;
		wait_logs__print(logs, 2);
		return 0;
	}
	snprintf(logs[1].name, sizeof(logs[1].name), "execer");
	logs[1].tid = -1;
	pin_to(0);
	leave_traced();
	logs[0].nmarks = 0;
	wait_log__begin(&logs[0], "leader");
	if (pthread_create(&thread, NULL, execer, NULL))
		return 1;
	leader_waits();
	return 1;
}
