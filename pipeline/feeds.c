// SPDX-License-Identifier: GPL-2.0-only
/* The feeds as a whole: their life, what takes them down, and what frames tell of them. */
#include <stdarg.h>
#include <stdio.h>

#include "base/arena.h"
#include "pipeline/feeds_impl.h"

void feeds__join(char *buf, size_t size, const char *fmt, ...)
{
	size_t len = strlen(buf);
	va_list ap;

	if (len) {
		snprintf(buf + len, size - len, "; ");
		len = strlen(buf);
	}
	va_start(ap, fmt);
	vsnprintf(buf + len, size - len, fmt, ap);
	va_end(ap);
}

const char *const feeds_refusals[SETTINGS] = {
	[SETTING_SCOPE] = "the old filter stays",
	[SETTING_SAMPLING] = "the old sampling stays",
};

/* Stable, so rows of one tier keep their order. */
static void sort_rows(struct source_row *rows, u32 n)
{
	for (u32 i = 1; i < n; i++) {
		struct source_row row = rows[i];
		u32 k = i;

		for (; k && rows[k - 1].tier > row.tier; k--)
			rows[k] = rows[k - 1];
		rows[k] = row;
	}
}

/* Who walks copies of stacks is not the user's to say. */
static const struct stack_walker *walker_of(const struct feeds_config *cfg)
{
	return cfg->symbols && !cfg->borrows_symbols ? symbols__stack_walker(cfg->symbols) : NULL;
}

/* Nor who names addresses. */
static const struct address_names *names_of(const struct feeds_config *cfg)
{
	return cfg->symbols && !cfg->borrows_symbols ? symbols__address_names(cfg->symbols) : NULL;
}

void feeds__init(struct feeds *f, const struct feeds_config *cfg)
{
	struct sampling how = cfg->how;

	*f = (struct feeds){.nrows = cfg->nrows,
			    .symbols = cfg->symbols,
			    .borrows_symbols = cfg->borrows_symbols};
	how.walker = walker_of(cfg);
	how.names = names_of(cfg);
	f->rows = xcalloc(cfg->nrows + 1, sizeof(*f->rows));
	memcpy(f->rows, cfg->rows, cfg->nrows * sizeof(*f->rows));
	sort_rows(f->rows, f->nrows);
	slots__init(&f->slots, f->rows, f->nrows, cfg->epoll_fd, cfg->epoll_tag, &how, cfg->scope);
	for (u32 m = 0; m < MODEL_COUNT; m++)
		f->v[m].ops = cfg->models[m];
}

void feeds__fini(struct feeds *f)
{
	f->slots.how.asks = NULL;
	feeds__prepare(f, NULL);
	feeds__stop_recording(f);
	slots__fini(&f->slots);
	for (u32 m = 0; m < MODEL_COUNT; m++) {
		snap__put(f->v[m].snap);
		if (f->v[m].model)
			f->v[m].ops->free(f->v[m].model);
	}
	free(f->rows);
}

void feeds__detach(struct feeds *f)
{
	f->opening = 0;
	for (u32 i = 0; i < f->slots.n; i++) {
		slot__close(&f->slots, &f->slots.v[i]);
		f->slots.v[i].models = 0;
	}
}

void feeds__record(struct feeds *f, enum record_sink_use use, struct record_sink *sink)
{
	if (f->sinks[use])
		f->sinks[use]->ops->close(f->sinks[use]);
	f->sinks[use] = sink;
}

void feeds__stop_recording(struct feeds *f)
{
	for (u32 i = 0; i < SINKS; i++)
		feeds__record(f, i, NULL);
}

/* What was refused comes first: it is what the user has just asked for. */
static void add_notes(const struct feeds *f, const struct model_feed *mf, struct feed *feed)
{
	struct health *h = &feed->health;
	char note[sizeof(h->note)] = "";

	for (u32 k = 0; k < SETTINGS; k++)
		if (mf->refused[k][0])
			feeds__join(feed->refused, sizeof(feed->refused), "%s", mf->refused[k]);
	if (feed->refused[0])
		feeds__join(note, sizeof(note), "%s", feed->refused);
	copy_str(feed->gone, sizeof(feed->gone), f->gone);
	if (feed->gone[0])
		feeds__join(note, sizeof(note), "%s", feed->gone);
	if (h->note[0])
		feeds__join(note, sizeof(note), "%s", h->note);
	/* Why a better tier does not serve. */
	if (mf->failed[0])
		feeds__join(note, sizeof(note), "not served by %s", mf->failed);
	if (mf->missing[0])
		feeds__join(note, sizeof(note), "%s", mf->missing);
	copy_str(h->note, sizeof(h->note), note);
}

void feeds__fill(struct feeds *f, struct frame *fr)
{
	for (u32 m = 0; m < MODEL_COUNT; m++) {
		struct model_feed *mf = &f->v[m];

		fr->snaps[m] = snap__get(mf->snap);
		fr->feeds[m] = mf->feed;
		add_notes(f, mf, &fr->feeds[m]);
	}
	for (u32 i = 0; i < SINKS; i++)
		if (f->sinks[i] && f->sinks[i]->ops->feeds)
			f->sinks[i]->ops->feeds(f->sinks[i], fr->feeds);
	if (f->sinks[SINK_FILE])
		f->sinks[SINK_FILE]->ops->state(f->sinks[SINK_FILE], &fr->recording);
	if (f->sinks[SINK_HISTORY])
		f->sinks[SINK_HISTORY]->ops->state(f->sinks[SINK_HISTORY], &fr->history);
}
