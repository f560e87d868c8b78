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
#include "symbols/v8_code_impl.h"

enum { TYPE_FUNCTION = 2066, TYPE_SHARED = 262, TYPE_SCOPE = 261, TYPE_SCRIPT = 167, TYPE_ODDBALL = 131,
       TYPE_CODE = 245 };
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
		       [V8_TYPE_ODDBALL] = TYPE_ODDBALL, [V8_TYPE_CODE] = TYPE_CODE},
		.layout = v8_layout__of(11, 3),
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

/* --- optimised code --- */

#define SIGNED(n) ((n) < 0 ? -(n) * 2 + 1 : (n) * 2)

/* A function and one that is inlined in it, then the same at another call: what is as before is not said again. */
static const u8 translations_11_3[] = {
	2, 0, SIGNED(2), SIGNED(2),			/* begins */
	24, SIGNED(5), SIGNED(0), 1, 29, SIGNED(9),	/* a frame, and a literal in it */
	24, SIGNED(7), SIGNED(1), 0,
	3, 14, SIGNED(3), SIGNED(2),			/* begins: like the one 14 bytes before */
	37,						/* one the same, */
	29, SIGNED(8),					/* another literal, */
	35, 1,						/* one the same */
	28, 9, SIGNED(4), SIGNED(1), SIGNED(0),
};

static const u8 translations_10_2[] = {
	SIGNED(3), SIGNED(1), SIGNED(1), SIGNED(0),
	SIGNED(18), SIGNED(-1), SIGNED(3), SIGNED(0), SIGNED(0), SIGNED(0),
};

static void assert_frames(const struct v8_chain *c, u32 n, const struct v8_frame *frames)
{
	assert_int_equal(c->n, n);
	for (u32 i = 0; i < n; i++) {
		assert_int_equal(c->v[i].literal, frames[i].literal);
		assert_int_equal(c->v[i].bytecode, frames[i].bytecode);
	}
}

static void translations(void **state)
{
	static const struct v8_frame inlined[] = {{0, 5}, {1, 7}}, alone[] = {{3, -1}};
	const struct v8_layout *l = v8_layout__of(11, 3);
	const u32 n = sizeof(translations_11_3);
	struct v8_chain c;

	assert_true(v8_translation__read(l, translations_11_3, n, 0, &c));
	assert_frames(&c, 2, inlined);
	assert_true(v8_translation__read(l, translations_11_3, n, 14, &c));
	assert_frames(&c, 2, inlined);
	assert_true(v8_translation__read(v8_layout__of(10, 2), translations_10_2, sizeof(translations_10_2), 0, &c));
	assert_frames(&c, 1, alone);
	assert_null(v8_layout__of(9, 4));
	/* In the middle of one, beyond all, cut. */
	assert_false(v8_translation__read(l, translations_11_3, n, 4, &c));
	assert_false(v8_translation__read(l, translations_11_3, n, n, &c));
	assert_false(v8_translation__read(l, translations_11_3, 12, 0, &c));
}

static void hostile_translations(void **state)
{
	static const u16 versions[][2] = {{10, 2}, {11, 3}, {12, 4}};
	u8 bytes[64];
	u64 seed = 3;

	for (u32 round = 0; round < 100000; round++) {
		const u16 *of = versions[round % ARRAY_SIZE(versions)];
		struct v8_chain c;

		for (u32 i = 0; i < sizeof(bytes); i++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			bytes[i] = (u8)((seed >> 40) % (seed & 1 << 20 ? 41 : 256));
		}
		if (v8_translation__read(v8_layout__of(of[0], of[1]), bytes, sizeof(bytes), seed >> 60, &c))
			assert_in_range(c.n, 1, V8_PLACES);
	}
}

#define CODE_AT	 0x5040 /* in the chunk */
#define CALL	 16	/* where one returns to */
#define OUTSIDE	 24	/* as does one of which it is not said what is at work */
#define IN_INNER 30
#define PLACE(inlined, offset) ((u64)(inlined) << 31 | (u64)((offset) + 1) << 1)

static u8 chunk[2 * (V8_CHUNK_MASK + 1)] __attribute__((aligned(V8_CHUNK_MASK + 1)));
static struct object describing, data[3], literals, bytes[4], inner;

static void put_difference(u8 **to, s64 n)
{
	u64 u = (u64)(n < 0 ? -n * 2 - 1 : n * 2);

	for (; u > 127; u >>= 7)
		*(*to)++ = (u8)(u | 128);
	*(*to)++ = (u8)u;
}

/* n places in the source, each of 8 bytes of instructions. */
static void set_positions(struct object *o, const u64 *places, u32 n)
{
	u8 *to = (u8 *)&o->words[2];
	u64 last = 0;

	for (u32 i = 0; i < n; i++) {
		put_difference(&to, i ? 8 : 0);
		put_difference(&to, (s64)(places[i] - last));
		last = places[i];
	}
	o->words[1] = NUMBER(to - (u8 *)&o->words[2]);
}

static void put_word_at(u32 at, u64 word)
{
	memcpy(chunk + at, &word, sizeof(word));
}

/* Code of `shared` with `inner` inlined, as V8 11.3 has it: two calls, and what is neither. */
static void set_code(void)
{
	static const u8 call[] = {0xe8, 0, 0, 0, 0};
	const u64 places[] = {PLACE(0, 1), PLACE(1, 31), PLACE(0, 2), PLACE(1, 31), PLACE(0, 2)};
	u64 *words = data[0].words, start = (u64)chunk + CODE_AT, at = PLACE(0, 0);

	set_function();
	inner = shared;
	set_type(&describing, TYPE_CODE);
	describing.words[2] = TAGGED(words);
	describing.words[3] = TAGGED(&bytes[1]);
	describing.words[4] = start - 16 + V8_TAG;
	describing.words[5] = start;
	describing.words[6] = 13;
	describing.words[7] = 40;
	memset(chunk, 0, sizeof(chunk));
	put_word_at(CODE_AT - 16, describing.words[0]);
	put_word_at(CODE_AT - 8, TAGGED(&describing));
	memset(chunk + CODE_AT, 0x90, 40);
	memcpy(chunk + CODE_AT + CALL - sizeof(call), call, sizeof(call));
	memcpy(chunk + CODE_AT + OUTSIDE - sizeof(call), call, sizeof(call));
	memset(data, 0, sizeof(data));
	words[1] = NUMBER(11 + 2 * 3);
	words[2 + 0] = TAGGED(&bytes[0]);
	words[2 + 2] = TAGGED(&literals);
	words[2 + 5] = NUMBER(77);
	words[2 + 6] = TAGGED(&shared);
	words[2 + 7] = TAGGED(&bytes[2]);
	words[2 + 9] = NUMBER(1); /* checks, and */
	words[2 + 10] = NUMBER(1); /* calls */
	words[2 + 11 + 1] = NUMBER(14);
	words[2 + 11 + 2] = NUMBER(-1u);
	words[2 + 14 + 1] = NUMBER(0);
	words[2 + 14 + 2] = NUMBER(CALL);
	literals.words[1] = NUMBER(2);
	literals.words[2] = TAGGED(&shared);
	literals.words[3] = TAGGED(&inner);
	bytes[0].words[1] = NUMBER(sizeof(translations_11_3));
	memcpy(&bytes[0].words[2], translations_11_3, sizeof(translations_11_3));
	set_positions(&bytes[1], places, ARRAY_SIZE(places));
	bytes[2].words[1] = NUMBER(16);
	bytes[2].words[2] = at;
	bytes[2].words[3] = 1;
}

static u32 find_code(struct v8_codes *c, u32 at, bool exact, struct v8_place *places)
{
	const struct v8_range range = {(u64)chunk, (u64)chunk + sizeof(chunk)};
	const struct process_memory m = memory();

	return v8_codes__find(c, &v8, &m, (u32)getpid(), &range, 1, (u64)&shared, CODE_AT + at, exact, places);
}

static void inlined_functions(void **state)
{
	struct v8_codes *c = v8_codes__new();
	struct v8_place p[V8_PLACES];

	set_code();
	assert_int_equal(find_code(c, CALL, false, p), 2);
	assert_int_equal(p[0].shared, (u64)&inner);
	assert_int_equal(p[1].shared, (u64)&shared);
	assert_int_equal(p[0].position, 31);
	assert_int_equal(p[1].position, 0);
	assert_int_equal(find_code(c, IN_INNER, true, p), 2);
	assert_int_equal(p[0].shared, (u64)&inner);
	assert_int_equal(find_code(c, 35, true, p), 1);
	assert_int_equal(p[0].shared, (u64)&shared);
	assert_int_equal(p[0].position, 2);
	/* Nothing but the place in the source tells. */
	assert_int_equal(find_code(c, OUTSIDE, false, p), 1);
	assert_int_equal(p[0].position, 2);
	assert_int_equal(find_code(c, 48, true, p), 0); /* behind its end */
	v8_codes__free(c);
}

/* Other code is there by now; of another function; of the same one in two places; of a kind that says nothing. */
static void other_code(void **state)
{
	struct v8_codes *c = v8_codes__new();
	struct v8_place p[V8_PLACES];

	set_code();
	assert_int_equal(find_code(c, CALL, false, p), 2);
	data[0].words[2 + 5] = NUMBER(78);
	data[0].words[2 + 6] = TAGGED(&inner);
	assert_int_equal(find_code(c, CALL, false, p), 0);
	set_code();
	describing.words[6] = 11;
	assert_int_equal(find_code(c, IN_INNER, true, p), 0);
	v8_codes__free(c);
	c = v8_codes__new();
	set_code();
	describing.words[5] += 64; /* it describes something else */
	assert_int_equal(find_code(c, CALL, false, p), 0);
	v8_codes__free(c);
}

/* Where places are of calls alone, those say nothing of what lies between. */
static void places_of_calls(void **state)
{
	static const u64 places[] = {PLACE(0, 1), PLACE(1, 31), PLACE(0, 2)};
	struct v8_codes *c = v8_codes__new();
	struct v8_place p[V8_PLACES];

	set_code();
	set_positions(&bytes[1], places, ARRAY_SIZE(places));
	assert_int_equal(find_code(c, IN_INNER, true, p), 0);
	assert_int_equal(find_code(c, OUTSIDE, false, p), 0);
	assert_int_equal(find_code(c, CALL, false, p), 2);
	v8_codes__free(c);
}

static void hostile_code(void **state)
{
	struct v8_place p[V8_PLACES];
	u64 seed = 11;

	for (u32 round = 0; round < 3000; round++) {
		struct object *const all[] = {&describing, &data[0], &literals, &bytes[0], &bytes[1], &bytes[2]};
		struct v8_codes *c = v8_codes__new();
		struct object *o;

		set_code();
		for (u32 i = 0; i < 3; i++) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			o = all[(seed >> 33) % ARRAY_SIZE(all)];
			o->words[(seed >> 40) % 16] = seed & 64 ? TAGGED(all[(seed >> 45) % ARRAY_SIZE(all)])
								: seed >> (seed >> 58);
		}
		for (u32 at = 0; at < 48; at += 3)
			assert_in_range(find_code(c, at, at & 1, p), 0, V8_PLACES);
		v8_codes__free(c);
	}
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
		cmocka_unit_test(translations),
		cmocka_unit_test(hostile_translations),
		cmocka_unit_test_setup_teardown(inlined_functions, set_up, tear_down),
		cmocka_unit_test_setup_teardown(other_code, set_up, tear_down),
		cmocka_unit_test_setup_teardown(places_of_calls, set_up, tear_down),
		cmocka_unit_test_setup_teardown(hostile_code, set_up, tear_down),
		cmocka_unit_test_setup_teardown(stacks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(hostile, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
