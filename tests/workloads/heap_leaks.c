// SPDX-License-Identifier: GPL-2.0-only
/*
 * What leaks and what does not, each in a function of its own: heap_leaks LIBRARY. Each 20 ms, from
 * the first SIGUSR1 on, objects of SIZE bytes are allocated:
 *	leak_one_in_a_thousand()	a thousand, of which one is lost and the others are freed at once
 *	leak_in_thread()		one, by a thread that ends then; it is lost
 *	leak_in_library()		one, by a library that is opened, and closed then; it is lost
 *	free_late()			a thousand, of which one is kept for LATE steps
 *	cycle()				one that is kept, until CYCLE_NS are over: then all of them are freed
 * On the next SIGUSR1 it says how many objects each has lost, or keeps, and waits for another to end.
 */
#include <dlfcn.h>
#include <pthread.h>

#include "work.h"

#define SIZE	   4000
#define THOUSAND   1000
#define LATE	   150
#define CYCLE_NS   (10 * SECOND)
#define CYCLED_MAX 1000

static void *late[LATE], *cycled[CYCLED_MAX];
static int ncycled;
static volatile sig_atomic_t asked;

static void ask(int sig)
{
	asked = sig;
}

static void lose(void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}

static NOINLINE void leak_one_in_a_thousand(void)
{
	for (int i = 0; i < THOUSAND; i++) {
		void *volatile p = malloc(SIZE);

		if (i)
			free(p);
	}
}

static NOINLINE void *leak_in_thread(void *arg)
{
	lose(malloc(SIZE));
	return arg;
}

static void thread_ends(void)
{
	pthread_t t;

	if (pthread_create(&t, NULL, leak_in_thread, NULL) || pthread_join(t, NULL))
		exit(1);
}

static void library_is_closed(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	void (*leak)(int, size_t) = library ? (void (*)(int, size_t))dlsym(library, "leak_in_library") : NULL;

	if (!leak)
		exit(1);
	leak(1, SIZE);
	dlclose(library);
}

static NOINLINE void free_late(int step)
{
	for (int i = 0; i < THOUSAND; i++) {
		void *volatile p = malloc(SIZE);

		if (!i) {
			free(late[step % LATE]);
			late[step % LATE] = p;
		} else {
			free(p);
		}
	}
}

static NOINLINE void cycle(void)
{
	static uint64_t began;

	if (wall_ns() - began > CYCLE_NS || ncycled == CYCLED_MAX) {
		began = wall_ns();
		while (ncycled)
			free(cycled[--ncycled]);
	}
	cycled[ncycled++] = malloc(SIZE);
}

static void say(int steps)
{
	printf("{\"leak_one_in_a_thousand\": %d, \"leak_in_thread\": %d, \"leak_in_library\": %d, "
	       "\"free_late\": %d, \"cycle\": %d}\n",
	       steps, steps, steps, steps < LATE ? steps : LATE, ncycled);
	fflush(stdout);
}

static void wait_until_asked(void)
{
	while (!asked)
		sleep_ns(10 * MS);
	asked = 0;
}

int main(int argc, char **argv)
{
	static char out[BUFSIZ];
	int steps = 0;

	if (argc < 2)
		return 2;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setvbuf(stdout, out, _IOFBF, sizeof(out));
	signal(SIGUSR1, ask);
	work__ready();
	wait_until_asked();
	for (; !asked; steps++, sleep_ns(20 * MS)) {
		leak_one_in_a_thousand();
		thread_ends();
		library_is_closed(argv[1]);
		free_late(steps);
		cycle();
	}
	asked = 0;
	say(steps);
	wait_until_asked();
	return 0;
}
