/* SPDX-License-Identifier: GPL-2.0-only */
/* Processes that are born, run something else and end: by events alone, and by /proc. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "symbols/spaces.h"
#include "tests/lib/elf_map.h"
#include "tests/lib/skip.h"

/* Numbers that no process of this machine has: above PID_MAX_LIMIT. */
#define PID 5000000u

static void event(enum proc_event_type type, u32 pid, u32 parent, u64 t_ns, const char *comm)
{
	struct proc_event ev = {
		.type = type, .t_ns = t_ns, .tgid = pid, .tid = pid, .parent_tgid = parent};

	copy_str(ev.comm, sizeof(ev.comm), comm);
	symbols__proc_event(symbols, &ev);
}

/* path tells the file; the inode follows from it. */
static struct proc_event mapped(u32 pid, u64 t_ns, u64 start, u64 end, u64 offset, const char *path)
{
	return (struct proc_event){.type = PROC_MMAP,
				   .t_ns = t_ns,
				   .tgid = pid,
				   .tid = pid,
				   .start = start,
				   .end = end,
				   .file_offset = offset,
				   .dev_major = path[0] == '/' ? 8 : 0,
				   .inode = path[0] == '/' ? strlen(path) + path[1] : 0,
				   .path = path};
}

static void map(u32 pid, u64 t_ns, u64 start, u64 end, u64 offset, const char *path)
{
	struct proc_event ev = mapped(pid, t_ns, start, end, offset, path);

	symbols__proc_event(symbols, &ev);
}

static const char *object_at(u32 pid, u64 t_ns, u64 ip)
{
	u32 loc = symbols__locate_user(symbols, pid, t_ns, ip);

	return symbols__object(symbols, symbols__object_of(symbols, loc))->name;
}

/* What a process is called, as code of its own is named by it; once after each exec. */
static const char *jit_at(u32 pid, u64 t_ns)
{
	map(pid, t_ns, 0x700000, 0x701000, 0, "//anon");
	return object_at(pid, t_ns, 0x700010);
}

/* Times of events lie after the reading of a process that does not exist. */
static u64 now(void)
{
	return clock__monotonic_ns();
}

static void test_exec(void **state)
{
	u64 t = now();

	event(PROC_EXEC, PID, 0, t + 10, "first");
	map(PID, t + 11, 0x1000, 0x5000, 0x2000, "/bin/first");
	assert_string_equal(object_at(PID, t + 20, 0x1234), "first");
	assert_string_equal(jit_at(PID, t + 21), "[jit] first:5000000");
	event(PROC_EXEC, PID, 0, t + 30, "second");
	map(PID, t + 31, 0x1000, 0x5000, 0, "/bin/second");
	assert_string_equal(object_at(PID, t + 40, 0x1234), "second");
	assert_string_equal(object_at(PID, t + 20, 0x1234), "first");
	event(PROC_COMM, PID, 0, t + 50, "renamed");
	assert_string_equal(jit_at(PID, t + 51), "[jit] renamed:5000000");
	/* offsets are the file's */
	assert_int_equal(
		symbols__offset_of(symbols, symbols__locate_user(symbols, PID, t + 20, 0x1234)),
		0x2234);
	assert_int_equal(symbols__locate_user(symbols, PID, t + 40, 0x9999), SYM_UNKNOWN);
}

static void test_fork(void **state)
{
	u64 t = now();

	event(PROC_EXEC, PID, 0, t + 10, "parent");
	map(PID, t + 11, 0x1000, 0x5000, 0, "/bin/parent");
	event(PROC_FORK, PID + 1, PID, t + 20, "");
	assert_string_equal(object_at(PID + 1, t + 21, 0x1234), "parent");
	assert_string_equal(jit_at(PID + 1, t + 22), "[jit] parent:5000001");
	/* what one maps the other does not have */
	map(PID + 1, t + 30, 0x8000, 0x9000, 0, "/lib/of_child");
	map(PID, t + 31, 0x1000, 0x5000, 0, "/lib/of_parent");
	assert_string_equal(object_at(PID + 1, t + 40, 0x8000), "of_child");
	assert_string_equal(object_at(PID + 1, t + 40, 0x1234), "parent");
	assert_string_equal(object_at(PID, t + 40, 0x8000), "[unknown]");
	assert_string_equal(object_at(PID, t + 40, 0x1234), "of_parent");
	assert_string_equal(object_at(PID, t + 30, 0x1234), "parent");
}

static void test_exit(void **state)
{
	u64 t = now();

	event(PROC_EXEC, PID, 0, t + 10, "gone");
	map(PID, t + 11, 0x1000, 0x5000, 0, "/bin/gone");
	event(PROC_EXIT, PID, 0, t + 20, "");
	assert_string_equal(object_at(PID, t + 15, 0x1234), "gone");
	/* the number is used again */
	event(PROC_EXEC, PID + 1, 0, t + 30, "other");
	map(PID + 1, t + 31, 0x1000, 0x5000, 0, "/bin/other");
	event(PROC_FORK, PID, PID + 1, t + 40, "");
	assert_string_equal(object_at(PID, t + 50, 0x1234), "other");
	assert_string_equal(object_at(PID, t + 15, 0x1234), "gone");
}

static void test_bounded(void **state)
{
	struct symbols_stats st;
	u64 t = now();

	event(PROC_EXEC, PID, 0, t, "shell");
	map(PID, t + 1, 0x1000, 0x5000, 0, "/bin/shell");
	for (u32 i = 1; i <= 100000; i++) {
		event(PROC_FORK, PID + i, PID, t + i * 10, "");
		event(PROC_EXIT, PID + i, 0, t + i * 10 + 5, "");
	}
	symbols__stats(symbols, &st);
	assert_true(st.processes <= SPACES_EXITED + 1);
	assert_string_equal(object_at(PID + 100000, t + 1000005, 0x1234), "shell");
	for (u32 i = 200001; i <= 300000; i++)
		event(PROC_FORK, PID + i, PID, t + i * 10, "");
	symbols__stats(symbols, &st);
	assert_true(st.processes <= SPACES_MAX);
}

static void test_special(void **state)
{
	u64 t = now();
	u32 a, b;

	event(PROC_EXEC, PID, 0, t, "jit");
	map(PID, t + 1, 0x1000, 0x2000, 0, "//anon");
	map(PID, t + 2, 0x4000, 0x5000, 0, "/memfd:code");
	map(PID, t + 3, 0x7f0000000000, 0x7f0000002000, 0, "[vdso]");
	map(PID, t + 4, 0x6000, 0x7000, 0, "[vdso]");
	event(PROC_FORK, PID + 1, PID, t + 5, "");
	assert_string_equal(object_at(PID, t + 9, 0x1500), "[jit] jit:5000000");
	assert_string_equal(object_at(PID, t + 9, 0x4500), "[jit] jit:5000000");
	assert_string_equal(object_at(PID + 1, t + 9, 0x1500), "[jit] jit:5000001");
	assert_string_equal(object_at(PID, t + 9, 0x6500), "[vdso32]");
	a = symbols__locate_user(symbols, PID, t + 9, 0x7f0000000800);
	b = symbols__locate_user(symbols, PID + 1, t + 9, 0x7f0000000800);
	assert_int_equal(a, b);
	assert_int_equal(symbols__offset_of(symbols, a), 0x800);
	a = symbols__locate_user(symbols, PID, t + 9, 0x1500);
	b = symbols__locate_user(symbols, PID + 1, t + 9, 0x1500);
	assert_int_not_equal(a, b);
	assert_int_equal(symbols__offset_of(symbols, a), 0x1500);
	settle(symbols);
	assert_string_equal(func_of(symbols, a)->name, "[jit] jit:5000000");
	assert_int_equal(func_of(symbols, a)->flags, FUNC_GUESSED);
}

/* The vdso of this process, as the kernel maps it. */
static void test_vdso(void **state)
{
	char line[512];
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long start = 0, end = 0;
	u32 named = 0, of_vdso = 0;

	while (fgets(line, sizeof(line), f))
		if (strstr(line, "[vdso]"))
			sscanf(line, "%lx-%lx", &start, &end);
	fclose(f);
	if (!start)
		skip_because("no vdso is mapped");
	for (unsigned long a = start; a < end; a += 16)
		symbols__locate_user(symbols, (u32)getpid(), now(), a);
	settle(symbols);
	for (unsigned long a = start; a < end; a += 16) {
		u32 loc = symbols__locate_user(symbols, (u32)getpid(), now(), a);
		const struct sym_func *fn = func_of(symbols, loc);

		of_vdso += fn->kind == CODE_VDSO;
		named += !strcmp(fn->name, "__vdso_clock_gettime");
		if (loc)
			assert_string_equal(info_of(symbols, loc)->source, "vdso");
	}
	assert_true(of_vdso > 0 && named > 0);
}

/* A live process seen for the first time; its names stay when it is gone. */
static void test_first_sight(void **state)
{
	char comm[COMM_LEN], name[64];
	pid_t pid = fork();
	int status;
	u32 loc;

	skip_when_emulated();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	prctl(PR_GET_NAME, comm);
	loc = symbols__locate_user(symbols, (u32)pid, now(), (u64)&test_first_sight);
	assert_int_not_equal(loc, SYM_UNKNOWN);
	snprintf(name, sizeof(name), "[jit] %s:%d", comm, pid);
	assert_string_equal(jit_at((u32)pid, now()), name);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	event(PROC_EXIT, (u32)pid, 0, now(), "");
	assert_int_equal(symbols__locate_user(symbols, (u32)pid, now(), (u64)&test_first_sight),
			 loc);
	settle(symbols);
	assert_string_equal(func_of(symbols, loc)->name, "test_first_sight");
}

/* The object that code is of when a process of its own has mapped it. */
static u32 generation_object(u32 pid, u64 t_ns, u64 generation)
{
	struct proc_event ev = mapped(pid, t_ns + 1, 0x1000, 0x5000, 0, "/bin/rebuilt");

	event(PROC_EXEC, pid, 0, t_ns, "rebuilt");
	ev.generation = generation;
	symbols__proc_event(symbols, &ev);
	return symbols__object_of(symbols, symbols__locate_user(symbols, pid, t_ns + 2, 0x1234));
}

/* An inode's number is used again: the generation tells. */
static void test_generation(void **state)
{
	u64 t = now();
	u32 first = generation_object(PID, t + 10, 5);

	assert_int_equal(generation_object(PID + 1, t + 20, 5), first);
	assert_int_not_equal(generation_object(PID + 2, t + 30, 6), first);
	assert_int_equal(generation_object(PID + 3, t + 40, 5), first);
}

static void test_named(void **state)
{
	struct symbols_stats st;
	u32 a = symbols__named(symbols, "app", "_start", CODE_USER);
	u32 b = symbols__named(symbols, "app", "_ZN3foo3barEv", CODE_USER);
	u32 c = symbols__named(symbols, "lib", "_start", CODE_USER);

	assert_int_equal(a, symbols__named(symbols, "app", "_start", CODE_USER));
	assert_int_not_equal(a, b);
	assert_int_not_equal(a, c);
	assert_int_equal(symbols__object_of(symbols, a), symbols__object_of(symbols, b));
	assert_string_equal(func_of(symbols, b)->name, "foo::bar()");
	assert_string_equal(func_of(symbols, b)->linkage, "_ZN3foo3barEv");
	assert_int_equal(func_of(symbols, a)->flags, FUNC_OUTERMOST);
	assert_string_equal(symbols__object(symbols, symbols__object_of(symbols, c))->name, "lib");
	symbols__stats(symbols, &st);
	assert_int_equal(st.pending, 0);
	assert_int_equal(symbols__inlined(symbols, a, NULL, 0), 0);
}

static void test_hostile_names(void **state)
{
	u64 t = now();

	event(PROC_EXEC, PID, 0, t, "x");
	map(PID, t + 1, 0x1000, 0x2000, 0, "/tmp/evil\033[2J\nname");
	map(PID, t + 2, 0x3000, 0x4000, 0, "");
	map(PID, t + 3, 0x5000, 0x4000, 0, "/ends/before/it/starts");
	map(PID, t + 4, UINT64_MAX - 4095, UINT64_MAX, 0, "/at/the/end");
	assert_string_equal(object_at(PID, t + 9, 0x1000), "evil?[2J?name");
	assert_string_equal(object_at(PID, t + 9, 0x3000), "[jit] x:5000000");
	assert_string_equal(object_at(PID, t + 9, 0x4800), "[unknown]");
	assert_string_equal(object_at(PID, t + 9, UINT64_MAX - 1), "end");
	settle(symbols);
}

static void test_unknown_ids(void **state)
{
	assert_int_equal(symbols__func_of(symbols, 12345678), 0);
	assert_int_equal(symbols__object_of(symbols, UINT32_MAX), 0);
	assert_string_equal(symbols__func(symbols, 12345678)->name, "[unknown]");
	assert_string_equal(symbols__object(symbols, UINT32_MAX)->name, "[unknown]");
	assert_null(symbols__object_info(symbols, UINT32_MAX));
	assert_non_null(symbols__object_info(symbols, SYM_UNKNOWN));
	assert_int_equal(symbols__inlined(symbols, SYM_UNKNOWN, NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_exec, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_fork, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_exit, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_bounded, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_special, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_vdso, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_first_sight, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_generation, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_named, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_hostile_names, fresh_symbols, symbols_done),
		cmocka_unit_test_setup_teardown(test_unknown_ids, fresh_symbols, symbols_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
