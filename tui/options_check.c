// SPDX-License-Identifier: GPL-2.0-only
/* Which options go together, and what follows from them. */
#include "tui/options_impl.h"

#include <stdio.h>

#include "questions/library.h"
#include "tui/presets.h"
#include "tui/report_sort.h"
#include "tui/view.h"

/* Whether it is said what to look at, or how to sample it. */
static bool is_particular(const struct options *o)
{
	const struct scope_args *s = &o->scope;

	return s->pids || s->tids || s->cgroup || s->cpus || s->comm || s->filter || o->command ||
	       o->group || o->sampling.event[0] || o->sampling.period ||
	       o->sampling.freq != DEFAULT_FREQ;
}

/* A screen begins with what is wrong with the machine, where nothing in particular is asked for.
 * Batch mode without a view is cpu, as it was before there was an overview. */
static void choose_view(struct options *o)
{
	if (!o->view_given && o->sampling.watches[0])
		o->view = "watch";
	if (o->mode == MODE_UI && !o->view_given && !is_particular(o))
		o->view = "overview";
}

/* On a screen rows are sorted by words, after all others. */
static int sort_by_words(struct options *o, struct status *st)
{
	struct sort_order by;
	char words[100];

	if (!o->sort || !(o->mode == MODE_UI || o->ncommands))
		return 0;
	if (o->ncommands == MAX_COMMANDS)
		return option__too_many(st, "--do", MAX_COMMANDS, "--sort is one more");
	sort_order__parse(o->sort, &by);
	snprintf(words, sizeof(words), "sort %s%s", by.column,
		 !by.given ? "" : by.descending ? " down" : " up");
	o->commands[o->ncommands++] = arena__strdup(&o->memory, words);
	return 0;
}

/* What it has no use for. */
static int check_serve(struct options *o, struct status *st)
{
	const struct {
		bool given;
		const char *name;
	} others[] = {
		{o->noutputs || o->iterations || o->format, "-o, -n and --format"},
		{o->replay, "--replay"},
		{o->connect, "--connect"},
		{o->speed || o->from || o->to, "--speed, --from and --to"},
		{o->record, "--record"},
		{o->baseline, "--baseline"},
		{o->command, "a command"},
		{o->ncommands, "--do"},
		{o->script, "--script"},
		{o->snapshot, "--snapshot-on-signal"},
	};

	for (u32 i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].given)
			return status__set(st, EXIT_CODE_USAGE, -EINVAL,
					   "--serve: it goes without %s", others[i].name);
	return 0;
}

static void preset_view(struct options *o, const struct preset *p)
{
	char *both = NULL;
	size_t n;

	o->view = p->view;
	o->view_given = true;
	if (!o->group && *p->group)
		o->group = p->group;
	if (!o->sort && *p->sort)
		o->sort = p->sort;
	if (!*p->filter)
		return;
	if (o->scope.filter) {
		n = strlen(o->scope.filter) + strlen(p->filter) + 2;
		both = arena__alloc(&o->memory, n);
		snprintf(both, n, "%s %s", o->scope.filter, p->filter);
	}
	o->scope.filter = both ? both : p->filter;
}

static int preset_question(struct options *o, struct status *st)
{
	if (!question_library__find(o->preset))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--preset \"%.80s\": there is none; proftop --list-presets lists them",
				   o->preset);
	if (o->nasks == ASK_MAX)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL, "--preset: too many --ask; leave one out");
	o->asks[o->nasks++] = o->preset;
	return 0;
}

/* What the command line does not say is as the preset or the question of that name has it; its filter
 * holds beside others. */
static int set_preset(struct options *o, struct status *st)
{
	const struct preset *p = o->preset ? preset__by_name(o->preset) : NULL;

	if (!o->preset)
		return 0;
	if (o->view_given && p)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--preset %.80s: it is of view %s; leave -V out", o->preset, p->view);
	if (!p)
		return preset_question(o, st);
	preset_view(o, p);
	return 0;
}

/* What does not go together. */
static int check_together(const struct options *o, struct status *st)
{
	bool screen = o->mode == MODE_UI, gathers = screen || o->mode == MODE_BATCH;
	bool live = !o->replay && !o->connect;
	const struct {
		bool wrong;
		const char *msg;
	} rules[] = {
		{screen && (o->noutputs || o->iterations || o->format),
		 "-o, -n and --format go with --batch; inside, S saves a view"},
		{!gathers && (o->noutputs || o->iterations), "-o and -n go with --batch"},
		{o->replay && (o->record || o->command),
		 "--replay looks at what was recorded: it goes with neither --record nor a command"},
		{o->connect && (o->replay || o->command || o->script),
		 "--connect looks at what is live on another machine: it goes without --replay, "
		 "--script and a command"},
		{o->connect && !gathers, "--connect goes with --batch or the screen"},
		{o->snapshot && !gathers, "--snapshot-on-signal goes with --batch or the screen"},
		{o->baseline && !gathers, "--baseline goes with --batch or the screen"},
		{o->record && !gathers, "--record goes with --batch or the screen"},
		{o->speed && !(o->replay && screen), "--speed goes with a --replay on the screen"},
		{(o->from || o->to) && !o->replay, "--from and --to go with --replay FILE"},
		{o->config && o->no_config,
		 "--config and --no-config exclude each other: leave one out"},
		{o->ncommands && !gathers, "--do goes with the screen or --batch"},
		{o->ncommands && o->iterations > 1,
		 "-n: after --do there is one report; -d is how long it gathers"},
		{o->mode == MODE_BATCH && live && !o->ncommands && !strcmp(o->view, "watch") && !o->sampling.watches[0],
		 "nothing is watched: --watch 'PROGRAM:SYMBOL[+OFF]/LEN:ACCESS' says what, LEN 1, 2, 4 or 8, "
		 "ACCESS r, w, rw or x; or 0xADDRESS/LEN:ACCESS with -p PID"},
		{o->columns && !o->script,
		 "--size is of a --script's screen: a terminal has its own"},
	};

	for (u32 i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].wrong)
			return status__set(st, EXIT_CODE_USAGE, -EINVAL, "%s", rules[i].msg);
	return 0;
}

int options__check(struct options *o, struct status *st)
{
	struct status why = {0};

	if (set_preset(o, st))
		return -EINVAL;
	if (o->mode == MODE_SERVE)
		return check_serve(o, st);
	if (o->view_list && strpbrk(o->view_list, ", "))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "-V \"%.80s\": several views go with --serve", o->view_list);
	if (o->serve_insecure || o->serve_token || o->serve_cert || o->serve_key || o->serve_clients)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL,
				   "--serve-insecure, -token, -cert, -key and -clients go with --serve");
	choose_view(o);
	if (sort_by_words(o, st))
		return -EINVAL;

	/* Which view it is may be up to the recording. */
	if (o->group && !(o->replay && (!o->view_given || o->nreplays > 1)) &&
	    view__check_groups(view__by_name(o->view), o->group, &why))
		return status__set(st, EXIT_CODE_USAGE, -EINVAL, "--group: %s", why.msg);
	if (check_together(o, st))
		return -EINVAL;
	if (o->mode == MODE_DOCTOR && o->format && strcmp(o->format, "text") &&
	    strcmp(o->format, "json"))
		return option__bad(st, "--doctor --format", o->format, "text or json");
	return 0;
}
