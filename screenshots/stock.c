/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The second service in the pictures: one thread writes its journal to disk while it holds
 * the lock that all others need, and a pool waits for work that never comes.
 */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

static pthread_mutex_t stock_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int journal;
static volatile unsigned items;

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
}

static NOINLINE void sync_journal(void)
{
	char page[4096];

	memset(page, 'j', sizeof(page));
	if (pwrite(journal, page, sizeof(page), 0) > 0)
		fsync(journal);
}

static NOINLINE void flush_stock(void)
{
	pthread_mutex_lock(&stock_lock);
	for (int i = 0; i < 4; i++)
		sync_journal();
	items++;
	pthread_mutex_unlock(&stock_lock);
}

static NOINLINE void reserve_item(void)
{
	pthread_mutex_lock(&stock_lock);
	for (int i = 0; i < 20000; i++)
		items++;
	pthread_mutex_unlock(&stock_lock);
}

static void *writer(void *arg)
{
	prctl(PR_SET_NAME, "stock-journal");
	for (;; pause_ms(1))
		flush_stock();
	return arg;
}

static void *worker(void *arg)
{
	prctl(PR_SET_NAME, "stock-worker");
	for (;; pause_ms(2))
		reserve_item();
	return arg;
}

static void *pool(void *arg)
{
	prctl(PR_SET_NAME, "stock-pool");
	pthread_mutex_lock(&pool_lock);
	for (;;)
		pthread_cond_wait(&work, &pool_lock);
	return arg;
}

int main(void)
{
	struct epoll_event event;
	pthread_t t;

	journal = open("journal", O_CREAT | O_RDWR | O_TRUNC, 0600);
	if (journal < 0)
		return 1;
	pthread_create(&t, NULL, writer, NULL);
	for (int i = 0; i < 4; i++)
		pthread_create(&t, NULL, worker, NULL);
	for (int i = 0; i < 8; i++)
		pthread_create(&t, NULL, pool, NULL);
	return epoll_wait(epoll_create1(0), &event, 1, -1);
}
