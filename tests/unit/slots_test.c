// SPDX-License-Identifier: GPL-2.0-only
/* Slots whose sources open what they have anew: they are listened to as before. */
#include "pipeline/slots.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/arena.h"
#include "base/clock.h"
#include "scope/filter.h"

#define TAG 7

struct source {
	int fd;
};

static bool refuses;

static struct source *fake__open(const struct sampling *how, const struct scope *scope,
				 struct status *st)
{
	struct source *s = xcalloc(1, sizeof(*s));

	s->fd = eventfd(0, EFD_NONBLOCK);
	return s;
}

static void fake__close(struct source *s)
{
	close(s->fd);
	free(s);
}

static int fake__fd(struct source *s)
{
	return s->fd;
}

/* The fresh one may get the number that the old one had, as it does here. */
static int fake__renew(struct source *s, struct status *st)
{
	if (refuses)
		return status__set(st, EXIT_CODE_FAILURE, -EMFILE, "none left");
	close(s->fd);
	s->fd = eventfd(0, EFD_NONBLOCK);
	return 0;
}

static int fake__set_scope(struct source *s, const struct scope *scope, struct status *st)
{
	return fake__renew(s, st);
}

static const struct source_ops fake = {
	.name = "fake",
	.open = fake__open,
	.close = fake__close,
	.fd = fake__fd,
	.renew = fake__renew,
	.set_scope = fake__set_scope,
};

static const struct source_ops fixed = {
	.name = "fixed",
	.open = fake__open,
	.close = fake__close,
};

static struct slots slots;
static struct status st;

static int set_up(void **state)
{
	static const struct source_row rows[] = {{&fake, MODEL_PROFILE, 1},
						 {&fixed, MODEL_PROFILE, 1}};
	struct sampling how = {0};
	struct filter_error err;

	refuses = false;
	slots__init(&slots, rows, ARRAY_SIZE(rows), epoll_create1(EPOLL_CLOEXEC), TAG, &how,
		    filter__parse("", &err));
	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(slot__open(&slots, &slots.v[i], &st), 0);
	return 0;
}

static int tear_down(void **state)
{
	int fd = slots.epoll_fd;

	slots__fini(&slots);
	close(fd);
	return 0;
}

/* One shot: asking takes it. */
static bool is_heard(void)
{
	struct epoll_event ev;
	u64 one = 1;

	assert_int_equal(write(slots.v[0].src->fd, &one, sizeof(one)), sizeof(one));
	return epoll_wait(slots.epoll_fd, &ev, 1, 0) == 1 && ev.data.u32 == TAG;
}

static void test_renewed_is_heard(void **state)
{
	assert_true(is_heard());
	assert_false(is_heard());
	assert_int_equal(slot__renew(&slots, &slots.v[0], &st), 0);
	assert_true(is_heard());
	assert_int_equal(slot__set_scope(&slots, &slots.v[0], slots.scope, NULL, &st), 0);
	assert_true(is_heard());
}

static void test_muted_is_heard_again(void **state)
{
	assert_true(is_heard());
	slot__mute(&slots, &slots.v[0], clock__monotonic_ns());
	assert_int_equal(slots.nmuted, 1);
	assert_int_equal(slot__renew(&slots, &slots.v[0], &st), 0);
	assert_int_equal(slots.nmuted, 0);
	assert_true(is_heard());
}

static void test_refused_is_stale(void **state)
{
	refuses = true;
	assert_int_equal(slot__renew(&slots, &slots.v[0], &st), -EMFILE);
	assert_string_equal(st.msg, "none left");
	assert_true(slots.v[0].stale);
	assert_true(is_heard());
	refuses = false;
	assert_int_equal(slot__renew(&slots, &slots.v[0], &st), 0);
	assert_false(slots.v[0].stale);
}

static void test_nothing_of_cpus(void **state)
{
	assert_int_equal(slot__renew(&slots, &slots.v[1], &st), 0);
	assert_false(slots.v[1].stale);
	slot__close(&slots, &slots.v[0]);
	assert_int_equal(slot__renew(&slots, &slots.v[0], &st), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_renewed_is_heard, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_muted_is_heard_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_refused_is_stale, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_nothing_of_cpus, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
