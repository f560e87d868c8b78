/* SPDX-License-Identifier: GPL-2.0-only */
/* Starting a background thread: signals belong to the main thread alone. */
#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include <pthread.h>

/* Starts a thread that has every signal but faults blocked from its first instruction
 * on. 0 or -errno. */
int thread__start(pthread_t *thread, void *(*run)(void *), void *arg);
/* Names the calling thread, at most COMM_LEN - 1 bytes. */
void thread__name(const char *name);

#endif
