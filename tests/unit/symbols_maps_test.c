/* SPDX-License-Identifier: GPL-2.0-only */
/* Mappings over time against a slow model, 100,000 of them, and lines of /proc/PID/maps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "symbols/maps.h"

static u32 count_of(struct maps *m)
{
	u32 n;

	maps__all(m, &n);
	return n;
}

static struct mapping mapping(u64 start, u64 end, u64 t_ns, u32 file)
{
	return (struct mapping){
		.start = start, .end = end, .pgoff = start, .t_ns = t_ns, .file = file};
}

static void add(struct maps *m, u64 start, u64 end, u64 t_ns, u32 file)
{
	struct mapping e = mapping(start, end, t_ns, file);

	maps__add(m, &e);
}

static u32 file_at(struct maps *m, u64 ip, u64 t_ns)
{
	struct mapping *e = maps__find(m, ip, t_ns);

	return e ? e->file : 0;
}

static void test_cut(void **state)
{
	struct maps *m = maps__new();
	struct mapping *e;

	add(m, 100, 200, 0, 1);
	add(m, 140, 160, 5, 2);
	assert_int_equal(count_of(m), 3);
	assert_int_equal(file_at(m, 100, 9), 1);
	assert_int_equal(file_at(m, 139, 9), 1);
	assert_int_equal(file_at(m, 140, 9), 2);
	assert_int_equal(file_at(m, 159, 9), 2);
	assert_int_equal(file_at(m, 160, 9), 1);
	assert_int_equal(file_at(m, 200, 9), 0);
	assert_int_equal(file_at(m, 99, 9), 0);
	/* what is left of it keeps its place in the file */
	e = maps__find(m, 170, 9);
	assert_int_equal(e->start, 160);
	assert_int_equal(e->pgoff, 160);
	/* the same again changes nothing */
	add(m, 140, 160, 7, 2);
	assert_int_equal(count_of(m), 3);
	assert_int_equal(maps__find(m, 150, 9)->t_ns, 5);
	maps__put(m);
}

static void test_time(void **state)
{
	struct maps *m = maps__new();

	add(m, 100, 200, 10, 1);
	add(m, 100, 200, 20, 2);
	add(m, 50, 300, 30, 3);
	assert_int_equal(file_at(m, 150, 15), 1);
	assert_int_equal(file_at(m, 150, 20), 2);
	assert_int_equal(file_at(m, 150, 29), 2);
	assert_int_equal(file_at(m, 150, 30), 3);
	/* before anything was known there: the oldest guess is better than none */
	assert_int_equal(file_at(m, 60, 1), 3);
	maps__put(m);
}

/* What nobody looked at yet is the same as what somebody looked at after each change. */
static void test_unseen(void **state)
{
	for (u32 look = 0; look < 2; look++) {
		struct maps *m = maps__new();

		add(m, 0x1000, 0x2000, 1, 1);
		if (look)
			file_at(m, 0x1000, 9);
		add(m, 0x1800, 0x2000, 2, 2);
		if (look)
			file_at(m, 0x1000, 9);
		add(m, 0x1000, 0x2000, 3, 1);
		assert_int_equal(file_at(m, 0x1900, 2), 2);
		assert_int_equal(file_at(m, 0x1900, 1), 1);
		assert_int_equal(file_at(m, 0x1900, 3), 1);
		assert_int_equal(count_of(m), 1);
		maps__put(m);
	}
}

/* A copy has what was not looked at; what either gets from then on the other does not have. */
static void test_unseen_copy(void **state)
{
	struct maps *a = maps__new(), *b = a;

	add(a, 0x1000, 0x2000, 1, 1);
	maps__get(a);
	maps__own(&b);
	add(b, 0x3000, 0x4000, 2, 2);
	assert_int_equal(file_at(b, 0x1000, 9), 1);
	assert_int_equal(file_at(b, 0x3000, 9), 2);
	assert_int_equal(file_at(a, 0x1000, 9), 1);
	assert_int_equal(file_at(a, 0x3000, 9), 0);
	maps__put(a);
	maps__put(b);
}

static void test_shared(void **state)
{
	struct maps *a = maps__new(), *b;

	add(a, 100, 200, 0, 1);
	b = maps__get(a);
	maps__own(&b);
	assert_ptr_not_equal(a, b);
	add(b, 100, 200, 5, 2);
	assert_int_equal(file_at(a, 150, 9), 1);
	assert_int_equal(file_at(b, 150, 9), 2);
	assert_int_equal(file_at(b, 150, 1), 1);
	maps__put(a);
	maps__own(&b);
	maps__put(b);
}

static void test_replace(void **state)
{
	struct mapping now[] = {mapping(100, 200, 50, 1), mapping(300, 400, 50, 9)};
	struct maps *m = maps__new();

	add(m, 100, 200, 3, 1);
	add(m, 300, 400, 4, 2);
	maps__find(m, 150, 9)->object = 77;
	maps__replace(m, now, 2, 50);
	assert_int_equal(maps__find(m, 150, 60)->object, 77);
	assert_int_equal(maps__find(m, 150, 60)->t_ns, 3);
	assert_int_equal(file_at(m, 350, 60), 9);
	assert_int_equal(file_at(m, 350, 45), 2);
	maps__replace(m, NULL, 0, 70);
	assert_int_equal(count_of(m), 0);
	assert_int_equal(file_at(m, 350, 80), 0);
	maps__put(m);
}

#define SPACE 4096

/* Random mappings over a small space, each address checked against a plain array. */
static void against_model(u32 seed, u32 n, u64 widest)
{
	static u32 model[SPACE];
	struct maps *m = maps__new();
	u64 x = seed;

	memset(model, 0, sizeof(model));
	for (u32 i = 1; i <= n; i++) {
		u64 start = (x = mix64(x + i)) % SPACE, end;

		end = MIN(SPACE, start + 1 + mix64(x) % widest);
		add(m, start, end, i, i);
		for (u64 a = start; a < end; a++)
			model[a] = i;
	}
	for (u64 a = 0; a < SPACE; a++)
		if (file_at(m, a, n) != model[a])
			fail_msg("seed %u: at %lu %u, not %u", seed, (unsigned long)a,
				 file_at(m, a, n), model[a]);
	maps__put(m);
}

static void test_model(void **state)
{
	for (u32 seed = 1; seed <= 20; seed++) {
		against_model(seed, 300, 64);
		against_model(seed, 6000, 3); /* goes through the tail */
	}
}

/* If each went over all of them it would take so long that it is ended. */
static void test_many_events(void **state)
{
	struct maps *m = maps__new();
	const u64 page = 4096;

	for (u64 i = 0; i < 100000; i++) {
		u64 at = i * 48271 % 100003 * page * 2; /* in no order */

		add(m, at, at + page, i, (u32)i + 1);
	}
	assert_int_equal(count_of(m), 100000);
	for (u64 i = 0; i < 100000; i++)
		assert_int_equal(file_at(m, i * 48271 % 100003 * page * 2 + 7, 200000), i + 1);
	maps__put(m);
}

static void test_full(void **state)
{
	struct mapping *all = xcalloc(MAPS_MAX, sizeof(*all));
	struct maps *m = maps__new();

	for (u32 i = 0; i < MAPS_MAX; i++)
		all[i] = mapping(i * 8192ull, i * 8192ull + 4096, 0, i + 1);
	maps__replace(m, all, MAPS_MAX, 0);
	add(m, MAPS_MAX * 8192ull, MAPS_MAX * 8192ull + 1, 1, 7);
	assert_int_equal(count_of(m), MAPS_MAX);
	assert_int_equal(file_at(m, 8192 * 99 + 1, 1), 100);
	free(all);
	maps__put(m);
}

static void parse(const char *text, struct maps_line *out, char *buf, size_t size)
{
	copy_str(buf, size, text);
	assert_true(maps_line__parse(buf, out));
}

static void test_lines(void **state)
{
	static const char *const bad[] = {
		"",
		"-",
		"1-",
		"1-2",
		"z-2 r-xp 0 0:0 0",
		"2-1 r-xp 00000000 00:00 0",
		"100000000000000000-2 r-xp 00000000 00:00 0 x",
		"1-2 r-xp",
		"1-2 r-xp 0 00 0 x",
		"1-2 rx 0 00:00 0 x",
	};
	struct maps_line l;
	char buf[256];

	parse("7f450b92c000-7f450ba82000 r-xp 00026000 fe:01 332835     /usr/lib/libc.so.6", &l,
	      buf, sizeof(buf));
	assert_true(l.start == 0x7f450b92c000 && l.end == 0x7f450ba82000 && l.pgoff == 0x26000);
	assert_true(l.dev_major == 0xfe && l.dev_minor == 1 && l.inode == 332835 && l.exec);
	assert_string_equal(l.path, "/usr/lib/libc.so.6");
	assert_false(l.deleted);
	parse("1000-2000 rw-p 00000000 00:00 0 ", &l, buf, sizeof(buf));
	assert_string_equal(l.path, "");
	assert_false(l.exec);
	parse("1000-2000 r-xp 00000000 00:05 9 /tmp/a b\\012c (deleted)", &l, buf, sizeof(buf));
	assert_string_equal(l.path, "/tmp/a b\nc");
	assert_true(l.deleted);
	parse("ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0   [vsyscall]", &l, buf,
	      sizeof(buf));
	assert_string_equal(l.path, "[vsyscall]");
	for (u32 i = 0; i < ARRAY_SIZE(bad); i++) {
		copy_str(buf, sizeof(buf), bad[i]);
		assert_false(maps_line__parse(buf, &l));
	}
}

static void count_line(void *ctx, const struct maps_line *l)
{
	u32 *n = ctx;

	*n += l->exec;
}

/* 100,000 lines, one of them longer than any buffer, the last without its end. */
static void test_read(void **state)
{
	int fd = memfd_create("maps", 0);
	FILE *f = fdopen(dup(fd), "w");
	u32 n = 0;

	for (u64 i = 0; i < 100000; i++) {
		fprintf(f, "%lx-%lx r-xp 00000000 fe:00 %lu   /some/where/lib%lu.so\n",
			(unsigned long)i * 8192, (unsigned long)i * 8192 + 4096, (unsigned long)i,
			(unsigned long)i);
		if (i == 500)
			fprintf(f, "1-2 r-xp 0 0:0 0 %0200000d\n", 0);
	}
	fprintf(f, "1-2 r-xp 00000000 00:00 0");
	fclose(f);
	lseek(fd, 0, SEEK_SET);
	assert_int_equal(maps__read(fd, count_line, &n), 0);
	assert_int_equal(n, 100000);
	close(fd);
	assert_true(maps__read(-1, count_line, &n) < 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cut),    cmocka_unit_test(test_time),
		cmocka_unit_test(test_shared), cmocka_unit_test(test_replace),
		cmocka_unit_test(test_model),  cmocka_unit_test(test_many_events),
		cmocka_unit_test(test_full),   cmocka_unit_test(test_lines),
		cmocka_unit_test(test_read),   cmocka_unit_test(test_unseen),
		cmocka_unit_test(test_unseen_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
