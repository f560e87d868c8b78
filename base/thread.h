/* SPDX-License-Identifier: GPL-2.0-only */
/* Background threads: signals belong to the main thread alone. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

/* Starts a thread that has every signal but faults blocked from its first instruction
 * on. 0 or -errno. */
int thread__start(pthread_t *thread, void *(*run)(void *), void *arg);
/* Names the calling thread, at most COMM_LEN - 1 bytes. */
void thread__name(const char *name);

/* The calling thread goes before all others but real-time ones, as far as it may, until it is calm again: for a
 * few milliseconds in which it must not be kept from its CPU. */
struct thread_haste {
	int nice; /* as it was */
};

struct thread_haste thread__hasten(void);
void thread__calm(struct thread_haste h);

#endif
