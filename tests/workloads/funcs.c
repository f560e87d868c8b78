/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * funcs: waits for SIGUSR1, calls functions of known numbers and times, says in JSON how often, and
 * waits for SIGUSR1 again. With "load": calls busy_call without end.
 *
 * Truth: spins 40 of 2 ms on the CPU; sleeps 20 of 5 ms; recurses 10 x 21 (20 deep); leaves 30, each
 * left by longjmp from inside of jumps (30); tail_first 50 ends with tail_last 50, a tail call;
 * ends_thread 8, in whose calls threads end; many_100 .. many_599 3 each.
 */
#include <pthread.h>
#include <setjmp.h>

#include "work.h"

static volatile int sink;
static jmp_buf back;

NOINLINE void spins(void)
{
	uint64_t end = cpu_ns() + 2 * MS;

	while (cpu_ns() < end)
		sink++;
}

NOINLINE static void sleeps(void)
{
	const struct timespec t = {.tv_nsec = 5 * MS};

	nanosleep(&t, NULL);
	sink++;
}

NOINLINE int recurses(int depth)
{
	int below = depth ? recurses(depth - 1) : 0;

	sink++;
	return below + 1;
}

NOINLINE void jumps(void)
{
	sink++;
	longjmp(back, 1);
}

NOINLINE void leaves(void)
{
	sink++;
	jumps();
	sink++;
}

NOINLINE int tail_last(int n)
{
	sink += n;
	return sink;
}

__attribute__((optimize("O2", "optimize-sibling-calls"))) NOINLINE int tail_first(int n)
{
	sink += n;
	return tail_last(n + 1);
}

NOINLINE void ends_thread(void)
{
	sink++;
	pthread_exit(NULL);
}

static void *thread(void *arg)
{
	ends_thread();
	return arg;
}

NOINLINE void busy_call(void)
{
	sink++;
}

#define ONE(n)                                                                                     \
	NOINLINE void many_##n(void)                                                               \
	{                                                                                          \
		sink += n + 1;                                                                     \
	}
#define TEN(n) ONE(n##0) ONE(n##1) ONE(n##2) ONE(n##3) ONE(n##4) ONE(n##5) ONE(n##6) ONE(n##7) ONE(n##8) ONE(n##9)
#define HUNDRED(n) TEN(n##0) TEN(n##1) TEN(n##2) TEN(n##3) TEN(n##4) TEN(n##5) TEN(n##6) TEN(n##7) TEN(n##8) TEN(n##9)
HUNDRED(1) HUNDRED(2) HUNDRED(3) HUNDRED(4) HUNDRED(5)

#define CALL_ONE(n) many_##n();
#define CALL_TEN(n) CALL_ONE(n##0) CALL_ONE(n##1) CALL_ONE(n##2) CALL_ONE(n##3) CALL_ONE(n##4) CALL_ONE(n##5) CALL_ONE(n##6) CALL_ONE(n##7) CALL_ONE(n##8) CALL_ONE(n##9)
#define CALL_HUNDRED(n) CALL_TEN(n##0) CALL_TEN(n##1) CALL_TEN(n##2) CALL_TEN(n##3) CALL_TEN(n##4) CALL_TEN(n##5) CALL_TEN(n##6) CALL_TEN(n##7) CALL_TEN(n##8) CALL_TEN(n##9)

#define TIMES(n) for (int i = 0; i < (n); i++)

static void call_all(void)
{
	TIMES(40) spins();
	TIMES(20) sleeps();
	TIMES(10) recurses(20);
	TIMES(30) {
		if (!setjmp(back))
			leaves();
	}
	TIMES(50) tail_first(i);
	TIMES(8) {
		pthread_t t;

		if (!pthread_create(&t, NULL, thread, NULL))
			pthread_join(t, NULL);
	}
	TIMES(3) {
		CALL_HUNDRED(1) CALL_HUNDRED(2) CALL_HUNDRED(3) CALL_HUNDRED(4) CALL_HUNDRED(5)
	}
}

int main(int argc, char **argv)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	printf("ready %d\n", getpid());
	fflush(stdout);
	sigwait(&set, &sig);
	while (argc > 1 && !strcmp(argv[1], "load"))
		busy_call();
	call_all();
	printf("{\"spins\": 40, \"sleeps\": 20, \"recurses\": 210, \"leaves\": 30, \"jumps\": 30, "
	       "\"tail_first\": 50, \"tail_last\": 50, \"ends_thread\": 8}\n");
	fflush(stdout);
	sigwait(&set, &sig);
	return 0;
}
