// SPDX-License-Identifier: GPL-2.0-only
/* The screen: time by latency, with a cell that can be picked, while it goes on. */
#include "tui/views/heat.h"

#include <stdio.h>

#include "base/arena.h"
#include "widgets/paragraph.h"

static struct heat_screen *of(struct screen *base)
{
	return container_of(base, struct heat_screen, base);
}

/* --- asking --- */

static struct query_result *heat__run(const struct frame *f, const void *query,
				      const struct scope *scope)
{
	(void)scope; /* counts are of what was in scope when they were made */
	return &heat__query(f, query)->base;
}

static void heat__ready(void *owner, struct query_result *result)
{
	struct heat_screen *s = owner;

	query_result__free(s->result ? &s->result->base : NULL);
	s->result = container_of(result, struct heat_result, base);
	host__redraw(s->base.host);
}

static void heat__update(struct screen *base)
{
	struct heat_screen *s = of(base);

	query_client__ask(&s->query_client, &s->query);
}

/* --- drawing --- */

/* What is drawn into, as far as finding cells is concerned. */
static struct canvas canvas_of(const struct heat_screen *s)
{
	return (struct canvas){.edges = s->edges, .ascii = s->ascii};
}

static bool *gaps_of(const struct heat_grid *g)
{
	bool *gaps = xcalloc(g->ncols, sizeof(*gaps));

	for (u32 i = 0; i < g->ncols; i++)
		gaps[i] = !g->cols[i].t1_ns;
	return gaps;
}

bool heat__picked(const struct heat_screen *s, u32 *col, u32 *row)
{
	const struct heat_grid *g = &s->grid;

	if (!s->at.on || !g->ncols)
		return false;
	*col = heat_grid__col(g, s->at.newest ? g->newest : s->at.slot);
	*row = heat_grid__row(g, s->at.ns);
	return true;
}

static struct heatmap map_of(const struct heat_grid *g)
{
	return (struct heatmap){
		.ncols = g->ncols,
		.nrows = g->nrows,
		.n = g->n,
		.max = g->max,
		.col = HEATMAP_NONE,
		.row = HEATMAP_NONE,
	};
}

void heat_grid__draw(const struct heat_grid *g, u32 col, u32 row, struct canvas *c, struct rect r)
{
	struct heatmap map = map_of(g);
	bool *gaps = gaps_of(g);
	struct heat_ticks ticks;

	heat_ticks__make(&ticks, g, heatmap__rows_a_cell(c));
	map.col = col;
	map.row = row;
	map.gaps = gaps;
	map.row_ticks = ticks.rows;
	map.nrow_ticks = ticks.nrows;
	map.col_ticks = ticks.cols;
	map.ncol_ticks = ticks.ncols;
	map.what = "count";
	heatmap__draw(&map, c, r);
	free(gaps);
}

static void heat__draw(struct screen *base, struct canvas *c, struct rect area)
{
	struct heat_screen *s = of(base);
	u32 col = HEATMAP_NONE, row = HEATMAP_NONE;
	char text[700];

	s->area = (struct rect){area.x, area.y + 1, area.w, MAX(area.h - 1, 0)};
	s->edges = c->edges;
	s->ascii = c->ascii;
	heat_grid__fini(&s->grid);
	heatmap__room(c, s->area, &s->axes.width, &s->axes.height);
	s->axes.has_slot = s->at.on && !s->at.newest;
	s->axes.slot = s->at.slot;
	if (s->result)
		heat_grid__make(&s->grid, s->result, &s->axes);
	heat__headline(s, c, (struct rect){area.x, area.y, area.w, 1});
	if (s->grid.ncols) {
		heat__picked(s, &col, &row);
		heat_grid__draw(&s->grid, col, row, c, s->area);
		return;
	}
	heat__empty(s, text, sizeof(text));
	draw__paragraph(c, (struct rect){area.x + 1, area.y + 2, area.w - 2, area.h - 2}, ROLE_TEXT,
			text);
}

/* --- moving --- */

static void pick(struct heat_screen *s, u32 col, u32 row)
{
	const struct heat_grid *g = &s->grid;

	s->at = (struct heat_place){.on = true,
				    .newest = col + 1 == g->ncols,
				    .slot = g->cols[col].slot,
				    .ns = g->edges[row]};
	/* The newest column may have begun before the map is cut anew. */
	s->at.newest &= heat_grid__col(g, g->newest) == col;
}

static u32 most_in(const struct heat_grid *g, u32 col)
{
	u32 best = 0;

	for (u32 r = 1; r < g->nrows; r++)
		if (heat_grid__n(g, col, r) > heat_grid__n(g, col, best))
			best = r;
	return best;
}

/* The first move picks the newest column's most frequent row. */
static bool begin(struct heat_screen *s)
{
	const struct heat_grid *g = &s->grid;

	if (s->at.on)
		return false;
	pick(s, g->ncols - 1, most_in(g, g->ncols - 1));
	return true;
}

/* Beyond the left border is what is not in sight. */
static void move_left(struct heat_screen *s, u32 by)
{
	const struct heat_grid *g = &s->grid;
	u32 col = 0, row = 0;
	u64 slot;

	heat__picked(s, &col, &row);
	if (col >= by) {
		pick(s, col - by, row);
		return;
	}
	slot = g->cols[0].slot;
	pick(s, 0, row);
	s->at.slot = slot - MIN(slot - g->oldest, (u64)(by - col) * g->slots);
	s->at.newest = false;
}

static void move_right(struct heat_screen *s, u32 by)
{
	const struct heat_grid *g = &s->grid;
	u32 col = 0, row = 0;

	heat__picked(s, &col, &row);
	if (col + by < g->ncols) {
		pick(s, col + by, row);
		return;
	}
	pick(s, g->ncols - 1, row);
	s->at.slot = MIN(g->cols[g->ncols - 1].slot + (u64)(col + by + 1 - g->ncols) * g->slots,
			 g->newest);
	s->at.newest = s->at.slot / g->slots == g->newest / g->slots;
}

static void move_rows(struct heat_screen *s, int by)
{
	u32 col = 0, row = 0;

	heat__picked(s, &col, &row);
	pick(s, col, (u32)CLAMP((int)row + by, 0, (int)s->grid.nrows - 1));
}

static bool move(struct heat_screen *s, enum action a)
{
	const struct heat_grid *g = &s->grid;
	int page = MAX((int)g->nrows / 4, 1);
	u32 col = 0, row = 0;

	switch (a) {
	case ACTION_UP:
	case ACTION_PAGE_UP:
		if (!begin(s))
			move_rows(s, a == ACTION_UP ? 1 : page);
		return true;
	case ACTION_DOWN:
	case ACTION_PAGE_DOWN:
		if (!begin(s))
			move_rows(s, a == ACTION_DOWN ? -1 : -page);
		return true;
	case ACTION_LEFT:
		if (!begin(s))
			move_left(s, 1);
		return true;
	case ACTION_RIGHT:
		if (!begin(s))
			move_right(s, 1);
		return true;
	case ACTION_HOME:
	case ACTION_END:
		begin(s);
		heat__picked(s, &col, &row);
		if (a == ACTION_HOME)
			move_left(s, UINT32_MAX / 2);
		else
			move_right(s, UINT32_MAX / 2);
		return true;
	default:
		return false;
	}
}

/* --- what was in a cell --- */

static bool list_cell(struct heat_screen *s)
{
	const struct heat_grid *g = &s->grid;
	struct heat_pick p = {.kind = s->query.kind, .part = s->query.part};
	struct screen *next;
	u32 col = 0, row = 0;

	if (begin(s))
		return true;
	heat__picked(s, &col, &row);
	p.count = (u64)((double)heat_grid__n(g, col, row) + 0.5);
	p.newest = col + 1 == g->ncols && g->slots == 1;
	p.range = (struct heat_range){g->cols[col].t0_ns, g->cols[col].t1_ns, g->edges[row],
				      row + 1 == g->nrows && g->open ? UINT64_MAX
								     : g->edges[row + 1]};
	if (!p.count || !p.range.t1_ns) {
		host__message(s->base.host, ROLE_WARN,
			      p.range.t1_ns ? "nothing was in this cell"
					    : "nobody watched at that time");
		return true;
	}
	next = s->view->list(s->view, s->base.host, s->query.view, &p,
			     s->query_client.extra_scope);
	if (next)
		host__push(s->base.host, next);
	return true;
}

/* --- what is asked for --- */

static bool next_kind(struct heat_screen *s)
{
	if (s->view->source->nkinds == 1)
		host__message(s->base.host, ROLE_WARN, "there is one kind of time here");
	s->query.kind = (s->query.kind + 1) % s->view->source->nkinds;
	return true;
}

/* All, then one after the other. */
static bool next_part(struct heat_screen *s)
{
	u32 i = 0;

	if (!s->result || !s->result->nparts) {
		host__message(s->base.host, ROLE_WARN, "these counts have no parts");
		return true;
	}
	while (s->query.part && i < s->result->nparts && s->result->parts[i] != s->query.part)
		i++;
	i += s->query.part != 0;
	s->query.part = i < s->result->nparts ? s->result->parts[i] : 0;
	return true;
}

/* Half or twice as much time; out again until all is in sight. */
static bool zoom(struct heat_screen *s, bool in)
{
	struct heat_grid *g = &s->grid;
	u32 slots = g->slots;

	if (in)
		slots = slots == 3 || slots == 5 || slots == 15 ? (slots + 1) / 2
								: MAX(slots / 2, 1u);
	else
		slots *= 2;
	s->axes.slots = !in && (g->newest - g->oldest) / slots < s->axes.width ? 0 : slots;
	return true;
}

static bool scale(struct heat_screen *s)
{
	s->axes.linear = !s->axes.linear;
	return true;
}

static bool heat__action(struct screen *base, enum action a)
{
	struct heat_screen *s = of(base);

	switch (a) {
	case ACTION_HEATMAP:
		host__pop(base->host);
		return true;
	case ACTION_STAGE:
		return next_kind(s);
	case ACTION_HEAT_PART:
		return next_part(s);
	case ACTION_SCALE:
		return scale(s);
	default:
		break;
	}
	if (!s->grid.ncols)
		return false;
	switch (a) {
	case ACTION_ZOOM_IN:
	case ACTION_ZOOM_OUT:
		return zoom(s, a == ACTION_ZOOM_IN);
	case ACTION_DRILL:
		return list_cell(s);
	case ACTION_BACK:
		if (!s->at.on)
			return false;
		s->at.on = false;
		return true;
	default:
		return move(s, a);
	}
}

static void heat__mouse(struct screen *base, const struct input *in)
{
	struct heat_screen *s = of(base);
	struct heatmap map = map_of(&s->grid);
	struct canvas c = canvas_of(s);
	u32 col = 0, row = 0;

	if (!s->grid.ncols)
		return;
	if (in->mouse == MOUSE_WHEEL_UP || in->mouse == MOUSE_WHEEL_DOWN) {
		zoom(s, in->mouse == MOUSE_WHEEL_UP);
		return;
	}
	if (!heatmap__at(&map, &c, s->area, in->x, in->y, &col, &row))
		return;
	pick(s, col, row);
	if (in->mouse == MOUSE_DOUBLE)
		list_cell(s);
}

/* --- the screen --- */

static void heat__crumb(const struct screen *base, char *buf, size_t size)
{
	snprintf(buf, size, "heat map");
}

static bool heat__settled(const struct screen *base)
{
	return !query_client__busy(&((const struct heat_screen *)base)->query_client);
}

static void heat__free(struct screen *base)
{
	struct heat_screen *s = of(base);

	query_client__fini(&s->query_client);
	heat_grid__fini(&s->grid);
	query_result__free(s->result ? &s->result->base : NULL);
	free(s);
}

#define HEAT_SCREEN(...)                                                                           \
	.section = "heat", .free = heat__free, .update = heat__update, .draw = heat__draw,         \
	.action = heat__action, .mouse = heat__mouse, .crumb = heat__crumb,                        \
	.selection = heat__selection, .report = heat__report, .settled = heat__settled,            \
	.hints = (const enum action[])                                                             \
	{                                                                                          \
		ACTION_DRILL, ACTION_BACK, ACTION_STAGE, __VA_ARGS__ ACTION_SCALE, ACTION_ZOOM_IN, \
			ACTION_ZOOM_OUT, ACTION_PAUSE, ACTION_SNAPSHOT, ACTION_NONE                \
	}

static const struct screen_ops heat_ops = {HEAT_SCREEN()};
/* Of counts that have parts. */
static const struct screen_ops parts_ops = {HEAT_SCREEN(ACTION_HEAT_PART, )};

struct screen *heat__open(struct host *h, const struct heat_view *view, const void *query,
			  const char *narrowed, const struct scope *scope)
{
	struct heat_screen *s = xcalloc(1, sizeof(*s));

	s->base = (struct screen){.ops = view->source->parts ? &parts_ops : &heat_ops, .host = h};
	s->view = view;
	s->ask = (struct query_client_ops){
		.size = sizeof(s->query), .model = view->source->model, .run = heat__run};
	heat_query__init(&s->query, view->source, query);
	snprintf(s->name, sizeof(s->name), "%s-heat", view->source->view);
	copy_str(s->narrowed, sizeof(s->narrowed), narrowed);
	query_client__init(&s->query_client, h, &s->ask, s, heat__ready);
	s->query_client.extra_scope = scope ? scope__get(scope) : NULL;
	return &s->base;
}
