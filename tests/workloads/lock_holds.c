// SPDX-License-Identifier: GPL-2.0-only
/*
 * Locks that are held for a known time while somebody waits: lock_holds ROUNDS MS
 *
 * SIGUSR1 begins. For each kind of lock a holder takes it, sees that the waiter sleeps, keeps it for
 * MS milliseconds and lets go; ROUNDS times, one kind after the other. So each round is one wait, and it
 * lasts at least as long as the holder kept it from then on (held_ns) and at most as long as the waiter
 * saw it last (waited_ns). Timed locks run out once a round in between. Then it says what it did, and
 * ends with SIGUSR1.
 *
 * lock_holds deadlock N: N threads that each have one mutex and wait for the next one's.
 *
 * lock_holds chain N: N threads that each have a mutex of the heap and wait for the next one's, in
 * awaits_next(), but the last one, which sleeps in keeps_it(); it writes under a rwlock of the heap, too, which one
 * more thread waits to read, in awaits_writer().
 *
 * lock_holds order STEP...: begun and ended by SIGUSR1, too. Each step is two of the letters A to C: a new
 * thread takes the first mutex and waits for the second one, which is held until it sleeps and another thread
 * waits for the first. "A-B": it waits for the first, too, and lets go of it before it takes the second.
 * "Ab": it waits for the second for a time only. "GAB": it takes a third mutex before both, and another thread
 * waits for that, too; "gAB": none does. "one" before the steps: one thread does them all. As one step
 * follows the other nothing ever deadlocks.
 */
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "work.h"

#define MAX_RING 8

pthread_mutex_t plain_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t pi_mutex;
pthread_mutex_t timed_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_mutex_t cond_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t work_cond = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t write_lock = PTHREAD_RWLOCK_INITIALIZER;
sem_t work_sem;
uint32_t raw_futex;
pthread_mutex_t ring[MAX_RING];

/* Between the two, also when they are processes. */
struct shared {
	pthread_mutex_t mutex;
	_Atomic int tid;      /* of the waiter */
	_Atomic uint32_t asked, had; /* rounds that it began, and ended */
	_Atomic uint64_t waited_ns;
};

static struct shared *shared;
static unsigned rounds, hold_ms;

struct kind {
	const char *name;
	void (*take)(void);  /* the holder's */
	void (*leave)(void);
	void (*await)(void); /* the waiter's */
	int is_process; /* the waiter is one */
};

/* --- what is waited for --- */

static void mutex_take(void) { pthread_mutex_lock(&plain_mutex); }
static void mutex_leave(void) { pthread_mutex_unlock(&plain_mutex); }
static void mutex_await(void) { pthread_mutex_lock(&plain_mutex); pthread_mutex_unlock(&plain_mutex); }

static void pi_take(void) { pthread_mutex_lock(&pi_mutex); }
static void pi_leave(void) { pthread_mutex_unlock(&pi_mutex); }
static void pi_await(void) { pthread_mutex_lock(&pi_mutex); pthread_mutex_unlock(&pi_mutex); }

static void write_take(void) { pthread_rwlock_wrlock(&write_lock); }
static void write_leave(void) { pthread_rwlock_unlock(&write_lock); }
static void write_await(void) { pthread_rwlock_rdlock(&write_lock); pthread_rwlock_unlock(&write_lock); }

static void nothing(void) {}
static void sem_leave(void) { sem_post(&work_sem); }
static void sem_await(void) { sem_wait(&work_sem); }

static int cond_ready;

static void cond_leave(void)
{
	pthread_mutex_lock(&cond_mutex);
	cond_ready = 1;
	pthread_mutex_unlock(&cond_mutex);
	pthread_cond_signal(&work_cond);
}

static void cond_await(void)
{
	pthread_mutex_lock(&cond_mutex);
	while (!cond_ready)
		pthread_cond_wait(&work_cond, &cond_mutex);
	cond_ready = 0;
	pthread_mutex_unlock(&cond_mutex);
}

static void raw_leave(void)
{
	__atomic_store_n(&raw_futex, 1, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &raw_futex, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void raw_await(void)
{
	while (!__atomic_exchange_n(&raw_futex, 0, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &raw_futex, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
}

static void timed_take(void) { pthread_mutex_lock(&timed_mutex); }
static void timed_leave(void) { pthread_mutex_unlock(&timed_mutex); }

/* It runs out; so the holder keeps it until then. */
static void timed_await(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_nsec += hold_ms * 500000L;
	t.tv_sec += t.tv_nsec / 1000000000L;
	t.tv_nsec %= 1000000000L;
	if (!pthread_mutex_timedlock(&timed_mutex, &t))
		pthread_mutex_unlock(&timed_mutex);
}

static void shared_take(void) { pthread_mutex_lock(&shared->mutex); }
static void shared_leave(void) { pthread_mutex_unlock(&shared->mutex); }
static void shared_await(void) { pthread_mutex_lock(&shared->mutex); pthread_mutex_unlock(&shared->mutex); }

static const struct kind kinds[] = {
	{"plain_mutex", mutex_take, mutex_leave, mutex_await, 0},
	{"pi_mutex", pi_take, pi_leave, pi_await, 0},
	{"write_lock", write_take, write_leave, write_await, 0},
	{"work_sem", nothing, sem_leave, sem_await, 0},
	{"work_cond", nothing, cond_leave, cond_await, 0},
	{"raw_futex", nothing, raw_leave, raw_await, 0},
	{"timed_mutex", timed_take, timed_leave, timed_await, 0},
	{"shared", shared_take, shared_leave, shared_await, 1},
};

/* --- two of them --- */

static NOINLINE void waits_here(const struct kind *k)
{
	k->await();
	__asm__ volatile("");
}

static NOINLINE void holds_here(const struct kind *k)
{
	k->leave();
	__asm__ volatile("");
}

static void *waiter(void *arg)
{
	const struct kind *k = arg;
	uint64_t begin;

	prctl(PR_SET_NAME, "waiter");
	shared->tid = (int)syscall(SYS_gettid);
	for (unsigned i = 0; i < rounds; i++) {
		while (shared->asked <= i)
			sleep_ns(MS / 4);
		begin = wall_ns();
		waits_here(k);
		shared->waited_ns += wall_ns() - begin;
		shared->had = i + 1;
	}
	return NULL;
}

/* In the call that waits. */
static int sleeps(int pid, int tid)
{
	char path[64], text[128] = "";
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
	in = fopen(path, "r");
	if (!in)
		return 0;
	if (!fgets(text, sizeof(text), in))
		text[0] = '\0';
	fclose(in);
	return atoi(text) == SYS_futex && *text >= '0' && *text <= '9';
}

static uint64_t hold(const struct kind *k, int pid)
{
	uint64_t held = 0, begin;

	for (unsigned i = 0; i < rounds; i++) {
		k->take();
		shared->asked = i + 1;
		/* A timed wait may be over before this is looked at. */
		while (!sleeps(pid, shared->tid) && shared->had <= i)
			sleep_ns(MS / 4);
		begin = wall_ns();
		sleep_ns(hold_ms * MS);
		held += wall_ns() - begin;
		holds_here(k);
		while (shared->had <= i)
			sleep_ns(MS / 4);
	}
	return held;
}

static void run(const struct kind *k, int last)
{
	pid_t pid = getpid();
	pthread_t thread;
	uint64_t held;

	shared->tid = 0;
	shared->asked = shared->had = 0;
	shared->waited_ns = 0;
	if (k->is_process) {
		pid = fork();
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			waiter((void *)k);
			_exit(0);
		}
	} else {
		pthread_create(&thread, NULL, waiter, (void *)k);
	}
	while (!shared->tid)
		sleep_ns(MS / 4);
	held = hold(k, pid);
	if (k->is_process)
		waitpid(pid, NULL, 0);
	else
		pthread_join(thread, NULL);
	printf("\"%s\":{\"waiter\":%d,\"held_ns\":%llu,\"waited_ns\":%llu}%s", k->name, shared->tid,
	       (unsigned long long)held, (unsigned long long)shared->waited_ns, last ? "" : ",");
}

static void prepare(void)
{
	pthread_mutexattr_t attr;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sem_init(&work_sem, 0, 0);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&pi_mutex, &attr);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->mutex, &attr);
}

/* --- a ring of those that wait for each other --- */

static pthread_barrier_t all_have;
static unsigned nring;
static _Atomic int tids[MAX_RING];

static void *link_of_ring(void *arg)
{
	unsigned i = (unsigned)(uintptr_t)arg;

	prctl(PR_SET_NAME, "stuck");
	tids[i] = (int)syscall(SYS_gettid);
	pthread_mutex_lock(&ring[i]);
	pthread_barrier_wait(&all_have);
	pthread_mutex_lock(&ring[(i + 1) % nring]);
	return NULL;
}

static void deadlock(unsigned n)
{
	pthread_t thread;

	nring = n < 2 ? 2 : n > MAX_RING ? MAX_RING : n;
	pthread_barrier_init(&all_have, NULL, nring);
	for (unsigned i = 0; i < nring; i++)
		pthread_mutex_init(&ring[i], NULL);
	for (unsigned i = 0; i < nring; i++)
		pthread_create(&thread, NULL, link_of_ring, (void *)(uintptr_t)i);
	for (unsigned i = 0; i < nring; i++)
		while (!tids[i] || !sleeps(getpid(), tids[i]))
			sleep_ns(MS);
	work__ready();
	for (unsigned i = 0; i < nring; i++)
		printf("%s%d%s", i ? "," : "{\"ring\":[", tids[i], i + 1 == nring ? "]}\n" : "");
	fflush(stdout);
	for (;;)
		pause();
}

/* --- a chain of those that wait for each other, which is no ring --- */

static pthread_mutex_t *links;
static pthread_rwlock_t *book;

static NOINLINE void awaits_next(unsigned i)
{
	pthread_mutex_lock(&links[i]);
	__asm__ volatile("");
}

static NOINLINE void awaits_writer(void)
{
	pthread_rwlock_rdlock(book);
	__asm__ volatile("");
}

static NOINLINE void keeps_it(void)
{
	for (;;)
		sleep_ns(60000 * MS); /* of seconds each of which would be an interval, it might be awake in all */
}

static void *link_of_chain(void *arg)
{
	unsigned i = (unsigned)(uintptr_t)arg;

	prctl(PR_SET_NAME, "link");
	if (i < nring)
		pthread_mutex_lock(&links[i]);
	if (i + 1 == nring)
		pthread_rwlock_wrlock(book);
	tids[i] = (int)syscall(SYS_gettid);
	if (i <= nring)
		pthread_barrier_wait(&all_have);
	if (i + 1 < nring)
		awaits_next(i + 1);
	else if (i + 1 == nring)
		keeps_it();
	else
		awaits_writer();
	return NULL;
}

static void chain(unsigned n)
{
	pthread_t thread;

	nring = n < 2 ? 2 : n >= MAX_RING ? MAX_RING - 1 : n;
	links = calloc(nring, sizeof(*links));
	book = calloc(1, sizeof(*book));
	if (!links || !book)
		abort();
	pthread_barrier_init(&all_have, NULL, nring + 1);
	for (unsigned i = 0; i <= nring; i++)
		pthread_create(&thread, NULL, link_of_chain, (void *)(uintptr_t)i);
	for (unsigned i = 0; i <= nring; i++)
		while (!tids[i] || (i + 1 != nring && !sleeps(getpid(), tids[i])))
			sleep_ns(MS);
	sleep_ns(5 * MS); /* past the barrier, which is a futex, too */
	work__ready();
	for (unsigned i = 0; i <= nring; i++)
		printf("%s%d%s", i ? "," : "{\"chain\":[", tids[i], i == nring ? "]}\n" : "");
	fflush(stdout);
	for (;;)
		pause();
}

/* --- the order of two mutexes --- */

struct step {
	int first, second, apart, timed;
	int guarded, pressed; /* a third mutex is taken before both; another thread waits for it */
};

static pthread_mutex_t mutex_a = PTHREAD_MUTEX_INITIALIZER, mutex_b = PTHREAD_MUTEX_INITIALIZER,
		       mutex_c = PTHREAD_MUTEX_INITIALIZER, mutex_g = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t *const letters[] = {&mutex_a, &mutex_b, &mutex_c};

static struct step steps[16];
static int nsteps, by_one;
static _Atomic int begun, taker, presser; /* steps begun; thread ids */
static _Atomic int between;		  /* the taker is between the locks of its step */

static NOINLINE void take_second(const struct step *s)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 30;
	if (s->timed ? pthread_mutex_timedlock(letters[s->second], &t) : pthread_mutex_lock(letters[s->second]))
		abort();
	__asm__ volatile("");
}

static NOINLINE void take_upward(const struct step *s)
{
	take_second(s);
	__asm__ volatile("");
}

static NOINLINE void take_downward(const struct step *s)
{
	take_second(s);
	__asm__ volatile("");
}

static void take_both(const struct step *s)
{
	if (s->guarded)
		pthread_mutex_lock(&mutex_g);
	pthread_mutex_lock(letters[s->first]);
	if (s->apart)
		pthread_mutex_unlock(letters[s->first]);
	between = 1;
	if (s->first < s->second)
		take_upward(s);
	else
		take_downward(s);
	pthread_mutex_unlock(letters[s->second]);
	if (!s->apart)
		pthread_mutex_unlock(letters[s->first]);
	if (s->guarded)
		pthread_mutex_unlock(&mutex_g);
}

static void *take_in_order(void *arg)
{
	int i = (int)(intptr_t)arg;

	prctl(PR_SET_NAME, "taker");
	taker = (int)syscall(SYS_gettid);
	do {
		while (begun <= i)
			sleep_ns(MS / 4);
		take_both(&steps[i]);
	} while (by_one && ++i < nsteps);
	return NULL;
}

static void *press(void *arg)
{
	presser = (int)syscall(SYS_gettid);
	pthread_mutex_lock(arg);
	pthread_mutex_unlock(arg);
	return NULL;
}

static void await_sleep(_Atomic int *tid)
{
	while (!*tid || !sleeps(getpid(), *tid))
		sleep_ns(MS / 4);
}

static void do_step(int i, pthread_t *thread)
{
	const struct step *s = &steps[i];
	pthread_t other, third;

	if (!by_one || !i) {
		taker = 0;
		pthread_create(thread, NULL, take_in_order, (void *)(intptr_t)i);
	}
	presser = between = 0;
	pthread_mutex_lock(letters[s->second]);
	if (s->apart)
		pthread_mutex_lock(letters[s->first]);
	begun = i + 1;
	if (s->apart) {
		await_sleep(&taker);
		pthread_mutex_unlock(letters[s->first]);
	}
	while (!between)
		sleep_ns(MS / 4);
	await_sleep(&taker);
	if (s->pressed) {
		pthread_create(&third, NULL, press, &mutex_g);
		await_sleep(&presser);
		presser = 0;
	}
	if (!s->apart) {
		pthread_create(&other, NULL, press, letters[s->first]);
		await_sleep(&presser);
	}
	pthread_mutex_unlock(letters[s->second]);
	if (!s->apart)
		pthread_join(other, NULL);
	if (s->pressed)
		pthread_join(third, NULL);
	if (!by_one || i + 1 == nsteps)
		pthread_join(*thread, NULL);
}

static void read_step(const char *text)
{
	struct step *s = &steps[nsteps++];
	const char *last = text + strlen(text) - 1;

	s->pressed = *text == 'G';
	s->guarded = s->pressed || *text == 'g';
	text += s->guarded;
	s->first = *text - 'A';
	s->apart = text[1] == '-';
	s->timed = *last >= 'a';
	s->second = *last - (s->timed ? 'a' : 'A');
}

static void take_orders(int n, char **words)
{
	pthread_t thread;

	for (int i = 0; i < n && nsteps < 16; i++) {
		if (strcmp(words[i], "one"))
			read_step(words[i]);
		else
			by_one = 1;
	}
	for (int i = 0; i < nsteps; i++)
		do_step(i, &thread);
	printf("{\"steps\":%d}\n", nsteps);
}

int main(int argc, char **argv)
{
	sigset_t go;
	int sig;

	work__begin(1, argv, 0);
	if (argc > 1 && !strcmp(argv[1], "deadlock"))
		deadlock(argc > 2 ? (unsigned)atoi(argv[2]) : 2);
	if (argc > 1 && !strcmp(argv[1], "chain"))
		chain(argc > 2 ? (unsigned)atoi(argv[2]) : 3);
	rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 10;
	hold_ms = argc > 2 ? (unsigned)atoi(argv[2]) : 20;
	sigemptyset(&go);
	sigaddset(&go, SIGUSR1);
	sigprocmask(SIG_BLOCK, &go, NULL);
	prepare();
	work__ready();
	sigwait(&go, &sig);
	if (argc > 2 && !strcmp(argv[1], "order")) {
		take_orders(argc - 2, argv + 2);
	} else {
		printf("{");
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
			run(&kinds[i], i + 1 == sizeof(kinds) / sizeof(kinds[0]));
		printf("}\n");
	}
	fflush(stdout);
	sigwait(&go, &sig);
	return 0;
}
