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

u32 lives__consume(struct lives *l, const struct sample *s)
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

u32 lives__past(struct lives *l)
{
	return ++l->reused;
}

bool lives__has_ended(const struct lives *l, u32 tgid)
{
	const struct life *life = l->nnow ? life_of(l, tgid) : NULL;

	return life && life->ended;
}

void lives__tick(struct lives *l)
{
	if (l->nnow)
		hidx__clear(&l->now_index);
	l->nnow = 0;
}

bool lives__is_full(const struct lives *l)
{
	return l->known.used >= LIVES_MAX;
}

void lives__forget(struct lives *l)
{
	hidx__clear(&l->known);
	lives__tick(l);
}

void lives__fini(struct lives *l)
{
	hidx__fini(&l->known);
	hidx__fini(&l->now_index);
	free(l->now);
}
