/* SPDX-License-Identifier: GPL-2.0-only */
/* Snapshots: the whole view, not its visible part, to a new file; of all open views where the
 * format takes several, or when a signal asks for them. */
#include <stdio.h>

#include "export/export.h"
#include "tui/app.h"

/* --- writing --- */

/* The disk may be slow, so the lists worker writes what the UI thread has rendered. */
struct save_job {
	struct job job;
	struct host *host;
	char *path; /* NULL: a name is made of what follows */
	const char *view, *suffix;
	char name[EXPORT_NAME];
	char *data;
	size_t len;
	u32 rows;
	int err;
	struct status st;
};

static void save_job__run(struct job *job)
{
	struct save_job *j = (struct save_job *)job;

	if (j->path)
		j->err = export__save_bytes(j->path, j->data, j->len, &j->st);
	else
		j->err =
			export__save_snapshot(j->view, j->suffix, j->data, j->len, j->name, &j->st);
}

static void save_job__drop(struct job *job)
{
	struct save_job *j = (struct save_job *)job;

	free(j->path);
	free(j->data);
	free(j);
}

static void save_job__done(struct job *job)
{
	struct save_job *j = (struct save_job *)job;

	if (j->err)
		host__error(j->host, &j->st);
	else
		host__message(j->host, ROLE_OK, "saved %u rows to %s", j->rows,
			      j->path ? j->path : j->name);
	save_job__drop(job);
}

/* path NULL: a snapshot. view and suffix stay. */
static void post_save(struct host *h, const char *path, const char *view,
		      const struct export_format *f, const struct report *r)
{
	struct save_job *j = xcalloc(1, sizeof(*j));
	int err = export__render(f, r, &j->data, &j->len);

	j->job = (struct job){.run = save_job__run, .done = save_job__done, .drop = save_job__drop};
	j->host = h;
	j->path = path ? xstrdup(path) : NULL;
	j->view = view;
	j->suffix = f->suffix;
	for (const struct report *each = r; each; each = each->next)
		j->rows += each->rows->nrows;
	if (err) {
		host__message(h, ROLE_ERROR,
			      "%s: this screen has nothing for %s; choose .txt, .json "
			      "or .csv",
			      path ? path : view, f->suffix);
		h->message_code = EXIT_CODE_UNSUPPORTED;
		save_job__drop(&j->job);
		return;
	}
	worker__post(h->lists, &j->job);
}

/* --- what there is --- */

/* A file says so too: its head has the whole filter. */
static void note_unfiltered(const struct host *h, enum view_id v, struct health *e)
{
	size_t n = strlen(e->note);
	char names[64];

	if (*view__unapplied(view_table[v], h->scope, names, sizeof(names)))
		snprintf(e->note + n, sizeof(e->note) - n, "%snot filtered by %s", n ? "; " : "",
			 names);
}

/* Reports of open views, the shown one first. */
struct views {
	u32 n;
	struct report reports[VIEW_COUNT];
	const struct view_ops *views[VIEW_COUNT]; /* NULL: it is a screen's and borrows from it */
};

static bool take_screen(struct host *h, struct views *all)
{
	struct screen *s = app__screen(h);

	if (!s->ops->report || !s->ops->report(s, &all->reports[0]))
		return false;
	note_unfiltered(h, h->view, &all->reports[0].health);
	all->n = 1;
	return true;
}

/* Has been looked at, or gathers from the start (--views), or is in the recording. */
static bool is_open(const struct host *h, enum view_id v)
{
	return h->stacks[v] || (h->always & 1ULL << view_table[v]->feed);
}

/* Screens that are not shown do not follow: their views' tables of the frame stand for them. */
static void take_others(struct host *h, struct views *all)
{
	const struct view_args args = {0};

	for (u32 v = 0; v < VIEW_COUNT && h->frame; v++) {
		const struct view_ops *view = view_table[v];
		struct report *r = &all->reports[all->n];

		if (v == h->view || !is_open(h, v) || !view->report ||
		    view->report(view, h->frame, &args, h->scope, r))
			continue;
		note_unfiltered(h, v, &r->health);
		all->views[all->n++] = view;
	}
	for (u32 i = 0; i + 1 < all->n; i++)
		all->reports[i].next = &all->reports[i + 1];
}

static void views__fini(struct views *all)
{
	for (u32 i = 0; i < all->n; i++)
		if (all->views[i])
			all->views[i]->report_free(&all->reports[i]);
}

/* --- who asks --- */

/* A leading ~ is the user's home, as a shell would have it. */
static void expand_home(const char *path, char *buf, size_t size)
{
	const char *home = getenv("HOME");
	bool tilde = path[0] == '~' && path[1] == '/' && home && *home;

	snprintf(buf, size, "%s%s", tilde ? home : "", tilde ? path + 1 : path);
}

static void save_screen(struct host *h, const char *path)
{
	char name[PROMPT_MAX + 256], suffixes[256];
	const struct export_format *f;
	struct views all = {0};

	if (!take_screen(h, &all)) {
		host__message(h, ROLE_WARN,
			      app__screen(h)->ops->report ? "there is nothing to save here yet"
							  : "this screen cannot be saved");
		return;
	}
	if (path)
		expand_home(path, name, sizeof(name));
	else
		export__name(all.reports[0].view, ".txt", name);
	f = export__by_suffix(name);
	if (!f) {
		host__message(h, ROLE_ERROR, "%s: the suffix must be one of %s", name,
			      export__suffixes(suffixes, sizeof(suffixes)));
		return;
	}
	if (f->several)
		take_others(h, &all);
	post_save(h, name, all.reports[0].view, f, &all.reports[0]);
	views__fini(&all);
}

void save__view(struct host *h, const char *path)
{
	if (path && !*path)
		host__message(h, ROLE_WARN, "nothing was saved: no name was given");
	else
		save_screen(h, path);
}

bool save__reports(struct host *h, void (*use)(struct host *h, struct report *r))
{
	struct views all = {0};

	if (!take_screen(h, &all))
		return false;
	take_others(h, &all);
	use(h, &all.reports[0]);
	views__fini(&all);
	return true;
}

void save__snapshots(struct host *h)
{
	const struct export_format *f = h->options->snapshot;
	struct views all = {0};

	take_screen(h, &all);
	take_others(h, &all);
	if (!all.n)
		host__message(h, ROLE_WARN, "SIGUSR1: there is nothing to save yet");
	else if (f->several)
		post_save(h, NULL, "report", f, &all.reports[0]);
	else
		for (u32 i = 0; i < all.n; i++)
			post_save(h, NULL, all.reports[i].view, f, &all.reports[i]);
	views__fini(&all);
}
