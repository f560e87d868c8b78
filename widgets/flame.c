// SPDX-License-Identifier: GPL-2.0-only
#include "widgets/flame.h"

#include <math.h>

#include "base/arena.h"
#include "widgets/text.h"

#define EIGHTHS	   8
#define LEFT_BLOCK 0x2588 /* + 0..7: 8 - n eighths from the left */
#define LABEL_MIN  4	  /* cells; the beginning of a name says nothing in less */
#define SHADES	   3

/* What is seen of a box: [from, to) in eighths of a cell, or where its cells are whole, too. */
struct span {
	int from, to;
};

/* One that is visited, with where it lies. */
struct seen {
	u32 i;
	struct flame_box box;
	struct span span;
};

struct visitor {
	void (*visit)(struct visitor *v, const struct seen *s);
	u32 deepest; /* what is deeper is not visited */
	u32 hidden;  /* too narrow, with what is in them */
};

static bool has_edges(const struct canvas *c)
{
	return c->edges || c->ascii;
}

/* --- where boxes lie --- */

struct scale {
	u64 start, value;
	int width, unit; /* eighths; what edges are multiples of */
};

static struct scale scale_of(const struct flame_graph *g, const struct canvas *c, int w)
{
	struct flame_box zoom;

	g->box(g->of, g->zoom, &zoom);
	return (struct scale){zoom.start, zoom.value, w * EIGHTHS, has_edges(c) ? EIGHTHS : 1};
}

static int edge(const struct scale *s, u64 at)
{
	double part = s->value ? (double)(at - s->start) / (double)s->value : 0;

	return (int)(part * (s->width / s->unit) + 0.5) * s->unit;
}

static struct span span_of(const struct scale *s, const struct flame_box *b)
{
	return (struct span){edge(s, b->start), edge(s, b->start + b->value)};
}

/* --- visiting: what zoom is in, then what is in zoom, each before its children --- */

static void visit_above(const struct flame_graph *g, const struct scale *s, struct visitor *v)
{
	struct seen seen = {.span = {0, s->width}};

	for (u32 i = 0; i < g->zoom;) {
		g->box(g->of, i, &seen.box);
		if (seen.box.end <= g->zoom) {
			i = seen.box.end;
			continue;
		}
		seen.i = i++;
		if (seen.box.depth <= v->deepest)
			v->visit(v, &seen);
	}
}

static void visit(const struct flame_graph *g, const struct scale *s, struct visitor *v)
{
	struct seen seen;
	u32 end;

	visit_above(g, s, v);
	g->box(g->of, g->zoom, &seen.box);
	end = seen.box.end;
	for (seen.i = g->zoom; seen.i < end;) {
		g->box(g->of, seen.i, &seen.box);
		seen.span = span_of(s, &seen.box);
		if (seen.box.depth > v->deepest) {
			seen.i = seen.box.end;
		} else if (seen.span.from >= seen.span.to) {
			v->hidden += seen.box.end - seen.i;
			seen.i = seen.box.end;
		} else {
			v->visit(v, &seen);
			seen.i++;
		}
	}
}

/* --- drawing --- */

struct drawing {
	struct visitor visitor;
	const struct flame_graph *g;
	struct canvas *c;
	struct rect r;
	int eighths; /* in a row */
	u8 *roles;   /* by row and eighth; 0 (ROLE_TEXT): no box */
	double whole;
};

static u8 *row_of(const struct drawing *d, u32 depth)
{
	return d->roles + (size_t)(depth - d->g->first) * (size_t)d->eighths;
}

/* Row on the canvas. */
static int line_of(const struct drawing *d, u32 depth)
{
	int n = (int)(depth - d->g->first);

	return d->g->icicle ? d->r.y + n : d->r.y + d->r.h - 1 - n;
}

static enum role shade_of(enum role first, u8 shade, u8 beside)
{
	enum role role = first + shade % SHADES;

	/* What lies side by side differs. */
	return role == beside ? first + (shade + 1) % SHADES : role;
}

static bool is_seen_change(const struct flame_box *b)
{
	return b->compared && fabs(b->change) >= FLAME_CHANGE_SEEN;
}

static enum role change_role(const struct flame_box *b, u8 beside)
{
	enum role role = b->change > 0 ? ROLE_FLAME_GREW : ROLE_FLAME_SHRANK;

	if (fabs(b->change) >= FLAME_CHANGE_MORE)
		role += fabs(b->change) >= FLAME_CHANGE_MUCH ? 4 : 2;
	/* What lies side by side differs. */
	return role + b->shade % 2 == beside ? role + !(b->shade % 2) : role + b->shade % 2;
}

static enum role role_of(const struct drawing *d, const struct seen *s, u8 beside)
{
	if (s->i == d->g->selected)
		return ROLE_SELECTED;
	if (s->i < d->g->zoom)
		return ROLE_FLAME_ABOVE;
	if (s->box.match)
		return ROLE_FLAME_MATCH;
	if (is_seen_change(&s->box))
		return change_role(&s->box, beside);
	return shade_of(ROLE_FLAME_PLAIN + (s->box.compared ? 0 : s->box.hue * SHADES),
			s->box.shade, beside);
}

/* Where the cold part begins; at a whole cell where the name may be. */
static int cold_from(const struct drawing *d, const struct seen *s)
{
	int w = s->span.to - s->span.from, at;

	if (!s->box.cold || s->i < d->g->zoom || s->i == d->g->selected || s->box.match)
		return s->span.to;
	at = s->span.from +
	     (int)((double)w * (double)(s->box.value - s->box.cold) / (double)s->box.value + 0.5);
	if (w > 2 * EIGHTHS && at != s->span.from && at != s->span.to)
		at = CLAMP((at + EIGHTHS / 2) / EIGHTHS * EIGHTHS, s->span.from, s->span.to);
	return at;
}

static void fill(const struct drawing *d, const struct seen *s)
{
	u8 *row = row_of(d, s->box.depth);
	u8 beside = s->span.from ? row[s->span.from - 1] : 0;
	enum role role = role_of(d, s, beside);
	int cold = cold_from(d, s);

	memset(row + s->span.from, (int)role, (size_t)(cold - s->span.from));
	memset(row + cold, (int)shade_of(ROLE_FLAME_COLD, s->box.shade, beside),
	       (size_t)(s->span.to - cold));
}

/* Its share of all behind the name, and the change of it, where there is room. */
static void draw_share(const struct drawing *d, const struct flame_box *b, int x, int w, int y)
{
	char pct[16], change[16];
	int used;

	if (w < 9 || d->whole <= 0)
		return;
	format__pct(pct, sizeof(pct), (double)b->value * 100 / d->whole);
	used = draw__textf(d->c, x + 1, y, w - 1, ROLE_TEXT, "%s%%", pct) + 1;
	if (w - used < 9 || !is_seen_change(b))
		return;
	format__pct(change, sizeof(change), fabs(b->change));
	draw__textf(d->c, x + used + 1, y, w - used - 1, ROLE_TEXT, "%s%s",
		    b->change > 0 ? "+" : "-", change);
}

static void label(const struct drawing *d, const struct seen *s, int x, int w, int y)
{
	int used;

	if (is_seen_change(&s->box) && w > 1) {
		draw__text(d->c, x++, y, 1, ROLE_TEXT, s->box.change > 0 ? "+" : "-");
		w--;
	}
	if (w < LABEL_MIN && s->box.name[text__fit(s->box.name, w, NULL)])
		return;
	used = w < 24 ? draw__cut(d->c, x, y, w, ROLE_TEXT, s->box.name)
		      : draw__middle(d->c, x, y, w, ROLE_TEXT, s->box.name);
	draw_share(d, &s->box, x + used, w - used, y);
}

/* A line before it, and one behind it, which the next box may have. */
static void draw_edges(const struct drawing *d, const struct span *s, int y)
{
	const char *line = d->c->ascii ? "|" : "▏";
	int from = s->from / EIGHTHS, to = s->to / EIGHTHS;

	draw__text(d->c, d->r.x + from, y, 1, ROLE_TEXT, line);
	if (to < d->r.w)
		draw__text(d->c, d->r.x + to, y, 1, ROLE_TEXT, line);
}

static void draw_box(struct visitor *v, const struct seen *s)
{
	struct drawing *d = container_of(v, struct drawing, visitor);
	int from, to, y;

	if (s->box.depth < d->g->first)
		return;
	y = line_of(d, s->box.depth);
	fill(d, s);
	from = (s->span.from + EIGHTHS - 1) / EIGHTHS;
	to = s->span.to / EIGHTHS;
	if (has_edges(d->c))
		draw_edges(d, &s->span, y), from++;
	if (to > from)
		label(d, s, d->r.x + from, to - from, y);
}

/* The most frequent role of the eighths from `from` on, of those that are not `but`. */
static u8 common_role(const u8 *eighths, int from, int but, int *count)
{
	u8 best = eighths[from];

	*count = 0;
	for (int i = from; i < EIGHTHS; i++) {
		int n = 0;

		for (int k = from; k < EIGHTHS; k++)
			n += eighths[k] == eighths[i];
		if (eighths[i] != but && n > *count) {
			*count = n;
			best = eighths[i];
		}
	}
	return best;
}

/* A cell has two parts: the first box in it, and what is most of the rest. A narrow box with the
 * same on both sides moves to the left. */
static void colour_cell(struct cell *cell, const u8 *eighths)
{
	u8 left = eighths[0], right;
	int run = 1, n;

	while (run < EIGHTHS && eighths[run] == left)
		run++;
	cell->role = left;
	if (run == EIGHTHS)
		return;
	right = common_role(eighths, run, -1, &n);
	if (right == left) {
		left = common_role(eighths, run, right, &n);
		run = n;
	}
	*cell = (struct cell){
		.ch = {LEFT_BLOCK + EIGHTHS - run}, .role = left, .parted = true, .right = right};
}

static void colour(const struct drawing *d)
{
	for (int n = 0; n < d->r.h; n++) {
		int y = line_of(d, d->g->first + (u32)n);
		const u8 *row = d->roles + (size_t)n * (size_t)d->eighths;

		for (int x = 0; x < d->r.w; x++)
			colour_cell(&d->c->cells[y * d->c->w + d->r.x + x], row + x * EIGHTHS);
	}
}

static struct rect clip(const struct canvas *c, struct rect r)
{
	r.w = MIN(r.w, c->w - r.x);
	r.h = MIN(r.h, c->h - r.y);
	return r;
}

u32 flame__draw(const struct flame_graph *g, struct canvas *c, struct rect r)
{
	struct drawing d = {.g = g, .c = c, .r = clip(c, r)};
	struct flame_box root;
	struct scale s;

	if (!g->n || d.r.w <= 0 || d.r.h <= 0)
		return 0;
	g->box(g->of, 0, &root);
	d.whole = (double)root.value;
	d.visitor = (struct visitor){.visit = draw_box, .deepest = g->first + (u32)d.r.h - 1};
	d.eighths = d.r.w * EIGHTHS;
	d.roles = xcalloc((size_t)d.eighths, (size_t)d.r.h);
	s = scale_of(g, c, d.r.w);
	draw__fill(c, d.r, ROLE_TEXT, ' ');
	visit(g, &s, &d.visitor);
	colour(&d);
	free(d.roles);
	return d.visitor.hidden;
}

/* --- finding --- */

struct finding {
	struct visitor visitor;
	u32 depth;
	int at;	 /* eighth; of the box for `beside`: its beginning */
	int dir; /* beside: -1 or 1; 0: the box there */
	u32 found, besides;
	u32 deepest;
};

static void find_box(struct visitor *v, const struct seen *s)
{
	struct finding *f = container_of(v, struct finding, visitor);

	f->deepest = MAX(f->deepest, s->box.depth);
	if (s->box.depth != f->depth)
		return;
	if (!f->dir && s->span.from < f->at + EIGHTHS && s->span.to > f->at) {
		/* Of several in one cell, the one in its middle. */
		if (f->found == FLAME_NO_BOX || s->span.from <= f->at + EIGHTHS / 2)
			f->found = s->i;
	} else if (f->dir < 0 && s->i < f->besides) {
		f->found = s->i;
	} else if (f->dir > 0 && s->i > f->besides && f->found == FLAME_NO_BOX) {
		f->found = s->i;
	}
}

static u32 search(const struct flame_graph *g, const struct canvas *c, int w, struct finding *f)
{
	struct scale s = scale_of(g, c, w);

	f->found = FLAME_NO_BOX;
	f->visitor = (struct visitor){.visit = find_box, .deepest = f->depth};
	visit(g, &s, &f->visitor);
	return f->found;
}

u32 flame__at(const struct flame_graph *g, const struct canvas *c, struct rect r, int x, int y)
{
	struct finding f = {.at = (x - r.x) * EIGHTHS};

	if (!g->n || x < r.x || x >= r.x + r.w || y < r.y || y >= r.y + r.h)
		return FLAME_NO_BOX;
	f.depth = g->first + (u32)(g->icicle ? y - r.y : r.y + r.h - 1 - y);
	return search(g, c, r.w, &f);
}

u32 flame__beside(const struct flame_graph *g, const struct canvas *c, int w, u32 i, int dir)
{
	struct finding f = {.dir = dir, .besides = i};
	struct flame_box box;

	if (!g->n || w <= 0 || i < g->zoom)
		return i;
	g->box(g->of, i, &box);
	f.depth = box.depth;
	return search(g, c, w, &f) == FLAME_NO_BOX ? i : f.found;
}

u32 flame__widest(const struct flame_graph *g, u32 i)
{
	struct flame_box box;
	u32 end, best = i;
	u64 most = 0;

	g->box(g->of, i, &box);
	end = box.end;
	for (u32 k = i + 1; k < end; k = box.end) {
		g->box(g->of, k, &box);
		if (box.value > most) {
			most = box.value;
			best = k;
		}
	}
	return best;
}

u32 flame__depth(const struct flame_graph *g, const struct canvas *c, int w)
{
	struct finding f = {.depth = UINT32_MAX};

	if (g->n && w > 0)
		search(g, c, w, &f);
	return f.deepest;
}
