/* SPDX-License-Identifier: GPL-2.0-only */
#include "tui/views/profile_job.h"

#include "core/arena.h"

/* Ties jobs to a screen that may be gone when they come back. */
struct ticket {
	void *owner; /* NULL: gone */
	void (*ready)(void *owner, struct profile_answer *answer);
	u32 jobs;	 /* under way */
	bool unresolved; /* the last answer had leaf functions without a name yet */
};

struct profile_job {
	struct job job;
	struct ticket *ticket;
	const struct profile_snap *snap;
	const struct scope *scope;
	struct profile_query query;
	bool offsets;
	struct profile_answer *answer;
};

void profile_answer__free(struct profile_answer *a)
{
	if (!a)
		return;
	profile_rows__free(a->rows);
	free(a->offsets);
	free(a);
}

static void ticket__put(struct ticket *t)
{
	if (!t->owner && !t->jobs)
		free(t);
}

static void profile_job__run(struct job *job)
{
	struct profile_job *j = (struct profile_job *)job;
	struct profile_answer *a = xcalloc(1, sizeof(*a));

	a->rows = profile__query(j->snap, &j->query, j->scope);
	if (j->offsets) {
		a->func = j->query.focus;
		a->noffsets = profile__offsets(j->snap, &j->query, j->scope, a->func, &a->offsets);
	}
	j->answer = a;
}

static void profile_job__free(struct profile_job *j)
{
	profile_answer__free(j->answer);
	snap__put(j->snap);
	scope__put(j->scope);
	j->ticket->jobs--;
	ticket__put(j->ticket);
	free(j);
}

static void profile_job__done(struct job *job)
{
	struct profile_job *j = (struct profile_job *)job;
	struct profile_answer *answer = j->answer;

	if (j->ticket->owner) {
		j->ticket->unresolved = answer->rows->pending_pct > 0;
		j->answer = NULL;
		j->ticket->ready(j->ticket->owner, answer);
	}
	profile_job__free(j);
}

static void profile_job__drop(struct job *job)
{
	profile_job__free((struct profile_job *)job);
}

void profile_asker__init(struct profile_asker *a, struct host *h, void *owner,
			 void (*ready)(void *owner, struct profile_answer *answer))
{
	*a = (struct profile_asker){.host = h, .ticket = xcalloc(1, sizeof(struct ticket))};
	a->ticket->owner = owner;
	a->ticket->ready = ready;
}

void profile_asker__fini(struct profile_asker *a)
{
	a->ticket->owner = NULL;
	ticket__put(a->ticket);
	a->ticket = NULL;
	scope__put(a->extra_scope);
	scope__put(a->asked_scope);
}

bool profile_asker__busy(const struct profile_asker *a)
{
	return a->ticket->jobs > 0;
}

const struct scope *profile_asker__scope(const struct profile_asker *a)
{
	return scope__get(a->extra_scope ? a->extra_scope : host__scope(a->host));
}

/* True when nothing that the answer depends on has changed; else remembers it. */
static bool profile_asker__asked(struct profile_asker *a, const struct profile_query *q,
				 const struct frame *f, const struct scope *scope)
{
	u64 generation = symbols__generation(host__symbols(a->host));

	/* New names matter to an answer that lacks some; others wait for the next frame, unless
	 * none comes. */
	if (!a->ticket->unresolved && !a->ticket->jobs && !host__paused(a->host))
		a->asked_generation = generation;
	if (a->asked_seq == f->seq && a->asked_generation == generation &&
	    a->asked_scope == scope && !memcmp(&a->asked, q, sizeof(*q)))
		return true;
	scope__put(a->asked_scope);
	a->asked_seq = f->seq;
	a->asked_generation = generation;
	a->asked_scope = scope__get(scope);
	a->asked = *q;
	return false;
}

void profile_asker__ask(struct profile_asker *a, const struct profile_query *q)
{
	const struct frame *f = host__frame(a->host);
	const struct profile_snap *snap = f ? (const void *)f->snaps[MODEL_PROFILE] : NULL;
	const struct scope *scope = a->extra_scope ? a->extra_scope : host__scope(a->host);
	struct profile_job *j;

	if (!snap || profile_asker__asked(a, q, f, scope))
		return;
	j = xcalloc(1, sizeof(*j));
	*j = (struct profile_job){
		.job = {.run = profile_job__run,
			.done = profile_job__done,
			.drop = profile_job__drop,
			.slot = a->ticket},
		.ticket = a->ticket,
		.snap = snap__get(snap),
		.scope = scope__get(scope),
		.query = *q,
		.offsets = a->offsets,
	};
	a->ticket->jobs++;
	host__post(a->host, &j->job);
}
