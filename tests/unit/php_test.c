// SPDX-License-Identifier: GPL-2.0-only
/*
 * PHP from outside: attaching, functions and lines, and names in stacks; all made up in this process's
 * own memory, as the headers of 8.2 have it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <unistd.h>

#include "base/status.h"
#include "symbols/php.h"
#include "symbols/scripts.h"
#include "symbols/symbols.h"

#define API_8_2 20220829u

struct text {
	u64 refs, hash, length;
	char chars[40];
};

struct function {
	u64 words[32];
};

static struct text name, file, class_name;
static u64 class[4];
static struct function function;
static u64 module[21], element[4], modules[8], globals[64];
static struct php php;

static struct process_memory memory(void)
{
	return process_memory__of((u32)getpid());
}

static void set_text(struct text *t, const char *chars)
{
	*t = (struct text){.length = strlen(chars)};
	memcpy(t->chars, chars, strlen(chars));
}

static int attach(u32 api, u16 flags)
{
	const struct php_file f = {.globals = (u64)globals, .eval = 0x1000, .eval_size = 0x100,
				   .modules = (u64)modules};
	const struct process_memory m = memory();
	const char *why = NULL;
	int err;

	module[0] = sizeof(module) | (u64)api << 32;
	module[1] = flags;
	element[0] = (u64)module;
	modules[2] = (u64)element;
	modules[3] = 1;
	err = php__attach(&f, 0, &m, &php, &why);
	assert_true(!err || err == -EAGAIN || strstr(why, "8.2"));
	return err;
}

/* C::serve, from line 7 to 9. */
static int set_up(void **state)
{
	set_text(&name, "serve");
	set_text(&file, "/srv/app.php");
	set_text(&class_name, "C");
	class[1] = (u64)&class_name;
	function = (struct function){.words = {[0] = SCRIPT_PHP_USER, [1] = (u64)&name,
					       [2] = (u64)class, [11] = 0x1000,
					       [19] = (u64)&file, [20] = 7 | 9ULL << 32}};
	assert_int_equal(attach(API_8_2, 0), 0);
	return 0;
}

static int read_it(struct script_code *c)
{
	const struct process_memory m = memory();
	int err = php_function__read(&php, &m, (u64)&function, c);

	if (!err)
		assert_int_equal(c->print, php_function__print(&php, &m, (u64)&function));
	return err;
}

static void attaching(void **state)
{
	assert_int_equal(php.rt.interpreters, (u64)globals + 488);
	assert_int_equal(php.rt.eval_end, 0x1100);
	assert_int_equal(attach(20230831, 0), -EOPNOTSUPP);
	assert_int_equal(attach(API_8_2, 1), -EOPNOTSUPP);	 /* for debugging */
	assert_int_equal(attach(API_8_2, 1 << 8), -EOPNOTSUPP); /* for threads */
	modules[2] = 0;
	assert_int_equal(php__attach(&(struct php_file){.modules = (u64)modules}, 0,
				     &(struct process_memory){process_memory__read,
							      (void *)(intptr_t)getpid()},
				     &php, &(const char *){NULL}),
			 -EAGAIN);
}

static void functions(void **state)
{
	struct script_code c;

	assert_int_equal(read_it(&c), 0);
	assert_string_equal(c.name, "C::serve");
	assert_string_equal(c.file, "/srv/app.php");
	assert_int_equal(c.first_line, 7);
	assert_int_equal(c.last_line, 9);
	function.words[2] = 0;
	assert_int_equal(read_it(&c), 0);
	assert_string_equal(c.name, "serve");
	function.words[1] = 0;
	assert_int_equal(read_it(&c), 0);
	assert_string_equal(c.name, "{main}");
	function.words[0] = SCRIPT_PHP_INTERNAL;
	function.words[1] = (u64)&name;
	function.words[19] = 0x123;
	assert_int_equal(read_it(&c), 0);
	assert_string_equal(c.name, "serve");
	assert_string_equal(c.file, "[php]");
	assert_int_equal(c.first_line, 0);
}

static void no_functions(void **state)
{
	struct script_code c;

	function.words[0] = 3;
	assert_int_not_equal(read_it(&c), 0);
	function.words[0] = SCRIPT_PHP_USER;
	function.words[19] = 0x123;
	assert_int_not_equal(read_it(&c), 0);
	function.words[19] = (u64)&file;
	name.chars[2] = '\0';
	assert_int_not_equal(read_it(&c), 0);
	name.length = 0;
	assert_int_not_equal(read_it(&c), 0);
	name.length = UINT64_MAX;
	assert_int_not_equal(read_it(&c), 0);
}

static void stacks(void **state)
{
	struct status st;
	struct symbols *symbols = symbols__new(&st);
	struct scripts *scripts = scripts__new(symbols);
	const struct process_memory m = memory();
	u64 print = php_function__print(&php, &m, (u64)&function), room[4];
	u64 ips[] = {SCRIPT_FRAME | 8ULL << SCRIPT_CODE_BITS | (u64)&function >> 3,
		     SCRIPT_CHECK | script_sum(0, print) >> 2};
	struct stack_def d = {.tgid = (u32)getpid(), .nuser = 2, .ips = ips}, out;
	const struct sym_func *f;

	scripts__attach(scripts, d.tgid, &(struct process_runtime){.kind = SCRIPT_PHP, .php = php});
	scripts__name(scripts, &d, room, ARRAY_SIZE(room), &out);
	f = symbols__func(symbols, symbols__func_of(symbols, (u32)out.ips[0]));
	assert_string_equal(f->name, "C::serve");
	assert_int_equal(f->kind, CODE_PHP);
	assert_int_equal(symbols__offset_of(symbols, (u32)out.ips[0]), 8);
	scripts__free(scripts);
	symbols__free(symbols);
}

/* One that has a check of its own is known by that when it is gone; the others of the stack anyway. */
static void passing(void **state)
{
	struct status st;
	struct symbols *symbols = symbols__new(&st);
	struct scripts *scripts = scripts__new(symbols);
	const struct process_memory m = memory();
	struct function caller = function;
	u64 print, of_caller, ips[4], room[8];
	struct stack_def d = {.tgid = (u32)getpid(), .nuser = 4, .ips = ips}, out;
	const char *wanted[] = {"C::serve", "C::serve", "[php function]"};
	u64 named, gone;

	function.words[0] |= SCRIPT_PHP_CLOSURE;
	caller.words[20] = 70 | 90ULL << 32;
	print = php_function__print(&php, &m, (u64)&function);
	of_caller = php_function__print(&php, &m, (u64)&caller);
	ips[0] = SCRIPT_FRAME | 8ULL << SCRIPT_CODE_BITS | (u64)&function >> 3;
	ips[1] = script_own_check(print);
	ips[2] = SCRIPT_FRAME | 72ULL << SCRIPT_CODE_BITS | (u64)&caller >> 3;
	ips[3] = SCRIPT_CHECK | script_sum(0, of_caller) >> 2;
	scripts__attach(scripts, d.tgid, &(struct process_runtime){.kind = SCRIPT_PHP, .php = php});
	for (u32 i = 0; i < ARRAY_SIZE(wanted); i++) {
		const struct sym_func *f;

		scripts__name(scripts, &d, room, ARRAY_SIZE(room), &out);
		assert_int_equal(out.nuser, 2);
		f = symbols__func(symbols, symbols__func_of(symbols, (u32)out.ips[0]));
		assert_string_equal(f->name, wanted[i]);
		f = symbols__func(symbols, symbols__func_of(symbols, (u32)out.ips[1]));
		assert_string_equal(f->name, "C::serve");
		assert_int_equal(f->start, 70);
		function.words[0] = 0; /* it goes */
		if (i)
			ips[1] ^= 1; /* another one, that nobody has seen */
	}
	scripts__stats(scripts, &named, &gone);
	assert_int_equal(named, 3);
	assert_int_equal(gone, 1);
	scripts__free(scripts);
	symbols__free(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(attaching, set_up),
		cmocka_unit_test_setup(functions, set_up),
		cmocka_unit_test_setup(no_functions, set_up),
		cmocka_unit_test_setup(stacks, set_up),
		cmocka_unit_test_setup(passing, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
