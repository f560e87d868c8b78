// SPDX-License-Identifier: GPL-2.0-only
#include "models/tallies.h"

#include "models/windows.h"

struct live_tally {
	struct tally t; /* without sums */
	u64 now[TALLY_COUNTS], total[TALLY_COUNTS];
	double decay[TALLY_COUNTS];
};

static struct window_sums sums_of(struct live_tally *l)
{
	return (struct window_sums){TALLY_COUNTS, l->now, l->total, l->decay};
}

static u64 hash_of(const struct tally *t)
{
	return mix64_pair(mix64_pair((u64)t->cpu << 32 | t->tgid, t->cgroup),
			  hash_bytes(t->comm, strlen(t->comm)));
}

static bool is_same(const struct tally *a, const struct tally *b)
{
	return a->cpu == b->cpu && a->tgid == b->tgid && a->cgroup == b->cgroup &&
	       !strcmp(a->comm, b->comm);
}

static struct live_tally *tally_of(struct tallies *t, const struct tally *who)
{
	u64 h = hash_of(who);
	u32 at;

	HIDX_FIND(at, &t->index, h, pos, is_same(&t->v[pos].t, who));
	if (at != HIDX_NONE)
		return &t->v[at];
	t->v = xgrow(t->v, t->n, &t->cap, sizeof(*t->v));
	t->v[t->n] = (struct live_tally){.t = *who};
	hidx__add(&t->index, h, t->n);
	return &t->v[t->n++];
}

static void put_back(struct tallies *t, struct live_tally *old)
{
	struct window_sums to = sums_of(tally_of(t, &old->t)), from = sums_of(old);

	window_sums__merge(&to, &from);
}

static double heat_of(void *live_tally)
{
	struct window_sums sums = sums_of(live_tally);

	return window_sums__heat(&sums);
}

/* Of the coldest half, those of one CPU become one. */
static void make_room(struct tallies *t)
{
	struct live_tally *old = t->v;
	u32 n = t->n;
	bool *cold = heat__coldest_half(old, n, sizeof(*old), heat_of);

	t->v = NULL;
	t->n = t->cap = 0;
	hidx__clear(&t->index);
	for (u32 i = 0; i < n; i++) {
		if (cold[i])
			old[i].t = (struct tally){
				.cpu = old[i].t.cpu, .tgid = TALLY_OTHERS, .comm = "[others]"};
		put_back(t, &old[i]);
	}
	free(old);
	free(cold);
}

void tallies__add(struct tallies *t, const struct tally *who, const u64 n[TALLY_COUNTS])
{
	struct live_tally *l;

	if (t->n >= t->max)
		make_room(t);
	l = tally_of(t, who);
	l->t.tid = who->tid;
	l->t.kthread = who->kthread;
	for (u32 i = 0; i < TALLY_COUNTS; i++)
		l->now[i] += n[i];
}

const struct tally *tallies__snap(struct tallies *t, double keep, struct arena *arena)
{
	struct tally *out = arena__array(arena, struct tally, t->n);

	for (u32 i = 0; i < t->n; i++) {
		u64 *const windows[WINDOWS] = {out[i].n[WINDOW_LAST], out[i].n[WINDOW_DECAY],
					       out[i].n[WINDOW_TOTAL]};
		struct window_sums sums = sums_of(&t->v[i]);

		out[i] = t->v[i].t;
		window_sums__advance(&sums, keep, windows);
	}
	return out;
}

void tallies__clear(struct tallies *t)
{
	t->n = 0;
	hidx__clear(&t->index);
}

void tallies__fini(struct tallies *t)
{
	free(t->v);
	hidx__fini(&t->index);
}

size_t tallies__bytes(const struct tallies *t)
{
	return t->cap * sizeof(*t->v) + hidx__bytes(&t->index);
}
