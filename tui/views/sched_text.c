// SPDX-License-Identifier: GPL-2.0-only
/* What the table of threads says around its rows: head, histograms, why it is empty, what is
 * selected, and the same as a report. */
#include <stdio.h>

#include "tui/views/sched.h"
#include "tui/views/window.h"

static const char *const show_names[SCHED_SHOWS] = {
	[SCHED_SHOW_DELAYS] = "delays",
	[SCHED_SHOW_STATES] = "states",
	[SCHED_SHOW_BURSTS] = "bursts",
};

static const char *key_of(const struct listing *l, enum action a, char buf[16])
{
	return host__key(l->base.host, a, buf, 16);
}

static void headline__rows(const struct listing *l, struct headline *line)
{
	const struct sched_result *a = sched__rows(l);
	char key[16];

	headline__addf(line, ROLE_DIM, " · %u row%s", a->nrows, a->nrows == 1 ? "" : "s");
	if (a->hidden)
		headline__addf(line, ROLE_DIM, " · %llu that did not run [%s]",
			       (unsigned long long)a->hidden, key_of(l, ACTION_ALL, key));
	if (a->left_out)
		headline__addf(line, ROLE_WARN, " · %llu that ended are in no row",
			       (unsigned long long)a->left_out);
}

void sched__headline(struct listing *l, struct headline *line)
{
	const struct sched_query *q = &sched__of(l)->query;
	char key[16];

	headline__addf(line, ROLE_STRONG, "by %s", sched_group_names[q->group]);
	headline__addf(line, ROLE_DIM, " [%s]", key_of(l, ACTION_GROUP_NEXT, key));
	if (q->group != SCHED_BY_CPU) {
		headline__addf(line, ROLE_STRONG, " · %s", show_names[q->show]);
		headline__addf(line, ROLE_DIM, " [%s]", key_of(l, ACTION_COLUMNS, key));
	}
	headline__addf(line, ROLE_DIM, " · %s", window__text(q->window));
	if (l->result)
		headline__rows(l, line);
	headline__addf(line, ROLE_DIM, " · slowest [%s]", key_of(l, ACTION_SLOWEST, key));
}

int sched__above(struct listing *l, struct canvas *c, struct rect area)
{
	const struct sched_result *a = sched__rows(l);
	const struct sched_panel delay = {SCHED_DELAY, &a->hists[SCHED_DELAY],
					  a->sums.delay_max_ns};
	const struct sched_panel on = {SCHED_ON, &a->hists[SCHED_ON], a->sums.run_max_ns};
	const struct sched_panel off = {SCHED_OFF, &a->hists[SCHED_OFF], 0};
	const bool bursts = sched__of(l)->query.show == SCHED_SHOW_BURSTS;
	const struct sched_panel panels[] = {bursts ? on : delay, bursts ? off : on};

	/* Delays come first; the second one is for wide screens. */
	return sched_panels__draw(panels, bursts || area.h >= 20 ? 2 : 1, c, area);
}

bool sched__waiting(const struct listing *l, char *buf, size_t size)
{
	static const struct feed_words words = {"to the scheduler", "watch the scheduler",
						"watching the scheduler"};

	return listing__waiting(l, &words, buf, size);
}

void sched__empty(const struct listing *l, char *buf, size_t size)
{
	const struct sched_result *a = sched__rows(l);
	char all[16], window[16], more[MORE_TEXT];

	if (sched__waiting(l, buf, size))
		return;
	key_of(l, ACTION_ALL, all);
	key_of(l, ACTION_WINDOW, window);
	if (a && a->hidden)
		snprintf(buf, size,
			 "none of the %llu threads in scope ran or waited for a CPU "
			 "(%s shows them all the same, %s widens the window)",
			 (unsigned long long)a->hidden, all, window);
	else
		snprintf(buf, size, "no thread is in scope (%s)", listing__more(l, more));
}

/* --- rows --- */

/* A delay that somebody notices, and one that everybody does. */
static enum role delay_role(u64 ns)
{
	if (ns >= 20 * NSEC_PER_MSEC)
		return ROLE_HOT;
	return ns >= 2 * NSEC_PER_MSEC ? ROLE_WARM : ROLE_TEXT;
}

/* Zeros are many and say little. */
static bool is_zero(const struct listing *l, u32 row, u32 column)
{
	const struct row_table *t = &l->result->table;
	struct value v;

	if (!t->cell(t, row, column, &v))
		return false;
	if (v.type == VALUE_PCT)
		return !(v.f > 0);
	return (v.type == VALUE_NS || v.type == VALUE_COUNT) && !v.u;
}

enum role sched__role(const struct listing *l, u32 row, u32 column)
{
	const struct sched_row *r = &sched__rows(l)->rows[row];
	const struct column *c = &l->result->table.columns[column];

	if (is_zero(l, row, column))
		return ROLE_DIM;
	if (!strcmp(c->name, "wait_p95_ns"))
		return delay_role(r->wait_p95_ns);
	if (!strcmp(c->name, "wait_p99_ns"))
		return delay_role(r->wait_p99_ns);
	if (!strcmp(c->name, "wait_max_ns"))
		return delay_role(r->sums.delay_max_ns);
	if (!(c->flags & COLUMN_KEY))
		return ROLE_TEXT;
	if (r->task && (r->nthreads == 1 || r->task->task.tid == PROFILE_MERGED) && r->task->gone)
		return ROLE_DIM;
	return r->task && r->task->task.kthread ? ROLE_KERNEL : ROLE_TEXT;
}

void sched__state_text(const struct sched_task *t, u64 now_ns, char *buf, size_t size)
{
	char ns[16];

	if (t->gone) {
		snprintf(buf, size, "ended");
		return;
	}
	format__ns(ns, sizeof(ns), now_ns > t->since_ns ? now_ns - t->since_ns : 0);
	snprintf(buf, size, "%s for %s", task_state_names[t->state], ns);
}

static void select_cpu(const struct sched_row *r, char *buf, size_t size)
{
	char run[16];

	format__ns(run, sizeof(run), r->sums.run_max_ns);
	snprintf(buf, size, "CPU %u  %.2f%% busy  runs %s  longest run %s%s%s", r->cpu->cpu,
		 r->oncpu_pct, r->running, run, *r->longest ? " by " : "", r->longest);
}

static void select_thread(const struct sched_row *r, u64 now_ns, char *buf, size_t size)
{
	const struct sched_task *t = r->task;
	char state[48];

	sched__state_text(t, now_ns, state, sizeof(state));
	if (t->task.tid == PROFILE_MERGED) {
		snprintf(buf, size, "%u threads of %s that ended", r->nthreads, r->name);
		return;
	}
	snprintf(buf, size, "%s  pid %u tid %u  %s  CPU %u", r->name, t->task.tgid, t->task.tid,
		 state, t->cpu);
}

void sched__selection(const struct listing *l, struct listing_place at, char *buf, size_t size)
{
	const struct sched_result *a = sched__rows(l);
	const struct sched_row *r = &a->rows[at.row];

	if (r->cpu)
		select_cpu(r, buf, size);
	else if (!r->task)
		snprintf(buf, size, "%u threads that ended, or were too many to keep apart",
			 r->nthreads);
	else if (a->query.group == SCHED_BY_TID)
		select_thread(r, l->result->snap->t1_ns, buf, size);
	else if (r->starts)
		snprintf(buf, size, "%u processes of %s that ended", r->starts, r->name);
	else if (a->query.group == SCHED_BY_PID && r->task->task.tgid == PROFILE_MERGED)
		snprintf(buf, size, "%u processes of %s that ended", r->nthreads, r->name);
	else if (a->query.group == SCHED_BY_PID)
		snprintf(buf, size, "%s  pid %u  threads %u", r->name, r->task->task.tgid,
			 r->nthreads);
	else
		snprintf(buf, size, "%s  threads %u", r->name, r->nthreads);
}

/* --- reports --- */

void sched__summary(struct report *r, const struct sched_hist *delays, u64 max_ns,
		    struct value hist)
{
	report__sum_number(r, "waits", VALUE_COUNT, (u64)(sched_hist__count(delays) + 0.5));
	report__sum_number(r, "wait_p50_ns", VALUE_NS, sched_hist__quantile(delays, 0.50, max_ns));
	report__sum_number(r, "wait_p95_ns", VALUE_NS, sched_hist__quantile(delays, 0.95, max_ns));
	report__sum_number(r, "wait_p99_ns", VALUE_NS, sched_hist__quantile(delays, 0.99, max_ns));
	report__sum_number(r, "wait_max_ns", VALUE_NS, max_ns);
	report__sum(r, "hist", hist);
}

void sched__report(const struct query_result *base, const struct frame *f, struct report *r)
{
	const struct sched_result *a = container_of(base, struct sched_result, base);

	r->view = "sched";
	r->events = sched_delays__events;
	r->window = window__text(a->query.window);
	r->group = sched_group_names[a->query.group];
	r->health = f->feeds[MODEL_SCHED].health;
	sched__summary(r, &a->hists[SCHED_DELAY], a->sums.delay_max_ns, a->delays);
	report__sum_number(r, "left_out_threads", VALUE_COUNT, a->left_out);
	report__sum_number(r, "left_out_runs", VALUE_COUNT, a->left_out_runs);
	report__sum_number(r, "oncpu_ns", VALUE_NS, a->sums.state_ns[TASK_STATE_RUNNING]);
	report__sum_number(r, "wait_ns", VALUE_NS, a->sums.delay_ns);
}
