// SPDX-License-Identifier: GPL-2.0-only
/* What is exchanged with gperftools: names as pprof shortens them, mappings and addresses, heap profiles. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "recording/heap_in.h"
#include "recording/pprof_maps.h"

static void shortens_to(const char *name, const char *wanted)
{
	char buf[256];

	copy_str(buf, sizeof(buf), name);
	pprof_name__shorten(buf);
	assert_string_equal(buf, wanted);
}

/* As `google-pprof --symbols` of Debian 12 writes them. */
static void test_names(void **state)
{
	shortens_to("main", "main");
	shortens_to("keep(int, char const*)", "keep");
	shortens_to("std::vector<int, std::allocator<int> >::size() const", "std::vector::size");
	shortens_to("void std::__fill<char*>(char*, char*)", "std::__fill");
	shortens_to("a::b(void (*)(int)) const", "a::b");
	shortens_to("(anonymous namespace)::work()", "::work");
	shortens_to("operator<", "operator<");
	shortens_to(")>(", ")>(");
	shortens_to("", "");
}

static int file_of(const char *text)
{
	int fd = memfd_create("profile", MFD_CLOEXEC);

	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	return fd;
}

static void test_is(void **state)
{
	static const struct {
		const char *text;
		bool is;
	} all[] = {{"heap profile: 1: 2 [3: 4] @ heapprofile\n", true},
		   {"heap_v2/524288\n", true},
		   {"heap\n", false},
		   {"a;b 3\n", false},
		   {"", false}};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int fd = file_of(all[i].text);

		assert_int_equal(heap_profile__is(fd), all[i].is);
		close(fd);
	}
}

/* What has no stack is refused in words. */
static void test_empty(void **state)
{
	struct status st = {0};
	struct symbols *symbols = symbols__new(&st);
	int fd = file_of("heap profile: 1: 2 [3: 4] @ heapprofile\nwrong\n");

	assert_non_null(symbols);
	assert_int_equal(heap_profile_import(fd, symbols, "x", "", &st), -1);
	assert_non_null(strstr(st.msg, "has no stacks"));
	close(fd);
	symbols__free(symbols);
}

/* Of this process: its own functions, in the order asked for, and ?? for what is none. */
static void test_symbols(void **state)
{
	char in[4096], out[1024] = {0}, wanted[64];
	struct status st = {0};
	FILE *ask, *result = fmemopen(out, sizeof(out), "w");
	char *all = NULL;
	size_t size = 0;
	FILE *maps = fopen("/proc/self/maps", "re"), *both = open_memstream(&all, &size);

	while (fgets(in, sizeof(in), maps))
		fputs(in, both);
	fprintf(both, "0x%lx\n0x1\n0x%lx\n", (unsigned long)test_names, (unsigned long)test_is + 1);
	fclose(both);
	fclose(maps);
	ask = fmemopen(all, size, "r");
	assert_int_equal(pprof_symbols(ask, result, &st), 0);
	fclose(ask);
	fclose(result);
	free(all);
	snprintf(wanted, sizeof(wanted), "test_names\n??\ntest_is\n");
	assert_string_equal(out, wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_is),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_symbols),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
