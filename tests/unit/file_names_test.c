// SPDX-License-Identifier: GPL-2.0-only
/* Names of files as programs send them, made readable; directories above them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "measures/file_names.h"
#include "samples/measure.h"

static void tidy(const char *sent, const char *wanted)
{
	char text[64];

	copy_str(text, sizeof(text), sent);
	file_name__tidy(0, text, sizeof(text));
	assert_string_equal(text, wanted);
}

static void test_tidy(void **state)
{
	tidy("/", "/");
	tidy("/a/b", "/a/b");
	tidy("//a///b/", "/a/b");
	tidy("/a/./b/.", "/a/b");
	tidy("/a/../b", "/b");
	tidy("/a/b/../../..", "/");
	tidy("/../..", "/");
	tidy("/a/...", "/a/...");
	tidy("/a/..b/.c", "/a/..b/.c");
	tidy(".../a/../b/", ".../b");
	tidy("/a (deleted)", "/a (deleted)");
	tidy("pipe", "[pipe]");
	tidy("[eventfd]", "[eventfd]");
	tidy("memfd:secret", "[memfd]");
	tidy("memfd:a/b", "[memfd]");
	tidy("SYSV0000002a", "[shm]");
	tidy("", "[]");
}

static void system_of(u64 dev, const char *sent, const char *wanted)
{
	char text[64];

	copy_str(text, sizeof(text), sent);
	file_system__tidy(dev, text, sizeof(text));
	assert_string_equal(text, wanted);
}

static void test_systems(void **state)
{
	system_of(8 << 20 | 1, "ext4 sda1", "ext4 sda1");
	system_of(45, "tmpfs tmpfs", "tmpfs 0:45");
	system_of(45, "fuse fuseblk", "fuse fuseblk");
	system_of(45, "fuse", "fuse");
	system_of(45, "", "");
}

/* dirs: one behind the other, each with a ';'. */
static void above(const char *file, const char *dirs)
{
	char part[MEASURE_LABEL_TEXT], all[256] = "";

	for (u32 i = 0; file_name__dir(file, i, part, sizeof(part)); i++) {
		assert_true(i < 10);
		copy_str(all + strlen(all), sizeof(all) - strlen(all), part);
		copy_str(all + strlen(all), sizeof(all) - strlen(all), ";");
	}
	assert_string_equal(all, dirs);
}

static void test_directories(void **state)
{
	above("/a/b/c", "/a/b;/a;/;");
	above("/a", "/;");
	above("/", "/;");
	above(".../a/b", ".../a;...;");
	above("[pipe]", "[pipe];");
	above("", ";");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tidy),
		cmocka_unit_test(test_systems),
		cmocka_unit_test(test_directories),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
