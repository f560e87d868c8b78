/* SPDX-License-Identifier: GPL-2.0-only */
/* What flame graphs look like, and that what is drawn is found where it is drawn. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/lib/golden.h"
#include "widgets/flame.h"

static const struct size {
	int w, h;
	const char *name;
} sizes[] = {{80, 12, "80x12"}, {160, 20, "160x20"}, {30, 4, "tiny"}, {1, 1, "dot"}};

/* Preorder: depth, value, cold part. */
static const struct row {
	u32 depth;
	u64 value, cold;
	enum flame_hue hue;
	const char *name;
} rows[] = {
	{0, 1000, 250, FLAME_HUE_PLAIN, "all"},
	{1, 700, 250, FLAME_HUE_PLAIN, "orders"},
	{2, 690, 250, FLAME_HUE_LIBRARY, "start_thread"},
	{3, 690, 250, FLAME_HUE_USER, "worker_main"},
	{4, 400, 0, FLAME_HUE_USER,
	 "handle_batch(std::vector<Order, std::allocator<Order>> const&)"},
	{5, 130, 0, FLAME_HUE_INLINED, "hash_step"},
	{5, 7, 0, FLAME_HUE_INLINED, "narrow"},
	{5, 6, 0, FLAME_HUE_INLINED, "narrower"},
	{5, 2, 0, FLAME_HUE_USER, "unseen"},
	{6, 1, 0, FLAME_HUE_USER, "unseen_child"},
	{5, 240, 0, FLAME_HUE_USER, "sign_order"},
	{4, 251, 250, FLAME_HUE_LIBRARY, "pthread_mutex_lock"},
	{5, 251, 250, FLAME_HUE_KERNEL, "futex_wait"},
	{2, 10, 0, FLAME_HUE_PLAIN, "[unknown]"},
	{1, 190, 0, FLAME_HUE_PLAIN, "java"},
	{2, 95, 0, FLAME_HUE_JIT, "Lshop/Cart;::checkout"},
	{2, 95, 0, FLAME_HUE_JIT, "Lshop/Cart;::checkout2"},
	{1, 110, 0, FLAME_HUE_PLAIN, "数据库"},
	{2, 110, 0, FLAME_HUE_KERNEL, "entry_SYSCALL_64_after_hwframe"},
};

struct boxes {
	struct flame_box b[ARRAY_SIZE(rows)];
	const char *search;
	bool cold;
};

static void box_of(const void *of, u32 i, struct flame_box *out)
{
	const struct boxes *boxes = of;

	*out = boxes->b[i];
	out->match = boxes->search && strstr(out->name, boxes->search);
	if (!boxes->cold)
		out->cold = 0;
}

static void boxes__init(struct boxes *boxes)
{
	u32 n = ARRAY_SIZE(rows), at[16] = {0};
	u64 next[16] = {0};

	*boxes = (struct boxes){0};
	for (u32 i = 0; i < n; i++) {
		u32 d = rows[i].depth;

		boxes->b[i] = (struct flame_box){
			.start = next[d],
			.value = rows[i].value,
			.cold = rows[i].cold,
			.parent = d ? at[d - 1] : FLAME_NO_BOX,
			.depth = d,
			.hue = rows[i].hue,
			.shade = (u8)strlen(rows[i].name),
			.name = rows[i].name,
		};
		at[d] = i;
		next[d + 1] = next[d];
		next[d] += rows[i].value;
		for (boxes->b[i].end = i + 1;
		     boxes->b[i].end < n && rows[boxes->b[i].end].depth > d;)
			boxes->b[i].end++;
	}
}

static struct flame_graph graph_of(const struct boxes *boxes)
{
	return (struct flame_graph){
		.box = box_of, .of = boxes, .n = ARRAY_SIZE(rows), .selected = FLAME_NO_BOX};
}

static u32 box_named(const char *name)
{
	u32 i = 0;

	while (strcmp(rows[i].name, name))
		i++;
	return i;
}

static void check(const char *what, const struct flame_graph *g, const struct size *size,
		  bool edges, bool ascii, bool roles)
{
	struct canvas c;
	char name[64];

	canvas__init(&c, size->w, size->h, ascii);
	c.edges = edges;
	flame__draw(g, &c, canvas__rect(&c));
	snprintf(name, sizeof(name), "flame-%s%s-%s%s", what, edges ? "-edges" : "", size->name,
		 ascii ? "-ascii" : "");
	golden__check(&c, name, roles);
	canvas__fini(&c);
}

static void test_looks(void **state)
{
	struct boxes boxes;
	struct flame_graph g;

	boxes__init(&boxes);
	g = graph_of(&boxes);
	g.selected = box_named("sign_order");
	for (u32 i = 0; i < ARRAY_SIZE(sizes); i++) {
		check("all", &g, &sizes[i], false, false, true);
		check("all", &g, &sizes[i], true, false, false);
	}
	check("all", &g, &sizes[0], false, true, false);
	check("all", &g, &sizes[0], true, true, false);
	g.icicle = true;
	check("icicle", &g, &sizes[0], true, false, false);
	g.zoom = box_named("handle_batch(std::vector<Order, std::allocator<Order>> const&)");
	check("zoom", &g, &sizes[0], true, false, false);
	check("zoom", &g, &sizes[0], false, false, true);
	g.first = 3;
	check("scrolled", &g, &sizes[0], true, false, false);
}

static void test_found_and_cold(void **state)
{
	struct boxes boxes;
	struct flame_graph g;

	boxes__init(&boxes);
	boxes.search = "h_";
	boxes.cold = true;
	g = graph_of(&boxes);
	check("found-cold", &g, &sizes[0], false, false, true);
	check("found-cold", &g, &sizes[0], true, false, true);
}

/* Each cell's box has the cell's colour; boxes of a row are found from left to right. */
static void find_all(const struct flame_graph *g, const struct canvas *c)
{
	struct rect r = canvas__rect(c);
	u32 seen = 0;

	for (int y = 0; y < r.h; y++) {
		u32 before = 0;

		for (int x = 0; x < r.w; x++) {
			u32 i = flame__at(g, c, r, x, y);
			struct flame_box b;

			if (i == FLAME_NO_BOX)
				continue;
			box_of(g->of, i, &b);
			assert_int_equal(b.depth, g->first + (u32)(r.h - 1 - y));
			assert_true(i >= before);
			if (i != before)
				seen++;
			before = i;
		}
	}
	assert_true(seen > 4);
}

static void test_finding(void **state)
{
	struct boxes boxes;
	struct flame_graph g;
	struct canvas c;
	u32 lock = box_named("pthread_mutex_lock"), batch = lock - 7;

	boxes__init(&boxes);
	g = graph_of(&boxes);
	for (int edges = 0; edges < 2; edges++) {
		canvas__init(&c, 80, 12, false);
		c.edges = edges;
		find_all(&g, &c);
		assert_int_equal(flame__at(&g, &c, canvas__rect(&c), 10, 11), 0);
		assert_int_equal(flame__at(&g, &c, canvas__rect(&c), 10, 0), FLAME_NO_BOX);
		assert_int_equal(flame__at(&g, &c, canvas__rect(&c), 90, 11), FLAME_NO_BOX);
		assert_int_equal(flame__beside(&g, &c, 80, batch, 1), lock);
		assert_int_equal(flame__beside(&g, &c, 80, lock, -1), batch);
		assert_int_equal(flame__beside(&g, &c, 80, lock, 1), lock);
		assert_int_equal(flame__beside(&g, &c, 80, box_named("java"), 1),
				 box_named("数据库"));
		assert_int_equal(flame__depth(&g, &c, 80), edges ? 6 : 5);
		canvas__fini(&c);
	}
	assert_int_equal(flame__widest(&g, batch), box_named("sign_order"));
	assert_int_equal(flame__widest(&g, box_named("futex_wait")), box_named("futex_wait"));
}

/* What is too narrow is told, with what is in it. */
static void test_hidden(void **state)
{
	struct boxes boxes;
	struct flame_graph g;
	struct canvas c;

	boxes__init(&boxes);
	g = graph_of(&boxes);
	canvas__init(&c, 40, 12, false);
	assert_int_equal(flame__draw(&g, &c, canvas__rect(&c)), 2);
	c.edges = true;
	assert_int_equal(flame__draw(&g, &c, canvas__rect(&c)), 4);
	canvas__fini(&c);
	canvas__init(&c, 0, 0, false);
	assert_int_equal(flame__draw(&g, &c, canvas__rect(&c)), 0);
	canvas__fini(&c);
}

/* Any size, any zoom, at any place: nothing is drawn outside. */
static void test_sweep(void **state)
{
	struct boxes boxes;
	struct flame_graph g;
	struct canvas c;

	boxes__init(&boxes);
	g = graph_of(&boxes);
	for (int w = 1; w < 60; w += 3)
		for (int h = 1; h < 9; h += 2)
			for (g.zoom = 0; g.zoom < g.n; g.zoom++) {
				canvas__init(&c, w + 4, h + 2, false);
				c.edges = w % 2;
				g.first = g.zoom % 3;
				g.icicle = g.zoom % 2;
				flame__draw(&g, &c, (struct rect){2, 1, w, h});
				for (int y = 0; y < h + 2; y++) {
					assert_int_equal(c.cells[y * c.w].ch[0], ' ');
					assert_int_equal(c.cells[y * c.w + c.w - 1].ch[0], ' ');
					assert_int_equal(c.cells[y * c.w + 1].role, ROLE_TEXT);
				}
				canvas__fini(&c);
			}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_looks),	cmocka_unit_test(test_found_and_cold),
		cmocka_unit_test(test_finding), cmocka_unit_test(test_hidden),
		cmocka_unit_test(test_sweep),
	};

	golden__locale();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
