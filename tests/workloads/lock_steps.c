// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks that are taken in known orders, and that nobody ever waits for: lock_steps KIND ROUNDS STEP...
 *
 * Begun and ended by SIGUSR1. Each step is done ROUNDS times by a thread of its own, which has ended before the next
 * one begins. A capital letter takes that lock, a small one lets go of it; before a capital letter
 *	?	it is only tried for
 *	~	it is waited for a millisecond at most
 *	@	it is let go of while its thread waits for a condition, for a tenth of a millisecond
 *	%	a rwlock is read under
 *	!	it is destroyed, and made anew where it was
 * KIND: plain, recursive, errorcheck, robust, pi, shared, c11 or rwlock. A failure to take a lock is no error: what is
 * taken once more where that cannot be is only taken once.
 */
#include <pthread.h>
#include <threads.h>

#include "work.h"

#define LOCKS 26

union any_lock {
	pthread_mutex_t mutex;
	pthread_rwlock_t rwlock;
	mtx_t c11;
	char room[64];
};

union any_lock locks[LOCKS];
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static const char *kind;
static int rounds;
static uint64_t calls; /* of what takes a lock, of the threads one after the other */

static int is(const char *name)
{
	return !strcmp(kind, name);
}

static void make(union any_lock *l)
{
	pthread_mutexattr_t attr;

	if (is("rwlock")) {
		pthread_rwlock_init(&l->rwlock, NULL);
		return;
	}
	if (is("c11")) {
		mtx_init(&l->c11, mtx_timed);
		return;
	}
	pthread_mutexattr_init(&attr);
	if (is("recursive"))
		pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	if (is("errorcheck"))
		pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_ERRORCHECK);
	if (is("robust"))
		pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	if (is("pi"))
		pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	if (is("shared"))
		pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&l->mutex, &attr);
}

static void destroy(union any_lock *l)
{
	if (is("rwlock"))
		pthread_rwlock_destroy(&l->rwlock);
	else if (is("c11"))
		mtx_destroy(&l->c11);
	else
		pthread_mutex_destroy(&l->mutex);
}

static struct timespec in(uint64_t ns)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += (long)ns;
	t.tv_sec += t.tv_nsec / 1000000000L;
	t.tv_nsec %= 1000000000L;
	return t;
}

NOINLINE void take(union any_lock *l)
{
	if (is("rwlock"))
		pthread_rwlock_wrlock(&l->rwlock);
	else if (is("c11"))
		mtx_lock(&l->c11);
	else
		pthread_mutex_lock(&l->mutex);
	__asm__ volatile("");
}

static void let_go(union any_lock *l)
{
	if (is("rwlock"))
		pthread_rwlock_unlock(&l->rwlock);
	else if (is("c11"))
		mtx_unlock(&l->c11);
	else
		pthread_mutex_unlock(&l->mutex);
}

static void try(union any_lock *l)
{
	if (is("rwlock"))
		pthread_rwlock_trywrlock(&l->rwlock);
	else if (is("c11"))
		mtx_trylock(&l->c11);
	else
		pthread_mutex_trylock(&l->mutex);
}

static void for_a_time(union any_lock *l)
{
	struct timespec until = in(MS);

	if (is("rwlock"))
		pthread_rwlock_timedwrlock(&l->rwlock, &until);
	else if (is("c11"))
		mtx_timedlock(&l->c11, &until);
	else
		pthread_mutex_timedlock(&l->mutex, &until);
}

static void special(char how, union any_lock *l)
{
	struct timespec until = in(MS / 10);

	if (how == '?')
		try(l);
	else if (how == '~')
		for_a_time(l);
	else if (how == '@')
		pthread_cond_timedwait(&condition, &l->mutex, &until);
	else if (how == '%')
		pthread_rwlock_rdlock(&l->rwlock);
	if (how == '!') {
		destroy(l);
		make(l);
	} else {
		calls++;
	}
}

NOINLINE static void once(const char *step)
{
	for (; *step; step++) {
		if (*step >= 'A' && *step <= 'Z') {
			take(&locks[*step - 'A']);
			calls++;
		} else if (*step >= 'a' && *step <= 'z') {
			let_go(&locks[*step - 'a']);
		} else if (step[1]) {
			special(*step, &locks[step[1] - 'A']);
			step++;
		}
	}
}

static void *does(void *step)
{
	prctl(PR_SET_NAME, "taker");
	for (int i = 0; i < rounds; i++)
		once(step);
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t begin;
	sigset_t go;
	int sig;

	if (argc < 4)
		return 2;
	kind = argv[1];
	rounds = atoi(argv[2]);
	for (int i = 0; i < LOCKS; i++)
		make(&locks[i]);
	work__begin(1, argv, 0);
	sigemptyset(&go);
	sigaddset(&go, SIGUSR1);
	sigprocmask(SIG_BLOCK, &go, NULL);
	work__ready();
	sigwait(&go, &sig);
	begin = wall_ns();
	for (int i = 3; i < argc; i++) {
		pthread_t thread;

		pthread_create(&thread, NULL, does, argv[i]);
		pthread_join(thread, NULL);
	}
	printf("{\"steps\":%d,\"calls\":%llu,\"ns\":%llu}\n", argc - 3, (unsigned long long)calls,
	       (unsigned long long)(wall_ns() - begin));
	fflush(stdout);
	sigwait(&go, &sig);
	return 0;
}
