// SPDX-License-Identifier: GPL-2.0-only
#include "models/measure_metrics.h"

#include <math.h>
#include <stdio.h>

#include "bpf/counters.h"

int measure__metric_label(const struct measure *m)
{
	for (u32 i = 0; i < m->nlabels; i++)
		if (m->labels[i].metric)
			return (int)i;
	return -1;
}

bool measure__is_by_metric(const struct measure *m, u32 groups)
{
	int i = measure__metric_label(m);

	return i >= 0 && (groups & (1u << i));
}

bool measure__has_sum(const struct measure *m, const struct measure_query *q)
{
	int metric = measure__metric_label(m);

	return metric < 0 || q->narrow.hashes[m->labels[metric].of];
}

u32 measure__groups_of(const struct measure *m, const struct measure_query *q)
{
	if (measure__has_sum(m, q) || measure__is_by_metric(m, q->groups))
		return q->groups;
	return q->groups | 1u << m->labels[measure__metric_label(m)].of;
}

/* Where nothing is there of an event of the hardware, it is not counted, or it did not happen. */
void metric_builder__begin(struct metric_builder *k, const struct measure_snap *s)
{
	k->event = s->measure->labels[measure__metric_label(s->measure)].of;
	for (u32 i = 0; i < s->nentries; i++) {
		u32 event = counter__event(s->entries[i].keys[k->event].text);

		if (event < COUNTER_EVENTS)
			k->counted[event] = true;
	}
	/* What did not happen has no entry. Whoever ran has one of both clocks, unless other events were chosen. */
	if (s->nentries && !(k->counted[COUNTER_CPU_CLOCK] && k->counted[COUNTER_TASK_CLOCK]))
		return;
	for (u32 i = 0; i < COUNTER_KERNEL_EVENTS; i++)
		k->counted[i] = true;
}

/* The idle task is of no process. */
static bool is_task(const struct measure_who *w)
{
	return w->tgid != 0;
}

void metric_row__add(const struct metric_builder *k, struct measure_row *r,
		     const struct measure_entry *e, enum time_window window)
{
	const struct measure_values *v = &e->v[window];
	u32 event = counter__event(e->keys[k->event].text);
	bool cpu_time = event < COUNTER_EVENTS && !strcmp(counter_events[event], COUNTER_CPU_TIME) && is_task(&e->who);

	for (u32 i = 0; i < k->metric->formula.nnames; i++) {
		struct metric_operand *o = &r->operands[i];

		if (k->metric->operands[i] == METRIC_CPU_SECONDS && cpu_time)
			o->n += (double)v->count / NSEC_PER_SEC;
		else if (k->metric->operands[i] == event)
			o->n += (double)v->count;
		else
			continue;
		o->enabled += v->sums[COUNTERS_ENABLED];
		o->running += v->sums[COUNTERS_RUNNING];
	}
}

/* NULL: what the formula names is known. */
static const char *missing(const struct metric_builder *k, const struct measure_row *r, u32 i)
{
	u32 operand = r->metric->operands[i];

	if (operand == METRIC_SECONDS)
		return NULL;
	if (!k->counted[counter__event(metric_operand__event(operand))])
		return "nothing was counted";
	return r->operands[i].enabled && !r->operands[i].running ? "never had a counter" : NULL;
}

static void say_missing(const struct metric_builder *k, struct measure_row *r, struct arena *arena)
{
	char buf[FORMULA_NAMES * (FORMULA_NAME_MAX + 24)];
	size_t len = 0;

	for (u32 i = 0; i < r->metric->formula.nnames; i++) {
		const char *why = missing(k, r, i);

		if (why)
			len += (size_t)snprintf(buf + len, sizeof(buf) - len, "%s%s: %s", len ? ", " : "",
						metric_operand__event(r->metric->operands[i]), why);
	}
	if (len)
		r->missing = arena__strdup(arena, buf);
}

void metric_row__finish(const struct metric_builder *k, struct measure_row *r, u64 window_ns,
			struct arena *arena)
{
	const struct metric *m = r->metric;
	double values[FORMULA_NAMES];

	for (u32 i = 0; i < m->formula.nnames; i++)
		values[i] = m->operands[i] == METRIC_SECONDS ? (double)window_ns / NSEC_PER_SEC
							     : r->operands[i].n;
	r->value = formula__value(&m->formula, values);
	say_missing(k, r, arena);
	if (!r->missing && !isfinite(r->value))
		r->missing = "it would be divided by 0";
	if (r->missing)
		r->value = NAN;
}

int metric_row__compare(const struct measure_row *a, const struct measure_row *b)
{
	if (isnan(a->value) != isnan(b->value))
		return isnan(a->value) - isnan(b->value);
	if (a->metric != b->metric)
		return a->metric > b->metric ? 1 : -1; /* in one array, see metrics__at() */
	return (a->value < b->value) - (a->value > b->value);
}
