// SPDX-License-Identifier: GPL-2.0-only
#include "tui/views/listing_diff.h"

#include "models/flame_rows.h"

/* Changes of shares below this are next to none. */
#define POINTS_FAINT 0.05

struct query_result *listing__compare(const struct query_client_ops *ops, const struct frame *now,
				      const struct frame *baseline, const void *query,
				      const struct scope *scope)
{
	struct query_result *a = ops->run(now, query, scope), *b = ops->run(baseline, query, scope);
	struct result_diff *d = result_diff__join(a, b);

	if (d)
		return &d->base;
	query_result__free(b);
	return a;
}

struct result_diff *listing__diff_of(struct query_result *a)
{
	return a && result_diff__is(a) ? container_of(a, struct result_diff, base) : NULL;
}

/* --- places --- */

struct listing_place listing__enter(const struct listing *l, struct listing_place shown,
				    struct query_result **before)
{
	struct listing *mine = (struct listing *)l;
	const struct diff_row *r;

	*before = l->result;
	if (!l->diff)
		return shown;
	r = &l->diff->rows[shown.row];
	if (shown.node != UINT32_MAX)
		shown.node = result_diff__node(l->diff, shown.node);
	shown.row = r->now != DIFF_NONE ? r->now : r->baseline;
	if (r->now == DIFF_NONE)
		mine->result = l->diff->baseline;
	return shown;
}

void listing__leave(const struct listing *l, struct query_result *before)
{
	((struct listing *)l)->result = before;
}

bool listing__is_gone(const struct listing *l, u32 row)
{
	return l->diff->rows[row].now == DIFF_NONE;
}

/* --- how it looks --- */

static enum role change_role(const struct value *v)
{
	bool less, faint;
	struct value size = value__size_of(v, &less);

	faint = v->n == VALUE_PCT ? size.f < POINTS_FAINT : !size.u;
	if (v->type != VALUE_CHANGE || faint)
		return ROLE_DIM;
	return less ? ROLE_COOL : ROLE_HOT;
}

static enum role view_role(const struct listing *l, u32 row, u32 column)
{
	struct query_result *before;
	struct listing_place at;
	enum role role;

	if (!l->ops->cell_role)
		return ROLE_TEXT;
	at = listing__enter(l, (struct listing_place){row, UINT32_MAX}, &before);
	role = l->ops->cell_role(l, at.row, column);
	listing__leave(l, before);
	return role;
}

enum role listing__diff_role(const struct listing *l, u32 row, u32 column)
{
	const struct row_table *t = &l->shown->table;
	struct value v = {0};
	u32 of;

	if (result_diff__column(l->diff, column, &of)) {
		if (!listing__is_gone(l, row) || t->columns[column].flags & COLUMN_KEY)
			return view_role(l, row, of);
		return ROLE_DIM;
	}
	if (t->columns[column].type != VALUE_CHANGE)
		return ROLE_DIM;
	t->cell(t, row, column, &v);
	return change_role(&v);
}

void listing__diff_child(const struct listing *l, u32 node, struct table_child *out)
{
	double baseline = l->diff->baseline_pct[node];

	out->compared = out->pct >= 0;
	out->change = out->pct - MAX(baseline, 0.0);
}

/* --- what it says --- */

/* What makes numbers of windows that differ in length comparable. */
static void basis_text(const struct result_diff *d, char *buf, size_t size)
{
	const struct column *c = &d->now->table.columns[d->main];
	char window[16];

	format__ns(window, sizeof(window), d->base.window_ns);
	if (c->type == VALUE_PCT)
		snprintf(buf, size, "%s in points", c->title);
	else if (c->flags & COLUMN_SUM)
		snprintf(buf, size, "%s per %s", c->title, window);
	else
		snprintf(buf, size, "%s%s", c->title,
			 c->flags & COLUMN_SHARE && !(c->flags & COLUMN_LEVEL) ? " as rates" : "");
}

static void add_age(const struct listing *l, struct headline *line)
{
	const struct baseline *b = host__baseline(l->base.host);
	u64 now = l->diff->now->snap->t1_ns, baseline = l->diff->baseline->snap->t1_ns;
	char age[16];

	format__ns(age, sizeof(age), now > baseline ? now - baseline : baseline - now);
	if (b && b->file)
		headline__addf(line, ROLE_STRONG, "baseline: %.60s", b->file);
	else if (now == baseline)
		headline__add(line, ROLE_STRONG, "baseline: this window");
	else
		headline__addf(line, ROLE_STRONG, "baseline: %s %s", age,
			       now > baseline ? "ago" : "ahead");
}

void listing__diff_line(const struct listing *l, struct headline *line)
{
	const struct result_diff *d = l->diff;
	char text[80];

	if (!d) {
		headline__add(line, ROLE_DIM,
			      l->ops->events
				      ? "baseline: single events have nothing to compare with"
				      : "baseline: it has nothing of this view");
		return;
	}
	add_age(l, line);
	if (d->baseline->window_ns) {
		format__ns(text, sizeof(text), d->baseline->window_ns);
		headline__addf(line, ROLE_DIM, " (%s)", text);
	}
	basis_text(d, text, sizeof(text));
	headline__addf(line, ROLE_DIM, " · %s", text);
	headline__addf(line, d->nnew ? ROLE_WARM : ROLE_DIM, " · %u new", d->nnew);
	headline__addf(line, d->ngone ? ROLE_COOL : ROLE_DIM, " · %u gone", d->ngone);
}

void listing__diff_report(const struct result_diff *d, const struct baseline *b, struct report *r)
{
	r->asked_baseline = &d->baseline->table;
	if (r->stacks)
		r->baseline_stacks = flame__report_baseline;
	r->baseline = (struct report_baseline){
		.is_there = true,
		.t0_ns = d->baseline->since_ns,
		.t1_ns = d->baseline->snap->t1_ns,
		.file = b ? b->file : NULL,
		.scale = d->scale,
		.new_rows = d->nnew,
		.gone_rows = d->ngone,
	};
}
