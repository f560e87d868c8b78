// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps the waits within their bounds. The smallest half of the entries loses detail step by
 * step, first where it waited and who woke it and only then the thread, until enough of them
 * have merged; no time is ever lost. Rare, and as dear as a tick.
 */
#include "models/waits_model.h"
#include "models/rank.h"

/* What an entry loses in a step; each includes those before it. */
enum fold {
	FOLD_STACK,   /* stacks, system call, waker */
	FOLD_THREAD,  /* the thread */
	FOLD_PROCESS, /* and the process */
	FOLDS
};

static struct rank *rank_waits(const struct model *m)
{
	struct rank *ranks = xmalloc(m->nwaits * sizeof(*ranks));

	for (u32 i = 0; i < m->nwaits; i++) {
		const struct live_wait *w = &m->waits[i];

		ranks[i] = (struct rank){w->decay[SUM_OFF] + (double)w->now[SUM_OFF],
					 (double)w->total[SUM_OFF] + (double)w->now[SUM_OFF], i};
	}
	ranks__sort(ranks, m->nwaits);
	return ranks;
}

static void fold_wait(struct live_wait *w, enum fold how)
{
	struct wait_key *k = &w->key;

	k->folded = true;
	k->kstack = k->ustack = k->waker_kstack = k->waker_ustack = NO_STACK;
	k->syscall = WAIT_NO_SYSCALL;
	k->futex_op = k->on = k->waker_tgid = k->waker_tid = k->waker_name = 0;
	k->waker = WAKER_NONE;
	w->kstack_hash = w->ustack_hash = w->waker_kstack_hash = w->waker_ustack_hash = 0;
	w->waker_comm[0] = '\0';
	if (how >= FOLD_THREAD) {
		k->tid = PROFILE_MERGED;
		k->start_ns = 0;
	}
	if (how >= FOLD_PROCESS) {
		k->tgid = PROFILE_MERGED;
		w->cgroup = 0;
		copy_str(w->comm, sizeof(w->comm), "[others]");
	}
}

static void fold_smallest(struct model *m, enum fold how)
{
	struct rank *rank = rank_waits(m);

	for (u32 i = m->nwaits / 2; i < m->nwaits; i++)
		fold_wait(&m->waits[rank[i].pos], how);
	free(rank);
	waits__reindex(m);
}

/* An interval of very many is not kept room for. */
static void give_back(struct model *m)
{
	if (m->nwaits >= m->waits_cap / 4)
		return;
	m->waits_cap /= 2;
	m->waits = xrealloc(m->waits, m->waits_cap * sizeof(*m->waits));
}

/* In place: there are never more than have been looked at. */
void waits__reindex(struct model *m)
{
	u32 n = m->nwaits;

	m->nwaits = 0;
	hidx__clear(&m->wait_index);
	for (u32 i = 0; i < n; i++) {
		struct live_wait w = m->waits[i];

		live_wait__merge(waits__entry(m, &w.key), &w);
	}
	give_back(m);
}

/* --- stacks --- */

static void move_stacks(void *ctx, struct stacks *to, const struct stacks *from)
{
	struct model *m = ctx;

	for (u32 i = 0; i < m->nwaits; i++) {
		struct wait_key *k = &m->waits[i].key;

		k->kstack = stacks__move(to, from, k->kstack);
		k->ustack = stacks__move(to, from, k->ustack);
		k->waker_kstack = stacks__move(to, from, k->waker_kstack);
		k->waker_ustack = stacks__move(to, from, k->waker_ustack);
	}
	waits__reindex(m);
}

static void shed_stacks(void *ctx)
{
	fold_smallest(ctx, FOLD_STACK);
}

struct stacks_user waits__stacks_user(struct model *m)
{
	return (struct stacks_user){.ctx = m, .move = move_stacks, .shed = shed_stacks};
}

void waits__fold_ended(struct model *m)
{
	struct rank *h = xmalloc(MAX(m->nwaits, 1u) * sizeof(*h));
	u32 n = 0;

	for (u32 i = 0; i < m->nwaits; i++)
		if (m->waits[i].key.ended && !m->waits[i].key.folded)
			h[n++] = (struct rank){0, (double)m->waits[i].total[SUM_OFF], i};
	if (n > m->most_groups) {
		ranks__sort(h, n);
		for (u32 i = n / 2; i < n; i++)
			fold_wait(&m->waits[h[i].pos], FOLD_STACK);
		waits__reindex(m);
	}
	free(h);
}

void waits__compact(struct model *m)
{
	struct stacks_user user = waits__stacks_user(m);

	for (enum fold how = FOLD_STACK; how < FOLDS; how++) {
		fold_smallest(m, how);
		if (m->nwaits <= m->most / 4 * 3)
			break;
	}
	stacks__rebuild(&m->stacks, &user);
}
