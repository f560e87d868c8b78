// SPDX-License-Identifier: GPL-2.0-only
/*
 * Perl from outside: attaching, functions, statements and lines, and names in stacks; all made up
 * in this process's own memory, as the headers of 5.36 have it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/status.h"
#include "symbols/perl.h"
#include "symbols/scripts.h"
#include "symbols/symbols.h"

#define SIZE_5_36 3768u
#define NEXTSTATE 0x4000u
#define OTHER_OP  0x4100u
#define NAMED	  0x8000u
#define FUNCTION  13u

struct name {
	u32 hash, length;
	char chars[40];
};

/* Of an operation, a statement's words among them. */
struct op {
	u64 next, parent, does, type;
	u32 flags, line;
	u64 package, file, more;
};

static u64 interpreter[SIZE_5_36 / 8], interpreter_at, module;
static u8 revision, version;
static u16 interpreter_size;
static u64 function[3], main_function[3], gv[3], package[3];
static u64 body[13], gv_body[8], package_body[8];
static struct name function_name, package_name;
static struct op ops[3];
static char file[40];
static struct perl perl;

static struct process_memory memory(void)
{
	return process_memory__of((u32)getpid());
}

static void set_name(struct name *n, const char *chars)
{
	*n = (struct name){.length = (u32)strlen(chars)};
	memcpy(n->chars, chars, n->length);
}

static struct perl_file in_this_process(void)
{
	return (struct perl_file){.revision = (u64)&revision,
				  .version = (u64)&version,
				  .interpreter_size = (u64)&interpreter_size,
				  .interpreter = (u64)&interpreter_at,
				  .eval = 0x1000,
				  .eval_size = 0x100,
				  .main = 0x2000,
				  .main_size = 0x80,
				  .nextstate = NEXTSTATE,
				  .dbstate = NEXTSTATE + 0x80,
				  .in_thread = true,
				  .thread = -8};
}

static int attach(const struct perl_file *f)
{
	const struct process_memory m = memory();
	const char *why = NULL;
	int err = perl__attach(f, 0, &m, &perl, &why);

	assert_true(!err || err == -EAGAIN || why);
	return err;
}

static void set_function(u64 *head, u64 *of)
{
	head[0] = (u64)of;
	head[1] = (u64)FUNCTION << 32 | 1;
}

/* Shop::serve, whose statements are at lines 7 and 9. */
static int set_up(void **state)
{
	struct perl_file f = in_this_process();

	set_name(&function_name, "serve");
	set_name(&package_name, "Shop");
	snprintf(file, sizeof(file), "/srv/shop.pl");
	ops[0] = (struct op){.next = (u64)&ops[1], .does = NEXTSTATE, .line = 7, .file = (u64)file};
	ops[1] = (struct op){.next = (u64)&ops[2], .does = OTHER_OP, .line = 99};
	ops[2] = (struct op){.does = NEXTSTATE, .line = 9, .file = (u64)file};
	set_function(function, body);
	set_function(main_function, body);
	gv[0] = (u64)gv_body;
	gv_body[4] = (u64)&function_name;
	gv_body[5] = (u64)package;
	package[0] = (u64)package_body;
	package_body[4] = (u64)&package_name;
	package_body[7] = 0;
	memset(body, 0, sizeof(body));
	body[5] = (u64)&ops[0];
	body[7] = (u64)gv;
	body[8] = (u64)file;
	revision = 5;
	version = 36;
	interpreter_size = SIZE_5_36;
	interpreter_at = (u64)interpreter;
	interpreter[1800 / 8] = (u64)main_function;
	interpreter[224 / 8] = 0x5000;
	assert_int_equal(attach(&f), 0);
	return 0;
}

static int read_it(u64 address, struct script_code *c)
{
	const struct process_memory m = memory();
	int err = perl_code__read(&perl, &m, address, c);

	if (!err)
		assert_int_equal(c->print, perl_code__print(&perl, &m, address));
	return err;
}

static void attaching(void **state)
{
	struct perl_file f = in_this_process();

	assert_int_equal(perl.rt.interpreters, (u64)-8);
	assert_int_equal(perl.rt.eval_end, 0x1100);
	assert_int_equal(perl.rt.perl.main_end, 0x2080);
	assert_int_equal(perl.rt.perl.module, 0);
	version = 38;
	assert_int_equal(attach(&f), -EOPNOTSUPP);
	version = 36;
	interpreter_size += 8; /* other options */
	assert_int_equal(attach(&f), -EOPNOTSUPP);
	interpreter_size -= 8;
	f.in_thread = false; /* without threads */
	assert_int_equal(attach(&f), -EOPNOTSUPP);
	f.in_thread = true;
	f.module = (u64)&module;
	assert_int_equal(attach(&f), -EAGAIN);
	module = 3;
	assert_int_equal(attach(&f), 0);
	assert_int_equal(perl.rt.perl.module, 3);
	main_function[1] = 9ULL << 32;
	assert_int_equal(attach(&f), -EINVAL);
	interpreter[1800 / 8] = 0;
	assert_int_equal(attach(&f), -EAGAIN);
	interpreter_at = 0;
	assert_int_equal(attach(&f), -EAGAIN);
}

static void functions(void **state)
{
	struct script_code c;

	assert_int_equal(read_it((u64)function, &c), 0);
	assert_string_equal(c.name, "Shop::serve");
	assert_string_equal(c.file, "/srv/shop.pl");
	assert_int_equal(c.first_line, 7);
	assert_int_equal(c.last_line, 9);
	/* One without a symbol has a name, and its own package; a package may have several names.
	 */
	body[4] = (u64)package;
	body[7] = (u64)&function_name;
	((u32 *)body)[23] = NAMED;
	package_body[7] = 2ULL << 32;
	package_body[4] = (u64)&gv_body[4];
	gv_body[4] = (u64)&package_name;
	assert_int_equal(read_it((u64)function, &c), 0);
	assert_string_equal(c.name, "Shop::serve");
	body[4] = 0;
	assert_int_equal(read_it((u64)function, &c), 0);
	assert_string_equal(c.name, "serve");
}

static void statements(void **state)
{
	struct script_code c;

	assert_int_equal(read_it((u64)&ops[2], &c), 0);
	assert_string_equal(c.name, "{main}");
	assert_string_equal(c.file, "/srv/shop.pl");
	assert_int_equal(c.first_line, 1);
	assert_int_equal(c.last_line, 9);
	snprintf(file, sizeof(file), "(eval 1234)");
	assert_int_equal(read_it((u64)&ops[2], &c), 0);
	assert_string_equal(c.file, "(eval)");
	assert_int_not_equal(read_it((u64)&ops[1], &c), 0);
}

/* What cannot be right is neither; operations that follow each other without end have an end. */
static void hostile(void **state)
{
	struct script_code c;

	ops[2].next = (u64)&ops[0];
	assert_int_equal(read_it((u64)function, &c), 0);
	assert_int_equal(c.last_line, 9);
	body[5] = 0x123;
	assert_int_equal(read_it((u64)function, &c), 0);
	assert_int_equal(c.first_line, 0);
	function_name.length = UINT32_MAX;
	assert_int_not_equal(read_it((u64)function, &c), 0);
	function_name.length = 5;
	function_name.chars[2] = '\0';
	assert_int_not_equal(read_it((u64)function, &c), 0);
	body[7] = 0x123;
	assert_int_not_equal(read_it((u64)function, &c), 0);
	function[1] = 12ULL << 32; /* a package */
	assert_int_not_equal(read_it((u64)function, &c), 0);
	assert_int_not_equal(read_it((u64)function + 4, &c), 0);
	assert_int_not_equal(read_it(0x10, &c), 0);
}

static void stacks(void **state)
{
	struct status st;
	struct symbols *symbols = symbols__new(&st);
	struct scripts *scripts = scripts__new(symbols);
	const struct process_memory m = memory();
	const u64 of_function = perl_code__print(&perl, &m, (u64)function),
		  of_statement = perl_code__print(&perl, &m, (u64)&ops[2]);
	u64 room[4],
		ips[] = {SCRIPT_FRAME | 8ULL << SCRIPT_CODE_BITS | (u64)function >> 3,
			 SCRIPT_FRAME | 9ULL << SCRIPT_CODE_BITS | (u64)&ops[2] >> 3,
			 SCRIPT_CHECK | script_sum(script_sum(0, of_function), of_statement) >> 2};
	struct stack_def d = {.tgid = (u32)getpid(), .nuser = 3, .ips = ips}, out;
	const char *names[] = {"Shop::serve", "{main}"};

	scripts__attach(scripts, d.tgid,
			&(struct process_runtime){.kind = SCRIPT_PERL, .perl = perl});
	scripts__name(scripts, &d, room, ARRAY_SIZE(room), &out);
	for (u32 i = 0; i < ARRAY_SIZE(names); i++) {
		const struct sym_func *f =
			symbols__func(symbols, symbols__func_of(symbols, (u32)out.ips[i]));

		assert_string_equal(f->name, names[i]);
		assert_int_equal(f->kind, CODE_PERL);
		assert_int_equal(symbols__offset_of(symbols, (u32)out.ips[i]), 8 + i);
	}
	scripts__free(scripts);
	symbols__free(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(attaching, set_up),
		cmocka_unit_test_setup(functions, set_up),
		cmocka_unit_test_setup(statements, set_up),
		cmocka_unit_test_setup(hostile, set_up),
		cmocka_unit_test_setup(stacks, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
