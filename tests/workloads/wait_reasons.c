/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * wait_reasons: waits for SIGUSR1, calls functions that each wait for one thing, says in JSON how often and
 * how long it kept each waiting, and waits for SIGUSR1 again.
 *
 * Truth: for_lock, for_socket, for_poll and for_pipe are called 10 times each, and wait 10 ms at least
 * for another thread, which lets go of a mutex, or writes; for_sleep sleeps so long; for_cpu runs so long; for_disk
 * has 1 MiB written to disk by fsync. in_each calls for_lock and for_sleep.
 */
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "work.h"

#define TIMES 10
#define WAIT  (10 * MS)

enum { LOCK, SOCKET, POLL, PIPE, REASONS };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int fds[2], pipe_fds[2], disk;
static _Atomic int wanted = -1; /* of the other thread */
static _Atomic int holds;
static volatile int sink;

NOINLINE static void for_lock(void)
{
	pthread_mutex_lock(&mutex);
	pthread_mutex_unlock(&mutex);
	sink++;
}

NOINLINE static void for_socket(void)
{
	char c;

	if (read(fds[0], &c, 1) != 1)
		abort();
	sink++;
}

NOINLINE static void for_poll(void)
{
	struct pollfd p = {.fd = fds[0], .events = POLLIN};
	char c;

	poll(&p, 1, -1);
	if (read(fds[0], &c, 1) != 1)
		abort();
	sink++;
}

NOINLINE static void for_pipe(void)
{
	char c;

	if (read(pipe_fds[0], &c, 1) != 1)
		abort();
	sink++;
}

NOINLINE static void for_sleep(void)
{
	sleep_ns(WAIT);
	sink++;
}

NOINLINE static void for_cpu(void)
{
	uint64_t end = cpu_ns() + WAIT;

	while (cpu_ns() < end)
		sink++;
}

NOINLINE static void for_disk(void)
{
	static char block[1 << 20];

	memset(block, sink++, sizeof(block));
	if (pwrite(disk, block, sizeof(block), 0) != sizeof(block) || fsync(disk))
		abort();
	sink++;
}

static void begin(int reason)
{
	holds = 0;
	wanted = reason;
	while (reason == LOCK && !holds)
		sleep_ns(MS / 4);
}

NOINLINE static void in_each(void)
{
	begin(LOCK);
	for_lock();
	for_sleep();
	sink++;
}

static void *other(void *arg)
{
	for (;;) {
		int reason = atomic_exchange(&wanted, -1);

		if (reason < 0) {
			sleep_ns(MS / 4);
			continue;
		}
		if (reason == LOCK)
			pthread_mutex_lock(&mutex);
		holds = 1;
		sleep_ns(WAIT + 2 * MS); /* it waits by then */
		if (reason == LOCK)
			pthread_mutex_unlock(&mutex);
		else if (write(reason == PIPE ? pipe_fds[1] : fds[1], "x", 1) != 1)
			abort();
	}
	return arg;
}

static void call_all(void)
{
	static void (*const calls[REASONS])(void) = {for_lock, for_socket, for_poll, for_pipe};

	for (int reason = 0; reason < REASONS; reason++)
		for (int i = 0; i < TIMES; i++) {
			begin(reason);
			calls[reason]();
		}
	for (int i = 0; i < TIMES; i++) {
		for_sleep();
		for_cpu();
		for_disk();
		in_each();
	}
}

int main(int argc, char **argv)
{
	sigset_t set;
	pthread_t t;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	disk = open(argc > 1 ? argv[1] : "/var/tmp", O_TMPFILE | O_RDWR, 0600);
	if (disk < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, fds) || pipe(pipe_fds) ||
	    pthread_create(&t, NULL, other, NULL))
		return 1;
	work__ready();
	sigwait(&set, &sig);
	call_all();
	printf("{\"calls\": %d, \"ns\": %llu}\n", TIMES, WAIT);
	fflush(stdout);
	sigwait(&set, &sig);
	return 0;
}
