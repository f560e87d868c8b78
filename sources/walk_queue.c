// SPDX-License-Identifier: GPL-2.0-only
#include "sources/walk_queue.h"

#include <poll.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/worker.h"

#define BATCH 64 /* copies; so that the first ones come back before the last ones are walked */

struct entry {
	struct stack_copy copy;
	struct stack_space *space;
	const void *note;
	u64 *ips;
	u32 n;
	enum walk_end end;
};

/* Goes to the worker and comes back as a whole. */
struct batch {
	struct job job;
	struct walk_queue *queue;
	struct batch *next; /* of those that are not posted */
	struct arena memory;
	struct entry entries[BATCH];
	u32 n;
	size_t bytes;
};

struct walk_queue {
	const struct stack_walker *walker;
	struct worker *worker;
	size_t max_bytes, bytes;
	u32 count, posted; /* copies; batches that the worker has */
	walked_fn walked;
	void *ctx;
	struct batch *first, **last; /* not posted yet */
	atomic_bool stop;
};

struct walk_queue *walk_queue__new(const struct stack_walker *w, size_t max_bytes, walked_fn walked,
				   void *ctx)
{
	struct walk_queue *q = xcalloc(1, sizeof(*q));

	q->walker = w;
	q->max_bytes = max_bytes;
	q->walked = walked;
	q->ctx = ctx;
	q->last = &q->first;
	q->worker = worker__new("walks");
	return q;
}

/* --- batches --- */

static void batch__free(struct batch *b)
{
	struct walk_queue *q = b->queue;

	for (u32 i = 0; i < b->n; i++)
		if (b->entries[i].space)
			q->walker->put_space(q->walker, b->entries[i].space);
	q->bytes -= b->bytes;
	q->count -= b->n;
	arena__fini(&b->memory);
	free(b);
}

static void batch__run(struct job *j)
{
	struct batch *b = container_of(j, struct batch, job);
	struct walk_queue *q = b->queue;

	for (u32 i = 0; i < b->n && !atomic_load_explicit(&q->stop, memory_order_relaxed); i++) {
		struct entry *e = &b->entries[i];

		e->n = q->walker->walk(q->walker, e->space, &e->copy, e->ips, WALK_FRAMES, &e->end);
	}
}

static void batch__done(struct job *j)
{
	struct batch *b = container_of(j, struct batch, job);
	struct walk_queue *q = b->queue;

	for (u32 i = 0; i < b->n; i++)
		q->walked(q->ctx, b->entries[i].note, b->entries[i].ips, b->entries[i].n,
			  b->entries[i].end);
	q->posted--;
	batch__free(b);
}

static void batch__drop(struct job *j)
{
	batch__free(container_of(j, struct batch, job));
}

static struct batch *batch__new(struct walk_queue *q)
{
	struct batch *b = xcalloc(1, sizeof(*b));

	b->job = (struct job){.run = batch__run, .done = batch__done, .drop = batch__drop};
	b->queue = q;
	arena__init(&b->memory);
	*q->last = b;
	q->last = &b->next;
	return b;
}

/* The one that is being filled. */
static struct batch *filling(struct walk_queue *q)
{
	struct batch *b = q->first ? container_of(q->last, struct batch, next) : NULL;

	return b && b->n < BATCH ? b : batch__new(q);
}

void walk_queue__free(struct walk_queue *q)
{
	if (!q)
		return;
	atomic_store_explicit(&q->stop, true, memory_order_relaxed);
	worker__free(q->worker);
	while (q->first) {
		struct batch *b = q->first;

		q->first = b->next;
		batch__free(b);
	}
	free(q);
}

/* --- the way through --- */

bool walk_queue__put(struct walk_queue *q, const struct stack_copy *copy, const void *note,
		     u32 note_size)
{
	size_t bytes = sizeof(struct entry) + copy->nstack + note_size + WALK_FRAMES * sizeof(u64);
	struct batch *b;
	struct entry *e;

	if (q->bytes + bytes > q->max_bytes)
		return false;
	b = filling(q);
	e = &b->entries[b->n++];
	*e = (struct entry){.copy = *copy};
	e->copy.stack = arena__dup(&b->memory, copy->stack, copy->nstack);
	e->note = arena__dup(&b->memory, note, note_size);
	e->ips = arena__array(&b->memory, u64, WALK_FRAMES);
	b->bytes += bytes;
	q->bytes += bytes;
	q->count++;
	return true;
}

void walk_queue__post(struct walk_queue *q)
{
	while (q->first) {
		struct batch *b = q->first;

		q->first = b->next;
		for (u32 i = 0; i < b->n; i++)
			b->entries[i].space = q->walker->space(q->walker, b->entries[i].copy.tgid,
							       b->entries[i].copy.t_ns);
		q->posted++;
		worker__post(q->worker, &b->job);
	}
	q->last = &q->first;
}

void walk_queue__reap(struct walk_queue *q, u32 wait_ms)
{
	u64 until = clock__monotonic_ns() + wait_ms * NSEC_PER_MSEC, now;
	struct pollfd p = {worker__fd(q->worker), POLLIN, 0};

	worker__reap(q->worker);
	while (q->posted && (now = clock__monotonic_ns()) < until) {
		poll(&p, 1, (int)((until - now) / NSEC_PER_MSEC) + 1);
		worker__reap(q->worker);
	}
}

u32 walk_queue__count(const struct walk_queue *q)
{
	return q->count;
}

size_t walk_queue__bytes(const struct walk_queue *q)
{
	return q->bytes;
}
