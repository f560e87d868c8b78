// SPDX-License-Identifier: GPL-2.0-only
/* What screens of measures say: headlines, roles, empty tables, the selected row. */
#include "tui/views/measure.h"

#include <stdio.h>

#include "models/growth.h"
#include "models/measure_metrics.h"
#include "models/windows.h"
#include "tui/views/window.h"

static void headline__held(const struct measure_result *a, struct headline *line)
{
	char n[16], bytes[16], rate[16];

	format__count(n, sizeof(n), a->held.n);
	format__bytes(bytes, sizeof(bytes), a->held.bytes);
	format__count(rate, sizeof(rate), window__per_second(a->all.count, a->base.window_ns));
	headline__addf(line, ROLE_TEXT, " · %s in %s %s held · %s/s acquired", bytes, n,
		       a->measure->noun, rate);
	if (!a->all.errors)
		return;
	format__count(rate, sizeof(rate), window__per_second(a->all.errors, a->base.window_ns));
	headline__addf(line, ROLE_DIM, " · %s/s released of before", rate);
}

/* "parse_header keeps 1.2M/min: 96% of its allocations of the last 3m12s live": false: nothing surely grows. */
bool measure__growth_text(const struct measure_result *a, char *buf, size_t size)
{
	const struct measure_row *r = a->grower;
	char rate[16], time[16];

	if (!r)
		return false;
	format__bytes(rate, sizeof(rate), (u64)r->growth.per_min);
	format__ns(time, sizeof(time), a->base.snap->t1_ns - MIN(r->growth.from_ns, a->base.snap->t1_ns));
	snprintf(buf, size, "%.60s keeps %s/min: %.*f%% of its allocations of the last %s live, %u%% sure",
		 measure_row__name(a, r), rate, r->growth.kept_pct < 1 ? 2 : 0, r->growth.kept_pct, time,
		 r->growth.sure_pct);
	return true;
}

static void headline__sums(const struct measure_result *a, struct headline *line)
{
	char rate[16], errors[16], time[16];

	if (!measure__has_sum(a->measure, &a->query))
		return;

	format__count(rate, sizeof(rate), window__per_second(a->all.count, a->base.window_ns));
	headline__addf(line, ROLE_TEXT, " · %s %s/s", rate, a->measure->noun);
	if (a->all.errors) {
		format__count(errors, sizeof(errors),
			      window__per_second(a->all.errors, a->base.window_ns));
		headline__addf(line, ROLE_WARN, " · %s/s fail", errors);
	}
	if (a->waiting_ns) {
		format__ns(time, sizeof(time), a->waiting_ns);
		headline__addf(line, ROLE_DIM, " · %s waiting for something new", time);
	}
}

/* A line of their own where there are several. */
static bool has_many_levels(const struct measure *m)
{
	return m->levels[1].name;
}

static void headline__levels(const struct measure_result *a, struct headline *line)
{
	const struct measure_snap *s = container_of(a->base.snap, struct measure_snap, base);
	const struct measure_level *levels = a->measure->levels;
	char text[16];

	for (u32 i = 0; s->levels_known && i < MEASURE_LEVELS && levels[i].name; i++) {
		if (levels[i].type == VALUE_BYTES)
			format__bytes(text, sizeof(text), s->levels[i]);
		else
			format__count(text, sizeof(text), s->levels[i]);
		headline__addf(line, ROLE_DIM, " · %s %s", levels[i].title, text);
	}
}

/* Who waits for whom, and for what. */
static void headline__deadlock(const struct measure_result *a, struct headline *line)
{
	for (u32 i = 0; i < a->ndeadlock; i++) {
		const struct measure_waiting *w = a->deadlock[i];

		headline__addf(line, ROLE_HOT, "%s%s/%u waits for %s/%u", i ? ", " : "deadlock: ",
			       w->waiter.comm, w->waiter.tid, w->comm, w->tid);
	}
	for (u32 i = 0; i < a->ndeadlock; i++)
		headline__addf(line, ROLE_TEXT, "%s%s", i ? ", " : " for ", a->deadlock[i]->lock.text);
	headline__addf(line, ROLE_DIM, " · ");
}

/* "waits: a/1 -[mutex_x]-> b/2 -[mutex_y]-> c/3": the last one goes on, or waits for something else. Where
 * there is little room the locks are left out. */
static void headline__chain(const struct measure_result *a, struct headline *line)
{
	for (u32 i = 0; i < a->nchain; i++) {
		const struct measure_waiting *w = a->chain[i];

		if (!i)
			headline__addf(line, ROLE_WARN, "waits: %s/%u ", w->waiter.comm, w->waiter.tid);
		headline__addf(line, ROLE_DIM, "-[%.40s]", w->lock.text);
		headline__addf(line, ROLE_WARN, "-> %s/%u%s", w->comm, w->tid,
			       i + 1 < a->nchain ? " " : "");
	}
	headline__addf(line, ROLE_DIM, " · ");
}

/* What may come to be one, and who waited where while it had the other lock. */
static void headline__cycle(const struct measure_result *a, struct headline *line)
{
	const struct measure_cycle *c = &a->cycles[0];

	headline__addf(line, ROLE_WARN, "may deadlock: ");
	for (u32 i = 0; i < c->n; i++) {
		const struct measure_order *o = c->v[i];

		headline__addf(line, ROLE_WARN, "%s%s then %s", i ? ", " : "", o->first.text,
			       o->second.text);
		headline__addf(line, ROLE_TEXT, " in %s (%s/%u)", *o->where ? o->where : "[unknown]",
			       o->who.comm, o->who.tid);
	}
	if (a->ncycles > 1)
		headline__addf(line, ROLE_TEXT, " and %u more", a->ncycles - 1);
	headline__addf(line, ROLE_DIM, " · ");
}

/* Of packets those that were dropped, and the key that tells why. */
static void headline__bad(struct listing *l, struct headline *line)
{
	const struct measure_result *a = measure__rows(l);
	const struct measure_view *v = measure__of(l)->view;
	u32 why = a->measure->stacks_by - 1;
	char rate[16], key[16];

	if (!a->measure->stacks_by || !a->all.sums[0])
		return;
	format__count(rate, sizeof(rate), window__per_second(a->all.sums[0], a->base.window_ns));
	headline__addf(line, ROLE_WARN, " · %s %s", rate, a->measure->sums[0].title);
	if (!(a->query.groups & 1u << why))
		headline__addf(line, ROLE_DIM, ", why [%s]", host__key(l->base.host, v->actions[why], key, sizeof(key)));
}

void measure__headline(struct listing *l, struct headline *line)
{
	const struct measure_query *q = l->result ? &measure__rows(l)->query : &measure__of(l)->query;
	char key[16], text[160];

	if (l->result && measure__rows(l)->ndeadlock)
		headline__deadlock(measure__rows(l), line);
	else if (l->result && measure__rows(l)->nchain)
		headline__chain(measure__rows(l), line);
	if (l->result && measure__rows(l)->ncycles)
		headline__cycle(measure__rows(l), line);
	if (l->result && measure__growth_text(measure__rows(l), text, sizeof(text)))
		headline__addf(line, ROLE_WARN, "%s · ", text);
	headline__addf(line, ROLE_STRONG, "by %s",
		       measure__groups_text(measure__of(l)->view->measure, q->groups, text, sizeof(text)));
	headline__addf(line, ROLE_DIM, " [%s] · %s",
		       host__key(l->base.host, ACTION_GROUP_NEXT, key, sizeof(key)),
		       window__text(q->window));
	if (l->result && measure__of(l)->view->measure->shape == MEASURE_SHAPE_HOLDING)
		headline__held(measure__rows(l), line);
	else if (l->result)
		headline__sums(measure__rows(l), line);
	if (l->result)
		headline__bad(l, line);
	if (l->result && !has_many_levels(measure__of(l)->view->measure))
		headline__levels(measure__rows(l), line);
	if (measure__of(l)->view->measure->shape != MEASURE_SHAPE_SPAN)
		return;
	headline__addf(line, ROLE_DIM, " · slowest [%s]",
		       host__key(l->base.host, ACTION_SLOWEST, key, sizeof(key)));
}

static bool has_levels(const struct measure_snap *s)
{
	u64 all = 0;

	for (u32 i = 0; i < MEASURE_LEVELS; i++)
		all |= s->levels[i];
	return s->levels_known && all;
}

int measure__levels(struct listing *l, struct canvas *c, struct rect area)
{
	struct headline line = {c, {area.x, area.y, area.w, 1}, area.x};
	const struct measure_result *a = measure__rows(l);

	if (!has_many_levels(a->measure) || area.h < 4 ||
	    !has_levels(container_of(a->base.snap, struct measure_snap, base)))
		return 0;
	headline__add(&line, ROLE_DIM, "machine");
	headline__levels(a, &line);
	return 1;
}

bool measure__waiting(const struct listing *l, const struct measure *m, char *buf, size_t size)
{
	char attaching[96], cannot[96], doing[96];
	const struct feed_words words = {attaching, cannot, doing};

	snprintf(attaching, sizeof(attaching), "to %s", m->event);
	snprintf(cannot, sizeof(cannot), "watch %.60s", m->name);
	snprintf(doing, sizeof(doing), "watching %.60s", m->name);
	return listing__waiting(l, &words, buf, size);
}

/* "0x7f...", "[heap]+0x1000", "/path+0x1000": nothing else has a place. */
static bool is_place(const char *text)
{
	return !strncmp(text, "0x", 2) || ((*text == '/' || *text == '[') && strstr(text, "+0x"));
}

bool measure__called_of(const struct measure *m, const struct measure_who *who, const char *const *texts, char *buf,
			size_t size)
{
	int label = measure__label(m, "function");

	if (label < 0 || !texts[label] || !*texts[label])
		return false;
	if (who->tgid && who->tgid != MEASURE_MANY)
		snprintf(buf, size, "pid:%u:%s", who->tgid, texts[label]);
	else
		copy_str(buf, size, texts[label]);
	return true;
}

bool measure__watched(const struct measure *m, const struct measure_who *who, const char *const *texts, char *buf,
		      size_t size)
{
	for (u32 i = 0; i < measure__own_labels(m); i++) {
		if (!m->labels[i].address || !texts[i] || !is_place(texts[i]) || !who->tgid ||
		    who->tgid == MEASURE_MANY)
			continue;
		snprintf(buf, size, "pid:%u:%s", who->tgid, texts[i]);
		return true;
	}
	return false;
}

void measure__empty(const struct listing *l, char *buf, size_t size)
{
	const struct measure *m = measure__of(l)->view->measure;
	char more[MORE_TEXT];

	if (measure__waiting(l, m, buf, size))
		return;
	if (m->hint)
		snprintf(buf, size, "nothing in the window: %s", m->hint);
	else
		snprintf(buf, size, "no %s in scope%s in the window (%s)", m->noun,
			 m->shape == MEASURE_SHAPE_SPAN ? " have ended" : "", listing__more(l, more));
}

enum role measure__time_role(u64 ns)
{
	if (ns >= 100 * NSEC_PER_MSEC)
		return ROLE_HOT;
	return ns >= 10 * NSEC_PER_MSEC ? ROLE_WARM : ROLE_TEXT;
}

/* What a declaration says is worth a look. */
static bool is_bad_sum(const struct measure *m, const char *column)
{
	for (u32 i = 0; i < MEASURE_SUMS; i++)
		if (m->sums[i].name && m->sums[i].bad &&
		    !strncmp(column, m->sums[i].name, strlen(m->sums[i].name)))
			return true;
	return false;
}

enum role measure__role(const struct listing *l, u32 row, u32 column)
{
	const struct measure_row *r = &measure__rows(l)->rows[row];
	const struct row_table *t = &l->result->table;
	const struct column *c = &t->columns[column];
	struct value v;

	if (r->waits)
		return ROLE_DIM;
	if (!t->cell(t, row, column, &v))
		return ROLE_TEXT;
	if (c->flags & COLUMN_KEY)
		return r->who->kthread ? ROLE_KERNEL : ROLE_TEXT;
	if (v.type == VALUE_COUNT && !v.u)
		return ROLE_DIM;
	if (v.type == VALUE_COUNT &&
	    (!strcmp(c->name, "error_rate") || is_bad_sum(measure__rows(l)->measure, c->name)))
		return ROLE_WARN;
	/* Sums of many are no latency. */
	if (v.type == VALUE_NS && v.u && !(c->flags & COLUMN_SUM))
		return measure__time_role(v.u);
	return ROLE_TEXT;
}

void measure__selection(const struct listing *l, struct listing_place at, char *buf,
			       size_t size)
{
	const struct measure_result *a = measure__rows(l);
	const struct measure_row *r = &a->rows[at.row];
	size_t len = 0;

	if (at.node != UINT32_MAX) {
		const struct tree_node *n = &l->result->nodes[at.node];

		snprintf(buf, size, "%s  %s", n->name, n->object_name);
		return;
	}
	*buf = '\0';
	for (u32 i = 0; i < a->measure->nlabels && len < size; i++)
		if (r->texts[i] && *r->texts[i])
			len += (size_t)snprintf(buf + len, size - len, "%s%s %s", len ? "  " : "",
						a->measure->labels[i].name,
						r->texts[i] + strspn(r->texts[i], " "));
	for (u32 i = 0; i < r->errnos.n && len < size; i++) {
		struct value_part p = {0};

		r->errnos.part(r->errnos.of, i, &p);
		len += (size_t)snprintf(buf + len, size - len, "%s%llu %s", i     ? ", "
								     : len ? "  failed: "
									   : "failed: ",
					(unsigned long long)p.value.u, p.name);
	}
}
