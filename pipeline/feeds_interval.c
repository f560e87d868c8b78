// SPDX-License-Identifier: GPL-2.0-only
/* Intervals: where they begin and end, and the health of what was counted in them. */
#include "pipeline/feeds_impl.h"

static void add_counts(struct counts *sum, const struct counts *c)
{
	sum->samples += c->samples;
	sum->lost += c->lost;
	sum->map_full += c->map_full;
	sum->stacks_lost += c->stacks_lost;
}

/* Those that name functions of the kernel. */
static const u64 kernel_stacks =
	MODEL_BIT(MODEL_PROFILE) | MODEL_BIT(MODEL_WAITS) | MODEL_BIT(MODEL_CACHE);

/* Why interpreted functions are missing in stacks. */
static void note_scripts(const struct feeds *f, struct health *h)
{
	struct symbols_unwind_stats t;

	symbols__unwind_stats(f->symbols, &t);
	if (t.scripts_gone * 100 > t.scripts_named)
		health__note(h, t.scripts_gone, "stacks whose interpreted functions were gone before they "
						"could be named, since start");
	if (t.scripts_note)
		feeds__join(h->note, sizeof(h->note), "%s", t.scripts_note);
}

/* Before all else that the note says: it is true of each row of the kernel. */
static void note_hidden(struct health *h)
{
	struct health said = *h;

	copy_str(h->note, sizeof(h->note), SYMBOLS_HIDDEN);
	if (said.note[0])
		feeds__join(h->note, sizeof(h->note), "%s", said.note);
}

/* What the highest tier says stands: it is the one that samples. The others (slots are in
 * the order of tiers) add their counts and notes. What belongs to an interval is kept. */
void feeds__refresh_health(struct feeds *f, u32 model)
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
			feeds__join(out.note, sizeof(out.note), "%s", h.note);
		if (slot->stale)
			feeds__join(out.note, sizeof(out.note),
				    "%s does not see all CPUs since they changed: the log (9) says why", h.tier);
		out.map_fill_pct = MAX(out.map_fill_pct, h.map_fill_pct);
		main = false;
	}
	if (kernel_stacks & MODEL_BIT(model) && f->symbols && symbols__are_hidden(f->symbols))
		note_hidden(&out);
	if (f->symbols && out.stacks.by == STACKS_BY_TABLES)
		note_scripts(f, &out);
	out.samples = mine->samples;
	out.self_cpu_pct = mine->self_cpu_pct;
	out.samples_total = sum.samples;
	out.lost = sum.lost;
	out.map_full = sum.map_full;
	out.stacks_lost = sum.stacks_lost;
	if (!health_gap__any(&out.gap)) { /* a replay's are noted */
		out.gap = mine->gap;
		health__note_gap(&out);
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
			 struct health_gap gap)
{
	struct model_feed *mf = &f->v[model];
	struct health *h = &mf->feed.health;
	struct snap *snap = mf->ops->tick(mf->model, mf->t0_ns, t1_ns);

	if (snap) {
		snap__put(mf->snap);
		mf->snap = snap;
	}
	mf->t0_ns = t1_ns;
	h->gap = gap;
	feeds__refresh_health(f, model);
	h->samples = h->samples_total - MIN(h->samples_total, mf->last_samples);
	h->self_cpu_pct = self_cpu_pct;
	if (f->symbols)
		add_tables(f, &h->stacks);
	mf->last_samples = h->samples_total;
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

static void take_down(struct feeds *f, const struct record_interval *times)
{
	struct record_interval iv = *times;

	if (!iv.models)
		return;
	for (u32 m = 0; m < MODEL_COUNT; m++)
		if (iv.models & MODEL_BIT(m))
			iv.v[m].health = f->v[m].feed.health;
	for (u32 i = 0; i < SINKS; i++)
		if (f->sinks[i])
			f->sinks[i]->ops->end_interval(f->sinks[i], &iv);
}

void feeds__tick(struct feeds *f, u64 models, u64 t1_ns, double self_cpu_pct,
		 struct health_gap gap)
{
	struct record_interval iv = {
		.t1_ns = t1_ns, .models = ending(f, models, t1_ns), .self_cpu_pct = self_cpu_pct};

	for (u32 m = 0; m < MODEL_COUNT; m++) {
		if (!(iv.models & MODEL_BIT(m)))
			continue;
		iv.v[m].t0_ns = f->v[m].t0_ns;
		end_interval(f, m, t1_ns, self_cpu_pct, gap);
	}
	take_down(f, &iv);
}

void feeds__begin(struct feeds *f, u64 models, u64 t0_ns)
{
	for (u32 i = 0; i < f->slots.n; i++) {
		struct slot *slot = &f->slots.v[i];

		if (slot->src && (slot->models & models) && slot->ops->begin)
			slot->ops->begin(slot->src, t0_ns);
	}
	for (u32 m = 0; m < MODEL_COUNT; m++) {
		if (!(models & MODEL_BIT(m)))
			continue;
		feeds__refresh_health(f, m);
		f->v[m].t0_ns = t0_ns;
		f->v[m].last_samples = f->v[m].feed.health.samples_total;
	}
}

void feeds__zero_model(struct feeds *f, u32 model)
{
	struct model_feed *mf = &f->v[model];

	for (u32 i = 0; i < f->slots.n; i++)
		if (f->slots.v[i].models & MODEL_BIT(model))
			slot__zero(&f->slots.v[i]);
	mf->ops->zero(mf->model);
	mf->last_samples = 0;
	mf->feed.health.samples = 0;
}

void feeds__zero(struct feeds *f, u64 models, u64 t0_ns)
{
	struct record_interval iv = {.t1_ns = t0_ns};

	feeds__drain(f, models, t0_ns);
	/* What a recording has of it belongs to an interval that ends here. */
	iv.models = ending(f, models, t0_ns);
	for (u32 m = 0; m < MODEL_COUNT; m++)
		iv.v[m].t0_ns = f->v[m].t0_ns;
	take_down(f, &iv);
	for (u32 m = 0; m < MODEL_COUNT; m++)
		if ((models & MODEL_BIT(m)) && f->v[m].model) {
			feeds__zero_model(f, m);
			f->v[m].t0_ns = t0_ns;
		}
}
