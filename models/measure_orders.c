// SPDX-License-Identifier: GPL-2.0-only
/* Which lock threads had when they waited for another one, or took it, and orders that contradict each other
 * (SAMPLE_MEASURE_ORDER). */
#include <stdlib.h>

#include "models/measure_model.h"
#include "models/task_text.h"

#define ORDER_KEPT_NS (600 * NSEC_PER_SEC)

/* Those to read are orders of their own: what they are in the way of is not the same. */
static u64 order_hash(const struct measure_text *locks, bool first_read, bool second_read)
{
	return mix64_pair(mix64_pair(locks[0].value, locks[1].value), first_read + 2u * second_read);
}

static bool is_order(const struct live_order *l, const struct measure_text *locks, const struct measure_order_sample *s)
{
	return l->locks[0].value == locks[0].value && l->locks[1].value == locks[1].value &&
	       l->first_read == s->first_read && l->second_read == s->second_read;
}

static struct live_order *order_of(struct live_orders *o, const struct measure_text *locks,
				   const struct measure_order_sample *s)
{
	u64 hash = order_hash(locks, s->first_read, s->second_read);
	u32 at;

	HIDX_FIND(at, &o->index, hash, pos, is_order(&o->v[pos], locks, s));
	if (at != HIDX_NONE)
		return &o->v[at];
	if (o->n == ORDERS_MAX)
		return NULL;
	hidx__add(&o->index, hash, o->n);
	o->v = xgrow(o->v, o->n, &o->cap, sizeof(*o->v));
	o->v[o->n] = (struct live_order){.first_read = s->first_read, .second_read = s->second_read};
	return &o->v[o->n++];
}

static bool has_guard(const struct measure_order_sample *s, u64 lock)
{
	for (u32 i = 0; i < s->nguards; i++)
		if (s->guards[i] == lock)
			return true;
	return false;
}

static void add_guard(struct live_order *l, u64 lock, const struct measure_order_sample *s)
{
	for (u32 i = 0; i < MEASURE_GUARDS; i++) {
		struct measure_guard *g = &l->guards[i];

		if (g->lock == lock)
			return;
		if (g->lock)
			continue;
		*g = (struct measure_guard){lock, s->t_ns, l->t_ns && s->exact ? UINT64_MAX : l->t_ns};
		return;
	}
}

/* Of an order that is seen again: t_ns is when it was before. */
static void note_guards(struct live_order *l, const struct measure_order_sample *s)
{
	for (u32 i = 0; i < MEASURE_GUARDS; i++)
		if (l->guards[i].lock && !has_guard(s, l->guards[i].lock))
			l->guards[i].without_ns = s->exact ? UINT64_MAX : s->t_ns;
	for (u32 i = 0; i < s->nguards; i++)
		add_guard(l, s->guards[i], s);
}

void live_orders__add(struct live_orders *o, const struct measure_order_sample *s,
		      const struct measure_text *locks, u32 stack, u32 first_stack)
{
	struct live_order *l = order_of(o, locks, s);

	if (!l)
		return;
	l->by_several |= s->by_several || (l->who.tid && l->who.tid != s->who.tid);
	l->locks[0] = locks[0];
	l->locks[1] = locks[1];
	l->who = s->who;
	note_guards(l, s);
	l->t_ns = s->t_ns;
	copy_str(l->where, sizeof(l->where), s->where);
	if (stack != NO_STACK || !l->has_stack)
		l->stack = stack;
	if (first_stack != NO_STACK || !l->has_stack)
		l->first_stack = first_stack;
	l->has_stack = true;
	l->count += s->count;
}

/* Those that were not seen for long go; when there is no room all do. */
static void trim(struct live_orders *o, u64 now)
{
	u32 n = 0;

	for (u32 i = 0; i < o->n; i++)
		if (now < o->v[i].t_ns + ORDER_KEPT_NS)
			o->v[n++] = o->v[i];
	if (n == o->n && n < ORDERS_MAX)
		return;
	o->n = n == ORDERS_MAX ? 0 : n;
	hidx__clear(&o->index);
	for (u32 i = 0; i < o->n; i++)
		hidx__add(&o->index, order_hash(o->v[i].locks, o->v[i].first_read, o->v[i].second_read), i);
}

static int by_first(const void *a, const void *b)
{
	const struct measure_order *x = a, *y = b;

	return x->first.value == y->first.value ? 0 : x->first.value < y->first.value ? -1 : 1;
}

void live_orders__snap(struct live_orders *o, const struct stacks *stacks, struct measure_snap *snap,
		       struct arena *arena)
{
	struct measure_order *out = arena__array(arena, struct measure_order, o->n);

	for (u32 i = 0; i < o->n; i++) {
		const struct live_order *l = &o->v[i];

		out[i] = (struct measure_order){.first = l->locks[0],
						.second = l->locks[1],
						.who = l->who,
						.by_several = l->by_several,
						.first_read = l->first_read,
						.second_read = l->second_read,
						.t_ns = l->t_ns,
						.count = l->count,
						.stack = stacks__at(stacks, l->stack),
						.first_stack = stacks__at(stacks, l->first_stack),
						.symbols = snap->symbols};
		copy_str(out[i].where, sizeof(out[i].where), l->where);
		memcpy(out[i].guards, l->guards, sizeof(out[i].guards));
	}
	if (o->n)
		qsort(out, o->n, sizeof(*out), by_first);
	snap->orders = out;
	snap->norders = o->n;
	trim(o, snap->base.t1_ns);
}

void live_orders__move(struct live_orders *o, struct stacks *to, const struct stacks *from)
{
	for (u32 i = 0; i < o->n; i++) {
		o->v[i].stack = stacks__move(to, from, o->v[i].stack);
		o->v[i].first_stack = stacks__move(to, from, o->v[i].first_stack);
	}
}

void live_orders__retext(struct live_orders *o, struct texts *t)
{
	for (u32 i = 0; i < o->n; i++)
		measure_texts__intern(o->v[i].locks, 2, t);
}

void live_orders__clear(struct live_orders *o)
{
	o->n = 0;
	hidx__clear(&o->index);
}

void live_orders__fini(struct live_orders *o)
{
	free(o->v);
	hidx__fini(&o->index);
}

/* --- queries --- */

/* A search for the shortest way from a lock to another one. */
struct search {
	const struct measure_order *v; /* by their first lock */
	u32 n;
	u16 queue[ORDERS_MAX];	/* orders */
	u16 before[ORDERS_MAX]; /* by which order each was reached */
	bool seen[ORDERS_MAX];
	bool reported[ORDERS_MAX]; /* is in a cycle that was found */
};

/* The first order that has a lock first; n: none. */
static u32 from(const struct search *s, u64 lock)
{
	u32 low = 0, high = s->n;

	while (low < high) {
		u32 mid = (low + high) / 2;

		if (s->v[mid].first.value < lock)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Who takes one order may wait for who takes the other: not where both read. */
static bool leads_to(const struct measure_order *o, const struct measure_order *next)
{
	return o->second.value == next->first.value && !(o->second_read && next->first_read);
}

static u32 reach(struct search *s, u32 order, u32 tail)
{
	u64 lock = s->v[order].second.value;

	for (u32 i = from(s, lock); i < s->n && s->v[i].first.value == lock; i++) {
		if (s->seen[i] || !leads_to(&s->v[order], &s->v[i]))
			continue;
		s->seen[i] = true;
		s->before[i] = (u16)order;
		s->queue[tail++] = (u16)i;
	}
	return tail;
}

/* The last order of the shortest cycle that begins with one; n: there is none. */
static u32 close_cycle(struct search *s, u32 first)
{
	u32 head = 0, tail = 1;

	memset(s->seen, 0, s->n * sizeof(*s->seen));
	s->queue[0] = (u16)first;
	s->seen[first] = true;
	for (; head < tail; head++) {
		u32 at = s->queue[head];

		if (leads_to(&s->v[at], &s->v[first]))
			return at;
		tail = reach(s, at, tail);
	}
	return s->n;
}

static bool is_watched(const struct measure_order *o, const struct scope *scope)
{
	return task__passes(scope, o->who.tgid, o->who.tid, o->who.cgroup, o->who.comm);
}

/* One thread alone is not in its own way. */
static bool is_of_several(const struct measure_cycle *c)
{
	for (u32 i = 0; i < c->n; i++)
		if (c->v[i]->by_several || c->v[i]->who.tid != c->v[0]->who.tid)
			return true;
	return false;
}

/* When a lock was first had beside others. */
static u64 known_since(const struct search *s, u64 lock)
{
	u64 since = UINT64_MAX;

	for (u32 i = 0; i < s->n; i++)
		for (u32 k = 0; k < MEASURE_GUARDS; k++)
			if (s->v[i].guards[k].lock == lock)
				since = MIN(since, s->v[i].guards[k].since_ns);
	return since;
}

static bool is_guarded_by(const struct measure_order *o, u64 lock, u64 since)
{
	for (u32 i = 0; i < MEASURE_GUARDS; i++)
		if (o->guards[i].lock == lock)
			return o->guards[i].without_ns < since;
	return false;
}

/* Whoever takes one of its orders has a lock that all others wait for. */
static bool is_guarded(const struct search *s, const struct measure_cycle *c)
{
	for (u32 i = 0; i < MEASURE_GUARDS; i++) {
		u64 lock = c->v[0]->guards[i].lock, since = lock ? known_since(s, lock) : 0;
		u32 n = 0;

		while (lock && n < c->n && is_guarded_by(c->v[n], lock, since))
			n++;
		if (n == c->n)
			return true;
	}
	return false;
}

/* The same locks to read are no other finding. */
static void mark_reported(struct search *s, const struct measure_order *o)
{
	for (u32 i = from(s, o->first.value); i < s->n && s->v[i].first.value == o->first.value; i++)
		s->reported[i] |= s->v[i].second.value == o->second.value;
}

static bool take_cycle(struct search *s, u32 first, u32 last, u32 longest, const struct scope *scope,
		       struct measure_cycle *out)
{
	bool watched = false;
	u32 n = 1;

	for (u32 at = last; at != first; at = s->before[at])
		n++;
	if (n > longest)
		return false;
	out->n = n;
	for (u32 at = last; n--; at = s->before[at]) {
		out->v[n] = &s->v[at];
		watched |= is_watched(&s->v[at], scope);
	}
	if (is_guarded(s, out))
		return false;
	for (u32 i = 0; i < out->n; i++)
		mark_reported(s, out->v[i]);
	return watched && is_of_several(out);
}

static u32 take_cycles(struct search *s, u32 longest, const struct scope *scope, struct measure_cycle *out, u32 max)
{
	u32 n = 0;

	for (u32 i = 0; i < s->n && n < max; i++) {
		u32 last = s->reported[i] ? s->n : close_cycle(s, i);

		if (last < s->n)
			n += take_cycle(s, i, last, longest, scope, &out[n]);
	}
	return n;
}

/* Two locks in both orders come first: where many lie between the two, each of those makes a longer one. */
u32 measure__cycles(const struct measure_snap *snap, const struct scope *scope, struct measure_cycle *out,
		    u32 max)
{
	struct search *s;
	u32 n;

	if (snap->norders < 2)
		return 0;
	s = xcalloc(1, sizeof(*s));
	s->v = snap->orders;
	s->n = snap->norders;
	n = take_cycles(s, 2, scope, out, max);
	n += take_cycles(s, CYCLE_MAX, scope, out + n, max - n);
	free(s);
	return n;
}
