// SPDX-License-Identifier: GPL-2.0-only
/* Names of block devices from the text of /proc/diskstats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>

#include "base/arena.h"
#include "sources/block_devices.h"
#include "sources/block_loss.h"

#define DEV(major, minor) ((u32)(major) << 20 | (minor))

static void expect_name(const struct block_devices *d, u32 dev, const char *name)
{
	char out[IO_NAME_LEN];

	block_devices__name(d, dev, out);
	assert_string_equal(out, name);
}

static void names_and_what_is_in_flight(void **state)
{
	struct block_devices d = {0};

	block_devices__parse(&d, " 254       0 vda 10 0 80 5 20 1 160 9 7 3 14 0 0 0 0 1 2\n"
				 " 259       1 nvme0n1p1 1 2 3 4 5 6 7 8 18446744073709551615 0 0\n"
				 "   7       3 loop3 0 0 0 0 0 0 0 0 0 0 0\n");
	assert_int_equal(d.n, 3);
	expect_name(&d, DEV(254, 0), "vda");
	expect_name(&d, DEV(259, 1), "nvme0n1p1");
	expect_name(&d, DEV(7, 3), "loop3");
	expect_name(&d, DEV(8, 17), "8:17");
	assert_int_equal(d.items[0].dev, DEV(7, 3)); /* by number */
	assert_int_equal(d.items[1].in_flight, 7);
	assert_int_equal(d.items[1].done, 31);
	assert_int_equal(d.items[2].in_flight, 0); /* below 0 for a moment */
	block_devices__fini(&d);
}

static void devices_come_go_and_change_their_names(void **state)
{
	struct block_devices d = {0};

	block_devices__parse(&d, "8 0 sda 0 0 0 0 0 0 0 0 1 0 0\n253 0 dm-0 0 0 0 0 0 0 0 0 2 0 0");
	block_devices__parse(&d, "8 0 sdb 0 0 0 0 0 0 0 0 0 0 0\n");
	expect_name(&d, DEV(8, 0), "sdb");
	expect_name(&d, DEV(253, 0), "dm-0"); /* gone: its name is still known */
	assert_true(d.items[0].present);
	assert_false(d.items[1].present);
	assert_int_equal(d.items[1].in_flight, 0);
	block_devices__fini(&d);
}

static void broken_text_does_no_harm(void **state)
{
	static const char *const texts[] = {
		"",
		"\n\n",
		"x",
		"8 0",
		"8 0 \x1b[31mred 1",
		"99999 0 toomajor 0 0",
		"8 99999999 toominor 0 0",
		"-1 -1 negative 0",
		"8 1 short\n8 2 ok 0 0 0 0 0 0 0 0 4\n",
	};
	char longest[2000];
	struct block_devices d = {0};

	for (u32 i = 0; i < ARRAY_SIZE(texts); i++)
		block_devices__parse(&d, texts[i]);
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	memcpy(longest, "8 9 ", 4);
	block_devices__parse(&d, longest);
	expect_name(&d, DEV(8, 0), "?[31mred");
	expect_name(&d, DEV(8, 1), "short");
	expect_name(&d, DEV(8, 2), "ok");
	for (u32 i = 0; i < d.n; i++)
		assert_true(strlen(d.items[i].name) < IO_NAME_LEN);
	block_devices__fini(&d);
}

static void there_are_never_too_many(void **state)
{
	struct block_devices d = {0};
	char line[64];

	for (u32 i = 0; i < BLOCK_DEVICES_MAX + 50; i++) {
		snprintf(line, sizeof(line), "%u %u dev%u 0 0 0 0 0 0 0 0 1\n", i % 4096,
			 i / 4096 * 16, i);
		block_devices__parse(&d, line);
	}
	assert_int_equal(d.n, BLOCK_DEVICES_MAX);
	for (u32 i = 1; i < d.n; i++)
		assert_true(d.items[i - 1].dev < d.items[i].dev);
	block_devices__fini(&d);
}

/* One interval: what diskstats has now, and how many of it were counted. */
static u64 interval(struct block_loss *l, u32 done, u32 in_flight, u32 counted, bool whole)
{
	struct block_devices d = {0};
	char line[128];

	snprintf(line, sizeof(line), "8 0 sda %u 0 0 0 0 0 0 0 %u 0 0 0 0 0 0 3 0\n", done,
		 in_flight);
	block_devices__parse(&d, line);
	block_loss__add(l, DEV(8, 0), counted);
	block_loss__tick(l, &d, whole);
	block_devices__fini(&d);
	return l->missed;
}

static void what_was_missed_is_found_when_it_is_quiet(void **state)
{
	struct block_loss l = {0};

	assert_int_equal(interval(&l, 100, 1, 5, true), 0);
	assert_int_equal(interval(&l, 100, 0, 0, true), 0); /* quiet: from here on */
	assert_int_equal(interval(&l, 150, 0, 49, true), 0);
	assert_int_equal(interval(&l, 180, 2, 28, true), 0);
	assert_int_equal(interval(&l, 180, 2, 1, true), 0);
	assert_int_equal(interval(&l, 180, 2, 0, true), 0); /* some are on their way */
	assert_int_equal(interval(&l, 180, 0, 0, true), 2);
	assert_int_equal(interval(&l, 180, 0, 0, true), 2);
	assert_int_equal(interval(&l, 200, 0, 3, false), 2); /* filtered: nothing to compare */
	assert_int_equal(interval(&l, 200, 0, 0, true), 2);
	assert_int_equal(interval(&l, 200, 0, 0, true), 2);
	assert_int_equal(interval(&l, 7, 0, 7, true), 2); /* another device of that number */
	assert_int_equal(interval(&l, 7, 0, 0, true), 2);
	block_loss__fini(&l);
}

static void a_disk_may_begin_with_what_is_missed(void **state)
{
	static const char quiet[] = "8 0 sda 50 0 0 0 0 0 0 0 0",
			  busy[] = "8 0 sda 60 0 0 0 0 0 0 0 0";
	struct block_devices d = {0};
	struct block_loss l = {0};

	block_devices__parse(&d, quiet);
	block_devices__parse(&d, quiet);
	block_devices__parse(&d, busy);
	block_loss__add(&l, DEV(8, 0), 9);
	block_loss__tick(&l, &d, true);
	block_devices__parse(&d, busy);
	block_loss__tick(&l, &d, true);
	assert_int_equal(l.missed, 1);
	block_loss__fini(&l);
	block_devices__fini(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_what_is_in_flight),
		cmocka_unit_test(devices_come_go_and_change_their_names),
		cmocka_unit_test(broken_text_does_no_harm),
		cmocka_unit_test(there_are_never_too_many),
		cmocka_unit_test(what_was_missed_is_found_when_it_is_quiet),
		cmocka_unit_test(a_disk_may_begin_with_what_is_missed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
