/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is hard on a program that is traced: traced MODE [LIBRARY]. It waits for a line on stdin, does it, and
 * prints what came of it, which is the same whenever nobody harms it; all of it in functions t_*.
 *	crash	a null pointer in nested calls, without a handler: ends by SIGSEGV
 *	caught	the same, a hundred times, with a handler that jumps back
 *	exec	another program in its place, from within nested calls
 *	fork	children, also by vfork, that return from the calls that they were begun in
 *	unload	a library that is loaded, called and unloaded, again and again
 *	cancel	threads that are cancelled, or end, within nested calls
 *	switch	two stacks in one thread, which take turns within nested calls
 *	deep	a recursion, deeper than the kernel takes returns over
 *	alarm	a signal's handler in the middle of calls, which calls them, too
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone, optimize("no-optimize-sibling-calls")))

static volatile int sink;
static int *volatile nowhere;
static sigjmp_buf back;
static char **args;

NOINLINE int t_nested(int n, int (*then)(void))
{
	int below = n ? t_nested(n - 1, then) : then();

	sink += n;
	return below + n;
}

NOINLINE int t_crashes(void) { return *nowhere; }
NOINLINE int t_nothing(void) { return ++sink & 0; }

static int caught(int sig)
{
	siglongjmp(back, sig);
}

static void crash_caught(void)
{
	volatile int n = 0;

	signal(SIGSEGV, (void (*)(int))caught);
	for (volatile int i = 0; i < 100; i++)
		if (sigsetjmp(back, 1))
			n++;
		else
			t_nested(i % 20, t_crashes);
	printf("caught %d, then %d\n", n, t_nested(10, t_nothing));
}

NOINLINE int t_execs(void)
{
	fflush(stdout);
	execl("/proc/self/exe", args[0], "after", NULL);
	return 0;
}

NOINLINE int t_forks(void)
{
	pid_t pid = fork();

	if (pid)
		waitpid(pid, NULL, 0);
	return pid ? 1000 : 1;
}

NOINLINE int t_vforks(void)
{
	pid_t pid = vfork();
	int status = -1;

	if (!pid) {
		execl("/bin/echo", "echo", "by vfork", NULL);
		_exit(1);
	}
	waitpid(pid, &status, 0);
	return status;
}

static void forks(void)
{
	for (int i = 0; i < 20; i++) {
		int n = t_nested(i, t_forks);

		printf("%s %d\n", n >= 1000 ? "parent" : "child", n);
		fflush(stdout);
		if (n < 1000)
			_exit(0);
		printf("vfork %d\n", t_nested(i, t_vforks));
		fflush(stdout);
	}
}

static void unloads(void)
{
	int sum = 0;

	for (int i = 0; i < 50; i++) {
		void *lib = dlopen(args[2], RTLD_NOW);
		int (*call)(int) = lib ? (int (*)(int))dlsym(lib, "t_library") : NULL;

		for (int k = 0; call && k < 20; k++)
			sum += call(k);
		if (lib)
			dlclose(lib);
	}
	printf("sum %d\n", sum);
}

static _Atomic int cleaned;

static void clean(void *arg)
{
	(void)arg;
	cleaned++;
}

static int waits(void)
{
	sleep(60);
	return 0;
}

static int ends(void)
{
	pthread_exit((void *)7L);
}

NOINLINE int t_cleans(int (*then)(void))
{
	int n;

	pthread_cleanup_push(clean, NULL);
	n = t_nested(5, then);
	pthread_cleanup_pop(0);
	return n;
}

static void *thread(void *then)
{
	t_cleans((int (*)(void))then);
	return NULL;
}

static void cancels(void)
{
	long sum = 0;

	for (int i = 0; i < 40; i++) {
		pthread_t t;
		void *result;

		pthread_create(&t, NULL, thread, i % 2 ? (void *)waits : (void *)ends);
		if (i % 2) {
			usleep(2000);
			pthread_cancel(t);
		}
		pthread_join(t, &result);
		sum += result == PTHREAD_CANCELED ? 1000 : (long)result;
	}
	printf("sum %ld, cleaned %d\n", sum, cleaned);
}

static ucontext_t contexts[3];
static int turn;

NOINLINE int t_switches(void)
{
	int from = turn, to = 3 - turn;

	for (int i = 0; i < 10; i++) {
		turn = to;
		swapcontext(&contexts[from], &contexts[to]);
	}
	return from;
}

static void side(void)
{
	for (int i = 0; i < 20; i++)
		printf("turn %d: %d\n", turn, t_nested(1 + i % 5, t_switches));
}

static void switches(void)
{
	for (int i = 1; i <= 2; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_size = 1 << 18;
		contexts[i].uc_stack.ss_sp = malloc(1 << 18);
		contexts[i].uc_link = &contexts[0];
		makecontext(&contexts[i], side, 0);
	}
	turn = 1;
	swapcontext(&contexts[0], &contexts[1]);
	printf("both are over\n");
}

static _Atomic int alarms;

static void alarmed(int sig)
{
	(void)sig;
	alarms += t_nested(3, t_nothing) == 6;
}

static void alarm_calls(void)
{
	struct itimerval every = {{0, 1000}, {0, 1000}};
	int sum = 0;

	signal(SIGALRM, alarmed);
	setitimer(ITIMER_REAL, &every, NULL);
	while (alarms < 100)
		sum |= t_nested(20, t_nothing) != 210;
	every = (struct itimerval){{0, 0}, {0, 0}};
	setitimer(ITIMER_REAL, &every, NULL);
	printf("wrong %d, alarms %d\n", sum, alarms >= 100);
}

int main(int argc, char **argv)
{
	char line[16];

	args = argv;
	if (argc > 1 && !strcmp(argv[1], "after")) {
		printf("after: %d\n", t_nested(10, t_nothing));
		return 3;
	}
	printf("ready %d\n", getpid());
	fflush(stdout);
	if (argc < 2 || !fgets(line, sizeof(line), stdin))
		return 2;
	printf("begins: %d\n", t_nested(3, t_nothing));
	fflush(stdout);
	if (!strcmp(argv[1], "crash"))
		printf("%d\n", t_nested(10, t_crashes));
	else if (!strcmp(argv[1], "caught"))
		crash_caught();
	else if (!strcmp(argv[1], "exec"))
		t_nested(5, t_execs);
	else if (!strcmp(argv[1], "fork"))
		forks();
	else if (!strcmp(argv[1], "unload"))
		unloads();
	else if (!strcmp(argv[1], "cancel"))
		cancels();
	else if (!strcmp(argv[1], "switch"))
		switches();
	else if (!strcmp(argv[1], "deep"))
		printf("%d\n", t_nested(2000, t_nothing));
	else if (!strcmp(argv[1], "alarm"))
		alarm_calls();
	fflush(stdout);
	if (argc > 1)
		printf("ends: %d\n", t_nested(3, t_nothing));
	return 0;
}
