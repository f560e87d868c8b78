// SPDX-License-Identifier: GPL-2.0-only
/* Pairs that lie in each other: a tree in the table, a graph of their own times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "models/asked.h"
#include "models/flame.h"
#include "models/model.h"
#include "tests/lib/fake_symbols.h"

struct nest {
	struct symbols *symbols;
	struct model *model;
	struct ask_sample turn;
	struct snap *snap;
};

static void put(struct nest *n, const char *path, u64 count, u64 total, u64 own)
{
	const struct measure_key keys[] = {{hash_bytes(path, strlen(path)), path}};
	struct measure_sample s = {.head.type = SAMPLE_MEASURE,
				   .keys = keys,
				   .nkeys = 1,
				   .count = count,
				   .sum = total,
				   .min = total / count,
				   .max = total / count,
				   .sums = {own},
				   .who = {.tgid = 7, .tid = 7, .comm = "prog", .process = "prog"}};

	model_pairs.consume(n->model, &s.head);
}

static void begin(struct nest *n)
{
	struct ask_form *f = &n->turn.form;

	*n = (struct nest){.symbols = fake_symbols__new()};
	n->model = model_pairs.new(n->symbols);
	n->turn = (struct ask_sample){.head.type = SAMPLE_ASK, .n = 1};
	copy_str(f->text, sizeof(f->text), "nest a -> b");
	copy_str(f->event, sizeof(f->event), "a");
	copy_str(f->noun, sizeof(f->noun), "pairs");
	f->kind = ASK_PAIRS;
	f->shape = MEASURE_SHAPE_SPAN;
	f->nlabels = 1;
	copy_str(f->labels[0].name, sizeof(f->labels[0].name), "pair");
	f->labels[0].bits = 64;
	f->labels[0].width = 30;
	f->by = 1;
	f->sums[0] = (struct ask_sum){ASK_NEST_OWN, "", 1};
	model_pairs.consume(n->model, &n->turn.head);
	put(n, "irq", 5, 500, 300);
	put(n, "irq > timer", 2, 80, 80);
	put(n, "irq > soft > timer", 1, 20, 20);
	put(n, "irq > soft", 3, 120, 100);
	put(n, "irq:b", 9, 900, 900);
	put(n, "lost > soft", 1, 10, 10); /* what it was in has not ended */
	n->snap = model_pairs.tick(n->model, 0, NSEC_PER_SEC);
}

static void end(struct nest *n)
{
	snap__put(n->snap);
	model_pairs.free(n->model);
	fake_symbols__free(n->symbols);
}

static const char *shown(const struct query_result *a, u32 row, bool screen)
{
	struct value v;

	for (u32 i = 0; i < a->table.ncolumns; i++)
		if (!strcmp(a->table.columns[i].name, "pair") &&
		    a->table.columns[i].flags & (screen ? COLUMN_SCREEN : COLUMN_EXPORT) &&
		    a->table.cell(&a->table, row, i, &v))
			return v.s;
	return "no column";
}

static void the_table_is_a_tree(void **state)
{
	static const struct {
		const char *screen, *path;
	} want[] = {
		{"irq", "irq"},
		{"\u2514\u2500 soft", "irq > soft"},
		{"  \u2514\u2500 timer", "irq > soft > timer"},
		{"\u2514\u2500 timer", "irq > timer"},
		{"irq:b", "irq:b"},
		{"lost > soft", "lost > soft"},
	};
	struct measure_query q = {.groups = 1, .window = WINDOW_LAST};
	struct query_result *a;
	struct nest n;
	u32 order[ARRAY_SIZE(want)];

	begin(&n);
	q.asked = ask_form__measure(&n.turn.form);
	a = asked__query_one(n.snap, &q, NULL);
	assert_int_equal(a->table.nrows, ARRAY_SIZE(want));
	row_table__sort(&a->table, a->table.sort, false, order);
	for (u32 i = 0; i < ARRAY_SIZE(want); i++) {
		assert_int_equal(order[i], i);
		assert_string_equal(shown(a, i, true), want[i].screen);
		assert_string_equal(shown(a, i, false), want[i].path);
	}
	query_result__free(a);
	end(&n);
}

static const struct flame_node *node(const struct flame_result *a, u32 parent, const char *name)
{
	for (u32 i = parent + 1; i < a->nodes[parent].end; i++)
		if (a->nodes[i].parent == parent && !strcmp(flame__frame(a, i)->name, name))
			return &a->nodes[i];
	fail_msg("no box %s", name);
	return NULL;
}

static void own_times_add_up(void **state)
{
	struct measure_query of = {.groups = 1, .window = WINDOW_LAST};
	const struct flame_node *irq, *soft;
	const double ns = 1;
	struct flame_query q;
	struct flame_result *a;
	struct nest n;

	begin(&n);
	of.asked = ask_form__measure(&n.turn.form);
	flame_query__init(&q, &flame_pairs, &of);
	a = flame__build((const struct snap *const[]){n.snap}, &ns, &q, NULL);
	assert_int_equal(a->nodes[0].value, 500 + 900 + 10);
	irq = node(a, 0, "irq");
	assert_int_equal(irq->value, 500);
	assert_int_equal(irq->self, 300);
	soft = node(a, (u32)(irq - a->nodes), "soft");
	assert_int_equal(soft->value, 120);
	assert_int_equal(soft->self, 100);
	assert_int_equal(node(a, (u32)(soft - a->nodes), "timer")->value, 20);
	assert_int_equal(node(a, (u32)(irq - a->nodes), "timer")->value, 80);
	assert_int_equal(node(a, 0, "irq:b")->value, 900);
	assert_int_equal(node(a, (u32)(node(a, 0, "lost") - a->nodes), "soft")->value, 10);
	query_result__free(&a->base);
	end(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_is_a_tree),
		cmocka_unit_test(own_times_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
