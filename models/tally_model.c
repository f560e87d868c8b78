// SPDX-License-Identifier: GPL-2.0-only
#include "models/tally_model.h"

#include "models/snap_box.h"
#include "models/windows.h"

struct model {
	const struct tally_subject *of;
	struct tallies uses;
	struct sample *state;
	bool state_known;
	struct window_clock clock;
};

struct model *tally_model__new(const struct tally_subject *of)
{
	struct model *m = xcalloc(1, sizeof(*m));

	m->of = of;
	m->uses.max = of->max;
	m->state = xcalloc(1, of->state_size);
	return m;
}

void tally_model__free(struct model *m)
{
	tallies__fini(&m->uses);
	free(m->state);
	free(m);
}

void tally_model__consume(struct model *m, const struct sample *s)
{
	u64 n[TALLY_COUNTS] = {0};
	struct tally who = {0};

	if (s->type == m->of->uses) {
		m->of->take(s, &who, n);
		tallies__add(&m->uses, &who, n);
	} else if (s->type == m->of->state) {
		memcpy(m->state, s, m->of->state_size); /* which begins with it */
		m->state_known = true;
	}
}

struct snap *tally_model__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct arena *arena;
	struct tally_snap *snap = snap_box__new(sizeof(*snap), t0_ns, t1_ns, &arena);
	double keep = window_clock__advance(&m->clock, t0_ns, t1_ns, snap->window_ns);

	snap->since_ns = m->clock.since_ns;
	if (m->state_known)
		snap->state = arena__dup(arena, m->state, m->of->state_size);
	snap->uses = tallies__snap(&m->uses, keep, arena);
	snap->nuses = m->uses.n;
	return &snap->base;
}

void tally_model__zero(struct model *m)
{
	tallies__clear(&m->uses);
	m->clock = (struct window_clock){0};
}

size_t tally_model__memory(const struct model *m)
{
	return sizeof(*m) + m->of->state_size + tallies__bytes(&m->uses);
}

/* --- rows --- */

struct tally_result *tally__query(const struct tally_snap *snap, const struct tally_query *q,
				  const struct scope *scope)
{
	const struct tally_table *of = q->of;
	struct tally_result *a =
		query_result__new(sizeof(*a), &snap->base, NULL,
				  q->window == WINDOW_TOTAL ? snap->since_ns : snap->base.t0_ns);
	struct tally_rows rows = {.group = q->group,
				  .window = q->window,
				  .first = of->first,
				  .count = of->count,
				  .rank = of->rank,
				  .arena = &a->base.arena};

	a->query = *q;
	a->base.window_ns = snap->window_ns[q->window];
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
