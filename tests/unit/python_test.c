// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPython from outside: attaching and code objects in made-up memory, laid out as the headers of each
 * version say, and wrong in every way; tables of lines that each version's own compiler made, with what
 * it says of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>

#include "symbols/python.h"

/* --- made-up memory --- */

#define BASE 0x7f0000000000ULL
#define SIZE 0x8000u
#include "tests/lib/made_up_memory.h"

#define RUNTIME	  (BASE + 0x100)
#define TYPE	  (BASE + 0x1000)
#define TYPE_NAME (BASE + 0x1200)
#define VERSION	  (BASE + 0x1300)
#define INTERP	  (BASE + 0x2000)
#define THREAD	  (BASE + 0x5000)
#define IDLE	  (BASE + 0x5800)
#define CODE	  (BASE + 0x6000)
#define NAME	  (BASE + 0x6400)
#define QUALNAME  (BASE + 0x6500)
#define FILE_NAME (BASE + 0x6600)
#define LINES	  (BASE + 0x6800)

/* As offsetof() has it in the headers of each version. */
struct offsets {
	u32 minor, head, threads, thread_id;
	u32 first_line, file, name, qualname, lines, text;
};

static const struct offsets offsets[] = {
	{9, 32, 8, 176, 40, 104, 112, 0, 120, 48},
	{10, 32, 8, 176, 40, 104, 112, 0, 120, 48},
	{11, 40, 16, 152, 72, 112, 120, 128, 136, 48},
	{12, 40, 72, 136, 68, 112, 120, 128, 136, 40},
	{13, 632, 7344, 152, 68, 112, 120, 128, 136, 40},
};

/* 3.13's own table, as the header has its fields. */
static const u16 debug[] = {
	0, 0, 0, 0, 0, 632, 0, 0, 7264, 7344, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8,
	16, 72, 152, 160, 0, 0, 0, 8, 0, 56, 72, 70, 0, 112, 120, 128, 136, 68, 0, 0, 0, 200,
};

static void put_text(u64 at, const char *text, const struct offsets *o)
{
	put(at + 16, strlen(text), 8);
	put(at + 24, 0x1234, 8);
	put(at + 32, 1 << 2 | 0x20 | 0x40, 4); /* bytes, compact, ASCII */
	memcpy(memory + (at - BASE) + o->text, text, strlen(text));
}

static struct python_file lay_out(const struct offsets *o)
{
	memset(memory, 0, sizeof(memory));
	for (u32 i = 0; o->minor == 13 && i < ARRAY_SIZE(debug); i++)
		put(RUNTIME + 8 * i, debug[i], 8);
	if (o->minor == 13) {
		memcpy(memory + (RUNTIME - BASE), "xdebugpy", 8);
		put(RUNTIME + 8, 0x030d00f0, 8);
	}
	put(RUNTIME + o->head, INTERP, 8);
	put(INTERP + o->threads, THREAD, 8);
	put(THREAD + 16, INTERP, 8);
	put(THREAD + o->thread_id, 0x7f1234, 8);
	put(TYPE + 24, TYPE_NAME, 8);
	memcpy(memory + (TYPE_NAME - BASE), "code", 5);
	put(VERSION, 0x03000000u | o->minor << 16, 8);
	put(CODE + 8, TYPE, 8);
	put(CODE + o->first_line, 7, 4);
	put(CODE + o->file, FILE_NAME, 8);
	put(CODE + o->name, NAME, 8);
	if (o->qualname)
		put(CODE + o->qualname, QUALNAME, 8);
	put(CODE + o->lines, LINES, 8);
	put_text(NAME, "run", o);
	put_text(QUALNAME, "Server.run", o);
	put_text(FILE_NAME, "/srv/app.py", o);
	put(LINES + 16, 2, 8);
	put(LINES + 32, 4 | 3 << 8, 2); /* up to 3.10: line 10 from the fifth byte, or up to it */
	return (struct python_file){.runtime = RUNTIME - BASE,
				    .code_type = TYPE - BASE,
				    .version = o->minor > 10 ? VERSION - BASE : 0,
				    .minor = o->minor};
}

static int attach(const struct python_file *f, struct python *p)
{
	const char *why = NULL;
	int err = python__attach(f, BASE, &made_up, p, &why);

	assert_true(!err || err == -EAGAIN || err == -EFAULT || why);
	return err;
}

/* --- attaching --- */

static void test_attach(void **state)
{
	for (u32 i = 0; i < ARRAY_SIZE(offsets); i++) {
		struct python_file f = lay_out(&offsets[i]);
		struct python p;

		assert_int_equal(attach(&f, &p), 0);
		assert_int_equal(p.minor, offsets[i].minor);
		assert_int_equal(p.rt.interpreters, RUNTIME + offsets[i].head);
		assert_int_equal(p.rt.thread_id, offsets[i].thread_id);
		assert_int_equal(p.rt.code_type, TYPE);
	}
}

static void test_not_begun(void **state)
{
	struct python_file f = lay_out(&offsets[2]);
	struct python p;

	put(RUNTIME + 40, 0, 8);
	assert_int_equal(attach(&f, &p), -EAGAIN);
	f = lay_out(&offsets[2]);
	put(INTERP + 16, 0, 8);
	assert_int_equal(attach(&f, &p), -EAGAIN);
}

/* From 3.13 on an interpreter that nobody runs has no thread. */
static void test_newest_has_no_thread(void **state)
{
	struct python_file f = lay_out(&offsets[2]);
	struct python p;

	put(RUNTIME + 40, IDLE, 8);
	put(IDLE, INTERP, 8);
	assert_int_equal(attach(&f, &p), 0);
	put(IDLE, IDLE, 8); /* in a circle */
	assert_int_equal(attach(&f, &p), -EAGAIN);
}

static void test_other_layouts_are_refused(void **state)
{
	struct python_file f = lay_out(&offsets[3]);
	struct python p;

	put(THREAD + 16, INTERP + 8, 8); /* a thread of another interpreter */
	assert_int_equal(attach(&f, &p), -EINVAL);
	f = lay_out(&offsets[3]);
	memcpy(memory + (TYPE_NAME - BASE), "cell", 5);
	assert_int_equal(attach(&f, &p), -EINVAL);
	f = lay_out(&offsets[3]);
	put(VERSION, 0x030e0000, 8); /* one that is not known */
	assert_int_equal(attach(&f, &p), -EOPNOTSUPP);
	f = lay_out(&offsets[0]);
	f.minor = 0;
	assert_int_equal(attach(&f, &p), -EOPNOTSUPP);
	f = lay_out(&offsets[4]);
	put(RUNTIME + 16, 1, 8); /* free-threaded */
	assert_int_equal(attach(&f, &p), -EOPNOTSUPP);
	f = lay_out(&offsets[4]);
	put(RUNTIME + 8 * 29, 4096, 8); /* a frame's field far outside */
	assert_int_equal(attach(&f, &p), -EINVAL);
	f = lay_out(&offsets[4]);
	put(RUNTIME, 0, 8);
	assert_int_equal(attach(&f, &p), -EINVAL);
	f = lay_out(&offsets[2]);
	put(RUNTIME + 40, 8, 8); /* leads nowhere */
	assert_int_equal(attach(&f, &p), -EFAULT);
}

/* --- code objects --- */

static void test_code(void **state)
{
	for (u32 i = 0; i < ARRAY_SIZE(offsets); i++) {
		struct python_file f = lay_out(&offsets[i]);
		struct script_code c;
		struct python p;

		assert_int_equal(attach(&f, &p), 0);
		assert_int_equal(python_code__read(&p, &made_up, CODE, &c), 0);
		assert_string_equal(c.name, offsets[i].qualname ? "Server.run" : "run");
		assert_string_equal(c.file, "/srv/app.py");
		assert_int_equal(c.first_line, 7);
		assert_int_equal(c.nlines, 2);
		assert_int_equal(c.print, python_code__print(&p, &made_up, CODE));
		free(c.lines);
		/* Another name at the same place is another function. */
		put(NAME + 24, 0x4321, 8);
		assert_int_not_equal(c.print, python_code__print(&p, &made_up, CODE));
	}
}

static void test_wide_names(void **state)
{
	struct python_file f = lay_out(&offsets[2]);
	struct script_code c;
	struct python p;
	u16 wide[] = {0x66, 0xe9, 0x4e2d};

	attach(&f, &p);
	put(QUALNAME + 16, 3, 8);
	put(QUALNAME + 32, 2 << 2 | 0x20, 4);
	memcpy(memory + (QUALNAME - BASE) + 72, wide, sizeof(wide));
	assert_int_equal(python_code__read(&p, &made_up, CODE, &c), 0);
	assert_string_equal(c.name, "f\xc3\xa9\xe4\xb8\xad");
	free(c.lines);
}

static void test_no_code(void **state)
{
	struct python_file f = lay_out(&offsets[2]);
	struct script_code c;
	struct python p;

	attach(&f, &p);
	assert_int_not_equal(python_code__read(&p, &made_up, CODE + 8, &c), 0);
	assert_int_not_equal(python_code__read(&p, &made_up, CODE + 1, &c), 0);
	assert_int_not_equal(python_code__read(&p, &made_up, BASE + SIZE - 8, &c), 0);
	assert_int_not_equal(python_code__read(&p, &made_up, 0, &c), 0);
	put(QUALNAME + 32, 0, 4); /* not a text that lies in one piece */
	assert_int_not_equal(python_code__read(&p, &made_up, CODE, &c), 0);
	put(QUALNAME + 32, 4 << 2 | 0x20, 4);
	put(QUALNAME + 16, UINT64_MAX, 8); /* of absurd length */
	assert_int_not_equal(python_code__read(&p, &made_up, CODE, &c), 0);
	put(CODE + 8, TYPE + 8, 8);
	assert_int_equal(python_code__print(&p, &made_up, CODE), 0);
}

/* Whatever is written anywhere: nothing but an error or bounded names comes of it. */
static void test_garbage(void **state)
{
	u64 x = 88172645463325252ULL;

	for (u32 round = 0; round < 20000; round++) {
		const struct offsets *o = &offsets[round % ARRAY_SIZE(offsets)];
		struct python_file f = lay_out(o);
		struct script_code c = {0};
		struct python p;

		for (u32 i = 0; i < 4; i++) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			put(BASE + x % (SIZE - 8), i & 1 ? BASE + (x >> 32) % SIZE : x, 8);
		}
		if (attach(&f, &p))
			continue;
		if (!python_code__read(&p, &made_up, CODE, &c)) {
			assert_true(strlen(c.name) < sizeof(c.name));
			assert_true(strlen(c.file) < sizeof(c.file));
		}
		free(c.lines);
	}
}

/* --- lines --- */

struct line_run {
	u32 unit, line;
};

static const struct {
	u32 minor, first;
	const u8 *table;
	u32 size, units;
	const struct line_run *runs;
	u32 nruns, last;
} tables[] = {
	{9, 3, (const u8[]){0, 2, 14, 3, 8, 1, 4, 1, 2, 1, 2, 255, 8, 2, 4, 1, 2, 255, 12, 2, 30, 2,
	 10, 1, 6, 1, 36, 1}, 28, 75,
	 (const struct line_run[]){{0, 5}, {7, 8}, {11, 9}, {13, 10}, {14, 11}, {15, 10}, {19, 12},
	  {21, 13}, {22, 12}, {28, 14}, {43, 16}, {48, 17}, {51, 18}, {69, 19}}, 14, 19},
	{10, 3, (const u8[]){14, 2, 8, 3, 4, 1, 2, 1, 2, 1, 8, 255, 4, 2, 2, 1, 12, 255, 6, 2, 8, 128,
	 2, 254, 2, 254, 8, 6, 6, 1, 8, 1, 28, 255, 12, 2}, 36, 68,
	 (const struct line_run[]){{0, 5}, {7, 8}, {11, 9}, {13, 10}, {14, 11}, {15, 10}, {19, 12},
	  {21, 13}, {22, 12}, {28, 14}, {31, 0}, {35, 12}, {36, 10}, {37, 16}, {41, 17}, {44, 18}, {48,
	  17}, {62, 19}}, 18, 19},
	{11, 3, (const u8[]){248, 128, 0, 240, 4, 1, 9, 15, 240, 0, 1, 9, 15, 144, 65, 240, 0, 1, 9,
	 15, 241, 0, 1, 9, 15, 244, 0, 1, 9, 15, 128, 65, 240, 6, 0, 14, 15, 240, 0, 8, 5, 18, 240, 0,
	 8, 5, 18, 136, 1, 240, 2, 7, 9, 18, 216, 17, 18, 216, 17, 18, 241, 3, 1, 18, 19, 136, 65, 136,
	 65, 248, 229, 16, 26, 221, 16, 25, 240, 3, 1, 16, 27, 240, 0, 2, 9, 34, 240, 0, 2, 9, 34, 240,
	 0, 2, 9, 34, 229, 18, 26, 160, 1, 208, 12, 33, 248, 248, 248, 248, 240, 5, 2, 9, 34, 248, 248,
	 248, 240, 5, 0, 13, 14, 240, 12, 0, 17, 18, 144, 1, 248, 144, 1, 136, 69, 136, 69, 136, 69,
	 136, 69, 216, 9, 10, 240, 0, 1, 5, 12, 136, 97, 216, 8, 9, 136, 1, 137, 3, 140, 3, 136, 3,
	 240, 3, 1, 5, 12, 240, 0, 1, 5, 12, 240, 0, 1, 5, 12, 241, 0, 1, 5, 12, 244, 0, 1, 5, 12, 240,
	 0, 1, 5, 12, 240, 0, 1, 5, 12, 240, 0, 1, 5, 12, 240, 0, 1, 5, 12, 240, 0, 1, 5, 12, 240, 0,
	 1, 5, 12, 248, 248, 248, 240, 0, 1, 5, 12, 240, 0, 1, 5, 12, 240, 0, 1, 5, 12, 240, 0, 1, 5,
	 12, 240, 4, 1, 12, 11, 240, 0, 1, 12, 11, 240, 0, 1, 12, 11, 240, 0, 1, 12, 11, 240, 0, 1, 5,
	 11}, 263, 108,
	 (const struct line_run[]){{0, 0}, {1, 3}, {2, 5}, {14, 8}, {18, 9}, {19, 10}, {20, 11}, {21,
	  10}, {25, 0}, {26, 12}, {32, 13}, {38, 12}, {42, 14}, {50, 0}, {54, 12}, {55, 0}, {58, 10},
	  {59, 16}, {61, 0}, {62, 16}, {67, 17}, {70, 18}, {80, 17}, {96, 0}, {99, 17}, {103, 19}}, 26,
	  19},
	{12, 3, (const u8[]){248, 128, 0, 224, 20, 21, 246, 0, 1, 9, 15, 136, 113, 217, 12, 13, 242, 3,
	 0, 10, 11, 240, 0, 1, 9, 15, 128, 65, 240, 0, 1, 9, 15, 240, 6, 0, 14, 15, 242, 0, 8, 5, 18,
	 136, 1, 240, 2, 7, 9, 18, 216, 17, 18, 216, 17, 18, 241, 3, 1, 18, 19, 137, 65, 241, 12, 0,
	 17, 18, 240, 17, 8, 5, 18, 240, 18, 0, 10, 11, 240, 0, 1, 5, 12, 136, 97, 217, 8, 9, 140, 3,
	 247, 3, 1, 5, 12, 243, 4, 1, 12, 11, 240, 0, 1, 5, 11, 249, 242, 29, 1, 9, 15, 248, 244, 14,
	 0, 17, 27, 220, 16, 25, 240, 3, 1, 16, 27, 242, 0, 2, 9, 34, 228, 18, 26, 160, 1, 208, 12, 33,
	 251, 240, 5, 2, 9, 34, 251, 241, 8, 0, 17, 18, 250, 247, 2, 1, 5, 12, 240, 0, 1, 5, 12, 250},
	 162, 110,
	 (const struct line_run[]){{0, 0}, {1, 3}, {2, 5}, {11, 6}, {13, 5}, {19, 8}, {24, 9}, {25,
	  10}, {26, 11}, {27, 10}, {31, 16}, {33, 8}, {34, 17}, {37, 18}, {44, 17}, {52, 19}, {57, 0},
	  {59, 5}, {62, 0}, {63, 12}, {68, 13}, {73, 12}, {77, 14}, {84, 0}, {88, 12}, {89, 0}, {93,
	  16}, {95, 0}, {98, 17}, {107, 0}}, 30, 19},
	{13, 3, (const u8[]){248, 128, 0, 225, 20, 21, 243, 0, 1, 9, 15, 145, 65, 136, 113, 220, 12,
	 13, 247, 3, 0, 10, 11, 145, 65, 128, 65, 240, 0, 1, 9, 15, 243, 6, 0, 14, 15, 136, 1, 240, 2,
	 7, 9, 18, 216, 17, 18, 216, 17, 18, 241, 3, 1, 18, 19, 137, 65, 242, 12, 0, 17, 18, 241, 17,
	 0, 14, 15, 241, 18, 0, 10, 11, 136, 97, 217, 8, 9, 140, 3, 247, 3, 0, 10, 11, 244, 4, 1, 12,
	 11, 240, 0, 1, 5, 11, 249, 242, 29, 1, 9, 15, 248, 244, 14, 0, 17, 27, 220, 16, 25, 240, 3, 1,
	 16, 27, 243, 0, 2, 9, 34, 228, 18, 26, 160, 1, 208, 12, 33, 251, 240, 5, 2, 9, 34, 251, 241,
	 8, 0, 17, 18, 250, 223, 9, 10, 141, 17, 250}, 146, 128,
	 (const struct line_run[]){{0, 0}, {1, 3}, {2, 5}, {11, 6}, {16, 5}, {28, 8}, {33, 9}, {34,
	  10}, {35, 11}, {36, 10}, {40, 16}, {43, 8}, {45, 17}, {48, 18}, {55, 17}, {63, 19}, {69, 0},
	  {71, 5}, {74, 0}, {75, 12}, {80, 13}, {85, 12}, {90, 14}, {97, 0}, {101, 12}, {102, 0}, {106,
	  16}, {108, 0}, {111, 17}, {125, 0}}, 30, 19},
};

static void test_lines(void **state)
{
	for (u32 i = 0; i < ARRAY_SIZE(tables); i++)
		for (u32 k = 0, run = 0; k < tables[i].units; k++) {
			if (run + 1 < tables[i].nruns && tables[i].runs[run + 1].unit <= k)
				run++;
			assert_int_equal(python_lines__find(tables[i].minor, tables[i].table,
							    tables[i].size, tables[i].first, k),
					 tables[i].runs[run].line);
		}
}

static void test_last_line(void **state)
{
	for (u32 i = 0; i < ARRAY_SIZE(tables); i++)
		assert_int_equal(python_lines__last(tables[i].minor, tables[i].table, tables[i].size,
						    tables[i].first),
				 tables[i].last);
}

static void test_broken_lines(void **state)
{
	u8 table[64];
	u64 x = 88172645463325252ULL;

	for (u32 round = 0; round < 20000; round++) {
		for (u32 i = 0; i < sizeof(table); i++) {
			x ^= x << 13, x ^= x >> 7, x ^= x << 17;
			table[i] = (u8)x;
		}
		python_lines__find(9 + round % 5, table, round % sizeof(table), 1, round % 200);
		python_lines__last(9 + round % 5, table, round % sizeof(table), 1);
	}
	assert_int_equal(python_lines__find(11, table, 0, 1, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_attach),
		cmocka_unit_test(test_not_begun),
		cmocka_unit_test(test_newest_has_no_thread),
		cmocka_unit_test(test_other_layouts_are_refused),
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_wide_names),
		cmocka_unit_test(test_no_code),
		cmocka_unit_test(test_garbage),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_last_line),
		cmocka_unit_test(test_broken_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
