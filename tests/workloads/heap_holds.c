// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory of which each allocation is known: heap_holds N SIZE. On each SIGUSR1 the next step, and a
 * line that says what is held then: 1. leak_blocks() keeps N blocks, from_nothing() as many that
 * are reallocated of none, and churn() frees as many; every other way to allocate keeps N / 10 (other_ways), a thread that ends keeps N / 10
 * (in_thread). 2. Half of the N blocks are freed. 3. A child is forked, which frees some of its own
 * copies and keeps N / 10 new blocks (in_child); it ends when the next signal comes. 4. All is freed.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "work.h"

#define BLOCKS_MAX 200000

static void *blocks[BLOCKS_MAX], *others[BLOCKS_MAX], *of_thread[BLOCKS_MAX], *of_none[BLOCKS_MAX];
static volatile size_t size;

static NOINLINE void leak_blocks(int n)
{
	for (int i = 0; i < n; i++)
		blocks[i] = malloc(size);
}

/* In glibc this is a jump from realloc to malloc. */
static NOINLINE void from_nothing(int n)
{
	void *volatile none = NULL; /* or the compiler makes it a malloc */

	for (int i = 0; i < n; i++)
		of_none[i] = realloc(none, size);
}

static NOINLINE void churn(int n)
{
	for (int i = 0; i < n; i++) {
		void *volatile p = malloc(size);

		free(p);
	}
}

static NOINLINE void other_ways(int n)
{
	for (int i = 0; i < n; i++)
		switch (i % 5) {
		case 0: others[i] = calloc(2, size / 2); break;
		case 1: others[i] = realloc(malloc(10), size); break;
		case 2: others[i] = aligned_alloc(64, size); break;
		case 3: others[i] = memalign(64, size); break;
		default:
			if (posix_memalign(&others[i], 64, size))
				exit(1);
		}
}

static NOINLINE void *in_thread(void *n)
{
	for (int i = 0; i < *(int *)n; i++)
		of_thread[i] = malloc(size);
	return NULL;
}

static NOINLINE void in_child(int n)
{
	for (int i = 0; i < n; i++) {
		free(others[i]);
		others[i] = malloc(size);
	}
}

static void free_all(void **v, int n)
{
	for (int i = 0; i < n; i++) {
		free(v[i]);
		v[i] = NULL;
	}
}

static void say(int n)
{
	printf("{\"held\": %d, \"bytes\": %ld}\n", n, (long)n * (long)size);
	fflush(stdout);
}

static void wait_for_signal(void)
{
	sigset_t set;
	int sig;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigwait(&set, &sig);
}

static pid_t fork_child(int n)
{
	pid_t child = fork();

	if (child)
		return child;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	wait_for_signal();
	in_child(n);
	wait_for_signal();
	_exit(0);
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 1000, tenth = n / 10;
	static char out[BUFSIZ];
	pthread_t thread;
	sigset_t set;
	pid_t child;

	size = argc > 2 ? (size_t)atoi(argv[2]) : 128;
	if (n > BLOCKS_MAX)
		return 2;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setvbuf(stdout, out, _IOFBF, sizeof(out));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	work__ready();
	wait_for_signal();
	leak_blocks(n);
	from_nothing(n);
	churn(n);
	other_ways(tenth);
	pthread_create(&thread, NULL, in_thread, &tenth);
	pthread_join(thread, NULL);
	say(2 * n + 2 * tenth);
	wait_for_signal();
	free_all(blocks, n / 2);
	say(2 * n - n / 2 + 2 * tenth);
	wait_for_signal();
	child = fork_child(tenth);
	printf("{\"child\": %d}\n", child);
	fflush(stdout);
	wait_for_signal();
	kill(child, SIGUSR1);
	say(tenth);
	wait_for_signal();
	kill(child, SIGUSR1);
	waitpid(child, NULL, 0);
	free_all(blocks, n);
	free_all(others, tenth);
	free_all(of_none, n);
	free_all(of_thread, tenth);
	say(0);
	wait_for_signal();
	return 0;
}
