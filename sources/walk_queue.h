/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Copies of user stacks on their way through a worker that walks them, so that whoever reads the
 * rings never does. Bounded in bytes: what does not fit is refused. The collector thread makes all
 * calls; the worker is the queue's own.
 */
#ifndef SOURCES_WALK_QUEUE_H
#define SOURCES_WALK_QUEUE_H

#include "samples/walk.h"

#define WALK_FRAMES 127 /* at most, of a copy */

struct walk_queue;

/* What became of a copy, during walk_queue__reap: the note that was put with it, 16-byte aligned,
 * and its frames, leaf first. */
typedef void (*walked_fn)(void *ctx, const void *note, const u64 *ips, u32 n, enum walk_end end);

/* max_bytes: of all copies that are not reaped yet, with their notes and frames. */
struct walk_queue *walk_queue__new(const struct stack_walker *w, size_t max_bytes, walked_fn walked,
				   void *ctx);
/* Drops what is in it; waits for the copy that is just walked. NULL is fine. */
void walk_queue__free(struct walk_queue *q);
/* Takes a copy of it and of the note; false: there is no room. */
bool walk_queue__put(struct walk_queue *q, const struct stack_copy *copy, const void *note,
		     u32 note_size);
/* Hands what was put over to the worker: what was mapped then is known by now. */
void walk_queue__post(struct walk_queue *q);
/* Hands out what is walked, in the order in which it was put, and waits up to wait_ms for the rest
 * of what was posted. */
void walk_queue__reap(struct walk_queue *q, u32 wait_ms);
/* Copies that are not reaped yet. */
u32 walk_queue__count(const struct walk_queue *q);
/* Tests. */
size_t walk_queue__bytes(const struct walk_queue *q);

#endif
