// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps the profile within its bounds. The coldest half of the entries loses detail step by
 * step, first the chain and only then the task, until enough of them have merged; no sample
 * is ever lost. Rare, and as dear as a tick.
 */
#include "models/profile_model.h"
#include "models/rank.h"

/* What an entry still has after a step; each includes those before it. */
enum fold {
	FOLD_CHAIN,  /* the leaf frame only */
	FOLD_THREAD, /* and no thread and CPU */
	FOLD_TASK,   /* and no process, name and cgroup */
	FOLD_LEAF,   /* nothing but the numbers */
};

static struct rank *rank_entries(const struct model *m)
{
	struct rank *ranks = xmalloc(m->nlive * sizeof(*ranks));

	for (u32 i = 0; i < m->nlive; i++) {
		const struct live *e = &m->live[i];

		ranks[i] = (struct rank){e->decay_weight + e->now_weight,
					 e->total_weight + e->now_weight, i};
	}
	ranks__sort(ranks, m->nlive);
	return ranks;
}

static u32 fold_stack(struct model *m, u32 stack, enum fold how)
{
	struct callstack head = {.folded = true};
	const struct callstack *s;

	if (how == FOLD_LEAF)
		return stacks__intern(&m->stacks, &head, head.locs);
	if (stack == NO_STACK)
		return stack;
	s = m->stacks.items[stack];
	if (s->folded || s->nkernel + s->nuser < 2)
		return stack;
	head.nkernel = s->nkernel > 0;
	head.nuser = !head.nkernel;
	return stacks__intern(&m->stacks, &head, s->locs);
}

static void fold_entry(struct model *m, struct live *e, enum fold how)
{
	e->stack = fold_stack(m, e->stack, how);
	if (how >= FOLD_THREAD)
		e->tid = e->cpu = PROFILE_MERGED;
	if (how >= FOLD_TASK) {
		e->tgid = PROFILE_MERGED;
		e->comm = e->process = 0;
		e->cgroup = e->start_ns = 0;
		e->ended = false;
	}
}

static void merge_entry(struct live *to, const struct live *from)
{
	to->now_count += from->now_count;
	to->total_count += from->total_count;
	to->now_weight += from->now_weight;
	to->total_weight += from->total_weight;
	to->decay_count += from->decay_count;
	to->decay_weight += from->decay_weight;
	for (u32 i = 0; i < TREND_LEN; i++)
		to->trend[i] += from->trend[i];
}

static void fold_coldest(struct model *m, enum fold how)
{
	struct rank *rank = rank_entries(m);
	struct live *old = m->live;
	u32 n = m->nlive;

	m->live = NULL;
	m->nlive = m->live_cap = 0;
	hidx__clear(&m->live_index);
	for (u32 i = 0; i < n; i++) {
		struct live e = old[rank[i].pos];

		if (i >= n / 2)
			fold_entry(m, &e, how);
		merge_entry(profile__entry(m, &e), &e);
	}
	free(old);
	free(rank);
}

/* Forgets the names that no entry has any more. */
static void rebuild_comms(struct model *m)
{
	char(*old)[COMM_LEN] = m->comms;

	m->comms = NULL;
	m->ncomms = m->comms_cap = 0;
	hidx__clear(&m->comm_index);
	profile__comm(m, old[0]);
	for (u32 i = 0; i < m->nlive; i++) {
		struct live *e = &m->live[i];

		e->comm = e->comm ? profile__comm(m, old[e->comm]) : 0;
		e->process = e->process ? profile__comm(m, old[e->process]) : 0;
	}
	free(old);
}

/* The keys contain positions: index them again after these changed. */
static void reindex_entries(struct model *m)
{
	struct live *old = m->live;
	u32 n = m->nlive;

	m->live = NULL;
	m->nlive = m->live_cap = 0;
	hidx__clear(&m->live_index);
	for (u32 i = 0; i < n; i++)
		merge_entry(profile__entry(m, &old[i]), &old[i]);
	free(old);
}

static void move_stacks(void *ctx, struct stacks *to, const struct stacks *from)
{
	struct model *m = ctx;

	for (u32 i = 0; i < m->nlive; i++)
		m->live[i].stack = stacks__move(to, from, m->live[i].stack);
	reindex_entries(m);
}

static void shed_chains(void *ctx)
{
	fold_coldest(ctx, FOLD_CHAIN);
}

struct stacks_user profile__stacks_user(struct model *m)
{
	return (struct stacks_user){.ctx = m, .move = move_stacks, .shed = shed_chains};
}

void profile__compact(struct model *m)
{
	struct stacks_user user = profile__stacks_user(m);

	for (enum fold how = FOLD_CHAIN; how <= FOLD_LEAF; how++) {
		fold_coldest(m, how);
		if (m->nlive <= m->most / 4 * 3)
			break;
	}
	rebuild_comms(m);
	/* Also indexes the entries by their new names, and drops chains nobody has. */
	stacks__rebuild(&m->stacks, &user);
}
