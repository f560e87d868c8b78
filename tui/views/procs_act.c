// SPDX-License-Identifier: GPL-2.0-only
/* What is done to a process: each time after a question, and only to the one that was under the
 * cursor when it was asked. */
#include <signal.h>
#include <stdio.h>

#include "base/arena.h"
#include "scope/proc_act.h"
#include "tui/views/procs.h"

enum deed { DEED_SIGNAL, DEED_NICE, DEED_CPUS };

/* From question to question; each has its own copy. */
struct plan {
	struct proc_id id;
	char comm[COMM_LEN];
	enum deed deed;
	int value; /* a signal, a nice value */
	char cpus[128];
};

static const struct plan *with(const struct plan *p, enum deed deed, int value)
{
	static struct plan next;

	next = *p;
	next.deed = deed;
	next.value = value;
	return &next;
}

static struct plan *copy_of(const struct plan *p)
{
	struct plan *own = xmalloc(sizeof(*own));

	*own = *p;
	return own;
}

/* --- doing it --- */

static void describe(const struct plan *p, char *buf, size_t size)
{
	if (p->deed == DEED_SIGNAL)
		snprintf(buf, size, "SIG%s to %u %s", sigabbrev_np(p->value), p->id.pid, p->comm);
	else if (p->deed == DEED_NICE)
		snprintf(buf, size, "nice %d for %u %s", p->value, p->id.pid, p->comm);
	else
		snprintf(buf, size, "CPUs %.16s for %u %s", p->cpus, p->id.pid, p->comm);
}

static void answered(struct host *h, void *ctx, u32 yes)
{
	const struct plan *p = ctx;
	struct status st = {0};
	char what[96];
	int err;

	describe(p, what, sizeof(what));
	if (!yes) {
		host__message(h, ROLE_DIM, "nothing was done");
		return;
	}
	if (p->deed == DEED_SIGNAL)
		err = proc_act__signal(&p->id, p->value, &st);
	else if (p->deed == DEED_NICE)
		err = proc_act__renice(&p->id, p->value, &st);
	else
		err = proc_act__set_cpus(&p->id, p->cpus, &st);
	if (err)
		host__error(h, &st);
	else
		host__message(h, ROLE_OK, "done: %s", what);
}

static void confirm(struct host *h, const struct plan *p)
{
	char what[96], title[48];

	describe(p, what, sizeof(what));
	snprintf(title, sizeof(title), "%.46s?", what);
	host__confirm(h, title, answered, copy_of(p));
}

/* --- signals --- */

static const struct {
	int sig;
	const char *help;
} signals[] = {
	{SIGTERM, "please end"},
	{SIGKILL, "end at once, without cleaning up"},
	{SIGINT, "as Ctrl-C does"},
	{SIGHUP, "the terminal is gone; many read their configuration again"},
	{SIGQUIT, "end with a core dump"},
	{SIGSTOP, "stop"},
	{SIGCONT, "go on"},
	{SIGUSR1, "what the program makes of it"},
	{SIGUSR2, "what the program makes of it"},
	{SIGABRT, "abort, with a core dump"},
	{SIGALRM, "a timer"},
	{SIGPIPE, "a reader is gone"},
	{SIGCHLD, "a child changed its state"},
	{SIGWINCH, "the window has another size"},
};

static void signal_picked(struct host *h, void *ctx, u32 sig)
{
	confirm(h, with(ctx, DEED_SIGNAL, (int)sig));
}

static void ask_signal(struct host *h, const struct plan *p)
{
	struct menu_item items[ARRAY_SIZE(signals)];
	char texts[ARRAY_SIZE(signals)][16], title[48];

	for (u32 i = 0; i < ARRAY_SIZE(signals); i++) {
		snprintf(texts[i], sizeof(texts[i]), "%2d SIG%s", signals[i].sig,
			 sigabbrev_np(signals[i].sig));
		items[i] = (struct menu_item){texts[i], signals[i].help, (u32)signals[i].sig};
	}
	snprintf(title, sizeof(title), "signal to %u %s", p->id.pid, p->comm);
	host__menu(h, title, items, ARRAY_SIZE(signals), signal_picked, copy_of(p));
}

/* --- nice values and CPUs --- */

static void nice_given(struct host *h, void *ctx, const char *text)
{
	char *end;
	long nice = strtol(text, &end, 10);

	if (end == text || *end || nice < -20 || nice > 19)
		host__message(h, ROLE_WARN,
			      "a nice value is a number from -20 to 19; nothing was "
			      "done");
	else
		confirm(h, with(ctx, DEED_NICE, (int)nice));
}

static void cpus_given(struct host *h, void *ctx, const char *text)
{
	struct plan p = *with(ctx, DEED_CPUS, 0);
	u64 set[PROC_ACT_CPUS / 64];

	if (strlen(text) >= sizeof(p.cpus) || !proc_act__parse_cpus(text, set)) {
		host__message(h, ROLE_WARN, "CPUs are a list such as 0,2-3; nothing was done");
		return;
	}
	copy_str(p.cpus, sizeof(p.cpus), text);
	confirm(h, &p);
}

static void ask_nice(struct host *h, const struct plan *p, int now)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", now);
	host__ask(h, "nice value, -20 to 19:", text, nice_given, copy_of(p));
}

static void ask_cpus(struct host *h, const struct plan *p)
{
	char text[128];

	proc_act__cpus(&p->id, text, sizeof(text));
	host__ask(h, "CPUs it may run on:", text, cpus_given, copy_of(p));
}

/* --- who is meant --- */

/* False: said why nothing can be done to the row. */
static bool plan_of(struct listing *l, struct plan *p, const struct procs_entry **out)
{
	struct host *h = l->base.host;
	const struct procs_entry *e;
	struct listing_place at;

	if (!listing__at(l, &at))
		return false;
	e = procs__rows(l)->rows[at.row].e;
	*out = e;
	if (!host__is_live(h)) {
		host__message(h, ROLE_WARN, host__is_elsewhere(h)
						    ? "this is another machine: nothing is done to it from here"
						    : "this is the past: nothing can be done to it");
		return false;
	}
	if (procs__rows(l)->query.group > PROCS_BY_TID || e->kind != PROCS_THREAD) {
		host__message(h, ROLE_WARN, "this row is not one process");
		return false;
	}
	if (e->ended_ns) {
		host__message(h, ROLE_WARN, "%s has ended", e->comm);
		return false;
	}
	*p = (struct plan){.id = {e->tgid, e->start_ns}};
	copy_str(p->comm, sizeof(p->comm), e->comm);
	return true;
}

/* Of a thread that is not the first only the number of its process is known here. */
static bool is_leader(struct listing *l, const struct procs_entry *e)
{
	if (e->tid == e->tgid)
		return true;
	host__message(l->base.host, ROLE_WARN,
		      "this is a thread: what is done is done to its process, by pid %u", e->tgid);
	return false;
}

bool procs__act(struct listing *l, enum action a)
{
	const struct procs_entry *e = NULL;
	struct host *h = l->base.host;
	struct plan p;

	if (a != ACTION_SIGNAL && a != ACTION_RENICE && a != ACTION_NICE_LESS &&
	    a != ACTION_NICE_MORE && a != ACTION_AFFINITY)
		return false;
	if (!l->result || !plan_of(l, &p, &e) || !is_leader(l, e))
		return true;
	switch (a) {
	case ACTION_SIGNAL:
		ask_signal(h, &p);
		break;
	case ACTION_RENICE:
		ask_nice(h, &p, e->nice);
		break;
	case ACTION_AFFINITY:
		ask_cpus(h, &p);
		break;
	default:
		confirm(h, with(&p, DEED_NICE,
				CLAMP(e->nice + (a == ACTION_NICE_LESS ? -1 : 1), -20, 19)));
	}
	return true;
}
