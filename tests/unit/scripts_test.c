// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of interpreted functions in stacks: with code objects in this process's own memory, made up as
 * CPython 3.11 has them, and stacks as the programs in the kernel send them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "base/status.h"
#include "symbols/scripts.h"
#include "symbols/symbols.h"

#define NATIVE 0x401000ULL

struct made_up_text {
	u64 refs, type, length, hash, state, wide;
	char chars[32];
};

struct made_up_bytes {
	u64 refs, type, length, hash;
	u8 data[16];
};

struct made_up_code {
	u64 words[32];
} __attribute__((aligned(16)));

static u64 code_type;
static struct made_up_text name, qualname, file;
static struct made_up_bytes lines;
static struct made_up_code code;
static struct symbols *symbols;
static struct scripts *scripts;

static void set_text(struct made_up_text *t, const char *text, u64 hash)
{
	*t = (struct made_up_text){.length = strlen(text), .hash = hash, .state = 1 << 2 | 0x60};
	memcpy(t->chars, text, strlen(text));
}

/* A function of line 7; its second instruction is of line 8. */
static void set_code(const char *text, u64 hash)
{
	set_text(&name, text, hash);
	set_text(&qualname, text, hash);
	set_text(&file, "/srv/app.py", 1);
	lines = (struct made_up_bytes){.length = 4, .data = {0x80 | 11 << 3, 0, 0, 0x80 | 11 << 3}};
	memset(&code, 0, sizeof(code));
	code.words[1] = (u64)&code_type;
	code.words[9] = 6;
	code.words[14] = (u64)&file;
	code.words[15] = (u64)&name;
	code.words[16] = (u64)&qualname;
	code.words[17] = (u64)&lines;
}

static const struct python python = {
	.rt = {.how = SCRIPT_ENTRIES, .code_type = (u64)0, .code_bytes = 144, .code_line = 72,
	       .code_file = 112, .code_name = 120, .code_lines = 136, .text_hash = 24},
	.minor = 11,
	.code_qualname = 128,
	.ascii_size = 48,
	.text_size = 72,
};

static u64 sum(void)
{
	u64 h = script_sum((u64)&file, (u64)&name);

	h = script_sum(h, (u64)&lines);
	h = script_sum(h, code.words[9]);
	return script_sum(0, script_sum(h, name.hash));
}

/* The frame of the function at an instruction, below a native one. */
static void define(u32 tgid, u32 unit, u64 check, u64 *ips, struct stack_def *d)
{
	ips[0] = NATIVE;
	ips[1] = SCRIPT_FRAME | (u64)unit << SCRIPT_CODE_BITS | (u64)&code >> 3;
	ips[2] = SCRIPT_CHECK | check >> 2;
	*d = (struct stack_def){.head.type = SAMPLE_STACK_DEF, .nuser = 3, .tgid = tgid, .ips = ips};
}

static const struct sym_func *func_of(const struct stack_def *d, u32 *line)
{
	u32 loc = (u32)d->ips[1];

	assert_int_equal(d->nuser, 2);
	assert_int_equal(d->ips[0], NATIVE);
	assert_int_equal(SCRIPT_MARK(d->ips[1]), SCRIPT_FRAME);
	*line = (u32)symbols__offset_of(symbols, loc);
	return symbols__func(symbols, symbols__func_of(symbols, loc));
}

static int begin(void **state)
{
	struct python p = python;
	struct status st;

	p.rt.code_type = (u64)&code_type;
	symbols = symbols__new(&st);
	scripts = scripts__new(symbols);
	scripts__attach(scripts, (u32)getpid(),
			&(struct process_runtime){.kind = SCRIPT_PYTHON, .python = p});
	set_code("serve", 0x1111);
	return 0;
}

static int end(void **state)
{
	scripts__free(scripts);
	symbols__free(symbols);
	return 0;
}

static void test_names(void **state)
{
	struct stack_def d, out;
	u64 ips[3], room[3];
	const struct sym_func *f;
	u32 line;

	define((u32)getpid(), 1, sum(), ips, &d);
	assert_true(stack_def__has_scripts(&d));
	scripts__name(scripts, &d, room, ARRAY_SIZE(room), &out);
	f = func_of(&out, &line);
	assert_string_equal(f->name, "serve");
	assert_int_equal(f->kind, CODE_PYTHON);
	assert_int_equal(f->start, 6);
	assert_int_equal(line, 8);
	assert_string_equal(symbols__object(symbols, f->object)->name, "app.py");
	assert_string_equal(symbols__object(symbols, f->object)->path, "/srv/app.py");
}

/* Another code object in its place has another name; a stack from before has none. */
static void test_another_in_its_place(void **state)
{
	struct stack_def d, out;
	u64 ips[3], room[3], before = sum(), named, gone;
	u32 line;

	define((u32)getpid(), 0, before, ips, &d);
	scripts__name(scripts, &d, room, ARRAY_SIZE(room), &out);
	set_code("other", 0x2222);
	define((u32)getpid(), 0, sum(), ips, &d);
	scripts__name(scripts, &d, room, ARRAY_SIZE(room), &out);
	assert_string_equal(func_of(&out, &line)->name, "other");
	define((u32)getpid(), 0, before, ips, &d);
	scripts__name(scripts, &d, room, ARRAY_SIZE(room), &out);
	assert_string_equal(func_of(&out, &line)->name, "[python function]");
	scripts__stats(scripts, &named, &gone);
	assert_int_equal(named, 3);
	assert_int_equal(gone, 1);
}

/* Names that were read stay for when the process is over. */
static void test_gone(void **state)
{
	struct stack_def d, out;
	u64 ips[3], room[3], was;
	u32 line;

	define((u32)getpid(), 0, sum(), ips, &d);
	scripts__name(scripts, &d, room, ARRAY_SIZE(room), &out);
	was = sum();
	code.words[1] = 0;
	define((u32)getpid(), 0, was, ips, &d);
	scripts__name(scripts, &d, room, ARRAY_SIZE(room), &out);
	assert_string_equal(func_of(&out, &line)->name, "serve");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_names, begin, end),
		cmocka_unit_test_setup_teardown(test_another_in_its_place, begin, end),
		cmocka_unit_test_setup_teardown(test_gone, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
