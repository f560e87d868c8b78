// SPDX-License-Identifier: GPL-2.0-only
/* What the heat map says in words: its axes, above it, of what is selected, in files. */
#include <stdio.h>

#include "base/arena.h"
#include "base/hosts.h"
#include "export/export.h"
#include "tui/views/headline.h"
#include "tui/views/heat.h"
#include "tui/views/listing.h"

/* --- numbers --- */

static const struct {
	const char *name;
	u64 ns;
} units[] = {{"s", NSEC_PER_SEC}, {"ms", NSEC_PER_MSEC}, {"us", 1000}, {"ns", 1}};

static void heat__time(char *buf, size_t size, u64 ns)
{
	u32 u = 0;

	while (u + 1 < ARRAY_SIZE(units) && ns < units[u].ns)
		u++;
	if (!ns)
		snprintf(buf, size, "0");
	else if (ns >= 1000 * NSEC_PER_SEC)
		snprintf(buf, size, "%llus", (unsigned long long)(ns / NSEC_PER_SEC));
	else
		snprintf(buf, size, "%.3g%s", (double)ns / (double)units[u].ns, units[u].name);
}

/* How long ago: "90s", "2m30s". */
static void ago_text(char *buf, size_t size, u64 ns)
{
	u64 s = ns / NSEC_PER_SEC;

	if (s < 100)
		heat__time(buf, size, ns);
	else if (s % 60)
		snprintf(buf, size, "%llum%02us", (unsigned long long)(s / 60), (u32)(s % 60));
	else
		snprintf(buf, size, "%llum", (unsigned long long)(s / 60));
}

static u64 before(u64 now_ns, u64 ns)
{
	return now_ns > ns ? now_ns - ns : 0;
}

/* Whole tenths, as timers are not exact. */
static u64 rounded(u64 ns)
{
	return (ns + 50 * NSEC_PER_MSEC) / (100 * NSEC_PER_MSEC) * (100 * NSEC_PER_MSEC);
}

void heat__range(char *buf, size_t size, const struct heat_range *r)
{
	char lo[16], hi[16];

	heat__time(lo, sizeof(lo), r->lo_ns);
	heat__time(hi, sizeof(hi), r->hi_ns);
	if (r->hi_ns == UINT64_MAX)
		snprintf(buf, size, "%s and more", lo);
	else
		snprintf(buf, size, "%s to %s", lo, hi);
}

static void heat_pick__text(const struct heat_pick *p, u64 now_ns, char *buf, size_t size)
{
	char range[64], from[16], to[16];

	heat__range(range, sizeof(range), &p->range);
	ago_text(from, sizeof(from), rounded(before(now_ns, p->range.t0_ns)));
	ago_text(to, sizeof(to), rounded(before(now_ns, p->range.t1_ns)));
	if (before(now_ns, p->range.t1_ns))
		snprintf(buf, size, "%s, %s to %s ago", range, from, to);
	else
		snprintf(buf, size, "%s, the last %s", range, from);
}

void heat_pick__headline(const struct heat_pick *p, const struct listing *l, u32 kept,
			 const char *noun, struct headline *line)
{
	const struct frame *f = host__frame(l->base.host);
	const struct snap *snap = f ? f->snaps[l->ops->ask.model] : NULL;
	char where[128], all[16];

	heat_pick__text(p, snap ? snap->t1_ns : p->range.t1_ns, where, sizeof(where));
	format__count(all, sizeof(all), p->count);
	headline__addf(line, ROLE_STRONG, "%s", where);
	headline__addf(line, kept < p->count ? ROLE_WARN : ROLE_DIM, " · %u of %s %s are kept",
		       kept, all, noun);
}

/* --- axes --- */

#define ROWS_APART 2  /* lines between labels of rows */
#define COLS_APART 10 /* columns between labels of columns */

/* The row that begins at 0 is not one of any power. */
static bool has_row(const struct heat_grid *g, u64 ns)
{
	if (ns < g->edges[0] || (ns && !g->edges[0] && ns < g->edges[1]))
		return false;
	return g->open ? ns <= g->edges[g->nrows] : ns < g->edges[g->nrows];
}

static void add_row(struct heat_ticks *t, const struct heat_grid *g, u64 ns)
{
	char *text = t->text[t->nrows];

	if (t->nrows == HEAT_TICKS || !has_row(g, ns))
		return;
	heat__time(text, sizeof(t->text[0]), ns);
	t->rows[t->nrows++] = (struct heatmap_tick){heat_grid__row(g, ns), text};
}

/* Lines of the screen between two durations. */
static u32 lines_between(const struct heat_grid *g, u64 a, u64 b, u32 by)
{
	return (heat_grid__row(g, b) - heat_grid__row(g, a)) / by;
}

/* Powers of ten; what lies between them where there is room. */
static void log_rows(struct heat_ticks *t, const struct heat_grid *g, u32 by)
{
	static const u8 between[] = {3, 2, 5};
	u64 middle = g->edges[g->nrows / 2];

	add_row(t, g, 0);
	for (u64 ns = 1; ns <= 1000000000000ULL; ns *= 10)
		add_row(t, g, ns);
	for (u32 i = 0; i < ARRAY_SIZE(between); i++) {
		u32 lines = lines_between(g, middle, middle * 10, by);

		/* One between two; or two of them. */
		if (!i ? lines < 5 || lines >= 8 : lines < 8)
			continue;
		for (u64 ns = 1; ns <= 100000000000ULL; ns *= 10)
			add_row(t, g, ns * between[i]);
	}
}

static void linear_rows(struct heat_ticks *t, const struct heat_grid *g, u32 by)
{
	u32 step = ROWS_APART * by;

	for (u32 r = 0; r + 1 < g->nrows; r += step)
		add_row(t, g, g->edges[r]);
	if (g->nrows > step)
		add_row(t, g, g->edges[g->nrows - 1]);
}

/* Steps of time that are read easily. */
static u64 step_of(const struct heat_grid *g)
{
	static const u16 seconds[] = {1, 2, 5, 10, 15, 30, 60, 120, 300};
	u64 column = 1, least;

	for (u32 i = 0; i < g->ncols; i++)
		column = MAX(column, g->cols[i].t1_ns - g->cols[i].t0_ns);
	least = column * COLS_APART;
	for (u32 i = 0; i < ARRAY_SIZE(seconds); i++)
		if (seconds[i] * NSEC_PER_SEC >= least)
			return seconds[i] * NSEC_PER_SEC;
	return (least / (600 * NSEC_PER_SEC) + 1) * 600 * NSEC_PER_SEC;
}

static void add_col(struct heat_ticks *t, u32 col, u64 ago_ns)
{
	char *text = t->text[HEAT_TICKS + t->ncols];

	if (t->ncols == HEAT_TICKS)
		return;
	*text = '-';
	ago_text(text + 1, sizeof(t->text[0]) - 1, ago_ns);
	if (!ago_ns)
		copy_str(text, sizeof(t->text[0]), "now");
	t->cols[t->ncols++] = (struct heatmap_tick){col, text};
}

/* From the newest back, each at the column that begins so long ago. */
static void make_cols(struct heat_ticks *t, const struct heat_grid *g)
{
	u64 step = step_of(g), next = step;

	if (g->cols[g->ncols - 1].t1_ns == g->now_ns)
		add_col(t, g->ncols - 1, 0);
	for (u32 i = g->ncols; i--;) {
		const struct heat_grid_column *c = &g->cols[i];
		u64 ago = rounded(before(g->now_ns, c->t0_ns));

		if (!c->t1_ns || ago < next)
			continue;
		next = (ago / step + 1) * step;
		add_col(t, i, ago / step * step);
	}
}

void heat_ticks__make(struct heat_ticks *t, const struct heat_grid *g, u32 rows_a_cell)
{
	t->nrows = t->ncols = 0;
	if (g->linear)
		linear_rows(t, g, rows_a_cell);
	else
		log_rows(t, g, rows_a_cell);
	make_cols(t, g);
}

/* --- above it --- */

static const char *kind_name(const struct heat_screen *s)
{
	return s->view->source->kinds[s->query.kind].name;
}

static const char *key_of(const struct heat_screen *s, enum action a, char buf[16])
{
	return host__key(s->base.host, a, buf, 16);
}

/* What was counted is not what is asked for now. */
static void add_notes(struct headline *l, const struct heat_screen *s)
{
	const struct scope *scope = host__scope(s->base.host);
	u32 other = scope__terms(scope) & ~s->view->source->terms;
	char text[64];

	if (s->query_client.extra_scope)
		headline__addf(l, ROLE_WARN, " · of all, not of %s alone", s->narrowed);
	if (other)
		headline__addf(l, ROLE_WARN, " · not filtered by %s",
			       scope__term_names(scope, other, text, sizeof(text)));
	if (hosts__several() && scope__has_label(scope, HOST_LABEL))
		headline__addf(l, ROLE_WARN, " · of all hosts");
	if (s->result && s->result->left_out) {
		format__count(text, sizeof(text), s->result->left_out);
		headline__addf(l, ROLE_WARN, " · %s are left out", text);
	}
}

static void add_span(struct headline *l, const struct heat_screen *s)
{
	const struct heat_result *a = s->result;
	const struct heat_grid *g = &s->grid;
	char text[16], key[16];

	format__count(text, sizeof(text), a->count);
	headline__addf(l, ROLE_DIM, " · %s", text);
	ago_text(text, sizeof(text), rounded(before(g->now_ns, a->times[0].t0_ns)));
	headline__addf(l, ROLE_DIM, " in %s", text);
	headline__addf(l, ROLE_DIM, " · %s [%s]", g->linear ? "linear" : "log",
		       key_of(s, ACTION_SCALE, key));
	if (g->slots == 1)
		headline__add(l, ROLE_DIM, " · one column an interval");
	else
		headline__addf(l, ROLE_DIM, " · %u intervals a column", g->slots);
}

void heat__headline(const struct heat_screen *s, struct canvas *c, struct rect r)
{
	const struct heat_source *source = s->view->source;
	const struct heat_result *a = s->result;
	struct headline l = {c, r, r.x};
	char key[16];

	headline__add(&l, ROLE_STRONG, kind_name(s));
	if (source->nkinds > 1)
		headline__addf(&l, ROLE_DIM, " [%s]", key_of(s, ACTION_STAGE, key));
	if (a && a->nparts) {
		headline__addf(&l, ROLE_STRONG, " · %s",
			       *a->part_name ? a->part_name : source->all_parts);
		headline__addf(&l, ROLE_DIM, " [%s]", key_of(s, ACTION_HEAT_PART, key));
	}
	add_notes(&l, s);
	if (s->grid.ncols)
		add_span(&l, s);
}

void heat__empty(const struct heat_screen *s, char *buf, size_t size)
{
	const struct frame *f = host__frame(s->base.host);
	const struct feed *feed = f ? &f->feeds[s->ask.model] : NULL;

	if (feed && feed->state == FEED_FAILED)
		snprintf(buf, size, "there is nothing to show: %s", feed->reason);
	else if (!s->result)
		snprintf(buf, size, "looking ...");
	else
		snprintf(buf, size, "none has ended in the %llu s that were watched: %s",
			 (unsigned long long)((s->result->base.snap->t1_ns -
					       s->result->base.since_ns) /
					      NSEC_PER_SEC),
			 kind_name(s));
}

/* --- what is selected --- */

static double percent(double part, double whole)
{
	return whole > 0 ? part * 100 / whole : 0;
}

static void cell_text(const struct heat_screen *s, u32 col, u32 row, char *buf, size_t size)
{
	const struct heat_grid *g = &s->grid;
	const struct heat_grid_column *c = &g->cols[col];
	double n = (double)heat_grid__n(g, col, row);
	const struct heat_pick p = {
		.range = {c->t0_ns, c->t1_ns, g->edges[row],
			  row + 1 == g->nrows && g->open ? UINT64_MAX : g->edges[row + 1]}};
	char where[128], count[16], share[16], all[16];

	heat_pick__text(&p, g->now_ns, where, sizeof(where));
	format__count(count, sizeof(count), (u64)(n + 0.5));
	format__pct(share, sizeof(share), percent(n, c->count));
	format__pct(all, sizeof(all), percent(n, (double)s->result->count));
	snprintf(buf, size, "%s: %s%s %s, %s%% of that time's, %s%% of all", where,
		 g->linear ? "about " : "", count, s->view->source->kinds[s->query.kind].noun,
		 share, all);
}

void heat__selection(const struct screen *base, char *buf, size_t size)
{
	const struct heat_screen *s = (const struct heat_screen *)base;
	u32 col, row;

	*buf = '\0';
	if (!s->grid.ncols)
		return;
	if (!heat__picked(s, &col, &row))
		snprintf(buf, size, "arrows or a click select a cell");
	else if (!s->grid.cols[col].t1_ns)
		snprintf(buf, size, "nobody watched at that time");
	else
		cell_text(s, col, row, buf, size);
}

/* --- files --- */

bool heat__report(struct screen *base, struct report *r)
{
	struct heat_screen *s = (struct heat_screen *)base;
	const struct heat_result *a = s->result;
	const struct frame *f = host__frame(base->host);

	if (!a || !f)
		return false;
	snprintf(s->group, sizeof(s->group), "%s%s%s", kind_name(s), *a->part_name ? ", " : "",
		 a->part_name);
	*r = (struct report){
		.view = s->name,
		.seq = f->seq,
		.t0_ns = a->base.since_ns,
		.t1_ns = a->base.snap->t1_ns,
		.scope = host__scope(base->host)->text,
		.window = "as far as kept",
		.group = s->group,
		.health = f->feeds[s->ask.model].health,
		.rows = &a->base.table,
	};
	report__sum_number(r, "count", VALUE_COUNT, a->count);
	report__sum_number(r, "left_out", VALUE_COUNT, a->left_out);
	return true;
}
