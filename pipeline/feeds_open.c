// SPDX-License-Identifier: GPL-2.0-only
/* Which sources serve the models that are wanted. */
#include <stdio.h>

#include "base/clock.h"
#include "base/log.h"
#include "pipeline/feeds_impl.h"

static u32 next_row(const struct feeds *f, u32 from, u32 model)
{
	while (from < f->nrows && f->rows[from].model != model)
		from++;
	return from;
}

static bool served(const struct feeds *f, u32 model, bool by_alternative)
{
	for (u32 i = 0; i < f->slots.n; i++)
		if ((f->slots.v[i].models & MODEL_BIT(model)) &&
		    (!by_alternative || f->slots.v[i].tier))
			return true;
	return false;
}

static bool feeds__has_alternatives(const struct feeds *f, u32 model)
{
	for (u32 i = 0; i < f->nrows; i++)
		if (f->rows[i].model == model && f->rows[i].tier)
			return true;
	return false;
}

static void release(struct feeds *f, u32 model)
{
	for (u32 i = 0; i < f->slots.n; i++) {
		struct slot *slot = &f->slots.v[i];

		if (!(slot->models & MODEL_BIT(model)))
			continue;
		slot__set_models(slot, slot->models & ~MODEL_BIT(model));
		if (!slot->models)
			slot__close(&f->slots, slot);
	}
}

static void await_row(struct feeds *f, u32 model, u32 from)
{
	struct model_feed *mf = &f->v[model];
	const struct source_ops *ops;

	mf->next = next_row(f, from, model);
	if (mf->next == f->nrows)
		return;
	ops = f->rows[mf->next].ops;
	snprintf(mf->feed.reason, sizeof(mf->feed.reason), "opening %s",
		 ops->title ? ops->title : ops->name);
}

void feeds__start_opening(struct feeds *f, u32 model)
{
	struct model_feed *mf = &f->v[model];

	f->opening |= MODEL_BIT(model);
	mf->feed.state = FEED_OPENING;
	mf->feed.exit_code = EXIT_CODE_OK;
	mf->feed.reason[0] = mf->failed[0] = mf->missing[0] = '\0';
	mf->open = false;
	await_row(f, model, 0);
}

void feeds__want(struct feeds *f, enum model_id m, bool on)
{
	struct model_feed *mf = &f->v[m];

	if (!mf->ops || on == (mf->feed.state != FEED_OFF))
		return;
	if (on) {
		if (!mf->model)
			mf->model = mf->ops->new (f->symbols);
		feeds__start_opening(f, m);
		return;
	}
	release(f, m);
	f->opening &= ~MODEL_BIT(m);
	mf->feed.state = FEED_OFF;
	mf->feed.exit_code = EXIT_CODE_OK;
	mf->feed.reason[0] = '\0';
}

/* Which failure tells most about what to do: a wrong request fails whatever the tier, and a
 * missing permission can be had where a missing feature cannot. */
static int failure_rank(int code)
{
	static const int rank[] = {
		[EXIT_CODE_FAILURE] = 1,
		[EXIT_CODE_UNSUPPORTED] = 2,
		[EXIT_CODE_PERMISSION] = 3,
		[EXIT_CODE_USAGE] = 4,
	};

	return code >= 0 && (size_t)code < ARRAY_SIZE(rank) ? rank[code] : 1;
}

/* Some failures are the same whatever the tier: those are said once, without a tier's name. */
static bool said_by_other(const struct model_feed *mf, const char *msg)
{
	const char *said = strstr(mf->failed, ": ");

	return said && !strcmp(said + 2, msg);
}

static void note_failure(struct feeds *f, const struct source_row *row, const struct status *st)
{
	struct model_feed *mf = &f->v[row->model];

	log__add(LOG_INFO, "%s does not open: %s", row->ops->name, st->msg);
	if (!row->tier)
		feeds__join(mf->missing, sizeof(mf->missing), "without %s: %s", row->ops->name,
			    st->msg);
	/* Whether anything can be shown is up to the others. */
	if (!row->tier && feeds__has_alternatives(f, row->model))
		return;
	if (st->code == EXIT_CODE_USAGE || said_by_other(mf, st->msg))
		copy_str(mf->failed, sizeof(mf->failed), st->msg);
	else
		feeds__join(mf->failed, sizeof(mf->failed), "%s: %s", row->ops->name, st->msg);
	if (failure_rank(st->code) > failure_rank(mf->feed.exit_code))
		mf->feed.exit_code = st->code;
}

static bool try_row(struct feeds *f, const struct source_row *row)
{
	struct slot *slot = slots__of(&f->slots, row->ops);
	struct status st;

	if (!slot->src && slot__open(&f->slots, slot, &st)) {
		note_failure(f, row, &st);
		return false;
	}
	slot__set_models(slot, slot->models | MODEL_BIT(row->model));
	return true;
}

/* A model's sources were opened anew for another event, and all were tried. False: none serves,
 * and the old one is being opened again. */
static bool finish_trial(struct feeds *f, u32 model, bool live)
{
	struct model_feed *mf = &f->v[model];
	char *refused = mf->refused[SETTING_SAMPLING];

	f->trial &= ~MODEL_BIT(model);
	if (live) {
		/* What was counted of the old event cannot be added to the new one. */
		feeds__zero_model(f, model);
		return true;
	}
	refused[0] = '\0';
	feeds__join(refused, sizeof(mf->refused[0]), "%s: %s", feeds_refusals[SETTING_SAMPLING],
		    mf->failed);
	f->slots.how = f->before;
	feeds__start_opening(f, model);
	return false;
}

/* Nothing is left to try. Returns the model's bit when it is live. */
static u64 finish_opening(struct feeds *f, u32 model)
{
	struct model_feed *mf = &f->v[model];
	bool live = served(f, model, feeds__has_alternatives(f, model));

	f->opening &= ~MODEL_BIT(model);
	if ((f->trial & MODEL_BIT(model)) && !finish_trial(f, model, live))
		return 0;
	copy_str(mf->feed.reason, sizeof(mf->feed.reason), mf->failed);
	if (live) {
		mf->feed.state = FEED_LIVE;
		mf->feed.exit_code = EXIT_CODE_OK;
		return MODEL_BIT(model);
	}
	release(f, model);
	mf->feed.state = FEED_FAILED;
	if (!mf->failed[0]) {
		snprintf(mf->feed.reason, sizeof(mf->feed.reason), "%s has no source",
			 mf->ops->name);
		mf->feed.exit_code = EXIT_CODE_UNSUPPORTED;
	}
	return 0;
}

#define TABLES_WAIT_NS	NSEC_PER_SEC /* from the question on; what is not there then comes later */
#define TABLES_LOOK_MS	20

/* The first stacks of what is there are to be whole. */
static void begin_tables(struct feeds *f, const struct source_row *row)
{
	struct route r = {f, slots__of(&f->slots, row->ops)};
	struct sample_sink sink = feeds__sink(&r);

	if (!row->ops->ask_tables || !f->symbols || f->borrows_symbols || r.slot->src || f->tables_until_ns)
		return;
	f->tables_until_ns = clock__monotonic_ns() + TABLES_WAIT_NS;
	if (!row->ops->ask_tables(&f->slots.how, f->slots.scope, &sink))
		f->tables_until_ns = 0;
}

/* Whether tables that it asked for are still being read. */
static bool awaits_tables(struct feeds *f, const struct source_row *row)
{
	struct feed *feed = &f->v[row->model].feed;
	struct symbols_unwind_stats t;

	if (!f->tables_until_ns)
		return false;
	if (!symbols__unwind_settle(f->symbols, TABLES_LOOK_MS) &&
	    clock__monotonic_ns() < f->tables_until_ns) {
		symbols__unwind_stats(f->symbols, &t);
		snprintf(feed->reason, sizeof(feed->reason),
			 "reading unwind tables: %llu of %llu files",
			 (unsigned long long)(t.tables + t.without), (unsigned long long)t.files);
		return true;
	}
	f->tables_until_ns = 0;
	return false;
}

/* Programs that do nothing before they are told to are loaded while the tables are read. */
static bool open_row(struct feeds *f, const struct source_row *row, bool *opened)
{
	struct model_feed *mf = &f->v[row->model];

	if (!mf->open) {
		begin_tables(f, row);
		if (!row->ops->held_off && awaits_tables(f, row))
			return false;
		mf->open = try_row(f, row);
		if (!mf->open)
			f->tables_until_ns = 0;
	}
	if (awaits_tables(f, row))
		return false;
	*opened = mf->open;
	mf->open = false;
	return true;
}

u64 feeds__open_next(struct feeds *f)
{
	const struct source_row *row;
	bool opened;
	u32 m;

	if (!f->opening)
		return 0;
	m = (u32)__builtin_ctzll(f->opening);
	if (f->v[m].next == f->nrows)
		return finish_opening(f, m);
	row = &f->rows[f->v[m].next];
	if (!open_row(f, row, &opened))
		return 0;
	await_row(f, m, f->v[m].next + 1);
	if ((opened && row->tier) || f->v[m].next == f->nrows)
		return finish_opening(f, m);
	return 0;
}

u64 feeds__upkeep(const struct feeds *f)
{
	u64 models = 0;

	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (f->v[m].feed.state == FEED_LIVE && !feeds__has_alternatives(f, m))
			models |= MODEL_BIT(m);
	return models;
}
