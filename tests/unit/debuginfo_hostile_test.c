/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files whose debug information wants proftop to read for long or to take much memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>
#include <fcntl.h>

#include "symbols/debuginfo.h"
#include "tests/lib/memory_peak.h"
#include "tests/lib/scratch.h"
#include "tests/lib/skip.h"
#include "tests/lib/sparse_elf.h"

static int setup(void **state)
{
	if (scratch__make("debuginfo_hostile_test"))
		return -1;
	write_file("p.c", "static inline int in(int x) { return x * 3; }\n"
			  "int main(int c, char **v) { return in(c); }\n");
	return 0;
}

static void build(const char *flags)
{
	run("gcc -O1 -g %s p.c -o prog", flags);
}

static struct debuginfo *open_it(const char *name, const char *root, char *note, size_t size)
{
	char *path = xasprintf("%s/%s", scratch_dir, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct debuginfo *d;

	assert_true(fd >= 0);
	d = debuginfo__open(fd, path, root, note, size);
	close(fd);
	free(path);
	return d;
}

static void write_bytes(const char *name, const void *p, size_t n)
{
	char *path = xasprintf("%s/%s", scratch_dir, name);
	FILE *f = fopen(path, "w");

	assert_int_equal(fwrite(p, 1, n, f), n);
	fclose(f);
	free(path);
}

/* --- what takes long --- */

/* What this process has read, in MiB; 0: the kernel does not count. */
static u64 mib_read(void)
{
	FILE *f = fopen("/proc/self/io", "r");
	unsigned long long n = 0;

	if (!f || fscanf(f, "rchar: %llu", &n) != 1)
		n = 0;
	if (f)
		fclose(f);
	return n >> 20;
}

/* Candidates that cost nothing to make and much to check. */
static void test_large_debuglink(void **state)
{
	u64 before = mib_read(), after;
	char note[160];

	build("-Wl,--build-id=none");
	run("objcopy --only-keep-debug prog prog.dbg && strip prog -o bare && mkdir -p .debug && "
	    "objcopy --add-gnu-debuglink=prog.dbg bare && cp prog.dbg .debug/ && "
	    "truncate -s 300M prog.dbg .debug/prog.dbg");
	assert_null(open_it("bare", "", note, sizeof(note)));
	after = mib_read();
	run("rm prog.dbg .debug/prog.dbg");
	if (!after)
		skip_because("what is read is not counted here");
	assert_in_range(after - before, 300, 400);
}

/* --- what takes memory --- */

static void open_quietly(int fd)
{
	char note[160];
	struct debuginfo *d = debuginfo__open(fd, "", "", note, sizeof(note));

	if (d)
		debuginfo__close(d);
}

static void expect_too_large(const struct sparse_elf *e)
{
	int fd = sparse_elf__make(e);
	char note[160];

	assert_in_range(memory_peak(open_quietly, fd), 0, 63);
	assert_null(debuginfo__open(fd, "", "", note, sizeof(note)));
	assert_non_null(strstr(note, "more than 512 MiB"));
	close(fd);
}

/* What is packed is not read just to see how large it would be; and names that only libdw knows. */
static void test_large_sections(void **state)
{
	expect_too_large(&(struct sparse_elf){.sections = 1,
					      .type = SHT_PROGBITS,
					      .flags = SHF_COMPRESSED,
					      .size = 600u << 20,
					      .name = ".debug_info"});
	expect_too_large(&(struct sparse_elf){.sections = 1,
					      .type = SHT_PROGBITS,
					      .size = 600u << 20,
					      .name = ".gnu.debuglto_.debug_info"});
}

/* GNU's older form, of 16 GiB. */
static void test_packed_by_gnu(void **state)
{
	static const u8 packed[] = {'Z', 'L', 'I', 'B', 0, 0, 0, 4, 0, 0, 0, 0, 'x', 'x'};
	char note[160];

	build("-gdwarf-4");
	write_bytes("packed", packed, sizeof(packed));
	run("objcopy --add-section .zdebug_types=packed prog");
	assert_null(open_it("prog", "", note, sizeof(note)));
	assert_non_null(strstr(note, "more than 512 MiB"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_large_debuglink),
		cmocka_unit_test(test_large_sections),
		cmocka_unit_test(test_packed_by_gnu),
	};

	return cmocka_run_group_tests(tests, setup, scratch__remove);
}
