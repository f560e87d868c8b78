// SPDX-License-Identifier: GPL-2.0-only
/* Who has what is waited for, and who waits for each other (SAMPLE_MEASURE_HOLDER). */
#include "models/measure_model.h"
#include "models/task_text.h"

static u64 hash_of(u64 lock, u32 tid)
{
	return mix64_pair(lock, tid);
}

static struct live_holder *holder_of(struct live_holders *h, const struct measure_holder_sample *s,
				     const struct measure_text *lock)
{
	u64 hash = hash_of(lock->value, s->tid);
	struct live_holder *l;
	u32 at;

	HIDX_FIND(at, &h->index, hash, pos,
		  h->v[pos].lock.value == lock->value && h->v[pos].tid == s->tid);
	if (at != HIDX_NONE)
		return &h->v[at];
	if (h->n == HOLDERS_MAX)
		return NULL;
	hidx__add(&h->index, hash, h->n);
	h->v = xgrow(h->v, h->n, &h->cap, sizeof(*h->v));
	l = &h->v[h->n++];
	*l = (struct live_holder){.tid = s->tid, .stack = NO_STACK};
	return l;
}

static void add_waiting(struct live_holders *h, const struct measure_holder_sample *s,
			const struct measure_text *lock, u32 open)
{
	struct measure_waiting *w;

	if (h->nwaiting == WAITING_MAX)
		return;
	h->waiting = xgrow(h->waiting, h->nwaiting, &h->waiting_cap, sizeof(*h->waiting));
	w = &h->waiting[h->nwaiting++];
	*w = (struct measure_waiting){.lock = *lock,
				      .waiter = s->waiter,
				      .begin_ns = s->begin_ns,
				      .tgid = s->tgid,
				      .tid = s->tid,
				      .open = open};
	copy_str(w->comm, sizeof(w->comm), s->comm);
}

void live_holders__add(struct live_holders *h, const struct measure_holder_sample *s,
		       const struct measure_text *lock, u32 stack, u32 open)
{
	struct live_holder *l = holder_of(h, s, lock);

	if (s->waiter.tid)
		add_waiting(h, s, lock, open);
	if (!l)
		return;
	l->lock = *lock;
	l->tgid = s->tgid;
	copy_str(l->comm, sizeof(l->comm), s->comm);
	if (stack != NO_STACK)
		l->stack = stack;
	if (s->waiter.tid)
		l->open++;
	else
		l->now += s->ns;
}

/* --- intervals --- */

static void reindex(struct live_holders *h)
{
	hidx__clear(&h->index);
	for (u32 i = 0; i < h->n; i++)
		hidx__add(&h->index, hash_of(h->v[i].lock.value, h->v[i].tid), i);
}

/* Those that nobody has waited for lately go while they are many. */
static void trim(struct live_holders *h)
{
	u32 n = 0;

	if (h->n < HOLDERS_MAX / 2)
		return;
	for (u32 i = 0; i < h->n; i++)
		if (h->v[i].decay > 1000)
			h->v[n++] = h->v[i];
	h->n = n == HOLDERS_MAX ? 0 : n;
	reindex(h);
}

static void advance(struct live_holder *l, double keep, u64 dt_ns, const struct stacks *stacks,
		    struct measure_holder *out)
{
	u64 now = l->now + (u64)l->open * dt_ns;

	l->decay = l->decay * keep + (double)now;
	l->total += now;
	*out = (struct measure_holder){
		.lock = l->lock,
		.tgid = l->tgid,
		.tid = l->tid,
		.stack = stacks__at(stacks, l->stack),
		.ns = {[WINDOW_LAST] = now, [WINDOW_DECAY] = (u64)l->decay, [WINDOW_TOTAL] = l->total},
	};
	copy_str(out->comm, sizeof(out->comm), l->comm);
	l->now = l->open = 0;
}

static void snap_waiting(struct live_holders *h, struct measure_snap *snap, struct arena *arena)
{
	struct measure_waiting *out = arena__dup(arena, h->waiting, h->nwaiting * sizeof(*h->waiting));

	for (u32 i = 0; i < h->nwaiting; i++) {
		out[i].stack = out[i].open < snap->nopen ? snap->open[out[i].open].stack : NULL;
		out[i].symbols = snap->symbols;
	}
	snap->waiting = out;
	snap->nwaiting = h->nwaiting;
	h->nwaiting = 0;
}

void live_holders__snap(struct live_holders *h, const struct window_pace *p, const struct stacks *stacks,
			struct measure_snap *snap, struct arena *arena)
{
	struct measure_holder *out = arena__array(arena, struct measure_holder, h->n);

	for (u32 i = 0; i < h->n; i++)
		advance(&h->v[i], p->keep, snap->window_ns[WINDOW_LAST], stacks, &out[i]);
	snap->holders = out;
	snap->nholders = h->n;
	snap_waiting(h, snap, arena);
	trim(h);
}

void live_holders__move(struct live_holders *h, struct stacks *to, const struct stacks *from)
{
	for (u32 i = 0; i < h->n; i++)
		h->v[i].stack = stacks__move(to, from, h->v[i].stack);
}

void live_holders__retext(struct live_holders *h, struct texts *t)
{
	for (u32 i = 0; i < h->n; i++)
		measure_texts__intern(&h->v[i].lock, 1, t);
	for (u32 i = 0; i < h->nwaiting; i++)
		measure_texts__intern(&h->waiting[i].lock, 1, t);
}

void live_holders__clear(struct live_holders *h)
{
	h->n = h->nwaiting = 0;
	hidx__clear(&h->index);
}

void live_holders__fini(struct live_holders *h)
{
	free(h->v);
	free(h->waiting);
	hidx__fini(&h->index);
}

/* --- queries --- */

const struct measure_holder *measure__holder(const struct measure_snap *s,
					     const struct measure_text *lock, enum time_window w)
{
	const struct measure_holder *top = NULL;

	for (u32 i = 0; i < s->nholders; i++) {
		const struct measure_holder *h = &s->holders[i];

		if (h->lock.value == lock->value && !strcmp(h->lock.text, lock->text) && h->ns[w] &&
		    (!top || h->ns[w] > top->ns[w]))
			top = h;
	}
	return top;
}

const struct measure_holder *measure__holder_of(const struct measure_snap *s, u32 tid,
						enum time_window w)
{
	const struct measure_holder *top = NULL;

	for (u32 i = 0; i < s->nholders; i++)
		if (s->holders[i].tid == tid && s->holders[i].ns[w] &&
		    (!top || s->holders[i].ns[w] > top->ns[w]))
			top = &s->holders[i];
	return top;
}

static bool is_stuck(const struct measure_snap *s, const struct measure_waiting *w,
		     const struct scope *scope, u64 ns)
{
	const struct measure_who *who = &w->waiter;

	return s->base.t1_ns >= w->begin_ns + ns &&
	       task__passes(scope, who->tgid, who->tid, who->cgroup, who->comm);
}

/* The one that a thread has been in for so long. */
static const struct measure_waiting *wait_of(const struct measure_snap *s, u32 tid,
					     const struct scope *scope, u64 ns)
{
	for (u32 i = 0; i < s->nwaiting; i++)
		if (s->waiting[i].waiter.tid == tid && is_stuck(s, &s->waiting[i], scope, ns))
			return &s->waiting[i];
	return NULL;
}

static bool is_among(const struct measure_waiting *const *v, u32 n, const struct measure_waiting *w)
{
	for (u32 i = 0; i < n; i++)
		if (v[i] == w)
			return true;
	return false;
}

/* The ring that a wait is in, from it on; 0: it is in none. */
static u32 ring_of(const struct measure_snap *s, const struct measure_waiting *first,
		   const struct scope *scope, const struct measure_waiting **out, u32 max)
{
	const struct measure_waiting *w = first;
	u32 n = 0;

	while (w && n < max) {
		out[n++] = w;
		if (w->tid == first->waiter.tid)
			return n;
		w = wait_of(s, w->tid, scope, DEADLOCK_NS);
		if (w && is_among(out, n, w))
			return 0; /* a ring that it only leads to */
	}
	return 0;
}

u32 measure__deadlock(const struct measure_snap *s, const struct scope *scope,
		      const struct measure_waiting **out, u32 max)
{
	u32 n = 0;

	for (u32 i = 0; i < s->nwaiting; i++) {
		const struct measure_waiting *w = &s->waiting[i];

		if (is_stuck(s, w, scope, DEADLOCK_NS) && !is_among(out, n, w))
			n += ring_of(s, w, scope, out + n, max - n);
	}
	return n;
}

/* From a wait on; 0: it leads into a ring. */
static u32 chain_of(const struct measure_snap *s, const struct measure_waiting *w,
		    const struct scope *scope, const struct measure_waiting **out, u32 max)
{
	u32 n = 0;

	while (w && n < max) {
		if (is_among(out, n, w))
			return 0;
		out[n++] = w;
		w = wait_of(s, w->tid, scope, CHAIN_NS);
	}
	return n;
}

u32 measure__chain(const struct measure_snap *s, const struct scope *scope,
		   const struct measure_waiting **out, u32 max)
{
	const struct measure_waiting *first = NULL;
	u32 most = 1;

	for (u32 i = 0; i < s->nwaiting; i++) {
		u32 n = is_stuck(s, &s->waiting[i], scope, CHAIN_NS)
				? chain_of(s, &s->waiting[i], scope, out, max)
				: 0;

		if (n > most) {
			most = n;
			first = &s->waiting[i];
		}
	}
	return first ? chain_of(s, first, scope, out, max) : 0;
}
