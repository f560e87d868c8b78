// SPDX-License-Identifier: GPL-2.0-only
/*
 * Keeps the profile within its bounds. The coldest half of the entries loses detail step by
 * step, first the chain and only then the task, until enough of them have merged; no sample
 * is ever lost. Rare, and as dear as a tick.
 */
#include "models/profile_model.h"

/* What an entry still has after a step; each includes those before it. */
enum fold {
	FOLD_CHAIN,  /* the leaf frame only */
	FOLD_THREAD, /* and no thread and CPU */
	FOLD_TASK,   /* and no process, name and cgroup */
	FOLD_LEAF,   /* nothing but the numbers */
};

struct heat {
	double recent, total;
	u32 pos;
};

/* Hottest first. */
static int compare_heat(const void *pa, const void *pb)
{
	const struct heat *a = pa, *b = pb;

	if (a->recent != b->recent)
		return a->recent < b->recent ? 1 : -1;
	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	return a->pos < b->pos ? -1 : a->pos > b->pos;
}

static struct heat *rank_entries(const struct model *m)
{
	struct heat *h = xmalloc(m->nlive * sizeof(*h));

	for (u32 i = 0; i < m->nlive; i++) {
		const struct live *e = &m->live[i];

		h[i] = (struct heat){e->decay_weight + e->now_weight,
				     e->total_weight + e->now_weight, i};
	}
	qsort(h, m->nlive, sizeof(*h), compare_heat);
	return h;
}

static u32 fold_stack(struct model *m, u32 stack, enum fold how)
{
	struct profile_stack head = {.folded = true};
	const struct profile_stack *s;

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
		e->comm = 0;
		e->cgroup = 0;
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
	for (u32 i = 0; i < PROFILE_TREND; i++)
		to->trend[i] += from->trend[i];
}

static void fold_coldest(struct model *m, enum fold how)
{
	struct heat *rank = rank_entries(m);
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
	for (u32 i = 0; i < m->nlive; i++)
		if (m->live[i].comm)
			m->live[i].comm = profile__comm(m, old[m->live[i].comm]);
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

/* Keeps the hashes of the newest definitions. */
static void rebuild_slots(struct model *m, const struct stacks *old, u32 newest)
{
	u32 kept = 0;

	hidx__clear(&m->slot_index);
	for (u32 i = 0; i < m->nslots; i++) {
		struct stack_slot slot = m->slots[i];

		if (m->definitions - slot.defined >= newest)
			continue;
		slot.stack = stacks__copy(&m->stacks, old->items[slot.stack]);
		hidx__add(&m->slot_index, mix64_pair(slot.hash, slot.tgid), kept);
		m->slots[kept++] = slot;
	}
	m->nslots = kept;
}

static void rebuild_stacks(struct model *m, u32 newest)
{
	struct stacks old = m->stacks;

	stacks__init(&m->stacks);
	for (u32 i = 0; i < m->nlive; i++)
		if (m->live[i].stack != NO_STACK)
			m->live[i].stack = stacks__copy(&m->stacks, old.items[m->live[i].stack]);
	rebuild_slots(m, &old, newest);
	stacks__fini(&old);
	reindex_entries(m);
}

static bool stacks_roomy(const struct model *m)
{
	return m->stacks.store->arena.bytes <= PROFILE_STACK_BYTES / 2;
}

/* More than what sources rely on is forgotten only when the stacks are of absurd size. */
void profile__trim_stacks(struct model *m)
{
	rebuild_stacks(m, PROFILE_DEFINITIONS);
	for (u32 newest = PROFILE_DEFINITIONS / 2; newest && !stacks_roomy(m); newest /= 4) {
		fold_coldest(m, FOLD_CHAIN);
		rebuild_stacks(m, newest);
	}
}

void profile__compact(struct model *m)
{
	for (enum fold how = FOLD_CHAIN; how <= FOLD_LEAF; how++) {
		fold_coldest(m, how);
		if (m->nlive <= PROFILE_MAX_ENTRIES / 4 * 3)
			break;
	}
	rebuild_comms(m);
	/* Also indexes the entries by their new names, and drops chains nobody has. */
	rebuild_stacks(m, UINT32_MAX);
}
