// SPDX-License-Identifier: GPL-2.0-only
#include "models/lives.h"

/* Pids that are known beside those of entries, before they are gone over: each that is used again costs a look at
 * all entries. */
#define KNOWN_LEAST 256

static u64 process_of(u32 tgid, u32 host)
{
	return tgid | (u64)host << 32;
}

void lives__know(struct lives *l, u32 tgid, u32 host)
{
	if (tgid)
		hidx__put(&l->known, mix64(process_of(tgid, host)));
}

static struct life *life_of(const struct life_events *e, u64 process)
{
	u32 at;

	HIDX_FIND(at, &e->index, mix64(process), pos, e->v[pos].process == process);
	return at == HIDX_NONE ? NULL : &e->v[at];
}

static void note(struct life_events *e, u64 process, bool ended)
{
	struct life *was = life_of(e, process);

	if (was) {
		was->ended = ended;
		return;
	}
	if (e->n == LIVES_MAX)
		return;
	e->v = xgrow(e->v, e->n, &e->cap, sizeof(*e->v));
	hidx__add(&e->index, mix64(process), e->n);
	e->v[e->n++] = (struct life){process, ended};
}

/* The process that begins and that entries are known of; 0: none. */
static u64 begins(struct lives *l, const struct sample *s)
{
	const struct proc_event *ev = container_of(s, struct proc_event, head);
	u64 process;

	if (s->type != SAMPLE_PROC || !proc_event__is_life(ev))
		return 0;
	process = process_of(ev->tgid, ev->host);
	note(&l->now, process, ev->type == PROC_EXIT);
	return ev->type == PROC_FORK && hidx__has(&l->known, mix64(process)) ? process : 0;
}

static u32 *number_at(void *v, u32 i, const struct lives_of *of, size_t at)
{
	return (u32 *)((char *)v + i * of->size + at);
}

static u32 host_at(void *v, u32 i, const struct lives_of *of)
{
	return of->host ? *number_at(v, i, of, of->host) : 0;
}

static u64 process_at(void *v, u32 i, const struct lives_of *of)
{
	return process_of(*number_at(v, i, of, of->tgid), host_at(v, i, of));
}

static bool *ended_at(void *v, u32 i, const struct lives_of *of)
{
	return (bool *)((char *)v + i * of->size + of->ended);
}

/* Of the process that had the pid until then: the same for all who keep entries of it. */
static u32 past_number(const struct sample *s)
{
	return (u32)mix64(container_of(s, struct proc_event, head)->t_ns) | 1;
}

u32 lives__consume(struct lives *l, const struct sample *s, const struct lives_of *of, void *v, u32 n)
{
	u64 process = begins(l, s);

	for (u32 i = 0; process && i < n; i++) {
		u32 *past = of->past ? number_at(v, i, of, of->past) : NULL;

		if (process_at(v, i, of) != process || (past && *past))
			continue;
		*ended_at(v, i, of) = true;
		if (past)
			*past = past_number(s);
	}
	return (u32)process;
}

static bool has_ended(const struct lives *l, u64 process)
{
	const struct life *life = life_of(&l->now, process);

	if (!life)
		life = life_of(&l->before, process);
	return life && life->ended;
}

static void forget_events(struct life_events *e)
{
	if (e->n)
		hidx__clear(&e->index);
	e->n = 0;
}

void lives__tick(struct lives *l, const struct lives_of *of, void *v, u32 n)
{
	struct life_events before = l->before;

	for (u32 i = 0; l->now.n + l->before.n && i < n; i++)
		*ended_at(v, i, of) |= has_ended(l, process_at(v, i, of));
	forget_events(&before);
	l->before = l->now;
	l->now = before;
	if (l->known.used < MIN(2 * n + KNOWN_LEAST, LIVES_MAX))
		return;
	hidx__clear(&l->known);
	for (u32 i = 0; i < n; i++)
		lives__know(l, *number_at(v, i, of, of->tgid), host_at(v, i, of));
}

void lives__forget(struct lives *l)
{
	hidx__clear(&l->known);
	forget_events(&l->now);
	forget_events(&l->before);
}

static void free_events(struct life_events *e)
{
	hidx__fini(&e->index);
	free(e->v);
}

void lives__fini(struct lives *l)
{
	hidx__fini(&l->known);
	free_events(&l->now);
	free_events(&l->before);
}
