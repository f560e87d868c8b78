// SPDX-License-Identifier: GPL-2.0-only
#include "tui/views/listing.h"

#include <stdio.h>

#include "base/arena.h"
#include "tui/views/code_role.h"
#include "tui/views/flame.h"
#include "tui/views/heat.h"
#include "tui/views/listing_diff.h"
#include "tui/views/plumbing.h"
#include "tui/views/table_keys.h"
#include "widgets/paragraph.h"

static struct listing *of(const struct screen *s)
{
	return container_of(s, struct listing, base);
}

static u64 row_key(const struct listing *l, u32 row)
{
	return l->shown->table.key(&l->shown->table, row);
}

/* --- the table's callbacks --- */

static u32 row_lines(void *ctx, u32 row)
{
	return fold__lines(&((struct listing *)ctx)->fold, row);
}

static enum role code_role(const struct listing *l, const struct tree_node *n)
{
	const struct sym_func *f;

	if (!n->func)
		return ROLE_DIM;
	f = symbols__func(host__symbols(l->base.host), n->func);
	return code__role(f->kind, n->inlined);
}

static enum role node_role(const struct listing *l, const struct tree_node *n)
{
	if (l->ops->node_role)
		return l->ops->node_role(l, n);
	return n->heading ? ROLE_STRONG : code_role(l, n);
}

static bool node_line(void *ctx, u32 row, u32 line, struct table_child *out)
{
	struct listing *l = ctx;
	u32 node = fold__node(&l->fold, row, line);
	const struct tree_node *n = &l->shown->nodes[node];
	u32 first = plumbing__first(l->shown, node);

	*out = (struct table_child){
		.key = n->key,
		.depth = fold__depth(l->shown, node),
		.last = fold__last(l->shown, row, first),
		.chain = fold__is_only_child(l->shown, first),
		.single = n->nchildren == 1 && !n->heading,
		.has_children = n->nchildren > 0,
		.open = fold__open(&l->fold, n),
		.pct = n->pct,
		.text = plumbing__text(l->shown, node, l->line, sizeof(l->line)),
		.note = n->inlined ? "inlined" : n->object_name,
		.role = node_role(l, n),
	};
	if (l->diff)
		listing__diff_child(l, node, out);
	return true;
}

static enum role cell_role(void *ctx, u32 row, u32 column)
{
	struct listing *l = ctx;

	if (l->diff)
		return listing__diff_role(l, row, column);
	return l->ops->cell_role ? l->ops->cell_role(l, row, column) : ROLE_TEXT;
}

static bool row_open(void *ctx, u64 key)
{
	return fold__row_open(&((struct listing *)ctx)->fold, key);
}

static bool row_unfolds(void *ctx, u32 row)
{
	struct listing *l = ctx;
	struct query_result *before;
	struct listing_place at = listing__enter(l, (struct listing_place){row, UINT32_MAX}, &before);
	bool unfolds = l->ops->unfolds(l, at.row);

	listing__leave(l, before);
	return unfolds;
}

/* Trees come when they are asked for, or with each answer. */
static bool has_trees(const struct listing *l)
{
	return l->ops->at.unfolded || l->shown->trees;
}

/* Rows that have no trees are not drawn as if they could be unfolded. */
struct table_source listing__source(struct listing *l)
{
	struct table_source src = {
		.rows = &l->shown->table,
		.children = has_trees(l) ? row_lines : NULL,
		.child = node_line,
		.role = cell_role,
		.open = has_trees(l) ? row_open : NULL,
		.unfolds = l->ops->unfolds ? row_unfolds : NULL,
		.few = l->ops->few && l->ops->few(l),
		.ctx = (void *)l,
	};

	/* A screen below another one gets answers that are not drawn. */
	if (l->stale)
		table__layout(&l->table, &src, l->table.area);
	l->stale = false;
	return src;
}

/* --- life --- */

static void unfold_rows(struct listing *l)
{
	for (u32 i = 0; i < l->shown->table.nrows && i < RESULT_MAX_UNFOLDED; i++)
		fold__set_row(&l->fold, row_key(l, i), true);
}

/* Other rows may come in another order, and a baseline's columns are others. */
static bool other_columns(const struct listing *l, const struct query_result *result,
			  const struct result_diff *diff)
{
	return l->result && (!l->diff != !diff || l->result->table.sort != result->table.sort);
}

static void listing__ready(void *owner, struct query_result *result)
{
	struct listing *l = owner;
	struct result_diff *diff = listing__diff_of(result);

	if (other_columns(l, diff ? diff->now : result, diff))
		l->table.sort = UINT32_MAX;
	query_result__free(l->shown);
	l->shown = result;
	l->diff = diff;
	l->result = diff ? diff->now : result;
	if (l->begins_open && result->table.nrows) {
		unfold_rows(l);
		l->begins_open = false;
	}
	fold__layout(&l->fold, result);
	l->stale = true;
	host__redraw(l->base.host);
}

void listing__init(struct listing *l, struct host *h, const struct listing_ops *ops, void *query)
{
	l->ops = ops;
	l->query = query;
	l->grouping = (struct grouping){.of = ops->keys};
	table__init(&l->table);
	query_client__init(&l->query_client, h, &ops->ask, l, listing__ready);
	if (!ops->events)
		l->query_client.compare = listing__compare;
}

void listing__fini(struct listing *l)
{
	query_client__fini(&l->query_client);
	query_result__free(l->shown);
	table__fini(&l->table);
	fold__fini(&l->fold);
}

/* What rows are sorted by is what their stacks weigh. */
static void weigh(struct listing *l)
{
	const struct row_table *rows = l->result ? &l->result->table : NULL;

	if (l->ops->weigh && rows && !l->diff && l->table.sort < rows->ncolumns)
		l->ops->weigh(l->ops, l->query, rows->columns[l->table.sort].name);
}

void listing__update(struct screen *s)
{
	struct listing *l = of(s);
	u64 keys[RESULT_MAX_UNFOLDED];
	u32 n;

	if (l->ops->at.unfolded) {
		n = fold__rows(&l->fold, keys);
		listing_query__set_unfolded(l->ops, l->query, keys, n);
	}
	listing__sort_next(l);
	weigh(l);
	query_client__ask(&l->query_client, l->query);
}

void listing__reset(struct listing *l)
{
	fold__clear(&l->fold);
	l->table.sort = UINT32_MAX;
	l->table.selected = 0;
	l->table.user_moved = false;
}

bool listing__settled(const struct screen *s)
{
	return !query_client__busy(&of(s)->query_client);
}

/* In what is shown. */
static bool shown_at(const struct listing *l, struct listing_place *at)
{
	struct table_source src;
	u32 line;

	if (!l->shown || !l->shown->table.nrows)
		return false;
	src = listing__source((struct listing *)l);
	if (!table__selected(&l->table, &src, &at->row, &line))
		return false;
	at->node = line == UINT32_MAX ? UINT32_MAX : fold__node(&l->fold, at->row, line);
	return true;
}

/* --- drawing --- */

bool listing__waiting(const struct listing *l, const struct feed_words *words, char *buf,
		      size_t size)
{
	const struct frame *f = host__frame(l->base.host);
	const struct feed *feed = f ? &f->feeds[l->ops->ask.model] : NULL;
	char key[16];

	if (feed && host__past(l->base.host) && !f->snaps[l->ops->ask.model])
		snprintf(buf, size,
			 "this view did not watch at that time: %s comes back to the present",
			 host__key(l->base.host, ACTION_NOW, key, sizeof(key)));
	else if (!feed || feed->state == FEED_OFF || feed->state == FEED_OPENING)
		snprintf(buf, size, "attaching %s ...", words->attaching);
	else if (feed->state == FEED_FAILED)
		snprintf(buf, size, "cannot %s: %s", words->cannot, feed->reason);
	else if (!f->snaps[l->ops->ask.model])
		snprintf(buf, size, "%s; the first interval is not over yet", words->doing);
	else if (!l->result)
		snprintf(buf, size, "%s; the rows are being put together", words->doing);
	else
		return false;
	return true;
}

const char *listing__more(const struct listing *l, char buf[MORE_TEXT])
{
	const struct host *h = l->base.host;
	const struct {
		bool there;
		enum action action;
		const char *does;
	} ways[] = {
		{l->narrowed[0], ACTION_BACK, "goes back"},
		{host__scope(h)->text[0], ACTION_CLEAR_FILTER, "clears the filter"},
		{l->ops->at.window, ACTION_WINDOW, "widens the window"},
	};
	char key[16];
	int n = 0;

	copy_str(buf, MORE_TEXT, "nothing is filtered");
	for (u32 i = 0; i < ARRAY_SIZE(ways); i++)
		if (ways[i].there)
			n += snprintf(buf + n, MORE_TEXT - (size_t)n, "%s%s %s", n ? ", " : "",
				      host__key(h, ways[i].action, key, sizeof(key)), ways[i].does);
	return buf;
}

/* Returns lines used. */
static int draw_empty(struct listing *l, struct canvas *c, struct rect r)
{
	const struct frame *f = host__frame(l->base.host);
	struct rect at = {r.x + 1, r.y + 1, r.w - 2, r.h - 1};
	char text[700];

	if (f && f->feeds[l->ops->ask.model].gone[0]) {
		draw__text(c, at.x, at.y, at.w, ROLE_WARN, f->feeds[l->ops->ask.model].gone);
		at.y++;
		at.h--;
	}
	l->ops->empty(l, text, sizeof(text));
	return 1 + draw__paragraph(c, at, ROLE_TEXT, text);
}

/* What the source says of itself, where rows leave so much room; used: lines that are taken. */
static void draw_note(struct listing *l, struct canvas *c, struct rect r, int used)
{
	const char *note = host__note(l->base.host);
	int lines = note ? paragraph__height(note, r.w - 2) : 0;

	if (lines && used + lines < r.h)
		draw__paragraph(c, (struct rect){r.x + 1, r.y + r.h - lines, r.w - 2, lines}, ROLE_DIM, note);
}

/* Lines below the cursor that it can be made to show by unfolding. */
static u32 lines_below(const struct listing *l, struct listing_place at)
{
	u32 lines = fold__lines(&l->fold, at.row), i = 0, n = 0;

	if (at.node == UINT32_MAX)
		return lines;
	while (i < lines && fold__node(&l->fold, at.row, i) != at.node)
		i++;
	while (++i < lines && l->shown->nodes[fold__node(&l->fold, at.row, i)].depth >
				      l->shown->nodes[at.node].depth)
		n++;
	return n;
}

/* Likewise. */
static int draw_table(struct listing *l, struct canvas *c, struct rect r)
{
	struct table_source src;
	struct listing_place at;

	l->stale = false; /* it is laid out in any case */
	src = listing__source(l);
	host__columns(l->base.host, &l->base, l->table.columns);
	table__layout(&l->table, &src, r);
	if (l->reveal && shown_at(l, &at) && lines_below(l, at)) {
		table__reveal(&l->table, lines_below(l, at));
		l->reveal = false;
	}
	table__draw(&l->table, &src, c);
	return 1 + (int)MIN(l->table.nlines, (u32)r.h);
}

void listing__draw(struct screen *s, struct canvas *c, struct rect area)
{
	struct listing *l = of(s);
	struct headline line = {c, {area.x, area.y, area.w, 1}, area.x};
	struct rect body = {area.x, area.y + 1, area.w, area.h - 1};
	int above, used;

	if (area.h < 2)
		return;
	l->ops->headline(l, &line);
	if (host__baseline(s->host)) {
		line = (struct headline){c, {area.x, body.y++, area.w, 1}, area.x};
		listing__diff_line(l, &line);
		body.h--;
	}
	above = l->ops->above && l->result ? l->ops->above(l, c, body) : 0;
	body.y += above;
	body.h -= above;
	used = l->shown && l->shown->table.nrows ? draw_table(l, c, body) : draw_empty(l, c, body);
	draw_note(l, c, body, used);
}

/* --- what is selected --- */

bool listing__at(const struct listing *l, struct listing_place *at)
{
	struct query_result *before;

	if (!shown_at(l, at) || (l->diff && listing__is_gone(l, at->row)))
		return false;
	*at = listing__enter(l, *at, &before);
	listing__leave(l, before);
	return true;
}

void listing__selection(const struct screen *s, char *buf, size_t size)
{
	const struct listing *l = of(s);
	struct listing_place at;
	struct query_result *before;

	*buf = '\0';
	if (!shown_at(l, &at))
		return;
	l->ops->selection(l, listing__enter(l, at, &before), buf, size);
	listing__leave(l, before);
}

void listing__crumb(const struct screen *s, char *buf, size_t size)
{
	copy_str(buf, size, of(s)->narrowed);
}

const struct scope *listing__scope(const struct screen *s)
{
	return of(s)->query_client.extra_scope;
}

/* What a view says of the row under the cursor, if anything. */
static bool describe_row(const struct screen *s, bool (*of_row)(const struct listing *l, u32 row, char *buf, size_t size),
		  char *buf, size_t size)
{
	const struct listing *l = of(s);
	struct listing_place at;
	struct query_result *before;
	bool said;

	if (!of_row || !shown_at(l, &at))
		return false;
	said = of_row(l, listing__enter(l, at, &before).row, buf, size);
	listing__leave(l, before);
	return said;
}

bool listing__exclude(const struct screen *s, char *buf, size_t size)
{
	buf[0] = '!';
	return describe_row(s, of(s)->ops->term, buf + 1, size - 1);
}

bool listing__called(const struct screen *s, char *buf, size_t size)
{
	return describe_row(s, of(s)->ops->called, buf, size);
}

bool listing__watched(const struct screen *s, char *buf, size_t size)
{
	struct listing_place at;

	return shown_at(of(s), &at) && at.node == UINT32_MAX && describe_row(s, of(s)->ops->watched, buf, size);
}

u32 listing__function(const struct screen *s)
{
	const struct listing *l = of(s);
	struct listing_place at;
	struct query_result *before;
	u32 func = 0;

	if (!shown_at(l, &at))
		return 0;
	at = listing__enter(l, at, &before);
	if (at.node != UINT32_MAX)
		func = l->result->nodes[at.node].func;
	else if (l->ops->function)
		func = l->ops->function(l, at.row);
	listing__leave(l, before);
	return func;
}

/* --- actions --- */

static void fold_row(struct listing *l, u32 row, bool open)
{
	if (!fold__set_row(&l->fold, row_key(l, row), open))
		host__message(l->base.host, ROLE_WARN, "at most %d rows can be unfolded at once",
			      RESULT_MAX_UNFOLDED);
}

/* Left on a node that is folded goes up. */
static void fold_node(struct listing *l, struct listing_place at, bool open)
{
	const struct tree_node *n = &l->shown->nodes[at.node];
	bool was = fold__open(&l->fold, n) && n->nchildren;

	if (open || was)
		fold__set(&l->fold, n, open);
	else
		l->table.selected = n->parent == UINT32_MAX ? row_key(l, at.row)
							    : l->shown->nodes[n->parent].key;
	l->table.user_moved = true;
}

static bool fold_selected(struct listing *l, bool open)
{
	struct listing_place at;

	if (!has_trees(l) || !shown_at(l, &at))
		return true;
	if (at.node == UINT32_MAX)
		fold_row(l, at.row, open);
	else
		fold_node(l, at, open);
	l->reveal = open;
	fold__layout(&l->fold, l->shown);
	return true;
}

static bool unfold_all(struct listing *l)
{
	if (!has_trees(l))
		return false;
	if (!fold__clear(&l->fold))
		unfold_rows(l);
	fold__layout(&l->fold, l->shown);
	return true;
}

static bool drill(struct listing *l)
{
	struct listing_place at;
	struct query_result *before;
	bool done;

	if (!l->ops->drill || !shown_at(l, &at))
		return false;
	done = l->ops->drill(l, listing__enter(l, at, &before));
	listing__leave(l, before);
	return done;
}

static bool group(struct listing *l, enum action a)
{
	u32 groups, before;

	if (!l->ops->keys)
		return false;
	before = groups = listing_query__groups(l->ops, l->query);
	if (!grouping__action(&l->grouping, l->base.host, a, &groups))
		return false;
	if (groups != before) {
		listing_query__set_groups(l->ops, l->query, groups);
		listing__reset(l);
	}
	return true;
}

static bool next_window(struct listing *l)
{
	enum time_window *w = listing_query__window(l->ops, l->query);

	*w = (*w + 1) % WINDOWS;
	return true;
}

static bool table_action(struct listing *l, enum action a)
{
	struct table_source src = listing__source(l);

	switch (a) {
	case ACTION_SEARCH_NEXT: return table__search(&l->table, &src, 1);
	case ACTION_SEARCH_PREVIOUS: return table__search(&l->table, &src, -1);
	default: return table__action(&l->table, &src, a);
	}
}

static bool open_flame(struct listing *l)
{
	struct host *h = l->base.host;

	weigh(l);
	if (l->ops->stacks)
		host__push(h,
			   flame__open(h, l->ops->stacks, l->query, l->query_client.extra_scope));
	return l->ops->stacks != NULL;
}

static bool open_heat(struct listing *l)
{
	struct host *h = l->base.host;

	if (l->ops->heat)
		host__push(h, heat__open(h, l->ops->heat, l->query, l->narrowed,
					 l->query_client.extra_scope));
	return l->ops->heat != NULL;
}

bool listing__action(struct screen *s, enum action a)
{
	struct listing *l = of(s);

	l->reveal = false;
	if (group(l, a))
		return true;
	if (a == ACTION_WINDOW && l->ops->at.window)
		return next_window(l);
	if (a == ACTION_FLAME)
		return open_flame(l);
	if (a == ACTION_HEATMAP)
		return open_heat(l);
	if (!l->result)
		return false;
	switch (a) {
	case ACTION_RIGHT: return fold_selected(l, true);
	case ACTION_LEFT: return fold_selected(l, false);
	case ACTION_UNFOLD_ALL: return unfold_all(l);
	case ACTION_DRILL: return drill(l);
	default: return table_action(l, a);
	}
}

void listing__mouse(struct screen *s, const struct input *in)
{
	struct listing *l = of(s);
	struct table_source src;

	l->reveal = false;
	l->grouping.adding = false;
	if (!l->result)
		return;
	src = listing__source(l);
	if (!table__mouse(&l->table, &src, in))
		return;
	if (in->mouse == MOUSE_DOUBLE)
		drill(l);
	else if (l->ops->click && !l->diff)
		l->ops->click(l, in);
}

bool listing__search(struct screen *s, const char *text, int dir)
{
	struct listing *l = of(s);
	struct table_source src;

	copy_str(l->table.search, sizeof(l->table.search), text);
	if (!l->result)
		return false;
	src = listing__source(l);
	return table__search(&l->table, &src, dir);
}

bool listing__search_typed(struct screen *s, enum search_step step, const char *text)
{
	struct listing *l = of(s);
	struct table_source src;

	if (!l->result)
		return false;
	src = listing__source(l);
	if (step == SEARCH_BEGIN)
		table__search_begin(&l->table);
	else if (step == SEARCH_CANCELLED)
		table__search_cancel(&l->table, &src);
	else
		return table__search_type(&l->table, &src, text);
	return true;
}
