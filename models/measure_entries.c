// SPDX-License-Identifier: GPL-2.0-only
/* Live entries of a measure: found by key, ended by interval, folded when there are too many. */
#include "models/measure_model.h"

#include <math.h>

static u64 hash_of(const struct measure_who *w, const struct measure_text *keys, u32 stack)
{
	u64 h = mix64_pair(w->start_ns, (u64)w->tgid << 32 | w->tid);

	h = mix64_pair(h, hash_bytes(w->comm, strnlen(w->comm, sizeof(w->comm))));
	h = mix64_pair(h, w->cgroup ^ (u64)w->host << 32);
	for (u32 i = 0; i < MEASURE_OWN_LABELS; i++)
		h = mix64_pair(h, (u64)(uintptr_t)keys[i].text);
	return mix64_pair(h, stack);
}

static bool is_same(const struct live_entry *e, const struct measure_who *w,
		    const struct measure_text *keys, u32 stack)
{
	if (e->who.start_ns != w->start_ns || e->who.tid != w->tid || e->who.tgid != w->tgid ||
	    e->who.host != w->host || e->who.cgroup != w->cgroup || e->stack != stack ||
	    strncmp(e->who.comm, w->comm, sizeof(w->comm)))
		return false;
	for (u32 i = 0; i < MEASURE_OWN_LABELS; i++)
		if (e->keys[i].text != keys[i].text)
			return false;
	return true;
}

static struct live_entry *entry_of(struct live_entries *e, const struct measure_who *w,
				   const struct measure_text *keys, u32 stack)
{
	u64 h = hash_of(w, keys, stack);
	struct live_entry *l;
	u32 at;

	HIDX_FIND(at, &e->index, h, pos, is_same(&e->v[pos], w, keys, stack));
	if (at != HIDX_NONE)
		return &e->v[at];
	hidx__add(&e->index, h, e->n);
	e->v = xgrow(e->v, e->n, &e->cap, sizeof(*e->v));
	lives__know(&e->lives, w->tgid);
	l = &e->v[e->n++];
	*l = (struct live_entry){.who = *w, .stack = stack};
	l->growth.least = e->growth.n ? 0 : INFINITY;
	memcpy(l->keys, keys, sizeof(l->keys));
	return l;
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
	if (s->count && (s->hist || !s->sampled)) {
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

static void merge(struct live_entry *to, const struct live_entry *from)
{
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
	growth_series__merge(&to->growth, &from->growth);
}

static double heat_of(void *entry)
{
	const struct live_entry *l = entry;

	return l->decay[0] + (double)l->now.count + (double)l->now.sums[0] + (double)l->held.bytes;
}

/* The coldest half becomes the row of the rest. */
static void make_room(struct live_entries *e)
{
	struct measure_who rest = {.tgid = MEASURE_MANY, .comm = "[rest]"};
	struct measure_text none[MEASURE_OWN_LABELS];
	struct live_entry *old = e->v;
	u32 n = e->n;
	bool *cold = heat__coldest_half(old, n, sizeof(*old), heat_of);

	for (u32 i = 0; i < MEASURE_OWN_LABELS; i++)
		none[i] = (struct measure_text){0, ""};
	e->v = NULL;
	e->n = e->cap = 0;
	hidx__clear(&e->index);
	for (u32 i = 0; i < n; i++) {
		struct live_entry *to;

		rest.host = old[i].who.host;
		to = cold[i] ? entry_of(e, &rest, none, NO_STACK)
						: entry_of(e, &old[i].who, old[i].keys,
							   old[i].stack);

		to->waits = old[i].waits && !cold[i];
		to->ended = old[i].ended && !cold[i];
		merge(to, &old[i]);
		free(old[i].bins);
	}
	free(old);
	free(cold);
}

void live_entries__add(struct live_entries *e, const struct measure_sample *s,
		       const struct measure_text *keys, u32 stack)
{
	struct live_entry *l;

	if (e->n >= e->max)
		make_room(e);
	l = entry_of(e, &s->who, keys, stack);
	l->waits = s->waits;
	memcpy(l->who.process, s->who.process, sizeof(l->who.process));
	add_values(l, s);
}

void live_entries__consume(struct live_entries *e, const struct sample *s)
{
	u32 tgid = lives__consume(&e->lives, s);

	for (u32 i = 0; tgid && i < e->n; i++)
		e->v[i].ended |= e->v[i].who.tgid == tgid;
}

static void mark_ended(struct live_entries *e)
{
	for (u32 i = 0; i < e->n; i++)
		e->v[i].ended |= lives__has_ended(&e->lives, e->v[i].who.tgid);
	lives__tick(&e->lives);
	if (!lives__is_full(&e->lives))
		return;
	lives__forget(&e->lives);
	for (u32 i = 0; i < e->n; i++)
		lives__know(&e->lives, e->v[i].who.tgid);
}

void live_entries__hold(struct live_entries *e, const struct measure_sample *s,
			const struct measure_held *held, const struct measure_text *keys, u32 stack)
{
	live_entries__add(e, s, keys, stack);
	measure_held__add(&entry_of(e, &s->who, keys, stack)->held, held);
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
	u64 *const windows[WINDOWS] = {(u64 *)&out->v[WINDOW_LAST], (u64 *)&out->v[WINDOW_DECAY],
				       (u64 *)&out->v[WINDOW_TOTAL]};

	memmove(l->trend, l->trend + 1, sizeof(l->trend) - sizeof(l->trend[0]));
	l->trend[TREND_LEN - 1] = trend_of(e, l, dt_ns);
	advance_bins(l, keep, out, arena);
	advance_extremes(l, e->lo, epochs, out);
	window_sums__advance(&sums, keep, windows);
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

	for (u32 i = 0; i < e->n; i++) {
		growth_series__advance(&e->v[i].growth, &step, (float)out[i].held.bytes,
				       (float)out[i].v[WINDOW_TOTAL].sum);
		out[i].marks = arena__dup(arena, &e->v[i].growth, sizeof(e->v[i].growth));
	}
}

const struct measure_entry *live_entries__snap(struct live_entries *e, const struct window_pace *p,
					       const struct snap *base, const struct stacks *stacks,
					       struct arena *arena)
{
	struct measure_entry *out = arena__array(arena, struct measure_entry, e->n);
	u64 dt_ns = base->t1_ns - base->t0_ns;

	mark_ended(e);
	for (u32 i = 0; i < e->n; i++) {
		out[i].who = e->v[i].who;
		memcpy(out[i].keys, e->v[i].keys, sizeof(out[i].keys));
		out[i].waits = e->v[i].waits;
		out[i].ended = e->v[i].ended;
		out[i].stack = stacks__at(stacks, e->v[i].stack);
		advance(e, &e->v[i], p->keep, p->epochs, dt_ns, &out[i], arena);
	}
	if (e->holds)
		advance_growth(e, base, out, arena);
	return out;
}

/* --- upkeep --- */

static void reindex(struct live_entries *e)
{
	hidx__clear(&e->index);
	for (u32 i = 0; i < e->n; i++)
		hidx__add(&e->index, hash_of(&e->v[i].who, e->v[i].keys, e->v[i].stack), i);
}

void live_entries__move(struct live_entries *e, struct stacks *to, const struct stacks *from)
{
	for (u32 i = 0; i < e->n; i++)
		e->v[i].stack = stacks__move(to, from, e->v[i].stack);
	reindex(e);
}

void live_entries__retext(struct live_entries *e, struct texts *t)
{
	for (u32 i = 0; i < e->n; i++)
		for (u32 k = 0; k < MEASURE_OWN_LABELS; k++)
			if (*e->v[i].keys[k].text)
				e->v[i].keys[k].text = texts__intern(t, e->v[i].keys[k].text);
	reindex(e);
}

void live_entries__clear(struct live_entries *e)
{
	for (u32 i = 0; i < e->n; i++)
		free(e->v[i].bins);
	e->n = 0;
	e->growth = (struct growth_clock){0};
	lives__forget(&e->lives);
	hidx__clear(&e->index);
}

void live_entries__fini(struct live_entries *e)
{
	live_entries__clear(e);
	free(e->v);
	lives__fini(&e->lives);
	hidx__fini(&e->index);
}
