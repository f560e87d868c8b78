// SPDX-License-Identifier: GPL-2.0-only
/*
 * Ruby from outside: attaching, instruction sequences and lines, and names in stacks; all made up
 * in this process's own memory, as the headers of 3.1 have it.
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
#include "symbols/ruby.h"
#include "symbols/scripts.h"
#include "symbols/symbols.h"

#define ISEQ   0x701a
#define STRING 5
#define ARRAY  7
#define PLACES 700 /* words of instructions: more than a block of the index */
#define SMALL  54

/* An object: what is in it begins at its third word. */
struct object {
	u64 flags, class, in[3];
};

struct line {
	s32 line, node;
	u32 events;
};

struct block {
	u32 before, pad;
	u64 ranks, bits[8];
};

static u64 vm_words[8], thread[16], ec[8], vm_at;
static char version[16];
static u64 iseq[4], instructions[PLACES];
static struct object label, path, real, paths;
static struct line table[PLACES];
static struct {
	u64 small[6];
	struct block blocks[2];
} line_index;
static union {
	u64 words[39];
	u32 halves[78];
} body;
static struct ruby ruby;

static struct process_memory memory(void)
{
	return process_memory__of((u32)getpid());
}

/* A short text is in the object itself. */
static void set_text(struct object *o, const char *chars)
{
	size_t n = strlen(chars);

	*o = (struct object){.flags = STRING | (u64)n << 14};
	if (n < sizeof(o->in)) {
		memcpy(o->in, chars, n);
		return;
	}
	o->flags = STRING | 1 << 13;
	o->in[0] = n;
	o->in[1] = (u64)chars;
}

static int attach(const char *which)
{
	const struct ruby_file f = {
		.vm = (u64)&vm_at, .version = (u64)version, .eval = 0x1000, .eval_size = 0x100};
	const struct process_memory m = memory();
	const char *why = NULL;
	int err;

	snprintf(version, sizeof(version), "%s", which);
	err = ruby__attach(&f, 0, &m, &ruby, &why);
	assert_true(!err || err == -EAGAIN || why);
	return err;
}

/* Entries of the table of lines begin at these places. */
static void set_lines(const u32 *places, const s32 *lines, u32 n)
{
	u32 entries = 0;

	memset(&line_index, 0, sizeof(line_index));
	for (u32 place = 0; place < PLACES; place++) {
		struct block *b = &line_index.blocks[place < SMALL ? 0 : (place - SMALL) / 512];
		u32 bit = (place - SMALL) % 512;

		if (place >= SMALL && !bit)
			b->before = entries;
		if (entries < n && places[entries] == place) {
			table[entries] = (struct line){.line = lines[entries]};
			entries++;
			if (place >= SMALL)
				b->bits[bit / 64] |= 1ULL << bit % 64;
		}
		if (place < SMALL)
			line_index.small[place / 9] |= (u64)entries << place % 9 * 7;
	}
	body.halves[34] = n;
}

/* "block in serve", from line 7 to 9. */
static int set_up(void **state)
{
	static const u32 places[] = {0, 3, 60, 650};
	static const s32 lines[] = {7, 8, 9, 8};

	set_text(&label, "block in serve");
	set_text(&path, "app.rb");
	set_text(&real, "/srv/applications/of/some/one/app.rb");
	paths = (struct object){.flags = ARRAY | 1 << 13 | 2 << 15, .in = {(u64)&path, (u64)&real}};
	iseq[0] = ISEQ;
	iseq[2] = (u64)&body;
	body.halves[1] = PLACES;
	body.words[1] = (u64)instructions;
	body.words[8] = (u64)&paths;
	body.words[10] = (u64)&label;
	body.words[11] = 7 << 1 | 1;
	body.halves[27] = 9;
	body.words[15] = (u64)table;
	body.words[18] = (u64)&line_index;
	set_lines(places, lines, ARRAY_SIZE(places));
	vm_at = (u64)vm_words;
	vm_words[5] = (u64)thread;
	thread[4] = (u64)vm_words;
	thread[5] = (u64)ec;
	thread[10] = 0x7f0000001000;
	ec[6] = (u64)thread;
	assert_int_equal(attach("3.1.2"), 0);
	return 0;
}

static int read_it(struct script_code *c)
{
	const struct process_memory m = memory();
	int err = ruby_code__read(&ruby, &m, (u64)iseq, c);

	if (!err)
		assert_int_equal(c->print, ruby_code__print(&ruby, &m, (u64)iseq));
	return err;
}

static void attaching(void **state)
{
	assert_int_equal(ruby.rt.interpreters, (u64)vm_words + 8);
	assert_int_equal(ruby.rt.eval_end, 0x1100);
	assert_int_equal(attach("3.2.0"), -EOPNOTSUPP);
	assert_int_equal(attach("3.10.0"), -EOPNOTSUPP);
	ec[6] = 1;
	assert_int_equal(attach("3.1.2"), -EINVAL); /* it does not lead back */
	thread[5] = 0;
	assert_int_equal(attach("3.1.2"), -EAGAIN);
	vm_at = 0;
	assert_int_equal(attach("3.1.2"), -EAGAIN);
}

static void functions(void **state)
{
	static const u32 wanted[][2] = {{0, 7},	 {1, 7},   {3, 7},   {4, 8},	 {60, 8},
					{61, 9}, {650, 9}, {651, 8}, {PLACES, 8}};
	struct script_code c;

	assert_int_equal(read_it(&c), 0);
	assert_string_equal(c.name, "block in serve");
	assert_string_equal(c.file, "/srv/applications/of/some/one/app.rb");
	assert_int_equal(c.first_line, 7);
	assert_int_equal(c.last_line, 9);
	for (u32 i = 0; i < ARRAY_SIZE(wanted); i++)
		assert_int_equal(ruby_lines__find(c.lines, c.nlines, wanted[i][0]), wanted[i][1]);
	free(c.lines);
}

/* What is evaluated has no real path; one line has no index; a file begins in line 0. */
static void others(void **state)
{
	struct script_code c;

	paths.in[1] = 8; /* nil */
	body.words[11] = 1;
	body.halves[34] = 1;
	body.words[18] = 0;
	assert_int_equal(read_it(&c), 0);
	assert_string_equal(c.file, "app.rb");
	assert_int_equal(c.first_line, 1);
	assert_int_equal(ruby_lines__find(c.lines, c.nlines, 300), 7);
	free(c.lines);
	body.words[8] = (u64)&path;
	assert_int_equal(read_it(&c), 0);
	assert_string_equal(c.file, "app.rb");
	free(c.lines);
}

/* What cannot be right is no function, or one without lines. */
static void hostile(void **state)
{
	struct script_code c;

	body.halves[34] = PLACES + 1;
	assert_int_equal(read_it(&c), 0);
	assert_null(c.lines);
	body.halves[34] = 4;
	body.words[18] = 0x123;
	assert_int_equal(read_it(&c), 0);
	assert_int_equal(ruby_lines__find(c.lines, c.nlines, 9), 0);
	free(c.lines);
	label.flags = STRING; /* empty */
	assert_int_not_equal(read_it(&c), 0);
	label.flags = ARRAY;
	assert_int_not_equal(read_it(&c), 0);
	set_text(&label, "block in serve");
	body.words[8] = 0x123;
	assert_int_not_equal(read_it(&c), 0);
	iseq[2] = 0x10;
	assert_int_not_equal(read_it(&c), 0);
	iseq[0] = 0x601a; /* a method's entry */
	assert_int_not_equal(read_it(&c), 0);
	assert_int_equal(ruby_code__print(&ruby,
					  &(struct process_memory){process_memory__read,
								   (void *)(intptr_t)getpid()},
					  (u64)iseq),
			 0);
}

/* --- whose a method is --- */

#define OF_ONE 0x1000
#define KEY_NAME 0xf01
#define KEY_ONE  0xc11

/* A class, what is beside it, its table of variables, and those. */
struct class {
	u64 words[4], more[2], table[7], variables[2][3];
};

static struct class object, object_only, own, own_only;
static u64 object_at, entry[5], definition[5];
static struct object object_name, own_name;

static void set_class(struct class *c, u64 flags, const struct class *of, u64 key, const void *value)
{
	*c = (struct class){.words = {2 | flags, (u64)of, 0, (u64)c->more}, .more = {0, (u64)c->table}};
	c->table[5] = 2; /* the first one was taken out */
	c->table[6] = (u64)c->variables;
	c->variables[0][0] = UINT64_MAX;
	c->variables[1][1] = key;
	c->variables[1][2] = (u64)value;
}

static void set_method(const struct class *owner)
{
	entry[0] = 0x601a;
	entry[2] = (u64)definition;
	entry[4] = (u64)owner;
	definition[1] = (u64)iseq;
}

static int set_up_classes(void **state)
{
	set_up(state);
	set_text(&label, "serve");
	set_text(&object_name, "Object");
	set_text(&own_name, "Some::Application");
	set_class(&object, 0, &object_only, KEY_NAME, &object_name);
	set_class(&object_only, OF_ONE, NULL, KEY_ONE, &object);
	set_class(&own, 0, &own_only, KEY_NAME, &own_name);
	set_class(&own_only, OF_ONE, NULL, KEY_ONE, &own);
	object_at = (u64)&object;
	ruby.object = (u64)&object_at;
	definition[0] = 0;
	return 0;
}

static void expect_method(const char *name)
{
	const struct process_memory m = memory();
	struct script_code c;

	assert_int_equal(ruby_code__read(&ruby, &m, (u64)entry, &c), 0);
	assert_string_equal(c.name, name);
	assert_int_equal(c.print, ruby_code__print(&ruby, &m, (u64)entry));
	assert_int_equal(c.print, ruby_method_sum(ruby_code__print(&ruby, &m, (u64)iseq), entry[4]));
	free(c.lines);
}

static void classes(void **state)
{
	set_method(&own);
	expect_method("Some::Application#serve");
	set_method(&own_only);
	expect_method("Some::Application.serve");
	set_method(&object);
	expect_method("Object#serve");
	ruby.object = 0;
	expect_method("serve");
}

/* Then a method is its name alone, or none. */
static void hostile_classes(void **state)
{
	const struct process_memory m = memory();
	struct script_code c;

	set_method(&own);
	own.variables[1][2] = 8;
	expect_method("serve");
	own.table[5] = UINT64_MAX;
	expect_method("serve");
	own.words[3] = 0x10;
	expect_method("serve");
	set_method(&own_only);
	own_only.variables[1][2] = (u64)&own_name; /* no class */
	expect_method("serve");
	entry[4] = 0x123;
	expect_method("serve");
	set_text(&object_name, "Objects");
	set_method(&own_only);
	expect_method("serve");
	definition[0] = 1; /* written in C */
	assert_int_not_equal(ruby_code__read(&ruby, &m, (u64)entry, &c), 0);
	definition[0] = 0;
	definition[1] = (u64)entry; /* of itself */
	assert_int_not_equal(ruby_code__read(&ruby, &m, (u64)entry, &c), 0);
	assert_int_equal(ruby_code__print(&ruby, &m, (u64)entry), 0);
}

/* --- functions written in C --- */

#define HANDLE 600 /* a symbol's number: of the second array of texts */

/* An array that is not in its own object. */
struct long_array {
	u64 flags, class, length, room, at;
};

static struct long_array ids, texts[2];
static u64 id_words[2], text_words[2][1024];
static struct {
	u32 last, pad;
	u64 by_text, ids;
} symbol_table;
static struct object plus, handle;

static struct long_array long_array(const u64 *words, u64 n)
{
	return (struct long_array){ARRAY, 0, n, n, (u64)words};
}

static int set_up_symbols(void **state)
{
	const struct ruby_file f = {.symbols = {8, (u64)&symbol_table - 8, (u64)&symbol_table}, .nsymbols = 3};
	const struct process_memory m = memory();

	set_up_classes(state);
	set_text(&plus, "+");
	set_text(&handle, "handle?");
	for (u32 i = 0; i < 2; i++) {
		texts[i] = long_array(text_words[i], 1024);
		id_words[i] = (u64)&texts[i];
	}
	text_words[0]['+' * 2] = (u64)&plus;
	text_words[1][(HANDLE - 512) * 2] = (u64)&handle;
	ids = long_array(id_words, 2);
	symbol_table.last = HANDLE;
	symbol_table.ids = (u64)&ids;
	ruby.symbols = ruby_symbols__find(&f, 0, &m);
	assert_int_equal(ruby.symbols, (u64)&symbol_table);
	set_method(&own);
	definition[0] = 1;
	definition[1] = 0x7f0000002000;
	definition[4] = HANDLE << 4 | 1;
	entry[3] = definition[4];
	return 0;
}

static int read_of_c(struct script_code *c)
{
	const struct process_memory m = memory();

	return ruby_code__read(&ruby, &m, (u64)entry, c);
}

static void of_c(void **state)
{
	const struct process_memory m = memory();
	struct script_code c;

	assert_int_equal(read_of_c(&c), 0);
	assert_string_equal(c.name, "Some::Application#handle?");
	assert_string_equal(c.file, "[ruby]");
	assert_int_equal(c.first_line, 0);
	assert_int_equal(c.print, ruby_code__print(&ruby, &m, (u64)entry));
	assert_int_equal(c.print, ruby_c_sum(definition[1], entry[3], entry[4]));
	definition[4] = '+';
	assert_int_equal(read_of_c(&c), 0);
	assert_string_equal(c.name, "Some::Application#+");
}

/* Then it has no name. */
static void hostile_symbols(void **state)
{
	const struct ruby_file f = {.symbols = {(u64)&symbol_table}, .nsymbols = 1};
	const struct process_memory m = memory();
	struct script_code c;

	definition[4] = (HANDLE + 1) << 4; /* there are not as many */
	assert_int_not_equal(read_of_c(&c), 0);
	definition[4] = HANDLE << 4;
	texts[1].length = 3;
	assert_int_not_equal(read_of_c(&c), 0);
	texts[1] = long_array((u64 *)16, 1024);
	assert_int_not_equal(read_of_c(&c), 0);
	texts[1].flags = STRING;
	assert_int_not_equal(read_of_c(&c), 0);
	id_words[1] = 8; /* nil */
	assert_int_not_equal(read_of_c(&c), 0);
	set_text(&plus, "-");
	assert_int_equal(ruby_symbols__find(&f, 0, &m), 0);
	ruby.symbols = 0;
	assert_int_not_equal(read_of_c(&c), 0);
}

static void stacks(void **state)
{
	struct status st;
	struct symbols *symbols = symbols__new(&st);
	struct scripts *scripts = scripts__new(symbols);
	const struct process_memory m = memory();
	u64 print = ruby_code__print(&ruby, &m, (u64)iseq), room[4];
	u64 ips[] = {SCRIPT_FRAME | 4ULL << SCRIPT_CODE_BITS | (u64)iseq >> 3,
		     SCRIPT_CHECK | script_sum(0, print) >> 2};
	struct stack_def d = {.tgid = (u32)getpid(), .nuser = 2, .ips = ips}, out;
	const struct sym_func *f;

	scripts__attach(scripts, d.tgid,
			&(struct process_runtime){.kind = SCRIPT_RUBY, .ruby = ruby});
	scripts__name(scripts, &d, room, ARRAY_SIZE(room), &out);
	f = symbols__func(symbols, symbols__func_of(symbols, (u32)out.ips[0]));
	assert_string_equal(f->name, "block in serve");
	assert_int_equal(f->kind, CODE_RUBY);
	assert_int_equal(symbols__offset_of(symbols, (u32)out.ips[0]), 8);
	scripts__free(scripts);
	symbols__free(symbols);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(attaching, set_up),
		cmocka_unit_test_setup(functions, set_up),
		cmocka_unit_test_setup(others, set_up),
		cmocka_unit_test_setup(hostile, set_up),
		cmocka_unit_test_setup(classes, set_up_classes),
		cmocka_unit_test_setup(hostile_classes, set_up_classes),
		cmocka_unit_test_setup(of_c, set_up_symbols),
		cmocka_unit_test_setup(hostile_symbols, set_up_symbols),
		cmocka_unit_test_setup(stacks, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
