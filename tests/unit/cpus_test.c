// SPDX-License-Identifier: GPL-2.0-only
/* CPUs that are on, and news of them: of devices told as the kernel tells them, in a network
 * namespace where nobody else hears it. */
#include "base/cpus.h"

#include <linux/netlink.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/arena.h"
#include "tests/lib/skip.h"

static u32 parse(const char *text, u32 *cpus, u32 max)
{
	FILE *f = fmemopen((char *)text, strlen(text), "r");
	u32 n = cpus__parse(f, cpus, max);

	fclose(f);
	return n;
}

static void test_lists(void **state)
{
	u32 v[8];

	assert_int_equal(parse("0\n", v, 8), 1);
	assert_int_equal(parse("0-2,5,7-8\n", v, 8), 6);
	assert_int_equal(v[2], 2);
	assert_int_equal(v[3], 5);
	assert_int_equal(v[5], 8);
	assert_int_equal(parse("0-4000000000\n", v, 8), 8);
	assert_int_equal(parse("\n", v, 8), 0);
	assert_int_equal(parse("3-1,x", v, 8), 0);
}

static void test_online(void **state)
{
	u32 *cpus, n = cpus__online(&cpus);

	assert_int_equal(n, sysconf(_SC_NPROCESSORS_ONLN));
	for (u32 i = 1; i < n; i++)
		assert_true(cpus[i] > cpus[i - 1]);
	free(cpus);
}

static void tell(const char *what)
{
	struct sockaddr_nl to = {.nl_family = AF_NETLINK, .nl_groups = 1};
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
	size_t n = strlen(what) + 1;

	assert_int_equal(sendto(fd, what, n, 0, (struct sockaddr *)&to, sizeof(to)), n);
	close(fd);
}

static void expect_news(struct cpus_watch *w, u64 slept_ns, bool changed)
{
	struct cpus_news news = cpus_watch__look(w);

	assert_int_equal(news.slept_ns / NSEC_PER_MSEC, slept_ns / NSEC_PER_MSEC);
	assert_int_equal(news.changed, changed);
}

static bool readable(const struct cpus_watch *w)
{
	struct pollfd p = {.fd = w->fd, .events = POLLIN};

	return poll(&p, 1, 0) == 1;
}

static void test_news(void **state)
{
	struct cpus_watch w;

	if (unshare(CLONE_NEWNET))
		skip_because("no network namespace of its own (run as root)");
	cpus_watch__init(&w);
	assert_true(w.uevents >= 0 && w.sleeps >= 0 && w.n > 0);
	expect_news(&w, 0, false);
	tell("add@/devices/virtual/net/veth0");
	assert_false(readable(&w));
	tell("online@/devices/system/memory/memory3");
	tell("online");
	assert_true(readable(&w));
	expect_news(&w, 0, false);
	tell("offline@/devices/system/cpu/cpu1");
	tell("online@/devices/system/cpu/cpu1");
	assert_true(readable(&w));
	expect_news(&w, 0, true);
	expect_news(&w, 0, false);
	assert_false(readable(&w));
	cpus_watch__fini(&w);
}

/* Where what it watches cannot be had, the set of CPUs and the clocks still can. */
static void test_looks(void **state)
{
	struct cpus_watch w;

	cpus_watch__init(&w);
	close(w.uevents);
	w.uevents = -1;
	expect_news(&w, 0, false);
	w.cpus[0]++;
	expect_news(&w, 0, true);
	w.n++;
	expect_news(&w, 0, true);
	w.slept_ns -= NSEC_PER_SEC + NSEC_PER_MSEC / 2; /* a reading is some microseconds off */
	expect_news(&w, NSEC_PER_SEC, false);
	expect_news(&w, 0, false);
	cpus_watch__fini(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_online),
		cmocka_unit_test(test_news),
		cmocka_unit_test(test_looks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
