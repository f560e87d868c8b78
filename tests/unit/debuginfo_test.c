/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Lines and inline chains against addr2line, over programs compiled here: DWARF 3 to 5, -g1,
 * compressed, separate by build-id, by debuglink and with a dwz file; and what broken or
 * hostile files are answered with.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>
#include <dwarf.h>
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "symbols/debugfile.h"
#include "symbols/debuginfo.h"
#include "symbols/dwarf_guard.h"
#include "symbols/openfile.h"
#include "tests/lib/open_debuginfo.h"
#include "tests/lib/scratch.h"
#include "tests/lib/skip.h"

/* stdio.h: dwz moves only what is worth it. */
static const char header[] = "#include <stdio.h>\n#include <stdlib.h>\n"
			     "static inline __attribute__((always_inline)) int leaf(int x)\n"
			     "{\n\treturn 1000 / (x | 1) + x;\n}\n"
			     "static inline __attribute__((always_inline)) int middle(int x)\n"
			     "{\n\tint s = 0;\n"
			     "\tfor (int i = 0; i < x; i++)\n\t\ts ^= leaf(i ^ s);\n"
			     "\treturn s;\n}\n";
static const char main_c[] = "#include \"inl.h\"\n"
			     "int other(int);\nint hot(int x);\nvolatile int sink;\n"
			     "__attribute__((noinline)) int hot(int x)\n"
			     "{\n\tint a = middle(x);\n"
			     "\tif (a & 1)\n\t\ta += leaf(a);\n\treturn a;\n}\n"
			     "int main(int argc, char **argv)\n"
			     "{\n\tsink = hot(argc) + other(argc) + !stdin;\n\treturn 0;\n}\n";
static const char other_c[] = "#include \"inl.h\"\nint other(int);\nextern volatile int sink;\n"
			      "static __attribute__((noinline)) int cold(int x)\n"
			      "{\n\tsink = x;\n\treturn leaf(x);\n}\n"
			      "int other(int x)\n"
			      "{\n\treturn middle(cold(x)) - middle(x + 7);\n}\n";

static int setup(void **state)
{
	if (scratch__make("debuginfo_test"))
		return -1;
	write_file("inl.h", header);
	write_file("main.c", main_c);
	write_file("other.c", other_c);
	return 0;
}

static void build(const char *name, const char *flags)
{
	run("gcc -O2 %s main.c other.c -o %s", flags, name);
}

/* --- the oracle --- */

/* "0xADDR" lines, each followed by pairs of function and FILE:LINE, innermost first. */
struct oracle {
	FILE *f;
	char line[512];
};

static void next_line(struct oracle *o)
{
	if (!fgets(o->line, sizeof(o->line), o->f))
		o->line[0] = '\0';
	o->line[strcspn(o->line, "\n")] = '\0';
}

/* The text that addr2line prints for where we say addr is, without the address. */
static void expect_same(struct debuginfo *d, struct oracle *o)
{
	struct inline_frame frames[16];
	u64 addr = strtoull(o->line, NULL, 16);
	char ours[512] = "??:0", theirs[512] = "";
	const char *file;
	int n, i = 0;
	u32 line;

	if (debuginfo__line(d, addr, &file, &line))
		snprintf(ours, sizeof(ours), "%s:%u", file, line);
	n = debuginfo__inlined(d, addr, frames, ARRAY_SIZE(frames));
	for (next_line(o); o->line[0] && strncmp(o->line, "0x", 2); next_line(o), i++) {
		if (i < n)
			assert_string_equal(frames[i].name, o->line);
		next_line(o);
		o->line[strcspn(o->line, " ")] = '\0'; /* (discriminator 3) */
		if (i == 0)
			copy_str(theirs, sizeof(theirs), o->line);
	}
	if (theirs[0] && theirs[strlen(theirs) - 1] == '?')
		strcpy(theirs, "??:0");
	if (strcmp(ours, theirs))
		fail_msg("%llx: %s, addr2line says %s", (unsigned long long)addr, ours, theirs);
	if (n != i - 1)
		fail_msg("%llx: %d inlined, addr2line says %d", (unsigned long long)addr, n, i - 1);
}

/* Every address of .text; `debug` is the file that addr2line reads. Returns how many. */
static u32 compare(struct debuginfo *d, const char *debug)
{
	struct oracle o;
	char *cmd = xasprintf("cd %s && readelf -SW %s | sed -n 's/.* \\.text *[A-Z]* *//p' | "
			      "(read a o s r; for i in $(seq $((0x$a)) $((0x$a + 0x$s - 1))); do "
			      "printf '%%x\\n' $i; done) | addr2line -a -i -f -e %s",
			      scratch_dir, debug, debug);
	u32 n = 0;

	o.f = popen(cmd, "r");
	assert_non_null(o.f);
	next_line(&o);
	while (o.line[0]) {
		expect_same(d, &o);
		n++;
	}
	pclose(o.f);
	free(cmd);
	return n;
}

static void check_variant(const char *flags)
{
	struct debuginfo *d;
	char note[160];

	build("prog", flags);
	d = open_it("prog", "", note, sizeof(note));
	if (!d)
		fail_msg("%s: %s", flags, note);
	assert_string_equal(note, "");
	assert_in_range(compare(d, "prog"), 200, 5000);
	debuginfo__close(d);
}

static void test_dwarf4(void **state)
{
	check_variant("-gdwarf-4");
}

static void test_dwarf5(void **state)
{
	check_variant("-gdwarf-5");
}

static void test_dwarf3(void **state)
{
	check_variant("-gdwarf-3 -gstrict-dwarf");
}

static void test_minimal(void **state)
{
	check_variant("-g1 -gdwarf-4");
}

static void test_sections(void **state)
{
	check_variant("-gdwarf-5 -gz -ffunction-sections -Wl,--gc-sections -no-pie");
}

/* --- what addr2line cannot judge: names by construction --- */

static void test_chain(void **state)
{
	struct inline_frame frames[8];
	bool seen = false;
	struct debuginfo *d;
	char note[160];

	build("prog", "-gdwarf-5");
	d = open_it("prog", "", note, sizeof(note));
	assert_non_null(d);
	for (u64 a = 0x1000; a < 0x2000; a++) {
		int n = debuginfo__inlined(d, a, frames, ARRAY_SIZE(frames));

		if (n < 2)
			continue;
		assert_int_equal(n, 2);
		assert_string_equal(frames[0].name, "leaf");
		assert_string_equal(frames[1].name, "middle");
		assert_int_equal(debuginfo__inlined(d, a, frames, 1), 1);
		seen = true;
	}
	assert_true(seen);
	debuginfo__close(d);
}

/* --- separate files --- */

static void read_build_id(const char *name, char *id, size_t size)
{
	char *cmd = xasprintf("readelf -n %s/%s | sed -n 's/.*Build ID: //p'", scratch_dir, name);
	FILE *f = popen(cmd, "r");

	assert_non_null(fgets(id, (int)size, f));
	id[strcspn(id, "\n")] = '\0';
	pclose(f);
	free(cmd);
}

static void test_build_id(void **state)
{
	char note[160], id[64], *root = xasprintf("%s/root", scratch_dir);
	struct debuginfo *d;

	skip_when_emulated();
	build("prog", "-gdwarf-4 -Wl,--build-id=sha1");
	read_build_id("prog", id, sizeof(id));
	run("strip prog -o bare && mkdir -p root/usr/lib/debug/.build-id/%.2s && "
	    "objcopy --only-keep-debug prog root/usr/lib/debug/.build-id/%.2s/%s.debug",
	    id, id, id + 2);
	assert_null(open_it("bare", "", note, sizeof(note)));
	assert_non_null(strstr(note, "install its debug package"));
	d = open_it("bare", root, note, sizeof(note));
	free(root);
	assert_non_null(d);
	assert_in_range(compare(d, "prog"), 200, 5000);
	debuginfo__close(d);
}

/* The link leads out of the root, as the host would follow it, and into a FIFO. */
static void test_hostile_build_id(void **state)
{
	char note[160], id[64], *root = xasprintf("%s/root2", scratch_dir);

	skip_when_emulated();
	build("prog", "-gdwarf-4 -Wl,--build-id=sha1 -DHOSTILE");
	read_build_id("prog", id, sizeof(id));
	run("strip prog -o bare && objcopy --only-keep-debug prog outside && "
	    "mkdir -p root2/usr/lib/debug/.build-id/%.2s && "
	    "ln -s %s/outside root2/usr/lib/debug/.build-id/%.2s/%s.debug",
	    id, scratch_dir, id, id + 2);
	assert_null(open_it("bare", root, note, sizeof(note)));
	run("f=root2/usr/lib/debug/.build-id/%.2s/%s.debug; rm $f; mkfifo $f", id, id + 2);
	assert_null(open_it("bare", root, note, sizeof(note)));
	assert_int_equal(openfile__regular("", "/dev/null"), -EINVAL);
	assert_int_equal(openfile__regular(root, "/../../etc/passwd"), -ENOENT);
	free(root);
}

/* By links as the kernel has them; what is no file is not even opened, and who holds a lease on his
 * file does not make us wait until the kernel breaks it. */
static void test_links_of_the_kernel(void **state)
{
	char link[64], *path = xasprintf("%s/leased", scratch_dir);
	int fd = open(path, O_RDWR | O_CREAT, 0600), again, ends[2];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	again = openfile__link(link);
	assert_true(again >= 0);
	close(again);
	if (!fcntl(fd, F_SETLEASE, F_WRLCK)) {
		signal(SIGIO, SIG_IGN);
		assert_int_equal(openfile__regular("", path), -EAGAIN);
		assert_int_equal(openfile__link(link), -EAGAIN);
	}
	close(fd);
	assert_int_equal(pipe(ends), 0);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", ends[0]);
	assert_int_equal(openfile__link(link), -EINVAL);
	assert_int_equal(openfile__link("/nowhere/at/all"), -ENOENT);
	close(ends[0]);
	close(ends[1]);
	free(path);
}

static void test_debuglink(void **state)
{
	struct debuginfo *d;
	char note[160];

	build("prog", "-gdwarf-5 -Wl,--build-id=none");
	run("objcopy --only-keep-debug prog prog.dbg && strip prog -o bare && mkdir -p .debug && "
	    "objcopy --add-gnu-debuglink=prog.dbg bare && mv prog.dbg .debug/");
	d = open_it("bare", "", note, sizeof(note));
	assert_non_null(d);
	assert_in_range(compare(d, "prog"), 200, 5000);
	debuginfo__close(d);
	/* Another file of that name, whose checksum is wrong. */
	run("printf x >> .debug/prog.dbg");
	assert_null(open_it("bare", "", note, sizeof(note)));
	assert_non_null(strstr(note, "build with -g"));
}

static void test_dwz(void **state)
{
	struct debuginfo *d;
	char note[160];

	if (system("dwz --version >/dev/null 2>&1")) {
		skip_because("dwz is not installed");
	}
	build("prog", "-gdwarf-4");
	run("gcc -O2 -gdwarf-4 other.c main.c -o prog2 && cp prog plain && "
	    "dwz -m shared.dwz prog prog2");
	d = open_it("prog", "", note, sizeof(note));
	assert_non_null(d);
	assert_string_equal(note, "");
	assert_in_range(compare(d, "plain"), 200, 5000);
	debuginfo__close(d);
	/* Without it lines are still served, and nothing is opened in its place. */
	run("rm shared.dwz && mkfifo shared.dwz");
	d = open_it("prog", "", note, sizeof(note));
	assert_non_null(d);
	assert_non_null(strstr(note, "dwz"));
	for (u64 a = 0x1000; a < 0x2000; a++) {
		struct inline_frame frames[4];
		const char *file;
		u32 line;

		debuginfo__line(d, a, &file, &line);
		debuginfo__inlined(d, a, frames, 4);
	}
	debuginfo__close(d);
}

/* --- hostile content --- */

static void test_not_elf(void **state)
{
	char note[160];

	assert_null(open_it("main.c", "", note, sizeof(note)));
	assert_non_null(strstr(note, "not an ELF file"));
	run("gcc -g -c main.c -o main.o");
	assert_null(open_it("main.o", "", note, sizeof(note)));
	run("gcc -g main.c other.c -o cut && truncate -s 900 cut");
	assert_null(open_it("cut", "", note, sizeof(note)));
}

static void test_abbrev_guard(void **state)
{
	u8 table[4096] = {1, DW_TAG_compile_unit, 1};
	struct dwarf_guard g = {.last_offset = UINT64_MAX, .abbrev = {table, sizeof(table)}};
	u32 count;

	assert_true(dwarf_guard__abbrevs(&g, 0, &count));
	assert_int_equal(count, 1);
	assert_false(dwarf_guard__abbrevs(&g, sizeof(table), &count));
	/* Attributes without a size: each DIE would cost them all, and take one byte. */
	for (u32 i = 3; i + 1 < sizeof(table) - 4; i += 2) {
		table[i] = DW_AT_external;
		table[i + 1] = DW_FORM_flag_present;
	}
	g.last_offset = UINT64_MAX;
	assert_false(dwarf_guard__abbrevs(&g, 0, &count));
	/* Cut within an abbreviation. */
	g.last_offset = UINT64_MAX;
	g.abbrev.n = 9;
	assert_false(dwarf_guard__abbrevs(&g, 0, &count));
}

static void test_line_guard(void **state)
{
	size_t n = 4u << 20;
	u8 *unit = xcalloc(1, n);
	struct dwarf_guard g = {.line = {unit, n}};
	u32 length = (u32)n - 4, header_length = 1u << 20;
	char *dir_1m = xmalloc(1u << 20);

	memcpy(unit, &length, 4);
	unit[4] = 4; /* version */
	memcpy(unit + 6, &header_length, 4);
	unit[15] = 1; /* opcode_base */
	assert_true(dwarf_guard__lines(&g, 0, "/src"));
	assert_false(dwarf_guard__lines(&g, n, "/src"));
	memset(dir_1m, 'a', 1u << 20);
	assert_false(dwarf_guard__lines(&g, 0, dir_1m));
	/* One directory of a MiB: 800,000 files of five bytes could each name it. */
	memset(unit + 20, 'a', header_length - 100);
	assert_false(dwarf_guard__lines(&g, 0, "/src"));
	free(dir_1m);
	free(unit);
}

/* The program "prog", with these bytes for its .debug_info and .debug_abbrev. */
static void with_sections(const u8 *info, size_t ninfo, const u8 *abbrev, size_t nabbrev)
{
	const struct {
		const char *name;
		const u8 *p;
		size_t n;
	} files[] = {{"info", info, ninfo}, {"abbrev", abbrev, nabbrev}};

	build("prog", "-gdwarf-4");
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		char *path = xasprintf("%s/%s", scratch_dir, files[i].name);
		FILE *f = fopen(path, "w");

		assert_int_equal(fwrite(files[i].p, 1, files[i].n, f), files[i].n);
		fclose(f);
		free(path);
	}
	run("objcopy --update-section .debug_info=info --update-section .debug_abbrev=abbrev prog");
}

/* A unit of 32 million nested blocks of one byte each, none of which says where it ends. */
static void test_deep(void **state)
{
	static const u8 abbrev[] = {1,
				    DW_TAG_compile_unit,
				    1,
				    DW_AT_low_pc,
				    DW_FORM_addr,
				    DW_AT_high_pc,
				    DW_FORM_data8,
				    0,
				    0,
				    2,
				    DW_TAG_lexical_block,
				    1,
				    0,
				    0,
				    0};
	size_t n = 32u << 20;
	u8 *info = xmalloc(n);
	u32 length = (u32)n - 4;
	u64 low = 1, size = 1u << 24;
	struct inline_frame frame;
	struct debuginfo *d;
	char note[160];

	skip_when_emulated();
	memset(info, 2, n);
	memcpy(info, &length, 4);
	memcpy(info + 4, "\4\0\0\0\0\0\10\1", 8); /* version, abbreviations, address size; code */
	memcpy(info + 12, &low, 8);
	memcpy(info + 20, &size, 8);
	with_sections(info, n, abbrev, sizeof(abbrev));
	free(info);
	d = open_it("prog", "", note, sizeof(note));
	assert_non_null(d);
	for (u64 a = 0x1000; a < 0x2000; a++)
		assert_int_equal(debuginfo__inlined(d, a, &frame, 1), 0);
	debuginfo__close(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dwarf4),
		cmocka_unit_test(test_dwarf5),
		cmocka_unit_test(test_dwarf3),
		cmocka_unit_test(test_minimal),
		cmocka_unit_test(test_sections),
		cmocka_unit_test(test_chain),
		cmocka_unit_test(test_build_id),
		cmocka_unit_test(test_hostile_build_id),
		cmocka_unit_test(test_links_of_the_kernel),
		cmocka_unit_test(test_debuglink),
		cmocka_unit_test(test_dwz),
		cmocka_unit_test(test_not_elf),
		cmocka_unit_test(test_abbrev_guard),
		cmocka_unit_test(test_line_guard),
		cmocka_unit_test(test_deep),
	};

	return cmocka_run_group_tests(tests, setup, scratch__remove);
}
