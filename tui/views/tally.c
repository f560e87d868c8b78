// SPDX-License-Identifier: GPL-2.0-only
#include "tui/views/tally.h"

#include <stdio.h>

#include "tui/views/listing.h"
#include "tui/views/terms.h"
#include "tui/views/window.h"

void tally__show(struct tally_screen *s, const struct tally_pane *pane)
{
	s->pane = pane;
	s->query.of = pane->table;
	s->list.base.pane = pane_table[pane->at];
	copy_str(s->list.narrowed, sizeof(s->list.narrowed), pane->name);
}

struct screen *tally__open(struct host *h, const struct tally_pane *pane, const char *group,
			   const struct scope *extra)
{
	const struct listing_view view = {
		LISTING_VIEW(struct tally_screen, pane->screen, pane->list)};
	struct tally_query q;
	struct listing *l;

	listing_query__init(pane->list, &q, group, 1u << TALLY_BY_PID, WINDOW_DECAY);
	l = listing__new(&view, h, &q);
	l->query_client.extra_scope = extra ? scope__get(extra) : NULL;
	tally__show(tally__of(l), pane);
	return &l->base;
}

struct screen *tally__open_view(const struct view_ops *v, struct host *h, const struct view_args *args)
{
	return tally__open(h, v->of, args->group, NULL);
}

int tally__batch(const struct view_ops *v, const struct frame *f, const struct view_args *args,
		 const struct scope *scope, struct report *r)
{
	const struct tally_pane *pane = v->of;
	struct tally_query q;

	listing_query__init(pane->list, &q, args->group, 1u << TALLY_BY_PID, WINDOW_LAST);
	q.of = pane->table;
	return listing__batch(pane->list, f, args, &q, scope, r);
}

/* --- what it says --- */

bool tally__headline(struct listing *l, struct headline *line)
{
	const struct tally_screen *s = tally__of(l);
	char key[16];

	headline__addf(line, ROLE_STRONG, "%s by %s", s->pane->title,
		       tally_group_names[s->query.group]);
	headline__addf(line, ROLE_DIM, " [%s] · %s",
		       host__key(l->base.host, ACTION_GROUP_NEXT, key, sizeof(key)),
		       window__text(s->query.window));
	return l->result && tally__result(l)->n[0];
}

void tally__add_rate(struct headline *line, const struct query_result *a, const char *what, u64 n)
{
	char text[16];

	format__count(text, sizeof(text),
		      (u64)((double)n * 1e9 / (double)MAX(a->window_ns, 1ULL)));
	headline__addf(line, ROLE_TEXT, " · %s%s%s/s", what, *what ? " " : "", text);
}

void tally__add_pct(struct headline *line, const char *what, double pct)
{
	char text[16];

	format__pct(text, sizeof(text), pct);
	headline__addf(line, ROLE_TEXT, " · %s %s%%", what, text);
}

const char *tally__who(const struct tally_result *a, u32 row, char *buf, size_t size)
{
	const struct tally_row *r = &a->rows[row];

	if (a->query.group == TALLY_BY_CPU)
		snprintf(buf, size, "CPU %u", r->most->cpu);
	else
		snprintf(buf, size, "%s%s%s", r->name, *r->pid_text ? " pid " : "",
			 r->pid_text + strspn(r->pid_text, " "));
	return buf;
}

enum role tally__role(const struct listing *l, u32 row, u32 column)
{
	const struct row_table *t = &l->result->table;
	const struct tally *most = tally__result(l)->rows[row].most;
	struct value v;

	if (t->columns[column].flags & COLUMN_KEY && most->kthread)
		return ROLE_KERNEL;
	if (t->cell(t, row, column, &v) && v.type == VALUE_COUNT && !v.u)
		return ROLE_DIM;
	return most->tgid == TALLY_OTHERS && tally__result(l)->query.group != TALLY_BY_CPU
		       ? ROLE_DIM
		       : ROLE_TEXT;
}

bool tally__term(const struct listing *l, u32 row, char *buf, size_t size)
{
	const struct tally_row *r = &tally__result(l)->rows[row];

	switch (tally__of(l)->query.group) {
	case TALLY_BY_CPU:
		return term__id("cpu", r->most->cpu, buf, size);
	case TALLY_BY_COMM:
		return r->most->tgid != TALLY_OTHERS && term__name("comm", r->most->comm, buf, size);
	case TALLY_BY_CGROUP:
		return r->most->tgid != TALLY_OTHERS &&
		       term__cgroup(r->most->cgroup, r->cgroup_name, buf, size);
	default:
		return r->most->tgid != TALLY_OTHERS && term__id("pid", r->most->tgid, buf, size);
	}
}

void tally__report(const struct tally_result *a, const struct tally_pane *pane, enum model_id model,
		   const struct frame *f, struct report *r)
{
	r->view = pane->view;
	r->window = window__text(a->query.window);
	r->group = tally_group_names[a->query.group];
	r->health = f->feeds[model].health;
}
