// SPDX-License-Identifier: GPL-2.0-only
/* What screens compare with: a frame of before, held by reference. */
#include "tui/app.h"
#include "tui/baseline_file.h"

const struct baseline *host__baseline(const struct host *h)
{
	return h->baseline.frame ? &h->baseline : NULL;
}

static void replace(struct host *h, const struct frame *f, const char *file)
{
	snap__put(h->baseline.frame);
	free((char *)h->baseline.file);
	h->baseline = (struct baseline){f, file ? xstrdup(file) : NULL};
	h->dirty = true;
}

void baseline__set(struct host *h)
{
	char key[16];

	if (!h->frame || !h->frame->snaps[view_table[h->view]->feed]) {
		host__message(h, ROLE_WARN, "there is no window to freeze yet");
		return;
	}
	replace(h, snap__get(h->frame), NULL);
	host__message(h, ROLE_OK,
		      "this window is the baseline; %s takes it off, :baseline set "
		      "takes a new one",
		      host__key(h, ACTION_BASELINE, key, sizeof(key)));
}

/* --- a file's --- */

struct baseline_job {
	struct job job;
	struct host *host;
	struct collector *live;
	char *path;
	const struct frame *frame;
	struct status st;
};

static void read_file(void *ctx)
{
	struct baseline_job *j = ctx;
	const struct options *o = j->host->options;
	const struct baseline_source from = {j->path, o->replays, o->nreplays};

	j->frame = baseline_file__read(&from, j->host->symbols, "", &j->st);
}

/* Symbols are the collector's, so it is read there. */
static void baseline_job__run(struct job *job)
{
	struct baseline_job *j = container_of(job, struct baseline_job, job);

	if (!collector__call(j->live, read_file, j))
		status__set(&j->st, EXIT_CODE_FAILURE, -ECANCELED, "collecting has ended");
}

static void baseline_job__drop(struct job *job)
{
	struct baseline_job *j = container_of(job, struct baseline_job, job);

	snap__put(j->frame);
	free(j->path);
	free(j);
}

static void baseline_job__done(struct job *job)
{
	struct baseline_job *j = container_of(job, struct baseline_job, job);

	if (j->frame) {
		replace(j->host, snap__get(j->frame), j->path);
		host__message(j->host, ROLE_OK, "%.80s is the baseline; :baseline off takes it off",
			      j->path);
	} else {
		host__error(j->host, &j->st);
	}
	baseline_job__drop(job);
}

void baseline__read(struct host *h, const char *path)
{
	struct baseline_job *j = xcalloc(1, sizeof(*j));

	j->job = (struct job){.run = baseline_job__run,
			      .done = baseline_job__done,
			      .drop = baseline_job__drop,
			      .slot = &h->baseline};
	j->host = h;
	j->live = time_travel__live(h);
	j->path = xstrdup(path);
	worker__post(h->lists, &j->job);
}

void baseline__off(struct host *h)
{
	replace(h, NULL, NULL);
	host__message(h, ROLE_OK, "no baseline any more");
}

void baseline__toggle(struct host *h)
{
	if (h->baseline.frame)
		baseline__off(h);
	else
		baseline__set(h);
}
