/* SPDX-License-Identifier: GPL-2.0-only */
/* The merged tree: its sums, its order, both directions, search, bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "models/flame.h"
#include "tests/lib/fake_symbols.h"
#include "tests/lib/profile_builder.h"

static struct flame_query query_of(enum time_window window)
{
	struct profile_query p = {
		.groups = GROUP_BIT(GROUP_SYMBOL), .window = window, .user = true, .kernel = true};
	struct flame_query q;

	flame_query__init(&q, &flame_profile, &p);
	return q;
}

static struct flame_result *ask(const struct profile_snap *s, const struct flame_query *q,
				const struct scope *scope)
{
	const struct snap *snaps[FLAME_PARTS] = {&s->base, &s->base};
	double weight_ns[FLAME_PARTS] = {1e7, 1e7};

	return flame__build(snaps, weight_ns, q, scope);
}

static void done(struct flame_result *a)
{
	query_result__free(&a->base);
}

static u32 find(const struct flame_result *a, u32 from, const char *name)
{
	for (u32 i = from; i < a->nodes[from].end; i++)
		if (!strcmp(flame__frame(a, i)->name, name))
			return i;
	return UINT32_MAX;
}

/* Names below a node in order, with what they weigh. */
static const char *children(const struct flame_result *a, u32 node)
{
	static char buf[512];
	size_t n = 0;

	*buf = '\0';
	for (u32 i = node + 1; i < a->nodes[node].end; i = a->nodes[i].end)
		n += (size_t)snprintf(buf + n, sizeof(buf) - n, "%s%s:%llu", n ? " " : "",
				      flame__frame(a, i)->name,
				      (unsigned long long)a->nodes[i].value);
	return buf;
}

static void check_tree(const struct flame_result *a, u64 total)
{
	assert_int_equal(a->nodes[0].value, total);
	assert_int_equal(a->nodes[0].end, a->nnodes);
	for (u32 i = 0; i < a->nnodes; i++) {
		const struct flame_node *n = &a->nodes[i];
		u64 sum = n->self, at = n->start;

		assert_true(n->cold <= n->value);
		for (u32 c = i + 1; c < n->end; c = a->nodes[c].end) {
			assert_int_equal(a->nodes[c].parent, i);
			assert_int_equal(a->nodes[c].depth, n->depth + 1);
			assert_int_equal(a->nodes[c].start, at);
			if (a->nodes[c].end < n->end)
				assert_true(strcmp(flame__frame(a, c)->name,
						   flame__frame(a, a->nodes[c].end)->name) <= 0);
			at += a->nodes[c].value;
			sum += a->nodes[c].value;
		}
		assert_int_equal(sum, n->value);
	}
}

/* main -> b -> c 3 (in the kernel), main -> b 2, main -> a 5, of two commands. */
static void put_some(struct builder *m)
{
	struct symbols *s = m->symbols;
	u32 prog = fake__object(s, "prog", CODE_USER),
	    libc = fake__object(s, "libc.so.6", CODE_USER);
	u32 kernel = fake__object(s, "[kernel]", CODE_KERNEL);
	u32 main_ = fake__loc(s, prog, fake__func(s, prog, "main", FUNC_OUTERMOST), 1);
	u32 b = fake__loc(s, libc, fake__func(s, libc, "b", 0), 2);
	u32 c = fake__loc(s, kernel, fake__func(s, kernel, "c", 0), 3);
	u32 a = fake__loc(s, prog, fake__func(s, prog, "a", 0), 4);
	struct stack_sample y = {.tgid = 9, .tid = 9, .count = 5, .weight = 5, .comm = "y"};

	builder__put(m, builder__stack(m, 1, 2, (u32[]){c, b, main_}), 7, 3);
	builder__put(m, builder__stack(m, 0, 2, (u32[]){b, main_}), 7, 2);
	y.stack = builder__stack(m, 0, 2, (u32[]){a, main_});
	builder__sample(m, &y);
}

static void test_small(void **state)
{
	struct flame_query q = query_of(WINDOW_LAST);
	const struct profile_snap *s;
	struct flame_result *a;
	struct builder m;
	u32 main_;

	builder__init(&m, 1);
	put_some(&m);
	s = builder__tick(&m, NSEC_PER_SEC);
	a = ask(s, &q, NULL);
	check_tree(a, 10);
	assert_string_equal(children(a, 0), "task:5 y:5");
	assert_int_equal(a->stacks, 3);
	main_ = find(a, find(a, 0, "task"), "main");
	assert_string_equal(children(a, main_), "b:5");
	assert_true(flame__frame(a, find(a, 0, "b"))->library);
	assert_int_equal(flame__frame(a, find(a, 0, "c"))->kind, CODE_KERNEL);
	done(a);

	q.by_comm = false;
	a = ask(s, &q, NULL);
	check_tree(a, 10);
	assert_string_equal(children(a, 0), "main:10");
	assert_string_equal(children(a, 1), "a:5 b:5");
	assert_int_equal(a->nodes[find(a, 0, "b")].self, 2);
	done(a);

	q.leaf_first = true;
	a = ask(s, &q, NULL);
	check_tree(a, 10);
	assert_string_equal(children(a, 0), "a:5 b:2 c:3");
	assert_string_equal(children(a, find(a, 0, "c")), "b:3");
	done(a);
	snap__put(s);
	builder__fini(&m);
}

static void test_search(void **state)
{
	struct flame_query q = query_of(WINDOW_LAST);
	const struct profile_snap *s;
	struct flame_result *a;
	struct builder m;

	builder__init(&m, 1);
	put_some(&m);
	s = builder__tick(&m, NSEC_PER_SEC);
	/* A stack with two matches counts once, its inner one too. */
	copy_str(q.search, sizeof(q.search), "^[bc]$");
	a = ask(s, &q, NULL);
	assert_int_equal(a->matched, 5);
	assert_int_equal(a->nmatches, 2);
	assert_int_equal(flame__matched(a, find(a, 0, "c")), 3);
	assert_int_equal(flame__matched(a, find(a, 0, "y")), 0);
	done(a);
	q.leaf_first = true;
	a = ask(s, &q, NULL);
	assert_int_equal(a->matched, 5);
	done(a);
	copy_str(q.search, sizeof(q.search), "^all$");
	a = ask(s, &q, NULL);
	assert_int_equal(a->matched, 0);
	done(a);
	copy_str(q.search, sizeof(q.search), "(");
	a = ask(s, &q, NULL);
	assert_true(a->wrong[0]);
	assert_int_equal(a->nmatches, 0);
	done(a);
	snap__put(s);
	builder__fini(&m);
}

/* --- against the folded text, at random --- */

struct sums {
	u64 total;
	u32 n;
	struct {
		char text[600];
		u64 weight;
	} lines[2000];
};

static void put(struct sums *s, const char *text, u64 weight)
{
	s->total += weight;
	for (u32 i = 0; i < s->n; i++) {
		if (strcmp(s->lines[i].text, text))
			continue;
		s->lines[i].weight += weight;
		return;
	}
	assert_true(s->n < ARRAY_SIZE(s->lines));
	copy_str(s->lines[s->n].text, sizeof(s->lines[0].text), text);
	s->lines[s->n++].weight = weight;
}

static void put_folded(void *ctx, const char *stack, u64 samples)
{
	put(ctx, stack, samples);
}

static void put_path(void *ctx, const struct value_frame *frames, u32 n, u64 weight)
{
	char text[4096];
	size_t len = 0;

	for (u32 i = 0; i < n; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i ? ";" : "",
					frames[i].symbol);
	put(ctx, text, weight);
}

static void same_sums(const struct sums *a, const struct sums *b)
{
	assert_int_equal(a->total, b->total);
	assert_int_equal(a->n, b->n);
	for (u32 i = 0; i < a->n; i++) {
		u32 k = 0;

		while (k < b->n && strcmp(a->lines[i].text, b->lines[k].text))
			k++;
		assert_true(k < b->n);
		assert_int_equal(a->lines[i].weight, b->lines[k].weight);
	}
}

static void compare(const struct profile_snap *s, bool inlined, const struct scope *scope)
{
	struct flame_query q = query_of(WINDOW_TOTAL);
	struct profile_query *p = (struct profile_query *)q.parts[0].query;
	struct sums *is = xcalloc(1, sizeof(*is)), *want = xcalloc(1, sizeof(*want));
	struct flame_result *a, *reversed;

	q.inlined = p->inlined = inlined;
	a = ask(s, &q, scope);
	check_tree(a, a->nodes[0].value);
	flame__stacks(a, 0, put_path, is);
	profile__folded(s, p, scope, put_folded, want);
	same_sums(is, want);
	assert_int_equal(a->cut, 0);
	q.leaf_first = true;
	reversed = ask(s, &q, scope);
	check_tree(reversed, a->nodes[0].value);
	done(a);
	done(reversed);
	free(is);
	free(want);
}

static void test_random(void **state)
{
	for (u64 seed = 1; seed <= 20; seed++) {
		const struct profile_snap *s;
		struct builder m;

		builder__init(&m, seed);
		builder__random_code(&m);
		builder__random_samples(&m, 60, 200, 12);
		s = builder__tick(&m, NSEC_PER_SEC);
		compare(s, seed % 2, NULL);
		snap__put(s);
		builder__fini(&m);
	}
}

/* Then main -> a 3 and main -> b 1, now main -> a 2 alone: shares count, not samples; what is gone
 * is there, without a width unless boxes lie as they did. */
static void test_compared(void **state)
{
	struct flame_query q = query_of(WINDOW_LAST);
	const struct profile_snap *baseline, *now;
	struct frame before = {0}, f = {0};
	struct flame_result *a;
	struct builder m;
	u32 prog, main_, in_a, in_b;

	builder__init(&m, 1);
	prog = fake__object(m.symbols, "prog", CODE_USER);
	main_ = fake__loc(m.symbols, prog, fake__func(m.symbols, prog, "main", FUNC_OUTERMOST), 1);
	in_a = fake__loc(m.symbols, prog, fake__func(m.symbols, prog, "a", 0), 2);
	in_b = fake__loc(m.symbols, prog, fake__func(m.symbols, prog, "b", 0), 3);
	builder__put(&m, builder__stack(&m, 0, 2, (u32[]){in_a, main_}), 7, 3);
	builder__put(&m, builder__stack(&m, 0, 2, (u32[]){in_b, main_}), 7, 1);
	baseline = builder__tick(&m, NSEC_PER_SEC);
	builder__put(&m, builder__stack(&m, 0, 2, (u32[]){in_a, main_}), 7, 2);
	now = builder__tick(&m, NSEC_PER_SEC);
	before.snaps[MODEL_PROFILE] = &baseline->base;
	f.snaps[MODEL_PROFILE] = &now->base;
	a = flame__compare(&f, &before, &q, NULL);
	check_tree(a, 2);
	assert_int_equal(a->nodes[0].baseline, 4);
	assert_int_equal(a->gone, 1);
	assert_int_equal(a->stacks, 1);
	assert_true(flame__change(a, find(a, 0, "a")) == 25);
	assert_true(flame__change(a, find(a, 0, "b")) == -25);
	assert_int_equal(flame_node__width(a, &a->nodes[find(a, 0, "b")]), 0);
	done(a);
	q.by_baseline = true;
	a = flame__compare(&f, &before, &q, NULL);
	assert_int_equal(flame_node__width(a, &a->nodes[find(a, 0, "b")]), 1);
	assert_int_equal(a->nodes[find(a, 0, "b")].start, 3);
	done(a);
	snap__put(baseline);
	snap__put(now);
	builder__fini(&m);
}

/* Each node emitted below a part of the tree has the part's path; weights are the part's. */
static void test_zoomed_stacks(void **state)
{
	struct flame_query q = query_of(WINDOW_LAST);
	struct sums *is = xcalloc(1, sizeof(*is));
	const struct profile_snap *s;
	struct flame_result *a;
	struct builder m;

	builder__init(&m, 1);
	put_some(&m);
	s = builder__tick(&m, NSEC_PER_SEC);
	a = ask(s, &q, NULL);
	flame__stacks(a, find(a, 0, "b"), put_path, is);
	assert_int_equal(is->n, 2);
	assert_int_equal(is->total, 5);
	assert_string_equal(is->lines[0].text, "task;main;b");
	assert_string_equal(is->lines[1].text, "task;main;b;c");
	free(is);
	done(a);
	snap__put(s);
	builder__fini(&m);
}

/* The same stacks as hot and as cold ones: in one tree, as time. */
static void test_hot_and_cold(void **state)
{
	struct flame_source cold = flame_profile;
	struct flame_query q = query_of(WINDOW_LAST);
	const struct profile_snap *s;
	struct flame_result *a;
	struct builder m;
	u32 b;

	cold.cold = true;
	q.parts[1] = q.parts[0];
	q.parts[1].source = &cold;
	q.nparts = 2;
	builder__init(&m, 1);
	put_some(&m);
	s = builder__tick(&m, NSEC_PER_SEC);
	a = ask(s, &q, NULL);
	check_tree(a, 200 * 1000 * 1000);
	b = find(a, 0, "b");
	assert_int_equal(a->nodes[b].value, 100 * 1000 * 1000);
	assert_int_equal(a->nodes[b].cold, 50 * 1000 * 1000);
	assert_int_equal(a->unit, VALUE_NS);
	done(a);
	snap__put(s);
	builder__fini(&m);
}

/* More frames than there is room for: nothing is lost but the outer ends, which is told. */
static void test_bounded(void **state)
{
	enum { STACKS = 9000, DEPTH = 60 };
	struct profile_entry *entries = xcalloc(STACKS, sizeof(*entries));
	struct symbols *s = fake_symbols__new();
	struct profile_snap snap = {.symbols = s, .nentries = STACKS, .entries = entries};
	static const char comms[1][COMM_LEN] = {"x"};
	struct flame_query q = query_of(WINDOW_LAST);
	struct flame_result *a;
	struct arena arena = {0};
	u32 o = fake__object(s, "prog", CODE_USER);

	for (u32 i = 0; i < 2000; i++)
		fake__loc(s, o, fake__func(s, o, "f", 0), i);
	snap.comms = comms;
	snap.ncomms = 1;
	atomic_store(&snap.base.refs, 10);
	for (u32 i = 0; i < STACKS; i++) {
		struct callstack *p = arena__alloc(&arena, sizeof(*p) + DEPTH * sizeof(*p->locs));

		p->nuser = DEPTH;
		for (u32 k = 0; k < DEPTH; k++)
			p->locs[k] = 1 + (u32)(mix64(i * DEPTH + k) % 2000);
		entries[i].stack = p;
		entries[i].count[WINDOW_LAST] = i == 77 ? 1000 : 1;
	}
	a = ask(&snap, &q, NULL);
	check_tree(a, STACKS + 999);
	assert_int_equal(a->nnodes, FLAME_MAX_NODES);
	assert_true(a->cut > 1000 && a->cut < STACKS);
	done(a);
	arena__fini(&arena);
	fake_symbols__free(s);
	free(entries);
}

/* Nothing at all is a root of no width. */
static void test_empty(void **state)
{
	struct flame_query q = query_of(WINDOW_LAST);
	struct flame_result *a;
	struct builder m;
	const struct profile_snap *s;

	builder__init(&m, 1);
	s = builder__tick(&m, NSEC_PER_SEC);
	a = ask(s, &q, NULL);
	check_tree(a, 0);
	assert_int_equal(a->nnodes, 1);
	done(a);
	snap__put(s);
	builder__fini(&m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small),	     cmocka_unit_test(test_search),
		cmocka_unit_test(test_random),	     cmocka_unit_test(test_zoomed_stacks),
		cmocka_unit_test(test_hot_and_cold), cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_empty),	     cmocka_unit_test(test_compared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
