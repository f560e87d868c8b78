// SPDX-License-Identifier: GPL-2.0-only
#include "models/lives.h"

void lives__know(struct lives *l, u32 tgid)
{
	if (tgid)
		hidx__put(&l->known, mix64(tgid));
}

static const struct life *life_of(const struct lives *l, u32 tgid)
{
	u32 at;

	HIDX_FIND(at, &l->now_index, mix64(tgid), pos, l->now[pos].tgid == tgid);
	return at == HIDX_NONE ? NULL : &l->now[at];
}

static void note(struct lives *l, u32 tgid, bool ended)
{
	struct life *was = (struct life *)life_of(l, tgid);

	if (was) {
		was->ended = ended;
		return;
	}
	l->now = xgrow(l->now, l->nnow, &l->now_cap, sizeof(*l->now));
	hidx__add(&l->now_index, mix64(tgid), l->nnow);
	l->now[l->nnow++] = (struct life){tgid, ended};
}

/* The pid of a process that begins and that entries are known of; 0: none. */
static u32 begins(struct lives *l, const struct sample *s)
{
	const struct proc_event *ev = container_of(s, struct proc_event, head);

	if (s->type != SAMPLE_PROC || !hidx__has(&l->known, mix64(ev->tgid)))
		return 0;
	if (ev->type == PROC_EXIT && ev->tid == ev->tgid)
		note(l, ev->tgid, true);
	if (ev->type != PROC_FORK)
		return 0;
	note(l, ev->tgid, false);
	return ev->tgid;
}

static u32 *number_at(void *v, u32 i, const struct lives_of *of, size_t at)
{
	return (u32 *)((char *)v + i * of->size + at);
}

static bool *ended_at(void *v, u32 i, const struct lives_of *of)
{
	return (bool *)((char *)v + i * of->size + of->ended);
}

u32 lives__consume(struct lives *l, const struct sample *s, const struct lives_of *of, void *v, u32 n)
{
	u32 tgid = begins(l, s);

	l->reused += tgid != 0;
	for (u32 i = 0; tgid && i < n; i++) {
		u32 *past = of->past ? number_at(v, i, of, of->past) : NULL;

		if (*number_at(v, i, of, of->tgid) != tgid || (past && *past))
			continue;
		*ended_at(v, i, of) = true;
		if (past)
			*past = l->reused;
	}
	return tgid;
}

static bool has_ended(const struct lives *l, u32 tgid)
{
	const struct life *life = life_of(l, tgid);

	return life && life->ended;
}

static void forget_now(struct lives *l)
{
	if (l->nnow)
		hidx__clear(&l->now_index);
	l->nnow = 0;
}

void lives__tick(struct lives *l, const struct lives_of *of, void *v, u32 n)
{
	for (u32 i = 0; l->nnow && i < n; i++)
		*ended_at(v, i, of) |= has_ended(l, *number_at(v, i, of, of->tgid));
	forget_now(l);
	if (l->known.used < LIVES_MAX)
		return;
	hidx__clear(&l->known);
	for (u32 i = 0; i < n; i++)
		lives__know(l, *number_at(v, i, of, of->tgid));
}

void lives__forget(struct lives *l)
{
	hidx__clear(&l->known);
	forget_now(l);
}

void lives__fini(struct lives *l)
{
	hidx__fini(&l->known);
	hidx__fini(&l->now_index);
	free(l->now);
}
