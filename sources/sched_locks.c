// SPDX-License-Identifier: GPL-2.0-only
#include "sources/sched_locks.h"

#include <linux/futex.h>

#include "bpf/sched.h"
#include "sources/lock_names.h"

#define NOTED 1024 /* locks of one interval; those beyond are called by name when they are waited for again */
#define NEW   256  /* of them those that are looked at for the first time: symbols are read for it */
#define TRIES 10   /* intervals in which it may turn out what a lock is */

struct noted {
	u64 lock;
	u64 object; /* as waits have it */
	bool goes_on;
};

struct sched_locks {
	struct lock_names base;
	struct noted noted[NOTED];
	u32 nnoted, nnew;
	struct hidx index; /* of noted, by lock */
	const struct sample_sink *to;
	struct sample_sink self;
};

static bool waits_for_futex(const struct wait_sample *w)
{
	return w->object && w->object != WAIT_OBJECT_MANY && w->state == TASK_STATE_SLEEP;
}

/* The programs say of the value that is waited on only whether a lock that is held has it. */
static struct lock_seen lock_of_wait(const struct wait_sample *w, u64 lock)
{
	return (struct lock_seen){.lock = lock,
				  .address = w->object,
				  .tgid = w->task.tgid,
				  .op = w->futex_op & FUTEX_CMD_MASK & ~SCHED_FUTEX_FREE,
				  .value = w->futex_op & SCHED_FUTEX_FREE ? 0 : 2};
}

static struct lock_seen *learn(struct sched_locks *l, const struct wait_sample *w, u64 lock)
{
	struct lock_seen fresh = lock_of_wait(w, lock), *seen = lock_names__find(&l->base, lock);

	if (!seen) {
		if (l->nnew++ >= NEW)
			return NULL;
		seen = lock_names__add(&l->base, &fresh);
	}
	if (seen->parks) { /* for another lock, perhaps */
		*seen = fresh;
		lock_names__learn(&l->base, seen, w->ustack ? lock_names__stack(&l->base, w->ustack) : NULL);
		seen->parks = true;
	} else if ((!seen->kind || !*seen->taken_in) && seen->tries++ < TRIES)
		lock_names__learn(&l->base, seen,
				  w->ustack ? lock_names__stack(&l->base, w->ustack) : NULL);
	return seen;
}

static struct noted *note(struct sched_locks *l, u64 lock, u64 object)
{
	u32 at;

	HIDX_FIND(at, &l->index, lock, pos, l->noted[pos].lock == lock);
	if (at != HIDX_NONE)
		return &l->noted[at];
	if (l->nnoted == NOTED)
		return NULL;
	hidx__add(&l->index, lock, l->nnoted);
	l->noted[l->nnoted] = (struct noted){.lock = lock, .object = object};
	return &l->noted[l->nnoted++];
}

/* What is there to wait is no lock: nobody has it. */
static void see_wait(struct sched_locks *l, const struct wait_sample *w)
{
	u64 lock = mix64_pair(w->task.tgid, w->object);
	const struct lock_seen *seen = waits_for_futex(w) ? learn(l, w, lock) : NULL;
	struct noted *n;

	if (!seen || seen->kind == LOCK_KIND_CONDITION || seen->kind == LOCK_KIND_SEMAPHORE)
		return;
	n = note(l, lock, w->object);
	if (n)
		n->goes_on |= w->open > 0;
}

static void see_stack(struct sched_locks *l, const struct stack_def *d)
{
	if (!d->nkernel && !d->named)
		lock_names__take_stack(&l->base, d->hash, d->tgid, d->ips, d->nuser);
}

static void put(void *ctx, const struct sample *s)
{
	struct sched_locks *l = ctx;

	if (s->type == SAMPLE_STACK_DEF)
		see_stack(l, container_of(s, struct stack_def, head));
	else if (s->type == SAMPLE_WAIT)
		see_wait(l, container_of(s, struct wait_sample, head));
	sink__put(l->to, s);
}

const struct sample_sink *sched_locks__watch(struct sched_locks *l, const struct sample_sink *sink)
{
	l->to = sink;
	l->self = (struct sample_sink){.put = put, .ctx = l};
	return &l->self;
}

static void report(struct sched_locks *l, const struct noted *n)
{
	struct lock_seen *seen = lock_names__find(&l->base, n->lock);
	struct wait_lock_sample out = {.head.type = SAMPLE_WAIT_LOCK, .object = n->object};
	const struct comm_seen *holder;

	if (!seen)
		return;
	lock_names__name(&l->base, seen);
	out.tgid = seen->tgid;
	copy_str(out.name, sizeof(out.name), seen->name);
	out.holder.tid = n->goes_on ? lock_seen__owner(seen) : 0;
	if (out.holder.tid) {
		holder = lock_names__comm(&l->base, out.holder.tid);
		out.holder.tgid = holder->tgid;
		copy_str(out.holder.comm, sizeof(out.holder.comm), holder->comm);
	}
	sink__put(l->to, &out.head);
}

void sched_locks__report(struct sched_locks *l)
{
	for (u32 i = 0; i < l->nnoted; i++)
		report(l, &l->noted[i]);
	l->nnoted = l->nnew = 0;
	hidx__clear(&l->index);
}

struct sched_locks *sched_locks__new(const struct address_names *names)
{
	struct sched_locks *l = xcalloc(1, sizeof(*l));

	lock_names__init(&l->base, names);
	return l;
}

void sched_locks__free(struct sched_locks *l)
{
	if (!l)
		return;
	lock_names__fini(&l->base);
	hidx__fini(&l->index);
	free(l);
}
