// SPDX-License-Identifier: GPL-2.0-only
/* What the table of processes says around its rows, and the same as a report. */
#include <stdio.h>

#include "tui/views/procs.h"
#include "tui/views/window.h"
#include "widgets/parts.h"

static const char *const show_names[PROCS_SHOWS] = {
	[PROCS_SHOW_WHERE] = "overview",
	[PROCS_SHOW_PARTS] = "wall time",
	[PROCS_SHOW_MEMORY] = "memory",
};

static const char *const part_names[PROCS_PARTS] = {"user", "kernel",	   "run queue", "disk",
						    "lock", "other waits", "sleep"};

static const char *key_of(const struct listing *l, enum action a, char buf[16])
{
	return host__key(l->base.host, a, buf, 16);
}

static void headline__tasks(const struct procs_result *a, struct headline *line)
{
	headline__addf(line, ROLE_TEXT, " · %u process%s, %u thread%s", a->nprocs,
		       a->nprocs == 1 ? "" : "es", a->nthreads, a->nthreads == 1 ? "" : "s");
	headline__addf(line, a->running ? ROLE_TEXT : ROLE_DIM, " · %u running", a->running);
	if (a->blocked)
		headline__addf(line, ROLE_WARN, " · %u blocked", a->blocked);
	if (a->zombies)
		headline__addf(line, ROLE_WARN, " · %u zombie%s", a->zombies, a->zombies == 1 ? "" : "s");
	if (a->n[PROCS_STARTS])
		headline__addf(line, ROLE_TEXT, " · %llu short-lived",
			       (unsigned long long)a->n[PROCS_STARTS]);
}

void procs__headline(struct listing *l, struct headline *line)
{
	const struct procs_query *q = &procs__of(l)->query;
	char key[16];

	headline__addf(line, ROLE_STRONG, "by %s", procs_group_names[q->group]);
	headline__addf(line, ROLE_DIM, " [%s]", key_of(l, ACTION_GROUP_NEXT, key));
	if (l->result)
		headline__tasks(procs__rows(l), line);
	headline__addf(line, ROLE_STRONG, " · %s", show_names[q->show]);
	headline__addf(line, ROLE_DIM, " [%s]", key_of(l, ACTION_COLUMNS, key));
	if (q->group == PROCS_BY_PID)
		headline__addf(line, ROLE_DIM, " · %s [%s]", q->tree ? "tree" : "flat",
			       key_of(l, ACTION_TREE, key));
	headline__addf(line, ROLE_DIM, " · %s", window__text(q->window));
}

/* What the parts of the bars are; how the scope's time, but for sleep, is cut. */
int procs__above(struct listing *l, struct canvas *c, struct rect area)
{
	const struct procs_result *a = procs__rows(l);
	double wall = (double)MAX(a->window_ns, 1ULL);
	int x = area.x;

	if (area.h < 6 || procs__of(l)->query.show != PROCS_SHOW_WHERE)
		return 0;
	for (u32 p = 0; p < PROCS_PARTS; p++) {
		char text[48], pct[16];
		int w;

		format__pct(pct, sizeof(pct), (double)a->n[p] * 100 / wall);
		if (p == PROCS_SLEEP || area.w < 100)
			snprintf(text, sizeof(text), " %s", part_names[p]);
		else
			snprintf(text, sizeof(text), " %s %s%%", part_names[p], pct);
		w = text__width(text) + 1;
		if (x + w > area.x + area.w)
			break;
		parts__mark(c, x, area.y, PROCS_LETTERS[p]);
		draw__text(c, x + 1, area.y, w - 1, ROLE_DIM, text);
		x += w + 2;
	}
	return 1;
}

void procs__empty(const struct listing *l, char *buf, size_t size)
{
	static const struct feed_words words = {"to the scheduler and visiting all threads",
						"look at processes", "looking at processes"};
	char clear[16];

	if (!listing__waiting(l, &words, buf, size))
		snprintf(buf, size, "no process is in scope (%s clears the filter)",
			 key_of(l, ACTION_CLEAR_FILTER, clear));
}

/* --- rows --- */

static enum role state_role(char state)
{
	switch (state) {
	case 'R':
		return ROLE_OK;
	case 'D':
		return ROLE_WARN;
	case 'Z':
	case 'T':
	case 't':
		return ROLE_BAD;
	default:
		return ROLE_DIM;
	}
}

static enum role name_role(const struct procs_entry *e)
{
	if (e->ended_ns || e->state == 'Z')
		return ROLE_DIM;
	if (e->kind == PROCS_BRIEF)
		return ROLE_COOL;
	return e->flags & PROCS_KTHREAD ? ROLE_KERNEL : ROLE_TEXT;
}

enum role procs__role(const struct listing *l, u32 row, u32 column)
{
	const struct procs_entry *e = procs__rows(l)->rows[row].e;
	const struct row_table *t = &l->result->table;
	const struct column *col = &t->columns[column];
	struct value v;

	if (col->flags & COLUMN_KEY)
		return name_role(e);
	if (!strcmp(col->name, "state"))
		return state_role(e->state);
	if (!strcmp(col->name, "user"))
		return ROLE_DIM;
	if (!t->cell(t, row, column, &v))
		return ROLE_TEXT;
	if (v.type == VALUE_PCT) {
		if (v.f < 0.05)
			return ROLE_DIM;
		if (!strcmp(col->name, "cpu_pct") && v.f >= 50)
			return ROLE_HOT;
		return !strcmp(col->name, "runq_pct") && v.f >= 10 ? ROLE_WARM : ROLE_TEXT;
	}
	if ((v.type == VALUE_COUNT || v.type == VALUE_BYTES) && !v.u)
		return ROLE_DIM;
	return ROLE_TEXT;
}

static void select_process(const struct procs_row *r, char *buf, size_t size)
{
	const struct procs_entry *e = r->e;
	char what[48] = "";

	if (e->tid != e->tgid)
		snprintf(what, sizeof(what), " thread %u", e->tid);
	snprintf(buf, size, "%s pid %u%s · parent %u · nice %d · cgroup %s%s%s · %s", e->comm,
		 e->tgid, what, e->ppid, e->nice, r->cgroup_name, *r->container ? " · " : "",
		 r->container, *e->cmdline ? e->cmdline : "no command line");
}

void procs__selection(const struct listing *l, struct listing_place at, char *buf, size_t size)
{
	const struct procs_row *r = &procs__rows(l)->rows[at.row];

	if (procs__rows(l)->query.group > PROCS_BY_TID)
		snprintf(buf, size, "%s: %llu processes, %llu threads", r->name,
			 (unsigned long long)r->nprocs, (unsigned long long)r->nthreads);
	else if (r->e->kind == PROCS_THREAD)
		select_process(r, buf, size);
	else
		snprintf(buf, size, "%s · cgroup %s", r->name, r->cgroup_name);
}

void procs__report(const struct query_result *base, const struct frame *f, struct report *r)
{
	const struct procs_result *a = container_of(base, struct procs_result, base);

	r->view = "procs";
	r->window = window__text(a->query.window);
	r->group = procs_group_names[a->query.group];
	r->health = f->feeds[MODEL_PROCS].health;
	report__sum_number(r, "processes", VALUE_COUNT, a->nprocs);
	report__sum_number(r, "threads", VALUE_COUNT, a->nthreads);
	report__sum_number(r, "running", VALUE_COUNT, a->running);
	report__sum_number(r, "blocked", VALUE_COUNT, a->blocked);
	report__sum_number(r, "zombies", VALUE_COUNT, a->zombies);
	report__sum_number(r, "starts", VALUE_COUNT, a->n[PROCS_STARTS]);
}
