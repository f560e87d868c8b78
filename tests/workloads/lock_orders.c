// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mutexes taken in orders that are right, or are not: lock_orders MODE [SECONDS]. SIGUSR1 begins, and ends.
 *
 * Right, by four threads at once, for SECONDS (1), with waits for all of the locks:
 *	trylock		A then B; others B, then A only if it is free
 *	recursive	A twice, then B
 *	condition	A then B; others wait for a condition with B, and one does so while it has A
 *	hand_over_hand	a list's nodes, each before the one in front of it is let go of
 *	many		20 mutexes, each after the one before it
 *
 * Wrong, one thread after the other, so nothing hangs: one takes the first of N mutexes and all up to the last,
 * which it waits for while others wait for those that it has; another one the last, and waits for the first.
 *	wrong N plain|recursive|trylock		how the ones before the last are taken: the first twice; by trylock
 */
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#include "work.h"

#define MANY 20

pthread_mutex_t many[MANY];
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static _Atomic int stop, rounds;
static int ready;

static void both(pthread_mutex_t *a, pthread_mutex_t *b)
{
	pthread_mutex_lock(a);
	sleep_ns(MS / 10);
	pthread_mutex_lock(b);
	sleep_ns(MS / 10);
	pthread_mutex_unlock(b);
	pthread_mutex_unlock(a);
}

/* --- right --- */

static void trylock(int i)
{
	if (i % 2) {
		both(&many[0], &many[1]);
		return;
	}
	pthread_mutex_lock(&many[1]);
	sleep_ns(MS / 10);
	if (!pthread_mutex_trylock(&many[0])) {
		sleep_ns(MS / 10);
		pthread_mutex_unlock(&many[0]);
	}
	pthread_mutex_unlock(&many[1]);
}

static void recursive(int i)
{
	(void)i;
	pthread_mutex_lock(&many[0]);
	both(&many[0], &many[1]);
	pthread_mutex_unlock(&many[0]);
}

static void await_condition(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += MS;
	t.tv_sec += t.tv_nsec / 1000000000L;
	t.tv_nsec %= 1000000000L;
	pthread_mutex_lock(&many[1]);
	while (!ready && !pthread_cond_timedwait(&condition, &many[1], &t))
		;
	ready = 0;
	sleep_ns(MS / 10);
	pthread_mutex_unlock(&many[1]);
}

static void condition_variable(int i)
{
	if (i == 3)
		pthread_mutex_lock(&many[0]);
	if (i > 1)
		await_condition();
	if (i == 3)
		pthread_mutex_unlock(&many[0]);
	if (i > 1)
		return;
	pthread_mutex_lock(&many[0]);
	pthread_mutex_lock(&many[1]);
	ready = 1;
	sleep_ns(MS / 10);
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&many[1]);
	pthread_mutex_unlock(&many[0]);
}

static void hand_over_hand(int i)
{
	(void)i;
	pthread_mutex_lock(&many[0]);
	for (int k = 1; k < 8; k++) {
		sleep_ns(MS / 20);
		pthread_mutex_lock(&many[k]);
		pthread_mutex_unlock(&many[k - 1]);
	}
	pthread_mutex_unlock(&many[7]);
}

static void all_of_many(int i)
{
	(void)i;
	for (int k = 0; k < MANY; k++) {
		pthread_mutex_lock(&many[k]);
		sleep_ns(MS / 100);
	}
	for (int k = MANY; k-- > 0;) {
		pthread_mutex_unlock(&many[k]);
		sleep_ns(MS / 100);
	}
}

static const struct mode {
	const char *name;
	void (*round)(int i);
} modes[] = {
	{"trylock", trylock}, {"recursive", recursive}, {"condition", condition_variable},
	{"hand_over_hand", hand_over_hand}, {"many", all_of_many},
};

static const struct mode *mode;

static void *rightly(void *arg)
{
	prctl(PR_SET_NAME, "taker");
	while (!stop) {
		mode->round((int)(intptr_t)arg);
		rounds++;
	}
	return NULL;
}

static void stress(double seconds)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, rightly, (void *)(intptr_t)i);
	sleep_ns((uint64_t)(seconds * 1e9));
	stop = 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

/* --- wrong --- */

static _Atomic int tid;

static int sleeps_in_futex(int thread)
{
	char path[64], text[64] = "";
	FILE *in;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", thread);
	in = fopen(path, "r");
	if (!in)
		return 0;
	if (!fgets(text, sizeof(text), in))
		text[0] = '\0';
	fclose(in);
	return *text >= '0' && *text <= '9' && atoi(text) == SYS_futex;
}

static void await_sleep(void)
{
	while (!tid || !sleeps_in_futex(tid))
		sleep_ns(MS / 4);
}

static void *waits_for(void *mutex)
{
	tid = (int)syscall(SYS_gettid);
	pthread_mutex_lock(mutex);
	pthread_mutex_unlock(mutex);
	return NULL;
}

static void press(pthread_t *thread, pthread_mutex_t *mutex)
{
	tid = 0;
	pthread_create(thread, NULL, waits_for, mutex);
	await_sleep();
}

struct wrong {
	int n, tries, twice;
	_Atomic int has, go;
};

static void *upward(void *arg)
{
	struct wrong *w = arg;
	int n = w->n - 1;

	prctl(PR_SET_NAME, "taker");
	for (int i = 0; i < n; i++)
		if (w->tries ? pthread_mutex_trylock(&many[i]) : pthread_mutex_lock(&many[i]))
			abort();
	if (w->twice)
		pthread_mutex_lock(&many[0]);
	w->has = 1;
	while (!w->go)
		sleep_ns(MS / 4);
	tid = (int)syscall(SYS_gettid);
	pthread_mutex_lock(&many[n]);
	pthread_mutex_unlock(&many[n]);
	if (w->twice)
		pthread_mutex_unlock(&many[0]);
	for (int i = n; i-- > 0;)
		pthread_mutex_unlock(&many[i]);
	return NULL;
}

static void *downward(void *arg)
{
	struct wrong *w = arg;

	prctl(PR_SET_NAME, "taker");
	pthread_mutex_lock(&many[w->n - 1]);
	w->has = 1;
	while (!w->go)
		sleep_ns(MS / 4);
	tid = (int)syscall(SYS_gettid);
	pthread_mutex_lock(&many[0]);
	pthread_mutex_unlock(&many[0]);
	pthread_mutex_unlock(&many[w->n - 1]);
	return NULL;
}

/* It has what it takes first, others wait for that, and it waits for what `last` is until it may have it. */
static void one_way(struct wrong *w, void *(*way)(void *), int first, int end, pthread_mutex_t *last)
{
	pthread_t taker, pressers[MANY];

	w->has = w->go = 0;
	pthread_mutex_lock(last);
	pthread_create(&taker, NULL, way, w);
	while (!w->has)
		sleep_ns(MS / 4);
	for (int i = first; i < end; i++)
		press(&pressers[i], &many[i]);
	tid = 0;
	w->go = 1;
	await_sleep();
	sleep_ns(20 * MS);
	pthread_mutex_unlock(last);
	pthread_join(taker, NULL);
	for (int i = first; i < end; i++)
		pthread_join(pressers[i], NULL);
}

static void wrongly(int n, const char *kind)
{
	struct wrong w = {.n = n < 2 ? 2 : n > MANY ? MANY : n, .tries = !strcmp(kind, "trylock"),
			  .twice = !strcmp(kind, "recursive")};

	one_way(&w, upward, 0, w.n - 1, &many[w.n - 1]);
	one_way(&w, downward, w.n - 1, w.n, &many[0]);
	rounds = 2;
}

/* --- all of it --- */

static void prepare(int is_recursive)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	if (is_recursive)
		pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	for (int i = 0; i < MANY; i++)
		pthread_mutex_init(&many[i], &attr);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "many", *kind = argc > 3 ? argv[3] : "plain";
	sigset_t go;
	int sig;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(modes[i].name, name))
			mode = &modes[i];
	prepare(!strcmp(name, "recursive") || !strcmp(kind, "recursive"));
	work__begin(1, argv, 0);
	sigemptyset(&go);
	sigaddset(&go, SIGUSR1);
	sigprocmask(SIG_BLOCK, &go, NULL);
	work__ready();
	sigwait(&go, &sig);
	if (mode)
		stress(argc > 2 ? atof(argv[2]) : 1);
	else
		wrongly(argc > 2 ? atoi(argv[2]) : 2, kind);
	printf("{\"rounds\":%d}\n", rounds);
	fflush(stdout);
	sigwait(&go, &sig);
	return 0;
}
