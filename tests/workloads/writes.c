// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes to a variable, each one known: writes N [now]. On SIGUSR1, or now, add_one() writes N times to `counter`,
 * set_it() N / 2 times, in another thread that began just now N / 4 times (in_thread), and read_it()
 * reads it N / 10 times; members and elements of others are written N / 5 times, `steps` N times, each value from 1
 * on ten times, `below` with 0 down to -8; `other`, beside it, is written to all the time. Then it says so; on the next
 * it ends, or at once.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "work.h"

volatile uint64_t counter = 41, other;
static volatile uint64_t seen;

static NOINLINE void add_one(int n)
{
	for (int i = 0; i < n; i++) {
		counter++;
		other++;
	}
}

static NOINLINE void set_it(int n)
{
	for (int i = 0; i < n; i++)
		counter = (uint64_t)i + 1000000;
}

static NOINLINE void *in_thread(void *n)
{
	for (int i = 0; i < *(int *)n / 4; i++)
		counter = 7;
	return NULL;
}

struct inner {
	int a, b;
};
static struct node {
	struct node *next;
	struct inner inner[4];
} second, first = {.next = &second};
volatile int table[8], steps, below;

static NOINLINE void set_member(int n)
{
	for (int i = 0; i < n; i++)
		*(volatile int *)&first.next->inner[2].b = i;
}

static NOINLINE void set_inner(int n)
{
	for (int i = 0; i < n; i++)
		*(volatile int *)&first.inner[1].a = i;
}

static NOINLINE void set_element(int n)
{
	for (int i = 0; i < n; i++)
		table[3] = i;
}

/* Each value from 1 on ten times. */
static NOINLINE void set_steps(int n)
{
	for (int i = 0; i < n; i++)
		steps = i / 10 + 1;
}

static NOINLINE void set_below(void)
{
	for (int i = 0; i < 9; i++)
		below = -i;
}

static NOINLINE void read_it(int n)
{
	for (int i = 0; i < n; i++)
		seen = counter;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 100, sig;
	pthread_t thread;
	sigset_t set;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	work__ready();
	if (argc < 3)
		sigwait(&set, &sig);
	add_one(n);
	set_it(n / 2);
	pthread_create(&thread, NULL, in_thread, &n);
	pthread_join(thread, NULL);
	read_it(n / 10);
	set_member(n / 5);
	set_inner(n / 5);
	set_element(n / 5);
	set_steps(n);
	set_below();
	printf("{\"counter\": %d, \"address\": \"%p\"}\n", (int)counter, (void *)&counter);
	fflush(stdout);
	if (argc < 3)
		sigwait(&set, &sig);
	return 0;
}
