/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Truth: threads that wait because they have nothing to do, beside one that is held up.
 * pool-0 to pool-3 wait in pthread_cond_wait for items, of which "main" makes one every
 * 200 ms; "poller" is in epoll_wait on a listening socket, to which "main" connects every 300 ms;
 * "handler" is in epoll_wait on an eventfd that "main" writes to as often: what for is not to be
 * seen; "acceptor" is in accept and nobody connects; "victim" wants a mutex that "main" has for 40
 * of every 50 ms.
 */
#include <netinet/in.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "wait_log.h"

#define WORKERS 4
enum { MAIN = WORKERS, POLLER, HANDLER, ACCEPTOR, VICTIM, LOGS };

static struct wait_log *logs;
static pthread_mutex_t queue_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t contended = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items, over, events, listener, held;
static struct sockaddr_un at = {.sun_family = AF_UNIX};
static socklen_t at_size = sizeof(at);

static NOINLINE void waits_for_item(struct wait_log *l)
{
	pthread_mutex_lock(&queue_lock);
	while (!items && !over)
		LOGGED(l, "pool", pthread_cond_wait(&filled, &queue_lock));
	items -= items > 0;
	pthread_mutex_unlock(&queue_lock);
}

static void *worker(void *arg)
{
	uint64_t i = (uint64_t)arg;
	char name[16];

	snprintf(name, sizeof(name), "pool-%lu", i);
	wait_log__begin(&logs[i], name);
	while (!over)
		waits_for_item(&logs[i]);
	return NULL;
}

static void *poller(void *arg)
{
	struct epoll_event e = {.events = EPOLLIN};
	int ep = epoll_create1(0);

	wait_log__begin(&logs[POLLER], "poller");
	epoll_ctl(ep, EPOLL_CTL_ADD, listener, &e);
	while (!over) {
		LOGGED(&logs[POLLER], "poll", epoll_wait(ep, &e, 1, -1));
		close(accept(listener, NULL, NULL));
	}
	return arg;
}

static void *handler(void *arg)
{
	struct epoll_event e = {.events = EPOLLIN};
	int ep = epoll_create1(0);
	uint64_t n;

	wait_log__begin(&logs[HANDLER], "handler");
	epoll_ctl(ep, EPOLL_CTL_ADD, events, &e);
	while (!over) {
		LOGGED(&logs[HANDLER], "poll", epoll_wait(ep, &e, 1, -1));
		if (read(events, &n, sizeof(n)) < 0)
			break;
	}
	return arg;
}

/* At an address that the kernel chooses; of local sockets, too, when only the family is given. */
static int listens(int family, const void *address, socklen_t size)
{
	int fd = socket(family, SOCK_STREAM, 0);

	return bind(fd, address, size) || listen(fd, 8) ? -1 : fd;
}

/* Wakes both that are in epoll_wait. */
static int wakes_pollers(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), failed;
	uint64_t one = 1;

	failed = connect(fd, (struct sockaddr *)&at, at_size) ||
		 write(events, &one, sizeof(one)) < 0;
	close(fd);
	return failed;
}

static void *acceptor(void *arg)
{
	struct sockaddr_in in = {.sin_family = AF_INET,
				 .sin_addr = {.s_addr = htonl(INADDR_LOOPBACK)}};
	int fd = listens(AF_INET, &in, sizeof(in));

	wait_log__begin(&logs[ACCEPTOR], "acceptor");
	if (fd < 0)
		return arg;
	wait_log__add(&logs[ACCEPTOR], "accept", wall_ns(), *log_end);
	accept(fd, NULL, NULL);
	return arg;
}

static void *victim(void *arg)
{
	wait_log__begin(&logs[VICTIM], "victim");
	while (!over) {
		if (!held) {
			LOGGED(&logs[VICTIM], "sleep", sleep_ns(MS));
			continue;
		}
		LOGGED(&logs[VICTIM], "lock", pthread_mutex_lock(&contended));
		pthread_mutex_unlock(&contended);
	}
	return arg;
}

static void round_of_main(uint64_t n)
{
	if (n % 4 == 0) {
		pthread_mutex_lock(&queue_lock);
		items++;
		pthread_cond_signal(&filled);
		pthread_mutex_unlock(&queue_lock);
	}
	if (n % 6 == 0 && wakes_pollers())
		return;
	pthread_mutex_lock(&contended);
	held = 1;
	LOGGED(&logs[MAIN], "sleep", sleep_ns(40 * MS));
	held = 0;
	pthread_mutex_unlock(&contended);
	LOGGED(&logs[MAIN], "sleep", sleep_ns(10 * MS));
}

/* The last waits of all but the acceptor end here, and are logged. */
static void end_all(const pthread_t *threads)
{
	pthread_mutex_lock(&queue_lock);
	over = 1;
	pthread_cond_broadcast(&filled);
	pthread_mutex_unlock(&queue_lock);
	if (wakes_pollers())
		return;
	for (int i = 0; i < LOGS; i++)
		if (i != MAIN && i != ACCEPTOR)
			pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	void *(*const others[])(void *) = {poller, handler, acceptor, victim};
	double seconds = work__begin(argc, argv, 10);
	pthread_t threads[LOGS];

	logs = wait_logs__new(LOGS, seconds);
	events = eventfd(0, 0);
	listener = listens(AF_UNIX, &at, sizeof(at.sun_family));
	if (getsockname(listener, (struct sockaddr *)&at, &at_size))
		return 1;
	wait_log__begin(&logs[MAIN], "main");
	for (uint64_t i = 0; i < WORKERS; i++)
		if (pthread_create(&threads[i], NULL, worker, (void *)i))
			return 1;
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[POLLER + i], NULL, others[i], NULL))
			return 1;
	sleep_ns(50 * MS);
	work__ready();
	for (uint64_t n = 0; going_on(); n++)
		round_of_main(n);
	end_all(threads);
	wait_logs__print(logs, LOGS);
	_exit(0);
}
