// SPDX-License-Identifier: GPL-2.0-only
#include "tui/views/query_client.h"

#include "base/arena.h"
#include "base/clock.h"
#include "symbols/symbols.h"

/* Ties jobs to a screen that may be gone when they come back. */
struct ticket {
	void *owner; /* NULL: gone */
	void (*ready)(void *owner, struct query_result *result);
	u32 jobs;	 /* under way */
	bool unresolved; /* the last answer lacked names */
};

struct question {
	struct job job;
	struct query_client_ops ops; /* a copy: the screen's own may be gone when it runs */
	struct ticket *ticket;
	struct host *host;
	u64 cpu_ns; /* that it took */
	struct query_result *(*compare)(const struct query_client_ops *ops, const struct frame *now,
					const struct frame *baseline, const void *query,
					const struct scope *scope);
	const struct frame *frame, *baseline; /* baseline: NULL none */
	const struct scope *scope;
	void *query;
	struct query_result *result;
};

static void ticket__put(struct ticket *t)
{
	if (!t->owner && !t->jobs)
		free(t);
}

static void question__run(struct job *job)
{
	struct question *q = (struct question *)job;
	u64 begin = clock__thread_cpu_ns();

	q->result = q->baseline ? q->compare(&q->ops, q->frame, q->baseline, q->query, q->scope)
				: q->ops.run(q->frame, q->query, q->scope);
	q->cpu_ns = clock__thread_cpu_ns() - begin;
}

static void question__drop(struct job *job)
{
	struct question *q = (struct question *)job;

	query_result__free(q->result);
	snap__put(q->frame);
	snap__put(q->baseline);
	scope__put(q->scope);
	q->ticket->jobs--;
	ticket__put(q->ticket);
	free(q->query);
	free(q);
}

static void question__done(struct job *job)
{
	struct question *q = (struct question *)job;
	struct query_result *result = q->result;

	if (q->ticket->owner) {
		host__answered(q->host, q->cpu_ns);
		q->ticket->unresolved = result->unresolved;
		q->result = NULL;
		q->ticket->ready(q->ticket->owner, result);
	}
	question__drop(job);
}

void query_client__init(struct query_client *a, struct host *h, const struct query_client_ops *ops,
			void *owner, void (*ready)(void *owner, struct query_result *result))
{
	*a = (struct query_client){.ops = ops,
				   .host = h,
				   .ticket = xcalloc(1, sizeof(struct ticket)),
				   .asked = xcalloc(1, ops->size)};
	a->ticket->owner = owner;
	a->ticket->ready = ready;
}

void query_client__fini(struct query_client *a)
{
	a->ticket->owner = NULL;
	ticket__put(a->ticket);
	a->ticket = NULL;
	scope__put(a->extra_scope);
	scope__put(a->asked_scope);
	snap__put(a->asked_baseline);
	free(a->asked);
}

bool query_client__busy(const struct query_client *a)
{
	return a->ticket->jobs > 0;
}

static const struct scope *scope_of(const struct query_client *a)
{
	return a->extra_scope ? a->extra_scope : host__scope(a->host);
}

const struct scope *query_client__scope(const struct query_client *a)
{
	return scope__get(scope_of(a));
}

static bool is_last_frame(const struct query_client *a, const struct frame *f)
{
	return host__paused(a->host) ||
	       (f->recording.kind == RECORDING_REPLAY && f->recording.stopped);
}

static bool same_question(const struct query_client *a, const void *query,
			  const struct frame *baseline, const struct scope *scope)
{
	return a->asked_scope == scope && a->asked_baseline == baseline &&
	       !memcmp(a->asked, query, a->ops->size);
}

/* True when nothing that the answer depends on has changed, or not enough: the next frame asks
 * again, and where none comes nothing is put off. Else remembers it. */
static bool asked_before(struct query_client *a, const void *query, const struct frame *f,
			 const struct frame *baseline, const struct scope *scope)
{
	u64 generation = symbols__generation(host__symbols(a->host));
	bool same = same_question(a, query, baseline, scope);

	/* New names matter to an answer that lacks some; others wait for the next frame, unless
	 * none comes. */
	if (!a->ticket->unresolved && !a->ticket->jobs && !is_last_frame(a, f))
		a->asked_generation = generation;
	if (same && a->asked_seq == f->seq && a->asked_generation == generation)
		return true;
	if (same && host__too_soon(a->host) && !is_last_frame(a, f))
		return true;
	scope__put(a->asked_scope);
	snap__put(a->asked_baseline);
	a->asked_baseline = snap__get(baseline);
	a->asked_seq = f->seq;
	a->asked_generation = generation;
	a->asked_scope = scope__get(scope);
	memcpy(a->asked, query, a->ops->size);
	return false;
}

/* The baseline, where it has something to compare with. */
static const struct frame *then_of(const struct query_client *a)
{
	const struct baseline *b = host__baseline(a->host);

	return a->compare && b && b->frame->snaps[a->ops->model] ? b->frame : NULL;
}

static void *duplicate(const void *query, size_t size)
{
	void *copy = xmalloc(size);

	memcpy(copy, query, size);
	return copy;
}

void query_client__ask(struct query_client *a, const void *query)
{
	const struct frame *f = host__frame(a->host);
	const struct frame *baseline = then_of(a);
	const struct scope *scope = scope_of(a);
	struct question *q;

	if (!f || !f->snaps[a->ops->model] || asked_before(a, query, f, baseline, scope))
		return;
	q = xcalloc(1, sizeof(*q));
	*q = (struct question){
		.job = {.run = question__run,
			.done = question__done,
			.drop = question__drop,
			.slot = a->ticket},
		.ops = *a->ops,
		.ticket = a->ticket,
		.host = a->host,
		.compare = a->compare,
		.frame = snap__get(f),
		.baseline = snap__get(baseline),
		.scope = scope__get(scope),
		.query = duplicate(query, a->ops->size),
	};
	a->ticket->jobs++;
	host__post(a->host, &q->job);
}
