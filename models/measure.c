// SPDX-License-Identifier: GPL-2.0-only
/* The model of any measure: samples in, snapshots out. */
#include "models/measure.h"

#include "models/measure_model.h"
#include "models/model.h"
#include "models/slowest.h"
#include "models/snap_box.h"

#define TEXTS_BYTES (8u << 20)
#define HEAT_NAMES  1000 /* series; what comes later is one more */

/* What came within a span; stack is its position. */
struct slow_moment {
	struct measure_moment m;
	u32 stack;
};

struct slow_item {
	struct measure_slow_sample s;
	struct measure_text keys[MEASURE_OWN_LABELS];
	u32 stack;
	struct slow_moment *moments; /* s.nmoments */
};

struct model {
	const struct measure *m;
	struct stacks stacks;
	struct texts texts;
	struct live_entries all, sampled;
	struct live_holders holders;
	struct live_orders orders;
	struct live_open *open; /* of the interval that ends */
	u32 nopen, open_cap;
	struct slowest slow;
	struct heat_log heat;
	struct hidx heat_index;
	char **heat_names;
	u32 nheat_names;
	bool levels_known;
	u64 levels[MEASURE_LEVELS];
	struct window_clock clock;
};

struct live_open {
	struct measure_open_entry entry; /* but for its stack */
	u32 stack;			 /* position; NO_STACK */
};

static void free_item(void *item)
{
	free(((struct slow_item *)item)->moments);
}

static const struct slowest_kind slow_kind = {
	.fini = free_item,
	.size = sizeof(struct slow_item),
	.max = MEASURE_MAX_SLOW,
	.seconds = MEASURE_SLOW_S,
	.ns_at = offsetof(struct slow_item, s.ns),
	.end_at = offsetof(struct slow_item, s.t_ns),
};

u64 measure__lo_ns(u32 bucket)
{
	return loglin__lo(bucket, MEASURE_SUB_SHIFT) << MEASURE_NS_SHIFT;
}

u64 measure__lo_number(u32 bucket)
{
	return loglin__lo(bucket, MEASURE_SUB_SHIFT);
}

static u64 measure__lo_signed(u32 bucket)
{
	u32 half = MEASURE_BUCKETS / 2;

	if (bucket == MEASURE_BUCKETS)
		return UINT64_MAX;
	if (bucket >= half)
		return MEASURE_ZERO + loglin__lo(bucket - half, MEASURE_SIGNED_SHIFT);
	return bucket ? MEASURE_ZERO - loglin__lo(half - bucket, MEASURE_SIGNED_SHIFT) : 0;
}

u64 (*measure__lo(const struct measure *m))(u32 bucket)
{
	if (m->shape != MEASURE_SHAPE_COUNT)
		return measure__lo_ns;
	return m->is_signed ? measure__lo_signed : measure__lo_number;
}

/* --- samples --- */

static void intern_keys(struct model *m, const struct measure_key *keys, u32 n,
			struct measure_text out[MEASURE_OWN_LABELS])
{
	for (u32 i = 0; i < MEASURE_OWN_LABELS; i++) {
		bool set = i < n && *keys[i].text;

		out[i].value = i < n ? keys[i].value : 0;
		out[i].text = set ? texts__intern(&m->texts, keys[i].text) : "";
	}
}

/* Series of heat maps by the first label's text. */
static u32 series_of(struct model *m, const char *text)
{
	u64 h = measure__text_hash(text);
	u32 at;

	HIDX_FIND(at, &m->heat_index, h, pos, !strcmp(m->heat_names[pos], text));
	if (at != HIDX_NONE)
		return at;
	if (m->nheat_names == HEAT_NAMES)
		return HEAT_NAMES;
	if (!m->heat_names)
		m->heat_names = xcalloc(HEAT_NAMES, sizeof(*m->heat_names));
	hidx__add(&m->heat_index, h, m->nheat_names);
	m->heat_names[m->nheat_names] = xstrdup(text);
	return m->nheat_names++;
}

static void consume_counted(struct model *m, const struct measure_sample *s)
{
	struct measure_text keys[MEASURE_OWN_LABELS];
	struct measure_sample of = *s;
	u32 series;

	intern_keys(m, s->keys, s->rest ? 0 : s->nkeys, keys);
	if (s->rest)
		of.who = (struct measure_who){.tgid = MEASURE_MANY, .host = s->who.host, .comm = "[rest]"};
	if (s->sampled) {
		live_entries__add(&m->sampled, &of, keys,
				  stacks__find(&m->stacks, s->stack, s->stack_tgid ? s->stack_tgid : s->who.tgid));
		return;
	}
	live_entries__add(&m->all, &of, keys, NO_STACK);
	series = s->hist ? series_of(m, *keys[0].text ? keys[0].text : "[rest]") : 0;
	for (u32 i = 0; s->hist && i < MEASURE_BUCKETS; i++)
		heat_log__add(&m->heat, series, i, s->hist[i]);
}

static void consume_held(struct model *m, const struct measure_held_sample *s)
{
	const struct measure_held held = {s->held, s->held_bytes, s->begin_ns,
					  (double)s->error_bytes * (double)s->error_bytes};
	struct measure_text keys[MEASURE_OWN_LABELS];
	struct measure_sample of = {.who = s->who,
				    .sampled = true,
				    .count = s->acquired,
				    .errors = s->unseen,
				    .sum = s->acquired_bytes,
				    .sums = {[HOLDING_RELEASED] = s->released,
					     [HOLDING_RELEASED_BYTES] = s->released_bytes,
					     [HOLDING_CHURNED] = s->churned,
					     [HOLDING_CHURNED_BYTES] = s->churned_bytes,
					     [HOLDING_WASTED_BYTES] = s->wasted_bytes},
				    .hist = s->hist};

	intern_keys(m, s->keys, s->rest ? 0 : s->nkeys, keys);
	m->sampled.unseen += s->unseen;
	if (s->rest)
		of.who = (struct measure_who){.tgid = MEASURE_MANY, .host = s->who.host, .comm = "[rest]"};
	live_entries__hold(&m->sampled, &of, &held, keys,
			   stacks__find(&m->stacks, s->stack, s->who.tgid));
}

static void consume_open(struct model *m, const struct measure_open_sample *s)
{
	struct measure_open_entry *o;

	if (m->nopen == MEASURE_MAX_OPEN)
		return;
	m->open = xgrow(m->open, m->nopen, &m->open_cap, sizeof(*m->open));
	m->open[m->nopen].stack = stacks__find(&m->stacks, s->stack, s->who.tgid);
	o = &m->open[m->nopen++].entry;
	*o = (struct measure_open_entry){0};
	o->who = s->who;
	o->begin_ns = s->begin_ns;
	o->waits = s->waits;
	intern_keys(m, s->keys, s->nkeys, o->keys);
}

/* Who has what it is for comes behind it. */
static u32 open_of(const struct model *m, const struct measure_who *waiter)
{
	u32 last = m->nopen - 1;

	return m->nopen && m->open[last].entry.who.tid == waiter->tid ? last : MEASURE_MAX_OPEN;
}

static void consume_holder(struct model *m, const struct measure_holder_sample *s)
{
	struct measure_text keys[MEASURE_OWN_LABELS];

	intern_keys(m, s->keys, MIN(s->nkeys, 1u), keys);
	live_holders__add(&m->holders, s, &keys[0], stacks__find(&m->stacks, s->stack, s->tgid),
			  open_of(m, &s->waiter));
}

static void consume_order(struct model *m, const struct measure_order_sample *s)
{
	struct measure_text keys[MEASURE_OWN_LABELS];

	if (s->nkeys < 2)
		return;
	intern_keys(m, s->keys, 2, keys);
	live_orders__add(&m->orders, s, keys, stacks__find(&m->stacks, s->stack, s->who.tgid),
			 stacks__find(&m->stacks, s->first_stack, s->who.tgid));
}

static void consume_levels(struct model *m, const struct measure_levels_sample *s)
{
	memcpy(m->levels, s->v, sizeof(m->levels));
	m->levels_known = true;
}

static void intern_moment(struct texts *t, struct measure_moment *m)
{
	m->event = *m->event ? texts__intern(t, m->event) : "";
	m->field = *m->field ? texts__intern(t, m->field) : "";
}

static struct slow_moment *new_moments(struct model *m, const struct measure_slow_sample *s)
{
	struct slow_moment *v = s->nmoments ? xmalloc(s->nmoments * sizeof(*v)) : NULL;

	for (u32 i = 0; i < s->nmoments; i++) {
		v[i].m = s->moments[i];
		v[i].stack = stacks__find(&m->stacks, s->moments[i].stack, s->who.tgid);
		intern_moment(&m->texts, &v[i].m);
	}
	return v;
}

static void consume_slow(struct model *m, const struct measure_slow_sample *s)
{
	struct slow_item *item = slowest__place(&m->slow, s->ns, s->t_ns);

	if (!item)
		return;
	free(item->moments);
	item->s = *s;
	item->s.keys = NULL;
	item->s.moments = NULL;
	item->moments = new_moments(m, s);
	intern_keys(m, s->keys, s->nkeys, item->keys);
	item->stack = stacks__find(&m->stacks, s->stack, s->who.tgid);
}

struct move {
	struct stacks *to;
	const struct stacks *from;
};

static void move_item(void *ctx, void *item)
{
	struct slow_item *i = item;
	struct move *move = ctx;

	i->stack = stacks__move(move->to, move->from, i->stack);
	for (u32 k = 0; k < i->s.nmoments; k++)
		i->moments[k].stack = stacks__move(move->to, move->from, i->moments[k].stack);
}

static void move_stacks(void *ctx, struct stacks *to, const struct stacks *from)
{
	struct move move = {to, from};
	struct model *m = ctx;

	live_entries__move(&m->sampled, to, from);
	live_holders__move(&m->holders, to, from);
	live_orders__move(&m->orders, to, from);
	for (u32 i = 0; i < m->nopen; i++)
		m->open[i].stack = stacks__move(to, from, m->open[i].stack);
	slowest__each(&m->slow, move_item, &move);
}

void measure_model__consume(struct model *m, const struct sample *s)
{
	const struct stacks_user user = {.ctx = m, .move = move_stacks};

	switch (s->type) {
	case SAMPLE_MEASURE:
		consume_counted(m, container_of(s, struct measure_sample, head));
		break;
	case SAMPLE_MEASURE_OPEN:
		consume_open(m, container_of(s, struct measure_open_sample, head));
		break;
	case SAMPLE_MEASURE_SLOW:
		consume_slow(m, container_of(s, struct measure_slow_sample, head));
		break;
	case SAMPLE_MEASURE_HELD:
		consume_held(m, container_of(s, struct measure_held_sample, head));
		break;
	case SAMPLE_MEASURE_HOLDER:
		consume_holder(m, container_of(s, struct measure_holder_sample, head));
		break;
	case SAMPLE_MEASURE_ORDER:
		consume_order(m, container_of(s, struct measure_order_sample, head));
		break;
	case SAMPLE_MEASURE_LEVELS:
		consume_levels(m, container_of(s, struct measure_levels_sample, head));
		break;
	default:
		live_entries__consume(&m->all, s);
		live_entries__consume(&m->sampled, s);
		stacks__consume(&m->stacks, s, &user);
	}
}

/* --- intervals --- */

static void retext_item(void *ctx, void *item)
{
	struct slow_item *i = item;

	measure_texts__intern(i->keys, MEASURE_OWN_LABELS, ctx);
	for (u32 k = 0; k < i->s.nmoments; k++)
		intern_moment(ctx, &i->moments[k].m);
}

/* Before anything of this interval is interned: what nobody uses any more goes. */
static void trim_texts(struct model *m)
{
	struct stack_store *old;

	if (m->texts.bytes < TEXTS_BYTES)
		return;
	texts__renew(&m->texts, &old);
	live_entries__retext(&m->all, &m->texts);
	live_entries__retext(&m->sampled, &m->texts);
	live_holders__retext(&m->holders, &m->texts);
	live_orders__retext(&m->orders, &m->texts);
	slowest__each(&m->slow, retext_item, &m->texts);
	stack_store__put(old);
}

static const struct measure_moment_entry *snap_moments(const struct model *m, const struct slow_item *of,
						       struct arena *arena)
{
	struct measure_moment_entry *v = arena__array(arena, struct measure_moment_entry, of->s.nmoments);

	for (u32 i = 0; i < of->s.nmoments; i++) {
		v[i].m = of->moments[i].m;
		v[i].stack = stacks__at(&m->stacks, of->moments[i].stack);
	}
	return v;
}

static void snap_slow(struct model *m, struct measure_snap *snap, struct arena *arena)
{
	struct slow_item *items = slowest__list(&m->slow, snap->base.t1_ns, &snap->nslow);
	struct measure_slow_entry *out = arena__array(arena, struct measure_slow_entry, snap->nslow);

	for (u32 i = 0; i < snap->nslow; i++) {
		out[i].s = items[i].s;
		memcpy(out[i].keys, items[i].keys, sizeof(out[i].keys));
		out[i].stack = stacks__at(&m->stacks, items[i].stack);
		out[i].moments = snap_moments(m, &items[i], arena);
	}
	free(items);
	snap->slow = out;
}

static void snap_heat(struct model *m, struct measure_snap *snap, struct arena *arena)
{
	const char **names = arena__array(arena, const char *, m->nheat_names);

	for (u32 i = 0; i < m->nheat_names; i++)
		names[i] = arena__strdup(arena, m->heat_names[i]);
	snap->heat_names = names;
	snap->nheat_names = m->nheat_names;
	snap->heat = heat_log__tick(&m->heat, snap->base.t0_ns, snap->base.t1_ns, arena);
}

static void snap_open(struct model *m, struct measure_snap *snap, struct arena *arena)
{
	struct measure_open_entry *out = arena__array(arena, struct measure_open_entry, m->nopen);

	for (u32 i = 0; i < m->nopen; i++) {
		out[i] = m->open[i].entry;
		out[i].stack = stacks__at(&m->stacks, m->open[i].stack);
	}
	snap->open = out;
	snap->nopen = m->nopen;
	m->nopen = 0;
}

struct measure_snap *measure_model__snap(struct model *m, u64 t0_ns, u64 t1_ns, struct window_pace *p,
					 struct arena **in)
{
	struct measure_snap *snap = window_snap__new(sizeof(*snap), &m->clock, &m->stacks, t0_ns, t1_ns, p, in);
	struct arena *arena = *in;

	snap->measure = m->m;
	snap->entries = live_entries__snap(&m->all, p, &snap->base, &m->stacks, arena);
	snap->nentries = m->all.all.n;
	snap->sampled = live_entries__snap(&m->sampled, p, &snap->base, &m->stacks, arena);
	snap->nsampled = m->sampled.all.n;
	snap->growth = m->sampled.growth;
	snap->replaced = m->sampled.replaced;
	snap_open(m, snap, arena);
	live_holders__snap(&m->holders, p, &m->stacks, snap, arena);
	live_orders__snap(&m->orders, &m->stacks, snap, arena);
	snap_slow(m, snap, arena);
	snap_heat(m, snap, arena);
	snap->levels_known = m->levels_known;
	memcpy(snap->levels, m->levels, sizeof(snap->levels));
	stack_store__hold(m->texts.store, snap);
	trim_texts(m);
	return snap;
}

struct snap *measure_model__tick(struct model *m, u64 t0_ns, u64 t1_ns)
{
	struct window_pace p;
	struct arena *arena;

	return &measure_model__snap(m, t0_ns, t1_ns, &p, &arena)->base;
}

struct heat_log *measure_model__heat(struct model *m)
{
	return &m->heat;
}

static void clear_heat_names(struct model *m)
{
	for (u32 i = 0; i < m->nheat_names; i++)
		free(m->heat_names[i]);
	m->nheat_names = 0;
	hidx__clear(&m->heat_index);
}

/* Levels stay: they are of now. */
void measure_model__zero(struct model *m)
{
	live_entries__clear(&m->all);
	live_entries__clear(&m->sampled);
	live_holders__clear(&m->holders);
	live_orders__clear(&m->orders);
	m->nopen = 0;
	slowest__zero(&m->slow);
	heat_log__zero(&m->heat);
	clear_heat_names(m);
	m->clock = (struct window_clock){0};
}

struct model *measure_model__new(const struct measure *measure, struct symbols *symbols)
{
	struct model *m = xcalloc(1, sizeof(*m));

	m->m = measure;
	live_entries__init(&m->all, measure, false);
	live_entries__init(&m->sampled, measure, measure->shape == MEASURE_SHAPE_HOLDING);
	stacks__init(&m->stacks, symbols);
	texts__init(&m->texts);
	slowest__init(&m->slow, &slow_kind);
	return m;
}

void measure_model__free(struct model *m)
{
	live_entries__fini(&m->all);
	live_entries__fini(&m->sampled);
	live_holders__fini(&m->holders);
	live_orders__fini(&m->orders);
	free(m->open);
	slowest__fini(&m->slow);
	heat_log__fini(&m->heat);
	clear_heat_names(m);
	free(m->heat_names);
	hidx__fini(&m->heat_index);
	texts__fini(&m->texts);
	stacks__fini(&m->stacks);
	free(m);
}

static void add_moments(void *ctx, void *item)
{
	*(size_t *)ctx += ((struct slow_item *)item)->s.nmoments * sizeof(struct slow_moment);
}

size_t measure_model__memory(const struct model *m)
{
	size_t moments = 0;

	slowest__each(&m->slow, add_moments, &moments);
	return moments + sizeof(*m) + stacks__bytes(&m->stacks) + m->texts.bytes +
	       entries__bytes(&m->all.all) + entries__bytes(&m->sampled.all) +
	       slowest__bytes(&m->slow) + heat_log__bytes(&m->heat);
}

/* --- one of each --- */

#define MEASURE(id, name_, ...)                                                                         \
	static struct model *new_##name_(struct symbols *symbols)                                  \
	{                                                                                          \
		return measure_model__new(measure_table[MEASURE_##id], symbols);                         \
	}                                                                                          \
	const struct model_ops model_measure_##name_ = {                                           \
		.name = #name_,                                                                    \
		.view = #name_,                                                                    \
		.has_hosts = true,                                                                 \
		.new = new_##name_,                                                                \
		.free = measure_model__free,                                                             \
		.consume = measure_model__consume,                                                       \
		.tick = measure_model__tick,                                                             \
		.zero = measure_model__zero,                                                             \
		.memory = measure_model__memory,                                                         \
	};
#include "measures/measures.def"
#undef MEASURE

enum model_id asked__model(enum ask_kind kind)
{
	static const enum model_id models[ASK_KINDS] = {
		[ASK_EVENTS] = MODEL_EVENTS,
		[ASK_PAIRS] = MODEL_PAIRS,
		[ASK_HELD] = MODEL_HELD,
	};

	return models[kind];
}

enum model_id measure__model(const struct measure *m)
{
	static const enum model_id models[] = {
#define MEASURE(id, name, ...) [MEASURE_##id] = MODEL_##id,
#include "measures/measures.def"
#undef MEASURE
	};
	const struct ask_form *form = measure__form(m);
	u32 i = 0;

	if (form)
		return asked__model(form->kind);
	while (measure_table[i] != m)
		i++;
	return models[i];
}

const char *measure__view(const struct measure *m)
{
	return model_table[measure__model(m)]->view;
}
