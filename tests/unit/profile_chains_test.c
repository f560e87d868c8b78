// SPDX-License-Identifier: GPL-2.0-only
/* Chains of a profile, callers and callees, offsets and folded text, by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/lib/profile_hand.h"

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
	struct builder m;
	u32 o, f, locs[2];

	builder__init(&m, 1);
	o = fake__object(m.symbols, "prog", CODE_USER);
	f = fake__func(m.symbols, o, "hot", 0);
	locs[0] = fake__loc(m.symbols, o, f, 0x40);
	locs[1] = fake__loc(m.symbols, o, f, 0x20);
	builder__put(&m, builder__stack(&m, 0, 1, locs), 7, 3);
	builder__put(&m, builder__stack(&m, 0, 2, locs), 7, 4);
	builder__put(&m, builder__stack(&m, 0, 1, locs + 1), 7, 1);
	snap = builder__tick(&m, NSEC_PER_SEC);
	assert_int_equal(profile__offsets(snap, &q, NULL, f, &w), 2);
	assert_int_equal(w[0].offset, 0x20);
	assert_int_equal(w[0].count, 1);
	assert_int_equal(w[1].offset, 0x40);
	assert_near(w[1].pct, 87.5);
	free(w);
	assert_int_equal(profile__offsets(snap, &q, NULL, 0, &w), 0);
	free(w);
	snap__put(snap);
	builder__fini(&m);
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
	struct builder m;
	u32 a, b, c;

	builder__init(&m, 1);
	a = symbols__named(m.symbols, "a.so", "La;\nb", CODE_USER);
	b = symbols__named(m.symbols, "b.so", "La;\nb", CODE_USER);
	c = symbols__named(m.symbols, "b.so", "La: b", CODE_USER);
	builder__put(&m, builder__stack(&m, 0, 1, &a), 7, 1);
	builder__put(&m, builder__stack(&m, 0, 1, &b), 8, 2);
	builder__put(&m, builder__stack(&m, 0, 1, &c), 8, 4);
	snap = builder__tick(&m, NSEC_PER_SEC);
	profile__folded(snap, &q, NULL, keep_line, &t);
	assert_int_equal(t.n, 1);
	assert_string_equal(t.lines[0], "task;La: b 7");
	snap__put(snap);
	builder__fini(&m);
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
		struct builder m;

		builder__init(&m, 1);
		for (u32 i = 0; i < n; i++) {
			u32 loc = symbols__named(m.symbols, "prog", names[i], CODE_USER);

			builder__put(&m, builder__stack(&m, 0, 1, &loc), 7, counts[i]);
		}
		snap = builder__tick(&m, NSEC_PER_SEC);
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
		builder__fini(&m);
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
	next = builder__tick(&h.m, NSEC_PER_SEC);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(chains_go_both_ways),
		cmocka_unit_test(chains_of_objects_and_tasks),
		cmocka_unit_test(butterflies_are_true),
		cmocka_unit_test(offsets_sum_to_the_function),
		cmocka_unit_test(folded_text_is_root_first),
		cmocka_unit_test(folded_lines_are_distinct_and_clean),
		cmocka_unit_test(light_nodes_are_merged),
		cmocka_unit_test(keys_are_stable_across_ticks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
