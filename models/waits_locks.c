// SPDX-License-Identifier: GPL-2.0-only
/* What locks are called that threads wait for, and who has them (SAMPLE_WAIT_LOCK). */
#include "models/waits_model.h"
#include "models/waits_result.h"

static u64 hash_of(u32 tgid, u64 object)
{
	return mix64_pair(tgid, object);
}

static struct wait_lock *lock_of(struct live_locks *l, u32 tgid, u64 object)
{
	u64 hash = hash_of(tgid, object);
	u32 at;

	HIDX_FIND(at, &l->index, hash, pos, l->v[pos].object == object && l->v[pos].tgid == tgid);
	if (at != HIDX_NONE)
		return &l->v[at];
	/* Those that are waited for now come again. */
	if (l->n == WAITS_MAX_LOCKS)
		live_locks__clear(l);
	l->v = xgrow(l->v, l->n, &l->cap, sizeof(*l->v));
	hidx__add(&l->index, hash, l->n);
	l->v[l->n] = (struct wait_lock){.tgid = tgid, .object = object};
	return &l->v[l->n++];
}

void live_locks__add(struct live_locks *l, const struct wait_lock_sample *s)
{
	struct wait_lock *lock = lock_of(l, s->tgid, s->object);

	copy_str(lock->name, sizeof(lock->name), s->name);
	lock->holder = s->holder;
}

const struct wait_lock *live_locks__snap(struct live_locks *l, struct arena *a)
{
	const struct wait_lock *out = arena__dup(a, l->v, l->n * sizeof(*l->v));

	for (u32 i = 0; i < l->n; i++)
		l->v[i].holder = (struct wait_holder){0};
	return out;
}

void live_locks__clear(struct live_locks *l)
{
	l->n = 0;
	hidx__clear(&l->index);
}

void live_locks__fini(struct live_locks *l)
{
	free(l->v);
	hidx__fini(&l->index);
}

/* --- queries --- */

static const struct wait_lock *find(struct row_groups *g, const struct wait_entry *e)
{
	const struct waits_snap *s = g->s.snap;
	u32 at;

	if (!g->lock_index.used)
		for (u32 i = 0; i < s->nlocks; i++)
			hidx__add(&g->lock_index, hash_of(s->locks[i].tgid, s->locks[i].object), i);
	HIDX_FIND(at, &g->lock_index, hash_of(e->task.tgid, e->object), pos,
		  s->locks[pos].object == e->object && s->locks[pos].tgid == e->task.tgid);
	return at == HIDX_NONE ? NULL : &s->locks[at];
}

/* Who has it off a CPU is where its own wait is. */
static const struct wait_entry *wait_of(const struct waits_snap *s, const struct wait_holder *h)
{
	for (u32 i = 0; i < s->nentries; i++)
		if (s->entries[i].task.tid == h->tid && s->entries[i].sums[WINDOW_LAST].open)
			return &s->entries[i];
	return NULL;
}

static void hold_now(struct row_groups *g, const struct wait_holder *h, struct waits_row *row)
{
	const struct wait_entry *e = wait_of(g->s.snap, h);

	row->holder = h;
	row->holds_now = true;
	if (!e)
		return;
	row->holder_kstack = e->kstack;
	row->holder_ustack = e->ustack;
}

static void held_until_it_woke(struct row_groups *g, const struct wait_entry *e, struct waits_row *row)
{
	struct wait_holder *h = arena__array(g->s.names.arena, struct wait_holder, 1);

	*h = (struct wait_holder){.tgid = e->waker.tgid, .tid = e->waker.tid};
	copy_str(h->comm, sizeof(h->comm), e->waker.comm);
	row->holder = h;
	row->holder_kstack = e->waker_kstack;
	row->holder_ustack = e->waker_ustack;
	row->holder_from = waits_selection__tracer(&g->s, e->waker_kstack);
}

void row_group__lock(struct row_groups *g, struct row_group *group)
{
	const struct wait_entry *e = group->lock, *woken = group->lock_woken;
	const struct wait_lock *lock = e ? find(g, e) : NULL;
	struct waits_row *row = &group->row;

	if (e && e->object == WAIT_OBJECT_MANY)
		row->lock = "[several]";
	else if (lock)
		row->lock = lock->name;
	if (lock && lock->holder.tid && e->sums[g->s.window].open)
		hold_now(g, &lock->holder, row);
	else if (woken)
		held_until_it_woke(g, woken, row);
}
