// SPDX-License-Identifier: GPL-2.0-only
#include "tui/connect.h"

#include "base/arena.h"
#include "base/cgroup.h"
#include "models/model.h"

#define LINES_MAX (ASK_MAX + FUNCTION_TEXTS + WATCHES_MAX + 4)

struct said {
	char *v[LINES_MAX];
	u32 n;
};

static void add(struct said *s, const char *word, const char *text)
{
	s->v[s->n++] = xasprintf("%s%s%s", word, *text ? " " : "", text);
}

static void add_all(struct said *s, const struct options *o)
{
	if (o->mode == MODE_UI)
		add(s, "early", "");
	for (u32 i = 0; i < o->nasks; i++)
		add(s, "ask", o->asks[i]);
	if (o->function_waits)
		add(s, "function-waits", "");
	if (o->sampling.lock_orders)
		add(s, "lock-orders", o->sampling.lock_orders == LOCK_ORDERS_FORCED ? "!" : "");
	if (*o->sampling.counters)
		add(s, "counters", o->sampling.counters);
	for (u32 i = 0; i < o->nfunctions; i++)
		add(s, "function", o->functions[i]);
	for (u32 i = 0; i < WATCHES_MAX && o->sampling.watches[i]; i++)
		add(s, "watch", o->sampling.watches[i]);
}

/* Someone who hears nothing any more is given up after a quarter of a minute. Once there is a screen nobody
 * is asked for a password. */
static struct link *make_link(const struct options *o, const char *filter, u64 wanted)
{
	char *command[] = {"ssh", "-T", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "--",
			   (char *)o->connect, "proftop", "--serve", "-", NULL};
	char *again[] = {"ssh", "-T", "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "-o",
			 "BatchMode=yes", "--", (char *)o->connect, "proftop", "--serve", "-", NULL};
	struct said said = {0};
	struct link *l;

	add_all(&said, o);
	l = link__new(&(struct link_config){.host = o->connect, .command = command, .again = again,
					    .lines = (const char *const *)said.v});
	for (u32 i = 0; i < said.n; i++)
		free(said.v[i]);
	link__filter(l, filter);
	link__interval(l, o->interval_ns);
	link__sampling(l, &o->sampling);
	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (wanted & 1ULL << m)
			link__want(l, m, true);
	return l;
}

struct link *connect__call(struct options *o, u64 wanted, struct status *st)
{
	struct scope *scope;
	struct link *l;

	cgroup__go_away();
	o->scope.seen = true;
	scope = scope__build(&o->scope, st);
	if (!scope)
		return NULL;
	l = make_link(o, scope->text, wanted);
	scope__put(scope);
	if (!link__call(l, st))
		return l;
	link__free(l);
	return NULL;
}
