/* SPDX-License-Identifier: GPL-2.0-only */
/* Disassembly against objdump, targets, source text, and what is not shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "symbols/annotate.h"
#include "symbols/sources.h"
#include "tests/lib/scratch.h"
#include "tests/lib/skip.h"

static int setup(void **state)
{
	if (scratch__make("annotate_test"))
		return -1;
	write_file("prog.c", "#include <stdlib.h>\n"
			     "static inline __attribute__((always_inline)) int twice(int x)\n"
			     "{\n\treturn 1000 / (x | 1);\t/* twice */\n}\n"
			     "__attribute__((noinline)) void *helper(int x)\n"
			     "{\n\treturn malloc(x);\n}\n"
			     "__attribute__((noinline)) int loop(int n)\n"
			     "{\n\tint s = 0;\n"
			     "\tfor (int i = 0; i < n; i++) {\n"
			     "\t\ts += twice(s + i);\n"
			     "\t\tfree(helper(s));\n"
			     "\t}\n\treturn s;\n}\n"
			     "int main(int argc, char **argv)\n{\n\treturn loop(argc);\n}\n");
	run("gcc -O2 -g -no-pie prog.c -o prog");
	return 0;
}

/* What a shell pipeline in the folder prints as one hex number. */
static u64 ask(const char *cmd)
{
	char *full = xasprintf("cd %s && %s", scratch_dir, cmd), line[64] = "";
	FILE *f = popen(full, "r");

	assert_non_null(fgets(line, sizeof(line), f));
	pclose(f);
	free(full);
	return strtoull(line, NULL, 16);
}

struct program {
	struct annotate_code code;
	struct sources *sources;
	u8 bytes[65536];
	u64 helper; /* vaddr */
	const char *elf;
};

static bool name_of(void *ctx, u64 vaddr, u64 *offset, char *name, size_t size)
{
	const struct program *p = ctx;

	*offset = vaddr - p->code.vaddr + p->code.offset;
	if (vaddr == p->helper)
		snprintf(name, size, "helper");
	return vaddr == p->helper;
}

/* The bytes of the program from a symbol on, or all of .text when it is NULL. */
static void load(struct program *p, const char *elf, const char *symbol)
{
	char cmd[256], path[128];
	u64 text, offset;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", scratch_dir, elf);
	snprintf(cmd, sizeof(cmd), "readelf -SW %s | sed -n 's/.* \\.text *[A-Z]* *//p'", elf);
	text = ask(cmd);
	strcat(cmd, " | cut -d' ' -f2");
	offset = ask(cmd);
	*p = (struct program){.code = {.vaddr = text, .ctx = p, .name = name_of},
			      .helper = UINT64_MAX};
	if (symbol) {
		snprintf(cmd, sizeof(cmd), "nm -S %s | grep ' %s$'", elf, symbol);
		p->code.vaddr = ask(cmd);
		strcat(cmd, " | cut -d' ' -f2");
		p->code.size = ask(cmd);
	} else {
		snprintf(cmd, sizeof(cmd),
			 "readelf -SW %s | sed -n 's/.* \\.text *[A-Z]* *//p' | "
			 "cut -d' ' -f3",
			 elf);
		p->code.size = ask(cmd);
	}
	p->code.offset = offset + (p->code.vaddr - text);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(p->code.size <= sizeof(p->bytes));
	assert_int_equal(pread(fd, p->bytes, p->code.size, (off_t)p->code.offset), p->code.size);
	p->code.bytes = p->bytes;
	close(fd);
}

static const struct annotation *annotate(struct program *p, const char *elf, u16 machine)
{
	char path[128], note[160];
	struct annotation *a;
	int fd;

	snprintf(path, sizeof(path), "%s/%s", scratch_dir, elf);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	p->code.machine = machine;
	p->code.debuginfo = debuginfo__open(fd, path, "", note, sizeof(note));
	close(fd);
	p->code.sources = sources__new("", geteuid());
	a = annotate__code(7, &p->code);
	sources__free(p->code.sources);
	if (p->code.debuginfo)
		debuginfo__close(p->code.debuginfo);
	return a;
}

static const struct annotated_insn *find_text(const struct annotation *a, const char *text)
{
	for (u32 i = 0; i < a->ninsns; i++)
		if (strstr(a->insns[i].text, text))
			return &a->insns[i];
	fail_msg("no instruction with %s", text);
	return NULL;
}

/* The same boundaries, over all of .text. */
static void expect_boundaries(const char *objdump, const char *elf, u16 machine)
{
	static struct program p;
	const struct annotation *a;
	char *cmd =
		xasprintf("cd %s && %s -d -j .text %s | sed -n 's/^ *\\([0-9a-f]*\\):\\t.*\\t.*/"
			  "\\1/p'",
			  scratch_dir, objdump, elf);
	FILE *f = popen(cmd, "r");
	char line[64];
	u32 n = 0;

	load(&p, elf, NULL);
	a = annotate(&p, elf, machine);
	while (fgets(line, sizeof(line), f)) {
		assert_true(n < a->ninsns);
		assert_int_equal(a->insns[n].offset - p.code.offset + p.code.vaddr,
				 strtoull(line, NULL, 16));
		n++;
	}
	assert_true(n > 10);
	assert_int_equal(n, a->ninsns);
	pclose(f);
	free(cmd);
	annotation__put(a);
}

static void test_boundaries(void **state)
{
	expect_boundaries("objdump", "prog", EM_X86_64);
}

static void test_targets(void **state)
{
	static struct program p;
	const struct annotated_insn *insn;
	const struct annotation *a;
	bool back = false;
	char text[64];

	load(&p, "prog", "loop");
	p.helper = ask("nm prog | grep ' helper$'");
	a = annotate(&p, "prog", EM_X86_64);
	assert_string_equal(a->note, "");
	assert_int_equal(a->func, 7);
	insn = find_text(a, "helper");
	assert_string_equal(insn->text, "call   helper");
	assert_int_equal(insn->target, p.helper - p.code.vaddr + p.code.offset);
	for (u32 i = 0; i < a->ninsns; i++) {
		insn = &a->insns[i];
		if (insn->text[0] != 'j' || insn->target >= insn->offset)
			continue;
		snprintf(text, sizeof(text), " %llx (+0x%llx)", (unsigned long long)insn->target,
			 (unsigned long long)(insn->target - p.code.offset));
		assert_non_null(strstr(insn->text, text));
		back = true;
	}
	assert_true(back);
	annotation__put(a);
}

static void test_source(void **state)
{
	static struct program p;
	const struct annotated_insn *insn;
	const struct annotation *a;

	load(&p, "prog", "loop");
	a = annotate(&p, "prog", EM_X86_64);
	insn = find_text(a, "idiv");
	assert_non_null(strstr(insn->file, "/prog.c"));
	assert_int_equal(insn->line, 4);
	assert_string_equal(insn->inlined, "twice");
	/* Tabs are expanded. */
	assert_string_equal(insn->source, "        return 1000 / (x | 1);  /* twice */");
	insn = find_text(a, "call");
	assert_null(insn->inlined);
	assert_non_null(strstr(insn->source, "helper(s)"));
	annotation__put(a);
}

static void test_aarch64(void **state)
{
	static struct program p;
	const struct annotation *a;

	write_file("arm.s", "f:\n cbz x0, 1f\n bl g\n b.ne f\n1: ret\n tbz w1, #3, f\n"
			    "g: adrp x0, f\n ldr x1, [x0, #8]\n br x1\n .size f, 20\n");
	if (system("clang --version >/dev/null 2>&1")) {
		skip_because("clang is not installed");
	}
	run("clang -target aarch64-linux-gnu -c arm.s -o arm.o");
	load(&p, "arm.o", NULL);
	a = annotate(&p, "arm.o", EM_AARCH64);
	assert_int_equal(a->ninsns, 8);
	assert_string_equal(a->insns[0].text, "cbz    x0, 4c (+0xc)");
	assert_string_equal(a->insns[1].text, "bl     54 (+0x14)");
	assert_string_equal(a->insns[4].text, "tbz    w1, #3, 0");
	assert_int_equal(a->insns[2].target, p.code.offset);
	annotation__put(a);
}

static void test_no_disassembler(void **state)
{
	const struct annotation *a = annotate__code(
		1,
		&(struct annotate_code){.machine = EM_S390, .bytes = (const u8 *)"x", .size = 1});

	assert_int_equal(a->ninsns, 0);
	assert_non_null(strstr(a->note, "no disassembler"));
	annotation__put(a);
}

/* Bytes that are no code, and more instructions than are shown. */
static void test_bounds(void **state)
{
	size_t n = ANNOTATE_MAX_CODE;
	u8 *bytes = xmalloc(n);
	struct annotate_code code = {.machine = EM_X86_64, .bytes = bytes, .size = n};
	const struct annotation *a;

	memset(bytes, 0x90, n);
	a = annotate__code(1, &code);
	assert_int_equal(a->ninsns, ANNOTATE_MAX_INSNS);
	assert_non_null(strstr(a->note, "are not shown"));
	annotation__put(a);
	code.size = 64;
	memset(bytes, 0xff, n);
	a = annotate__code(1, &code);
	assert_int_equal(a->ninsns, 64);
	assert_non_null(strstr(a->insns[0].text, ".byte"));
	annotation__put(a);
	free(bytes);
}

/* --- which source files are read --- */

static const char *first_line(struct sources *s, const char *name, const char **why)
{
	char path[128];
	const char *line;

	snprintf(path, sizeof(path), "%s/%s", scratch_dir, name);
	line = sources__line(s, path, 1);
	sources__missing(s, why);
	return line;
}

static void test_sources(void **state)
{
	struct sources *s = sources__new("", 12345);
	const char *why;

	write_file("control.c", "a\033[31mb\rc   \nsecond");
	run("mkfifo fifo && cp prog.c private.c && chmod 600 private.c && "
	    "truncate -s 100M large.c");
	assert_string_equal(first_line(s, "control.c", &why), "a?[31mbc");
	assert_null(why);
	assert_null(first_line(s, "fifo", &why));
	assert_string_equal(why, "is not there");
	sources__free(s);
	s = sources__new("", 12345);
	if (geteuid() == 0) {
		assert_null(first_line(s, "private.c", &why));
		assert_string_equal(why, "is private to another user");
	}
	sources__free(s);
	s = sources__new("", geteuid());
	assert_non_null(first_line(s, "private.c", &why));
	assert_null(first_line(s, "large.c", &why));
	assert_string_equal(why, "is too large");
	assert_null(sources__line(s, "relative.c", 1));
	sources__free(s);
}

/* In a root of their own users have any file of root's wherever they like. */
static void test_sources_of_a_root(void **state)
{
	struct sources *s;

	skip_when_emulated(); /* no openat2 */
	run("cp prog.c private.c && chmod 600 private.c");
	s = sources__new(scratch_dir, 0);
	assert_non_null(sources__line(s, "/prog.c", 1));
	if (geteuid() == 0)
		assert_null(sources__line(s, "/private.c", 1));
	sources__free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boundaries),	cmocka_unit_test(test_targets),
		cmocka_unit_test(test_source),		cmocka_unit_test(test_aarch64),
		cmocka_unit_test(test_no_disassembler), cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_sources_of_a_root),
	};

	return cmocka_run_group_tests(tests, setup, scratch__remove);
}
