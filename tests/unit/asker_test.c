// SPDX-License-Identifier: GPL-2.0-only
/* Questions outlive the screens that asked them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/worker.h"
#include "symbols/symbols.h"
#include "tui/views/asker.h"

/* --- a host that keeps what is posted --- */

static struct snap profile = {.refs = 1};
static struct frame frame = {.base.refs = 1, .seq = 1, .snaps[MODEL_PROFILE] = &profile};
static struct symbols *symbols;
static struct job *posted[4];
static u32 nposted;

const struct frame *host__frame(const struct host *h)
{
	return &frame;
}

const struct baseline *host__baseline(const struct host *h)
{
	return NULL;
}

const struct scope *host__scope(const struct host *h)
{
	return NULL;
}

struct symbols *host__symbols(const struct host *h)
{
	return symbols;
}

bool host__paused(const struct host *h)
{
	return false;
}

void host__post(struct host *h, struct job *j)
{
	assert_true(nposted < ARRAY_SIZE(posted));
	posted[nposted++] = j;
}

static u32 nanswered;

void host__answered(struct host *h, u64 cpu_ns)
{
	assert_true(cpu_ns > 0);
	nanswered++;
}

static bool is_soon;

bool host__too_soon(const struct host *h)
{
	return is_soon;
}

/* --- a screen that has its own way of asking --- */

struct query {
	u64 number;
};

struct screen_of_test {
	struct asker_ops ops;
	struct asker asker;
	struct answer *answer;
};

static u32 nfreed;

static void free_answer(struct answer *a)
{
	nfreed++;
	free(a);
}

static struct answer *run(const struct frame *f, const void *query, const struct scope *scope)
{
	struct answer *a = xcalloc(1, sizeof(*a));

	a->free = free_answer;
	a->table.nrows = (u32)((const struct query *)query)->number;
	return a;
}

static void ready(void *owner, struct answer *answer)
{
	struct screen_of_test *s = owner;

	answer__free(s->answer);
	s->answer = answer;
}

static struct screen_of_test *open_screen(void)
{
	struct screen_of_test *s = xcalloc(1, sizeof(*s));

	s->ops = (struct asker_ops){
		.size = sizeof(struct query), .model = MODEL_PROFILE, .run = run};
	asker__init(&s->asker, NULL, &s->ops, s, ready);
	return s;
}

static void close_screen(struct screen_of_test *s)
{
	asker__fini(&s->asker);
	answer__free(s->answer);
	free(s);
}

static void ask(struct screen_of_test *s, u64 number)
{
	asker__ask(&s->asker, &(struct query){number});
}

/* As the worker and the UI do. */
static void answer_all(void)
{
	for (u32 i = 0; i < nposted; i++)
		posted[i]->run(posted[i]);
	for (u32 i = 0; i < nposted; i++)
		posted[i]->done(posted[i]);
	nposted = 0;
}

static void test_answer(void **state)
{
	struct screen_of_test *s = open_screen();

	nanswered = 0;
	ask(s, 7);
	assert_true(asker__busy(&s->asker));
	answer_all();
	assert_int_equal(nanswered, 1);
	assert_false(asker__busy(&s->asker));
	assert_int_equal(s->answer->table.nrows, 7);
	ask(s, 7);
	assert_int_equal(nposted, 0);
	ask(s, 8);
	frame.seq++;
	ask(s, 8);
	assert_int_equal(nposted, 2);
	answer_all();
	assert_int_equal(s->answer->table.nrows, 8);
	close_screen(s);
}

/* Newer frames have to wait after a dear answer; another question has not. */
static void test_too_soon(void **state)
{
	struct screen_of_test *s = open_screen();

	ask(s, 1);
	answer_all();
	is_soon = true;
	frame.seq++;
	ask(s, 1);
	assert_int_equal(nposted, 0);
	ask(s, 2);
	assert_int_equal(nposted, 1);
	answer_all();
	frame.seq++;
	ask(s, 2);
	assert_int_equal(nposted, 0);
	is_soon = false;
	ask(s, 2);
	assert_int_equal(nposted, 1);
	answer_all();
	close_screen(s);
}

/* The worker is behind: it comes to the question when the screen is gone, ops and all. */
static void test_screen_is_left(void **state)
{
	struct screen_of_test *s = open_screen();
	u32 before = nfreed;

	ask(s, 1);
	close_screen(s);
	assert_int_equal(nposted, 1);
	answer_all();
	assert_int_equal(nfreed, before + 1);
}

/* The program ends before the worker came to it. */
static void test_dropped(void **state)
{
	struct screen_of_test *s = open_screen();

	ask(s, 1);
	close_screen(s);
	posted[0]->drop(posted[0]);
	nposted = 0;
	assert_int_equal(atomic_load(&profile.refs), 1);
	assert_int_equal(atomic_load(&frame.base.refs), 1);
}

static int setup(void **state)
{
	struct status st;

	symbols = symbols__new(&st);
	return symbols ? 0 : -1;
}

static int teardown(void **state)
{
	symbols__free(symbols);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_answer),
		cmocka_unit_test(test_too_soon),
		cmocka_unit_test(test_screen_is_left),
		cmocka_unit_test(test_dropped),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
