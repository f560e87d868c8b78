// SPDX-License-Identifier: GPL-2.0-only
/* What unfolds below rows of waits: where they wait, who ended them, and who woke those. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "tests/lib/fake_symbols.h"
#include "tests/lib/waits_scene.h"

/* Asks twice: for the rows, then with the one of that name unfolded. */
static struct waits_result *unfolded(const struct waits_snap *snap, struct waits_query q,
				     const char *name, const struct row_tree **tree)
{
	struct waits_result *a = waits__query(snap, &q, NULL);
	u32 row = 0;

	while (row < a->nrows && strcmp(a->rows[row].name, name) != 0)
		row++;
	if (row == a->nrows)
		fail_msg("no row %s", name);
	q.nunfolded = 1;
	q.unfolded[0] = a->rows[row].key;
	query_result__free(&a->base);
	a = waits__query(snap, &q, NULL);
	*tree = &a->base.trees[row];
	return a;
}

/* "name" with two blanks a level; headings end in ':'. */
static void write_tree(const struct waits_result *a, const struct row_tree *t, char *buf,
		       size_t size)
{
	size_t n = 0;

	*buf = '\0';
	for (u32 i = t->first; i < t->first + t->n; i++) {
		const struct tree_node *node = &a->base.nodes[i];

		n += (size_t)snprintf(buf + n, size - n, "%*s%s%s\n", (int)(node->depth - 1) * 2,
				      "", node->name, node->heading ? ":" : "");
		assert_true(n < size);
	}
}

static void assert_tree(const struct waits_snap *snap, struct waits_query q, const char *row,
			const char *want)
{
	const struct row_tree *tree;
	struct waits_result *a = unfolded(snap, q, row, &tree);
	char buf[4096];

	write_tree(a, tree, buf, sizeof(buf));
	assert_string_equal(buf, want);
	query_result__free(&a->base);
}

/* --- where it waits --- */

static void a_place_unfolds_to_its_callers(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_TID) | BIT(WAITS_BY_STACK));
	struct scene s;

	scene__init(&s);
	assert_tree(s.snap, q, "futex_wait",
		    "futex_wait\n"
		    "  do_futex\n"
		    "    lock\n"
		    "      take_lock\n"
		    "        main\n");
	q.caller_first = true;
	assert_tree(s.snap, q, "futex_wait",
		    "main\n"
		    "  take_lock\n"
		    "    lock\n"
		    "      do_futex\n"
		    "        futex_wait\n");
	scene__fini(&s);
}

/* Rows by thread have several: each reason is a part. */
static void reasons_head_their_stacks(void **state)
{
	const struct row_tree *tree;
	const struct tree_node *n;
	struct waits_result *a;
	struct scene s;

	scene__init(&s);
	assert_tree(s.snap, query(BIT(WAITS_BY_TID)), "holder",
		    "disk, D:\n"
		    "  filemap_read\n"
		    "    vfs_read\n"
		    "      load\n"
		    "        main\n"
		    "preempted, R:\n"
		    "  spin\n"
		    "    main\n");
	a = unfolded(s.snap, query(BIT(WAITS_BY_TID)), "holder", &tree);
	n = &a->base.nodes[tree->first];
	assert_int_equal(n->count, 1);
	assert_string_equal(n->object_name, "1 wait");
	assert_int_equal(n->nchildren, 1);
	assert_int_equal(n->parent, UINT32_MAX);
	/* Of all that is harmful: 120 of 1900 ms, above and below the heading. */
	assert_true(fabs(n->pct - 120 * 100 / 1900.0) < 1e-6);
	assert_true(fabs(n[1].pct - n->pct) < 1e-6);
	assert_int_equal(n[1].parent, tree->first);
	query_result__free(&a->base);
	scene__fini(&s);
}

static void no_stack_is_said(void **state)
{
	struct scene s;

	scene__init(&s);
	assert_tree(s.snap, query(BIT(WAITS_BY_STACK)), "[no stack]", "[no stack]\n");
	scene__fini(&s);
}

/* --- who ended it --- */

struct chain {
	struct builder m;
	const struct waits_snap *snap;
	struct task_ident t[4];
};

static void chain__wait(struct chain *c, u32 of, u32 by, const char *function, u64 ns)
{
	struct wait_sample w = ended(c->t[of], KERNEL(&c->m, "pipe_read"), 0, 2, ns);

	w.waker = woken_by(c->t[by], KERNEL(&c->m, "pipe_write"), USER(&c->m, function));
	builder__wait(&c->m, w);
}

static void chain__init(struct chain *c)
{
	static const char *const names[] = {"a", "b", "c", "d"};

	builder__init(&c->m, 1);
	for (u32 i = 0; i < 4; i++)
		c->t[i] = thread_of(10 + i, 10 + i, names[i]);
}

static void chain__fini(struct chain *c)
{
	snap__put(c->snap);
	builder__fini(&c->m);
}

/* a wakes b wakes c; c is asked. */
static void wakers_lead_to_their_wakers(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_TID));
	const struct row_tree *tree;
	struct waits_result *a;
	struct chain c;

	chain__init(&c);
	chain__wait(&c, 2, 1, "b_writes", 20 * MSEC);
	chain__wait(&c, 1, 0, "a_writes", 30 * MSEC);
	c.snap = builder__tick(&c.m, NSEC_PER_SEC);
	q.wakers = true;
	assert_tree(c.snap, q, "c",
		    "woken by b/11:\n"
		    "  pipe_write\n"
		    "    b_writes\n"
		    "  who was woken by a/10:\n"
		    "    pipe_write\n"
		    "      a_writes\n");
	a = unfolded(c.snap, q, "c", &tree);
	/* What b waited is no part of what c did: no share is shown. */
	assert_true(fabs(a->base.nodes[tree->first].pct - 40) < 1e-6);
	assert_true(a->base.nodes[tree->first + 3].pct < 0);
	assert_true(a->base.nodes[tree->first + 4].pct < 0);
	assert_int_equal(a->base.nodes[tree->first].nchildren, 2);
	assert_string_equal(a->base.nodes[tree->first + 3].object_name, "2 waits");
	query_result__free(&a->base);
	chain__fini(&c);
}

/* Ping-pong: the way ends where it has been. */
static void wakers_in_a_circle_come_to_an_end(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_TID));
	struct chain c;

	chain__init(&c);
	chain__wait(&c, 0, 1, "b_writes", 20 * MSEC);
	chain__wait(&c, 1, 0, "a_writes", 20 * MSEC);
	c.snap = builder__tick(&c.m, NSEC_PER_SEC);
	q.wakers = true;
	assert_tree(c.snap, q, "a",
		    "woken by b/11:\n"
		    "  pipe_write\n"
		    "    b_writes\n"
		    "  who was woken by a/10:\n"
		    "    pipe_write\n"
		    "      a_writes\n");
	chain__fini(&c);
}

static void the_heaviest_wakers_are_shown(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_TID));
	char want[1024] = "";
	struct chain c;

	chain__init(&c);
	for (u32 i = 0; i < 12; i++) {
		struct wait_sample w = ended(c.t[0], 0, 0, 1, (20 - i) * MSEC);

		w.waker = woken_by(thread_of(50, 50 + i, "w"), 0, 0);
		builder__wait(&c.m, w);
		if (i < 8)
			snprintf(want + strlen(want), sizeof(want) - strlen(want),
				 "woken by w/%u:\n", 50 + i);
	}
	c.snap = builder__tick(&c.m, NSEC_PER_SEC);
	q.wakers = true;
	strcat(want, "[others]:\n");
	assert_tree(c.snap, q, "a", want);
	chain__fini(&c);
}

static void who_is_no_waker_is_said(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_TID));
	struct scene s;

	scene__init(&s);
	q.wakers = true;
	assert_tree(s.snap, q, "app",
		    "woken by [timer]:\n"
		    "  hrtimer_wakeup\n"
		    "    hrtimer_interrupt\n");
	assert_tree(s.snap, q, "reader", "not woken yet:\n");
	assert_tree(s.snap, q, "holder",
		    "the waker was not seen:\n"
		    "preempted: nobody has to wake it:\n");
	scene__fini(&s);
}

/* An interrupt that came while user code ran has that thread's name: it is no waker. */
static void an_interrupt_of_user_code_is_no_waker(void **state)
{
	struct waits_query q = query(BIT(WAITS_BY_TID));
	struct wait_sample w;
	struct waits_result *a;
	struct chain c;

	chain__init(&c);
	w = ended(c.t[0], KERNEL(&c.m, "do_nanosleep"), 0, 3, 10 * MSEC);
	w.waker = woken_by(c.t[1],
			   KERNEL(&c.m, "__traceiter_sched_waking", "try_to_wake_up",
				  "hrtimer_wakeup", "asm_sysvec_apic_timer_interrupt"),
			   USER(&c.m, "b_spins"));
	builder__wait(&c.m, w);
	chain__wait(&c, 1, 3, "d_writes", 5 * MSEC);
	c.snap = builder__tick(&c.m, NSEC_PER_SEC);
	q.wakers = true;
	assert_tree(c.snap, q, "a",
		    "woken by [timer]:\n"
		    "  try_to_wake_up\n"
		    "    hrtimer_wakeup\n"
		    "      asm_sysvec_apic_timer_interrupt\n");
	a = waits__query(c.snap, &q, NULL);
	assert_string_equal(row_named(a, "a")->woken_by, "");
	assert_null(row_named(a, "a")->woken);
	assert_string_equal(row_named(a, "b")->woken_by, "d/13");
	query_result__free(&a->base);
	chain__fini(&c);
}

/* --- bounds --- */

static void assert_well_formed(const struct waits_result *a)
{
	for (u32 r = 0; r < a->nrows; r++) {
		const struct row_tree *t = &a->base.trees[r];
		u32 *children = xcalloc(t->n + 1, sizeof(*children));

		assert_true(t->n <= RESULT_TREE_NODES && t->first + t->n <= a->base.nnodes);
		for (u32 i = t->first; i < t->first + t->n; i++) {
			const struct tree_node *n = &a->base.nodes[i];

			assert_in_range(n->depth, 1, RESULT_TREE_DEPTH);
			if (n->depth == 1) {
				assert_int_equal(n->parent, UINT32_MAX);
				continue;
			}
			assert_in_range(n->parent, t->first, i - 1);
			assert_int_equal(a->base.nodes[n->parent].depth, n->depth - 1);
			children[n->parent - t->first]++;
		}
		for (u32 i = 0; i < t->n; i++)
			assert_int_equal(a->base.nodes[t->first + i].nchildren, children[i]);
		free(children);
	}
}

/* Deep stacks of many threads that wake each other. */
static void trees_are_bounded(void **state)
{
	const struct waits_snap *snap;
	struct builder m;

	builder__init(&m, 7);
	for (u32 i = 0; i < 400; i++) {
		static const char *const names[] = {"f", "g", "h", "i"};
		u32 locs[200], n = 1 + builder__random(&m, ARRAY_SIZE(locs) - 1);
		struct wait_sample w;

		for (u32 k = 0; k < ARRAY_SIZE(locs); k++)
			locs[k] = symbols__named(m.symbols, "prog", names[builder__random(&m, 4)],
						 CODE_USER);
		w = ended(thread_of(10, 10 + i % 9, "t"), 0, builder__stack(&m, 0, n, locs), 1,
			  MSEC + i);
		w.waker = woken_by(thread_of(10, 10 + (i * 7 + i / 9) % 9, "t"), 0,
				   builder__stack(&m, 0, n, locs + 200 - n));
		builder__wait(&m, w);
	}
	snap = builder__tick(&m, NSEC_PER_SEC);
	for (u32 i = 0; i < 4; i++) {
		struct waits_query q = query(i / 2 ? BIT(WAITS_BY_PID) : BIT(WAITS_BY_TID));
		struct waits_result *a = waits__query(snap, &q, NULL);

		q.wakers = i % 2;
		for (u32 r = 0; r < a->nrows && r < RESULT_MAX_UNFOLDED; r++)
			q.unfolded[q.nunfolded++] = a->rows[r].key;
		query_result__free(&a->base);
		a = waits__query(snap, &q, NULL);
		assert_well_formed(a);
		assert_true(a->base.nnodes > 100);
		query_result__free(&a->base);
	}
	snap__put(snap);
	builder__fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_unfolds_to_its_callers),
		cmocka_unit_test(reasons_head_their_stacks),
		cmocka_unit_test(no_stack_is_said),
		cmocka_unit_test(wakers_lead_to_their_wakers),
		cmocka_unit_test(wakers_in_a_circle_come_to_an_end),
		cmocka_unit_test(the_heaviest_wakers_are_shown),
		cmocka_unit_test(who_is_no_waker_is_said),
		cmocka_unit_test(an_interrupt_of_user_code_is_no_waker),
		cmocka_unit_test(trees_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
