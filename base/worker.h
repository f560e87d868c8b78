/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A worker thread with a queue of jobs. The one that posts gets the result back on its own
 * thread by worker__reap, woken by an eventfd; it never waits. One thread owns a worker:
 * every call here is made by it.
 */
#ifndef BASE_WORKER_H
#define BASE_WORKER_H

#include "base/base.h"

struct job {
	void (*run)(struct job *j);  /* on the worker */
	void (*done)(struct job *j); /* on the reaping thread; frees the job */
	void (*drop)(struct job *j); /* on the owner's thread, instead of done, when the job is
					replaced or the worker is freed first; frees the job */
	const void *slot; /* a newer job with the same non-NULL slot replaces a queued one
			     (which is dropped): latest wins. A running one is not disturbed. */
	struct job *next; /* the worker's */
};

struct worker;

/* Never NULL: ends in die() when the machine has no thread or eventfd left. The thread
 * blocks all signals but faults. */
struct worker *worker__new(const char *thread_name);
/* Waits for the running job, joins the thread, drops what was not reaped. NULL is fine. */
void worker__free(struct worker *w);
void worker__post(struct worker *w, struct job *j);
int worker__fd(const struct worker *w); /* readable when something is done */
/* Calls done() for each finished job, in the order they were posted; returns their number.
 * done() may post. */
u32 worker__reap(struct worker *w);
bool worker__idle(struct worker *w); /* nothing queued, running or unreaped */

#endif
