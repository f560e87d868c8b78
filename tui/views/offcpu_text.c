// SPDX-License-Identifier: GPL-2.0-only
/* What the table of waits says in words: its head, what is hidden, what is selected. */
#include <stdio.h>

#include "models/frames.h"
#include "tui/views/offcpu.h"
#include "tui/views/window.h"

const struct feed_words offcpu_words = {"the scheduler's probes", "watch the scheduler",
					"watching the scheduler"};

enum role offcpu__reason_role(enum wait_reason reason, enum wait_class class)
{
	if (class != CLASS_HARMFUL)
		return class == CLASS_IDLE ? ROLE_DIM : ROLE_TEXT;
	switch (reason) {
	case WAIT_LOCK:
	case WAIT_KERNEL_LOCK:
	case WAIT_DISK:
	case WAIT_FAULT:
		return ROLE_HOT;
	case WAIT_PREEMPTED:
	case WAIT_NETWORK:
	case WAIT_STOPPED:
		return ROLE_WARM;
	default:
		return ROLE_TEXT;
	}
}

static void add_class(struct headline *line, u64 ns, enum role role, const char *what)
{
	char text[16];

	format__ns(text, sizeof(text), ns);
	headline__addf(line, ns ? role : ROLE_DIM, " · %s %s", what, text);
}

void offcpu__headline(struct listing *l, struct headline *line)
{
	const struct waits_result *a = offcpu__result(l);
	const struct waits_query *q = &offcpu__of(l)->query;
	char key[16], text[WAITS_GROUPS_TEXT];

	/* They are sums of each thread's waits at a place: when which was is not known. */
	if (q->longest_hi_ns)
		headline__add(line, ROLE_WARN, "whose longest wait is in the cell's range · ");
	waits_groups__text(q->groups, text, sizeof(text));
	headline__addf(line, ROLE_STRONG, "by %s%s", text, l->grouping.adding ? "+?" : "");
	host__key(l->base.host, ACTION_GROUP_NEXT, key, sizeof(key));
	headline__addf(line, ROLE_DIM, " [%s] · %s", key, window__text(q->window));
	host__key(l->base.host, ACTION_WAKERS, key, sizeof(key));
	headline__addf(line, ROLE_DIM, " · %s [%s]", q->wakers ? "wakers" : "stacks", key);
	if (a) {
		add_class(line, a->class_ns[CLASS_HARMFUL], ROLE_HOT, "held up");
		add_class(line, a->class_ns[CLASS_UNCLEAR], ROLE_DIM, "unclear");
		format__count(text, sizeof(text), a->count);
		headline__addf(line, ROLE_DIM, " · %s waits", text);
		if (a->open)
			headline__addf(line, ROLE_WARM, " · %llu go on",
				       (unsigned long long)a->open);
	}
}

/* From here on there is room for what that may be. */
#define WHOLE_RULE_W 140

/* What idle is, always on screen: nobody has to guess what was left out. */
int offcpu__above(struct listing *l, struct canvas *c, struct rect area)
{
	const struct waits_result *a = offcpu__result(l);
	char key[16], time[16], rule[200];
	int used;

	if (!a->idle_rows || area.h < 4)
		return 0;
	format__ns(time, sizeof(time), a->idle_ns);
	snprintf(rule, sizeof(rule), " [%s], %s: proven to wait for new work%s",
		 host__key(l->base.host, ACTION_IDLE, key, sizeof(key)), time,
		 area.w < WHOLE_RULE_W ? ""
				       : " (a connection, a next request, a queue, a periodic timer, "
					 "kernel work)");
	used = draw__textf(c, area.x, area.y, area.w, ROLE_TEXT, "%llu idle thread%s %s",
			   (unsigned long long)a->idle_threads, a->idle_threads == 1 ? "" : "s",
			   offcpu__of(l)->query.idle ? "at the end" : "hidden");
	draw__cut(c, area.x + used, area.y, area.w - used, ROLE_DIM, rule);
	return 1;
}

static void no_waits(const struct listing *l, const struct waits_result *a, char *buf, size_t size)
{
	const struct host *h = l->base.host;
	char key[16], more[MORE_TEXT];

	if (a && a->idle_rows)
		snprintf(
			buf, size,
			"nothing is held up: whoever waits here waits for new work (%s shows them)",
			host__key(h, ACTION_IDLE, key, sizeof(key)));
	else
		snprintf(buf, size, "no waits here: nothing in scope left a CPU (%s)",
			 listing__more(l, more));
}

void offcpu__empty(const struct listing *l, char *buf, size_t size)
{
	if (!listing__waiting(l, &offcpu_words, buf, size))
		no_waits(l, offcpu__result(l), buf, size);
}

/* --- the selection --- */

/* Columns of numbers are right-aligned. */
static const char *unpadded(const char *text)
{
	return text + strspn(text, " ");
}

static size_t add_task(const struct waits_row *r, char *buf, size_t size)
{
	size_t n = (size_t)snprintf(buf, size, "%s", r->entry->task.comm);

	if (r->pid_text)
		n += (size_t)snprintf(buf + n, size - n, " pid %s", unpadded(r->pid_text));
	if (r->text[WAITS_BY_TID])
		n += (size_t)snprintf(buf + n, size - n, " tid %s",
				      unpadded(r->text[WAITS_BY_TID]));
	return n;
}

/* Waits of several reasons: of what the longest is for, the others are not. */
static bool is_mixed(const struct waits_row *r)
{
	return strcmp(r->reason, wait_reasons[r->why].name) != 0;
}

/* "queue_lock held by x/13 in fill_queue"; where it was is known of some. */
void offcpu__lock_text(const struct waits_row *r, char *buf, size_t size)
{
	const char *where = r->holder ? stack__caller(r->holder_ustack, r->symbols) : "";
	size_t n = (size_t)snprintf(buf, size, "%s", r->lock && !is_mixed(r) ? r->lock : "");

	if (is_mixed(r))
		return;
	if (r->holds_now && n < size)
		snprintf(buf + n, size - n, "%sheld by %s%s%s", n ? " " : "", r->ended_by,
			 *where ? " in " : "", where);
}

/* "futex_wait woken by x/13 in nginx pid 12; lock: a lock in user space ...". The line is cut in
 * its middle: who ends the wait comes early. */
static void selection_row(const struct waits_row *r, char *buf, size_t size)
{
	char lock[256];
	size_t n = 0;

	if (r->text[WAITS_BY_STACK])
		n += (size_t)snprintf(buf, size, "%s ", r->text[WAITS_BY_STACK]);
	offcpu__lock_text(r, lock, sizeof(lock));
	if (*lock && n < size)
		n += (size_t)snprintf(buf + n, size - n, "for %s ", lock);
	if (r->woken && !r->holds_now && n < size)
		n += (size_t)snprintf(buf + n, size - n, "woken by %s ", r->woken_by);
	if (*r->comm && n + 3 < size) {
		n += (size_t)snprintf(buf + n, size - n, "in ");
		n += add_task(r, buf + n, size - n);
	}
	if (n < size)
		snprintf(buf + n, size - n, "%s%s%s, %s: %s", *r->comm ? "; " : "", is_mixed(r) ? "mostly " : "",
			 wait_reasons[r->why].name, wait_class_names[r->class], r->because);
}

void offcpu__selection(const struct listing *l, struct listing_place at, char *buf, size_t size)
{
	const struct tree_node *n;

	if (at.node == UINT32_MAX) {
		selection_row(&offcpu__result(l)->rows[at.row], buf, size);
		return;
	}
	n = &l->result->nodes[at.node];
	snprintf(buf, size, "%s  %s", n->name, n->object_name);
}
