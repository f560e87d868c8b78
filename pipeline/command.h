/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands from the UI to the collector: values, in order. Posting takes a lock that is held
 * for a few instructions only, never while something is collected. Any thread posts, the
 * collector takes.
 */
#ifndef PIPELINE_COMMAND_H
#define PIPELINE_COMMAND_H

#include <pthread.h>
#include <semaphore.h>

#include "samples/snap.h"
#include "scope/scope.h"
#include "sources/source.h"

enum command_type {
	COMMAND_SCOPE,
	COMMAND_SAMPLING,
	COMMAND_INTERVAL,
	COMMAND_PREPARE,
	COMMAND_WANT,
	COMMAND_ZERO,
	COMMAND_TICK,
	COMMAND_END,
	COMMAND_RECORD,
	COMMAND_PLAY,
	COMMAND_SEEK,
	COMMAND_CALL,
};

struct record_sink;

/* Whoever posts it waits for done, which comes when it ran or the command was freed. */
struct call {
	void (*fn)(void *ctx);
	void *ctx;
	bool ran;
	sem_t done;
};

struct command {
	struct command *next;
	enum command_type type;
	union {
		struct scope *scope; /* a reference; NULL: everything */
		struct sampling how;
		u64 interval_ns;
		const struct ask *ask; /* a reference; NULL: none */
		struct {
			enum model_id model;
			bool on;
		} want;
		struct record_sink *sink; /* taken over; NULL: nothing is recorded any more */
		struct {
			bool paused;
			double speed; /* 1 as it was */
		} play;
		struct {
			u64 from_ns, to_ns;
		} seek;
		struct call *call;
	};
};

struct command_queue {
	pthread_mutex_t lock;
	struct command *head, *last; /* under lock */
	int fd;			     /* readable when there may be something to take */
};

int command_queue__init(struct command_queue *q); /* 0 or -errno */
void command_queue__fini(struct command_queue *q);
/* Copies the command; the scope's reference goes with it. Of several settings of one kind in a
 * row the last one stands. */
void command_queue__post(struct command_queue *q, const struct command *cmd);
/* Wakes whoever listens to fd, without a command. */
void command_queue__wake(struct command_queue *q);
/* True if the queue is empty. */
bool command_queue__empty(struct command_queue *q);
/* All that wait, oldest first; each to be freed by command__free. */
struct command *command_queue__take(struct command_queue *q);
void command__free(struct command *cmd);

#endif
