// SPDX-License-Identifier: GPL-2.0-only
#include "models/waits_joined.h"

static const u32 *user_locs(const struct callstack *s)
{
	return s->locs + s->nkernel;
}

static u64 hash_of(u32 tgid, const struct callstack *s)
{
	return mix64((u64)tgid << 32 | user_locs(s)[0]);
}

static u32 first_of(const struct waits_joined *j, u32 tgid, const struct callstack *s)
{
	u32 at;

	HIDX_FIND(at, &j->index, hash_of(tgid, s), pos,
		  j->v[pos].tgid == tgid && user_locs(j->v[pos].stack)[0] == user_locs(s)[0]);
	return at;
}

static void add(struct waits_joined *j, u32 tgid, const struct callstack *s)
{
	u32 first = first_of(j, tgid, s);

	if (first != HIDX_NONE && j->v[first].n > JOINED_MAX)
		return;
	for (u32 i = first; i != HIDX_NONE; i = j->v[i].next)
		if (j->v[i].stack == s)
			return;
	j->v = xgrow(j->v, j->n, &j->cap, sizeof(*j->v));
	j->v[j->n] = (struct whole_stack){.tgid = tgid, .n = 1, .stack = s, .next = HIDX_NONE};
	if (first == HIDX_NONE) {
		hidx__add(&j->index, hash_of(tgid, s), j->n++);
		return;
	}
	j->v[first].n++;
	j->v[j->n].next = j->v[first].next;
	j->v[first].next = j->n++;
}

static bool ends_early(const struct callstack *s)
{
	return s && s->nuser && !s->whole && !s->cut && !s->folded;
}

static bool any_early(const struct waits_snap *snap)
{
	for (u32 i = 0; i < snap->nentries; i++)
		if (ends_early(snap->entries[i].ustack))
			return true;
	return false;
}

void waits_joined__init(struct waits_joined *j, const struct waits_snap *snap)
{
	*j = (struct waits_joined){0};
	if (!any_early(snap))
		return;
	for (u32 i = 0; i < snap->nentries; i++) {
		const struct callstack *s = snap->entries[i].ustack;

		if (s && s->nuser && s->whole && !s->folded)
			add(j, snap->entries[i].task.tgid, s);
	}
}

void waits_joined__fini(struct waits_joined *j)
{
	free(j->v);
	hidx__fini(&j->index);
}

static bool is_part(const struct callstack *part, const struct callstack *whole)
{
	u32 n = 0;

	for (u32 i = 0; i < whole->nuser && n < part->nuser; i++)
		n += user_locs(whole)[i] == user_locs(part)[n];
	return n == part->nuser;
}

const struct callstack *waits_joined__stack(const struct waits_joined *j,
					    const struct wait_entry *e)
{
	const struct callstack *found = NULL;
	u32 i = ends_early(e->ustack) ? first_of(j, e->task.tgid, e->ustack) : HIDX_NONE;

	if (i != HIDX_NONE && j->v[i].n > JOINED_MAX)
		return e->ustack;
	for (; i != HIDX_NONE; i = j->v[i].next) {
		if (!is_part(e->ustack, j->v[i].stack))
			continue;
		if (found)
			return e->ustack;
		found = j->v[i].stack;
	}
	return found ? found : e->ustack;
}
