// SPDX-License-Identifier: GPL-2.0-only
#include "core/feeds.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/arena.h"
#include "core/log.h"

#define NAMES_WAIT_MS 25

static const char *const refusal[SETTINGS] = {
	[SETTING_SCOPE] = "the old filter stays",
	[SETTING_SAMPLING] = "the old sampling stays",
};

/* Appends after "; ", cut at the buffer's end. */
static void PRINTF_LIKE(3, 4) join(char *buf, size_t size, const char *fmt, ...)
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
static struct sampling with_walker(const struct sampling *how, const struct stack_walker *walker)
{
	struct sampling mine = *how;

	mine.walker = walker;
	return mine;
}

static const struct stack_walker *walker_of(const struct feeds_config *cfg)
{
	return cfg->symbols && !cfg->borrows_symbols ? symbols__stack_walker(cfg->symbols) : NULL;
}

void feeds__init(struct feeds *f, const struct feeds_config *cfg)
{
	struct sampling how = with_walker(&cfg->how, walker_of(cfg));

	*f = (struct feeds){.nrows = cfg->nrows,
			    .symbols = cfg->symbols,
			    .borrows_symbols = cfg->borrows_symbols};
	f->rows = xcalloc(cfg->nrows + 1, sizeof(*f->rows));
	memcpy(f->rows, cfg->rows, cfg->nrows * sizeof(*f->rows));
	sort_rows(f->rows, f->nrows);
	slots__init(&f->slots, f->rows, f->nrows, cfg->epoll_fd, cfg->epoll_tag, &how,
		    cfg->scope);
	for (u32 m = 0; m < MODEL_COUNT; m++)
		f->v[m].ops = cfg->models[m];
}

void feeds__fini(struct feeds *f)
{
	feeds__untape(f);
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

/* --- opening and closing --- */

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

static bool has_alternatives(const struct feeds *f, u32 model)
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

static void start_opening(struct feeds *f, u32 model)
{
	struct model_feed *mf = &f->v[model];

	f->opening |= MODEL_BIT(model);
	mf->feed.state = FEED_OPENING;
	mf->feed.exit_code = EXIT_CODE_OK;
	mf->feed.reason[0] = mf->failed[0] = mf->missing[0] = '\0';
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
		start_opening(f, m);
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
static int telling(int code)
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
		join(mf->missing, sizeof(mf->missing), "without %s: %s", row->ops->name, st->msg);
	/* Whether anything can be shown is up to the others. */
	if (!row->tier && has_alternatives(f, row->model))
		return;
	if (st->code == EXIT_CODE_USAGE || said_by_other(mf, st->msg))
		copy_str(mf->failed, sizeof(mf->failed), st->msg);
	else
		join(mf->failed, sizeof(mf->failed), "%s: %s", row->ops->name, st->msg);
	if (telling(st->code) > telling(mf->feed.exit_code))
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

static void zero_model(struct feeds *f, u32 model)
{
	struct model_feed *mf = &f->v[model];

	for (u32 i = 0; i < f->slots.n; i++)
		if (f->slots.v[i].models & MODEL_BIT(model))
			slot__zero(&f->slots.v[i]);
	mf->ops->zero(mf->model);
	mf->samples_then = 0;
	mf->feed.health.samples = 0;
}

/* What was counted of the old event cannot be added to the new one. When no source takes the
 * new one, the old one is opened again: false. */
static bool finish_trial(struct feeds *f, u32 model, bool served)
{
	struct model_feed *mf = &f->v[model];
	char *refused = mf->refused[SETTING_SAMPLING];

	f->trial &= ~MODEL_BIT(model);
	if (served) {
		zero_model(f, model);
		return true;
	}
	refused[0] = '\0';
	join(refused, sizeof(mf->refused[0]), "%s: %s", refusal[SETTING_SAMPLING], mf->failed);
	f->slots.how = f->before;
	start_opening(f, model);
	return false;
}

/* Nothing is left to try. Returns the model's bit when it is live. */
static u64 finish_opening(struct feeds *f, u32 model)
{
	struct model_feed *mf = &f->v[model];
	bool live = served(f, model, has_alternatives(f, model));

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
	opened = try_row(f, row);
	await_row(f, m, f->v[m].next + 1);
	if ((opened && row->tier) || f->v[m].next == f->nrows)
		return finish_opening(f, m);
	return 0;
}

u64 feeds__upkeep(const struct feeds *f)
{
	u64 models = 0;

	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (f->v[m].feed.state == FEED_LIVE && !has_alternatives(f, m))
			models |= MODEL_BIT(m);
	return models;
}

/* --- samples and intervals --- */

struct route {
	struct feeds *feeds;
	const struct slot *slot;
};

static void route_sample(void *ctx, const struct sample *s)
{
	const struct route *r = ctx;
	struct feeds *f = r->feeds;

	if (s->type == SAMPLE_PROC && f->symbols)
		symbols__proc_event(f->symbols,
				    container_of((struct sample *)s, struct proc_event, head));
	if (s->type == SAMPLE_UNWIND && f->symbols)
		symbols__unwind(f->symbols,
				container_of((struct sample *)s, struct unwind_sample, head),
				&source_unwind_sink);
	for (u32 i = 0; i < TAPS; i++)
		if (f->taps[i])
			f->taps[i]->ops->put(f->taps[i], r->slot->models, s);
	for (u64 left = r->slot->models; left; left &= left - 1) {
		struct model_feed *mf = &f->v[__builtin_ctzll(left)];

		mf->ops->consume(mf->model, s);
	}
}

static void drain(struct feeds *f, struct slot *slot, bool tick)
{
	struct route r = {f, slot};
	struct sample_sink sink = {route_sample, &r};

	slot->ops->drain(slot->src, tick, &sink);
}

static void kick_symbols(struct feeds *f)
{
	if (f->symbols && !f->borrows_symbols)
		symbols__kick(f->symbols);
}

/* The slots that serve some of the models, with or without a fetch of their own. */
static struct slot *next_slot(struct feeds *f, u32 *i, u64 models, bool fetches)
{
	while (*i < f->slots.n) {
		struct slot *slot = &f->slots.v[(*i)++];

		if (slot->src && (slot->models & models) && !slot->ops->fetch != fetches)
			return slot;
	}
	return NULL;
}

/* Samples are fetched first and handed out last: what the others tell in between are the
 * processes and mappings that the samples mean. */
static void drain_in_order(struct feeds *f, u64 models, bool tick)
{
	struct slot *slot;

	for (u32 i = 0; (slot = next_slot(f, &i, models, true));)
		slot->ops->fetch(slot->src, tick);
	for (u32 i = 0; (slot = next_slot(f, &i, models, false));)
		drain(f, slot, tick);
	for (u32 i = 0; (slot = next_slot(f, &i, models, true));)
		drain(f, slot, tick);
	kick_symbols(f);
}

void feeds__drain(struct feeds *f, u64 models)
{
	drain_in_order(f, models, true);
	/* Most names come within milliseconds: a frame that has them need not be looked at a
	 * second time by whoever shows it. */
	if (f->symbols && !f->borrows_symbols)
		symbols__settle(f->symbols, NAMES_WAIT_MS);
}

void feeds__drain_urgent(struct feeds *f, struct slot *slot)
{
	if (!slot->src)
		return;
	drain_in_order(f, slot->models, false);
}

static void add_counts(struct counts *sum, const struct counts *c)
{
	sum->samples += c->samples;
	sum->lost += c->lost;
	sum->map_full += c->map_full;
	sum->stacks_lost += c->stacks_lost;
}

/* What the highest tier says stands: it is the one that samples. The others (slots are in
 * the order of tiers) add their counts and notes. What belongs to an interval is kept. */
static void refresh_health(struct feeds *f, u32 model)
{
	struct health *mine = &f->v[model].feed.health, out = {0}, h;
	struct counts sum = {0}, c;
	bool main = true;

	for (u32 i = f->slots.n; i-- > 0;) {
		const struct slot *slot = &f->slots.v[i];

		if (!(slot->models & MODEL_BIT(model)))
			continue;
		slot__health(slot, &h, &c);
		add_counts(&sum, &c);
		if (main)
			out = h;
		else if (h.note[0])
			join(out.note, sizeof(out.note), "%s", h.note);
		out.map_fill_pct = MAX(out.map_fill_pct, h.map_fill_pct);
		main = false;
	}
	out.samples = mine->samples;
	out.self_cpu_pct = mine->self_cpu_pct;
	out.samples_total = sum.samples;
	out.lost = sum.lost;
	out.map_full = sum.map_full;
	out.stacks_lost = sum.stacks_lost;
	if (mine->missed_ticks && !out.missed_ticks) { /* a replay's are noted */
		out.missed_ticks = mine->missed_ticks;
		health__note_missed(&out);
	}
	*mine = out;
}

static void add_tables(const struct feeds *f, struct health_stacks *s)
{
	struct symbols_unwind_stats t;

	symbols__unwind_stats(f->symbols, &t);
	s->tables = t.tables;
	s->rows = t.rows;
	s->bytes = t.bytes;
	s->budget = t.budget;
	s->evictions = t.evictions;
}

static void end_interval(struct feeds *f, u32 model, u64 t1_ns, double self_cpu_pct,
			 u64 missed_ticks)
{
	struct model_feed *mf = &f->v[model];
	struct health *h = &mf->feed.health;
	struct snap *snap = mf->ops->tick(mf->model, mf->t0_ns, t1_ns);

	if (snap) {
		snap__put(mf->snap);
		mf->snap = snap;
	}
	mf->t0_ns = t1_ns;
	h->missed_ticks = missed_ticks;
	refresh_health(f, model);
	h->samples = h->samples_total - MIN(h->samples_total, mf->samples_then);
	h->self_cpu_pct = self_cpu_pct;
	if (f->symbols)
		add_tables(f, &h->stacks);
	mf->samples_then = h->samples_total;
}

/* Those of the models whose interval can end then. */
static u64 ending(const struct feeds *f, u64 models, u64 t1_ns)
{
	u64 out = 0;

	for (u32 m = 0; m < MODEL_COUNT; m++)
		if ((models & MODEL_BIT(m)) && f->v[m].feed.state == FEED_LIVE &&
		    t1_ns > f->v[m].t0_ns)
			out |= MODEL_BIT(m);
	return out;
}

static void take_down(struct feeds *f, const struct tape_interval *times)
{
	struct tape_interval iv = *times;

	if (!iv.models)
		return;
	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (iv.models & MODEL_BIT(m))
			iv.v[m].health = f->v[m].feed.health;
	for (u32 i = 0; i < TAPS; i++)
		if (f->taps[i])
			f->taps[i]->ops->end_interval(f->taps[i], &iv);
}

void feeds__tick(struct feeds *f, u64 models, u64 t1_ns, double self_cpu_pct, u64 missed_ticks)
{
	struct tape_interval iv = {.t1_ns = t1_ns,
				   .models = ending(f, models, t1_ns),
				   .self_cpu_pct = self_cpu_pct};

	for (u32 m = 0; m < MODEL_COUNT; m++) {
		if (!(iv.models & MODEL_BIT(m)))
			continue;
		iv.v[m].t0_ns = f->v[m].t0_ns;
		end_interval(f, m, t1_ns, self_cpu_pct, missed_ticks);
	}
	take_down(f, &iv);
}

void feeds__record(struct feeds *f, enum tap_use use, struct tap *tap)
{
	if (f->taps[use])
		f->taps[use]->ops->close(f->taps[use]);
	f->taps[use] = tap;
}

void feeds__untape(struct feeds *f)
{
	for (u32 i = 0; i < TAPS; i++)
		feeds__record(f, i, NULL);
}

void feeds__begin(struct feeds *f, u64 models, u64 t0_ns)
{
	for (u32 m = 0; m < MODEL_COUNT; m++) {
		if (!(models & MODEL_BIT(m)))
			continue;
		refresh_health(f, m);
		f->v[m].t0_ns = t0_ns;
		f->v[m].samples_then = f->v[m].feed.health.samples_total;
	}
}

void feeds__zero(struct feeds *f, u64 t0_ns)
{
	struct tape_interval iv = {.t1_ns = t0_ns};

	feeds__drain(f, ALL_MODELS);
	/* What a recording has of it belongs to an interval that ends here. */
	iv.models = ending(f, ALL_MODELS, t0_ns);
	for (u32 m = 0; m < MODEL_COUNT; m++)
		iv.v[m].t0_ns = f->v[m].t0_ns;
	take_down(f, &iv);
	for (u32 i = 0; i < f->slots.n; i++)
		slot__zero(&f->slots.v[i]);
	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (f->v[m].model) {
			zero_model(f, m);
			f->v[m].t0_ns = t0_ns;
		}
}

/* --- filters and rates --- */

static void forget_refusals(struct feeds *f, enum setting what)
{
	for (u32 m = 0; m < MODEL_COUNT; m++)
		f->v[m].refused[what][0] = '\0';
}

static void note_refusal(struct feeds *f, const struct slot *slot, enum setting what,
			 const struct status *st)
{
	log__add(LOG_WARN, "%s: %s: %s", slot->ops->name, refusal[what], st->msg);
	for (u64 left = slot->models; left; left &= left - 1) {
		char *buf = f->v[__builtin_ctzll(left)].refused[what];

		buf[0] = '\0';
		join(buf, sizeof(f->v[0].refused[what]), "%s: %s", refusal[what], st->msg);
	}
}

static void set_slot(struct feeds *f, struct slot *slot, enum setting what,
		     const struct scope *scope, const struct sampling *how)
{
	struct route r = {f, slot};
	struct sample_sink salvage = {route_sample, &r};
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
		start_opening(f, (u32)__builtin_ctzll(left));
}

static bool is_first_choice(const struct feeds *f, const struct slot *slot)
{
	const struct source_row *row = f->rows;
	u32 model = (u32)__builtin_ctzll(slot->models);

	while (row->model != model || !row->tier)
		row++;
	return row->ops == slot->ops;
}

/* Another event may need another engine than the one that serves now. */
static void set_event(struct feeds *f, struct slot *slot, const struct sampling *how)
{
	struct status st = {0};

	if (is_first_choice(f, slot) && slot->ops->set_sampling) {
		if (!slot->ops->set_sampling(slot->src, how, &st)) {
			drain(f, slot, true);
			for (u64 left = slot->models; left; left &= left - 1)
				zero_model(f, (u32)__builtin_ctzll(left));
			return;
		}
		if (st.code == EXIT_CODE_USAGE) {
			note_refusal(f, slot, SETTING_SAMPLING, &st);
			return;
		}
	}
	drain(f, slot, true);
	slot__close(&f->slots, slot);
	f->trial |= slot->models;
	for (u64 left = slot->models; left; left &= left - 1)
		start_opening(f, (u32)__builtin_ctzll(left));
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

/* With other settings a source may open that did not before. */
static void new_settings(struct feeds *f)
{
	for (u32 m = 0; m < MODEL_COUNT; m++) {
		if (f->v[m].feed.state == FEED_FAILED)
			start_opening(f, m);
		else if (f->v[m].feed.state == FEED_LIVE)
			refresh_health(f, m);
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

void feeds__set_sampling(struct feeds *f, const struct sampling *wanted)
{
	const struct sampling mine = with_walker(wanted, f->slots.how.walker), *how = &mine;
	bool other = is_other_event(f, how->event);

	forget_refusals(f, SETTING_SAMPLING);
	if (!f->trial)
		f->before = f->slots.how;
	for (u32 i = 0; i < f->slots.n; i++) {
		struct slot *slot = &f->slots.v[i];

		if (other && slot->src && slot->tier)
			set_event(f, slot, how);
		else
			set_slot(f, slot, SETTING_SAMPLING, NULL, how);
	}
	if (!sampling_refused(f))
		f->slots.how = *how;
	new_settings(f);
}

/* --- frames --- */

/* What was refused comes first: it is what the user has just asked for. */
static void add_notes(const struct model_feed *mf, struct feed *feed)
{
	struct health *h = &feed->health;
	char note[sizeof(h->note)] = "";

	for (u32 k = 0; k < SETTINGS; k++)
		if (mf->refused[k][0])
			join(feed->refused, sizeof(feed->refused), "%s", mf->refused[k]);
	if (feed->refused[0])
		join(note, sizeof(note), "%s", feed->refused);
	if (h->note[0])
		join(note, sizeof(note), "%s", h->note);
	/* Why a better tier does not serve. */
	if (mf->failed[0])
		join(note, sizeof(note), "not served by %s", mf->failed);
	if (mf->missing[0])
		join(note, sizeof(note), "%s", mf->missing);
	copy_str(h->note, sizeof(h->note), note);
}

void feeds__fill(struct feeds *f, struct frame *fr)
{
	for (u32 m = 0; m < MODEL_COUNT; m++) {
		struct model_feed *mf = &f->v[m];

		fr->snaps[m] = snap__get(mf->snap);
		fr->feeds[m] = mf->feed;
		add_notes(mf, &fr->feeds[m]);
	}
	if (f->taps[TAP_FILE])
		f->taps[TAP_FILE]->ops->state(f->taps[TAP_FILE], &fr->tape);
	if (f->taps[TAP_HISTORY])
		f->taps[TAP_HISTORY]->ops->state(f->taps[TAP_HISTORY], &fr->history);
}
