// SPDX-License-Identifier: GPL-2.0-only
/* The model of what each CPU does: samples in, snapshots and rows out. */
#include "models/percpu.h"

#include <stdio.h>

#include "base/columns.h"
#include "models/fields.h"
#include "models/model.h"
#include "models/windows.h"

struct live_cpu {
	u64 known;
	u64 now[PERCPU_FIGURES], total[PERCPU_FIGURES];
	double decay[PERCPU_FIGURES];
};

struct model {
	struct live_cpu *cpus; /* by number; known 0: there is none of it */
	u32 n, cap;
	struct window_clock clock;
};

static struct live_cpu *cpu_of(struct model *m, u32 cpu)
{
	if (cpu >= PERCPU_MAX_CPUS)
		return NULL;
	for (; m->n <= cpu; m->n++) {
		m->cpus = xgrow(m->cpus, m->n, &m->cap, sizeof(*m->cpus));
		m->cpus[m->n] = (struct live_cpu){0};
	}
	return &m->cpus[cpu];
}

static void percpu__consume(struct model *m, const struct sample *s)
{
	const struct percpu_sample *p = container_of(s, struct percpu_sample, head);
	struct live_cpu *to = s->type == SAMPLE_PERCPU ? cpu_of(m, p->cpu) : NULL;

	if (!to)
		return;
	to->known |= p->known;
	for (u32 i = 0; i < PERCPU_FIGURES; i++)
		to->now[i] += p->values[i];
}

static struct snap *percpu__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct window_pace p;
	struct arena *arena;
	struct percpu_snap *snap =
		window_snap__new(sizeof(*snap), &m->clock, NULL, t0_ns, t1_ns, &p, &arena);
	struct percpu_entry *cpus = arena__array(arena, struct percpu_entry, m->n);

	for (u32 i = 0; i < m->n; i++) {
		struct live_cpu *c = &m->cpus[i];
		struct percpu_entry *out = &cpus[snap->n];
		const struct window_sums sums = {PERCPU_FIGURES, c->now, c->total, c->decay};

		if (!c->known)
			continue;
		out->cpu = i;
		out->known = c->known;
		window_sums__advance(&sums, p.keep, out->n[0], PERCPU_FIGURES);
		snap->n++;
	}
	snap->cpus = cpus;
	return &snap->base;
}

static void percpu__zero(struct model *m)
{
	m->n = 0;
	m->clock = (struct window_clock){0};
}

static struct model *percpu__new(struct symbols *symbols)
{
	return xcalloc(1, sizeof(struct model));
}

static void percpu__free(struct model *m)
{
	free(m->cpus);
	free(m);
}

static size_t percpu__memory(const struct model *m)
{
	return sizeof(*m) + m->cap * sizeof(*m->cpus);
}

const struct model_ops model_percpu = {
	.name = "percpu",
	.view = "percpu",
	.new = percpu__new,
	.free = percpu__free,
	.consume = percpu__consume,
	.tick = percpu__tick,
	.zero = percpu__zero,
	.memory = percpu__memory,
};

/* --- rows --- */

#define ROW struct percpu_cpu
#define KNOWN(id) UNLESS_0(ROW, known[PERCPU_##id])

/* On screen a share of the time, or a rate; in exports what it is made of. */
#define SCREEN_TIME(id, name_, title, width, priority, help)                                       \
	{PCT_COLUMN(name_ "_pct", title, width, priority, COLUMN_SCREEN | COLUMN_SHARE, help),     \
	 .kind = FIELD_PART, FIELD_AT(ROW, n[PERCPU_##id]), .by = offsetof(ROW, all_ns), KNOWN(id)}, \
	{EXPORT_COLUMN(VALUE_NS, name_ "_ns", help), NUMBER_AT(ROW, n[PERCPU_##id]), KNOWN(id)},
#define SCREEN_COUNT(id, name_, title, width, priority, help)                                      \
	{COUNT_COLUMN(name_ "_rate", title, width, priority, COLUMN_SCREEN | COLUMN_SHARE, help " a second"), \
	 RATE_AT(ROW, n[PERCPU_##id]), KNOWN(id)},                                                 \
	{COLUMN(VALUE_COUNT, name_, name_, 0, 0, COLUMN_EXPORT | COLUMN_SUM, help),                \
	 NUMBER_AT(ROW, n[PERCPU_##id]), KNOWN(id)},
#define SCREEN_INTERRUPTS SCREEN_COUNT
#define SCREEN_VECTOR	  SCREEN_COUNT
#define SCREEN_EVENT	  SCREEN_COUNT

static const struct field fields[] = {
	{TEXT_COLUMN("name", "CPU", 4, 0, COLUMN_SCREEN | COLUMN_KEY | COLUMN_FLEX, "its number"),
	 TEXT_AT(ROW, name)},
	{ID_COLUMN("cpu", "its number"), NUMBER_AT(ROW, cpu)},
#define PERCPU(id, from, what, name, title, width, priority, help, question)                       \
	SCREEN_##from(id, name, title, width, priority, help)
#include "samples/percpu.def"
#undef PERCPU
};

static void fill_row(struct percpu_result *a, struct percpu_cpu *r, const struct percpu_entry *e)
{
	char buf[12];

	snprintf(buf, sizeof(buf), "%u", e->cpu);
	*r = (struct percpu_cpu){.key = e->cpu + 1ULL,
				 .cpu = e->cpu,
				 .name = arena__strdup(&a->base.arena, buf)};
	memcpy(r->n, e->n[a->query.window], sizeof(r->n));
	for (u32 i = 0; i < PERCPU_FIGURES; i++) {
		r->known[i] = e->known >> i & 1;
		a->n[i] += r->n[i];
		if (percpu_rows[i].from == PERCPU_FROM_TIME)
			r->all_ns += r->n[i];
	}
}

struct percpu_result *percpu__query(const struct percpu_snap *snap, const struct percpu_query *q,
				    const struct scope *scope)
{
	struct percpu_result *a = window_result__new(sizeof(*a), &snap->base, q->window);
	struct percpu_cpu *rows = arena__array(&a->base.arena, struct percpu_cpu, snap->n);

	a->query = *q;
	a->rows = rows;
	a->nrows = snap->n;
	for (u32 i = 0; i < snap->n; i++)
		fill_row(a, &rows[i], &snap->cpus[i]);
	query_result__table(&a->base, fields, ARRAY_SIZE(fields), rows, a->nrows, sizeof(*rows), 1,
			    0, "cpu");
	return a;
}
