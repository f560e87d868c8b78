/* SPDX-License-Identifier: GPL-2.0-only */
/* Snapshots: the whole view, not its visible part, to a new file. */
#include <stdio.h>
#include <time.h>

#include "core/export.h"
#include "tui/app.h"

static void default_name(const struct report *r, char *buf, size_t size)
{
	time_t now = time(NULL);
	struct tm tm;
	char date[32];

	localtime_r(&now, &tm);
	strftime(date, sizeof(date), "%Y%m%d-%H%M%S", &tm);
	snprintf(buf, size, "proftop-%s-%s.txt", r->view, date);
}

/* The disk may be slow, so the lists worker writes what the UI thread has rendered. */
struct save_job {
	struct job job;
	struct host *host;
	char *path, *data;
	size_t len;
	u32 rows;
	int err;
	struct status st;
};

static void save_job__run(struct job *job)
{
	struct save_job *j = (struct save_job *)job;

	j->err = export__save_bytes(j->path, j->data, j->len, &j->st);
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
		host__message(j->host, ROLE_ERROR, "%s", j->st.msg);
	else
		host__message(j->host, ROLE_OK, "saved %u rows to %s", j->rows, j->path);
	save_job__drop(job);
}

static void post_save(struct host *h, const char *path, const struct export_format *f,
		      const struct report *r)
{
	struct save_job *j = xcalloc(1, sizeof(*j));
	int err = export__render(f, r, &j->data, &j->len);

	j->job = (struct job){.run = save_job__run, .done = save_job__done, .drop = save_job__drop};
	j->host = h;
	j->path = xstrdup(path);
	j->rows = r->rows->nrows;
	if (err) {
		host__message(h, ROLE_ERROR, "%s: this screen has nothing for %s; choose .txt, .json "
			      "or .csv", path, f->suffix);
		save_job__drop(&j->job);
		return;
	}
	worker__post(h->lists, &j->job);
}

/* A file says so too: its head has the whole filter. */
static void note_unfiltered(const struct host *h, struct health *e)
{
	const u32 other = scope__terms(h->scope) & ~view_table[h->view]->terms;
	size_t n = strlen(e->note);
	char names[64];

	if (other)
		snprintf(e->note + n, sizeof(e->note) - n, "%snot filtered by %s", n ? "; " : "",
			 scope__term_names(h->scope, other, names, sizeof(names)));
}

/* A leading ~ is the user's home, as a shell would have it. */
static void expand_home(const char *path, char *buf, size_t size)
{
	const char *home = getenv("HOME");
	bool tilde = path[0] == '~' && path[1] == '/' && home && *home;

	snprintf(buf, size, "%s%s", tilde ? home : "", tilde ? path + 1 : path);
}

void save__view(struct host *h, const char *path)
{
	struct screen *s = app__screen(h);
	const struct export_format *f;
	struct report r;
	char name[PROMPT_MAX + 256], suffixes[128];

	if (path && !*path) {
		host__message(h, ROLE_WARN, "nothing was saved: no name was given");
		return;
	}
	if (!s->ops->report || !s->ops->report(s, &r)) {
		host__message(h, ROLE_WARN, s->ops->report ? "there is nothing to save here yet"
							   : "this screen cannot be saved");
		return;
	}
	note_unfiltered(h, &r.health);
	if (path)
		expand_home(path, name, sizeof(name));
	else
		default_name(&r, name, sizeof(name));
	path = name;
	f = export__by_suffix(path);
	if (!f)
		host__message(h, ROLE_ERROR, "%s: the suffix must be one of %s", path,
			      export__suffixes(suffixes, sizeof(suffixes)));
	else
		post_save(h, path, f, &r);
}
