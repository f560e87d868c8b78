// SPDX-License-Identifier: GPL-2.0-only
/* Samples of samples/measure.h. Which measure they are of the route of a sample says. */
#include "bpf/measure.h"
#include "recording/types.h"

static void code_who(struct codec *c, struct measure_who *w)
{
	u64 start = w->start_ns, process = w->process_ns, cgroup = w->cgroup;
	bool kthread = w->kthread;

	code_host(c, &w->host);
	code_tgid(c, &w->tgid);
	code_tid(c, &w->tid);
	CODE_U64S(c, &start, &process);
	code_cgroup(c, &cgroup);
	code_kthread(c, &kthread);
	code_comm(c, w->comm);
	code_text(c, w->process, sizeof(w->process));
	w->start_ns = start;
	w->process_ns = process;
	w->cgroup = cgroup;
	w->kthread = kthread;
}

/* What is read has its texts where the names of the recording are. */
static void code_keys(struct codec *c, const struct measure_key **keys, u32 *n, u32 most)
{
	const struct measure_key *from = *keys;

	if (c->who)
		return;
	code_below(c, n, most + 1);
	for (u32 i = 0; i < *n; i++) {
		struct measure_key k = c->out ? from[i] : (struct measure_key){0};

		code_u64(c, &k.value);
		code_shared_text(c, &k.text);
		if (!c->out)
			c->keys[i] = k;
	}
	if (!c->out)
		*keys = c->keys;
}

/* Those that recordings of older versions have. */
#define FIRST_SUMS 2

static void who_fields(struct codec *c, void *p)
{
	code_who(c, p);
}

/* What a row is, once it is known whose. What found no room is nobody's, or many's: filtered by nothing. */
static void code_row(struct codec *c, struct measure_sample *x)
{
	codec__known(c, !x->rest && x->who.tgid != MEASURE_MANY);
	code_keys(c, &x->keys, &x->nkeys, MEASURE_OWN_LABELS);
	code_stack(c, &x->stack, x->stack_tgid ? x->stack_tgid : x->who.tgid);
}

static void code_other_sums(struct codec *c, struct measure_sample *x, u32 first)
{
	for (u32 i = first; i < FIRST_SUMS; i++)
		code_u64(c, &x->sums[i]);
	code_hist(c, &x->hist, MEASURE_BUCKETS);
	for (u32 i = FIRST_SUMS; i < MEASURE_CELL_SUMS; i++)
		code_u64(c, &x->sums[i]);
}

void code_measure_fields(struct codec *c, struct measure_sample *x)
{
	CODE_BOOLS(c, &x->rest, &x->sampled, &x->waits);
	code_who(c, &x->who);
	code_row(c, x);
	CODE_U64S(c, &x->count, &x->errors, &x->sum, &x->min, &x->max);
	code_other_sums(c, x, 0);
}

static void row_fields(struct codec *c, void *p)
{
	struct measure_sample *x = p;

	CODE_BOOLS(c, &x->rest, &x->sampled, &x->waits);
	code_kept(c, who_fields, &x->who);
	code_row(c, x);
}

/* What many rows are; what a bit says is not written. */
enum {
	ROW_ONCE = 1 << 0, /* one, without an error: its value is the least and the largest */
	ROW_SUM = 1 << 1,  /* the first of the other sums is that of the value */
	ROW_SHAPES = 1 << 2,
};

static u32 shape_of(const struct measure_sample *x)
{
	bool once = x->count == 1 && !x->errors && x->min == x->sum && x->max == x->sum;

	return (once ? ROW_ONCE : 0) | (x->sums[0] == x->sum ? ROW_SUM : 0);
}

static void code_sums(struct codec *c, struct measure_sample *x)
{
	u32 shape = c->out ? shape_of(x) : 0;

	code_below(c, &shape, ROW_SHAPES);
	code_u64(c, &x->sum);
	if (!(shape & ROW_ONCE)) {
		CODE_U64S(c, &x->count, &x->errors, &x->min, &x->max);
	} else if (!c->out) {
		x->count = 1;
		x->min = x->max = x->sum;
	}
	code_other_sums(c, x, shape & ROW_SUM ? 1 : 0);
	if (shape & ROW_SUM)
		x->sums[0] = x->sum;
}

void code_measure_kept_fields(struct codec *c, struct measure_sample *x)
{
	code_kept(c, row_fields, x);
	code_sums(c, x);
}

static void open_fields(struct codec *c, void *p)
{
	struct measure_open_sample *x = p;

	code_bool(c, &x->waits);
	code_who(c, &x->who);
	code_keys(c, &x->keys, &x->nkeys, MEASURE_OWN_LABELS);
	code_time(c, &x->begin_ns);
	code_stack(c, &x->stack, x->who.tgid);
}

void code_measure_open_fields(struct codec *c, struct measure_open_sample *x)
{
	open_fields(c, x);
}

/* All of it is the same until it ends. */
void code_measure_open_kept_fields(struct codec *c, struct measure_open_sample *x)
{
	code_kept(c, open_fields, x);
}

static void code_moment(struct codec *c, struct measure_moment *m, u32 tgid)
{
	code_time(c, &m->t_ns);
	code_below(c, &m->kind, MOMENT_KINDS);
	code_u64(c, &m->value);
	CODE_U32S(c, &m->tid, &m->cpu);
	CODE_BOOLS(c, &m->is_signed, &m->is_address);
	code_shared_text(c, &m->event);
	code_shared_text(c, &m->field);
	code_stack(c, &m->stack, tgid);
}

/* What came within it: recordings of older versions have none. */
static void code_moments(struct codec *c, struct measure_slow_sample *x)
{
	if (c->who)
		return;
	code_bool(c, &x->timed);
	code_u32(c, &x->dropped);
	code_below(c, &x->nmoments, MEASURE_MOMENTS + 1);
	for (u32 i = 0; i < x->nmoments; i++) {
		struct measure_moment m = c->out ? x->moments[i] : (struct measure_moment){0};

		code_moment(c, &m, x->who.tgid);
		if (!c->out)
			c->moments[i] = m;
	}
	if (!c->out)
		x->moments = c->moments;
}

void code_measure_slow_fields(struct codec *c, struct measure_slow_sample *x)
{
	code_bool(c, &x->waits);
	code_who(c, &x->who);
	code_keys(c, &x->keys, &x->nkeys, MEASURE_OWN_LABELS);
	code_cpu(c, &x->cpu);
	code_time(c, &x->t_ns);
	code_longest(c, &x->ns);
	code_stack(c, &x->stack, x->who.tgid);
	code_text(c, x->text, sizeof(x->text));
	code_moments(c, x);
}

static void code_ask_label(struct codec *c, struct ask_label *l)
{
	code_text(c, l->name, sizeof(l->name));
	code_below(c, &l->kind, LABEL_STACK + 1);
	CODE_U32S(c, &l->width, &l->word, &l->shift, &l->bits);
	code_below(c, &l->number, 2);
}

/* The form of none is empty; what another one says its measure's check looks at. */
void code_ask_fields(struct codec *c, struct ask_sample *x)
{
	struct ask_form *f = &x->form;

	code_below(c, &x->n, ASK_MAX + 1);
	code_below(c, &x->index, ASK_MAX);
	if (!x->n)
		return;
	code_text(c, f->text, sizeof(f->text));
	code_text(c, f->event, sizeof(f->event));
	code_text(c, f->noun, sizeof(f->noun));
	code_below(c, &f->kind, ASK_KINDS);
	code_below(c, &f->shape, MEASURE_SHAPE_HOLDING + 1);
	code_below(c, &f->has_value, 2);
	code_text(c, f->value, sizeof(f->value));
	code_below(c, &f->nlabels, MEASURE_MAX_LABELS + 1);
	for (u32 i = 0; i < f->nlabels; i++)
		code_ask_label(c, &f->labels[i]);
	code_u32(c, &f->by);
	code_below(c, &f->is_signed, 2);
	code_below(c, &f->lists, ASK_LIST_KINDS);
	code_below(c, &f->has_stack, 2);
	code_below(c, &f->nfields, ASK_FIELDS + 1);
	for (u32 i = 0; i < MEASURE_SPAN_SUMS; i++) {
		code_text(c, f->sums[i].name, sizeof(f->sums[i].name));
		code_text(c, f->sums[i].help, sizeof(f->sums[i].help));
		code_below(c, &f->sums[i].is_time, 2);
	}
	for (u32 i = 0; i < f->nfields; i++) {
		code_text(c, f->fields[i].name, sizeof(f->fields[i].name));
		code_below(c, &f->fields[i].type, ASK_FIELD_TYPES);
	}
	code_below(c, &f->is_timed, 2);
	code_below(c, &f->of_task, 2);
	code_u32(c, &f->slot_us);
	for (u32 i = 0; i < f->nfields; i++)
		code_below(c, &f->fields[i].named, 2);
}

void code_ask_line_fields(struct codec *c, struct ask_line_sample *x)
{
	code_time(c, &x->t_ns);
	code_u64(c, &x->lost);
	code_cpu(c, &x->cpu);
	code_who(c, &x->who);
	codec__known(c, x->who.tgid != MEASURE_MANY);
	code_shared_text(c, &x->event);
	code_stack(c, &x->stack, x->who.tgid);
	code_keys(c, &x->values, &x->nvalues, ASK_FIELDS);
	code_u32(c, &x->has);
}

void code_measure_held_fields(struct codec *c, struct measure_held_sample *x)
{
	code_bool(c, &x->rest);
	code_who(c, &x->who);
	codec__known(c, !x->rest);
	code_keys(c, &x->keys, &x->nkeys, MEASURE_OWN_LABELS);
	code_stack(c, &x->stack, x->who.tgid);
	CODE_U64S(c, &x->held, &x->held_bytes);
	code_time(c, &x->begin_ns);
	CODE_U64S(c, &x->acquired, &x->acquired_bytes, &x->released, &x->released_bytes,
		  &x->unseen);
	code_hist(c, &x->hist, MEASURE_BUCKETS);
	CODE_U64S(c, &x->churned, &x->churned_bytes, &x->wasted_bytes, &x->error_bytes);
}

void code_measure_holder_fields(struct codec *c, struct measure_holder_sample *x)
{
	code_keys(c, &x->keys, &x->nkeys, MEASURE_OWN_LABELS);
	CODE_U32S(c, &x->tgid, &x->tid);
	code_text(c, x->comm, sizeof(x->comm));
	code_stack(c, &x->stack, x->tgid);
	code_u64(c, &x->ns);
	code_who(c, &x->waiter);
	code_time(c, &x->begin_ns);
}

void code_measure_order_fields(struct codec *c, struct measure_order_sample *x)
{
	code_keys(c, &x->keys, &x->nkeys, 2);
	code_who(c, &x->who);
	code_time(c, &x->t_ns);
	code_stack(c, &x->stack, x->who.tgid);
	code_text(c, x->where, sizeof(x->where));
	code_below(c, &x->nguards, MEASURE_GUARDS + 1);
	for (u32 i = 0; i < x->nguards; i++)
		code_u64(c, &x->guards[i]);
	code_bool(c, &x->exact);
	code_bool(c, &x->by_several);
	code_u64(c, &x->count);
	code_stack(c, &x->first_stack, x->who.tgid);
	code_bool(c, &x->first_read);
	code_bool(c, &x->second_read);
}

void code_measure_levels_fields(struct codec *c, struct measure_levels_sample *x)
{
	for (u32 i = 0; i < MEASURE_LEVELS; i++)
		code_u64(c, &x->v[i]);
}
