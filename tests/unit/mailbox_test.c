// SPDX-License-Identifier: GPL-2.0-only
#include "pipeline/mailbox.h"

#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "base/arena.h"

struct letter {
	struct snap base;
	u64 n;
};

static atomic_int alive;

static void letter__free(struct snap *s)
{
	atomic_fetch_sub(&alive, 1);
	free(s);
}

static struct snap *letter(u64 n)
{
	struct letter *l = xcalloc(1, sizeof(*l));

	atomic_fetch_add(&alive, 1);
	atomic_init(&l->base.refs, 1);
	l->base.free = letter__free;
	l->n = n;
	return &l->base;
}

static bool readable(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static void test_latest_wins(void **state)
{
	struct mailbox m;
	struct snap *s;

	assert_int_equal(mailbox__init(&m), 0);
	assert_false(readable(m.fd));
	assert_null(mailbox__take(&m));
	for (u64 n = 1; n <= 3; n++)
		mailbox__publish(&m, letter(n));
	assert_int_equal(atomic_load(&alive), 1);
	assert_true(readable(m.fd));
	s = mailbox__take(&m);
	assert_int_equal(((struct letter *)s)->n, 3);
	assert_false(readable(m.fd));
	assert_null(mailbox__take(&m));
	snap__put(s);
	mailbox__publish(&m, letter(4));
	mailbox__fini(&m);
	assert_int_equal(atomic_load(&alive), 0);
}

#define LETTERS 20000

static void *publish_all(void *arg)
{
	for (u64 n = 1; n <= LETTERS; n++)
		mailbox__publish(arg, letter(n));
	return NULL;
}

/* What is taken only gets newer, the last one always arrives, and nothing leaks. */
static void test_two_threads(void **state)
{
	struct mailbox m;
	pthread_t thread;
	u64 last = 0;

	assert_int_equal(mailbox__init(&m), 0);
	assert_int_equal(pthread_create(&thread, NULL, publish_all, &m), 0);
	while (last < LETTERS) {
		struct pollfd p = {.fd = m.fd, .events = POLLIN};
		struct snap *s;

		assert_int_equal(poll(&p, 1, 20000), 1);
		s = mailbox__take(&m);
		if (!s)
			continue;
		assert_true(((struct letter *)s)->n > last);
		last = ((struct letter *)s)->n;
		snap__put(s);
	}
	pthread_join(thread, NULL);
	mailbox__fini(&m);
	assert_int_equal(atomic_load(&alive), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_latest_wins),
		cmocka_unit_test(test_two_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
