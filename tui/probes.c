// SPDX-License-Identifier: GPL-2.0-only
/*
 * What to do with a function, a static probe or a tracepoint: a menu whose choices are commands of the
 * palette, which the prompt then has, to be changed or run as they are.
 */
#include <limits.h>
#include <stdio.h>

#include "base/utf8.h"
#include "sources/events.h"
#include "tui/app.h"
#include "tui/probe_list.h"

enum { TIME_CALLS, TIME_BY_ARGS, COUNT_CALLS, COUNT_CALLERS };

/* Of the kernel's functions. */
static const struct menu_item kernel_choices[] = {
	{"time its calls", "how often, how long, for whom", TIME_CALLS},
	{"count its calls", "how often, for whom: costs less", COUNT_CALLS},
	{"who calls it", "calls by command and stack", COUNT_CALLERS},
};

static const struct menu_item choices[] = {
	{"time its calls", "how often, how long, called from where", TIME_CALLS},
	{"time its calls by arguments and result", "which are slow, and with what", TIME_BY_ARGS},
	{"count its calls", "how often: costs less", COUNT_CALLS},
	{"who calls it with what", "calls by arguments and stack", COUNT_CALLERS},
};

/* Which one; ctx of the menu. */
struct probed {
	char where[PATH_MAX]; /* a path, or pid:N */
	char name[1024];      /* as the file has it */
};

static void offer(struct host *h, const char *line)
{
	if (strlen(line) < PROMPT_MAX && utf8__valid(line))
		dialog__offer(h, line);
	else
		host__message(h, ROLE_WARN, "its name cannot be written in a prompt");
}

/* As an event of a question. */
static const char *quote_of(const char *text)
{
	return strpbrk(text, " ,'") ? "\"" : "";
}

static void offer_with(struct host *h, const struct probed *p, u32 choice, const char *by)
{
	const char *more = choice != COUNT_CALLERS ? "" : *by ? ", ustack" : " by ustack";
	const char *q = quote_of(p->where), *r = quote_of(p->name);
	char *line;

	if (choice == COUNT_CALLS || choice == COUNT_CALLERS)
		line = xasprintf("ask count uprobe:%s%s%s:%s%s%s%s%s%s", q, p->where, q, r, p->name, r,
				 *by ? " by " : "", by, more);
	else
		line = xasprintf("function %s:%s%s%s", p->where, p->name, *by ? " by " : "", by);
	offer(h, line);
	free(line);
}

/* --- arguments, which are read on the lists worker --- */

struct args_job {
	struct job job;
	struct host *host;
	struct probed of;
	u32 choice;
	char by[512];
};

static void args_job__run(struct job *job)
{
	struct args_job *j = (struct args_job *)job;

	probe_args__by(j->of.where, j->of.name, 3, j->choice == TIME_BY_ARGS, j->by, sizeof(j->by));
}

static void args_job__drop(struct job *job)
{
	free(job);
}

static void args_job__done(struct job *job)
{
	struct args_job *j = (struct args_job *)job;

	if (j->host->dialog != DIALOG_NONE) {
		free(j);
		return;
	}
	offer_with(j->host, &j->of, j->choice, j->by);
	if (!*j->by)
		host__message(j->host, ROLE_WARN, "its arguments are not known, for want of debug "
						  "information: arg0, arg1 ... are registers");
	free(j);
}

static void picked_choice(struct host *h, void *ctx, u32 choice)
{
	struct args_job *j;

	if (choice == TIME_CALLS || choice == COUNT_CALLS) {
		offer_with(h, ctx, choice, "");
		return;
	}
	j = xcalloc(1, sizeof(*j));
	*j = (struct args_job){.job = {.run = args_job__run, .done = args_job__done, .drop = args_job__drop},
			       .host = h, .of = *(struct probed *)ctx, .choice = choice};
	worker__post(h->lists, &j->job);
}

static void open_menu(struct host *h, const char *where, const char *name, const char *shown)
{
	struct probed *p = xcalloc(1, sizeof(*p));
	char title[64];

	copy_str(p->where, sizeof(p->where), where);
	copy_str(p->name, sizeof(p->name), name);
	copy_str(title, sizeof(title), shown);
	host__menu(h, title, choices, ARRAY_SIZE(choices), picked_choice, p);
}

/* --- functions of the kernel --- */

static void picked_kernel_choice(struct host *h, void *ctx, u32 choice)
{
	const char *name = ((const struct probed *)ctx)->name;
	char *line = choice == TIME_CALLS
			     ? xasprintf("ask span kprobe:%s -> kretprobe:%s by comm", name, name)
			     : xasprintf("ask count kprobe:%s by comm%s", name,
					 choice == COUNT_CALLERS ? ", kstack" : "");

	offer(h, line);
	free(line);
}

static void open_kernel(struct host *h, const char *name)
{
	struct probed *p;

	if (!event__kernel_has_probes()) {
		host__message(h, ROLE_WARN, "this kernel has no probes on its functions (CONFIG_KPROBE_EVENTS): "
					    "functions of programs, and tracepoints, can be had");
		return;
	}
	p = xcalloc(1, sizeof(*p));
	copy_str(p->name, sizeof(p->name), name);
	host__menu(h, name, kernel_choices, ARRAY_SIZE(kernel_choices), picked_kernel_choice, p);
}

/* --- the picker --- */

static bool is_live(const struct host *h, struct status *st)
{
	if (host__is_live(h) && !h->options->connect)
		return true;
	status__set(st, EXIT_CODE_USAGE, -EINVAL, "functions are picked of programs of this machine, live");
	return false;
}

bool probes__open(struct host *h, const char *where, struct status *st)
{
	const struct id_set *pids = &h->scope->include[SCOPE_PID];

	if (!is_live(h, st))
		return false;
	copy_str(h->probes_of, sizeof(h->probes_of), where);
	if (!*where && pids->active && pids->n == 1)
		snprintf(h->probes_of, sizeof(h->probes_of), "pid:%u", (u32)pids->ids[0]);
	dialog__open(h, *h->probes_of ? DIALOG_PICK_PROBE : DIALOG_PICK_PROGRAM);
	return true;
}

void probes__picked(struct host *h, const struct probe_item *p)
{
	const char *quote = quote_of(h->probes_of);
	const char *by = p->nargs > 1 ? " by arg1, arg2" : p->nargs ? " by arg1" : "";
	char *line;

	if (p->kind == PROBE_KERNEL) {
		open_kernel(h, p->name);
		return;
	}
	if (p->kind == PROBE_FUNCTION) {
		open_menu(h, h->probes_of, p->name, p->text);
		return;
	}
	line = p->kind == PROBE_STATIC
		       ? xasprintf("ask count usdt:%s%s%s:%s%s", quote, h->probes_of, quote, p->name, by)
		       : xasprintf("ask count %s by comm", p->name);
	offer(h, line);
	free(line);
}

/* --- the function under the cursor --- */

/* Why one of symbols cannot be probed; NULL: it can. */
static const char *why_not(const struct sym_func *f)
{
	if (f->kind != CODE_USER)
		return "this is in no file: it cannot be probed";
	if (f->flags & FUNC_GUESSED)
		return "this function has no name: install its -dbgsym package";
	return NULL;
}

static void open_of(struct host *h, const struct sym_func *f)
{
	const struct sym_object *o = symbols__object(host__symbols(h), f->object);
	const char *why = why_not(f);
	char where[PATH_MAX];

	if (f->kind == CODE_KERNEL) {
		open_kernel(h, f->linkage);
		return;
	}
	if (why) {
		host__message(h, ROLE_WARN, "%s", why);
		return;
	}
	if (o->tgid)
		snprintf(where, sizeof(where), "pid:%u", o->tgid);
	else
		copy_str(where, sizeof(where), *o->path ? o->path : o->name);
	open_menu(h, where, f->linkage, f->name);
}

/* Of those that are timed already: a row of view funcs. */
static bool open_timed(struct host *h, const char *name)
{
	const struct func_list *l = h->sampling.functions;
	const struct function_object *o;
	char where[PATH_MAX];

	for (u32 i = 0; l && i < l->n; i++) {
		if (strcmp(l->v[i].name, name))
			continue;
		o = &l->objects[l->v[i].object];
		copy_str(where, sizeof(where), o->path);
		if (o->pid)
			snprintf(where, sizeof(where), "pid:%u", o->pid);
		open_menu(h, where, name, name);
		return true;
	}
	return false;
}

/* Of a row that has a function's name alone. */
static bool open_called(struct host *h, const struct screen *s)
{
	char called[1024], where[32] = "", *name = called;

	if (!s->ops->called || !s->ops->called(s, called, sizeof(called)))
		return false;
	if (!strncmp(called, "pid:", 4)) {
		name = called + 4 + strspn(called + 4, "0123456789") + 1;
		copy_str(where, MIN(sizeof(where), (size_t)(name - called)), called);
	}
	if (open_timed(h, name))
		return true;
	if (!*where || *name == '[')
		return false;
	open_menu(h, where, name, name);
	return true;
}

/* The process that the row under the cursor is of; 0: none. */
static u32 process_of(const struct screen *s)
{
	char term[160];
	u32 pid;

	if (s->ops->exclude && s->ops->exclude(s, term, sizeof(term)) && sscanf(term, "!pid=%u", &pid) == 1)
		return pid;
	return 0;
}

/* Where no function is: those of a process, or of one that is picked. */
static void open_picker(struct host *h, const struct screen *s)
{
	u32 pid = process_of(s);
	char where[32] = "";
	struct status st = {0};

	if (pid)
		snprintf(where, sizeof(where), "pid:%u", pid);
	if (!probes__open(h, where, &st))
		host__error(h, &st);
}

bool probes__offer(struct host *h)
{
	const struct screen *s = app__screen(h);
	u32 func = s->ops->function ? s->ops->function(s) : 0;
	const struct sym_func *f = symbols__func(host__symbols(h), func);

	if (f->id)
		open_of(h, f);
	else if (!open_called(h, s))
		open_picker(h, s);
	return true;
}
