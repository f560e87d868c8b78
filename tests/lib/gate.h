/* SPDX-License-Identifier: GPL-2.0-only */
/* A gate holds a thread for as long as the test wants, without a clock. */
#ifndef TESTS_LIB_GATE_H
#define TESTS_LIB_GATE_H

#include <pthread.h>
#include <stdbool.h>

struct gate {
	pthread_mutex_t lock;
	pthread_cond_t change;
	bool closed, waiting; /* under lock */
};

#define GATE_INIT                                                                                  \
	{                                                                                          \
		.lock = PTHREAD_MUTEX_INITIALIZER, .change = PTHREAD_COND_INITIALIZER              \
	}

void gate__close(struct gate *g);
void gate__open(struct gate *g);
/* The thread to be held calls this; returns at once while the gate is open. */
void gate__pass(struct gate *g);
/* Returns when somebody stands before the closed gate. */
void gate__await(struct gate *g);

#endif
