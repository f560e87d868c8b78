// SPDX-License-Identifier: GPL-2.0-only
/* The cells of a measure's rows, and the stacks below them. */
#include <math.h>

#include "models/fields.h"
#include "models/frames.h"
#include "models/measure_metrics.h"
#include "models/measure_rows.h"
#include "models/stack_rows.h"
#include "models/windows.h"

/* --- cells --- */

static const struct measure_result *result_of(const struct row_table *t)
{
	return container_of(t, struct measure_result, base.table);
}

static void value_frame(const void *of, u32 i, struct value_frame *out)
{
	const struct measure_row *r = of;
	struct frame_text f = frame__text(r->symbols, r->stack->locs[i]);

	*out = (struct value_frame){.symbol = f.name, .object = f.object_name, .kind = f.kind};
}

/* The first that tells something; the leaf: none does, or the measure does not ask. */
static struct frame_text outer_frame(const struct measure *m, const struct measure_row *r)
{
	for (u32 i = 0; m->innermost && i < callstack__nlocs(r->stack); i++) {
		struct frame_text f = frame__text(r->symbols, r->stack->locs[i]);

		if (!measure__is_innermost(m, f.name))
			return f;
	}
	return frame__text(r->symbols, r->stack->locs[0]);
}

/* A question that counts calls of a function where they begin has that function as the leaf of all of its stacks:
 * they are told apart by who calls it. */
static bool is_of_calls(const struct measure *m, const struct measure_row *r)
{
	const struct ask_form *f = measure__form(m);

	return f && f->shape == MEASURE_SHAPE_COUNT && !strncmp(f->event, "uprobe:", 7) && !r->stack->nkernel &&
	       r->stack->nuser > 1;
}

static bool is_by_caller(const struct measure *m, const struct measure_row *r)
{
	return !m->innermost || measure__is_innermost(m, outer_frame(m, r).name);
}

const char *measure_row__stack_name(const struct measure *m, const struct measure_row *r)
{
	const char *caller;

	if (r->rest)
		return "[rest]";
	if (!callstack__nlocs(r->stack))
		return "[no stack]";
	if (is_of_calls(m, r))
		return frame__text(r->symbols, r->stack->locs[1]).name;
	caller = is_by_caller(m, r) ? stack__caller(r->stack, r->symbols) : "";
	return *caller ? caller : outer_frame(m, r).name;
}

u32 measure_row__function(const struct measure_result *a, const struct measure_row *r)
{
	u32 caller;

	if (r->rest || !measure__is_by_stack(a->measure, a->query.groups) || !callstack__nlocs(r->stack))
		return 0;
	if (is_of_calls(a->measure, r))
		return frame__text(r->symbols, r->stack->locs[1]).func;
	caller = is_by_caller(a->measure, r) ? stack__caller_func(r->stack, r->symbols) : 0;
	return caller ? caller : outer_frame(a->measure, r).func;
}

const char *measure_row__name(const struct measure_result *a, const struct measure_row *r)
{
	if (measure__is_by_stack(a->measure, a->query.groups))
		return measure_row__stack_name(a->measure, r);
	for (u32 i = 0; i < a->measure->nlabels; i++)
		if ((a->query.groups & (1u << i)) && r->texts[i] && *r->texts[i])
			return a->measure->labels[i].kind == LABEL_PID ? r->who->process : r->texts[i];
	return "[none]";
}

static void label_cell(const struct measure_result *a, const struct measure_row *r, u32 i,
		       struct value *out)
{
	enum label_kind kind = a->measure->labels[i].kind;
	bool by_process = r->texts[i] && !(a->query.groups & (1u << i));
	bool by_tid = false;

	for (u32 l = 0; l < a->measure->nlabels; l++)
		by_tid |= a->measure->labels[l].kind == LABEL_TID && (a->query.groups & (1u << l));
	out->s = r->texts[i];
	if (kind == LABEL_STACK)
		out->s = measure_row__stack_name(a->measure, r);
	else if (kind == LABEL_COMM && !r->rest)
		out->s = by_process && !by_tid ? r->who->process : r->who->comm;
	if (kind != LABEL_STACK && !*out->s)
		*out = (struct value){.type = VALUE_NONE, .s = "[none]"};
}

static void holder_frame(const void *of, u32 i, struct value_frame *out)
{
	const struct measure_row *r = of;
	struct frame_text f = frame__text(r->symbols, r->holder->stack->locs[i]);

	*out = (struct value_frame){.symbol = f.name, .object = f.object_name, .kind = f.kind};
}

static void holder_part(const void *of, u32 i, struct value_part *out)
{
	const struct measure_row *r = of;

	switch (i) {
	case 0:
		*out = (struct value_part){
			"comm", {.type = *r->holder->comm ? VALUE_TEXT : VALUE_NONE, .s = r->holder->comm}};
		break;
	case 1:
		*out = (struct value_part){"pid", {.type = VALUE_COUNT, .u = r->holder->tgid}};
		break;
	case 2:
		*out = (struct value_part){"tid", {.type = VALUE_COUNT, .u = r->holder->tid}};
		break;
	default:
		out->name = "stack";
		out->value.type = VALUE_STACK;
		out->value.n = callstack__nlocs(r->holder->stack);
		out->value.of = r;
		out->value.frame = holder_frame;
	}
}

static void holder_cell(const struct measure_row *r, struct value *out)
{
	if (r->holder)
		*out = (struct value){
			.type = VALUE_OBJECT, .n = 4, .of = r, .part = holder_part};
	else
		*out = (struct value){.type = VALUE_NONE};
}

static void id_cell(const struct measure_result *a, const struct measure_row *r, u32 i,
		    struct value *out)
{
	out->u = a->measure->labels[i].kind == LABEL_PID ? r->who->tgid : r->who->tid;
	if (r->rest || !*r->who->comm)
		out->type = VALUE_NONE;
}

static void number_label_cell(const struct measure_row *r, u32 i, struct value *out)
{
	const char *text = r->texts[i];

	if (!text || (*text != '-' && (*text < '0' || *text > '9')))
		*out = (struct value){0};
	else if (*text == '-')
		*out = (struct value){
			.type = VALUE_CHANGE, .n = VALUE_COUNT, .i = strtoll(text, NULL, 10)};
	else
		out->u = strtoull(text, NULL, 10);
}

static double wall_pct(const struct measure_result *a, const struct measure_row *r)
{
	bool of_cpus = a->measure->of_cpus;
	double wall = (double)a->base.window_ns * (of_cpus ? 1 : MAX(r->nthreads, 1u));
	u64 ns = of_cpus ? r->v.sums[0] : r->v.sum;

	if (wall <= 0)
		return 0;
	return of_cpus ? 100.0 * (double)ns / wall : MIN(100.0 * (double)ns / wall, 100.0);
}

static void ratio_cell(const struct measure_row *r, const struct measure_ratio *ratio,
		       struct value *out)
{
	u64 in = ratio->in == RATIO_OF_COUNT ? r->v.count : r->v.sums[ratio->in];

	if (!in)
		out->type = VALUE_NONE;
	else if (ratio->type == VALUE_PCT)
		out->f = 100.0 * (double)r->v.sums[ratio->of] / (double)in;
	else
		out->u = r->v.sums[ratio->of] / in;
}

static bool is_quantile(enum measure_cell_kind kind)
{
	return kind == CELL_P50 || kind == CELL_P95 || kind == CELL_P99;
}

/* Numbers that are not known where nothing was counted. Of a stack that stands for several no distribution is. */
static u64 counted_cell(const struct measure_row *r, enum measure_cell_kind kind, struct value *out)
{
	if (!r->v.count || (is_quantile(kind) && !r->hist.n))
		out->type = VALUE_NONE;
	switch (kind) {
	case CELL_MIN:
		return r->v.min;
	case CELL_AVG:
		return r->v.count ? MIN(MAX(r->v.sum / r->v.count, r->v.min), r->v.max) : 0;
	case CELL_P50:
		return r->p50;
	case CELL_P95:
		return r->p95;
	case CELL_P99:
		return r->p99;
	default:
		return r->v.max;
	}
}

static s64 per_second_of_change(u64 came, u64 went, u64 window_ns)
{
	return (s64)window__per_second(came > went ? came - went : 0, window_ns) -
	       (s64)window__per_second(went > came ? went - came : 0, window_ns);
}

/* False: it is no cell of a holding. */
static bool held_cell(const struct measure_result *a, const struct measure_row *r,
		      enum measure_cell_kind kind, struct value *out)
{
	const struct measure_snap *s = container_of(a->base.snap, struct measure_snap, base);

	switch (kind) {
	case CELL_HELD:
		out->u = r->held.n;
		return true;
	case CELL_HELD_BYTES:
		out->u = r->held.bytes;
		return true;
	case CELL_OLDEST:
		if (!r->held.begin_ns)
			out->type = VALUE_NONE;
		else
			out->u = s->base.t1_ns - MIN(r->held.begin_ns, s->base.t1_ns);
		return true;
	case CELL_ERROR_BYTES:
		out->u = (u64)sqrt(r->held.variance);
		return true;
	case CELL_GROWTH:
		out->n = VALUE_BYTES;
		out->i = per_second_of_change(r->v.sum, r->v.sums[HOLDING_RELEASED_BYTES],
					      a->base.window_ns);
		return true;
	case CELL_TOTAL_RATE:
		out->u = window__per_second(r->v.sum, a->base.window_ns);
		return true;
	case CELL_SLOPE:
		if (r->growth.sure_pct >= GROWTH_SURE && r->growth.per_min >= 1)
			out->u = (u64)r->growth.per_min;
		else
			out->type = VALUE_NONE;
		return true;
	case CELL_SURE:
		out->f = r->growth.sure_pct;
		return true;
	case CELL_KEPT:
		if (r->acquired)
			out->f = MIN(100.0 * (double)r->held.bytes / (double)r->acquired, 100.0);
		else
			out->type = VALUE_NONE;
		return true;
	default:
		return false;
	}
}

/* The mean of plain numbers, which are small often enough; false: it is no such cell. */
static bool mean_cell(const struct measure_result *a, const struct measure_row *r,
		      enum measure_cell_kind kind, struct value *out)
{
	s64 sum = (s64)(r->v.sum - (a->measure->is_signed ? r->v.sums[0] : 0));

	if (kind != CELL_AVG || out->type != VALUE_NUMBER)
		return false;
	if (r->v.count)
		out->f = (a->measure->is_signed ? (double)sum : (double)(u64)sum) / (double)r->v.count;
	else
		out->type = VALUE_NONE;
	return true;
}

/* Of values that may be below 0; false: it is no such cell. */
static bool signed_cell(const struct measure_result *a, const struct measure_row *r,
			enum measure_cell_kind kind, struct value *out)
{
	s64 sum = (s64)(r->v.sum - r->v.sums[0]);
	enum value_type type = out->type;

	if (!a->measure->is_signed)
		return false;
	switch (kind) {
	case CELL_TOTAL:
		*out = value__from_zero((u64)sum + MEASURE_ZERO, MEASURE_ZERO, type);
		return true;
	case CELL_AVG:
		if (r->v.count)
			*out = value__from_zero((u64)(sum / (s64)r->v.count) + MEASURE_ZERO,
						MEASURE_ZERO, type);
		else
			out->type = VALUE_NONE;
		return true;
	case CELL_MIN:
	case CELL_P50:
	case CELL_P95:
	case CELL_P99:
	case CELL_MAX:
		out->u = counted_cell(r, kind, out);
		if (out->type != VALUE_NONE)
			*out = value__from_zero(out->u, MEASURE_ZERO, type);
		return true;
	default:
		return false;
	}
}

/* Of what is divided into parts. */
static bool parts_known(const struct measure_result *a, const struct measure_values *v)
{
	return !a->measure->rest.name || v->sums[0];
}

static u64 rest_of(const struct measure *m, const struct measure_values *v)
{
	u64 parts = 0;

	for (u32 i = 0; i < MEASURE_SUMS; i++)
		if (m->sums[i].type == VALUE_NS && !m->sums[i].of_rest)
			parts += v->sums[i];
	return v->sum - MIN(parts, v->sum);
}

static void number_cell(const struct measure_result *a, const struct measure_row *r,
			struct measure_column c, struct value *out)
{
	double busy = (double)(a->all.sum - MIN(a->waiting_ns, a->all.sum));

	if (held_cell(a, r, c.kind, out) || mean_cell(a, r, c.kind, out) ||
	    signed_cell(a, r, c.kind, out))
		return;
	switch (c.kind) {
	case CELL_RATE:
		out->u = window__per_second(r->v.count, a->base.window_ns);
		break;
	case CELL_ERROR_RATE:
		out->u = window__per_second(r->v.errors, a->base.window_ns);
		break;
	case CELL_SUM_RATE:
		out->u = window__per_second(r->v.sums[c.index], a->base.window_ns);
		break;
	case CELL_SHARE:
		out->f = busy > 0 ? 100.0 * (double)(r->v.sum - MIN(r->waiting_ns, r->v.sum)) / busy
				  : 0;
		break;
	case CELL_WALL:
		out->f = wall_pct(a, r);
		break;
	case CELL_COUNT:
		out->u = r->v.count;
		break;
	case CELL_ERRORS:
		out->u = r->v.errors;
		break;
	case CELL_WORK:
		out->u = r->v.sum - MIN(r->waiting_ns, r->v.sum);
		break;
	case CELL_TOTAL:
		out->u = r->v.sum;
		break;
	case CELL_WAITING:
		out->u = r->waiting_ns;
		break;
	case CELL_SUM:
		out->u = r->v.sums[c.index];
		if (!parts_known(a, &r->v))
			out->type = VALUE_NONE;
		break;
	case CELL_REST:
		out->u = rest_of(a->measure, &r->v);
		if (!parts_known(a, &r->v))
			out->type = VALUE_NONE;
		break;
	case CELL_RATIO:
		ratio_cell(r, &a->measure->ratios[c.index], out);
		break;
	case CELL_UNFINISHED:
		out->u = r->unfinished;
		break;
	case CELL_UNFINISHED_AGE:
		out->u = r->unfinished_ns;
		if (!r->unfinished)
			out->type = VALUE_NONE;
		break;
	case CELL_WAITS:
		out->u = r->waits;
		break;
	default:
		out->u = counted_cell(r, c.kind, out);
	}
}

static void metric_cell(const struct measure_row *r, u32 cell, struct value *out)
{
	if (!r->metric) { /* [rest] */
		out->type = VALUE_NONE;
		return;
	}
	switch (cell) {
	case METRIC_VALUE:
		if (r->missing)
			out->type = VALUE_NONE;
		else
			out->f = r->value;
		break;
	case METRIC_UNIT:
		out->s = r->metric->unit;
		break;
	case METRIC_HELP:
		out->s = r->missing ? r->missing : r->metric->help;
		break;
	case METRIC_FORMULA:
		out->s = r->metric->text;
		break;
	default:
		if (r->missing)
			out->s = r->missing;
		else
			out->type = VALUE_NONE;
	}
}

static bool query_result__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct measure_result *a = result_of(t);
	const struct measure_box *box = container_of(a, struct measure_box, result);
	const struct measure_row *r = &a->rows[row];
	struct measure_column c;

	*out = (struct value){0};
	if (column >= t->ncolumns)
		return false;
	c = box->kinds[column];
	out->type = t->columns[column].type;
	switch (c.kind) {
	case CELL_LABEL:
		label_cell(a, r, c.index, out);
		break;
	case CELL_UNGROUPED:
		out->type = VALUE_NONE;
		break;
	case CELL_NESTED:
		out->s = r->nested;
		break;
	case CELL_PLACE:
		out->u = (u64)(r - a->rows);
		break;
	case CELL_END:
		out->s = end_names[r->ended];
		break;
	case CELL_ENDED:
		out->u = r->ended;
		break;
	case CELL_CMDLINE:
		out->s = r->cmdline;
		out->type = r->cmdline ? VALUE_TEXT : VALUE_NONE;
		break;
	case CELL_THREAD:
		out->s = r->thread_name;
		out->type = r->thread_name ? VALUE_TEXT : VALUE_NONE;
		break;
	case CELL_ID_TEXT:
		out->s = r->texts[c.index];
		break;
	case CELL_ID:
		id_cell(a, r, c.index, out);
		break;
	case CELL_NUMBER:
		number_label_cell(r, c.index, out);
		break;
	case CELL_STACK:
		out->n = callstack__nlocs(r->stack);
		out->of = r;
		out->frame = value_frame;
		break;
	case CELL_TREND:
		out->trend = r->trend;
		out->n = TREND_LEN;
		break;
	case CELL_ERRNOS:
		*out = r->errnos;
		break;
	case CELL_ASK:
		out->s = a->measure->name;
		break;
	case CELL_HIST:
		*out = r->hist;
		break;
	case CELL_HOLDER_TEXT:
		out->s = r->holder_text;
		break;
	case CELL_HOLDER:
		holder_cell(r, out);
		break;
	case CELL_METRIC:
		metric_cell(r, c.index, out);
		break;
	default:
		number_cell(a, r, c, out);
	}
	return true;
}

static u64 query_result__key(const struct row_table *t, u32 row)
{
	return result_of(t)->rows[row].key;
}

/* --- the table --- */

static bool is_empty_part(const struct measure_result *a, struct measure_column c)
{
	return c.kind == CELL_SUM && a->measure->sums[c.index].of_rest && !a->all.sums[c.index];
}

/* On screen where there is one. */
static void hide_empty(struct measure_box *box, u32 n)
{
	const struct measure_result *a = &box->result;
	bool ended = false, cmdline = false, thread = false;

	for (u32 i = 0; i < a->nrows; i++) {
		ended |= a->rows[i].ended;
		cmdline |= a->rows[i].cmdline != NULL;
		thread |= a->rows[i].thread_name != NULL;
	}
	for (u32 i = 0; i < n; i++)
		if ((box->kinds[i].kind == CELL_END && !ended) || is_empty_part(a, box->kinds[i]) ||
		    (box->kinds[i].kind == CELL_CMDLINE && !cmdline) ||
		    (box->kinds[i].kind == CELL_THREAD && !thread))
			box->columns[i].flags &= ~(u32)COLUMN_SCREEN;
	columns__fit_cmdline(box->columns, n);
}

/* Of a span those of its time, of a holding the error of its sums. */
static bool knows_parts(const struct measure_result *a)
{
	if (a->measure->shape == MEASURE_SHAPE_HOLDING)
		return a->held.variance > 0;
	return !a->measure->rest.name || a->all.sums[0];
}

static void make_table(struct measure_box *box)
{
	struct measure_result *a = &box->result;
	u32 nlast = 0, sort, n;

	n = measure__columns(a->measure, a->query.groups, knows_parts(a), box->columns, box->kinds, &sort,
			     &box->result.base.arena);
	hide_empty(box, n);
	while (nlast < a->nrows && a->rows[a->nrows - 1 - nlast].waits)
		nlast++;
	if (nlast == a->nrows)
		nlast = 0;
	a->base.table = (struct row_table){
		.columns = box->columns,
		.ncolumns = n,
		.nrows = a->nrows,
		.nlast = nlast,
		.sort = sort,
		.cell = query_result__cell,
		.key = query_result__key,
	};
}

static u64 tree_key(const void *ctx, u32 row)
{
	return ((const struct measure_result *)ctx)->rows[row].key;
}

static u32 tree_nframes(const void *ctx, u32 row)
{
	return callstack__nlocs(((const struct measure_result *)ctx)->rows[row].stack);
}

static struct frame_text tree_frame(const void *ctx, u32 row, u32 i)
{
	const struct measure_row *r = &((const struct measure_result *)ctx)->rows[row];

	return frame__text(r->symbols, r->stack->locs[i]);
}

static void build_trees(struct measure_box *box)
{
	struct measure_result *a = &box->result;
	const struct stack_rows rows = {.n = a->nrows,
					.key = tree_key,
					.nframes = tree_nframes,
					.frame = tree_frame,
					.ctx = a};
	const struct measure_snap *s = container_of(a->base.snap, struct measure_snap, base);

	stack_rows__build(&a->base, &rows, a->query.unfolded, a->query.nunfolded, &box->result.base.arena);
	for (u32 i = 0; i < a->nrows; i++)
		for (u32 k = 0; k < callstack__nlocs(a->rows[i].stack); k++)
			a->base.unresolved |= frame__text(s->symbols, a->rows[i].stack->locs[k]).pending;
}

void measure_rows__show(struct measure_box *box, bool by_stack)
{
	make_table(box);
	if (by_stack)
		build_trees(box);
}
