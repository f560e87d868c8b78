/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files whose debug information wants proftop to open others, to read for long, to take much memory
 * or to show what is somebody else's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>
#include <dwarf.h>
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "symbols/debuginfo.h"
#include "tests/lib/memory_peak.h"
#include "tests/lib/open_debuginfo.h"
#include "tests/lib/scratch.h"
#include "tests/lib/skip.h"
#include "tests/lib/sparse_elf.h"

#define ID     "abcdefghijklmnopqrst"
#define ID_HEX "6162636465666768696a6b6c6d6e6f7071727374"

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

static void write_bytes(const char *name, const void *p, size_t n)
{
	char *path = xasprintf("%s/%s", scratch_dir, name);
	FILE *f = fopen(path, "w");

	assert_int_equal(fwrite(p, 1, n, f), n);
	fclose(f);
	free(path);
}

/* --- what libdw would open by itself --- */

struct trap {
	int fifo, watch;
};

/* A FIFO. It is open at both ends: who opens it too is seen, and does not hang. */
static struct trap trap__set(const char *name)
{
	struct trap t = {.watch = inotify_init1(IN_NONBLOCK | IN_CLOEXEC)};
	char *path = xasprintf("%s/%s", scratch_dir, name);

	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	t.fifo = open(path, O_RDWR | O_CLOEXEC);
	assert_true(t.fifo >= 0);
	assert_true(inotify_add_watch(t.watch, path, IN_OPEN) >= 0);
	free(path);
	return t;
}

static bool trap__close(struct trap *t)
{
	char events[512];
	bool caught = read(t->watch, events, sizeof(events)) > 0;

	close(t->watch);
	close(t->fifo);
	return caught;
}

/* How many places have functions inlined, or a line. */
static u32 look_everywhere(struct debuginfo *d)
{
	u32 n = 0;

	for (u64 a = 0x1000; a < 0x2000; a++) {
		struct inline_frame frames[4];
		const char *file;
		u32 line;

		n += debuginfo__line(d, a, &file, &line);
		n += debuginfo__inlined(d, a, frames, 4) > 0;
	}
	return n;
}

/* The program with these sections for its own, and one more that names another file and its id. */
static void build_with(const u8 *info, size_t ninfo, const u8 *abbrev, size_t nabbrev,
		       const char *link, const char *id)
{
	char text[128];
	int n = snprintf(text, sizeof(text), "%s%c%s", link, 0, id);

	write_bytes("info", info, ninfo);
	write_bytes("abbrev", abbrev, nabbrev);
	write_bytes("link", text, (size_t)n);
	build("-gdwarf-4 -Wl,--build-id=0x" ID_HEX);
	run("objcopy --update-section .debug_info=info --update-section .debug_abbrev=abbrev "
	    "--add-section .gnu_debugaltlink=link prog");
}

/* As dwz makes them, but for its one function's name, which is said to be in yet another file. */
static void build_shared(void)
{
	static const u8 abbrev[] = {1, DW_TAG_partial_unit, 1, 0, 0,
				    /* by DW_FORM_GNU_strp_alt */
				    2, DW_TAG_subprogram, 0, DW_AT_name, 0xa1, 0x3e, 0, 0, 0};
	static const u8 info[] = {14, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1, 2, 0, 0, 0, 0, 0};
	char *another = xasprintf("%s/another", scratch_dir);

	build_with(info, sizeof(info), abbrev, sizeof(abbrev), another, "ABCDEFGHIJKLMNOPQRST");
	run("mv prog shared.dwz");
	free(another);
}

#define RANGE DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data8

/* A function with one inlined in it, which is said to be the one above. */
static void build_main(void)
{
	static const u8 abbrev[] = {
		1, DW_TAG_compile_unit, 1, RANGE, 0, 0, 2, DW_TAG_subprogram, 1, RANGE, 0, 0,
		/* by DW_FORM_GNU_ref_alt */
		3, DW_TAG_inlined_subroutine, 0, DW_AT_abstract_origin, 0xa0, 0x3e, RANGE, 0, 0, 0};
	static const u64 range[] = {0x1000, 0x1000};
	u8 info[69] = {sizeof(info) - 4, [4] = 4, [10] = 8, [11] = 1, [28] = 2, [45] = 3, 12};

	memcpy(info + 12, range, sizeof(range));
	memcpy(info + 29, range, sizeof(range));
	memcpy(info + 50, range, sizeof(range));
	build_with(info, sizeof(info), abbrev, sizeof(abbrev), "shared.dwz", ID);
}

static void test_alt_of_alt(void **state)
{
	struct debuginfo *d;
	struct trap trap;
	char note[160];

	build_shared();
	build_main();
	trap = trap__set("another");
	d = open_it("prog", "", note, sizeof(note));
	assert_non_null(d);
	assert_string_equal(note, "");
	look_everywhere(d);
	debuginfo__close(d);
	assert_false(trap__close(&trap));
}

/* Units that say the rest of them is in a file of its own. */
static void test_split(void **state)
{
	struct debuginfo *d;
	struct trap trap;
	char note[160];

	run("gcc -O1 -gdwarf-5 -gsplit-dwarf -c p.c -o split.o && gcc split.o -o prog && "
	    "test -f split.dwo");
	trap = trap__set("split.dwo");
	d = open_it("prog", "", note, sizeof(note));
	assert_non_null(d);
	assert_true(look_everywhere(d) > 0);
	debuginfo__close(d);
	assert_false(trap__close(&trap));
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

/* Also where this test's own memory is limited. */
static void expect_says_too_large(const char *note)
{
	char wanted[40];

	snprintf(wanted, sizeof(wanted), "more than %llu MiB",
		 (unsigned long long)memory__share(512 << 20) >> 20);
	assert_non_null(strstr(note, wanted));
}

static void expect_too_large(const struct sparse_elf *e)
{
	int fd = sparse_elf__make(e);
	char note[160];

	assert_in_range(memory_peak(open_quietly, fd), 0, 63);
	assert_null(debuginfo__open(fd, "", "", note, sizeof(note)));
	expect_says_too_large(note);
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
	expect_says_too_large(note);
}

/* --- who may say where sources are --- */

static void test_owner(void **state)
{
	static const struct {
		uid_t program, separate, owner;
	} cases[] = {
		{0, 0, 0}, {0, 12345, 12345}, {12345, 0, 12345}, {12345, 12346, DEBUGINFO_NOBODY}};
	char note[160], *root = xasprintf("%s/root", scratch_dir);

	if (geteuid())
		skip_because("needs root");
	skip_when_emulated(); /* no openat2 */
	build("-Wl,--build-id=0x" ID_HEX);
	run("strip prog -o bare && mkdir -p root/usr/lib/debug/.build-id/61 && "
	    "objcopy --only-keep-debug prog root/usr/lib/debug/.build-id/61/%s.debug",
	    &ID_HEX[2]);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct debuginfo *d;

		run("chown %u bare && chown -R %u root", cases[i].program, cases[i].separate);
		d = open_it("bare", root, note, sizeof(note));
		assert_non_null(d);
		assert_int_equal(debuginfo__owner(d), cases[i].owner);
		debuginfo__close(d);
	}
	free(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_alt_of_alt),	cmocka_unit_test(test_split),
		cmocka_unit_test(test_large_debuglink), cmocka_unit_test(test_large_sections),
		cmocka_unit_test(test_packed_by_gnu),	cmocka_unit_test(test_owner),
	};

	return cmocka_run_group_tests(tests, setup, scratch__remove);
}
