// SPDX-License-Identifier: GPL-2.0-only
/* Whatever is asked of a random profile: the parts add up to the whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/lib/profile_hand.h"

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

		assert_true(end <= r->base.nnodes && tree->n <= RESULT_TREE_NODES);
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

static void check_query(struct builder *m, const struct profile_snap *snap,
			const struct scope *scope)
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
		struct builder m;

		builder__init(&m, seed);
		builder__random_code(&m);
		builder__random_samples(&m, 1 + seed % 20, seed % 60, 2 + seed % 40);
		snap__put(builder__tick(&m, NSEC_PER_SEC));
		builder__random_samples(&m, 5, seed % 20, 12);
		snap = builder__tick(&m, NSEC_PER_SEC);
		check_totals(snap);
		for (u32 i = 0; i < 3; i++)
			check_query(&m, snap, parsed[builder__random(&m, ARRAY_SIZE(scopes))]);
		snap__put(snap);
		builder__fini(&m);
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
	struct builder m;
	u32 others = 0;

	builder__init(&m, 9);
	for (u32 i = 0; i < 300; i++)
		fake__loc(m.symbols, 0, fake__func(m.symbols, 0, "fn", 0), i);
	for (u32 i = 0; i < 3000; i++) {
		u32 locs[200];

		for (u32 k = 0; k < ARRAY_SIZE(locs); k++)
			locs[k] = 1 + builder__random(&m, 300);
		builder__put(&m, builder__stack(&m, 0, 1 + i % 200, locs), 7, 1 + i % 5);
	}
	snap = builder__tick(&m, NSEC_PER_SEC);
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
			assert_true(r->base.nodes[k].depth <= RESULT_TREE_DEPTH);
		}
		profile_rows__free(r);
	}
	assert_true(others > 0);
	snap__put(snap);
	builder__fini(&m);
}

static void an_empty_profile_is_no_error(void **state)
{
	struct offset_weight *w;
	struct folded_sum folded = {0};
	struct builder m;
	const struct profile_snap *snap;

	builder__init(&m, 1);
	snap = builder__tick(&m, NSEC_PER_SEC);
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
	builder__fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_profiles_add_up),
		cmocka_unit_test(large_chains_are_pruned_and_add_up),
		cmocka_unit_test(an_empty_profile_is_no_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
