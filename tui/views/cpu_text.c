// SPDX-License-Identifier: GPL-2.0-only
/* What the table of hot things says in words: its head, why it is empty, what is selected. */
#include <stdio.h>

#include "tui/views/cpu.h"
#include "tui/views/cpu_terms.h"
#include "tui/views/window.h"
#include "widgets/spark.h"

static const char *mode_text(const struct profile_query *q)
{
	return !q->user ? "kernel only" : !q->kernel ? "user only" : "user+kernel";
}

static void headline__samples(struct headline *line, const struct profile_rows *rows)
{
	char count[16];

	format__count(count, sizeof(count), rows->count);
	headline__addf(line, ROLE_DIM, " · %s samples", count);
	headline__addf(line, ROLE_DIM, " · %u%s rows", rows->nrows, rows->rows_left_out ? "+" : "");
}

void cpu__headline(struct listing *l, struct headline *line)
{
	const struct profile_query *q = &cpu__of(l)->query;
	char key[16], grouping[GROUPS_TEXT];

	profile_groups__text(q->groups, grouping, sizeof(grouping));
	headline__addf(line, ROLE_STRONG, "by %s%s", grouping, l->grouping.adding ? "+?" : "");
	host__key(l->base.host, ACTION_GROUP_NEXT, key, sizeof(key));
	headline__addf(line, ROLE_DIM, " [%s] · %s", key, window__text(q->window));
	headline__addf(line, ROLE_DIM, " · %s", mode_text(q));
	headline__addf(line, ROLE_DIM, " · chains: %s", q->callee_first ? "callees" : "callers");
	if (q->inlined)
		headline__add(line, ROLE_DIM, " · inlined split");
	if (l->result)
		headline__samples(line, cpu__rows(l));
}

static bool is_clock(const char *event)
{
	return !strncmp(event, "cycles", 6) || !strncmp(event, "cpu-c", 5) ||
	       !strncmp(event, "task-clock", 10);
}

void cpu__empty(const struct listing *l, char *buf, size_t size)
{
	static const struct feed_words words = {"the sampler", "sample", "sampling"};
	const struct host *h = l->base.host;
	const struct feed *feed;
	char more[MORE_TEXT];

	if (listing__waiting(l, &words, buf, size))
		return;
	feed = &host__frame(h)->feeds[MODEL_PROFILE];
	snprintf(buf, size, "no samples here: %s (%s)%s%s",
		 is_clock(feed->health.event) ? "nothing in scope ran on a CPU"
					      : "the event did not happen in scope",
		 listing__more(l, more), feed->reason[0] ? "; " : "",
		 feed->reason[0] ? feed->health.note : "");
}

/* --- the selection --- */

static void selection_func(const struct listing *l, u32 func, double pct, char *buf, size_t size)
{
	const struct symbols *symbols = host__symbols(l->base.host);
	const struct sym_func *f = symbols__func(symbols, func);
	const struct sym_object *o = symbols__object(symbols, f->object);
	const struct sym_object_info *info = symbols__object_info(symbols, f->object);

	snprintf(buf, size, "%.2f%% %s  %s%s%s", pct, f->name, *o->path ? o->path : o->name,
		 info && info->note[0] ? "  ! " : "", info ? info->note : "");
}

static void selection_row(const struct listing *l, const struct profile_row *r, char *buf,
			  size_t size)
{
	u32 groups = cpu__rows(l)->query.groups;
	char task[512];
	size_t n;

	cpu_terms__task(r, groups, task, sizeof(task));
	if (!(groups & GROUPS_CODE)) {
		snprintf(buf, size, "%.2f%% %s%s%s", r->self_pct, task, r->cmdline ? ": " : "",
			 r->cmdline ?: "");
		return;
	}
	if (r->func)
		selection_func(l, r->func, r->self_pct, buf, size);
	else
		snprintf(buf, size, "%.2f%% %s", r->self_pct, r->name);
	n = strlen(buf);
	if (*task)
		snprintf(buf + n, size - n, "  in %s", task);
	else if (r->most_comm)
		snprintf(buf + n, size - n, "  most in %s%s%s", r->most_text,
			 r->most_cmdline ? ": " : "", r->most_cmdline ?: "");
}

void cpu__selection(const struct listing *l, struct listing_place at, char *buf, size_t size)
{
	const struct tree_node *n;

	if (at.node == UINT32_MAX) {
		selection_row(l, &cpu__rows(l)->rows[at.row], buf, size);
		return;
	}
	n = &l->result->nodes[at.node];
	selection_func(l, n->func, n->pct, buf, size);
}
