// SPDX-License-Identifier: GPL-2.0-only
/* Rows of a measure by any of its labels together. */
#include <math.h>
#include <stdio.h>

#include "base/hidx.h"
#include "base/hosts.h"
#include "models/frames.h"
#include "models/measure_metrics.h"
#include "models/measure_nested.h"
#include "models/measure_rows.h"
#include "models/quantile.h"
#include "models/stack_terms.h"
#include "models/task_text.h"

#define MAX_ERRNOS 16

struct errno_count {
	const char *name;
	double n;
};

struct row_errnos {
	struct errno_count v[MAX_ERRNOS];
	u32 n;
};

struct stack_key {
	const struct callstack *stack;
	u64 key;
};

struct query_builder {
	const struct measure_snap *snap;
	const struct measure *m;
	const struct measure_query *q;
	const struct scope *scope;
	struct arena *arena;
	struct measure_box *box;
	struct measure_row *rows;
	u32 n, cap;
	struct hidx index, threads;
	struct hidx stack_index; /* of keys that are known */
	struct stack_key *stack_keys;
	u32 nstack_keys, stack_keys_cap;
	struct row_errnos *errnos;
	u32 nerrnos_cap;
	int error_label;
	/* The entry in hand, and its text of the derived label that is grouped by. */
	const struct measure_who *who;
	const struct measure_text *keys;
	const struct callstack *stack;
	const char *derived;
	double *no_buckets; /* of counts without a value; else NULL */
	bool by_metric;
	struct metric_builder metrics;
	struct stack_terms stacks;
};

static bool holds(const struct measure *m)
{
	return m->shape == MEASURE_SHAPE_HOLDING;
}

/* --- the row that something belongs to --- */

static bool is_unknown(const struct query_builder *k, u32 i)
{
	if (k->m->labels[i].kind == LABEL_STACK && k->stack)
		return false;
	return measure__is_unknown(k->m, k->who, k->keys, i);
}

/* Many entries have the same one. */
static u64 stack_key(struct query_builder *k)
{
	u64 h = mix64((u64)(uintptr_t)k->stack);
	struct stack_key *new;
	u32 at;

	HIDX_FIND(at, &k->stack_index, h, pos, k->stack_keys[pos].stack == k->stack);
	if (at != HIDX_NONE)
		return k->stack_keys[at].key;
	hidx__add(&k->stack_index, h, k->nstack_keys);
	k->stack_keys = xgrow(k->stack_keys, k->nstack_keys, &k->stack_keys_cap,
			      sizeof(*k->stack_keys));
	new = &k->stack_keys[k->nstack_keys++];
	*new = (struct stack_key){k->stack, stack__names_hash(k->stack, k->snap->symbols)};
	return new->key;
}

static u64 label_key(struct query_builder *k, u32 i)
{
	const struct measure_who *w = k->who;

	if (k->m->labels[i].kind == LABEL_HOST)
		return w->host;
	if (is_unknown(k, i))
		return 1;
	switch (k->m->labels[i].kind) {
	case LABEL_NAMED:
	case LABEL_ERROR:
		return measure__key_hash(&k->m->labels[i], &k->keys[i]);
	case LABEL_DERIVED:
		return measure__text_hash(k->derived);
	case LABEL_PID:
		return mix64_pair(w->tgid | (u64)w->host << 32, w->process_ns);
	case LABEL_TID:
		return mix64_pair(w->tid | (u64)w->host << 32, w->start_ns);
	case LABEL_COMM:
		return hash_bytes(w->comm, strnlen(w->comm, sizeof(w->comm)));
	case LABEL_CGROUP:
		return mix64(w->cgroup); /* the root's id is 1 */
	case LABEL_ALL:
		return 1;
	default:
		return stack_key(k);
	}
}

static u64 row_key(struct query_builder *k)
{
	u64 h = k->q->groups;

	for (u32 i = 0; i < k->m->nlabels; i++)
		if (measure__differs(k->m, k->q->groups, i))
			h = mix64_pair(h, label_key(k, i));
	return h;
}

static const char *label_text(const struct query_builder *k, u32 i)
{
	const struct measure_who *w = k->who;

	if (k->m->labels[i].kind == LABEL_HOST)
		return hosts__name(w->host);
	if (is_unknown(k, i))
		return "[rest]";
	if (!*w->comm && k->m->labels[i].kind >= LABEL_PID) /* of nobody */
		return "";
	switch (k->m->labels[i].kind) {
	case LABEL_NAMED:
	case LABEL_ERROR:
		return k->keys[i].text;
	case LABEL_DERIVED:
		return arena__strdup(k->arena, k->derived);
	case LABEL_PID:
		return task__id_text(k->arena, w->tgid);
	case LABEL_TID:
		return task__id_text(k->arena, w->tid);
	case LABEL_CGROUP:
		return task__cgroup_text(k->arena, w->cgroup);
	case LABEL_COMM:
		return w->comm;
	default:
		return "";
	}
}

/* Of what is waited for, or who it is that rows are by. */
static const struct measure_holder *holder_of(struct query_builder *k)
{
	int label = measure__holder_label(k->m);

	if (label < 0 || k->who->tgid == MEASURE_MANY)
		return NULL;
	if (k->q->groups & 1)
		return measure__holder(k->snap, &k->keys[0], k->q->window);
	if (k->q->groups & (1u << label))
		return measure__holder_of(k->snap, (u32)k->keys[label].value, k->q->window);
	return NULL;
}

static const char *holder_text(const struct query_builder *k, const struct measure_holder *h)
{
	return h ? task__who(k->arena, h->tgid, h->tid, *h->comm ? h->comm : "[gone]") : "";
}

static void begin_row(struct query_builder *k, struct measure_row *r, u64 key)
{
	*r = (struct measure_row){.key = key, .who = k->who, .waits = true, .ended = true};
	r->stack = k->stack;
	r->symbols = k->snap->symbols;
	r->buckets = k->no_buckets ? k->no_buckets : arena__array(k->arena, double, MEASURE_BUCKETS);
	if (holds(k->m))
		r->marks = arena__array(k->arena, struct growth_series, 1);
	for (u32 i = 0; i < measure__own_labels(k->m); i++)
		r->hashes[i] = measure__key_hash(&k->m->labels[i], &k->keys[i]);
	r->holder = holder_of(k);
	r->holder_text = holder_text(k, r->holder);
	r->metric = k->metrics.metric;
	if (r->metric)
		r->operands = arena__array(k->arena, struct metric_operand, FORMULA_NAMES);
	for (u32 i = 0; i < k->m->nlabels; i++)
		if (measure__implied(k->m, k->q->groups, i)) {
			r->texts[i] = label_text(k, i);
			r->rest |= is_unknown(k, i);
			if (k->m->labels[i].kind == LABEL_PID && !r->rest)
				r->cmdline =
					task__cmdline(k->arena, k->who->tgid, k->who->process_ns);
			if (k->m->labels[i].kind == LABEL_TID && !r->rest)
				r->thread_name = task__thread_name(k->arena, k->who->tgid, k->who->tid,
								   k->who->process_ns);
		}
}

static u32 find_row(const struct query_builder *k, u64 key)
{
	u32 at;

	HIDX_FIND(at, &k->index, key, pos, k->rows[pos].key == key);
	return at;
}

/* Its position; added where there is none. */
static u32 row_of(struct query_builder *k)
{
	u64 key = row_key(k);
	u32 at = find_row(k, key);

	if (at != HIDX_NONE)
		return at;
	if (k->n == k->cap) {
		k->cap = k->cap ? k->cap * 2 : 256;
		k->rows = xrealloc(k->rows, k->cap * sizeof(*k->rows));
		if (k->error_label >= 0)
			k->errnos = xrealloc(k->errnos, k->cap * sizeof(*k->errnos));
	}
	hidx__add(&k->index, key, k->n);
	begin_row(k, &k->rows[k->n], key);
	if (k->errnos)
		k->errnos[k->n].n = 0;
	return k->n++;
}

/* --- adding up --- */

static void add_errno(struct row_errnos *e, const char *name, double n)
{
	for (u32 i = 0; i < e->n; i++)
		if (!strcmp(e->v[i].name, name)) {
			e->v[i].n += n;
			return;
		}
	if (e->n < MAX_ERRNOS)
		e->v[e->n++] = (struct errno_count){name, n};
}

static void add_values(struct measure_values *to, const struct measure_values *v)
{
	if (v->count) /* there may be sums alone */
		to->min = to->count ? MIN(to->min, v->min) : v->min;
	to->max = MAX(to->max, v->max);
	for (u32 i = 0; i < MEASURE_VALUE_SUMS; i++)
		((u64 *)to)[i] += ((const u64 *)v)[i];
}

/* Each thread of a row once. */
static void count_thread(struct query_builder *k, u32 row)
{
	u64 h;

	if (k->m->shape != MEASURE_SHAPE_SPAN) /* nobody asks */
		return;
	h = mix64_pair(mix64_pair(k->rows[row].key, k->who->tid | (u64)k->who->host << 32), k->who->start_ns);

	k->rows[row].nthreads += hidx__put(&k->threads, h);
}

/* What others tell may have been learnt late: that of most of the row counts. */
static void refresh_row(struct query_builder *k, struct measure_row *r)
{
	for (u32 i = 0; i < measure__own_labels(k->m); i++)
		if (r->texts[i] && !(k->q->groups & (1u << i)) && *k->keys[i].text)
			r->texts[i] = k->keys[i].text;
}

static void add_buckets(const struct query_builder *k, const struct measure_entry *e, double *to)
{
	for (u32 i = 0; i < e->nbins; i++)
		to[e->bins[i].bucket & (MEASURE_BUCKETS - 1)] +=
			(double)e->bins[i].n[holds(k->m) ? WINDOW_LAST : k->q->window];
}

/* Whether a row is called after it rather than after what it is called after now. */
static bool names_better(const struct query_builder *k, const struct measure_entry *e, struct measure_row *r)
{
	const struct measure_values *v = &e->v[k->q->window];
	u64 most = k->m->latest ? v->max : MAX(v->sum, e->held.bytes);

	if (!k->m->compare) {
		r->most = MAX(r->most, most);
		return most == r->most;
	}
	if (!r->top || !*e->keys[0].text != !*r->top->keys[0].text)
		return !r->top || *e->keys[0].text;
	return k->m->compare(v, &r->top->v[k->q->window]) < 0;
}

static void add_entry(struct query_builder *k, const struct measure_entry *e)
{
	const struct measure_values *v = &e->v[k->q->window];
	struct measure_row *r;
	u32 at;

	k->metrics.metric = k->by_metric ? metrics__named(k->derived) : NULL;
	at = row_of(k);
	r = &k->rows[at];
	if (r->metric)
		metric_row__add(&k->metrics, r, e, k->q->window);

	count_thread(k, at);
	if (names_better(k, e, r)) {
		r->top = e;
		r->who = &e->who;
		refresh_row(k, r);
	}
	measure_held__add(&r->held, &e->held);
	r->waits &= e->waits;
	r->ended &= e->ended;
	if (e->waits)
		r->waiting_ns += v->sum;
	add_values(&r->v, v);
	for (u32 i = 0; i < TREND_LEN; i++)
		r->trend[i] += e->trend[i];
	if (e->marks)
		growth_series__merge(r->marks, e->marks);
	r->acquired += e->v[WINDOW_TOTAL].sum;
	add_buckets(k, e, r->buckets);
	if (k->error_label >= 0 && *e->keys[k->error_label].text)
		add_errno(&k->errnos[at], e->keys[k->error_label].text, (double)v->count);
}

static void add_open(struct query_builder *k, const struct measure_open_entry *o)
{
	u64 t1 = k->snap->base.t1_ns, age = t1 > o->begin_ns ? t1 - o->begin_ns : 0;
	u32 at = row_of(k);
	struct measure_row *r = &k->rows[at];

	count_thread(k, at);
	r->waits &= o->waits;
	r->ended = false;
	r->unfinished++;
	r->unfinished_ns = MAX(r->unfinished_ns, age);
	if (!r->v.count)
		r->who = &o->who;
}

/* Once for each part of a derived label that rows are by; a text may have none. */
#define FOR_EACH_PART(k, stmt)                                                                     \
	do {                                                                                       \
		const struct measure_label *l_ = derived_label(k);                                 \
		char part_[MEASURE_LABEL_TEXT] = "[rest]";                                         \
		(k)->derived = part_;                                                              \
		if (!l_ || is_unknown((k), l_->of)) {                                              \
			stmt;                                                                      \
		} else {                                                                           \
			for (u32 i_ = 0; l_->part((k)->keys[l_->of].text, i_, part_,               \
						  sizeof(part_));                                  \
			     i_++)                                                                 \
				stmt;                                                              \
		}                                                                                  \
	} while (0)

static const struct measure_label *derived_label(const struct query_builder *k)
{
	for (u32 i = 0; i < k->m->nlabels; i++)
		if (k->m->labels[i].kind == LABEL_DERIVED && (k->q->groups & (1u << i)))
			return &k->m->labels[i];
	return NULL;
}

/* By a label that is not known of it. */
static bool is_narrowed_beyond(const struct query_builder *k, const struct measure_who *w,
			       const struct measure_text *keys)
{
	for (u32 i = 0; i < k->m->nlabels; i++)
		if (k->q->narrow.hashes[i] && measure__is_unknown(k->m, w, keys, i))
			return true;
	return false;
}

static bool passes(const struct query_builder *k, const struct measure_who *w,
		   const struct measure_text *keys)
{
	if (k->q->narrow.by_process && w->tgid != k->q->narrow.tgid)
		return false;
	if (w->tgid == MEASURE_MANY && is_narrowed_beyond(k, w, keys))
		return false;
	return measure__in_scope(k->m, k->scope, w, keys) &&
	       measure__passes(k->m, &k->q->narrow, keys);
}

/* Something was counted, or is held. The first of the sums may need no count. */
static bool is_worth_a_row(const struct measure_entry *e, enum time_window w)
{
	return e->held.n || measure_values__any(&e->v[w]);
}

static void add_all(struct query_builder *k, const struct measure_entry *entries, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		const struct measure_entry *e = &entries[i];

		if (!passes(k, &e->who, e->keys) || !stack_terms__pass(&k->stacks, e->stack))
			continue;
		if (!is_worth_a_row(e, k->q->window)) {
			k->box->result.all.errors += e->v[k->q->window].errors;
			continue;
		}
		measure_held__add(&k->box->result.held, &e->held);
		k->who = &e->who;
		k->keys = e->keys;
		k->stack = e->stack;
		FOR_EACH_PART(k, add_entry(k, e));
		if (e->waits)
			k->box->result.waiting_ns += e->v[k->q->window].sum;
		add_values(&k->box->result.all, &e->v[k->q->window]);
		add_buckets(k, e, k->box->result.buckets);
	}
}

/* Metrics of the whole machine that nothing was counted for: their rows say why. */
static void add_missing_metrics(struct query_builder *k)
{
	static const struct measure_who nobody = {.tgid = MEASURE_MANY};
	struct measure_text *keys = arena__array(k->arena, struct measure_text, MEASURE_OWN_LABELS);

	for (u32 i = 0; i < MEASURE_OWN_LABELS; i++)
		keys[i].text = "";
	k->who = &nobody;
	k->keys = keys;
	k->stack = NULL;
	for (u32 i = 0; i < metrics__n(); i++) {
		const struct metric *m = metrics__at(i);

		k->metrics.metric = m;
		k->derived = m->name;
		keys[k->metrics.event].text = metric__event(m);
		if (passes(k, &nobody, keys))
			row_of(k);
	}
}

/* Rows by stack have those of whom it is known where they are. */
static void add_all_open(struct query_builder *k, bool by_stack)
{
	for (u32 i = 0; i < k->snap->nopen; i++) {
		const struct measure_open_entry *o = &k->snap->open[i];

		if ((by_stack && !o->stack) || !passes(k, &o->who, o->keys) ||
		    !stack_terms__pass(&k->stacks, o->stack))
			continue;
		k->who = &o->who;
		k->keys = o->keys;
		k->stack = by_stack ? o->stack : NULL;
		FOR_EACH_PART(k, add_open(k, o));
		k->box->result.unfinished++;
	}
}

/* --- finishing --- */

static void errno_part(const void *of, u32 i, struct value_part *out)
{
	const struct errno_count *e = of;

	out->name = e[i].name;
	out->value = (struct value){.type = VALUE_COUNT, .u = (u64)(e[i].n + 0.5)};
}

u64 measure__bucket_lo(const struct measure *m, u32 bucket)
{
	return measure__lo(m)(bucket);
}

static struct histogram histogram_of(const struct measure *m, double *buckets,
				     const struct measure_values *v)
{
	return (struct histogram){.n = buckets,
				  .nbuckets = MEASURE_BUCKETS,
				  .lo = measure__lo(m),
				  .min = v->min,
				  .max = v->max,
				  .zero = m->is_signed ? MEASURE_ZERO : 0,
				  .type = measure__value_type(m)};
}

/* Whether what came may as well have taken the place of what was there before watching began: in the second half of
 * the time that it grows, too. What replaces ends when nothing of before is left. */
static bool may_replace(const struct growth *g, const struct measure_row *r, const struct measure_snap *s)
{
	const float *released = s->replaced.acquired, *marks = r->marks->marks;
	double each = r->held.n ? (double)r->held.bytes / (double)r->held.n : 0;
	u32 last = s->growth.n - 1, half = g->from + (last - g->from) / 2;

	return s->measure->replaces && s->growth.n &&
	       each * (double)(released[last] - released[half]) > (marks[last] - marks[half]) / 2;
}

/* As sure as the judgement of its sizes, unless these are estimates that may be off by as much. */
static struct growth growth_of(const struct measure_row *r, const struct measure_snap *s)
{
	struct growth g = growth__judge(r->marks, &s->growth);
	double minutes = (double)(s->base.t1_ns - MIN(g.from_ns, s->base.t1_ns)) / 60e9;

	if (g.per_min * minutes < 3 * sqrt(r->held.variance) || may_replace(&g, r, s))
		g.sure_pct = 0;
	return g;
}

/* What a stack stands for was not looked at: one took what they take on average, at least. What decays is rounded
 * instead. */
static void widen(const struct query_builder *k, struct measure_values *v)
{
	if (k->m->is_signed || k->q->window == WINDOW_DECAY)
		return;
	v->min = MIN(v->min, v->sum / v->count);
	v->max = MAX(v->max, v->sum / v->count);
}

static void finish_row(struct query_builder *k, u32 at)
{
	struct measure_row *r = &k->rows[at];
	struct histogram h = histogram_of(k->m, r->buckets, &r->v);
	struct row_errnos *e = k->errnos ? &k->errnos[at] : NULL;

	if (r->v.count && !holds(k->m) && !k->no_buckets) {
		r->p50 = histogram__quantile(&h, 0.50);
		r->p95 = histogram__quantile(&h, 0.95);
		r->p99 = histogram__quantile(&h, 0.99);
		widen(k, &r->v);
	}
	if (r->metric)
		metric_row__finish(&k->metrics, r, k->box->result.base.window_ns, k->arena);
	if (holds(k->m))
		r->growth = growth_of(r, k->snap);
	r->hist = (struct value){.type = VALUE_LIST};
	if (!k->no_buckets)
		r->hist = histogram__value(&h, false, k->arena);
	r->errnos = (struct value){.type = VALUE_OBJECT, .part = errno_part};
	if (e && e->n) {
		r->errnos.n = e->n;
		r->errnos.of = arena__dup(k->arena, e->v, e->n * sizeof(e->v[0]));
	}
}

static void finish_all(const struct query_builder *k, struct measure_result *a)
{
	struct histogram h = histogram_of(k->m, a->buckets, &a->all);

	if (!a->all.count || holds(k->m))
		return;
	a->p50 = histogram__quantile(&h, 0.50);
	a->p95 = histogram__quantile(&h, 0.95);
	a->p99 = histogram__quantile(&h, 0.99);
}

static u64 rank_of(const struct measure_row *r, const struct measure *m)
{
	if (holds(m))
		return r->held.bytes;
	if (m->shape == MEASURE_SHAPE_SPAN)
		return r->v.sum - (r->waits ? 0 : MIN(r->waiting_ns, r->v.sum));
	return r->v.count;
}

static int by_rank(const void *a, const void *b, void *ctx)
{
	const struct measure_row *x = *(const struct measure_row *const *)a;
	const struct measure_row *y = *(const struct measure_row *const *)b;
	const struct measure *m = ctx;
	u64 p = rank_of(x, m), q = rank_of(y, m);
	int order = x->metric && y->metric ? metric_row__compare(x, y) : 0;

	if (m->compare) {
		order = m->compare(&x->v, &y->v);
		return order ? order : (x->key > y->key) - (x->key < y->key);
	}
	if (order)
		return order;
	if (x->waits != y->waits)
		return x->waits ? 1 : -1;
	if (p != q)
		return p > q ? -1 : 1;
	if (x->v.count != y->v.count)
		return x->v.count > y->v.count ? -1 : 1;
	if (x->v.sums[0] != y->v.sums[0])
		return x->v.sums[0] > y->v.sums[0] ? -1 : 1;
	return (x->key > y->key) - (x->key < y->key);
}

/* --- the answer --- */

/* What is less than this goes unsaid: bytes a minute. */
#define WORTH_SAYING (64 << 10)

static const struct measure_row *grower_of(const struct measure_result *a)
{
	const struct measure_row *most = NULL;

	for (u32 i = 0; i < a->nrows; i++) {
		const struct measure_row *r = &a->rows[i];

		if (r->growth.sure_pct < GROWTH_SURE || r->rest || r->growth.per_min < WORTH_SAYING)
			continue;
		if (!most || r->growth.per_min > most->growth.per_min)
			most = r;
	}
	return most;
}

/* The keys of the rows that what was sampled belongs to; 0: of none. */
static u64 *find_sampled(struct query_builder *k)
{
	u64 *keys = arena__array(k->arena, u64, k->snap->nsampled);

	k->stack = NULL;
	for (u32 i = 0; i < k->snap->nsampled; i++) {
		const struct measure_entry *e = &k->snap->sampled[i];
		u32 at;

		k->who = &e->who;
		k->keys = e->keys;
		at = e->v[k->q->window].count && passes(k, k->who, k->keys) ? find_row(k, row_key(k)) : HIDX_NONE;
		if (at == HIDX_NONE)
			continue;
		k->rows[at].has_stacks = true;
		keys[i] = k->rows[at].key;
	}
	return keys;
}

static const struct measure_row *ranked(const struct query_builder *k)
{
	const struct measure_row **order = xcalloc(MAX(k->n, 1u), sizeof(*order));
	struct measure_row *rows = arena__take(k->arena, k->n * sizeof(*rows));

	for (u32 i = 0; i < k->n; i++)
		order[i] = &k->rows[i];
	qsort_r(order, k->n, sizeof(*order), by_rank, (void *)k->m);
	for (u32 i = 0; i < k->n; i++)
		rows[i] = *order[i];
	if (k->n && measure__is_by_nesting(k->m, k->q->groups))
		measure__nest(rows, k->n, k->arena);
	free(order);
	return rows;
}

static void finish(struct query_builder *k)
{
	struct measure_result *a = &k->box->result;

	for (u32 i = 0; i < k->n; i++)
		finish_row(k, i);
	finish_all(k, a);
	a->rows = ranked(k);
	a->nrows = k->n;
	if (holds(k->m))
		a->grower = grower_of(a);
	free(k->rows);
	free(k->errnos);
	hidx__fini(&k->index);
	hidx__fini(&k->threads);
	hidx__fini(&k->stack_index);
	free(k->stack_keys);
}

bool measure__is_by_stack(const struct measure *m, u32 groups)
{
	int i = measure__label_of_kind(m, LABEL_STACK);

	return i >= 0 && (groups & (1u << i));
}

#define DEADLOCKED 64
#define CHAIN_MAX  16
#define CYCLES	   16

static void find_cycles(struct query_builder *k)
{
	struct measure_cycle *v = arena__array(k->arena, struct measure_cycle, CYCLES);

	k->box->result.ncycles = measure__cycles(k->snap, k->scope, v, CYCLES);
	k->box->result.cycles = v;
}

static void find_deadlock(struct query_builder *k)
{
	const struct measure_waiting **v =
		arena__array(k->arena, const struct measure_waiting *, DEADLOCKED);

	k->box->result.ndeadlock = measure__deadlock(k->snap, k->scope, v, DEADLOCKED);
	k->box->result.deadlock = v;
}

static void find_chain(struct query_builder *k)
{
	const struct measure_waiting **v =
		arena__array(k->arena, const struct measure_waiting *, CHAIN_MAX);

	k->box->result.nchain = measure__chain(k->snap, k->scope, v, CHAIN_MAX);
	k->box->result.chain = v;
}

/* To be filtered by: what is counted without them has none that could pass. */
static bool has_stacks(const struct query_builder *k)
{
	return k->stacks.used && measure__label_of_kind(k->m, LABEL_STACK) >= 0;
}

struct measure_result *measure__query(const struct measure_snap *snap,
				      const struct measure_query *q, const struct scope *scope)
{
	struct measure_box *box = window_result__new(sizeof(*box), &snap->base, q->window);
	struct measure_result *a = &box->result;
	struct query_builder k = {.snap = snap,
				  .m = snap->measure,
				  .q = &a->query,
				  .scope = scope,
				  .arena = &a->base.arena,
				  .box = box};

	u64 *sampled = NULL;
	bool by_stack;

	a->query = *q;
	a->query.groups = measure__groups_of(k.m, q);
	a->measure = snap->measure;
	by_stack = measure__is_by_stack(k.m, k.q->groups);
	k.by_metric = measure__is_by_metric(k.m, k.q->groups);
	if (k.by_metric)
		metric_builder__begin(&k.metrics, snap);
	k.error_label = measure__label_of_kind(snap->measure, LABEL_ERROR);
	if (k.m->shape == MEASURE_SHAPE_COUNT && !k.m->value)
		k.no_buckets = arena__array(k.arena, double, MEASURE_BUCKETS);
	stack_terms__init(&k.stacks, k.arena, snap->symbols, scope);
	if (by_stack || holds(snap->measure) || has_stacks(&k))
		add_all(&k, snap->sampled, snap->nsampled);
	else
		add_all(&k, snap->entries, snap->nentries);
	add_all_open(&k, by_stack);
	if (k.by_metric && k.q->groups == 1u << measure__metric_label(k.m))
		add_missing_metrics(&k);
	if (measure__holder_label(snap->measure) >= 0) {
		find_deadlock(&k);
		find_chain(&k);
		find_cycles(&k);
	}
	a->base.unresolved |= stack_terms__pending(&k.stacks);
	stack_terms__fini(&k.stacks);
	if (k.m->unfolds)
		sampled = find_sampled(&k);
	finish(&k);
	measure_rows__show(box, by_stack);
	if (sampled)
		measure_rows__unfold(a, sampled);
	return a;
}
