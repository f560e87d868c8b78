// SPDX-License-Identifier: GPL-2.0-only
/* Questions outlive the screens that asked them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/worker.h"
#include "symbols/symbols.h"
#include "tui/views/query_client.h"

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
	struct query_client_ops ops;
	struct query_client query_client;
	struct query_result *result;
};

static u32 nfreed;

static void free_result(struct query_result *a)
{
	nfreed++;
	free(a);
}

static struct query_result *run(const struct frame *f, const void *query, const struct scope *scope)
{
	struct query_result *a = xcalloc(1, sizeof(*a));

	a->free = free_result;
	a->table.nrows = (u32)((const struct query *)query)->number;
	return a;
}

static void ready(void *owner, struct query_result *result)
{
	struct screen_of_test *s = owner;

	query_result__free(s->result);
	s->result = result;
}

static struct screen_of_test *open_screen(void)
{
	struct screen_of_test *s = xcalloc(1, sizeof(*s));

	s->ops = (struct query_client_ops){
		.size = sizeof(struct query), .model = MODEL_PROFILE, .run = run};
	query_client__init(&s->query_client, NULL, &s->ops, s, ready);
	return s;
}

static void close_screen(struct screen_of_test *s)
{
	query_client__fini(&s->query_client);
	query_result__free(s->result);
	free(s);
}

static void ask(struct screen_of_test *s, u64 number)
{
	query_client__ask(&s->query_client, &(struct query){number});
}

/* As the worker and the UI do. */
static void result_all(void)
{
	for (u32 i = 0; i < nposted; i++)
		posted[i]->run(posted[i]);
	for (u32 i = 0; i < nposted; i++)
		posted[i]->done(posted[i]);
	nposted = 0;
}

static void test_result(void **state)
{
	struct screen_of_test *s = open_screen();

	nanswered = 0;
	ask(s, 7);
	assert_true(query_client__busy(&s->query_client));
	result_all();
	assert_int_equal(nanswered, 1);
	assert_false(query_client__busy(&s->query_client));
	assert_int_equal(s->result->table.nrows, 7);
	ask(s, 7);
	assert_int_equal(nposted, 0);
	ask(s, 8);
	frame.seq++;
	ask(s, 8);
	assert_int_equal(nposted, 2);
	result_all();
	assert_int_equal(s->result->table.nrows, 8);
	close_screen(s);
}

/* Newer frames have to wait after a dear answer; another question has not. */
static void test_too_soon(void **state)
{
	struct screen_of_test *s = open_screen();

	ask(s, 1);
	result_all();
	is_soon = true;
	frame.seq++;
	ask(s, 1);
	assert_int_equal(nposted, 0);
	ask(s, 2);
	assert_int_equal(nposted, 1);
	result_all();
	frame.seq++;
	ask(s, 2);
	assert_int_equal(nposted, 0);
	is_soon = false;
	ask(s, 2);
	assert_int_equal(nposted, 1);
	result_all();
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
	result_all();
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
		cmocka_unit_test(test_result),
		cmocka_unit_test(test_too_soon),
		cmocka_unit_test(test_screen_is_left),
		cmocka_unit_test(test_dropped),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
