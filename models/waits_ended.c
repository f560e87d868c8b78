// SPDX-License-Identifier: GPL-2.0-only
/*
 * Threads that ended. Where many come and go their waits are most of the entries, and nobody
 * looks for one of them by its number: those that ended longest ago are summed up by name. No
 * time is lost, and sums by name, cgroup, place, state and reason stay exact.
 */
#include "models/waits_model.h"

/* What ended of those an entry is about. */
enum { OWN_ENDED = 1, WAKER_ENDED = 2 };

/* --- who ended --- */

static u64 thread_hash(u32 tgid, u32 tid, u64 start_ns, u32 host)
{
	return mix64_pair(mix64_pair(tgid | (u64)tid << 32, start_ns), host);
}

void waits__note_end(struct model *m, const struct task_ident *t)
{
	hidx__put(&m->left[0], thread_hash(t->tgid, t->tid, t->start_ns, t->host));
	hidx__put(&m->left[0], thread_hash(t->tgid, t->tid, 0, t->host));
}

/* A thread's last waits may be told of an interval after its end. */
static bool has_left(const struct model *m, u32 tgid, u32 tid, u64 start_ns, u32 host)
{
	u64 hash = thread_hash(tgid, tid, start_ns, host);

	return hidx__has(&m->left[0], hash) || hidx__has(&m->left[1], hash);
}

static u32 what_ended(const struct model *m, const struct wait_key *k)
{
	u32 what = 0;

	if (has_left(m, k->tgid, k->tid, k->start_ns, k->host))
		what |= OWN_ENDED;
	if (k->waker == WAKER_TASK && has_left(m, k->waker_tgid, k->waker_tid, 0, k->host))
		what |= WAKER_ENDED;
	return what;
}

static void mark_ended(struct model *m)
{
	for (u32 i = 0; i < m->nwaits; i++) {
		struct live_wait *w = &m->waits[i];
		u32 what = what_ended(m, &w->key) & ~(u32)w->what_ended;

		if (!what)
			continue;
		w->what_ended |= what;
		w->ended_tick = m->ticks;
	}
}

static void forget_left(struct model *m)
{
	struct hidx oldest = m->left[1];

	m->left[1] = m->left[0];
	m->left[0] = oldest;
	hidx__clear(&m->left[0]);
}

/* --- merging --- */

static int compare_ticks(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return (x > y) - (x < y);
}

/* Entries that ended in this tick or before are to be merged; 0: none. */
static u32 merged_until(const struct model *m)
{
	u32 *ticks = xmalloc(MAX(m->nwaits, 1u) * sizeof(*ticks)), n = 0, until = 0;

	for (u32 i = 0; i < m->nwaits; i++)
		if (m->waits[i].what_ended)
			ticks[n++] = m->waits[i].ended_tick;
	if (n > m->most_ended) {
		qsort(ticks, n, sizeof(*ticks), compare_ticks);
		until = ticks[n - m->most_ended / 4 * 3];
	}
	free(ticks);
	return until;
}

static void forget_waker(struct live_wait *w)
{
	struct wait_key *k = &w->key;

	if (k->waker != WAKER_TASK || k->waker_tid == PROFILE_MERGED)
		return;
	k->waker_tgid = k->waker_tid = PROFILE_MERGED;
	k->waker_name = (u32)hash_bytes(w->waker_comm, strlen(w->waker_comm));
}

static void forget_thread(struct live_wait *w, const struct hidx *living)
{
	struct wait_key *k = &w->key;

	k->ended = true;
	w->object = w->object ? WAIT_OBJECT_MANY : 0; /* addresses are of one process */
	if (!hidx__has(living, waits__process_hash(k->tgid, k->host)))
		k->tgid = PROFILE_MERGED;
	k->tid = PROFILE_MERGED;
	k->start_ns =
		mix64_pair(mix64_pair(k->tgid, w->cgroup), hash_bytes(w->comm, strlen(w->comm)));
	w->since_before = false;
	w->held_ns = 0;
	w->held_decay = 0;
}

/* Those merged while their process went on are of it until it ends as well. */
static void merge_one(struct live_wait *w, u32 until, const struct hidx *living)
{
	bool due = w->what_ended && w->ended_tick <= until;

	if (w->key.ended ? w->key.tgid != PROFILE_MERGED : due && (w->what_ended & OWN_ENDED))
		forget_thread(w, living);
	if (w->key.ended || due)
		forget_waker(w);
	if (due)
		w->what_ended = 0;
}

static void merge_until(struct model *m, u32 until)
{
	struct hidx living = waits__living(m);

	for (u32 i = 0; i < m->nwaits; i++)
		merge_one(&m->waits[i], until, &living);
	hidx__fini(&living);
	waits__reindex(m);
}

void waits__merge_ended(struct model *m)
{
	u32 until;

	m->ticks++;
	if (m->left[0].used || m->left[1].used)
		mark_ended(m);
	forget_left(m);
	until = m->nwaits > m->most_ended ? merged_until(m) : 0;
	if (!until)
		return;
	merge_until(m, until);
	waits__fold_ended(m);
}
