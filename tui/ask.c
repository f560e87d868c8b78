// SPDX-License-Identifier: GPL-2.0-only
/* The commands that ask questions while proftop runs. */
#include <stdio.h>

#include "sources/ask.h"
#include "tui/app.h"

/* What is asked now, but for what the collector refused. */
static const struct ask_list *asked(const struct host *h)
{
	return h->refused[0] && h->asks_before ? h->asks_before : h->sampling.asks;
}

static void set_questions(struct host *h, const struct ask_list *list)
{
	struct sampling s = h->sampling;

	h->asks_before = asked(h);
	s.asks = list;
	app__set_sampling(h, &s);
}

static bool is_live(const struct host *h, struct status *st)
{
	if (!h->player)
		return true;
	status__set(st, EXIT_CODE_USAGE, -EINVAL,
		    "this is a replay: it answers what was asked when it was recorded");
	return false;
}

bool ask__run(struct host *h, const char *text, struct status *st)
{
	const struct ask *a;
	const struct ask_list *list;

	if (!is_live(h, st))
		return false;
	if (!*text) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL,
			    "ask takes a question: count sched:sched_switch by prev_comm");
		return false;
	}
	a = ask__new(text, st);
	list = a ? ask_list__with(asked(h), a, st) : NULL;
	if (!list) {
		/* The question and a caret are for those without a screen. */
		st->msg[strcspn(st->msg, "\n")] = '\0';
		return false;
	}
	if (list != h->sampling.asks)
		set_questions(h, list);
	app__show_view(h, view__index(ask_kind__view(ask__kind(a))));
	return true;
}

bool ask__drop(struct host *h, const char *arg, struct status *st)
{
	const struct ask_list *list = asked(h);
	u64 n;

	if (!is_live(h, st))
		return false;
	if (!list || !list->n) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL, "nothing is asked");
		return false;
	}
	if (!option__number(arg, 1, list->n, &n)) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL, "unask takes the number of a question, 1 to %u",
			    list->n);
		return false;
	}
	host__message(h, ROLE_OK, "not asked any more: %.100s", ask__text(list->v[n - 1]));
	set_questions(h, ask_list__without(list, (u32)n - 1));
	return true;
}
