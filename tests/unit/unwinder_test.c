// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the programs are told of processes and their tables, with this process as the one that is
 * walked: its own code has to be found there. Under TSan too: a worker builds the tables.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <poll.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "symbols/spaces.h"
#include "symbols/symbols.h" /* its threads: under TSan too */
#include "symbols/unwinder.h"
#include "tests/lib/elf_map.h"
#include "tests/lib/unwind_sink.h"

#define FEW_PAGES 40

static struct unwinder *unwinder;
static u32 self;

static void begin(size_t budget)
{
	struct status st;

	kept__clear(SINK_PAGES);
	self = (u32)getpid();
	symbols = symbols__new(&st);
	unwinder = unwinder__new(symbols, &kept_sink, budget);
}

static void end(void)
{
	unwinder__free(unwinder);
	symbols__free(symbols);
	kept__clear(0);
}

static struct symbols_unwind_stats stats(void)
{
	struct symbols_unwind_stats st;

	unwinder__stats(unwinder, &st);
	return st;
}

static void want(u64 exec_id, u64 ip)
{
	unwinder__want(unwinder,
		       &(struct unwind_sample){.tgid = self, .exec_id = exec_id, .ip = ip});
	unwinder__flush(unwinder);
}

/* Until the worker has looked at so many objects since. */
static void await_built(u64 n)
{
	u64 give_up = clock__monotonic_ns() + 20 * NSEC_PER_SEC;
	struct symbols_unwind_stats st;

	do {
		poll(NULL, 0, 1);
		unwinder__flush(unwinder);
		st = stats();
		if (clock__monotonic_ns() > give_up)
			fail_msg("%llu tables and %llu objects without after 20 s",
				 (unsigned long long)st.tables, (unsigned long long)st.without);
	} while (st.tables + st.without + st.evictions < n);
}

/* How many objects were named so far. */
static u32 named(void)
{
	const struct sink_process *p = kept_find(self);
	u64 most = 0;

	for (u32 i = 0; p && i < p->head.nparts; i++)
		for (u32 k = 0; k < UNWIND_PART; k++)
			if (p->parts[i].v[k].start != UINT64_MAX)
				most = MAX(most, p->parts[i].v[k].object);
	return (u32)most;
}

/* The row for an address of this process, as a program finds it. */
static struct unwind_row row_at(u64 ip)
{
	const struct unwind_mapping *m = kept__mapping(self, ip);
	const struct unwind_object *o;

	assert_non_null(m);
	o = &kept.objects[m->object];
	assert_int_equal(o->how, UNWIND_BY_TABLE);
	for (u32 i = 0; i < UNWIND_SEGMENTS; i++) {
		const struct unwind_segment *g = &o->segments[i];

		if (m->offset < g->end && m->offset + (m->end - m->start) > g->offset)
			return kept__row(o->root, o->depth,
					 (u32)(ip - m->start + m->offset + (u64)g->pc));
	}
	fail_msg("%#llx lies in no segment", (unsigned long long)ip);
	return (struct unwind_row){0};
}

static void expect_described(u64 ip)
{
	assert_int_not_equal(row_at(ip).rule & UNWIND_CFA, UNWIND_CFA_NONE);
}

static void test_own_code_is_described(void **state)
{
	begin(UNWIND_BUDGET);
	want(7, 0);
	assert_int_equal(kept_find(self)->head.exec_id, 7);
	await_built(named());
	expect_described((u64)test_own_code_is_described + 1);
	expect_described((u64)printf + 1);
	assert_true(stats().rows > 1000);
	assert_true(stats().bytes > 8 * 1000 && stats().bytes <= stats().budget);
	end();
}

/* Nothing is told twice; what is another program, or mapped anew, is told anew. */
static void test_reported_when_it_changes(void **state)
{
	struct proc_event ev = {.type = PROC_MMAP, .tgid = (u32)getpid(), .tid = (u32)getpid()};
	u32 first, page = 4096;

	begin(UNWIND_BUDGET);
	want(7, 0);
	first = kept_find(self)->head.maps_id;
	assert_int_not_equal(first, 0);
	want(7, 0);
	assert_int_equal(kept.published, 1);
	want(8, 0);
	assert_int_equal(kept.published, 2);
	assert_int_not_equal(kept_find(self)->head.maps_id, first);

	ev.t_ns = clock__monotonic_ns();
	ev.start = 0x10000;
	ev.end = 0x10000 + page;
	ev.path = "//anon";
	symbols__proc_event(symbols, &ev);
	unwinder__event(unwinder, &ev);
	assert_null(kept__mapping(self, 0x10000));
	unwinder__flush(unwinder);
	assert_int_equal(kept.published, 3);
	assert_int_equal(kept__mapping(self, 0x10000)->object, UNWIND_OBJECT_FP);
	end();
}

static void test_exit_and_exec_forget(void **state)
{
	static const enum proc_event_type types[] = {PROC_EXIT, PROC_EXEC};

	begin(UNWIND_BUDGET);
	for (u32 i = 0; i < ARRAY_SIZE(types); i++) {
		want(7 + i, 0);
		assert_non_null(kept_find(self));
		unwinder__event(
			unwinder,
			&(struct proc_event){.type = PROC_EXIT, .tgid = self, .tid = self + 1});
		assert_non_null(kept_find(self));
		unwinder__event(unwinder,
				&(struct proc_event){.type = types[i], .tgid = self, .tid = self});
		assert_null(kept_find(self));
	}
	end();
}

static void want_file(u64 ip, u64 t_ns, const struct unwind_file *f)
{
	unwinder__want(unwinder,
		       &(struct unwind_sample){
			       .tgid = self, .exec_id = 7, .ip = ip, .t_ns = t_ns, .file = f});
	unwinder__flush(unwinder);
}

static void await_files(u32 n)
{
	for (u32 i = 0; kept.nfiles < n; i++) {
		assert_true(i < 5000);
		unwinder__flush(unwinder);
		usleep(1000);
	}
}

static struct unwind_file file_of(const void *code)
{
	struct stat st;
	Dl_info info;

	assert_true(dladdr(code, &info));
	assert_int_equal(stat(info.dli_fname, &st), 0);
	return (struct unwind_file){
		.ino = st.st_ino, .size = (u64)st.st_size, .mtime = st.st_mtim.tv_sec};
}

/* A file is the object that is mapped at the place where it was met; one that has changed is not,
 * and nothing is told of a process for it. */
static void test_files_are_told(void **state)
{
	struct unwind_file libc = file_of((const void *)rand), other = libc;
	u64 now, vdso = getauxval(AT_SYSINFO_EHDR);

	begin(UNWIND_BUDGET);
	symbols__locate_user(symbols, self, clock__monotonic_ns(), (u64)rand);
	now = clock__monotonic_ns();
	other.size++;
	want_file((u64)rand, now, &other);
	other = libc;
	other.mtime--;
	want_file((u64)rand, now, &other);
	want_file(8, now, &libc); /* where nothing is mapped */
	want_file((u64)rand, now, &libc);
	await_files(1);
	assert_memory_equal(&kept.file, &libc, sizeof(libc));
	assert_int_equal(kept.objects[kept.file_slot].how, UNWIND_BY_TABLE);
	assert_int_equal(kept.published, 0);
	if (vdso) {
		other = (struct unwind_file){.ino = UNWIND_FILE_VDSO};
		want_file((u64)rand, now, &other);
		want_file(vdso + 64, now, &libc);
		want_file(vdso + 64, now, &other);
		await_files(2);
		assert_int_equal(kept.file.ino, UNWIND_FILE_VDSO);
		assert_int_equal(kept.objects[kept.file_slot].how, UNWIND_BY_TABLE);
	}
	end();
}

/* More processes than are kept: whoever was told longest ago is forgotten. */
static void test_processes_are_bounded(void **state)
{
	struct unwind_sample w = {.exec_id = 1};

	begin(UNWIND_BUDGET);
	for (u32 i = 0; i < UNWIND_PROCESSES_KEPT + 10; i++) {
		w.tgid = 5000000 + i; /* nobody's: above PID_MAX_LIMIT */
		unwinder__want(unwinder, &w);
		if (i % 16 == 15) {
			unwinder__flush(unwinder);
			/* The sink holds few; what it forgets is asked for again. */
			kept.nprocesses = 0;
		}
	}
	unwinder__flush(unwinder);
	assert_true(kept.nprocesses <= 16);
	end();
}

/* Tables that do not fit at once make room for each other, and come again when they are asked
 * for. */
static void test_tiny_budget(void **state)
{
	struct symbols_unwind_stats st;

	begin(FEW_PAGES * sizeof(struct unwind_page));
	for (u32 i = 0; i < 3; i++) {
		u64 before = stats().tables + stats().without + stats().evictions;

		want(7 + i, (u64)printf);
		await_built(i ? before + 1 : named());
	}
	st = stats();
	assert_true(st.evictions > 0);
	assert_true(st.bytes <= FEW_PAGES * sizeof(struct unwind_page));
	assert_true(st.tables < named());
	end();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_own_code_is_described),
		cmocka_unit_test(test_reported_when_it_changes),
		cmocka_unit_test(test_exit_and_exec_forget),
		cmocka_unit_test(test_files_are_told),
		cmocka_unit_test(test_processes_are_bounded),
		cmocka_unit_test(test_tiny_budget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
