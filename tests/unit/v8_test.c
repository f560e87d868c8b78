// SPDX-License-Identifier: GPL-2.0-only
/*
 * V8 from outside: its constants, texts of all forms, functions and their lines, and names in stacks;
 * all made up in this process's own memory, as node 18 to 22 have them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/status.h"
#include "symbols/scripts.h"
#include "symbols/symbols.h"
#include "symbols/v8.h"

enum { TYPE_FUNCTION = 2066, TYPE_SHARED = 262, TYPE_SCOPE = 261, TYPE_SCRIPT = 167, TYPE_ODDBALL = 131 };
enum { TWO_BYTE = 32, ONE_BYTE = 40, CONS = 41, EXTERNAL = 42, NOT_CACHED = 58, SLICED = 43, THIN = 13 };

struct map {
	u64 words[8];
} __attribute__((aligned(8)));

struct object {
	u64 words[16];
} __attribute__((aligned(8)));

#define NUMBER(n) ((u64)(n) << 32)
#define TAGGED(o) ((u64)(o) + V8_TAG)

static struct map maps[16];
static u32 nmaps;
static struct v8 v8;
static struct v8_lines *lines;
static struct object shared, scope, script, undefined, name, likely, path, source;

static struct process_memory memory(void)
{
	return process_memory__of((u32)getpid());
}

static void set_type(struct object *o, u16 type)
{
	struct map *m = NULL;

	for (u32 i = 0; i < nmaps; i++)
		if ((u16)(maps[i].words[1] >> 32) == type)
			m = &maps[i];
	if (!m) {
		m = &maps[nmaps++];
		m->words[1] = (u64)type << 32;
	}
	*o = (struct object){.words = {TAGGED(m)}};
}

static u64 text(struct object *o, const char *chars)
{
	set_type(o, ONE_BYTE);
	o->words[1] = (u64)strlen(chars) << 32;
	memcpy(&o->words[2], chars, strlen(chars));
	return TAGGED(o);
}

#define SOURCE "function f() {\n}\r\n\nclass C {\n\tm() {\n\t}\n}\n"

/* A method of line 5 and 6, in a script of that path. */
static void set_function(void)
{
	set_type(&undefined, TYPE_ODDBALL);
	set_type(&shared, TYPE_SHARED);
	set_type(&scope, TYPE_SCOPE);
	set_type(&script, TYPE_SCRIPT);
	shared.words[2] = TAGGED(&scope);
	shared.words[4] = TAGGED(&script);
	scope.words[1] = NUMBER(3u << 12 | 1u << 14 | 2);
	scope.words[3] = NUMBER(1);
	scope.words[4] = text(&likely, "C.m");
	scope.words[5] = NUMBER(7);
	scope.words[6] = text(&name, "m");
	scope.words[7] = NUMBER(-1u);
	scope.words[8] = TAGGED(&likely);
	scope.words[9] = NUMBER(strchr(strstr(SOURCE, "\tm"), '(') - SOURCE);
	scope.words[10] = NUMBER(strstr(SOURCE, "\t}") + 2 - SOURCE);
	script.words[1] = text(&source, SOURCE);
	script.words[2] = text(&path, "file:///srv/app.mjs");
}

static int set_up(void **state)
{
	v8 = (struct v8){
		.rt = {.function_shared = 3, .shared_name = 2, .shared_script = 4, .map_type = 12},
		.of = {[V8_FUNCTION_SHARED] = 24, [V8_SHARED_NAME] = 16, [V8_SHARED_SCRIPT] = 32,
		       [V8_MAP_TYPE] = 12, [V8_SCRIPT_NAME] = 16, [V8_SCRIPT_SOURCE] = 8,
		       [V8_CONS_FIRST] = 16, [V8_CONS_SECOND] = 24, [V8_SLICED_PARENT] = 16,
		       [V8_SLICED_OFFSET] = 24, [V8_THIN_ACTUAL] = 16, [V8_EXTERNAL_RESOURCE] = 16,
		       [V8_TYPE_FUNCTION] = TYPE_FUNCTION, [V8_TYPE_SHARED] = TYPE_SHARED,
		       [V8_TYPE_SCOPE] = TYPE_SCOPE, [V8_TYPE_SCRIPT] = TYPE_SCRIPT,
		       [V8_TYPE_ODDBALL] = TYPE_ODDBALL},
	};
	lines = v8_lines__new();
	set_function();
	return 0;
}

static int tear_down(void **state)
{
	v8_lines__free(lines);
	return 0;
}

static int read_function(struct script_code *c)
{
	const struct process_memory m = memory();

	return v8_function__read(&v8, &m, lines, (u32)getpid(), (u64)&shared, c);
}

/* --- functions --- */

static void a_function(void **state)
{
	const struct process_memory m = memory();
	struct script_code c;

	assert_int_equal(read_function(&c), 0);
	assert_string_equal(c.name, "m");
	assert_string_equal(c.file, "/srv/app.mjs");
	assert_int_equal(c.first_line, 5);
	assert_int_equal(c.last_line, 6);
	assert_int_equal(c.print, v8_function_sum(TAGGED(&scope), TAGGED(&script)));
	assert_int_equal(c.print, v8_function__print(&v8, &m, (u64)&shared));
}

static void names(void **state)
{
	struct script_code c;

	text(&name, ""); /* without one of its own */
	assert_int_equal(read_function(&c), 0);
	assert_string_equal(c.name, "C.m");
	scope.words[8] = TAGGED(&undefined);
	assert_int_equal(read_function(&c), 0);
	assert_string_equal(c.name, "(anonymous)");
	/* The machine's own have a name alone. */
	shared.words[2] = text(&name, "map");
	shared.words[4] = TAGGED(&undefined);
	assert_int_equal(read_function(&c), 0);
	assert_string_equal(c.name, "map");
	assert_string_equal(c.file, "[v8]");
	assert_int_equal(c.first_line, 0);
	shared.words[2] = 0;
	assert_int_equal(read_function(&c), 0);
	assert_string_equal(c.name, "(anonymous)");
}

/* What is in a scope is where its flags say. */
static void scopes(void **state)
{
	struct script_code c;

	for (u32 i = 12; i > 6; i--) /* a word more before the name */
		scope.words[i] = scope.words[i - 1];
	scope.words[1] |= NUMBER(1u << 10);
	assert_int_equal(read_function(&c), 0);
	assert_string_equal(c.name, "m");
	assert_int_equal(c.first_line, 5);
	scope.words[6] = NUMBER(1); /* a number in the place of the name's */
	scope.words[1] &= ~NUMBER(1u << 10);
	assert_int_equal(read_function(&c), -ESTALE);
}

static void no_functions(void **state)
{
	const struct process_memory m = memory();
	struct script_code c;

	for (u32 i = 1; i < 8; i++)
		assert_int_not_equal(v8_function__read(&v8, &m, lines, 1, (u64)&shared + i, &c), 0);
	assert_int_not_equal(v8_function__read(&v8, &m, lines, 1, (u64)&script, &c), 0);
	assert_int_not_equal(v8_function__read(&v8, &m, lines, 1, 0, &c), 0);
	assert_int_equal(v8_function__print(&v8, &m, (u64)&script), 0);
	shared.words[2] = 0x1234567; /* leads nowhere */
	assert_int_not_equal(read_function(&c), 0);
}

/* --- texts --- */

static const char *read_text(const struct object *o)
{
	static char to[64];
	const struct process_memory m = memory();

	return v8_text__read(&v8, &m, TAGGED(o), to, sizeof(to)) ? to : NULL;
}

static void texts(void **state)
{
	static struct object first, second, whole, part, two;
	static const char outside[] = "elsewhere";
	static const u16 wide[] = {'a', 0xe9, 0x20ac};

	text(&first, "first");
	text(&second, "second");
	set_type(&whole, CONS);
	whole.words[1] = 11ULL << 32;
	whole.words[2] = TAGGED(&first);
	whole.words[3] = TAGGED(&second);
	assert_string_equal(read_text(&whole), "firstsecond");
	set_type(&part, SLICED);
	part.words[1] = 3ULL << 32;
	part.words[2] = TAGGED(&second);
	part.words[3] = NUMBER(2);
	assert_string_equal(read_text(&part), "con");
	set_type(&part, THIN);
	part.words[1] = 6ULL << 32;
	part.words[2] = TAGGED(&second);
	assert_string_equal(read_text(&part), "second");
	set_type(&part, EXTERNAL);
	part.words[1] = 9ULL << 32;
	part.words[3] = (u64)outside;
	assert_string_equal(read_text(&part), "elsewhere");
	set_type(&two, TWO_BYTE);
	two.words[1] = 3ULL << 32;
	memcpy(&two.words[2], wide, sizeof(wide));
	assert_string_equal(read_text(&two), "a\xc3\xa9\xe2\x82\xac");
	assert_null(read_text(&shared));
}

/* Of texts that lead to themselves, or nowhere, nothing is read. */
static void texts_astray(void **state)
{
	static struct object part;

	set_type(&part, THIN);
	part.words[1] = 6ULL << 32;
	part.words[2] = TAGGED(&part);
	assert_string_equal(read_text(&part), "");
	set_type(&part, CONS);
	part.words[1] = 6ULL << 32;
	part.words[2] = part.words[3] = TAGGED(&part);
	assert_string_equal(read_text(&part), "");
	set_type(&part, NOT_CACHED);
	part.words[1] = 6ULL << 32;
	assert_string_equal(read_text(&part), "");
}

static void line_ends(void **state)
{
	static const struct {
		u32 position, line;
	} rows[] = {{0, 1}, {14, 1}, {15, 2}, {16, 2}, {17, 3}, {18, 3}, {19, 4}, {29, 5}, {41, 8}};
	const struct process_memory m = memory();

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++)
		assert_int_equal(v8_lines__find(lines, &v8, &m, 1, TAGGED(&script),
						rows[i].position), rows[i].line);
	assert_int_equal(v8_lines__find(lines, &v8, &m, 1, TAGGED(&script), 1000), 0);
}

/* --- what a file says --- */

static void attaching(void **state)
{
	const struct process_memory m = memory();
	struct v8_file f = {0};
	const char *why;
	struct v8 out;

	assert_int_equal(v8__attach(&f, 0, &m, &out, &why), -EOPNOTSUPP);
	assert_non_null(strstr(why, "V8"));
}

/* --- stacks --- */

#define NATIVE 0x401000ULL

static void stacks(void **state)
{
	struct status st;
	struct symbols *symbols = symbols__new(&st);
	struct scripts *scripts = scripts__new(symbols);
	u64 print = v8_function_sum(TAGGED(&scope), TAGGED(&script)), room[8];
	u64 ips[] = {NATIVE, SCRIPT_FRAME | (u64)&shared >> 3,
		     SCRIPT_CHECK | script_sum(0, print) >> 2};
	struct stack_def d = {.tgid = (u32)getpid(), .nuser = 3, .ips = ips}, out;
	const struct sym_func *f;
	u32 loc;

	scripts__attach(scripts, d.tgid, &(struct process_runtime){.kind = SCRIPT_V8, .v8 = v8});
	scripts__name(scripts, &d, room, ARRAY_SIZE(room), &out);
	assert_int_equal(out.nuser, 2);
	assert_int_equal(out.ips[0], NATIVE);
	loc = (u32)out.ips[1];
	f = symbols__func(symbols, symbols__func_of(symbols, loc));
	assert_string_equal(f->name, "m");
	assert_int_equal(f->kind, CODE_JAVASCRIPT);
	assert_int_equal(f->start, 5);
	assert_int_equal(f->size, 2);
	/* It has moved, and another one is there. */
	shared.words[2] = text(&name, "map");
	ips[2] ^= 1;
	scripts__name(scripts, &d, room, ARRAY_SIZE(room), &out);
	f = symbols__func(symbols, symbols__func_of(symbols, (u32)out.ips[1]));
	assert_string_equal(f->name, "[javascript function]");
	scripts__free(scripts);
	symbols__free(symbols);
}

/* --- hostile --- */

static void hostile(void **state)
{
	struct object *const all[] = {&shared, &scope, &script, &name, &likely, &path, &source};
	struct script_code c;
	u64 seed = 7;

	for (u32 round = 0; round < 20000; round++) {
		struct object *o;

		if (round % 4 == 0)
			set_function();
		seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
		o = all[(seed >> 33) % ARRAY_SIZE(all)];
		o->words[(seed >> 40) % 11] = seed & 64 ? TAGGED(all[(seed >> 45) % ARRAY_SIZE(all)])
							: seed >> (seed >> 58);
		read_function(&c);
		assert_true(strlen(c.name) < sizeof(c.name) && strlen(c.file) < sizeof(c.file));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_function, set_up, tear_down),
		cmocka_unit_test_setup_teardown(names, set_up, tear_down),
		cmocka_unit_test_setup_teardown(scopes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(no_functions, set_up, tear_down),
		cmocka_unit_test_setup_teardown(texts, set_up, tear_down),
		cmocka_unit_test_setup_teardown(texts_astray, set_up, tear_down),
		cmocka_unit_test_setup_teardown(line_ends, set_up, tear_down),
		cmocka_unit_test_setup_teardown(attaching, set_up, tear_down),
		cmocka_unit_test_setup_teardown(stacks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(hostile, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
