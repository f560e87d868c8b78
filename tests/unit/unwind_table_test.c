/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Unwind tables against libdw, address by address: of programs compiled here by both compilers
 * with all that makes frames differ, and of what is installed. What no compiler writes is in
 * unwind_cfi_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>
#include <elf.h>
#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "symbols/object.h"
#include "symbols/unwind_table.h"
#include "tests/lib/memory_peak.h"
#include "tests/lib/scratch.h"
#include "tests/lib/skip.h"
#include "tests/lib/sparse_elf.h"
#include "tests/lib/unwind_oracle.h"

static const char program[] =
	"#include <alloca.h>\n#include <stdlib.h>\n#include <string.h>\n#include <stdarg.h>\n"
	"volatile int sink;\n"
	"__attribute__((noinline)) int leaf(int x) { return x * 7 + sink; }\n"
	"__attribute__((noinline)) int many(int a, int b, int c, int d)\n"
	"{ int s = 0; for (int i = a; i < b; i++) s += leaf(i ^ c) * leaf(s ^ d); return s + c * "
	"d; }\n"
	"__attribute__((noinline)) int dynamic(int n)\n"
	"{ char *p = alloca(n + 16); memset(p, n, n); sink = p[n / 2]; return leaf(p[0]); }\n"
	"__attribute__((noinline)) int variable(int n, ...)\n"
	"{ va_list ap; int s = 0; va_start(ap, n); while (n--) s += va_arg(ap, int);\n"
	"  va_end(ap); return leaf(s); }\n"
	"__attribute__((noinline)) int large(int n)\n"
	"{ volatile char b[70000]; b[n] = 1; return leaf(b[n] + b[n + 1]); }\n"
	"__attribute__((noinline)) int early(int n)\n"
	"{ if (n < 3) return n; if (n == 7) abort();\n"
	"  return many(n, leaf(n), n + 1, n) + early(n - 2); }\n"
	"int main(int argc, char **argv)\n"
	"{ return early(argc) + dynamic(argc) + variable(2, 3, argc) + large(argc); }\n";

/* Stacks that the compiler aligns itself, with and without one whose size it does not know. */
static const char realigned[] =
	"#include <alloca.h>\nvolatile int sink;\n"
	"extern int use(void *, ...);\n"
	"__attribute__((noinline)) int fixed(int n)\n"
	"{ _Alignas(64) char b[256]; use(b, n); return b[n]; }\n"
	"__attribute__((noinline)) int both(int n, int m)\n"
	"{ _Alignas(64) char b[64]; char *p = alloca(n); use(b, p, m);\n"
	"  return use(p, b) + b[m] + p[m]; }\n"
	"__attribute__((noinline)) int stacked(int a, int b, int c, int d, int e, int f, int g)\n"
	"{ _Alignas(64) char x[64]; char *p = alloca(a); use(x, p, b, g); return p[g] + x[f]; }\n"
	"__attribute__((noinline)) int use(void *p, ...) { sink += *(char *)p; return sink; }\n"
	"int main(int argc, char **argv) { return fixed(argc) + both(argc, argc) +\n"
	"stacked(argc, 1, 2, 3, 4, 5, 6); }\n";

/* Without headers, for another machine. */
static const char freestanding[] =
	"volatile int sink;\nint leaf(int x) { return x * 7 + sink; }\n"
	"__attribute__((noinline)) int calls(int x) { sink = x; return leaf(sink) + 1; }\n"
	"__attribute__((noinline)) int many(int a, int b, int c, int d)\n"
	"{ int s = 0; for (int i = a; i < b; i++) s += calls(i ^ c) * calls(s ^ d);\n"
	"  return s + c * d; }\n"
	"int dynamic(int n)\n"
	"{ char *p = __builtin_alloca(n + 16); p[n] = n; sink = p[n / 2]; return calls(p[0]); }\n"
	"int large(int n) { volatile char b[70000]; b[n] = 1; return calls(b[n] + b[n + 1]); }\n"
	"int aligned(int n)\n"
	"{ _Alignas(64) volatile char b[256]; b[n] = 1; return calls(b[n] + b[n + 1]); }\n"
	"int early(int n) { if (n < 3) return n; return many(n, calls(n), n + 1, n) + early(n - "
	"2); }\n"
	"double floats(double x, int n)\n"
	"{ double s = x; for (int i = 0; i < n; i++) s = s * x + calls(i); return s; }\n";

static int setup(void **state)
{
	if (scratch__make("unwind_table_test"))
		return -1;
	write_file("p.c", program);
	write_file("r.c", realigned);
	write_file("f.c", freestanding);
	return 0;
}

static int read_table(const char *path, struct unwind_table *t)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err;
	struct status st;

	assert_true(fd >= 0);
	err = unwind_table__read(fd, "", path, t, &st);
	close(fd);
	return err;
}

static void expect_ordered(const struct unwind_table *t)
{
	assert_true(t->nrows > 1);
	for (u32 i = 1; i < t->nrows; i++) {
		const struct unwind_row *a = &t->rows[i - 1], *b = &t->rows[i];

		assert_true(a->pc < b->pc);
		assert_true(a->cfa != b->cfa || a->fp != b->fp || a->rule != b->rule);
	}
	assert_int_equal(t->rows[t->nrows - 1].rule, UNWIND_CFA_NONE);
}

static u32 count_rules(const struct unwind_table *t, u8 mask, u8 rule)
{
	u32 n = 0;

	for (u32 i = 0; i < t->nrows; i++)
		n += (t->rows[i].rule & mask) == rule;
	return n;
}

/* Compares up to max addresses; none may differ. debug: NULL, or where .debug_frame is. */
static struct unwind_tally compare(const char *path, const char *debug, u64 max,
				   struct unwind_table *t)
{
	struct unwind_oracle *o = unwind_oracle__open(path, debug);
	struct unwind_tally tally = {0};

	assert_non_null(o);
	assert_int_equal(read_table(path, t), 0);
	expect_ordered(t);
	unwind_oracle__ask_all(o, t, max, &tally);
	unwind_oracle__close(o);
	if (tally.wrong || tally.extra)
		fail_msg("%s: %llu of %llu differ, first %s; %llu where there is no code", path,
			 (unsigned long long)tally.wrong, (unsigned long long)tally.asked,
			 tally.first, (unsigned long long)tally.extra);
	assert_true(tally.asked > 0);
	return tally;
}

static char *in_scratch(const char *name)
{
	return xasprintf("%s/%s", scratch_dir, name);
}

static struct unwind_tally compare_built(const char *name, const char *debug,
					 struct unwind_table *t)
{
	char *path = in_scratch(name), *other = debug ? in_scratch(debug) : NULL;
	struct unwind_tally tally = compare(path, other, 30000, t);

	free(path);
	free(other);
	return tally;
}

/* --- programs compiled here --- */

static const struct {
	const char *flags;
	u32 per_mille_none; /* of the addresses, that may have no rule */
} built[] = {
	{"-O0", 0},
	{"-O2 -fomit-frame-pointer", 0},
	{"-O3 -fno-omit-frame-pointer -static", 10}, /* libc's resolver counts from rbx */
	{"-Os -fomit-frame-pointer -no-pie -s", 0},
};

static void test_compiled(const char *cc)
{
	for (u32 i = 0; i < ARRAY_SIZE(built); i++) {
		struct unwind_table t;
		struct unwind_tally tally;

		run("%s -w %s p.c -o p", cc, built[i].flags);
		tally = compare_built("p", NULL, &t);
		assert_int_equal(t.base, 0);
		assert_true(tally.none * 1000 <= tally.asked * built[i].per_mille_none);
		unwind_table__free(&t);
	}
}

static void test_gcc(void **state)
{
	test_compiled("gcc");
}

static void test_clang(void **state)
{
	test_compiled("clang");
}

static void test_realigned(void **state)
{
	static const char *const how[] = {"gcc -O2", "gcc -O0 -fomit-frame-pointer", "clang -O2"};

	for (u32 i = 0; i < ARRAY_SIZE(how); i++) {
		struct unwind_table t;
		struct unwind_tally tally;

		run("%s -w r.c -o r", how[i]);
		tally = compare_built("r", NULL, &t);
		/* What is left are the instructions that align the stack and those that undo it,
		 * when the frame is known by r10 alone. */
		assert_true(tally.none <= 3 * 64);
		if (how[i][0] == 'g') {
			assert_true(count_rules(&t, UNWIND_CFA, UNWIND_CFA_DEREF_FP) >= 1);
			assert_true(count_rules(&t, UNWIND_FP, UNWIND_FP_AT_FP) >= 1);
		}
		unwind_table__free(&t);
	}
}

static void test_aarch64(void **state)
{
	static const char *const how[] = {
		"-O0 -fasynchronous-unwind-tables",
		"-O2 -fomit-frame-pointer -g", /* .debug_frame only */
		"-O2 -fasynchronous-unwind-tables -mbranch-protection=standard",
		"-Os -fasynchronous-unwind-tables -fomit-frame-pointer -momit-leaf-frame-pointer",
	};

	if (system("clang -print-targets 2>&1 | grep -q '^ *aarch64 ' && ld.lld --version "
		   ">/dev/null"))
		skip_because("there is no clang for aarch64, or no lld");
	for (u32 i = 0; i < ARRAY_SIZE(how); i++) {
		struct unwind_table t;
		struct unwind_tally tally;

		run("clang --target=aarch64-linux-gnu -w %s -ffreestanding -nostdlib -shared -fPIC "
		    "-fuse-ld=lld f.c -o f",
		    how[i]);
		tally = compare_built("f", NULL, &t);
		assert_int_equal(t.machine, EM_AARCH64);
		assert_int_equal(tally.none, 0);
		assert_true(count_rules(&t, UNWIND_RA, UNWIND_RA_LR) > 0);
		unwind_table__free(&t);
	}
}

static void test_entry_is_outermost(void **state)
{
	char *path = in_scratch("e");
	const struct unwind_row *row;
	struct unwind_table t;
	Elf64_Ehdr eh;
	FILE *f;

	run("gcc -w -O2 p.c -o e");
	f = fopen(path, "r");
	assert_int_equal(fread(&eh, sizeof(eh), 1, f), 1);
	fclose(f);
	assert_int_equal(read_table(path, &t), 0);
	row = unwind_table__find(&t, eh.e_entry);
	assert_non_null(row);
	assert_int_equal(row->rule, UNWIND_CFA_END);
	assert_null(unwind_table__find(&t, 0));
	unwind_table__free(&t);
	free(path);
}

/* --- .debug_frame --- */

#define NO_EH_FRAME "-fno-asynchronous-unwind-tables -fno-exceptions -nostdlib -shared -fPIC -w"

static void test_debug_frame(void **state)
{
	static const char *const packed[] = {"", "-gz=zlib"};

	for (u32 i = 0; i < ARRAY_SIZE(packed); i++) {
		struct unwind_table t;

		run("gcc -g -O2 " NO_EH_FRAME " %s p.c -o d", packed[i]);
		compare_built("d", NULL, &t);
		unwind_table__free(&t);
	}
}

static void test_separate_debug_frame(void **state)
{
	struct unwind_table t;
	char *path = in_scratch("s");

	run("gcc -g -O2 " NO_EH_FRAME " p.c -o s && objcopy --only-keep-debug s s.debug && "
	    "strip s && objcopy --add-gnu-debuglink=s.debug s");
	compare_built("s", "s.debug", &t);
	unwind_table__free(&t);
	run("rm s.debug");
	assert_int_equal(read_table(path, &t), -ENODATA);
	assert_null(t.rows);
	free(path);
}

/* --- what is rarely described --- */

/* Compares every byte of a section. */
static void compare_section(const char *name, const char *section, u64 min)
{
	struct unwind_tally tally = {0};
	char *path = in_scratch(name), line[256];
	struct unwind_oracle *o = unwind_oracle__open(path, NULL);
	unsigned long addr = 0, size = 0;
	struct unwind_table t;
	FILE *f;

	run("readelf -SW %s | sed -n 's/.* \\%s  *PROGBITS  *//p' >where", name, section);
	free(path);
	path = in_scratch("where");
	f = fopen(path, "r");
	assert_non_null(fgets(line, sizeof(line), f));
	fclose(f);
	free(path);
	assert_int_equal(sscanf(line, "%lx %*x %lx", &addr, &size), 2);
	path = in_scratch(name);
	assert_int_equal(read_table(path, &t), 0);
	for (unsigned long i = 0; i < size; i++)
		unwind_oracle__ask(o, &t, addr + i, &tally);
	if (tally.equal != size)
		fail_msg("%s of %s: %s", section, name, tally.first);
	assert_true(size >= min);
	unwind_oracle__close(o);
	unwind_table__free(&t);
	free(path);
}

static void test_plt(void **state)
{
	run("gcc -w -O2 -fcf-protection=none -Wl,-z,lazy p.c -o plt");
	compare_section("plt", ".plt", 48);
	/* With landing pads an entry pushes its word two bytes earlier. */
	run("gcc -w -O2 -fcf-protection -Wl,-z,lazy,-z,ibtplt p.c -o ibt");
	compare_section("ibt", ".plt", 48);
	compare_section("ibt", ".plt.sec", 32);
}

static void test_trampoline_without_cfi(void **state)
{
	const struct unwind_row *row;
	struct unwind_table t;
	char *path = in_scratch("tramp");

	write_file("tramp.s", ".text\n.cfi_startproc\n.fill 16,1,0x90\n.cfi_endproc\n"
			      ".fill 48,1,0x90\n"
			      "back: mov $15,%rax\nsyscall\n.fill 64,1,0x90\n");
	run("gcc -nostdlib -shared -Wl,-Ttext=0x2000 tramp.s -o tramp");
	assert_int_equal(read_table(path, &t), 0);
	row = unwind_table__find(&t, 0x2000 + 64);
	assert_int_equal(row->rule, UNWIND_CFA_SIGNAL);
	/* A return address is looked up by the byte before it. */
	assert_ptr_equal(unwind_table__find(&t, 0x2000 + 63), row);
	assert_int_equal(row[1].rule, UNWIND_CFA_NONE);
	unwind_table__free(&t);
	free(path);
}

static void test_vdso(void **state)
{
	const Elf64_Ehdr *h = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct unwind_tally tally = {0};
	char *path = in_scratch("vdso");
	struct unwind_oracle *o;
	struct unwind_table t;
	struct status st;
	size_t size;
	FILE *f;

	if (!h)
		skip_because("there is no vdso");
	size = h->e_shoff + (size_t)h->e_shnum * h->e_shentsize;
	f = fopen(path, "w");
	fwrite(h, size, 1, f);
	fclose(f);
	assert_int_equal(unwind_table__read_memory(h, size, &t, &st), 0);
	o = unwind_oracle__open(path, NULL);
	unwind_oracle__ask_all(o, &t, UINT64_MAX, &tally);
	assert_int_equal(tally.wrong, 0);
	assert_true(tally.equal > 100);
	unwind_oracle__close(o);
	unwind_table__free(&t);
	free(path);
}

/* --- what is installed --- */

static const struct {
	const char *pattern;
	u32 per_mille_none; /* of the addresses, that may have no rule */
} installed[] = {
	{"/lib*/*/libc.so.6", 1},
	{"/usr/lib/*/libstdc++.so.6", 1},
	{"/usr/lib/gcc/*/*/cc1", 1},
	{"/usr/bin/python3.[0-9]*[0-9]", 1},
	{"/usr/bin/perl", 1},
	{"/usr/bin/bash", 1},
	/* _dl_runtime_resolve counts from rbx. */
	{"/lib*/ld-linux-*.so.*", 30},
	/* Assembly by hand that counts from rax, and from words that are not the CFA itself. */
	{"/usr/lib/*/libcrypto.so.3", 100},
};

static char *first_match(const char *pattern)
{
	char *cmd = xasprintf("ls -dL %s 2>/dev/null | head -n 1", pattern), line[512] = "";
	FILE *f = popen(cmd, "r");

	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	pclose(f);
	free(cmd);
	line[strcspn(line, "\n")] = '\0';
	return line[0] ? xstrdup(line) : NULL;
}

static void test_installed(void **state)
{
	u32 found = 0;

	skip_when_emulated();
	for (u32 i = 0; i < ARRAY_SIZE(installed); i++) {
		char *path = first_match(installed[i].pattern);
		struct unwind_tally tally;
		struct unwind_table t;

		if (!path)
			continue;
		tally = compare(path, NULL, 6000, &t);
		print_message("%s: %u rows, %u ranges, %u odd, %.4f%% of the code; %llu of %llu "
			      "addresses as libdw has them\n",
			      path, t.nrows, t.ranges, t.odd,
			      100.0 * (double)t.odd_bytes / (double)t.code_bytes,
			      (unsigned long long)tally.equal, (unsigned long long)tally.asked);
		assert_true(t.odd_bytes * 1000 <= t.code_bytes * installed[i].per_mille_none);
		if (i == 0)
			assert_true(count_rules(&t, UNWIND_CFA, UNWIND_CFA_SIGNAL) > 0);
		unwind_table__free(&t);
		free(path);
		found++;
	}
	assert_true(found >= 2);
}

/* --- files that are none --- */

static void test_refused(void **state)
{
	char *path = in_scratch("text");
	struct unwind_table t;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct status st;

	assert_int_equal(unwind_table__read(fd, "", "", &t, &st), -EINVAL);
	assert_non_null(strstr(st.msg, "not an ELF file"));
	close(fd);
	write_file("text", program);
	assert_int_equal(read_table(path, &t), -EINVAL);
	assert_int_equal(unwind_table__read_memory(program, sizeof(program), &t, &st), -EINVAL);
	free(path);
}

static void read_quietly(int fd)
{
	struct unwind_table t;

	unwind_table__read(fd, "", "", &t, NULL);
	unwind_table__free(&t);
}

/* A section that is packed is not read to see how large it would be. */
static void test_packed_hole(void **state)
{
	int fd = sparse_elf__make(&(struct sparse_elf){.sections = 1,
						       .type = SHT_PROGBITS,
						       .flags = SHF_COMPRESSED,
						       .size = 200u << 20,
						       .name = ".eh_frame"});
	struct unwind_table t;

	assert_in_range(memory_peak(read_quietly, fd), 0, 63);
	assert_int_equal(unwind_table__read(fd, "", "", &t, NULL), -E2BIG);
	close(fd);
}

/* Every executable section of a file, made the same 4 MiB of it. */
static void spread_code(int fd)
{
	Elf64_Ehdr h;
	Elf64_Shdr sh;
	u32 n = 0;

	assert_int_equal(ftruncate(fd, 8 << 20), 0);
	assert_int_equal(pread(fd, &h, sizeof(h), 0), sizeof(h));
	for (u32 i = 0; i < h.e_shnum; i++) {
		off_t at = (off_t)(h.e_shoff + i * sizeof(sh));

		assert_int_equal(pread(fd, &sh, sizeof(sh), at), sizeof(sh));
		if (!(sh.sh_flags & SHF_EXECINSTR))
			continue;
		sh.sh_offset = 4 << 20;
		sh.sh_size = 4 << 20;
		assert_int_equal(pwrite(fd, &sh, sizeof(sh), at), sizeof(sh));
		n++;
	}
	assert_true(n > 40);
}

/* The search for the return from signal handlers does not read whatever there is. */
static void test_much_code(void **state)
{
	char *path = in_scratch("much");
	struct unwind_table t;
	int fd;

	write_file("much.s", ".text\n.cfi_startproc\n.fill 16,1,0x90\n.cfi_endproc\n"
			     ".altmacro\n.macro part n\n"
			     ".section .part\\n,\"ax\",@progbits\n.byte 0x90\n.endm\n"
			     ".set i,0\n.rept 40\npart %i\n.set i,i+1\n.endr\n");
	run("gcc -nostdlib -shared much.s -o much");
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	spread_code(fd);
	assert_in_range(memory_peak(read_quietly, fd), 0, 63);
	assert_int_equal(unwind_table__read(fd, "", "", &t, NULL), 0);
	unwind_table__free(&t);
	close(fd);
	free(path);
}

#define SMALL 7 /* bytes of the section that becomes large */

/* The section of that size, made 200 MiB of nothing. */
static void enlarge(int fd)
{
	Elf64_Ehdr h;
	Elf64_Shdr sh;
	u32 n = 0;

	assert_int_equal(ftruncate(fd, 256 << 20), 0);
	assert_int_equal(pread(fd, &h, sizeof(h), 0), sizeof(h));
	for (u32 i = 0; i < h.e_shnum; i++) {
		off_t at = (off_t)(h.e_shoff + i * sizeof(sh));

		assert_int_equal(pread(fd, &sh, sizeof(sh), at), sizeof(sh));
		if (sh.sh_type != SHT_PROGBITS || sh.sh_size != SMALL)
			continue;
		sh.sh_offset = 4 << 20;
		sh.sh_size = 200 << 20;
		assert_int_equal(pwrite(fd, &sh, sizeof(sh), at), sizeof(sh));
		n++;
	}
	assert_int_equal(n, 1);
}

/* What is said beside a section that is too large is not lost. */
static void test_large_beside(void **state)
{
	char *path = in_scratch("beside");
	struct unwind_table t;
	int fd;

	write_file("beside.s", ".text\n.cfi_startproc\n.fill 16,1,0x90\n.cfi_endproc\n"
			       ".section .debug_frame,\"\",@progbits\n.fill 7,1,0\n");
	run("gcc -nostdlib -shared beside.s -o beside");
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	enlarge(fd);
	assert_in_range(memory_peak(read_quietly, fd), 0, 63);
	assert_int_equal(unwind_table__read(fd, "", "", &t, NULL), 0);
	assert_true(t.nrows > 0);
	unwind_table__free(&t);
	close(fd);
	free(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gcc),
		cmocka_unit_test(test_clang),
		cmocka_unit_test(test_realigned),
		cmocka_unit_test(test_entry_is_outermost),
		cmocka_unit_test(test_aarch64),
		cmocka_unit_test(test_debug_frame),
		cmocka_unit_test(test_separate_debug_frame),
		cmocka_unit_test(test_plt),
		cmocka_unit_test(test_trampoline_without_cfi),
		cmocka_unit_test(test_vdso),
		cmocka_unit_test(test_installed),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_packed_hole),
		cmocka_unit_test(test_much_code),
		cmocka_unit_test(test_large_beside),
	};

	return cmocka_run_group_tests(tests, setup, scratch__remove);
}
