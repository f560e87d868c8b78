/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Functions of ELF files against nm: this program, libc, and programs compiled here that are
 * static, stripped, prelinked, scattered, deleted, replaced, or have their symbols elsewhere.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <link.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "symbols/symtab.h"
#include "tests/lib/elf_map.h"
#include "tests/lib/skip.h"

static const char source_c[] =
	"#include <stdlib.h>\n"
	"#define FN __attribute__((noinline,noclone))\n"
	"volatile int sink;\n"
	"FN int do_work(int x)\n{\n\tfor (int i = 0; i < x; i++)\n\t\tsink += i;\n"
	"\treturn sink;\n}\n"
	"int __do_work(int x) __attribute__((alias(\"do_work\")));\n"
	"int weakly_done(int x) __attribute__((weak, alias(\"do_work\")));\n"
	"static FN int hidden_away(int x)\n{\n\tsink = x;\n\treturn do_work(x) + rand();\n}\n"
	"FN __attribute__((section(\".far.text\"))) int far_away(int x)\n"
	"{\n\tsink = x * 3;\n\treturn x;\n}\n"
	"__asm__(\".text\\n.globl in_assembly\\nin_assembly:\\n\\tnop\\n\\tnop\\n"
	".local_label:\\n\\tnop\\n\\tret\\n\");\n"
	"FN int after_assembly(int x)\n{\n\treturn hidden_away(x) + far_away(x);\n}\n"
	"int main(int argc, char **argv)\n{\n\treturn after_assembly(argc);\n}\n";

static int setup(void **state)
{
	if (scratch__make("symbols_elf_test"))
		return -1;
	write_file("source.c", source_c);
	run("gcc -O1 -g source.c -o plain");
	run("gcc -O1 -g -static source.c -o static");
	run("gcc -O1 -g -no-pie -Wl,-Ttext-segment=0x10000000 source.c -o fixed");
	run("gcc -O1 -g source.c -Wl,--section-start=.far.text=0x4000000 -o scattered");
	run("gcc -O1 -shared -fPIC source.c -Wl,-z,now -o lib.so");
	return 0;
}

/* --- nm as the oracle --- */

struct nm_symbol {
	u64 addr, size;
	char name[256];
};

struct nm {
	struct nm_symbol *v;
	u32 n;
};

static struct nm nm(const char *args)
{
	char *cmd = xasprintf("cd %s && nm -n --defined-only %s 2>/dev/null", scratch_dir, args);
	FILE *f = popen(cmd, "r");
	char line[8192], type;
	struct nm out = {0};

	while (fgets(line, sizeof(line), f)) {
		struct nm_symbol s = {0};
		char size[32];

		if (sscanf(line, "%lx %31s %c %255s", &s.addr, size, &type, s.name) == 4 &&
		    strlen(size) > 1)
			s.size = strtoull(size, NULL, 16);
		else if (sscanf(line, "%lx %c %255s", &s.addr, &type, s.name) != 3)
			continue;
		if (!strchr("tTwWi", type))
			continue;
		if (strchr(s.name, '@'))
			*strchr(s.name, '@') = '\0';
		if (!(out.n & (out.n - 1)))
			out.v = xrealloc(out.v, sizeof(s) * MAX(1u, out.n * 2));
		out.v[out.n++] = s;
	}
	pclose(f);
	free(cmd);
	return out;
}

static bool names_it(const struct nm *nm, u64 addr, const char *name)
{
	for (u32 i = 0; i < nm->n; i++)
		if (nm->v[i].addr == addr && !strncmp(nm->v[i].name, name, 255))
			return true;
	return false;
}

static u64 addr_of(const struct nm *nm, const char *name)
{
	for (u32 i = 0; i < nm->n; i++)
		if (!strcmp(nm->v[i].name, name))
			return nm->v[i].addr;
	fail_msg("nm knows no %s", name);
	return 0;
}

/* Every sized function at its first and its last byte, unless another lies within it. */
static u32 compare(const char *file, const struct nm *nm)
{
	struct elf_map m = elf_map__open(symbols, file);
	u32 *first = xcalloc(nm->n, sizeof(*first)), *last = xcalloc(nm->n, sizeof(*last));
	u32 compared = 0;

	for (u32 i = 0; i < nm->n; i++) {
		const struct nm_symbol *s = &nm->v[i];

		if (!s->size)
			continue;
		first[i] = elf_map__loc(symbols, &m, s->addr);
		if (i + 1 == nm->n || nm->v[i + 1].addr >= s->addr + s->size)
			last[i] = elf_map__loc(symbols, &m, s->addr + s->size - 1);
	}
	settle(symbols);
	for (u32 i = 0; i < nm->n; i++) {
		const struct sym_func *f = func_of(symbols, first[i]);

		if (!first[i])
			continue;
		if (!names_it(nm, nm->v[i].addr, f->linkage))
			fail_msg("%s: %lx is %s, not %s", file, nm->v[i].addr, nm->v[i].name,
				 f->linkage);
		assert_int_equal(f->start, symbols__offset_of(symbols, first[i]));
		if (last[i])
			assert_int_equal(func_of(symbols, last[i])->id, f->id);
		compared++;
	}
	free(first);
	free(last);
	elf_map__close(&m);
	return compared;
}

static void check_file(const char *file, u32 least)
{
	struct nm all;
	char args[256];

	snprintf(args, sizeof(args), "-S %s", file);
	all = nm(args);
	assert_true(compare(file, &all) >= least);
	free(all.v);
}

static void test_self(void **state)
{
	char path[256] = "";

	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	check_file(path, 100);
}

static void test_libc(void **state)
{
	struct link_map *map;
	void *handle = dlopen("libc.so.6", RTLD_LAZY);
	char *args;
	struct nm all;

	skip_when_emulated();
	assert_int_equal(dlinfo(handle, RTLD_DI_LINKMAP, &map), 0);
	args = xasprintf("-S $(id=$(readelf -n %s | sed -n 's/.*Build ID: //p');"
			 "f=/usr/lib/debug/.build-id/$(echo $id | cut -c1-2)/"
			 "$(echo $id | cut -c3-).debug; test -f $f && echo $f || echo -D %s)",
			 map->l_name, map->l_name);
	all = nm(args);
	assert_true(compare(map->l_name, &all) >= 1000);
	free(all.v);
	free(args);
	dlclose(handle);
}

static void test_kinds(void **state)
{
	check_file("plain", 5);
	check_file("static", 500);
	check_file("fixed", 5);
	check_file("scattered", 5);
	check_file("lib.so", 5);
}

/* --- names that are chosen or made up --- */

static u32 loc_in(const char *file, const char *args, const char *name)
{
	struct elf_map m = elf_map__open(symbols, file);
	struct nm all = nm(args);
	u32 loc = elf_map__loc(symbols, &m, addr_of(&all, name) + 1);

	settle(symbols);
	free(all.v);
	return loc; /* stays mapped: the loc must lead to its file */
}

static void test_aliases(void **state)
{
	u32 loc = loc_in("plain", "plain", "__do_work");

	assert_string_equal(func_of(symbols, loc)->name, "do_work");
	loc = loc_in("plain", "plain", "in_assembly");
	assert_string_equal(func_of(symbols, loc)->name, "in_assembly");
	assert_int_equal(func_of(symbols, loc)->size, 4);
	loc = loc_in("plain", "plain", "_start");
	assert_int_equal(func_of(symbols, loc)->flags, FUNC_OUTERMOST);
	assert_string_equal(info_of(symbols, loc)->source, "symtab");
	assert_true(info_of(symbols, loc)->has_dwarf);
	assert_string_equal(info_of(symbols, loc)->note, "");
	assert_int_equal(strlen(info_of(symbols, loc)->build_id), 40);
}

/* As C libraries have them. */
static void test_known_names(void **state)
{
	static const char *const pairs[][2] = {
		{"free", "cfree"},	 {"memcmp", "bcmp"}, {"strchr", "index"}, {"open", "open64"},
		{"pow", "powf32x"},	 {"sin", "sinf64"},  {"write", "__write"},
		{"raise", "gsignal"},	 {"do_work", "__do_work"},
		/* .symtab of a C library's debug file. */
		{"free", "cfree@GLIBC_2.2.5"}, {"pow@@GLIBC_2.29", "powf64@GLIBC_2.27"},
	};

	for (u32 i = 0; i < ARRAY_SIZE(pairs); i++) {
		assert_true(symbol_name__prefer(pairs[i][0], pairs[i][1]) < 0);
		assert_true(symbol_name__prefer(pairs[i][1], pairs[i][0]) > 0);
	}
}

static void test_plt(void **state)
{
	struct elf_map m = elf_map__open(symbols, "plain");
	u32 n = 0;

	for (u64 a = m.segs[0].vaddr; a < m.segs[0].vaddr + m.segs[0].size; a += 8)
		elf_map__loc(symbols, &m, a);
	settle(symbols);
	for (u64 a = m.segs[0].vaddr; a < m.segs[0].vaddr + m.segs[0].size; a += 8)
		n += !strcmp(func_of(symbols, elf_map__loc(symbols, &m, a))->name, "rand@plt");
	assert_true(n > 0 && n <= 4);
	elf_map__close(&m);
}

static void test_stripped(void **state)
{
	const struct sym_func *f;
	char expected[64];
	struct nm all;
	u32 loc;

	run("strip -s plain -o stripped");
	loc = loc_in("stripped", "plain", "hidden_away");
	f = func_of(symbols, loc);
	all = nm("plain");
	snprintf(expected, sizeof(expected), "stripped+0x%lx", addr_of(&all, "hidden_away"));
	free(all.v);
	assert_string_equal(f->name, expected);
	assert_int_equal(f->flags, FUNC_GUESSED);
	assert_non_null(strstr(info_of(symbols, loc)->note, "dbgsym"));
	/* static programs have no search table of it */
	run("objcopy -R .eh_frame_hdr -R .note.gnu.build-id stripped headless");
	loc = loc_in("headless", "plain", "hidden_away");
	assert_string_equal(func_of(symbols, loc)->name + strlen("headless"),
			    expected + strlen("stripped"));
	assert_int_equal(func_of(symbols, loc)->flags, FUNC_GUESSED);
	/* without unwind tables there is one for the whole file */
	run("objcopy -R .eh_frame -R .eh_frame_hdr -R .note.gnu.build-id stripped bare");
	loc = loc_in("bare", "plain", "hidden_away");
	assert_string_equal(func_of(symbols, loc)->name, "[bare]");
	assert_int_equal(func_of(symbols, loc)->flags, FUNC_GUESSED);
	run("strip -s lib.so -o slib.so");
	loc = loc_in("slib.so", "lib.so", "do_work");
	assert_string_equal(func_of(symbols, loc)->name, "do_work");
	assert_string_equal(info_of(symbols, loc)->source, "dynsym");
}

static void test_debuglink(void **state)
{
	const struct sym_func *f;
	u32 loc;

	skip_when_emulated();
	run("gcc -O1 -g -Wl,--build-id=none source.c -o linked && mkdir -p .debug && "
	    "objcopy --only-keep-debug linked .debug/linked.debug && cp linked whole && "
	    "strip -s linked && objcopy --add-gnu-debuglink=.debug/linked.debug linked");
	loc = loc_in("linked", "whole", "hidden_away");
	f = func_of(symbols, loc);
	assert_string_equal(f->name, "hidden_away");
	assert_string_equal(info_of(symbols, loc)->source, "debuglink");
	assert_true(info_of(symbols, loc)->has_dwarf);
	/* one byte off: the checksum does not hold, so it is not taken */
	run("cp linked linked2 && cp .debug/linked.debug .debug/x && "
	    "printf x >> .debug/linked.debug");
	loc = loc_in("linked2", "whole", "hidden_away");
	assert_int_equal(func_of(symbols, loc)->flags, FUNC_GUESSED);
}

static void test_minidebug(void **state)
{
	u32 loc;

	run("strip -g plain -o mini && objcopy -S --keep-symbol=hidden_away mini mini.syms && "
	    "xz -k mini.syms && strip -s mini && "
	    "objcopy --add-section .gnu_debugdata=mini.syms.xz mini");
	loc = loc_in("mini", "plain", "hidden_away");
	assert_string_equal(func_of(symbols, loc)->name, "hidden_away");
	assert_string_equal(info_of(symbols, loc)->source, "debugdata");
	/* broken: it goes on without */
	run("head -c 300 mini.syms.xz > half && strip -s plain -o mini2 && "
	    "objcopy -R .note.gnu.build-id --add-section .gnu_debugdata=half mini2");
	loc = loc_in("mini2", "plain", "hidden_away");
	assert_int_equal(func_of(symbols, loc)->flags, FUNC_GUESSED);
}

/* --- which file is which --- */

static void test_equal_files(void **state)
{
	u32 a, b, c;

	run("mkdir -p one two && cp plain one/prog && cp plain two/prog && "
	    "gcc -O0 -g source.c -o other && mkdir -p three && cp other three/prog");
	a = loc_in("one/prog", "plain", "hidden_away");
	b = loc_in("two/prog", "plain", "hidden_away");
	c = loc_in("three/prog", "other", "hidden_away");
	assert_int_not_equal(a, b);
	assert_int_equal(symbols__func_of(symbols, a), symbols__func_of(symbols, b));
	assert_int_equal(symbols__object_of(symbols, a), symbols__object_of(symbols, b));
	assert_int_not_equal(symbols__func_of(symbols, a), symbols__func_of(symbols, c));
	assert_string_equal(func_of(symbols, c)->name, "hidden_away");
	assert_int_equal(func_of(symbols, a)->object, symbols__object_of(symbols, b));
	/* the same build, one of them stripped first: each has what it can have */
	run("strip -s other -o stripped_first");
	a = loc_in("stripped_first", "other", "hidden_away");
	b = loc_in("other", "other", "hidden_away");
	assert_string_equal(func_of(symbols, b)->name, "hidden_away");
}

static void need_root(void)
{
	if (geteuid())
		skip_because("needs root");
}

static void test_deleted(void **state)
{
	struct elf_map m;
	struct nm all;
	u32 loc;

	need_root(); /* /proc/PID/map_files */
	run("cp plain gone && objcopy -R .note.gnu.build-id gone");
	m = elf_map__open(symbols, "gone");
	run("rm gone");
	all = nm("plain");
	loc = elf_map__loc(symbols, &m, addr_of(&all, "hidden_away"));
	settle(symbols);
	assert_string_equal(func_of(symbols, loc)->name, "hidden_away");
	free(all.v);
	elf_map__close(&m);
}

/* Rebuilt in place: a new file under the old name, often with the old inode number. */
static void test_replaced(void **state)
{
	struct elf_map old, new;
	struct nm was, is;
	u32 a, b;

	need_root();
	run("cp plain prog && strip -g prog");
	was = nm("prog");
	old = elf_map__open(symbols, "prog");
	a = elf_map__loc(symbols, &old, addr_of(&was, "hidden_away"));
	run("rm prog && gcc -O0 source.c -o prog");
	is = nm("prog");
	new = elf_map__open(symbols, "prog");
	b = elf_map__loc(symbols, &new, addr_of(&is, "after_assembly"));
	settle(symbols);
	assert_string_equal(func_of(symbols, a)->name, "hidden_away");
	assert_string_equal(func_of(symbols, b)->name, "after_assembly");
	assert_int_not_equal(symbols__object_of(symbols, a), symbols__object_of(symbols, b));
	free(was.v);
	free(is.v);
	elf_map__close(&old);
	elf_map__close(&new);
}

/* The file that the mapping names is not there any more, another one is: no wrong names. */
static void test_stale(void **state)
{
	struct stat st;
	char *path = xasprintf("%s/stale", scratch_dir);
	u32 loc;

	run("cp plain stale");
	assert_int_equal(stat(path, &st), 0);
	symbols__locate_user(symbols, (u32)getpid(), clock__monotonic_ns(), 0);
	symbols__proc_event(symbols, &(struct proc_event){.type = PROC_MMAP,
							  .t_ns = clock__monotonic_ns(),
							  .tgid = (u32)getpid(),
							  .start = 0x1000,
							  .end = 0x100000,
							  .dev_major = major(st.st_dev),
							  .dev_minor = minor(st.st_dev),
							  .inode = st.st_ino + 1000003,
							  .path = path});
	loc = symbols__locate_user(symbols, (u32)getpid(), clock__monotonic_ns(), 0x2200);
	settle(symbols);
	assert_string_equal(func_of(symbols, loc)->name, "[stale]");
	assert_non_null(strstr(info_of(symbols, loc)->note, "replaced"));
	free(path);
}

/* --- another root --- */

/* In a root of its own: maps a file there, says where, waits to be ended. */
static void child_in_root(int to)
{
	char *root = xasprintf("%s/root", scratch_dir);
	int fd;
	void *at;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (chroot(root) || chdir("/"))
		_exit(1);
	fd = open("/app/prog", O_RDONLY);
	at = mmap(NULL, 1 << 20, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED || write(to, &at, sizeof(at)) != sizeof(at))
		_exit(1);
	for (;;)
		pause();
}

static void test_other_root(void **state)
{
	int fds[2], status;
	struct nm all;
	void *at = NULL;
	pid_t pid;
	u32 loc;

	skip_when_emulated();
	need_root();
	run("gcc -O1 -g source.c -o full && mkdir -p root/app root/usr/lib/debug/.build-id && "
	    "id=$(readelf -n full | sed -n 's/.*Build ID: //p') && "
	    "d=root/usr/lib/debug/.build-id/$(echo $id | cut -c1-2) && mkdir -p $d && "
	    "objcopy --only-keep-debug full $d/$(echo $id | cut -c3-).debug && "
	    "strip -s full -o root/app/prog");
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (!pid)
		child_in_root(fds[1]);
	assert_int_equal(read(fds[0], &at, sizeof(at)), sizeof(at));
	all = nm("full");
	loc = symbols__locate_user(symbols, (u32)pid, clock__monotonic_ns(),
				   (u64)at + addr_of(&all, "hidden_away"));
	settle(symbols);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	assert_string_equal(func_of(symbols, loc)->name, "hidden_away");
	assert_string_equal(info_of(symbols, loc)->source, "build-id");
	free(all.v);
	close(fds[0]);
	close(fds[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_self, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_libc, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_kinds, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_aliases, fresh_symbols, symbols_done),
		cmocka_unit_test(test_known_names),
		cmocka_unit_test_setup_teardown(test_plt, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_stripped, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_debuglink, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_minidebug, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_equal_files, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_deleted, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_replaced, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_stale, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_other_root, fresh_symbols, symbols_done),
	};

	return cmocka_run_group_tests(tests, setup, scratch__remove);
}
