// SPDX-License-Identifier: GPL-2.0-only
/* Live entries of a measure: found by key, ended by interval, folded when there are too many. */
#include "models/measure_model.h"

#include <math.h>

static u64 key_of(const struct live_key *k, u32 i)
{
	return k->by_value & (1u << i) ? k->keys[i].value : (u64)(uintptr_t)k->keys[i].text;
}

static u64 hash_of(const void *key)
{
	const struct live_key *k = key;
	const struct measure_who *w = &k->who;
	u64 h = mix64_pair(w->start_ns, (u64)w->tgid << 32 | w->tid);

	h = mix64_pair(h, hash_bytes(w->comm, strnlen(w->comm, sizeof(w->comm))));
	h = mix64_pair(h, w->cgroup ^ (u64)w->host << 32);
	for (u32 i = 0; i < MEASURE_OWN_LABELS; i++)
		h = mix64_pair(h, key_of(k, i));
	return mix64_pair(h, k->stack);
}

static bool is_same(const void *x, const void *y)
{
	const struct live_key *a = x, *b = y;

	if (a->who.start_ns != b->who.start_ns || a->who.tid != b->who.tid ||
	    a->who.process_ns != b->who.process_ns ||
	    a->who.tgid != b->who.tgid || a->who.host != b->who.host ||
	    a->who.cgroup != b->who.cgroup || a->stack != b->stack ||
	    strncmp(a->who.comm, b->who.comm, sizeof(a->who.comm)))
		return false;
	for (u32 i = 0; i < MEASURE_OWN_LABELS; i++)
		if (key_of(a, i) != key_of(b, i))
			return false;
	return true;
}

static struct live_entry *entry_at(const struct live_entries *e, u32 i)
{
	return entries__at(&e->all, i);
}

/* --- histograms --- */

static struct live_bin *bin_of(struct live_entry *l, u32 bucket)
{
	u32 at = 0;

	while (at < l->nbins && l->bins[at].bucket < bucket)
		at++;
	if (at < l->nbins && l->bins[at].bucket == bucket)
		return &l->bins[at];
	l->bins = xgrow(l->bins, l->nbins, &l->bins_cap, sizeof(*l->bins));
	memmove(l->bins + at + 1, l->bins + at, (l->nbins - at) * sizeof(*l->bins));
	l->nbins++;
	l->bins[at] = (struct live_bin){.bucket = bucket};
	return &l->bins[at];
}

/* --- adding --- */

static void add_values(struct live_entry *l, const struct measure_sample *s)
{
	if (s->count && (s->hist || !s->sampled || s->max)) {
		l->now.min = l->now.count ? MIN(l->now.min, s->min) : s->min;
		l->now.max = MAX(l->now.max, s->max);
	}
	l->now.count += s->count;
	l->now.errors += s->errors;
	l->now.sum += s->sum;
	for (u32 i = 0; i < MEASURE_SUMS; i++)
		l->now.sums[i] += s->sums[i];
	for (u32 i = 0; s->hist && i < MEASURE_BUCKETS; i++)
		if (s->hist[i])
			bin_of(l, i)->now += s->hist[i];
}

static void merge(void *merged, void *gone)
{
	struct live_entry *to = merged, *from = gone;
	u64 *a = (u64 *)&to->total, *n = (u64 *)&to->now;

	if (from->total.count)
		to->total.min = to->total.count ? MIN(to->total.min, from->total.min)
						: from->total.min;
	if (from->now.count)
		to->now.min = to->now.count ? MIN(to->now.min, from->now.min) : from->now.min;
	for (u32 i = 0; i < MEASURE_VALUE_SUMS; i++) {
		a[i] += ((const u64 *)&from->total)[i];
		n[i] += ((const u64 *)&from->now)[i];
		to->decay[i] += from->decay[i];
	}
	measure_held__add(&to->held, &from->held);
	to->total.max = MAX(to->total.max, from->total.max);
	to->now.max = MAX(to->now.max, from->now.max);
	window_max__merge(&to->max, &from->max);
	window_max__merge(&to->min, &from->min);
	for (u32 i = 0; i < from->nbins; i++) {
		struct live_bin *b = bin_of(to, from->bins[i].bucket);

		b->now += from->bins[i].now;
		b->total += from->bins[i].total;
		b->decay += from->bins[i].decay;
	}
	for (u32 i = 0; i < TREND_LEN; i++)
		to->trend[i] += from->trend[i];
	if (to->growth)
		growth_series__merge(to->growth, from->growth);
	free(from->growth);
	free(from->bins);
}

static double heat_of(const void *entry)
{
	const struct live_entry *l = entry;
	double all = l->decay[0] + (double)l->now.count + (double)l->now.sums[0] + (double)l->held.bytes;

	/* Rows are by several sums. */
	for (u32 i = 0; l->measure->compare && i < MEASURE_SUMS; i++)
		all += l->decay[MEASURE_VALUE_SUMS - MEASURE_SUMS + i] + (double)l->now.sums[i];
	return all;
}

/* Of those that are cold what did most since the start is the last to be folded. */
#define COLD_SHARE 1e-9

static double heat_to_fold(const void *entry)
{
	return heat_of(entry) + COLD_SHARE * (double)((const struct live_entry *)entry)->total.count;
}

static bool is_cold(const void *entry)
{
	return !(heat_of(entry) > 0);
}

/* What many threads are known by: see measure__is_unknown(). */
enum { LOSE_WHO, LOSE_LABELS, LOSE_ALL, FOLD_STEPS };

static bool is_kept(const struct measure *m, u32 label)
{
	return label < measure__own_labels(m) && (m->asked || m->labels[label].word == m->kept);
}

static void lose_labels(struct live_entry *l, bool all)
{
	for (u32 i = 0; i < MEASURE_OWN_LABELS; i++)
		if (all || !is_kept(l->measure, i))
			l->keys[i] = (struct measure_text){0, ""};
}

static void fold(void *entry, u32 step)
{
	struct live_entry *l = entry;
	struct measure_who many = {.tgid = MEASURE_MANY, .comm = "[rest]", .host = l->who.host};

	if (step < LOSE_LABELS && l->measure->keeps_processes) {
		lose_labels(l, true);
		return;
	}
	if (step < LOSE_LABELS) {
		/* What is of many already knows of its labels what it does. */
		many.tid = l->who.tgid == MEASURE_MANY ? l->who.tid : MEASURE_LABELS_KNOWN;
		many.cgroup = l->who.cgroup;
	} else {
		l->stack = NO_STACK;
	}
	if (step < LOSE_ALL)
		memcpy(many.comm, l->who.comm, sizeof(many.comm));
	l->who = many;
	if (step >= LOSE_LABELS)
		lose_labels(l, step == LOSE_ALL);
	l->waits = l->ended = false;
}

/* What ended processes did, apart or as one. */
static bool is_over(const void *entry)
{
	const struct live_entry *l = entry;

	return l->ended || (l->who.tgid == MEASURE_MANY && (l->who.tid || l->stack != NO_STACK));
}

static const struct entries_kind kind = {
	.size = sizeof(struct live_entry),
	.key_size = offsetof(struct live_entry, waits), /* no padding of the key */
	.steps = FOLD_STEPS,
	.hash = hash_of,
	.same = is_same,
	.heat = heat_to_fold,
	.fold = fold,
	.merge = merge,
};

static const struct lives_of lives_of = {
	.size = sizeof(struct live_entry),
	.tgid = offsetof(struct live_entry, who.tgid),
	.host = offsetof(struct live_entry, who.host),
	.ended = offsetof(struct live_entry, ended),
};

void live_entries__init(struct live_entries *e, const struct measure *m, bool holds)
{
	e->all = (struct entries){.kind = &kind, .max = MAX(m->stacks / 4 * 5, (u32)MEASURE_MAX_ENTRIES)};
	e->measure = m;
	e->most_ended = m->keeps_processes ? e->all.max : MAX(e->all.max / 4, (u32)MEASURE_MAX_ENDED);
	e->most_cold = m->cold ? m->cold : e->all.max;
	e->lo = measure__lo(m);
	e->lives_of = lives_of;
	if (m->by_pid_alone) /* a number stands in the place of when it began */
		e->lives_of.past = offsetof(struct live_entry, who.process_ns);
	for (u32 i = 0; i < measure__own_labels(m); i++)
		e->by_value |= (u32)m->labels[i].by_value << i;
	e->holds = holds;
}

/* The newest name that is known. */
static void take_names(struct live_entry *l, const struct measure_text *keys)
{
	for (u32 i = 0; l->by_value >> i; i++)
		if (l->by_value & (1u << i) && (*keys[i].text != '[' || *l->keys[i].text == '['))
			l->keys[i].text = keys[i].text;
}

static struct live_entry *add(struct live_entries *e, const struct measure_sample *s,
			      const struct measure_text *keys, u32 stack)
{
	struct live_key key = {.who = s->who, .stack = stack, .by_value = e->by_value};
	struct live_entry *l;

	memcpy(key.keys, keys, sizeof(key.keys));
	l = entries__get(&e->all, &key);
	if (e->all.added)
		lives__know(&e->lives, s->who.tgid, s->who.host);
	if (e->all.added && e->holds) {
		l->growth = xcalloc(1, sizeof(*l->growth));
		l->growth->least = e->growth.n ? 0 : INFINITY;
	}
	l->measure = e->measure;
	take_names(l, keys);
	l->waits = s->waits;
	memcpy(l->who.process, s->who.process, sizeof(l->who.process));
	add_values(l, s);
	return l;
}

void live_entries__add(struct live_entries *e, const struct measure_sample *s,
		       const struct measure_text *keys, u32 stack)
{
	add(e, s, keys, stack);
}

void live_entries__hold(struct live_entries *e, const struct measure_sample *s,
			const struct measure_held *held, const struct measure_text *keys, u32 stack)
{
	measure_held__add(&add(e, s, keys, stack)->held, held);
}

void live_entries__consume(struct live_entries *e, const struct sample *s)
{
	lives__consume(&e->lives, s, &e->lives_of, e->all.v, e->all.n);
}

/* --- intervals --- */

static void advance_bins(struct live_entry *l, double keep, struct measure_entry *out,
			 struct arena *arena)
{
	struct measure_bin *bins = arena__array(arena, struct measure_bin, l->nbins);

	for (u32 i = 0; i < l->nbins; i++) {
		struct live_bin *b = &l->bins[i];

		b->total += b->now;
		b->decay = window__decay(b->decay, keep, b->now);
		bins[i].bucket = b->bucket;
		bins[i].n[WINDOW_LAST] = (float)b->now;
		bins[i].n[WINDOW_DECAY] = (float)b->decay;
		bins[i].n[WINDOW_TOTAL] = (float)b->total;
		b->now = 0;
	}
	out->bins = bins;
	out->nbins = l->nbins;
}

/* What is older than the epochs may still be most of a decayed sum, where it was very many: then
 * the extremes are as far out as the buckets that it is in. */
static void cover_bins(const struct live_entry *l, u64 (*lo)(u32), struct measure_values *v)
{
	u32 first = MEASURE_BUCKETS, last = 0;

	for (u32 i = 0; i < l->nbins; i++) {
		if (!(l->bins[i].decay > 0))
			continue;
		first = MIN(first, l->bins[i].bucket);
		last = l->bins[i].bucket;
	}
	if (first == MEASURE_BUCKETS)
		return;
	if (v->max < lo(last))
		v->max = last + 1 < MEASURE_BUCKETS ? MIN(lo(last + 1), l->total.max) : l->total.max;
	if (!window_max__get(&l->min) || (first + 1 < MEASURE_BUCKETS && v->min >= lo(first + 1)))
		v->min = MAX(lo(first), l->total.min);
}

/* After the bins. */
static void advance_extremes(struct live_entry *l, u64 (*lo)(u32), u32 epochs,
			     struct measure_entry *out)
{
	bool any = l->now.count;

	window_max__advance(&l->max, epochs, l->now.max);
	window_max__advance(&l->min, epochs, any ? UINT64_MAX - l->now.min : 0);
	if (any)
		l->total.min = l->total.count ? MIN(l->total.min, l->now.min) : l->now.min;
	l->total.max = MAX(l->total.max, l->now.max);
	out->v[WINDOW_LAST].min = l->now.min;
	out->v[WINDOW_LAST].max = l->now.max;
	out->v[WINDOW_DECAY].max = window_max__get(&l->max);
	out->v[WINDOW_DECAY].min = window_max__get(&l->min) ? UINT64_MAX - window_max__get(&l->min)
							    : 0;
	cover_bins(l, lo, &out->v[WINDOW_DECAY]);
	out->v[WINDOW_TOTAL].min = l->total.min;
	out->v[WINDOW_TOTAL].max = l->total.max;
}

static float trend_of(const struct live_entries *e, const struct live_entry *l, u64 dt_ns)
{
	if (e->holds)
		return (float)l->held.bytes;
	return dt_ns ? (float)((double)l->now.count * NSEC_PER_SEC / (double)dt_ns) : 0;
}

static void advance(const struct live_entries *e, struct live_entry *l, double keep, u32 epochs,
		    u64 dt_ns, struct measure_entry *out, struct arena *arena)
{
	struct window_sums sums = {MEASURE_VALUE_SUMS, (u64 *)&l->now, (u64 *)&l->total, l->decay};

	memmove(l->trend, l->trend + 1, sizeof(l->trend) - sizeof(l->trend[0]));
	l->trend[TREND_LEN - 1] = trend_of(e, l, dt_ns);
	advance_bins(l, keep, out, arena);
	advance_extremes(l, e->lo, epochs, out);
	window_sums__advance(&sums, keep, (u64 *)out->v, sizeof(out->v[0]) / sizeof(u64));
	l->now.min = l->now.max = 0;
	memcpy(out->trend, l->trend, sizeof(out->trend));
	out->held = l->held;
	l->held = (struct measure_held){0};
}

/* Marks of what is held. */
static void advance_growth(struct live_entries *e, const struct snap *base, struct measure_entry *out,
			   struct arena *arena)
{
	struct growth_step step = growth_clock__tick(&e->growth, base->t0_ns, base->t1_ns);

	for (u32 i = 0; i < e->all.n; i++) {
		struct growth_series *g = entry_at(e, i)->growth;

		growth_series__advance(g, &step, (float)out[i].held.bytes,
				       (float)out[i].v[WINDOW_TOTAL].sum);
		out[i].marks = arena__dup(arena, g, sizeof(*g));
	}
	growth_series__advance(&e->replaced, &step, 0, (float)e->unseen);
}

const struct measure_entry *live_entries__snap(struct live_entries *e, const struct window_pace *p,
					       const struct snap *base, const struct stacks *stacks,
					       struct arena *arena)
{
	struct measure_entry *out;
	u64 dt_ns = base->t1_ns - base->t0_ns;

	lives__tick(&e->lives, &e->lives_of, e->all.v, e->all.n);
	entries__bound(&e->all, is_over, e->most_ended);
	entries__bound(&e->all, is_cold, e->most_cold);
	out = arena__take(arena, e->all.n * sizeof(*out));
	for (u32 i = 0; i < e->all.n; i++) {
		struct live_entry *l = entry_at(e, i);

		memset(&out[i], 0, sizeof(out[i]));
		out[i].who = l->who;
		memcpy(out[i].keys, l->keys, sizeof(out[i].keys));
		out[i].waits = l->waits;
		out[i].ended = l->ended;
		out[i].stack = stacks__at(stacks, l->stack);
		advance(e, l, p->keep, p->epochs, dt_ns, &out[i], arena);
	}
	if (e->holds)
		advance_growth(e, base, out, arena);
	return out;
}

/* --- upkeep --- */

void live_entries__move(struct live_entries *e, struct stacks *to, const struct stacks *from)
{
	for (u32 i = 0; i < e->all.n; i++)
		entry_at(e, i)->stack = stacks__move(to, from, entry_at(e, i)->stack);
	entries__rekey(&e->all);
}

void live_entries__retext(struct live_entries *e, struct texts *t)
{
	for (u32 i = 0; i < e->all.n; i++)
		measure_texts__intern(entry_at(e, i)->keys, MEASURE_OWN_LABELS, t);
	entries__rekey(&e->all);
}

void live_entries__clear(struct live_entries *e)
{
	for (u32 i = 0; i < e->all.n; i++) {
		free(entry_at(e, i)->growth);
		free(entry_at(e, i)->bins);
	}
	entries__clear(&e->all);
	e->growth = (struct growth_clock){0};
	e->replaced = (struct growth_series){0};
	e->unseen = 0;
	lives__forget(&e->lives);
}

void live_entries__fini(struct live_entries *e)
{
	live_entries__clear(e);
	entries__fini(&e->all);
	lives__fini(&e->lives);
}
