// SPDX-License-Identifier: GPL-2.0-only
/* What the programs of a measure counted and sent, as samples. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>

#include "bpf/stack.h"
#include "sources/measure_impl.h"

static const char *text_of(struct source *s, u32 label, u64 value, const __u64 *words)
{
	const struct measure_label *l = &s->m->labels[label];
	const struct measure_value v = {value, words, measure_names__get(&s->names, l->word, value)};

	if (s->hooks->text &&
	    s->hooks->text(s->ctx, label, &v, s->texts[label], sizeof(s->texts[label])))
		return s->texts[label];
	if (l->join) {
		s->texts[label][0] = '\0';
		l->join(s->keys[l->of].text, value, s->texts[label], sizeof(s->texts[label]));
		return s->texts[label];
	}
	if (l->known && l->known(value, s->texts[label], sizeof(s->texts[label])))
		return s->texts[label];
	if (l->text) {
		s->texts[label][0] = '\0';
		l->text(value, s->texts[label], sizeof(s->texts[label]));
		return s->texts[label];
	}
	if (!value)
		return "";
	return v.sent ? v.sent : "[name lost]";
}

static u32 name_keys(struct source *s, const __u64 *words)
{
	u32 n = measure__own_labels(s->m);

	for (u32 i = 0; i < n; i++) {
		u64 value = measure_label__value(&s->m->labels[i], words);

		s->keys[i] = (struct measure_key){value, text_of(s, i, value, words)};
		if (s->hooks->same)
			s->keys[i].value = s->hooks->same(s->ctx, i, value);
	}
	return n;
}

static bool keys_wait(const struct source *s, const __u64 *words)
{
	if (s->hooks->waits)
		return s->hooks->waits(s->ctx, words);
	return s->m->waits && s->m->waits(words);
}

static bool passes(struct source *s, const struct measure_who *w, u64 first_ns)
{
	struct bpf_scope_entry e = {w->tgid, w->tid, CPU_JUDGED, w->cgroup, first_ns, w->comm};

	if (w->tgid == MEASURE_MANY)
		return bpf_scope__comm(&s->base.scope, w->comm);
	return bpf_scope__passes(&s->base.scope, &e);
}

/* As models know it. */
static u64 stack_of(u64 stack)
{
	return stack == MEASURE_NO_STACK ? 0 : stack;
}

/* sums: those that the programs counted for this stack. */
static void put_by_stack(struct source *s, const struct measure_cell *c, const __u64 *sums,
			 struct measure_sample *out)
{
	for (u32 i = 0; i < MEASURE_SPAN_SUMS; i++) {
		const struct measure_sum *sum = &s->m->sums[i];

		out->sums[i] = sums[i];
		if (sum->counts)
			out->sums[i] = measure_label__value(sum->counts, c->labels) == sum->when
					       ? out->count
					       : 0;
	}
	sink__put(s->base.sink, &out->head);
}

/* A cell may have sums without a count: what goes on; and buckets, when its count was reported before. */
static bool is_empty(const struct measure_cell *c)
{
	u64 any = c->count | c->sum | c->errors | c->unsampled;

	for (u32 i = 0; i < MEASURE_CELL_SUMS; i++)
		any |= c->sums[i];
	for (u32 i = 0; i < MEASURE_BUCKETS && !any; i++)
		any |= c->hist[i];
	return !any;
}

static void put_cell(struct source *s, const struct measure_cell *c)
{
	struct measure_sample out = {
		.head.type = SAMPLE_MEASURE,
		.sampled = c->stack != 0,
		.who = c->who,
		.keys = s->keys,
		.stack = stack_of(c->stack),
		.count = c->count,
		.errors = c->errors,
		.sum = c->sum,
		.min = c->min,
		.max = c->max,
		.hist = c->hist,
	};

	if (is_empty(c) || !passes(s, &c->who, s->base.before_ns))
		return;
	out.nkeys = name_keys(s, c->labels);
	out.waits = keys_wait(s, c->labels);
	if (c->stack) {
		put_by_stack(s, c, c->sums, &out);
		return;
	}
	memcpy(out.sums, c->sums, sizeof(c->sums));
	sink__put(s->base.sink, &out.head);
	if (s->hooks->counted)
		s->hooks->counted(s->ctx, c, s->keys, out.nkeys, s->base.sink);
	/* Questions have a stack of each, and none of many threads. */
	if (c->who.tgid == MEASURE_MANY && s->m->asked) {
		out.sampled = true;
		sink__put(s->base.sink, &out.head);
		return;
	}
	if (!c->unsampled)
		return;
	/* What no stack stands for yet goes to the last one. */
	out = (struct measure_sample){
		.head.type = SAMPLE_MEASURE,
		.sampled = true,
		.waits = out.waits,
		.who = c->who,
		.keys = s->keys,
		.nkeys = out.nkeys,
		.stack = stack_of(c->last_stack),
		.stack_tgid = (u32)c->last_tgid,
		.count = c->unsampled,
		.errors = c->errors == c->count ? c->unsampled : 0,
		.sum = c->unsampled_sum,
		/* No less than any of the cell, and one took what they take on average. */
		.min = c->min,
		.max = s->m->is_signed ? c->max : c->unsampled_sum / c->unsampled,
	};
	if (s->m->stacks_of_sum) {
		out.sums[0] = out.count;
		out.count = out.errors = 0;
		sink__put(s->base.sink, &out.head);
		return;
	}
	put_by_stack(s, c, c->unsampled_sums, &out);
}

/* Once more for the sums by stack. */
static void put_rest(struct source *s, const struct measure_cell *c, bool sampled)
{
	struct measure_sample out = {
		.head.type = SAMPLE_MEASURE,
		.rest = true,
		.sampled = sampled,
		.count = c->count,
		.errors = c->errors,
		.sum = c->sum,
		.min = c->min,
		.max = c->max,
		.hist = c->hist,
	};

	memcpy(out.sums, c->sums, sizeof(c->sums));
	if (!is_empty(c))
		sink__put(s->base.sink, &out.head);
}

/* An array's values are 8-aligned in its mapping. */
static u32 used_at(const struct source *s, u32 half, u32 i)
{
	return (u32)__atomic_load_n(&s->used[half * s->sizes.cells + i], __ATOMIC_RELAXED);
}

static struct measure_cell *cell_of(struct source *s, u32 half, u32 i)
{
	return &s->cells[half * s->sizes.cells + (used_at(s, half, i) & (s->sizes.cells - 1))];
}

/* Extremes stay: they may be reported twice. */
static void subtract(struct measure_cell *c, const struct measure_cell *reported)
{
	if (reported->id != c->id)
		return;
	c->count -= reported->count;
	c->errors -= reported->errors;
	c->sum -= reported->sum;
	c->unsampled -= reported->unsampled;
	c->unsampled_sum -= reported->unsampled_sum;
	for (u32 i = 0; i < MEASURE_CELL_SUMS; i++)
		c->sums[i] -= reported->sums[i];
	for (u32 i = 0; i < MEASURE_SPAN_SUMS; i++)
		c->unsampled_sums[i] -= reported->unsampled_sums[i];
	for (u32 i = 0; i < MEASURE_BUCKETS; i++)
		c->hist[i] -= reported->hist[i];
}

void measure_put__unwritten(struct source *s, u32 half, u32 n)
{
	for (u32 i = 0; i < MIN(n, MEASURE_REPORTED); i++)
		s->used[half * s->sizes.cells + i] = MEASURE_UNWRITTEN;
}

double measure_put__peek(struct source *s)
{
	u32 half = *s->base.active;
	struct measure_cell now, diff; /* not zeroed: large */

	if (s->npeeked && !s->reported)
		s->reported = xcalloc(MEASURE_REPORTED, sizeof(*s->reported));
	/* A place that is taken and not yet written down ends it: those behind it are looked at next time. */
	for (u32 i = 0; i < s->npeeked && used_at(s, half, i) != MEASURE_UNWRITTEN; i++) {
		/* Programs add to it: each of its words is whole. */
		now = *cell_of(s, half, i);
		diff = now;
		subtract(&diff, &s->reported[i]);
		put_cell(s, &diff);
		s->reported[i] = now;
		s->nreported = MAX(s->nreported, i + 1);
	}
	return 100.0 * s->npeeked / s->sizes.cells;
}

double measure_put__cells(struct source *s)
{
	u32 half = !*s->base.active;
	u32 n = MIN(s->g.nused[half], s->sizes.cells);

	for (u32 i = 0; i < n; i++) {
		struct measure_cell *c = cell_of(s, half, i);

		if (s->hooks->cell)
			s->hooks->cell(s->ctx, c);
		if (i < s->nreported)
			subtract(c, &s->reported[i]);
		put_cell(s, c);
		memset(c, 0, sizeof(*c));
	}
	measure_put__unwritten(s, half, n);
	s->g.nused[half] = 0;
	free(s->reported);
	s->reported = NULL;
	s->nreported = 0;
	return 100.0 * n / s->sizes.cells;
}

void measure_put__rest(struct source *s)
{
	int fd = bpf_object__find_map_fd_by_name(s->base.obj, "rest");
	u32 half = !*s->base.active;

	if (bpf_map_lookup_elem(fd, &half, s->rest))
		return;
	for (u32 i = 0; i < s->ncpus; i++) {
		put_rest(s, &s->rest[i], false);
		put_rest(s, &s->rest[i], true);
	}
	memset(s->rest, 0, s->ncpus * sizeof(*s->rest));
	bpf_map_update_elem(fd, &half, s->rest, BPF_ANY);
}

static void put_one_open(void *ctx, const struct measure_open *open)
{
	struct source *s = ctx;
	struct measure_open_sample out = {.head.type = SAMPLE_MEASURE_OPEN,
					  .who = open->who,
					  .keys = s->keys,
					  .begin_ns = open->begin_ns};

	if (!passes(s, &open->who, s->base.before_ns))
		return;
	out.nkeys = name_keys(s, open->labels);
	out.waits = keys_wait(s, open->labels);
	out.stack = s->hooks->where ? s->hooks->where(s->ctx, open) : 0;
	sink__put(s->base.sink, &out.head);
	if (s->hooks->goes_on)
		s->hooks->goes_on(s->ctx, open, s->keys, out.nkeys, s->base.sink);
}

void measure_put__open(struct source *s)
{
	size_t n = s->base.visit.len / sizeof(struct measure_open);

	for (size_t i = 0; i < n; i++)
		put_one_open(s, (const struct measure_open *)(const void *)s->base.visit.data + i);
	bpf_visit__done(&s->base.visit);
	if (s->hooks->open)
		s->hooks->open(s->ctx, s->base.obj, put_one_open, s);
}

void measure_put__held(void *ctx, struct measure_held_sample *out, const struct measure_owner *owner)
{
	struct source *s = ctx;

	if (!out->rest && !passes(s, &owner->who, s->base.before_ns))
		return;
	out->keys = s->keys;
	out->nkeys = out->rest ? 0 : name_keys(s, owner->labels);
	out->stack = stack_of(out->stack);
	sink__put(s->base.sink, &out->head);
}

void measure_put__unseen(struct source *s, u64 total)
{
	struct measure_held_sample out = {
		.head.type = SAMPLE_MEASURE_HELD, .rest = true, .unseen = total - s->unseen};

	if (out.unseen)
		sink__put(s->base.sink, &out.head);
	s->unseen = total;
}

/* --- records from the ring --- */

static void put_slow(struct source *s, const struct measure_slow *r, size_t size)
{
	struct measure_slow_sample out = {.head.type = SAMPLE_MEASURE_SLOW, .keys = s->keys};

	if (size < sizeof(*r) || !passes(s, &r->who, r->t_ns))
		return;
	out.nkeys = name_keys(s, r->labels);
	out.waits = keys_wait(s, r->labels);
	out.who = r->who;
	out.cpu = r->cpu;
	out.t_ns = r->t_ns;
	out.ns = r->ns;
	out.stack = r->stack;
	if (s->m->text)
		s->m->text(r, s->keys, out.text, sizeof(out.text));
	if (s->hooks->slow)
		s->hooks->slow(s->ctx, &out);
	sink__put(s->base.sink, &out.head);
}

static void take_name(struct source *s, const struct measure_name *r, size_t size)
{
	char text[MEASURE_LABEL_TEXT] = "";

	if (size < offsetof(struct measure_name, text))
		return;
	size -= offsetof(struct measure_name, text);
	memcpy(text, r->text, MIN(size, sizeof(text) - 1));
	for (u32 i = 0; i < measure__own_labels(s->m); i++)
		if (s->m->labels[i].word == r->label && s->m->labels[i].tidy)
			s->m->labels[i].tidy(r->value, text, sizeof(text));
	measure_names__set(&s->names, r->label, r->value, text);
}

/* Names and stacks come before what needs them. */
void measure_put__first(void *ctx, const void *data, size_t size)
{
	struct source *s = ctx;
	u32 type = *(const u32 *)data;

	if (type == RECORD_STACK && s->hooks->stack)
		s->hooks->stack(s->ctx, data);
	if (type == RECORD_STACK && bpf_ring__put_stack(data, size, s->base.sink))
		s->base.stacks++;
	else if (type == RECORD_MEASURE_NAME)
		take_name(s, data, size);
}

void measure_put__record(struct source *s, const void *data, size_t size)
{
	if (*(const u32 *)data == RECORD_MEASURE_SLOW)
		put_slow(s, data, size);
	else if (s->hooks->record)
		s->hooks->record(s->ctx, data, size, s->base.sink);
}
