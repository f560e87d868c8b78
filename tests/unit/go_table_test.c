/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names, lines and inline chains of stripped Go programs, against the DWARF of the same programs: as
 * usual, position-independent and linked with C; how callers are found, against their .debug_frame; and
 * what broken tables are answered with.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>
#include <sys/stat.h>

#include "symbols/elf.h"
#include "symbols/go_table.h"
#include "symbols/unwind_table.h"
#include "tests/lib/open_debuginfo.h"
#include "tests/lib/scratch.h"
#include "tests/lib/skip.h"

static const char program[] = "package main\n\n"
			      "var three = 3\n\ntype pair struct{ a, b int }\n\n"
			      "func leaf(x int) int {\n\tif x > 7 {\n\t\treturn x * 3\n\t}\n\treturn x ^ 5\n}\n\n"
			      "func middle(x int) int { return leaf(x+1) + leaf(x-1) }\n\n"
			      "func (p *pair) sum() int { return middle(p.a) + leaf(p.b) }\n\n"
			      "//go:noinline\n"
			      "func outer(p *pair) int {\n\ts := 0\n"
			      "\tfor i := 0; i < p.a; i++ {\n\t\ts += p.sum() + middle(i)\n\t}\n"
			      "\tdefer func() { println(leaf(s)) }()\n\treturn s\n}\n\n"
			      "func main() { println(outer(&pair{three, 4})) }\n";
static const char with_c[] = "package main\n\n// static int twice(int x) { return 2 * x; }\nimport \"C\"\n\n"
			     "func init() { println(C.twice(4)) }\n";

static int setup(void **state)
{
	if (scratch__make("go_table_test"))
		return -1;
	write_file("main.go", program);
	write_file("with_c.go", with_c);
	return 0;
}

static void build(const char *options, const char *files)
{
	if (system("go version >/dev/null 2>&1"))
		skip_because("go is not installed");
	run("export GOCACHE=$PWD/cache GO111MODULE=off && go build %s -o whole %s && "
	    "go build %s -ldflags '-s -w' -o bare %s",
	    options, files, options, files);
}

struct go_file {
	int fd;
	Elf *elf;
	struct go_table *table;
};

static void open_file(struct go_file *f, const char *name)
{
	struct byte_budget budget = elf__budget();
	char *path = xasprintf("%s/%s", scratch_dir, name);

	elf_version(EV_CURRENT);
	f->fd = open(path, O_RDONLY | O_CLOEXEC);
	f->elf = elf_begin(f->fd, ELF_C_READ, NULL);
	assert_non_null(f->elf);
	f->table = go_table__open(f->elf, &budget, true);
	free(path);
}

static void close_file(struct go_file *f)
{
	go_table__close(f->table);
	elf_end(f->elf);
	close(f->fd);
}

/* --- against DWARF --- */

struct comparison {
	const struct go_table *table;
	struct debuginfo *whole;
	const char *names;
	u64 start, end; /* of all functions */
	u32 functions, addresses, inlined, chains;
};

static void compare_lines(struct comparison *c, u64 at)
{
	const char *ours, *theirs;
	u32 our, their;

	/* DWARF has none for code that the linker made. */
	if (!debuginfo__line(c->whole, at, &theirs, &their))
		return;
	assert_true(go_table__line(c->table, at, &ours, &our));
	assert_string_equal(ours, strncmp(theirs, "./", 2) ? theirs : theirs + 2);
	assert_int_equal(our, their);
	c->addresses++;
}

static void compare_chains(struct comparison *c, u64 at)
{
	struct inline_frame theirs[8];
	const char *ours[8];
	int n = go_table__inlined(c->table, at, ours, ARRAY_SIZE(ours));

	if (n != debuginfo__inlined(c->whole, at, theirs, ARRAY_SIZE(theirs)))
		fail_msg("%llx: %d inlined", (unsigned long long)at, n);
	for (int i = 0; i < n; i++)
		assert_string_equal(ours[i], theirs[i].name);
	c->inlined += n > 0;
	c->chains += n > 1;
}

static void compare_function(void *ctx, u64 start, u64 size, u32 name)
{
	struct comparison *c = ctx;

	if (strncmp(c->names + name, "main.", 5))
		return;
	c->functions++;
	assert_in_range(start, c->start, c->end - size);
	for (u64 at = start; at < start + size; at++) {
		compare_lines(c, at);
		compare_chains(c, at);
	}
}

static void check(const char *options, const char *files)
{
	struct comparison c = {0};
	struct go_file bare;
	u64 offset, size;
	char note[160];

	build(options, files);
	c.whole = open_it("whole", "", note, sizeof(note));
	assert_non_null(c.whole);
	open_file(&bare, "bare");
	assert_non_null(bare.table);
	c.table = bare.table;
	go_table__names(bare.table, &offset, &size, &c.names);
	go_table__range(bare.table, &c.start, &c.end);
	go_table__each(bare.table, compare_function, &c);
	assert_in_range(c.functions, 3, 20);
	assert_in_range(c.addresses, 300, 5000);
	assert_in_range(c.inlined, 50, 5000);
	assert_in_range(c.chains, 20, 5000);
	close_file(&bare);
	debuginfo__close(c.whole);
}

static void test_usual(void **state)
{
	check("", "main.go");
}

static void test_position_independent(void **state)
{
	check("-buildmode=pie", "main.go");
}

static void test_with_c(void **state)
{
	check("-buildmode=exe", "main.go with_c.go");
}

/* As what asks for lines has it. */
static void test_debuginfo(void **state)
{
	struct debuginfo *d;
	char note[160];

	build("", "main.go");
	d = open_it("bare", "", note, sizeof(note));
	assert_non_null(d);
	assert_string_equal(note, "");
	debuginfo__close(d);
	run("strip whole -o bare --remove-section=.gopclntab");
	assert_null(open_it("bare", "", note, sizeof(note)));
	assert_non_null(strstr(note, "build with -g"));
}

/* --- how callers are found --- */

static void read_table(const char *name, struct unwind_table *t)
{
	char *path = xasprintf("%s/%s", scratch_dir, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	assert_int_equal(unwind_table__read(fd, "", path, t, NULL), 0);
	close(fd);
	free(path);
}

struct frames {
	struct unwind_table whole, bare;
	const char *names;
	u32 rows;
};

/* Of x86's frame pointer it says nothing. */
static bool agree(const struct frames *f, const struct unwind_row *ours, const struct unwind_row *theirs)
{
	struct unwind_row row = *theirs;

	if (f->whole.machine == EM_X86_64 && theirs->rule == UNWIND_CFA_SP && theirs->cfa > 1) {
		row.rule |= UNWIND_FP_SAVED;
		row.fp = -2;
	}
	return ours->cfa == row.cfa && ours->fp == row.fp && ours->rule == row.rule;
}

static bool goes_to_another_stack(const char *name)
{
	static const char *const those[] = {
		"runtime.systemstack", "runtime.asmcgocall", "runtime.morestack", "runtime.mcall",
		"runtime.nanotime1",   "runtime.walltime",   "time.now",
	};

	for (u32 i = 0; i < ARRAY_SIZE(those); i++)
		if (!strcmp(name, those[i]))
			return true;
	return false;
}

static void compare_rows(void *ctx, u64 start, u64 size, u32 name)
{
	struct frames *f = ctx;

	if (goes_to_another_stack(f->names + name))
		return;
	for (u64 at = start; at < start + size; at++) {
		const struct unwind_row *theirs = unwind_table__find(&f->whole, at);
		const struct unwind_row *ours = unwind_table__find(&f->bare, at);

		assert_non_null(theirs);
		assert_non_null(ours);
		if (!agree(f, ours, theirs))
			fail_msg("%llx: %d %d %x, not %d %d %x", (unsigned long long)at, ours->cfa,
				 ours->fp, ours->rule, theirs->cfa, theirs->fp, theirs->rule);
		f->rows += theirs->pc == at;
	}
}

/* As .debug_frame has it, which stripped ones have not, at each place. */
static void check_frames(const char *machine)
{
	struct frames f = {0};
	struct go_file bare;
	u64 offset, size;

	build("", "main.go");
	run("export GOARCH=%s GOCACHE=$PWD/cache GO111MODULE=off && go build -o whole main.go && "
	    "go build -ldflags '-s -w' -o bare main.go && "
	    "LC_ALL=C sed -i s/[.]gopclntab/.gopclnxxx/ whole",
	    machine);
	read_table("whole", &f.whole);
	read_table("bare", &f.bare);
	open_file(&bare, "bare");
	go_table__names(bare.table, &offset, &size, &f.names);
	go_table__each(bare.table, compare_rows, &f);
	assert_in_range(f.rows, 1000, 100000);
	close_file(&bare);
	unwind_table__free(&f.whole);
	unwind_table__free(&f.bare);
}

static void test_frames(void **state)
{
	check_frames("amd64");
}

static void test_frames_aarch64(void **state)
{
	check_frames("arm64");
}

/* --- broken ones --- */

static void look_at(void *ctx, u64 start, u64 size, u32 name)
{
	const struct go_table *t = ctx;
	const char *file, *names[4];
	u32 line;

	for (u64 at = start; at < start + size && at < start + 64; at += 7) {
		if (go_table__line(t, at, &file, &line))
			assert_in_range(strlen(file), 1, 8192);
		for (int i = go_table__inlined(t, at, names, ARRAY_SIZE(names)); i-- > 0;)
			assert_in_range(strlen(names[i]), 1, 8192);
	}
}

static void overwrite(const char *section, u64 random)
{
	run("objcopy -O binary --only-section=%s bare section && "
	    "n=$(stat -c %%s section) && for i in 1 2 3 4 5 6 7 8 9; do "
	    "printf '\\377\\1\\200' | dd of=section bs=1 conv=notrunc status=none "
	    "seek=$(((%llu * i * i %% (i > 4 ? n : 4096)) / 1)); done && "
	    "objcopy --update-section %s=section bare broken 2>&1",
	    section, (unsigned long long)random, section);
}

static void test_broken(void **state)
{
	struct go_file f;
	u32 opened = 0;
	size_t size;

	build("", "main.go");
	for (u64 i = 1; i <= 24; i++) {
		overwrite(i % 4 ? ".gopclntab" : ".noptrdata", i * 2654435761u);
		open_file(&f, "broken");
		if (f.table) {
			go_table__each(f.table, look_at, f.table);
			free(go_frames__make(f.table, EM_X86_64, &size));
			opened++;
		}
		close_file(&f);
	}
	assert_in_range(opened, 3, 24);
	run("objcopy -O binary --only-section=.gopclntab bare section && truncate -s 40 section && "
	    "objcopy --update-section .gopclntab=section bare broken");
	open_file(&f, "broken");
	assert_null(f.table);
	close_file(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_usual),
		cmocka_unit_test(test_position_independent),
		cmocka_unit_test(test_with_c),
		cmocka_unit_test(test_debuginfo),
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_frames_aarch64),
		cmocka_unit_test(test_broken),
	};

	return cmocka_run_group_tests(tests, setup, scratch__remove);
}
