// SPDX-License-Identifier: GPL-2.0-only
/* What the flame graph says in words: above it, of what is selected, in files. */
#include <stdio.h>

#include "base/arena.h"
#include "models/flame_rows.h"
#include "tui/views/flame.h"
#include "tui/views/headline.h"
#include "tui/views/window.h"

static double percent(u64 part, u64 whole)
{
	return whole ? (double)part * 100 / (double)whole : 0;
}

static void weight_text(const struct flame_result *a, u64 weight, char *buf, size_t size)
{
	char number[16];

	if (a->unit == VALUE_NS) {
		format__ns(buf, size, weight);
	} else if (a->unit == VALUE_BYTES) {
		format__bytes(buf, size, weight);
	} else {
		format__count(number, sizeof(number), weight);
		snprintf(buf, size, "%s %s", number, a->noun);
	}
}

/* --- above it --- */

static const char *window_words(const struct flame_query *q)
{
	const char *always = q->parts[0].source->always;

	return always ? always : window__text(flame_query__window(q));
}

static void add_modes(struct headline *l, const struct flame_screen *s)
{
	const struct flame_query *q = &s->query;

	if (q->leaf_first)
		headline__add(l, ROLE_WARM, " · leaf first");
	if (!q->by_comm)
		headline__add(l, ROLE_DIM, " · no commands");
	if (q->inlined)
		headline__add(l, ROLE_DIM, " · inlined");
}

static void add_search(struct headline *l, const struct flame_result *a, u32 zoom)
{
	char pct[16], text[32];

	if (!a->query.search[0] || a->wrong[0])
		return;
	format__pct(pct, sizeof(pct), percent(flame__matched(a, zoom), a->nodes[zoom].value));
	snprintf(text, sizeof(text), "matched %s%%", pct);
	if (l->x + 3 + text__width(text) > l->r.x + l->r.w)
		return;
	headline__add(l, ROLE_DIM, " · ");
	headline__add(l, ROLE_MATCH, text);
}

/* What cannot be seen. */
static void add_missing(struct headline *l, const struct flame_screen *s)
{
	const struct flame_result *a = s->result;
	char text[16];

	if (a->cut) {
		format__pct(text, sizeof(text), percent(a->cut, a->nodes[0].value));
		headline__addf(l, ROLE_WARN, " · %s%% of the stacks end early here", text);
	}
	if (a->error_pct > 0) {
		format__pct(text, sizeof(text), a->error_pct);
		headline__addf(l, ROLE_DIM, " · sampled: shares within %s points", text);
	}
	if (s->hidden) {
		format__count(text, sizeof(text), s->hidden);
		headline__addf(l, ROLE_DIM, " · %s boxes too narrow", text);
	}
}

/* Where colours come from, and what cannot be seen by them. */
static void add_baseline(struct headline *l, const struct flame_result *a)
{
	char pct[16];

	if (!a->compared)
		return;
	headline__add(l, ROLE_STRONG, a->query.by_baseline ? " · wide as then:" : " · baseline:");
	headline__add(l, ROLE_HOT, " +grew");
	headline__add(l, ROLE_COOL, " -shrank");
	if (!a->gone)
		return;
	format__pct(pct, sizeof(pct), percent(a->gone, a->nodes[0].baseline));
	headline__addf(l, ROLE_COOL, ", %s%% gone", pct);
}

void flame__headline(struct flame_screen *s, struct canvas *c, struct rect r)
{
	const struct flame_result *a = s->result;
	const struct flame_weight weight =
		flame_source__weight(s->query.parts[0].source, s->query.parts[0].query);
	struct headline l = {c, r, r.x};
	char text[64];

	headline__add(&l, ROLE_STRONG,
		      s->query.nparts > 1 ? "on and off the CPU" : weight.what);
	headline__addf(&l, ROLE_DIM, " · %s", window_words(&s->query));
	if (!a)
		return;
	weight_text(a, a->nodes[0].value, text, sizeof(text));
	headline__addf(&l, ROLE_DIM, " · %s", text);
	if (a->query.nparts > 1) {
		weight_text(a, a->nodes[0].cold, text, sizeof(text));
		headline__addf(&l, ROLE_COOL, ", %s off the CPU", text);
	}
	add_baseline(&l, a);
	if (a->missing)
		headline__addf(&l, ROLE_WARN, " · waiting for %s", a->missing);
	add_search(&l, a, s->graph.zoom);
	headline__addf(&l, ROLE_DIM, " · %llu stacks", (unsigned long long)a->stacks);
	add_modes(&l, s);
	add_missing(&l, s);
}

void flame__empty(const struct flame_screen *s, char *buf, size_t size)
{
	const struct frame *f = host__frame(s->base.host);
	const struct feed *feed = f ? &f->feeds[s->ask.model] : NULL;
	char key[16];

	if (feed && feed->state == FEED_FAILED)
		snprintf(buf, size, "there is nothing to show: %s", feed->reason);
	else if (!s->result)
		snprintf(buf, size, "looking ...");
	else
		snprintf(buf, size, "no stacks in this window and scope (%s widens the window)",
			 host__key(s->base.host, ACTION_WINDOW, key, sizeof(key)));
}

/* --- what is selected --- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Where its code is from, once somebody has looked; it is asked for when the selection stays. */
static void source_line(const struct flame_screen *s, u32 func, char *buf, size_t size)
{
	const struct frame *f = host__frame(s->base.host);
	const struct annotation *code;

	*buf = '\0';
	if (!func || !f || s->asked_func != func || s->asked_func_seq >= f->seq)
		return;
	code = symbols__annotate(host__symbols(s->base.host), func);
	if (!code)
		return;
	for (u32 i = 0; i < code->ninsns && !*buf; i++)
		if (code->insns[i].file && !code->insns[i].inlined)
			snprintf(buf, size, " · %s:%u", base_name(code->insns[i].file),
				 code->insns[i].line);
	annotation__put(code);
}

/* "(then 12.34%, +5.60)" */
static void then_text(const struct flame_result *a, u32 node, char *buf, size_t size)
{
	double change = flame__change(a, node);
	char share[16], points[16];

	format__pct(share, sizeof(share), percent(a->nodes[node].baseline, a->nodes[0].baseline));
	format__pct(points, sizeof(points), change < 0 ? -change : change);
	snprintf(buf, size, "(then %s%%, %s%s)", share, change < 0 ? "-" : "+", points);
}

void flame__selection(const struct screen *base, char *buf, size_t size)
{
	const struct flame_screen *s = (const struct flame_screen *)base;
	const struct flame_result *a = s->result;
	const struct flame_node *n, *parent;
	const struct flame_frame *f;
	char all[16], own[16], of[64], weight[64], line[200], cold[80] = "";

	*buf = '\0';
	if (!a || !flame_node__width(a, &a->nodes[0]) || s->graph.selected >= a->nnodes)
		return;
	n = &a->nodes[s->graph.selected];
	f = &a->frames[n->frame];
	parent = n->parent == UINT32_MAX ? n : &a->nodes[n->parent];
	format__pct(all, sizeof(all), percent(n->value, a->nodes[0].value));
	format__pct(of, sizeof(of), percent(n->value, parent->value));
	format__pct(own, sizeof(own), percent(n->self, a->nodes[0].value));
	weight_text(a, n->value, weight, sizeof(weight));
	source_line(s, f->func, line, sizeof(line));
	if (a->query.nparts > 1) {
		char time[16];

		format__ns(time, sizeof(time), n->cold);
		snprintf(cold, sizeof(cold), ", %s off the CPU", time);
	}
	if (a->compared) {
		then_text(a, s->graph.selected, of, sizeof(of));
		snprintf(buf, size, "%s  %s%s%s%% %s · %s%s%s", f->name, f->object_name,
			 *f->object_name ? "  " : "", all, of, weight, cold, line);
		return;
	}
	snprintf(buf, size, "%s  %s%s%s%% · %s%% of parent · %s%s · self %s%%%s", f->name,
		 f->object_name, *f->object_name ? "  " : "", all, of, weight, cold, own, line);
}

/* --- files --- */

static void report_stacks(const struct report *r,
			  void (*emit)(void *ctx, const struct value_frame *frames, u32 n,
				       u64 weight),
			  void *ctx)
{
	const struct flame_screen *s = r->stacks_of;

	flame__stacks(s->result, s->graph.zoom, emit, ctx);
}

static void report_baseline(const struct report *r,
			    void (*emit)(void *ctx, const struct value_frame *frames, u32 n,
					 u64 weight),
			    void *ctx)
{
	const struct flame_screen *s = r->stacks_of;

	flame__baseline_stacks(s->result, s->graph.zoom, emit, ctx);
}

/* What is shown: the zoom, in the order it is merged. */
bool flame__screen_report(struct screen *base, struct report *r)
{
	struct flame_screen *s = (struct flame_screen *)base;
	const struct flame_result *a = s->result;
	const struct frame *f = host__frame(base->host);
	const struct scope *scope = s->query_client.extra_scope;

	if (!a || !f || !a->nodes[0].value)
		return false;
	flame_rows__free(s->rows);
	s->rows = flame_rows__new(a, s->graph.zoom);
	*r = (struct report){
		.view = s->view,
		.seq = f->seq,
		.t0_ns = a->base.since_ns,
		.t1_ns = a->base.snap->t1_ns,
		.scope = (scope ? scope : host__scope(base->host))->text,
		.window = window_words(&a->query),
		.group = a->query.leaf_first ? "leaf first" : "root first",
		.health = f->feeds[s->ask.model].health,
		.rows = &s->rows->table,
		.stacks = report_stacks,
		.stacks_of = s,
		.stacks_unit = a->unit,
		.stacks_noun = a->noun,
		.folded = flame__folded,
	};
	if (a->compared) {
		r->baseline_stacks = report_baseline;
		report__sum_number(r, "then", a->unit, a->nodes[0].baseline);
		report__sum_number(r, "gone", a->unit, a->gone);
	}
	r->health.truncated_pct = a->truncated_pct;
	report__sum_number(r, "total", a->unit, a->nodes[0].value);
	report__sum_number(r, "stacks", VALUE_COUNT, a->stacks);
	report__sum_number(r, "cut", a->unit, a->cut);
	report__sum(r, "error_pct", (struct value){.type = VALUE_PCT, .f = a->error_pct});
	if (a->query.search[0])
		report__sum_number(r, "matched", a->unit, flame__matched(a, s->graph.zoom));
	return true;
}
