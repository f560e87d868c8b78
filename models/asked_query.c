// SPDX-License-Identifier: GPL-2.0-only
/* Rows of all questions of a kind in one table. */
#include <stdio.h>

#include "base/columns.h"
#include "models/asked.h"
#include "models/measure_rows.h"

#define COLUMNS_MAX 240

/* Of several questions: the question, and what the row is of. */
enum { ASK_COLUMN, KEY_COLUMN };

struct part {
	struct query_result *result;
	const struct measure *measure;
	/* It is one of them. */
	const struct measure_result *sums;
	const struct ask_lines_result *lines;
	u32 first;		 /* of its rows, in all */
	u8 columns[COLUMNS_MAX]; /* its column for each of all; 0xff: it has none of that name */
};

/* One of the slowest. */
struct slow_item {
	const struct asked_slow *of;
	u32 row;
};

struct joined {
	struct asked_result of;
	struct arena arena; /* texts of keys */
	bool several;	    /* questions */
	const char **keys;  /* of several: what each row is of, in one text */
	struct part parts[ASK_MAX];
	struct slow_item *slow;
	u32 nslow;
	struct column columns[COLUMNS_MAX];
};

static const struct joined *joined_of(const struct row_table *t)
{
	return container_of(t, struct joined, of.base.table);
}

static const struct part *part_of(const struct joined *j, u32 row)
{
	u32 i = j->of.n - 1;

	while (j->parts[i].first > row)
		i--;
	return &j->parts[i];
}

static bool joined__cell(const struct row_table *t, u32 row, u32 column, struct value *out)
{
	const struct joined *j = joined_of(t);
	const struct part *p = part_of(j, row);
	const struct row_table *of = &p->result->table;

	*out = (struct value){0};
	if (column >= t->ncolumns)
		return false;
	if (j->keys && column == KEY_COLUMN) {
		*out = (struct value){.type = VALUE_TEXT, .s = j->keys[row]};
		return true;
	}
	return p->columns[column] != 0xff &&
	       of->cell(of, row - p->first, p->columns[column], out);
}

static u64 joined__key(const struct row_table *t, u32 row)
{
	const struct part *p = part_of(joined_of(t), row);
	const struct row_table *of = &p->result->table;

	return mix64_pair(measure__text_hash(p->measure->name), of->key(of, row - p->first));
}

static void joined__free(struct query_result *base)
{
	struct joined *j = container_of(base, struct joined, of.base);

	for (u32 i = 0; i < j->of.n; i++)
		query_result__free(j->parts[i].result);
	for (u32 i = 0; i < j->of.nslow; i++)
		query_result__free(&j->of.slow[i].result->base);
	snap__put(base->snap);
	arena__fini(&j->arena);
	free(j);
}

/* --- columns --- */

/* Of the same name and on the same side of the screen; on it they say the same of it, too: a count is no rate. */
static bool is_same(const struct column *a, const struct column *b)
{
	return !strcmp(a->name, b->name) && (a->flags & COLUMN_BOTH) == (b->flags & COLUMN_BOTH) &&
	       (!(a->flags & COLUMN_SCREEN) || !strcmp(a->title, b->title));
}

static u32 add_column(struct joined *j, const struct column *c)
{
	struct row_table *t = &j->of.base.table;

	if (t->ncolumns == COLUMNS_MAX)
		return COLUMNS_MAX;
	j->columns[t->ncolumns] = *c;
	return t->ncolumns++;
}

/* Whether a name is a label's of any question. */
static bool is_label(const struct part *p, const char *name)
{
	return measure__label(p->measure, name) >= 0 || !strcmp(name, "process") ||
	       !strcmp(name, "thread") || !strcmp(name, "symbol");
}

/* Where there are several questions, each row's labels are one text on the screen. */
static void hide_labels(struct joined *j, const struct part *p)
{
	for (u32 i = KEY_COLUMN + 1; i < j->of.base.table.ncolumns; i++)
		if (is_label(p, j->columns[i].name))
			j->columns[i].flags &= ~(u32)COLUMN_SCREEN;
}

static u32 column_of(struct joined *j, const struct column *c)
{
	struct row_table *t = &j->of.base.table;

	for (u32 i = 0; i < t->ncolumns; i++)
		if (is_same(&j->columns[i], c))
			return i;
	return add_column(j, c);
}

/* `c` is its i-th. */
static void join_column(struct joined *j, struct part *p, struct column c, u32 i)
{
	u32 at = column_of(j, &c);

	if (at < COLUMNS_MAX)
		p->columns[at] = (u8)i;
}

/* Of several questions a column has one side of the screen: what one of them shows and another one only exports
 * is a single column of what is exported all the same. The question itself is there already. */
static void join_sides(struct joined *j, struct part *p, u32 i)
{
	const struct row_table *of = &p->result->table;
	struct column screen = of->columns[i], exported = screen;
	struct value v;

	if (!strcmp(screen.name, j->columns[ASK_COLUMN].name)) {
		p->columns[ASK_COLUMN] = (u8)i;
		return;
	}
	screen.flags = (screen.flags & ~(u32)COLUMN_EXPORT) | COLUMN_OF_SOME;
	exported.flags &= ~(u32)COLUMN_SCREEN;
	if (screen.flags & COLUMN_SCREEN && of->nrows && of->cell(of, 0, i, &v))
		join_column(j, p, screen, i);
	if (exported.flags & COLUMN_EXPORT)
		join_column(j, p, exported, i);
}

static void join_columns(struct joined *j, struct part *p)
{
	const struct row_table *of = &p->result->table;

	memset(p->columns, 0xff, sizeof(p->columns));
	for (u32 i = 0; i < of->ncolumns; i++)
		if (j->several)
			join_sides(j, p, i);
		else
			join_column(j, p, of->columns[i], i);
}

/* --- the answer --- */

static void add_part(struct joined *j, struct part *p, struct query_result *result,
		     const struct measure *measure)
{
	struct query_result *base = &j->of.base;

	p->result = result;
	p->measure = measure;
	p->first = base->table.nrows;
	base->table.nrows += result->table.nrows;
	base->since_ns = result->since_ns;
	base->window_ns = result->window_ns;
	base->unresolved |= result->unresolved;
	base->symbols_generation = result->symbols_generation;
	join_columns(j, p);
}

/* Those that ended in the interval. */
static void add_slow(struct joined *j, const struct measure_snap *snap, const struct scope *scope)
{
	const struct measure_slow_query q = {
		.asked = snap->measure,
		.range = {.t0_ns = snap->base.t0_ns, .t1_ns = snap->base.t1_ns, .hi_ns = UINT64_MAX}};
	struct measure_slow_result *a;

	if (snap->measure->shape != MEASURE_SHAPE_SPAN)
		return;
	a = measure__slow(snap, &q, scope);
	if (a->nrows)
		j->of.slow[j->of.nslow++] = (struct asked_slow){a, MIN(a->nrows, (u32)ASKED_SLOWEST)};
	else
		query_result__free(&a->base);
}

static void add_sums(struct joined *j, const struct measure_snap *snap, const struct asked_query *q,
		     const struct scope *scope)
{
	struct measure_query of = {.window = q->window, .asked = snap->measure};
	struct part *p = &j->parts[j->of.n++];
	struct measure_result *a;

	if (!*q->group || !measure__parse_groups(snap->measure, q->group, &of.groups))
		of.groups = snap->measure->by;
	p->sums = a = measure__query(snap, &of, scope);
	j->of.count += a->all.count;
	add_part(j, p, &a->base, snap->measure);
}

static void list_slow(struct joined *j)
{
	j->slow = arena__array(&j->arena, struct slow_item, ASK_MAX * ASKED_SLOWEST);
	for (u32 i = 0; i < j->of.nslow; i++)
		for (u32 k = 0; k < j->of.slow[i].n; k++)
			j->slow[j->nslow++] = (struct slow_item){&j->of.slow[i], k};
}

static void add_question(struct joined *j, const struct measure_snap *snap, const struct asked_query *q,
			 const struct scope *scope)
{
	add_sums(j, snap, q, scope);
	if (q->slowest)
		add_slow(j, snap, scope);
}

static void add_lines(struct joined *j, const struct ask_lines_snap *snap,
		      const struct asked_query *q, const struct scope *scope)
{
	const struct ask_lines_query of = {
		.window = q->window, .asked = snap->measure, .oldest_first = q->oldest_first};
	struct part *p = &j->parts[j->of.n++];
	struct ask_lines_result *a;

	p->lines = a = ask_lines__query(snap, &of, scope);
	j->of.count += a->nrows;
	j->of.dropped += a->dropped;
	add_part(j, p, &a->base, snap->measure);
}

/* What rows stand in the order of; of several questions nothing is. */
static u32 sort_column(const struct joined *j)
{
	return j->of.n == 1 ? j->parts[0].result->table.sort : 0;
}

static u32 nquestions(const struct asked_snap *s)
{
	u32 n = 0;

	for (u32 i = 0; i < s->n; i++)
		n += s->questions[i] || s->lines[i];
	return n;
}

static const char *key_text(struct joined *j, const struct measure_result *a,
			    const struct measure_row *r)
{
	char buf[400] = "";
	size_t len = 0;

	for (u32 i = 0; i < a->measure->nlabels && len < sizeof(buf); i++) {
		const char *text = r->texts[i];

		if (!(a->query.groups & (1u << i)) || !text)
			continue;
		if (a->measure->labels[i].kind == LABEL_STACK)
			text = measure_row__stack_name(a->measure, r);
		len += (size_t)snprintf(buf + len, sizeof(buf) - len, "%s%s", len ? "  " : "",
					text + strspn(text, " "));
	}
	return arena__strdup(&j->arena, buf);
}

static const char *line_text(struct joined *j, const struct ask_lines_result *a, u32 row)
{
	char buf[400];

	ask_line__describe(&a->rows[row], buf, sizeof(buf));
	return arena__strdup(&j->arena, buf);
}

static const char *row_text(struct joined *j, const struct part *p, u32 row)
{
	return p->lines ? line_text(j, p->lines, row)
			: key_text(j, p->sums, &p->sums->rows[row]);
}

static void make_keys(struct joined *j)
{
	u32 row = 0;

	j->keys = arena__array(&j->arena, const char *, j->of.base.table.nrows + 1);
	for (u32 i = 0; i < j->of.n; i++) {
		hide_labels(j, &j->parts[i]);
		for (u32 k = 0; k < j->parts[i].result->table.nrows; k++)
			j->keys[row++] = row_text(j, &j->parts[i], k);
	}
}

struct query_result *asked__query(const struct snap *snap, const struct asked_query *q,
				  const struct scope *scope)
{
	static const struct column columns[] = {
		[ASK_COLUMN] = TEXT_COLUMN("ask", "Question", 20, 0, COLUMN_BOTH | COLUMN_FLEX | COLUMN_KEY,
					   "the question that the row answers"),
		[KEY_COLUMN] = TEXT_COLUMN("key", "Of", 20, 0, COLUMN_SCREEN | COLUMN_FLEX | COLUMN_KEY,
					   "what the row is of, by the question's keys"),
	};
	const struct asked_snap *s = container_of(snap, struct asked_snap, base);
	struct joined *j = xcalloc(1, sizeof(*j));

	j->several = nquestions(s) > 1;
	j->of.query = *q;
	j->of.base.snap = snap__get(snap);
	j->of.base.since_ns = snap->t0_ns;
	j->of.base.free = joined__free;
	j->of.base.table.columns = j->columns;
	j->of.base.table.cell = joined__cell;
	j->of.base.table.key = joined__key;
	arena__init(&j->arena);
	if (j->several) {
		add_column(j, &columns[ASK_COLUMN]);
		add_column(j, &columns[KEY_COLUMN]);
	}
	for (u32 i = 0; i < s->n; i++)
		if (s->questions[i])
			add_question(j, s->questions[i], q, scope);
		else if (s->lines[i])
			add_lines(j, s->lines[i], q, scope);
	if (j->several)
		make_keys(j);
	list_slow(j);
	if (j->of.n)
		j->of.base.table.sort = sort_column(j);
	return &j->of.base;
}

/* --- the slowest as a value --- */

/* The i-th column of its table that is exported. */
static u32 exported(const struct row_table *t, u32 i)
{
	u32 column = 0;

	for (;; column++)
		if ((t->columns[column].flags & COLUMN_EXPORT) && !i--)
			return column;
}

static u32 nexported(const struct row_table *t)
{
	u32 n = 0;

	for (u32 i = 0; i < t->ncolumns; i++)
		n += !!(t->columns[i].flags & COLUMN_EXPORT);
	return n;
}

/* An item's first member is the question. */
static void slow_member(const void *of, u32 i, struct value_part *out)
{
	const struct slow_item *item = of;
	const struct row_table *t = &item->of->result->base.table;
	u32 column;

	if (!i) {
		*out = (struct value_part){
			"ask", {.type = VALUE_TEXT, .s = item->of->result->measure->name}};
		return;
	}
	column = exported(t, i - 1);
	out->name = t->columns[column].name;
	t->cell(t, item->row, column, &out->value);
}

static void slow_part(const void *of, u32 i, struct value_part *out)
{
	const struct slow_item *item = (const struct slow_item *)of + i;

	out->value = (struct value){.type = VALUE_OBJECT,
				    .n = nexported(&item->of->result->base.table) + 1,
				    .of = item,
				    .part = slow_member};
}

struct value asked__slowest(const struct asked_result *a)
{
	const struct joined *j = container_of(a, struct joined, of);

	return (struct value){.type = VALUE_LIST, .n = j->nslow, .of = j->slow, .part = slow_part};
}

struct asked_place asked__at(const struct asked_result *a, u32 row)
{
	const struct part *p = part_of(container_of(a, struct joined, of), row);
	struct asked_place at = {.measure = p->measure, .sums = p->sums};

	if (p->lines)
		at.line = &p->lines->rows[row - p->first];
	else
		at.row = &p->sums->rows[row - p->first];
	return at;
}
