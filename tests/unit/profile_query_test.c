// SPDX-License-Identifier: GPL-2.0-only
/* Queries over a profile: truths on graphs made by hand, sums on random ones. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "core/filter.h"
#include "tests/lib/fake_symbols.h"
#include "tests/lib/profile_maker.h"

static struct profile_query query(enum profile_group group)
{
	struct profile_query q;

	memset(&q, 0, sizeof(q));
	q.groups = GROUP_BIT(group);
	q.window = WINDOW_TOTAL;
	q.user = q.kernel = true;
	return q;
}

static struct scope *parse(const char *expr)
{
	struct filter_error err;
	struct scope *s = filter__parse(expr, &err);

	assert_non_null(s);
	return s;
}

static const struct profile_row *row_named(const struct profile_rows *r, const char *name)
{
	for (u32 i = 0; i < r->nrows; i++)
		if (!strcmp(r->rows[i].name, name))
			return &r->rows[i];
	return NULL;
}

static void assert_near(double a, double b)
{
	if (fabs(a - b) > 1e-6)
		fail_msg("%f is not %f", a, b);
}

static void assert_shares(const struct profile_rows *r, const char *name, double self, double total)
{
	const struct profile_row *row = row_named(r, name);

	if (!row)
		fail_msg("no row %s", name);
	assert_near(row->self_pct, self);
	assert_near(row->total_pct, total);
}

/* --- a graph made by hand --- */

/*
 * main -> f -> g      40 samples
 * main -> f           10
 * main -> rec -> rec  20
 * main -> read, in the kernel: vfs -> copy   25
 * no stack             5
 */
struct hand {
	struct maker m;
	u32 main, f, g, rec, read, vfs, copy;
	const struct profile_snap *snap;
};

static void hand__put(struct hand *h, u32 nkernel, u32 n, const u32 *locs, u64 count)
{
	maker__put(&h->m, maker__stack(&h->m, nkernel, n - nkernel, locs), 7, count);
}

static void hand__init(struct hand *h)
{
	struct symbols *s;

	maker__init(&h->m, 1);
	s = h->m.symbols;
	h->main = symbols__named(s, "prog", "main", CODE_USER);
	h->f = symbols__named(s, "prog", "f", CODE_USER);
	h->g = symbols__named(s, "libg.so", "g", CODE_USER);
	h->rec = symbols__named(s, "prog", "rec", CODE_USER);
	h->read = symbols__named(s, "libc.so.6", "read", CODE_USER);
	h->vfs = symbols__named(s, "[kernel]", "vfs", CODE_KERNEL);
	h->copy = symbols__named(s, "[kernel]", "copy", CODE_KERNEL);
	hand__put(h, 0, 3, (u32[]){h->g, h->f, h->main}, 40);
	hand__put(h, 0, 2, (u32[]){h->f, h->main}, 10);
	hand__put(h, 0, 3, (u32[]){h->rec, h->rec, h->main}, 20);
	hand__put(h, 2, 4, (u32[]){h->copy, h->vfs, h->read, h->main}, 25);
	maker__put(&h->m, 0, 7, 5);
	h->snap = maker__tick(&h->m, NSEC_PER_SEC);
}

static void hand__fini(struct hand *h)
{
	snap__put(h->snap);
	maker__fini(&h->m);
}

static u32 func_of(const struct hand *h, u32 loc)
{
	return symbols__func_of(h->m.symbols, loc);
}

static void symbols_have_self_and_total(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	struct profile_rows *r;
	struct hand h;

	hand__init(&h);
	r = profile__query(h.snap, &q, NULL);
	assert_int_equal(r->count, 100);
	assert_int_equal(r->entries_seen, 5);
	assert_int_equal(r->nrows, 8);
	assert_shares(r, "main", 0, 95);
	assert_shares(r, "f", 10, 50);
	assert_shares(r, "g", 40, 40);
	assert_shares(r, "rec", 20, 20);
	assert_shares(r, "copy", 25, 25);
	assert_shares(r, "vfs", 0, 25);
	assert_shares(r, "[no stack]", 5, 5);
	assert_string_equal(r->rows[0].name, "g");
	assert_string_equal(r->rows[0].object_name, "libg.so");
	assert_string_equal(row_named(r, "vfs")->kind, "kernel");
	assert_string_equal(row_named(r, "main")->kind, "user");
	assert_string_equal(row_named(r, "[no stack]")->kind, "unknown");
	profile_rows__free(r);
	hand__fini(&h);
}

static void objects_and_tasks_group_all(void **state)
{
	struct profile_query q = query(GROUP_OBJECT);
	struct profile_rows *r;
	struct hand h;

	hand__init(&h);
	r = profile__query(h.snap, &q, NULL);
	assert_shares(r, "prog", 30, 95);
	assert_shares(r, "[kernel]", 25, 25);
	assert_shares(r, "libc.so.6", 0, 25);
	assert_string_equal(row_named(r, "[kernel]")->kind, "kernel");
	profile_rows__free(r);
	for (enum profile_group g = GROUP_COMM; g < GROUPS; g++) {
		q = query(g);
		r = profile__query(h.snap, &q, NULL);
		assert_int_equal(r->nrows, 1);
		assert_near(r->rows[0].self_pct, 100);
		assert_string_equal(r->rows[0].kind, "mixed");
		assert_string_equal(r->rows[0].comm,
				    g == GROUP_CGROUP || g == GROUP_CPU ? "" : "task");
		profile_rows__free(r);
	}
	hand__fini(&h);
}

static void modes_choose_by_the_leaf(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	struct profile_rows *r;
	struct hand h;

	hand__init(&h);
	q.kernel = false;
	r = profile__query(h.snap, &q, NULL);
	assert_int_equal(r->count, 75);
	assert_null(row_named(r, "read"));
	assert_shares(r, "main", 0, 7000 / 75.0);
	profile_rows__free(r);
	q.kernel = true;
	q.user = false;
	r = profile__query(h.snap, &q, NULL);
	assert_int_equal(r->count, 30);
	assert_null(row_named(r, "main"));
	assert_shares(r, "vfs", 0, 2500 / 30.0);
	profile_rows__free(r);
	hand__fini(&h);
}

static void scopes_select_tasks_and_names(void **state)
{
	static const struct {
		const char *expr;
		u64 count;
		const char *hidden; /* has no row */
		const char *shown;
	} cases[] = {
		{"pid=7", 100, NULL, "g"},
		{"pid=8", 0, "g", NULL},
		{"!pid=7", 0, "g", NULL},
		{"comm~^ta", 100, NULL, "g"},
		{"!comm~^ta", 0, "g", NULL},
		{"sym~^f$", 50, "copy", "main"},
		{"!sym~^g$", 60, "g", "f"},
		{"!sym~^main$", 100, "main", "f"},
		{"!sym~^copy$ !sym~^rec$", 55, "rec", "f"},
		{"obj~kernel", 25, "g", "main"},
		{"!obj~kernel", 75, "vfs", "main"},
		{"sym~^main$ sym~vfs", 25, "f", "copy"},
		{"!sym~\"no stack\"", 95, "[no stack]", "f"},
	};
	struct profile_query q = query(GROUP_SYMBOL);
	struct hand h;

	hand__init(&h);
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct scope *s = parse(cases[i].expr);
		struct profile_rows *r = profile__query(h.snap, &q, s);

		if (r->count != cases[i].count)
			fail_msg("%s: %u samples", cases[i].expr, (u32)r->count);
		if (cases[i].hidden && row_named(r, cases[i].hidden))
			fail_msg("%s: row %s", cases[i].expr, cases[i].hidden);
		if (cases[i].shown && !row_named(r, cases[i].shown))
			fail_msg("%s: no row %s", cases[i].expr, cases[i].shown);
		profile_rows__free(r);
		scope__put(s);
	}
	hand__fini(&h);
}

/* Same name, different function: two rows. */
static void rows_are_functions_and_not_names(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	const struct profile_snap *snap;
	struct profile_rows *r;
	struct maker m;
	u32 a, b;

	maker__init(&m, 1);
	a = symbols__named(m.symbols, "a.so", "init", CODE_USER);
	b = symbols__named(m.symbols, "b.so", "init", CODE_USER);
	maker__put(&m, maker__stack(&m, 0, 1, &a), 7, 1);
	maker__put(&m, maker__stack(&m, 0, 1, &b), 7, 1);
	snap = maker__tick(&m, NSEC_PER_SEC);
	r = profile__query(snap, &q, NULL);
	assert_int_equal(r->nrows, 2);
	assert_true(r->rows[0].key != r->rows[1].key);
	profile_rows__free(r);
	snap__put(snap);
	maker__fini(&m);
}

/* --- symbols that are still unknown, or inlined --- */

static void unresolved_samples_have_a_row(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	const struct profile_snap *snap;
	struct profile_rows *r;
	struct maker m;
	u32 o, loc, unknown = SYM_UNKNOWN, beyond = UINT32_MAX;

	maker__init(&m, 1);
	o = fake__object(m.symbols, "late.so", CODE_USER);
	loc = fake__loc(m.symbols, o, 0, 16);
	maker__put(&m, maker__stack(&m, 0, 1, &loc), 7, 3);
	maker__put(&m, maker__stack(&m, 0, 1, &unknown), 7, 1);
	maker__put(&m, maker__stack(&m, 0, 1, &beyond), 7, 1);
	snap = maker__tick(&m, NSEC_PER_SEC);
	r = profile__query(snap, &q, NULL);
	assert_shares(r, "[resolving] late.so", 60, 60);
	assert_shares(r, "[unknown]", 40, 40);
	assert_string_equal(row_named(r, "[resolving] late.so")->kind, "unknown");
	assert_near(r->pending_pct, 60);
	profile_rows__free(r);
	fake__resolve(m.symbols, loc, fake__func(m.symbols, o, "late", 0));
	r = profile__query(snap, &q, NULL);
	assert_shares(r, "late", 60, 60);
	assert_near(r->pending_pct, 0);
	assert_int_equal(r->base.symbols_generation, 1);
	profile_rows__free(r);
	snap__put(snap);
	maker__fini(&m);
}

static void inlined_functions_are_split_on_demand(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	const struct profile_snap *snap;
	struct profile_rows *r;
	struct fake_loc *l;
	struct maker m;
	u32 loc;

	maker__init(&m, 1);
	loc = symbols__named(m.symbols, "prog", "outer", CODE_USER);
	l = &m.symbols->locs[loc];
	l->inlined[0] = fake__func(m.symbols, l->object, "inner", 0);
	l->ninlined = -1;
	maker__put(&m, maker__stack(&m, 0, 1, &loc), 7, 1);
	snap = maker__tick(&m, NSEC_PER_SEC);
	q.inlined = true;
	r = profile__query(snap, &q, NULL);
	assert_shares(r, "outer", 100, 100);
	profile_rows__free(r);
	l->ninlined = 1;
	r = profile__query(snap, &q, NULL);
	assert_shares(r, "outer", 0, 100);
	assert_shares(r, "inner", 100, 100);
	assert_string_equal(row_named(r, "inner")->kind, "inlined");
	profile_rows__free(r);
	q.inlined = false;
	r = profile__query(snap, &q, NULL);
	assert_int_equal(r->nrows, 1);
	q.callee_first = true;
	q.unfolded[q.nunfolded++] = r->rows[0].key;
	profile_rows__free(r);
	r = profile__query(snap, &q, NULL);
	assert_int_equal(r->base.nnodes, 1);
	assert_string_equal(r->base.nodes[0].name, "inner");
	assert_true(r->base.nodes[0].inlined);
	profile_rows__free(r);
	snap__put(snap);
	maker__fini(&m);
}

static void truncation_is_told_by_the_outermost_function(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	const struct profile_snap *snap;
	struct profile_rows *r;
	struct maker m;
	u32 locs[2];

	maker__init(&m, 1);
	locs[0] = symbols__named(m.symbols, "prog", "f", CODE_USER);
	locs[1] = symbols__named(m.symbols, "prog", "_start", CODE_USER);
	m.symbols->funcs[symbols__func_of(m.symbols, locs[1])].flags = FUNC_OUTERMOST;
	maker__put(&m, maker__stack(&m, 0, 2, locs), 7, 3);
	maker__put(&m, maker__stack(&m, 0, 1, locs), 7, 1);
	maker__put(&m, maker__stack(&m, 1, 0, locs), 7, 9);
	snap = maker__tick(&m, NSEC_PER_SEC);
	r = profile__query(snap, &q, NULL);
	assert_near(r->truncated_pct, 25);
	profile_rows__free(r);
	snap__put(snap);
	maker__fini(&m);
}

/* --- chains and butterfly by hand --- */

static struct profile_rows *unfold(const struct hand *h, struct profile_query *q, const char *name)
{
	struct profile_rows *r = profile__query(h->snap, q, NULL);

	q->unfolded[0] = row_named(r, name)->key;
	q->nunfolded = 1;
	profile_rows__free(r);
	return profile__query(h->snap, q, NULL);
}

static void assert_node(const struct profile_rows *r, u32 i, u32 depth, const char *name,
			double pct)
{
	assert_true(i < r->base.nnodes);
	assert_string_equal(r->base.nodes[i].name, name);
	assert_int_equal(r->base.nodes[i].depth, depth);
	assert_near(r->base.nodes[i].pct, pct);
}

static void chains_go_both_ways(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	struct profile_rows *r;
	struct hand h;

	hand__init(&h);
	r = unfold(&h, &q, "g");
	assert_int_equal(r->base.nnodes, 2);
	assert_node(r, 0, 1, "f", 40);
	assert_node(r, 1, 2, "main", 40);
	assert_int_equal(r->base.nodes[1].parent, 0);
	profile_rows__free(r);
	r = unfold(&h, &q, "rec");
	assert_int_equal(r->base.nnodes, 1);
	assert_node(r, 0, 1, "main", 20);
	profile_rows__free(r);
	q.callee_first = true;
	r = unfold(&h, &q, "main");
	assert_node(r, 0, 1, "f", 50);
	assert_int_equal(r->base.nodes[0].nchildren, 2);
	assert_node(r, 1, 2, "g", 40);
	assert_node(r, 2, 2, "[self]", 10);
	assert_node(r, 3, 1, "read", 25);
	assert_node(r, 4, 2, "vfs", 25);
	assert_node(r, 5, 3, "copy", 25);
	assert_node(r, 6, 1, "rec", 20);
	assert_node(r, 7, 2, "rec", 20);
	assert_int_equal(r->base.nnodes, 8);
	profile_rows__free(r);
	hand__fini(&h);
}

static void chains_of_objects_and_tasks(void **state)
{
	struct profile_query q = query(GROUP_OBJECT);
	struct profile_rows *r;
	struct hand h;

	hand__init(&h);
	r = unfold(&h, &q, "[kernel]");
	assert_node(r, 0, 1, "copy", 25);
	assert_node(r, 3, 4, "main", 25);
	profile_rows__free(r);
	q.callee_first = true;
	r = unfold(&h, &q, "[kernel]");
	assert_int_equal(r->base.nnodes, 2);
	assert_node(r, 0, 1, "vfs", 25);
	assert_node(r, 1, 2, "copy", 25);
	profile_rows__free(r);
	q = query(GROUP_PID);
	q.callee_first = true;
	r = unfold(&h, &q, "7");
	assert_node(r, 0, 1, "main", 95);
	assert_node(r, r->base.nnodes - 1, 1, "[no stack]", 5);
	profile_rows__free(r);
	hand__fini(&h);
}

static void butterfly_of(const struct hand *h, u32 loc, struct profile_rows **r)
{
	struct profile_query q = query(GROUP_SYMBOL);

	q.focus = func_of(h, loc);
	*r = profile__query(h->snap, &q, NULL);
}

static void butterflies_are_true(void **state)
{
	struct profile_rows *r;
	struct hand h;

	hand__init(&h);
	butterfly_of(&h, h.f, &r);
	assert_int_equal(r->focus_total, 50);
	assert_int_equal(r->focus_self, 10);
	assert_near(r->focus_total_pct, 50);
	assert_near(r->focus_self_pct, 10);
	assert_int_equal(r->ncallers, 1);
	assert_string_equal(r->callers[0].name, "main");
	assert_near(r->callers[0].share, 100);
	assert_int_equal(r->ncallees, 1);
	assert_int_equal(r->callees[0].func, func_of(&h, h.g));
	assert_near(r->callees[0].share, 80);
	assert_near(r->callees[0].pct, 40);
	profile_rows__free(r);
	butterfly_of(&h, h.main, &r);
	assert_int_equal(r->ncallees, 3);
	assert_string_equal(r->callees[0].name, "f");
	assert_string_equal(r->callers[0].name, "[no caller]");
	assert_int_equal(r->callers[0].func, 0);
	profile_rows__free(r);
	butterfly_of(&h, h.rec, &r);
	assert_int_equal(r->focus_self, 20);
	assert_int_equal(r->ncallees, 0);
	assert_int_equal(r->ncallers, 1);
	assert_string_equal(r->callers[0].name, "main");
	profile_rows__free(r);
	hand__fini(&h);
}

static void offsets_sum_to_the_function(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	const struct profile_snap *snap;
	struct offset_weight *w;
	struct maker m;
	u32 o, f, locs[2];

	maker__init(&m, 1);
	o = fake__object(m.symbols, "prog", CODE_USER);
	f = fake__func(m.symbols, o, "hot", 0);
	locs[0] = fake__loc(m.symbols, o, f, 0x40);
	locs[1] = fake__loc(m.symbols, o, f, 0x20);
	maker__put(&m, maker__stack(&m, 0, 1, locs), 7, 3);
	maker__put(&m, maker__stack(&m, 0, 2, locs), 7, 4);
	maker__put(&m, maker__stack(&m, 0, 1, locs + 1), 7, 1);
	snap = maker__tick(&m, NSEC_PER_SEC);
	assert_int_equal(profile__offsets(snap, &q, NULL, f, &w), 2);
	assert_int_equal(w[0].offset, 0x20);
	assert_int_equal(w[0].count, 1);
	assert_int_equal(w[1].offset, 0x40);
	assert_near(w[1].pct, 87.5);
	free(w);
	assert_int_equal(profile__offsets(snap, &q, NULL, 0, &w), 0);
	free(w);
	snap__put(snap);
	maker__fini(&m);
}

/* --- folded text --- */

struct text {
	char lines[64][256];
	u32 n;
	u64 samples;
};

static void keep_line(void *ctx, const char *stack, u64 samples)
{
	struct text *t = ctx;

	snprintf(t->lines[t->n++ % 64], sizeof(t->lines[0]), "%s %u", stack, (u32)samples);
	t->samples += samples;
}

static bool has_line(const struct text *t, const char *line)
{
	for (u32 i = 0; i < t->n; i++)
		if (!strcmp(t->lines[i], line))
			return true;
	return false;
}

static void folded_text_is_root_first(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	struct text t = {.n = 0};
	struct hand h;

	hand__init(&h);
	profile__folded(h.snap, &q, NULL, keep_line, &t);
	assert_int_equal(t.n, 5);
	assert_true(has_line(&t, "task;main;f;g 40"));
	assert_true(has_line(&t, "task;main;read;vfs;copy 25"));
	assert_true(has_line(&t, "task;[no stack] 5"));
	hand__fini(&h);
}

/* Two functions of one name read the same: one line. */
static void folded_lines_are_distinct_and_clean(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	const struct profile_snap *snap;
	struct text t = {.n = 0};
	struct maker m;
	u32 a, b, c;

	maker__init(&m, 1);
	a = symbols__named(m.symbols, "a.so", "La;\nb", CODE_USER);
	b = symbols__named(m.symbols, "b.so", "La;\nb", CODE_USER);
	c = symbols__named(m.symbols, "b.so", "La: b", CODE_USER);
	maker__put(&m, maker__stack(&m, 0, 1, &a), 7, 1);
	maker__put(&m, maker__stack(&m, 0, 1, &b), 8, 2);
	maker__put(&m, maker__stack(&m, 0, 1, &c), 8, 4);
	snap = maker__tick(&m, NSEC_PER_SEC);
	profile__folded(snap, &q, NULL, keep_line, &t);
	assert_int_equal(t.n, 1);
	assert_string_equal(t.lines[0], "task;La: b 7");
	snap__put(snap);
	maker__fini(&m);
}

/* --- the table --- */

static u32 column_named(const char *name)
{
	for (u32 i = 0; i < profile_ncolumns; i++)
		if (!strcmp(profile_columns[i].name, name))
			return i;
	fail_msg("no column %s", name);
	return 0;
}

static void columns_apply_by_group(void **state)
{
	static const char *const names[] = {"symbol", "object", "comm", "pid",
					    "tid",    "cgroup", "cpu"};
	static const char *const applying[GROUPS] = {
		[GROUP_SYMBOL] = "1100000", [GROUP_OBJECT] = "0100000", [GROUP_COMM] = "0010000",
		[GROUP_PID] = "0011000",    [GROUP_TID] = "0011100",	[GROUP_CGROUP] = "0000010",
		[GROUP_CPU] = "0000001",
	};
	struct hand h;

	hand__init(&h);
	for (enum profile_group g = 0; g < GROUPS; g++) {
		struct profile_query q = query(g);
		struct profile_rows *r = profile__query(h.snap, &q, NULL);
		u32 keys = 0;
		struct value v;

		for (u32 i = 0; i < ARRAY_SIZE(names); i++)
			assert_int_equal(r->base.table.cell(&r->base.table, 0, column_named(names[i]), &v),
					 applying[g][i] == '1');
		for (u32 i = 0; i < r->base.table.ncolumns; i++) {
			const struct column *c = &r->base.table.columns[i];

			assert_string_equal(c->name, profile_columns[i].name);
			if (r->base.table.cell(&r->base.table, 0, i, &v) && c->flags & COLUMN_KEY)
				keys++;
		}
		assert_int_equal(keys, 1);
		assert_int_equal(r->base.table.sort, column_named("self_pct"));
		profile_rows__free(r);
	}
	hand__fini(&h);
}

static void cells_hold_the_rows(void **state)
{
	struct profile_query q = query(GROUP_TID);
	struct profile_rows *r;
	struct value v;
	struct hand h;

	hand__init(&h);
	r = profile__query(h.snap, &q, NULL);
	assert_true(r->base.table.cell(&r->base.table, 0, column_named("pid"), &v));
	assert_int_equal(v.type, VALUE_COUNT);
	assert_int_equal(v.u, 7);
	assert_true(r->base.table.cell(&r->base.table, 0, column_named("process"), &v));
	assert_string_equal(v.s, "      7");
	assert_true(r->base.table.cell(&r->base.table, 0, column_named("self_count"), &v));
	assert_int_equal(v.u, 100);
	assert_true(r->base.table.cell(&r->base.table, 0, column_named("trend"), &v));
	assert_int_equal(v.n, PROFILE_TREND);
	assert_true(v.trend[PROFILE_TREND - 1] == 100000);
	assert_false(r->base.table.cell(&r->base.table, 0, profile_ncolumns, &v));
	assert_true(r->base.table.key(&r->base.table, 0) == r->rows[0].key);
	profile_rows__free(r);
	hand__fini(&h);
}

/* --- sums over random profiles --- */

static void check_rows(const struct profile_rows *r)
{
	double self = 0;
	u64 nself = 0;

	for (u32 i = 0; i < r->nrows; i++) {
		const struct profile_row *row = &r->rows[i];

		self += row->self_pct;
		nself += row->self_count;
		assert_true(row->total_count >= row->self_count);
		assert_true(row->total_pct >= row->self_pct - 1e-9);
		assert_true(row->total_pct <= 100 + 1e-9);
		assert_true(row->total_count <= r->count);
		assert_true(row->key != 0 && *row->kind);
		assert_true(!i || r->rows[i - 1].self_pct >= row->self_pct);
		if (i && r->query.groups & (GROUPS_CODE | GROUP_BIT(GROUP_COMM)) &&
		    r->rows[i - 1].self_pct == row->self_pct)
			assert_true(strcmp(r->rows[i - 1].name, row->name) <= 0);
		for (u32 k = 0; k < i; k++)
			assert_true(r->rows[k].key != row->key);
	}
	assert_true(r->weight == 0 || fabs(self - 100) < 0.1);
	assert_int_equal(nself, r->count);
}

/* Children sum to their parent, siblings are in order, the way up is right. */
static void check_children(const struct profile_rows *r, u32 first, u32 end, u32 parent, u64 count,
			   double pct, u32 depth)
{
	double sum = 0, last = INFINITY;
	u64 nsum = 0;
	u32 n = 0;

	for (u32 i = first; i < end; i++) {
		const struct tree_node *c = &r->base.nodes[i];

		if (c->parent != parent)
			continue;
		assert_int_equal(c->depth, depth);
		assert_true(c->pct <= last + 1e-9 || !strcmp(c->name, "[others]"));
		last = c->pct;
		sum += c->pct;
		nsum += c->count;
		n++;
		check_children(r, i + 1, end, i, c->count, c->pct, depth + 1);
	}
	if (parent != UINT32_MAX)
		assert_int_equal(n, r->base.nodes[parent].nchildren);
	if (n && (nsum != count || fabs(sum - pct) > 1e-6))
		fail_msg("%f is not the sum of its children %f", pct, sum);
}

static void check_chains(const struct profile_rows *r)
{
	for (u32 i = 0; i < r->nrows; i++) {
		const struct profile_row *row = &r->rows[i];
		const struct row_tree *tree = &r->base.trees[i];
		u32 end = tree->first + tree->n;

		assert_true(end <= r->base.nnodes && tree->n <= ANSWER_TREE_NODES);
		check_children(r, tree->first, end, UINT32_MAX, row->total_count, row->total_pct,
			       1);
	}
}

static void check_butterfly(const struct profile_rows *r)
{
	double callers = 0, callees = 0;
	u64 ncallers = 0, ncallees = 0;

	for (u32 i = 0; i < r->ncallers; i++) {
		callers += r->callers[i].share;
		ncallers += r->callers[i].count;
	}
	for (u32 i = 0; i < r->ncallees; i++) {
		callees += r->callees[i].share;
		ncallees += r->callees[i].count;
	}
	assert_int_equal(ncallers, r->focus_total);
	assert_int_equal(ncallees + r->focus_self, r->focus_total);
	if (r->focus_total_pct > 0) {
		assert_near(callers, 100);
		assert_near(callees + r->focus_self_pct * 100 / r->focus_total_pct, 100);
	}
	for (u32 i = 0; i < r->nrows && r->query.groups == GROUP_BIT(GROUP_SYMBOL); i++)
		if (r->rows[i].func == r->query.focus) {
			assert_int_equal(r->rows[i].self_count, r->focus_self);
			assert_int_equal(r->rows[i].total_count, r->focus_total);
		}
}

struct folded_sum {
	u64 samples;
};

static void sum_line(void *ctx, const char *stack, u64 samples)
{
	assert_null(strchr(stack, '\n'));
	assert_true(samples > 0 && strchr(stack, ';'));
	((struct folded_sum *)ctx)->samples += samples;
}

static void random_query(struct maker *m, struct profile_query *q)
{
	*q = query(maker__random(m, GROUPS));
	if (maker__random(m, 2))
		q->groups = 1 + maker__random(m, GROUP_BIT(GROUPS) - 1);
	q->window = maker__random(m, WINDOWS);
	q->inlined = maker__random(m, 2);
	q->callee_first = maker__random(m, 2);
	q->focus = 1 + maker__random(m, m->symbols->nfuncs - 1);
	if (!maker__random(m, 3))
		q->kernel = !(q->user = maker__random(m, 2));
}

static void check_query(struct maker *m, const struct profile_snap *snap, const struct scope *scope)
{
	struct folded_sum folded = {0};
	struct profile_query q;
	struct profile_rows *r;

	random_query(m, &q);
	r = profile__query(snap, &q, scope);
	for (u32 i = 0; i < r->nrows && i < 8; i++)
		q.unfolded[q.nunfolded++] = r->rows[i].key;
	profile_rows__free(r);
	r = profile__query(snap, &q, scope);
	check_rows(r);
	check_chains(r);
	check_butterfly(r);
	profile__folded(snap, &q, scope, sum_line, &folded);
	assert_int_equal(folded.samples, r->count);
	profile_rows__free(r);
}

/* Independently of the query: a function's total by walking every entry. */
static u64 naive_total(const struct profile_snap *snap, u32 func)
{
	u64 total = 0;

	for (u32 i = 0; i < snap->nentries; i++) {
		const struct profile_entry *e = &snap->entries[i];
		bool found = false;

		for (u32 k = 0; e->stack && k < e->stack->nkernel + e->stack->nuser; k++)
			found |= symbols__func_of(snap->symbols, e->stack->locs[k]) == func;
		total += found ? e->count[WINDOW_TOTAL] : 0;
	}
	return total;
}

static void check_totals(const struct profile_snap *snap)
{
	struct profile_query q = query(GROUP_SYMBOL);
	struct profile_rows *r = profile__query(snap, &q, NULL);

	for (u32 i = 0; i < r->nrows; i++)
		if (r->rows[i].func)
			assert_int_equal(r->rows[i].total_count,
					 naive_total(snap, r->rows[i].func));
	profile_rows__free(r);
}

/* What of the rows of a fine grouping falls into one of a coarser one. */
static bool falls_into(const struct profile_row *fine, const struct profile_row *row,
		       enum profile_group g)
{
	switch (g) {
	case GROUP_SYMBOL:
		return fine->func == row->func && fine->object == row->object &&
		       !strcmp(fine->name, row->name);
	case GROUP_OBJECT:
		return fine->object == row->object;
	case GROUP_COMM:
		return !strcmp(fine->comm, row->comm);
	case GROUP_PID:
		return fine->tgid == row->tgid;
	case GROUP_TID:
		return fine->tgid == row->tgid && fine->tid == row->tid;
	case GROUP_CGROUP:
		return fine->cgroup == row->cgroup;
	default:
		return fine->cpu == row->cpu;
	}
}

/* Recursion through objects counts once per stack: sums of totals hold for functions only. */
static bool totals_sum(u32 groups, enum profile_group g)
{
	return g == GROUP_SYMBOL || !(groups & GROUPS_CODE);
}

static void check_marginal(const struct profile_rows *fine, const struct profile_snap *snap,
			   const struct scope *scope, enum profile_group g)
{
	struct profile_query q = fine->query;
	struct profile_rows *r;
	u64 all = 0;

	q.groups = GROUP_BIT(g);
	r = profile__query(snap, &q, scope);
	assert_int_equal(r->count, fine->count);
	for (u32 i = 0; i < r->nrows; i++) {
		u64 self = 0, total = 0;

		for (u32 k = 0; k < fine->nrows; k++) {
			if (!falls_into(&fine->rows[k], &r->rows[i], g))
				continue;
			self += fine->rows[k].self_count;
			total += fine->rows[k].total_count;
		}
		/* Objects without a stack and without a name are told apart by their key only. */
		if (g != GROUP_OBJECT || r->rows[i].object)
			assert_int_equal(self, r->rows[i].self_count);
		if (totals_sum(fine->query.groups, g))
			assert_int_equal(total, r->rows[i].total_count);
		all += r->rows[i].self_count;
	}
	assert_int_equal(all, fine->count);
	profile_rows__free(r);
}

/* Rows of a set of keys, summed over all keys but one, are the rows of that one. */
static void combinations_sum_to_their_keys(void **state)
{
	struct scope *scopes[] = {NULL, parse("pid=100-102"), parse("sym~f !comm~a")};

	for (u64 seed = 0; seed < 400; seed++) {
		const struct profile_snap *snap;
		struct profile_query q;
		struct profile_rows *r;
		struct maker m;

		maker__init(&m, seed);
		maker__random_code(&m);
		maker__random_samples(&m, 1 + seed % 12, 10 + seed % 60, 2 + seed % 20);
		snap = maker__tick(&m, NSEC_PER_SEC);
		random_query(&m, &q);
		q.groups = 1 + maker__random(&m, GROUP_BIT(GROUPS) - 1);
		r = profile__query(snap, &q, scopes[seed % 3]);
		assert_false(r->rows_left_out);
		for (enum profile_group g = 0; g < GROUPS; g++)
			if (q.groups & GROUP_BIT(g))
				check_marginal(r, snap, scopes[seed % 3], g);
		profile_rows__free(r);
		snap__put(snap);
		maker__fini(&m);
	}
	for (u32 i = 1; i < ARRAY_SIZE(scopes); i++)
		scope__put(scopes[i]);
}

/*
 * main -> work in the process 7 "web" with its threads 7 and 9 "pool" (30, 40 samples) and in 8
 * "web" (20); main alone in 8 (10).
 */
static const struct profile_snap *put_tasks(struct maker *m)
{
	u32 main_ = symbols__named(m->symbols, "prog", "main", CODE_USER);
	u32 work = symbols__named(m->symbols, "lib.so", "work", CODE_USER);
	u64 deep = maker__stack(m, 0, 2, (u32[]){work, main_});
	u64 flat = maker__stack(m, 0, 1, (u32[]){main_});
	const struct stack_sample samples[] = {
		{.stack = deep, .tgid = 7, .tid = 7, .count = 30, .comm = "web"},
		{.stack = deep, .tgid = 7, .tid = 9, .count = 40, .comm = "pool", .cpu = 1},
		{.stack = deep, .tgid = 8, .tid = 8, .count = 20, .comm = "web"},
		{.stack = flat, .tgid = 8, .tid = 8, .count = 10, .comm = "web"},
	};

	for (u32 i = 0; i < ARRAY_SIZE(samples); i++) {
		struct stack_sample s = samples[i];

		s.weight = s.count;
		maker__sample(m, &s);
	}
	return maker__tick(m, NSEC_PER_SEC);
}

static void combinations_tell_tasks_apart(void **state)
{
	static const struct {
		const char *groups, *text;
		u32 rows;
		u64 first; /* samples in the heaviest row itself */
		const char *name, *comm;
		u32 tgid, tid;
	} cases[] = {
		{"symbol", "symbol", 2, 90, "work", "", 0, 0},
		{"object,symbol", "object+symbol", 2, 90, "work", "", 0, 0},
		{"symbol,comm", "comm+symbol", 4, 50, "work", "web", 0, 0},
		{"symbol+pid", "pid+symbol", 4, 70, "work", "web", 7, 0},
		{"tid,symbol", "tid+symbol", 6, 40, "work", "pool", 7, 9},
		{"pid,comm", "comm+pid", 3, 40, "pool", "pool", 7, 0},
		{"object,pid", "pid+object", 4, 70, "lib.so", "web", 7, 0},
		{"cpu,comm", "comm+cpu", 2, 60, "web", "web", 0, 0},
		{"cpu,cgroup", "cgroup+cpu", 2, 60, "[unknown]", "", 0, 0},
	};
	const struct profile_snap *snap;
	struct maker m;

	maker__init(&m, 1);
	snap = put_tasks(&m);
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		struct profile_query q = query(GROUP_SYMBOL);
		struct profile_rows *r;

		assert_true(profile_groups__parse(cases[i].groups, &q.groups));
		r = profile__query(snap, &q, NULL);
		assert_string_equal(r->grouping, cases[i].text);
		assert_int_equal(r->nrows, cases[i].rows);
		assert_int_equal(r->rows[0].self_count, cases[i].first);
		assert_string_equal(r->rows[0].name, cases[i].name);
		assert_string_equal(r->rows[0].comm, cases[i].comm);
		assert_int_equal(r->rows[0].tgid, cases[i].tgid);
		assert_int_equal(r->rows[0].tid, cases[i].tid);
		profile_rows__free(r);
	}
	snap__put(snap);
	maker__fini(&m);
}

static void groups_are_read_and_written(void **state)
{
	static const char *const wrong[] = {"",		 ",",	"comm,",   ",comm",
					    "comm,,pid", "com", "comm pid"};
	char text[GROUPS_TEXT];
	u32 groups;

	for (u32 i = 1; i < GROUP_BIT(GROUPS); i++) {
		assert_true(profile_groups__parse(profile_groups__text(i, text, sizeof(text)),
						  &groups));
		assert_int_equal(groups, i);
	}
	for (u32 i = 0; i < ARRAY_SIZE(wrong); i++) {
		assert_false(profile_groups__parse(wrong[i], &groups));
		assert_int_equal(groups, 0);
	}
}

/* Many functions in many threads: a bounded number of rows, and nothing of self is lost. */
static void rows_of_pairs_are_bounded(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	const struct profile_snap *snap;
	struct profile_rows *r;
	struct maker m;
	u64 self = 0;

	maker__init(&m, 3);
	for (u32 i = 0; i < 1000; i++)
		fake__loc(m.symbols, 0, fake__func(m.symbols, 0, "fn", 0), i);
	for (u32 i = 0; i < 400; i++) {
		u32 locs[150];

		for (u32 k = 0; k < ARRAY_SIZE(locs); k++)
			locs[k] = 1 + maker__random(&m, 1000);
		maker__put(&m, maker__stack(&m, 0, ARRAY_SIZE(locs), locs), 1 + i, 3);
	}
	snap = maker__tick(&m, NSEC_PER_SEC);
	q.groups |= GROUP_BIT(GROUP_PID);
	r = profile__query(snap, &q, NULL);
	assert_true(r->rows_left_out);
	assert_in_range(r->nrows, PROFILE_MAX_PAIRS, PROFILE_MAX_PAIRS + 400);
	for (u32 i = 0; i < r->nrows; i++)
		self += r->rows[i].self_count;
	assert_int_equal(self, 1200);
	profile_rows__free(r);
	snap__put(snap);
	maker__fini(&m);
}

static void random_profiles_add_up(void **state)
{
	static const char *const scopes[] = {"",
					     "pid=100-102",
					     "!comm~a",
					     "sym~f",
					     "!sym~main !sym~g",
					     "obj~lib",
					     "!obj~kernel",
					     "cpu=1 sym~e",
					     "tree=101 !obj~prog"};
	struct scope *parsed[ARRAY_SIZE(scopes)];

	for (u32 i = 0; i < ARRAY_SIZE(scopes); i++)
		parsed[i] = parse(scopes[i]);
	for (u64 seed = 0; seed < 1500; seed++) {
		const struct profile_snap *snap;
		struct maker m;

		maker__init(&m, seed);
		maker__random_code(&m);
		maker__random_samples(&m, 1 + seed % 20, seed % 60, 2 + seed % 40);
		snap__put(maker__tick(&m, NSEC_PER_SEC));
		maker__random_samples(&m, 5, seed % 20, 12);
		snap = maker__tick(&m, NSEC_PER_SEC);
		check_totals(snap);
		for (u32 i = 0; i < 3; i++)
			check_query(&m, snap, parsed[maker__random(&m, ARRAY_SIZE(scopes))]);
		snap__put(snap);
		maker__fini(&m);
	}
	for (u32 i = 0; i < ARRAY_SIZE(scopes); i++)
		scope__put(parsed[i]);
}

/* Wide and deep trees stay within their bounds and still add up. */
static void large_chains_are_pruned_and_add_up(void **state)
{
	struct profile_query q = query(GROUP_PID);
	const struct profile_snap *snap;
	struct profile_rows *r;
	struct maker m;
	u32 others = 0;

	maker__init(&m, 9);
	for (u32 i = 0; i < 300; i++)
		fake__loc(m.symbols, 0, fake__func(m.symbols, 0, "fn", 0), i);
	for (u32 i = 0; i < 3000; i++) {
		u32 locs[200];

		for (u32 k = 0; k < ARRAY_SIZE(locs); k++)
			locs[k] = 1 + maker__random(&m, 300);
		maker__put(&m, maker__stack(&m, 0, 1 + i % 200, locs), 7, 1 + i % 5);
	}
	snap = maker__tick(&m, NSEC_PER_SEC);
	r = profile__query(snap, &q, NULL);
	q.unfolded[q.nunfolded++] = r->rows[0].key;
	profile_rows__free(r);
	for (u32 i = 0; i < 2; i++) {
		q.callee_first = i;
		r = profile__query(snap, &q, NULL);
		assert_true(r->base.nnodes > 300);
		check_chains(r);
		for (u32 k = 0; k < r->base.nnodes; k++) {
			others += !strcmp(r->base.nodes[k].name, "[others]");
			assert_true(r->base.nodes[k].depth <= ANSWER_TREE_DEPTH);
		}
		profile_rows__free(r);
	}
	assert_true(others > 0);
	snap__put(snap);
	maker__fini(&m);
}

/* Below the threshold a node goes with others, but not alone; three have a node anyhow. */
static void light_nodes_are_merged(void **state)
{
	static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
	static const u64 counts[] = {99000, 900, 90, 7, 2, 1};

	for (u32 n = 4; n <= ARRAY_SIZE(names); n++) {
		struct profile_query q = query(GROUP_PID);
		const struct profile_snap *snap;
		struct profile_rows *r;
		struct maker m;

		maker__init(&m, 1);
		for (u32 i = 0; i < n; i++) {
			u32 loc = symbols__named(m.symbols, "prog", names[i], CODE_USER);

			maker__put(&m, maker__stack(&m, 0, 1, &loc), 7, counts[i]);
		}
		snap = maker__tick(&m, NSEC_PER_SEC);
		r = profile__query(snap, &q, NULL);
		q.unfolded[q.nunfolded++] = r->rows[0].key;
		profile_rows__free(r);
		r = profile__query(snap, &q, NULL);
		assert_int_equal(r->base.nnodes, 4);
		assert_string_equal(r->base.nodes[2].name, "c");
		assert_string_equal(r->base.nodes[3].name, n == 4 ? "d" : "[others]");
		assert_int_equal(r->base.nodes[3].count, n == 4 ? 7 : n == 5 ? 9 : 10);
		profile_rows__free(r);
		snap__put(snap);
		maker__fini(&m);
	}
}

/* Rows keep their identity from tick to tick; so does what is unfolded below them. */
static void keys_are_stable_across_ticks(void **state)
{
	struct profile_query q = query(GROUP_SYMBOL);
	struct profile_rows *a, *b;
	const struct profile_snap *next;
	struct hand h;

	hand__init(&h);
	a = unfold(&h, &q, "g");
	hand__put(&h, 0, 2, (u32[]){h.rec, h.g}, 500);
	next = maker__tick(&h.m, NSEC_PER_SEC);
	b = profile__query(next, &q, NULL);
	assert_true(row_named(a, "g")->key == row_named(b, "g")->key);
	assert_int_equal(b->base.trees[row_named(b, "g") - b->rows].n, 3);
	assert_string_equal(b->base.nodes[0].name, "[no caller]");
	assert_string_equal(b->base.nodes[1].name, "f");
	assert_true(a->base.nodes[0].key == b->base.nodes[1].key);
	profile_rows__free(a);
	profile_rows__free(b);
	snap__put(next);
	hand__fini(&h);
}

static void an_empty_profile_is_no_error(void **state)
{
	struct offset_weight *w;
	struct folded_sum folded = {0};
	struct maker m;
	const struct profile_snap *snap;

	maker__init(&m, 1);
	snap = maker__tick(&m, NSEC_PER_SEC);
	for (enum profile_group g = 0; g < GROUPS; g++) {
		struct profile_query q = query(g);
		struct profile_rows *r;

		q.nunfolded = 1;
		q.unfolded[0] = 123;
		r = profile__query(snap, &q, NULL);
		assert_int_equal(r->nrows + r->base.nnodes + r->count, 0);
		profile_rows__free(r);
		profile__folded(snap, &q, NULL, sum_line, &folded);
		assert_int_equal(profile__offsets(snap, &q, NULL, 1, &w), 0);
		free(w);
	}
	assert_int_equal(folded.samples, 0);
	snap__put(snap);
	maker__fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_have_self_and_total),
		cmocka_unit_test(objects_and_tasks_group_all),
		cmocka_unit_test(modes_choose_by_the_leaf),
		cmocka_unit_test(scopes_select_tasks_and_names),
		cmocka_unit_test(rows_are_functions_and_not_names),
		cmocka_unit_test(unresolved_samples_have_a_row),
		cmocka_unit_test(inlined_functions_are_split_on_demand),
		cmocka_unit_test(truncation_is_told_by_the_outermost_function),
		cmocka_unit_test(chains_go_both_ways),
		cmocka_unit_test(chains_of_objects_and_tasks),
		cmocka_unit_test(butterflies_are_true),
		cmocka_unit_test(offsets_sum_to_the_function),
		cmocka_unit_test(folded_text_is_root_first),
		cmocka_unit_test(folded_lines_are_distinct_and_clean),
		cmocka_unit_test(columns_apply_by_group),
		cmocka_unit_test(cells_hold_the_rows),
		cmocka_unit_test(combinations_sum_to_their_keys),
		cmocka_unit_test(combinations_tell_tasks_apart),
		cmocka_unit_test(groups_are_read_and_written),
		cmocka_unit_test(rows_of_pairs_are_bounded),
		cmocka_unit_test(random_profiles_add_up),
		cmocka_unit_test(large_chains_are_pruned_and_add_up),
		cmocka_unit_test(light_nodes_are_merged),
		cmocka_unit_test(keys_are_stable_across_ticks),
		cmocka_unit_test(an_empty_profile_is_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
