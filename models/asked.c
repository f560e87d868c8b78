// SPDX-License-Identifier: GPL-2.0-only
/* The models of questions: samples of each go to a measure's model of its own. */
#include "models/asked.h"

#include "models/ask_lines.h"
#include "models/measure_model.h"
#include "models/model.h"
#include "models/snap_box.h"

struct question {
	const struct measure *measure;
	/* One of them; neither: nothing came yet. */
	struct model *model;
	struct ask_lines *lines;
};

struct model {
	struct symbols *symbols;
	struct question questions[ASK_MAX];
	u32 n;
	u32 now; /* whose samples come; ASK_MAX: nobody's */
};

static struct model *asked__new(struct symbols *symbols)
{
	struct model *m = xcalloc(1, sizeof(*m));

	m->symbols = symbols;
	m->now = ASK_MAX;
	return m;
}

static void drop(struct question *q)
{
	if (q->model)
		measure_model__free(q->model);
	if (q->lines)
		ask_lines__free(q->lines);
	*q = (struct question){0};
}

static void asked__free(struct model *m)
{
	for (u32 i = 0; i < ASK_MAX; i++)
		drop(&m->questions[i]);
	free(m);
}

/* Others may have gone or come before it in the list; what it counted stays. */
static bool find_moved(struct model *m, u32 to, const struct measure *measure)
{
	for (u32 i = to; i < ASK_MAX; i++) {
		struct question found = m->questions[i];

		if (found.measure != measure)
			continue;
		m->questions[i] = m->questions[to];
		m->questions[to] = found;
		return true;
	}
	return false;
}

/* A question that is another one now begins anew. */
static void begin(struct model *m, const struct ask_form *form, const struct measure *measure)
{
	struct question *q = &m->questions[m->now];

	if (find_moved(m, m->now, measure))
		return;
	/* The one whose place it takes may have moved, too. */
	for (u32 i = ASK_MAX - 1; q->measure && i > m->now; i--)
		if (!m->questions[i].measure) {
			m->questions[i] = *q;
			*q = (struct question){0};
		}
	drop(q);
	q->measure = measure;
	if (form->lists)
		q->lines = ask_lines__new(measure, m->symbols);
	else
		q->model = measure_model__new(measure, m->symbols);
}

static void turn_to(struct model *m, const struct ask_sample *s)
{
	const struct measure *measure = s->n ? ask_form__measure(&s->form) : NULL;

	m->n = MIN(s->n, (u32)ASK_MAX);
	m->now = ASK_MAX;
	if (s->index < m->n && measure) {
		m->now = s->index;
		begin(m, &s->form, measure);
	}
	/* The last turn: none of the others is asked any more. */
	for (u32 i = m->n; s->index + 1 >= m->n && i < ASK_MAX; i++)
		drop(&m->questions[i]);
}

static void consume_as(struct question *q, const struct sample *s)
{
	if (q->lines)
		ask_lines__consume(q->lines, s);
	else if (q->model)
		measure_model__consume(q->model, s);
}

static void asked__consume(struct model *m, const struct sample *s)
{
	switch (s->type) {
	case SAMPLE_ASK:
		turn_to(m, container_of(s, struct ask_sample, head));
		break;
	case SAMPLE_MEASURE:
	case SAMPLE_MEASURE_OPEN:
	case SAMPLE_MEASURE_SLOW:
	case SAMPLE_MEASURE_HELD:
	case SAMPLE_ASK_LINE:
		if (m->now < ASK_MAX)
			consume_as(&m->questions[m->now], s);
		break;
	default: /* processes and stacks are everybody's */
		for (u32 i = 0; i < m->n; i++)
			consume_as(&m->questions[i], s);
	}
}

static void put_questions(void *snap)
{
	struct asked_snap *s = snap;

	for (u32 i = 0; i < s->n; i++)
		if (s->questions[i])
			snap__put(&s->questions[i]->base);
	for (u32 i = 0; i < s->n; i++)
		if (s->lines[i])
			snap__put(&s->lines[i]->base);
}

static struct snap *asked__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct arena *arena;
	struct asked_snap *snap = snap_box__new(sizeof(*snap), t0_ns, t1_ns, &arena);

	snap->n = m->n;
	snap->symbols = m->symbols;
	snap->since_ns = t0_ns;
	for (u32 i = 0; i < m->n; i++)
		if (m->questions[i].model)
			snap->questions[i] = container_of(
				measure_model__tick(m->questions[i].model, t0_ns, t1_ns),
				struct measure_snap, base);
		else if (m->questions[i].lines)
			snap->lines[i] = ask_lines__tick(m->questions[i].lines, t0_ns, t1_ns);
	for (u32 i = m->n; i-- > 0;)
		if (snap->questions[i])
			snap->since_ns = snap->questions[i]->since_ns;
	snap_box__hold(snap, put_questions, snap);
	return &snap->base;
}

static void asked__zero(struct model *m)
{
	for (u32 i = 0; i < m->n; i++)
		if (m->questions[i].model)
			measure_model__zero(m->questions[i].model);
		else if (m->questions[i].lines)
			ask_lines__zero(m->questions[i].lines);
}

static size_t asked__memory(const struct model *m)
{
	size_t bytes = sizeof(*m);

	for (u32 i = 0; i < m->n; i++)
		if (m->questions[i].model)
			bytes += measure_model__memory(m->questions[i].model);
		else if (m->questions[i].lines)
			bytes += ask_lines__memory(m->questions[i].lines);
	return bytes;
}

#define ASKED(name_)                                                                               \
	const struct model_ops model_##name_ = {                                                   \
		.name = #name_,                                                                    \
		.view = #name_,                                                                    \
		.new = asked__new,                                                                 \
		.free = asked__free,                                                               \
		.consume = asked__consume,                                                         \
		.tick = asked__tick,                                                               \
		.zero = asked__zero,                                                               \
		.memory = asked__memory,                                                           \
	}

ASKED(events);
ASKED(pairs);
ASKED(held);

const struct measure_snap *asked__find(const struct snap *base, const struct measure *question)
{
	const struct asked_snap *s = container_of(base, struct asked_snap, base);

	for (u32 i = 0; i < s->n; i++)
		if (s->questions[i] && s->questions[i]->measure == question)
			return s->questions[i];
	return NULL;
}

/* As if nothing had been counted: it is not asked any more. One reference. */
static const struct measure_snap *nothing(const struct snap *of, const struct measure *question)
{
	struct arena *arena;
	struct measure_snap *s = snap_box__new(sizeof(*s), of->t0_ns, of->t1_ns, &arena);

	s->measure = question;
	return s;
}

struct query_result *asked__query_one(const struct snap *snap, const struct measure_query *q,
				      const struct scope *scope)
{
	const struct measure_snap *s = asked__find(snap, q->asked), *none;
	struct measure_result *a;

	if (s)
		return &measure__query(s, q, scope)->base;
	none = nothing(snap, q->asked);
	a = measure__query(none, q, scope);
	snap__put(&none->base);
	return &a->base;
}

struct query_result *asked__slow_one(const struct snap *snap, const struct measure_slow_query *q,
				     const struct scope *scope)
{
	const struct measure_snap *s = asked__find(snap, q->asked), *none;
	struct measure_slow_result *a;

	if (s)
		return &measure__slow(s, q, scope)->base;
	none = nothing(snap, q->asked);
	a = measure__slow(none, q, scope);
	snap__put(&none->base);
	return &a->base;
}

struct query_result *asked__timeline_of(const struct snap *snap,
					const struct measure_timeline_query *q)
{
	const struct measure_snap *s = asked__find(snap, q->asked), *none;
	struct measure_timeline_result *a;

	if (s)
		return &measure__timeline(s, q)->base;
	none = nothing(snap, q->asked);
	a = measure__timeline(none, q);
	snap__put(&none->base);
	return &a->base;
}

/* --- lists --- */

static const struct ask_lines_snap *find_lines(const struct asked_snap *s,
					       const struct measure *question)
{
	for (u32 i = 0; i < s->n; i++)
		if (s->lines[i] && s->lines[i]->measure == question)
			return s->lines[i];
	return NULL;
}

struct query_result *asked__lines_of(const struct snap *snap, const struct ask_lines_query *q,
				     const struct scope *scope)
{
	const struct ask_lines_snap *s =
		find_lines(container_of(snap, struct asked_snap, base), q->asked);
	struct ask_lines_snap *none;
	struct ask_lines_result *a;
	struct arena *arena;

	if (s)
		return &ask_lines__query(s, q, scope)->base;
	none = snap_box__new(sizeof(*none), snap->t0_ns, snap->t1_ns, &arena);
	none->measure = q->asked;
	a = ask_lines__query(none, q, scope);
	snap__put(&none->base);
	return &a->base;
}
