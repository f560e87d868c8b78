// SPDX-License-Identifier: GPL-2.0-only
/* The commands that ask questions while proftop runs. */
#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "questions/library.h"
#include "questions/question.h"
#include "sources/ask.h"
#include "tui/app.h"
#include "tui/own_questions.h"

const struct ask_list *ask__asked(const struct host *h)
{
	return h->refused[0] && h->asks_before ? h->asks_before : h->sampling.asks;
}

static const struct feed *feed_of(const struct host *h, const struct ask *a)
{
	return h->frame ? &h->frame->feeds[ask__model(a)] : NULL;
}

/* What does not open lets none of its kind be answered. One that is too much says so with its name. */
static bool is_refused(const struct host *h, const struct ask *a)
{
	const struct feed *f = feed_of(h, a);

	return f && f->state == FEED_FAILED && strstr(f->reason, ask__text(a));
}

/* What is asked, without what was refused: it is not to stand in the way of the next one. */
static const struct ask_list *answered(const struct host *h)
{
	const struct ask_list *list = ask__asked(h);
	u32 i = 0;

	while (list && i < list->n) {
		if (is_refused(h, list->v[i]))
			list = ask_list__without(list, i);
		else
			i++;
	}
	return list;
}

static void set_questions(struct host *h, const struct ask_list *list)
{
	struct sampling s = h->sampling;

	h->asks_before = ask__asked(h);
	s.asks = list;
	app__set_sampling(h, &s);
	h->command_view_ns = clock__monotonic_ns(); /* their first interval has to come */
}

static bool is_live(const struct host *h, struct status *st)
{
	if (h->options->connect) {
		status__set(st, EXIT_CODE_USAGE, -EINVAL,
			    "another machine is asked at the start: proftop --connect %.80s --ask QUESTION",
			    h->options->connect);
		return false;
	}
	if (!h->player)
		return true;
	status__set(st, EXIT_CODE_USAGE, -EINVAL,
		    "this is a replay: it answers what was asked when it was recorded");
	return false;
}

/* --- what is asked for by name --- */

typedef const struct ask *make_fn(const char *name, const char *question, struct status *st);

static const struct ask *find(const struct options *o, const char *text, make_fn *make, struct status *st)
{
	const char *name = text + strspn(text, "! \t");
	bool may_be_own = !o->no_config && !question_library__find(name);
	struct own_question q = {0};
	const struct ask *a = NULL;
	int err = may_be_own ? own_question__read(name, &q, st) : -ENOENT;

	if (err == -ENOENT)
		a = make(text, NULL, st);
	else if (!err)
		a = make(text, q.text, st);
	free(q.text);
	return a;
}

const struct ask *ask__find(const struct options *o, const char *text, struct status *st)
{
	if (!o->no_config && own_question__is_shadowed(text + strspn(text, "! \t")))
		log__add(LOG_WARN,
			 "question %s: the one that is compiled in is asked, not the file of that name: "
			 "give it another", text + strspn(text, "! \t"));
	return find(o, text, ask__named, st);
}

const struct ask *ask__find_draft(const struct options *o, const char *text, struct status *st)
{
	return find(o, text, ask__draft, st);
}

/* What was prepared while it was written. */
static const struct ask *find_for(struct host *h, const char *text, struct status *st)
{
	const struct ask *a = ask_prepare__take(h, text);

	return a ? a : ask__find(h->options, text, st);
}

static bool has_others(const struct ask_list *list, const struct ask *a)
{
	for (u32 i = 0; list && i < list->n; i++)
		if (list->v[i] != a && ask__kind(list->v[i]) == ask__kind(a))
			return true;
	return false;
}

/* Where others of its kind are asked, on a screen of its own: Esc leads to all. A report is of all. */
static void show_question(struct host *h, const struct ask *a)
{
	const struct view_args alone = {.question = ask__measure(a)};
	const char *name = ask__text(a);

	app__show_view(h, view__index(ask_kind__view(ask__kind(a))));
	while (app__screen(h)->below)
		host__pop(h);
	if (h->options->mode == MODE_UI && has_others(answered(h), a))
		host__push(h, app__view(h)->open(app__view(h), h, &alone));
	if (!h->options->no_config && own_question__is_shadowed(name))
		host__message(h, ROLE_WARN, "this %s is compiled in; your own of that name is not asked",
			      name);
}

void host__question(struct host *h, const char *text)
{
	struct status st = {0};

	if (!ask__run(h, text, &st))
		host__error(h, &st);
}

/* --- own ones are kept and deleted; the lists worker writes --- */

struct own_job {
	struct job job;
	struct host *host;
	struct own_question q;
	bool replace, delete;
	struct status st;
	int err;
};

static void own_job__run(struct job *job)
{
	struct own_job *j = (struct own_job *)job;

	j->err = j->delete ? own_question__delete(j->q.name, &j->st)
			   : own_question__save(&j->q, j->replace, &j->st);
}

static void own_job__drop(struct job *job)
{
	free(((struct own_job *)job)->q.text);
	free(job);
}

static void own_job__done(struct job *job)
{
	struct own_job *j = (struct own_job *)job;

	if (j->err)
		host__error(j->host, &j->st);
	else if (j->delete)
		host__message(j->host, ROLE_OK, "question %s is deleted", j->q.name);
	else
		host__message(j->host, ROLE_OK, "question %s is kept: :ask %s asks it", j->q.name, j->q.name);
	own_job__drop(job);
}

static struct own_job *new_job(struct host *h)
{
	struct own_job *j = xcalloc(1, sizeof(*j));

	j->job = (struct job){.run = own_job__run, .done = own_job__done, .drop = own_job__drop};
	j->host = h;
	return j;
}

/* n: it is not asked. */
static u32 place_of(const struct ask_list *list, const struct measure *m)
{
	u32 i = 0;

	while (list && i < list->n && ask__measure(list->v[i]) != m)
		i++;
	return i;
}

/* Which of the questions the row answers, or the only one there is; n: none. */
static u32 selected(const struct host *h)
{
	const struct ask_list *list = ask__asked(h);
	const struct screen *s = app__screen(h);
	u32 at = place_of(list, s->ops->question ? s->ops->question(s) : NULL);

	return list && at == list->n && at == 1 ? 0 : at;
}

static bool refuse(struct status *st, const char *why)
{
	status__set(st, EXIT_CODE_USAGE, -EINVAL, "%s", why);
	return false;
}

/* NAME [HELP] */
static bool save_own(struct host *h, const char *arg, struct status *st)
{
	const struct ask_list *list = ask__asked(h);
	u32 at = selected(h), len;
	struct own_job *j;

	if (!*arg)
		return refuse(st, "ask save takes a name, and a line of help");
	if (!list || at == list->n)
		return refuse(st, "ask save keeps the question of the row under the cursor: there is none");
	j = new_job(h);
	j->replace = *arg == '!';
	arg += j->replace;
	len = (u32)strcspn(arg, " ");
	copy_str(j->q.name, MIN(len + 1, sizeof(j->q.name)), arg);
	copy_str(j->q.help, sizeof(j->q.help), arg + len + strspn(arg + len, " "));
	j->q.text = xstrdup(ask__question(list->v[at]));
	worker__post(h->lists, &j->job);
	return true;
}

static bool delete_own(struct host *h, const char *name, struct status *st)
{
	struct own_job *j;

	if (!*name)
		return refuse(st, "ask delete takes the name of a question of your own");
	j = new_job(h);
	j->delete = true;
	copy_str(j->q.name, sizeof(j->q.name), name);
	worker__post(h->lists, &j->job);
	return true;
}

const char *ask__behind(const char *text, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(text, word, len) || (text[len] && text[len] != ' '))
		return NULL;
	return text + len + strspn(text + len, " ");
}

/* --- the commands --- */

bool ask__run(struct host *h, const char *text, struct status *st)
{
	const char *save = ask__behind(text, "save"), *delete = ask__behind(text, "delete");
	const struct ask_list *list;
	const struct ask *a;

	if (delete)
		return delete_own(h, delete, st);
	if (save)
		return save_own(h, save, st);
	if (!is_live(h, st))
		return false;
	if (!*text) {
		dialog__open(h, DIALOG_PICK_QUESTION);
		return true;
	}
	a = find_for(h, text, st);
	list = a ? ask_list__with(answered(h), a, st) : NULL;
	if (!list)
		return false;
	if (list != h->sampling.asks)
		set_questions(h, list);
	show_question(h, a);
	return true;
}

/* A number of what is asked, and what follows it; NULL: st says what is wrong. */
static const char *read_number(const struct ask_list *list, const char *arg, const char *what, u64 *n,
			       struct status *st)
{
	char number[16];
	size_t len = strcspn(arg, " ");

	copy_str(number, MIN(len + 1, sizeof(number)), arg);
	if (!list || !list->n) {
		refuse(st, "nothing is asked");
		return NULL;
	}
	if (option__number(number, 1, list->n, n))
		return arg + len + strspn(arg + len, " ");
	status__set(st, EXIT_CODE_USAGE, -EINVAL, "%s takes the number of a question, 1 to %u", what,
		    list->n);
	return NULL;
}

bool ask__again(struct host *h, const char *arg, struct status *st)
{
	const struct ask_list *list = ask__asked(h);
	const struct ask *a;
	const char *text;
	u64 n;

	if (!is_live(h, st))
		return false;
	text = read_number(list, arg, "reask", &n, st);
	if (!text)
		return false;
	a = find_for(h, text, st);
	if (a && a == list->v[n - 1])
		return true;
	list = a ? ask_list__replace(list, (u32)n - 1, a, st) : NULL;
	if (!list)
		return false;
	set_questions(h, list);
	show_question(h, a);
	return true;
}

bool ask__edit(struct host *h)
{
	const struct ask_list *list = ask__asked(h);
	u32 at = selected(h);
	char *line;

	if (!list || at == list->n || h->player)
		return false;
	line = xasprintf("reask %u %s%s", at + 1, ask__is_forced(list->v[at]) ? "! " : "",
			 ask__question(list->v[at]));
	if (strlen(line) < PROMPT_MAX)
		dialog__offer(h, line);
	else
		host__message(h, ROLE_WARN, "this question is too long to be edited");
	free(line);
	return true;
}

void host__narrow_question(struct host *h, const struct measure *m, const char *what, const char *value,
			   bool is_text)
{
	const struct question_term term = {what, value, is_text};
	const struct ask_list *list = ask__asked(h);
	struct status st = {0};
	u32 at = place_of(list, m);
	char *text, *line;

	if (!list || at == list->n)
		return;
	text = question__narrowed(ask__question(list->v[at]), &term);
	line = xasprintf("%u %s%s", at + 1, ask__is_forced(list->v[at]) ? "! " : "", text ? text : "");
	if (!text)
		host__message(h, ROLE_WARN, "the question would be too long");
	else if (!ask__again(h, line, &st))
		host__error(h, &st);
	else
		host__message(h, ROLE_OK, "asked now: %s", text);
	free(text);
	free(line);
}

bool ask__drop(struct host *h, const char *arg, struct status *st)
{
	const struct ask_list *list = ask__asked(h);
	u64 n;

	if (!is_live(h, st))
		return false;
	if (!read_number(list, arg, "unask", &n, st))
		return false;
	host__message(h, ROLE_OK, "not asked any more: %.100s", ask__text(list->v[n - 1]));
	set_questions(h, ask_list__without(list, (u32)n - 1));
	return true;
}
