// SPDX-License-Identifier: GPL-2.0-only
/* Filters and sampling are set while sources run; what one refuses stays as it was. */
#include "base/log.h"
#include "pipeline/feeds_impl.h"

static void forget_refusals(struct feeds *f, enum setting what)
{
	for (u32 m = 0; m < MODEL_COUNT; m++)
		f->v[m].refused[what][0] = '\0';
}

static void note_refusal(struct feeds *f, const struct slot *slot, enum setting what,
			 const struct status *st)
{
	log__add(LOG_WARN, "%s: %s: %s", slot->ops->name, feeds_refusals[what], st->msg);
	for (u64 left = slot->models; left; left &= left - 1) {
		char *buf = f->v[__builtin_ctzll(left)].refused[what];

		buf[0] = '\0';
		feeds__join(buf, sizeof(f->v[0].refused[what]), "%s: %s", feeds_refusals[what], st->msg);
	}
}

static void set_slot(struct feeds *f, struct slot *slot, enum setting what,
		     const struct scope *scope, const struct sampling *how)
{
	struct route r = {f, slot};
	struct sample_sink salvage = feeds__sink(&r);
	u64 models = slot->models;
	struct status st;
	int err;

	if (!slot->src)
		return;
	err = what == SETTING_SCOPE ? slot__set_scope(&f->slots, slot, scope, &salvage, &st)
				    : slot__set_sampling(&f->slots, slot, how, &salvage, &st);
	if (err)
		note_refusal(f, slot, what, &st);
	if (slot->src)
		return;
	slot->models = 0;
	for (u64 left = models; left; left &= left - 1)
		feeds__start_opening(f, (u32)__builtin_ctzll(left));
}

static bool is_first_choice(const struct feeds *f, const struct slot *slot)
{
	const struct source_row *row = f->rows;
	u32 model = (u32)__builtin_ctzll(slot->models);

	while (row->model != model || !row->tier)
		row++;
	return row->ops == slot->ops;
}

static bool is_other(const struct feeds *f, const struct slot *slot, const struct sampling *how)
{
	return slot->ops->other && slot->ops->other(&f->slots.how, how);
}

/* Another event may need another engine than the one that serves now. */
static void set_event(struct feeds *f, struct slot *slot, const struct sampling *how)
{
	struct status st = {0};

	/* Questions that run already go on. */
	if (slot->ops->asks) {
		if (slot__set_sampling(&f->slots, slot, how, NULL, &st))
			note_refusal(f, slot, SETTING_SAMPLING, &st);
		return;
	}
	if (!is_other(f, slot, how) && is_first_choice(f, slot) && slot->ops->set_sampling) {
		if (!slot__set_sampling(&f->slots, slot, how, NULL, &st)) {
			feeds__drain_slot(f, slot, true);
			for (u64 left = slot->models; left; left &= left - 1)
				feeds__zero_model(f, (u32)__builtin_ctzll(left));
			return;
		}
		if (st.code == EXIT_CODE_USAGE) {
			note_refusal(f, slot, SETTING_SAMPLING, &st);
			return;
		}
	}
	feeds__drain_slot(f, slot, true);
	slot__close(&f->slots, slot);
	f->trial |= slot->models;
	for (u64 left = slot->models; left; left &= left - 1)
		feeds__start_opening(f, (u32)__builtin_ctzll(left));
	slot->models = 0;
}

/* The event in force may be the one that stands for "", by its name. */
static bool is_other_event(const struct feeds *f, const char *event)
{
	if (!strcmp(f->slots.how.event, event))
		return false;
	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (f->v[m].feed.state == FEED_LIVE && !strcmp(f->v[m].feed.health.event, event))
			return false;
	return true;
}

static bool sampling_refused(const struct feeds *f)
{
	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (f->v[m].refused[SETTING_SAMPLING][0])
			return true;
	return false;
}

u64 feeds__asked(const struct feeds *f)
{
	u64 models = 0;

	for (u32 i = 0; i < f->slots.n; i++)
		if (f->slots.v[i].ops->asks && f->slots.v[i].src)
			models |= f->slots.v[i].models;
	return models;
}

void feeds__refresh(struct feeds *f)
{
	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (f->v[m].feed.state == FEED_LIVE)
			feeds__refresh_health(f, m);
}

void feeds__prepare(struct feeds *f, const struct ask *ask)
{
	u32 i = 0;

	while (i < f->nrows && !f->rows[i].ops->prepare)
		i++;
	if (i < f->nrows)
		f->rows[i].ops->prepare(ask, &f->slots.how);
}

/* With other settings a source may open that did not before. */
static void new_settings(struct feeds *f)
{
	for (u32 m = 0; m < MODEL_COUNT; m++) {
		if (f->v[m].feed.state == FEED_FAILED)
			feeds__start_opening(f, m);
		else if (f->v[m].feed.state == FEED_LIVE)
			feeds__refresh_health(f, m);
	}
}

void feeds__set_scope(struct feeds *f, struct scope *scope)
{
	forget_refusals(f, SETTING_SCOPE);
	for (u32 i = 0; i < f->slots.n; i++)
		set_slot(f, &f->slots.v[i], SETTING_SCOPE, scope, NULL);
	scope__put(f->slots.scope);
	f->slots.scope = scope;
	new_settings(f);
}

void feeds__renew(struct feeds *f, bool changed)
{
	for (u32 i = 0; i < f->slots.n; i++) {
		struct slot *slot = &f->slots.v[i];
		struct status st;

		if ((changed || slot->stale) && slot__renew(&f->slots, slot, &st) && changed)
			log__add(LOG_WARN, "%s: the CPUs changed, and it does not see all of them "
				 "any more: %s", slot->ops->name, st.msg);
	}
}

/* Then nobody else need be told. */
static bool only_asks(const struct sampling *was, struct sampling how)
{
	how.asks = was->asks;
	return !memcmp(was, &how, sizeof(how));
}

void feeds__set_sampling(struct feeds *f, const struct sampling *wanted)
{
	bool other = is_other_event(f, wanted->event), asks = f->slots.how.asks != wanted->asks;
	struct sampling how = *wanted;
	bool quiet;

	how.walker = f->slots.how.walker;
	how.names = f->slots.how.names;
	quiet = asks && only_asks(&f->slots.how, how);
	forget_refusals(f, SETTING_SAMPLING);
	if (!f->trial)
		f->before = f->slots.how;
	for (u32 i = 0; i < f->slots.n; i++) {
		struct slot *slot = &f->slots.v[i];

		if (slot->src && slot->tier &&
		    (is_other(f, slot, &how) || (slot->ops->asks ? asks : other)))
			set_event(f, slot, &how);
		else if (!quiet)
			set_slot(f, slot, SETTING_SAMPLING, NULL, &how);
	}
	if (!sampling_refused(f))
		f->slots.how = how;
	new_settings(f);
}
