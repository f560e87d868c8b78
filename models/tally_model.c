// SPDX-License-Identifier: GPL-2.0-only
#include "models/tally_model.h"

#include "models/entries.h"

/* --- who did how much --- */

struct live_tally {
	struct tally t; /* without sums */
	ENTRY_COUNTS(TALLY_COUNTS);
};

static u64 hash_of(const void *key)
{
	const struct tally *t = key;

	return mix64_pair(mix64_pair((u64)t->cpu << 32 | t->tgid, t->cgroup),
			  hash_bytes(t->comm, strlen(t->comm)));
}

static bool is_same(const void *x, const void *y)
{
	const struct tally *a = x, *b = y;

	return a->cpu == b->cpu && a->tgid == b->tgid && a->cgroup == b->cgroup &&
	       !strcmp(a->comm, b->comm);
}

/* Those of one CPU become one. */
static void fold(void *tally, u32 step)
{
	struct tally *t = tally;

	*t = (struct tally){.cpu = t->cpu, .tgid = TALLY_OTHERS, .comm = "[others]"};
}

static const struct entries_kind kind = {
	.size = sizeof(struct live_tally),
	.key_size = sizeof(struct tally),
	.ncounts = TALLY_COUNTS,
	.counts_at = offsetof(struct live_tally, now),
	.steps = 1,
	.hash = hash_of,
	.same = is_same,
	.fold = fold,
};

static void add(struct entries *uses, const struct tally *who, const u64 n[TALLY_COUNTS])
{
	struct live_tally *l = entries__get(uses, who);

	l->t.tid = who->tid;
	l->t.kthread = who->kthread;
	for (u32 i = 0; i < TALLY_COUNTS; i++)
		l->now[i] += n[i];
}

static const struct tally *snap_uses(const struct entries *uses, double keep, struct arena *arena)
{
	struct tally *out = arena__array(arena, struct tally, uses->n);

	for (u32 i = 0; i < uses->n; i++) {
		out[i] = ((struct live_tally *)entries__at(uses, i))->t;
		entries__advance(uses, i, keep, out[i].n);
	}
	return out;
}

/* --- the model --- */

struct model {
	const struct tally_subject *of;
	struct entries uses;
	struct sample *state;
	bool state_known;
	struct window_clock clock;
};

struct model *tally_model__new(const struct tally_subject *of)
{
	struct model *m = xcalloc(1, sizeof(*m));

	m->of = of;
	m->uses = (struct entries){.kind = &kind, .max = of->max};
	m->state = xcalloc(1, of->state_size);
	return m;
}

void tally_model__free(struct model *m)
{
	entries__fini(&m->uses);
	free(m->state);
	free(m);
}

void tally_model__consume(struct model *m, const struct sample *s)
{
	u64 n[TALLY_COUNTS] = {0};
	struct tally who = {0};

	if (s->type == m->of->uses) {
		m->of->take(s, &who, n);
		add(&m->uses, &who, n);
	} else if (s->type == m->of->state) {
		memcpy(m->state, s, m->of->state_size); /* which begins with it */
		m->state_known = true;
	}
}

struct snap *tally_model__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct window_pace p;
	struct arena *arena;
	struct tally_snap *snap =
		window_snap__new(sizeof(*snap), &m->clock, NULL, t0_ns, t1_ns, &p, &arena);

	if (m->state_known)
		snap->state = arena__dup(arena, m->state, m->of->state_size);
	snap->uses = snap_uses(&m->uses, p.keep, arena);
	snap->nuses = m->uses.n;
	return &snap->base;
}

void tally_model__zero(struct model *m)
{
	entries__clear(&m->uses);
	m->clock = (struct window_clock){0};
}

size_t tally_model__memory(const struct model *m)
{
	return sizeof(*m) + m->of->state_size + entries__bytes(&m->uses);
}

/* --- rows --- */

struct tally_result *tally__query(const struct tally_snap *snap, const struct tally_query *q,
				  const struct scope *scope)
{
	const struct tally_table *of = q->of;
	struct tally_result *a = window_result__new(sizeof(*a), &snap->base, q->window);
	struct tally_rows rows = {.group = q->group,
				  .window = q->window,
				  .first = of->first,
				  .count = of->count,
				  .rank = of->rank,
				  .arena = &a->base.arena};

	a->query = *q;
	tally_rows__begin(&rows, snap->nuses);
	for (u32 i = 0; i < snap->nuses; i++)
		if (of->passes(&snap->uses[i], snap->uses[i].n[q->window] + of->first, scope))
			tally_rows__add(&rows, &snap->uses[i]);
	tally_rows__end(&rows);
	a->rows = rows.rows;
	a->nrows = rows.n;
	memcpy(a->n, rows.sum, sizeof(a->n));
	a->columns = query_result__table(&a->base, of->fields, of->nfields, a->rows, a->nrows,
					 sizeof(*a->rows), 1u << q->group, 0, of->sort);
	return a;
}
