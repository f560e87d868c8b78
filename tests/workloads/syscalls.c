// SPDX-License-Identifier: GPL-2.0-only
/*
 * System calls that are known to the call: `syscalls MODE [N]`. It says "ready PID", waits for a
 * line, does what the mode says N times, says what it did as JSON and ends (exit_group). Its comm is
 * "calls". By mode must be found, of calls that nothing else in it makes:
 *
 *	exact	N getppid; N pread64 of 64 bytes; N openat that fail with ENOENT, of each of two paths
 *		"/nowhere/one" and "/nowhere/two"; N/2 with ENOTDIR of "/dev/null/three"; N read with
 *		EAGAIN; N dup that fail with EBADF
 *	sleeps	N clock_nanosleep of 10 ms
 *	blocked	N threads "waiter" in recvfrom() before it is ready, until the line comes
 *	signals	N recvfrom interrupted by SIGALRM that are restarted (ERESTARTSYS, then data), and N
 *		without SA_RESTART; the handlers write nothing
 *	forks	3 N children by vfork, clone and a thread, each of which does getppid once and ends by
 *		exit; N more by vfork that execute it as "exec1", which does getpgid once
 *	compat	N int 0x80 getppid (number 64), x86-64 alone; "compat" is false where that is refused
 *	threads	N threads that are there at once, each with a name of its own: 10 getsid of each
 *	alike	the same of threads that are all called "alike"
 *	paths	N openat of N different paths below /nowhere
 *	spin	getppid until stdin has a line: how many is said
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long n = 1;

static void wait_for_line(void)
{
	char c;

	while (read(0, &c, 1) == 1 && c != '\n')
		;
}

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void exact(void)
{
	char buf[64];
	int zero = open("/dev/zero", O_RDONLY | O_CLOEXEC), pipes[2];

	if (pipe2(pipes, O_NONBLOCK))
		exit(1);
	for (long i = 0; i < n; i++) {
		syscall(SYS_getppid);
		if (pread(zero, buf, sizeof(buf), 0) != sizeof(buf))
			exit(1);
		if (open("/nowhere/one", O_RDONLY) >= 0 || open("/nowhere/two", O_RDONLY) >= 0)
			exit(1);
		if (i % 2 && (open("/dev/null/three", O_RDONLY) >= 0 || errno != ENOTDIR))
			exit(1);
		if (read(pipes[0], buf, 1) >= 0 || errno != EAGAIN)
			exit(1);
		if (dup(-1) >= 0 || errno != EBADF)
			exit(1);
	}
	printf("{\"count\": %ld}\n", n);
}

static void sleeps(void)
{
	const struct timespec t = {0, 10000000};
	long long least = 1LL << 60, most = 0, sum = 0;

	for (long i = 0; i < n; i++) {
		long long before = now_ns(), took;

		clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
		took = now_ns() - before;
		sum += took;
		least = took < least ? took : least;
		most = took > most ? took : most;
	}
	printf("{\"count\": %ld, \"total_ns\": %lld, \"min_ns\": %lld, \"max_ns\": %lld}\n", n, sum,
	       least, most);
}

static void *waiter(void *socket)
{
	char c;

	prctl(PR_SET_NAME, "waiter");
	recv((int)(long)socket, &c, 1, 0);
	return NULL;
}

/* Its threads are inside before it is ready. */
static void blocked_begin(int *pair, pthread_t *threads)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		exit(1);
	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, waiter, (void *)(long)pair[0]);
	usleep(100000);
}

static void blocked_end(const int *pair, pthread_t *threads)
{
	shutdown(pair[1], SHUT_RDWR);
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	printf("{\"count\": %ld}\n", n);
}

static volatile sig_atomic_t rung;
static int to_write = -1;

static void ring(int sig)
{
	(void)sig;
	rung++;
	/* What is restarted has something to get. */
	if (to_write >= 0 && write(to_write, "x", 1) != 1)
		_exit(1);
}

static void interrupted(int fd, int flags)
{
	const struct itimerval t = {.it_value.tv_usec = 3000};
	struct sigaction a = {.sa_handler = ring, .sa_flags = flags};
	char c;

	sigaction(SIGALRM, &a, NULL);
	for (long i = 0; i < n; i++) {
		setitimer(ITIMER_REAL, &t, NULL);
		if (recv(fd, &c, 1, 0) != (flags & SA_RESTART ? 1 : -1))
			exit(1);
	}
}

static void signals(void)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
		exit(1);
	interrupted(pair[0], 0);
	to_write = pair[1];
	interrupted(pair[0], SA_RESTART);
	printf("{\"count\": %ld}\n", n);
}

static void *short_thread(void *none)
{
	syscall(SYS_getppid);
	return none;
}

static void by_vfork(void)
{
	pid_t child = vfork();

	if (!child) {
		syscall(SYS_getppid);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void by_clone(void)
{
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (!child) {
		syscall(SYS_getppid);
		syscall(SYS_exit, 0);
	}
	waitpid(child, NULL, 0);
}

static void by_thread(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, short_thread, NULL))
		exit(1);
	pthread_join(t, NULL);
}

static void by_exec(const char *self)
{
	pid_t child = vfork();

	if (!child) {
		execl(self, self, "exec1", NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

static void forks(const char *self)
{
	for (long i = 0; i < n; i++) {
		by_vfork();
		by_clone();
		by_thread();
		by_exec(self);
	}
	printf("{\"count\": %ld}\n", n);
}

static volatile sig_atomic_t refused;

static void on_refusal(int sig)
{
	(void)sig;
	refused = 1;
	printf("{\"compat\": false}\n");
	fflush(stdout);
	_exit(0);
}

static void compat(void)
{
	long result = -ENOSYS;

	signal(SIGSEGV, on_refusal);
	signal(SIGILL, on_refusal);
#ifdef __x86_64__
	for (long i = 0; i < n; i++)
		__asm__ volatile("int $0x80" : "=a"(result) : "a"(64L) : "memory", "r8", "r9", "r10", "r11");
#endif
	printf("{\"compat\": %s, \"count\": %ld}\n", result == getppid() ? "true" : "false", n);
}

static pthread_barrier_t all_there;
static int alike;

static void *named(void *number)
{
	char name[16];

	snprintf(name, sizeof(name), "calls-%ld", (long)number);
	if (alike)
		strcpy(name, "alike");
	prctl(PR_SET_NAME, name);
	pthread_barrier_wait(&all_there);
	for (int i = 0; i < 10; i++)
		syscall(SYS_getsid, 0);
	return NULL;
}

static void threads(void)
{
	pthread_t *all = calloc((size_t)n, sizeof(*all));
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	pthread_barrier_init(&all_there, NULL, (unsigned int)n);
	for (long i = 0; i < n; i++)
		if (pthread_create(&all[i], &attr, named, (void *)i))
			exit(1);
	for (long i = 0; i < n; i++)
		pthread_join(all[i], NULL);
	printf("{\"count\": %ld}\n", n * 10);
}

static void paths(void)
{
	char path[64];

	for (long i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "/nowhere/%ld", i);
		if (open(path, O_RDONLY) >= 0)
			exit(1);
	}
	printf("{\"count\": %ld}\n", n);
}

static void spin(void)
{
	long count = 0;

	fcntl(0, F_SETFL, O_NONBLOCK);
	for (char c; read(0, &c, 1) != 1;)
		for (int i = 0; i < 1000; i++, count++)
			syscall(SYS_getppid);
	printf("{\"count\": %ld}\n", count);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	pthread_t waiters[64];
	int pair[2];

	n = argc > 2 ? atol(argv[2]) : 1;
	if (!strcmp(mode, "exec1"))
		return syscall(SYS_getpgid, 0) < 0;
	prctl(PR_SET_NAME, "calls");
	if (!strcmp(mode, "blocked"))
		blocked_begin(pair, waiters);
	setvbuf(stdout, NULL, _IOLBF, 0);
	printf("ready %d\n", getpid());
	wait_for_line();
	if (!strcmp(mode, "exact"))
		exact();
	else if (!strcmp(mode, "sleeps"))
		sleeps();
	else if (!strcmp(mode, "blocked"))
		blocked_end(pair, waiters);
	else if (!strcmp(mode, "signals"))
		signals();
	else if (!strcmp(mode, "forks"))
		forks(argv[0]);
	else if (!strcmp(mode, "compat"))
		compat();
	else if (!strcmp(mode, "threads") || (alike = !strcmp(mode, "alike")))
		threads();
	else if (!strcmp(mode, "paths"))
		paths();
	else if (!strcmp(mode, "spin"))
		spin();
	return 0;
}
