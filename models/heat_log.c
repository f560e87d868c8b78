// SPDX-License-Identifier: GPL-2.0-only
#include "models/heat_log.h"
#include "models/snap_box.h"

#include "base/arena.h"

/* --- columns --- */

static void column__put(const struct heat_column *c)
{
	struct heat_column *column = (struct heat_column *)c;

	if (atomic_fetch_sub_explicit(&column->refs, 1, memory_order_acq_rel) == 1)
		free(column);
}

static struct heat_column *column__new(u32 cells)
{
	struct heat_column *c = xmalloc(sizeof(*c) + cells * sizeof(c->cells[0]));

	memset(c, 0, sizeof(*c));
	atomic_init(&c->refs, 1);
	return c;
}

static int compare(const struct heat_cell *a, const struct heat_cell *b)
{
	if (a->series != b->series)
		return a->series < b->series ? -1 : 1;
	return (a->bucket > b->bucket) - (a->bucket < b->bucket);
}

static int by_place(const void *a, const void *b)
{
	return compare(a, b);
}

static void append(struct heat_column *c, const struct heat_cell *cell)
{
	struct heat_cell *last = c->n ? &c->cells[c->n - 1] : NULL;

	if (last && !compare(last, cell))
		last->n = (u32)MIN((u64)last->n + cell->n, UINT32_MAX);
	else
		c->cells[c->n++] = *cell;
}

/* --- the interval that goes on --- */

void heat_log__add(struct heat_log *l, u32 series, u32 bucket, u64 n)
{
	if (!n)
		return;
	if (l->nnow >= HEAT_COLUMN_CELLS || series >= HEAT_MAX_SERIES || bucket > UINT16_MAX) {
		l->left_out += n;
		return;
	}
	l->now = xgrow(l->now, l->nnow, &l->now_cap, sizeof(*l->now));
	l->now[l->nnow++] = (struct heat_cell){
		.series = (u16)series, .bucket = (u16)bucket, .n = (u32)MIN(n, UINT32_MAX)};
}

static struct heat_column *take_now(struct heat_log *l, u64 t0_ns, u64 t1_ns)
{
	struct heat_column *c = column__new(l->nnow);

	if (l->nnow)
		qsort(l->now, l->nnow, sizeof(*l->now), by_place);
	for (u32 i = 0; i < l->nnow; i++)
		append(c, &l->now[i]);
	c->t0_ns = t0_ns;
	c->t1_ns = t1_ns;
	c->left_out = l->left_out;
	l->nnow = 0;
	l->left_out = 0;
	return c;
}

/* --- the log --- */

static struct heat_column **nth(struct heat_log *l, u32 i)
{
	return &l->columns[(l->first + i) % HEAT_MAX_COLUMNS];
}

static void drop_first(struct heat_log *l)
{
	struct heat_column *c = *nth(l, 0);

	l->cells -= c->n;
	l->first = (l->first + 1) % HEAT_MAX_COLUMNS;
	l->n--;
	column__put(c);
}

static struct heat_column *take_last(struct heat_log *l)
{
	struct heat_column *c = *nth(l, --l->n);

	l->cells -= c->n;
	return c;
}

static void push(struct heat_log *l, struct heat_column *c)
{
	if (l->n == HEAT_MAX_COLUMNS)
		drop_first(l);
	*nth(l, l->n++) = c;
	l->cells += c->n;
}

/* Both as one, in a's place; both are let go. */
static struct heat_column *join(struct heat_column *a, struct heat_column *b)
{
	struct heat_column *c = column__new(a->n + b->n);
	u32 i = 0, k = 0;

	while (i < a->n || k < b->n)
		append(c, k == b->n || (i < a->n && compare(&a->cells[i], &b->cells[k]) <= 0)
				  ? &a->cells[i++]
				  : &b->cells[k++]);
	c->slot = a->slot;
	c->t0_ns = a->t0_ns;
	c->t1_ns = b->t1_ns;
	c->left_out = a->left_out + b->left_out;
	column__put(a);
	column__put(b);
	return c;
}

/* Intervals of this length that went by unseen. */
static u64 gap_before(const struct heat_column *last, const struct heat_column *c)
{
	u64 length = MAX(c->t1_ns - c->t0_ns, HEAT_COLUMN_NS);

	return c->t0_ns > last->t1_ns
		       ? MIN((c->t0_ns - last->t1_ns + length / 2) / length, HEAT_MAX_COLUMNS)
		       : 0;
}

static bool is_old(const struct heat_column *c, u64 now_ns)
{
	return c->t1_ns + HEAT_SPAN_S * NSEC_PER_SEC <= now_ns;
}

static void heat_log__end(struct heat_log *l, u64 t0_ns, u64 t1_ns)
{
	struct heat_column *c = take_now(l, t0_ns, MAX(t0_ns, t1_ns)), *last;

	if (l->n && t0_ns < (*nth(l, l->n - 1))->t1_ns)
		while (l->n)
			drop_first(l);
	if (l->n) {
		last = *nth(l, l->n - 1);
		c->slot = last->slot + 1 + gap_before(last, c);
		if (c->slot == last->slot + 1 && c->t1_ns - last->t0_ns <= HEAT_COLUMN_NS)
			c = join(take_last(l), c);
	}
	push(l, c);
	while (l->n > 1 && (l->cells > HEAT_MAX_CELLS || is_old(*nth(l, 0), c->t1_ns)))
		drop_first(l);
}

struct heat_columns heat_log__tick(struct heat_log *l, u64 t0_ns, u64 t1_ns, struct arena *a)
{
	const struct heat_column **v;

	heat_log__end(l, t0_ns, t1_ns);
	v = arena__array(a, const struct heat_column *, l->n);
	for (u32 i = 0; i < l->n; i++) {
		v[i] = *nth(l, i);
		atomic_fetch_add_explicit(&(*nth(l, i))->refs, 1, memory_order_relaxed);
	}
	return (struct heat_columns){v, l->n};
}

void heat_columns__put(const struct heat_columns *c)
{
	for (u32 i = 0; i < c->n; i++)
		column__put(c->v[i]);
}

static void put_columns(void *columns)
{
	heat_columns__put(columns);
}

void heat_columns__hold(struct heat_columns *c, void *snap)
{
	snap_box__hold(snap, put_columns, c);
}

void heat_log__zero(struct heat_log *l)
{
	while (l->n)
		drop_first(l);
	l->nnow = 0;
	l->left_out = 0;
}

void heat_log__fini(struct heat_log *l)
{
	heat_log__zero(l);
	free(l->now);
	*l = (struct heat_log){0};
}

size_t heat_log__bytes(const struct heat_log *l)
{
	return l->n * sizeof(struct heat_column) + l->cells * sizeof(struct heat_cell) +
	       l->now_cap * sizeof(*l->now);
}
