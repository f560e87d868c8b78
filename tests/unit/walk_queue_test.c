// SPDX-License-Identifier: GPL-2.0-only
/* Copies of stacks on their way through a worker: order, bounds, and what becomes of the rest. */
#include "sources/walk_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/worker.h" /* its threads: under TSan too */
#include "tests/lib/gate.h"

#define ROOM  (64u << 10)
#define BYTES 4096
#define LONG  60000 /* ms: for what comes as soon as it can */

static struct gate gate = GATE_INIT;

/* --- a walker that says what it was given --- */

struct stack_space {
	u32 tgid;
	u64 t_ns;
};

static u32 spaces; /* not put back */

static struct stack_space *get_space(const struct stack_walker *w, u32 tgid, u64 t_ns)
{
	struct stack_space *s = xmalloc(sizeof(*s));

	*s = (struct stack_space){tgid, t_ns};
	spaces++;
	return s;
}

static void put_space(const struct stack_walker *w, struct stack_space *s)
{
	free(s);
	spaces--;
}

static u32 walk(const struct stack_walker *w, const struct stack_space *s,
		const struct stack_copy *copy, u64 *ips, u32 max, enum walk_end *end)
{
	gate__pass(&gate);
	ips[0] = copy->regs.ip;
	ips[1] = copy->stack[0] + copy->stack[copy->nstack - 1];
	ips[2] = s->tgid + s->t_ns;
	ips[max - 1] = 0; /* there is room for so many */
	*end = WALK_COPY_ENDS;
	return 3;
}

static const struct stack_walker walker = {get_space, put_space, walk};

/* --- what comes out --- */

static struct {
	u32 n, next; /* the note that has to come now */
	bool wrong;
} out;

static void on_walked(void *ctx, const void *note, const u64 *ips, u32 n, enum walk_end end)
{
	u32 i = *(const u32 *)note;

	out.wrong |= ctx != &out || i != out.next || n != 3 || end != WALK_COPY_ENDS ||
		     ips[0] != 1000 + i || ips[1] != 2 * (i & 0x7f) || ips[2] != 7 + i;
	out.next++;
	out.n++;
}

static struct walk_queue *begin(size_t room)
{
	memset(&out, 0, sizeof(out));
	return walk_queue__new(&walker, room, on_walked, &out);
}

/* Everything of the caller's is gone when it returns. */
static bool put(struct walk_queue *q, u32 i)
{
	u8 *stack = xmalloc(BYTES);
	struct stack_copy copy = {
		.tgid = 7, .t_ns = i, .regs.ip = 1000 + i, .stack = stack, .nstack = BYTES};
	bool ok;

	memset(stack, (int)(i & 0x7f), BYTES);
	ok = walk_queue__put(q, &copy, &i, sizeof(i));
	free(stack);
	return ok;
}

static u32 fill(struct walk_queue *q, u32 from)
{
	u32 n = 0;

	while (put(q, from + n) && n < 10000)
		n++;
	return n;
}

/* --- tests --- */

static void test_in_order(void **state)
{
	struct walk_queue *q = begin((size_t)32 << 20);

	for (u32 i = 0; i < 1000; i++) {
		assert_true(put(q, i));
		if (i % 37 == 0)
			walk_queue__post(q);
		if (i % 100 == 0)
			walk_queue__reap(q, 0);
	}
	walk_queue__post(q);
	walk_queue__reap(q, LONG);
	assert_int_equal(out.n, 1000);
	assert_false(out.wrong);
	assert_int_equal(walk_queue__count(q), 0);
	assert_int_equal(walk_queue__bytes(q), 0);
	assert_int_equal(spaces, 0);
	walk_queue__free(q);
}

/* A worker that does not get on: so much and no more, posted or not; with what comes out there is
 * as much room again. */
static void test_bounds(void **state)
{
	struct walk_queue *q = begin(ROOM);
	u32 n = fill(q, 0);

	assert_in_range(n, ROOM / BYTES / 2, ROOM / BYTES);
	assert_true(walk_queue__bytes(q) <= ROOM);
	gate__close(&gate);
	walk_queue__post(q);
	gate__await(&gate);
	assert_false(put(q, n));
	walk_queue__reap(q, 0);
	assert_int_equal(out.n, 0);
	assert_int_equal(walk_queue__count(q), n);
	gate__open(&gate);
	walk_queue__reap(q, LONG);
	assert_int_equal(out.n, n);
	assert_int_equal(walk_queue__bytes(q), 0);
	assert_int_equal(fill(q, n), n);
	walk_queue__post(q);
	walk_queue__reap(q, LONG);
	assert_int_equal(out.n, 2 * n);
	assert_false(out.wrong);
	walk_queue__free(q);
	assert_int_equal(spaces, 0);
}

/* What was not posted is not waited for. */
static void test_not_posted(void **state)
{
	struct walk_queue *q = begin(ROOM);

	assert_true(put(q, 0));
	walk_queue__reap(q, LONG);
	assert_int_equal(out.n, 0);
	assert_int_equal(walk_queue__count(q), 1);
	walk_queue__free(q);
	assert_int_equal(spaces, 0);
}

static void *open_gate(void *arg)
{
	gate__open(&gate);
	return NULL;
}

/* Freed with copies in all states: nothing comes out, nothing stays. */
static void test_dropped(void **state)
{
	struct walk_queue *q = begin((size_t)32 << 20);
	pthread_t thread;

	gate__close(&gate);
	for (u32 i = 0; i < 200; i++)
		assert_true(put(q, i));
	walk_queue__post(q);
	assert_true(put(q, 200));
	gate__await(&gate);
	assert_int_equal(pthread_create(&thread, NULL, open_gate, NULL), 0);
	walk_queue__free(q);
	pthread_join(thread, NULL);
	assert_int_equal(out.n, 0);
	assert_int_equal(spaces, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_in_order),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_not_posted),
		cmocka_unit_test(test_dropped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
