// SPDX-License-Identifier: GPL-2.0-only
/*
 * HotSpot from outside: its description of itself, methods, compiled code with what is inlined in
 * it, and names in stacks; all made up in this process's own memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/status.h"
#include "symbols/bytes.h"
#include "symbols/hotspot.h"
#include "symbols/scripts.h"
#include "symbols/symbols.h"

/* --- methods --- */

struct made_up_symbol {
	u32 hash;
	u16 length;
	char body[58];
};

struct made_up_klass {
	u64 vtable, name, pool;
};

struct made_up_pool {
	u64 vtable, tags, holder;
	u16 source, pad[3];
	u64 entries[4];
};

struct made_up_constant {
	u64 fingerprint, pool;
	u32 size, flags;
	u16 code_size, name, signature, id;
	u8 code[24]; /* behind 32 bytes */
	u8 lines[64];
};

struct made_up_method {
	u64 vtable, constant;
};

/* What a class with one method consists of. */
struct made_up {
	struct made_up_symbol class, name, source;
	struct made_up_klass klass;
	struct made_up_pool pool;
	struct made_up_constant constant;
	struct made_up_method method;
	u8 tags[12];
} __attribute__((aligned(16)));

#define SEGMENT	 64
#define SEGMENTS 64

static struct made_up outer, inner;
static struct {
	_Alignas(64) u8 memory[SEGMENT * SEGMENTS];
	u8 map[SEGMENTS];
} heap;

/* A block: header 16, then the blob. */
struct made_up_nmethod {
	u64 length, used;
	u64 name, method, code;
	u32 size, frame, complete, id;
	u64 scopes;
	u32 pcs, pcs_end, metadata, pad;
	u64 methods[2];
	u8 scopes_data[32];
	s32 pc[5][4];
	u8 text[256];
};

static struct hotspot hotspot;
static const struct process_memory memory = {process_memory__read, NULL};
static const char nmethod_name[16] = "nmethod";

static struct process_memory own(void)
{
	struct process_memory m = memory;

	m.ctx = (void *)(intptr_t)getpid();
	return m;
}

static void set_symbol(struct made_up_symbol *s, const char *text)
{
	memset(s, 0, sizeof(*s));
	s->length = (u16)strlen(text);
	memcpy(s->body, text, strlen(text));
}

/* Its second bytecode is of the line behind the first one's. */
static void make(struct made_up *m, const char *class, const char *name, u8 line)
{
	memset(m, 0, sizeof(*m));
	set_symbol(&m->class, class);
	set_symbol(&m->name, name);
	set_symbol(&m->source, "App.java");
	m->klass = (struct made_up_klass){.name = (u64)&m->class, .pool = (u64)&m->pool};
	m->pool =
		(struct made_up_pool){.tags = (u64)m->tags, .holder = (u64)&m->klass, .source = 2};
	m->pool.entries[1] = (u64)&m->name;
	m->pool.entries[2] = (u64)&m->source;
	m->tags[4 + 1] = m->tags[4 + 2] = 1;
	m->constant = (struct made_up_constant){
		.pool = (u64)&m->pool, .flags = 1, .code_size = 8, .name = 1};
	/* 0, line; 1, line + 1; 5, line + 3 */
	memcpy(m->constant.code + 8, (u8[]){0xff, 0, (u8)(2 * line), 1 << 3 | 1, 4 << 3 | 2, 0}, 6);
	m->method.constant = (u64)&m->constant;
}

static int begin(void **state)
{
	make(&outer, "com/shop/App", "serve", 40);
	make(&inner, "com/shop/App$Cart", "add", 50);
	hotspot = (struct hotspot){
		.rt = {.low = (u64)heap.memory,
		       .high = (u64)heap.memory + sizeof(heap.memory),
		       .heaps = {{(u64)heap.memory, (u64)heap.memory + sizeof(heap.memory),
				  (u64)heap.map}},
		       .nheaps = 1,
		       .segment_shift = 6,
		       .block_bytes = 56,
		       .block_used = 8,
		       .blob = 16,
		       .blob_name = 16,
		       .nmethod_method = 24,
		       .blob_code = 32,
		       .blob_size = 40,
		       .blob_frame = 44,
		       .blob_complete = 48,
		       .nmethod_id = 52,
		       .method_const = 8,
		       .const_bytes = 32,
		       .const_constants = 8,
		       .const_names = 24,
		       .const_code_size = 24},
		.version = 17,
		.pc_desc_size = 16,
		.scopes_data = 40,
		.scopes_pcs = 48,
		.scopes_pcs_end = 52,
		.metadata = 56,
		.const_flags = 20,
		.has_lines = 1,
		.const_name = 26,
		.pool_tags = 8,
		.pool_holder = 16,
		.pool_size = 32,
		.pool_source = 24,
		.klass_name = 8,
		.klass_pool = 16,
		.symbol_length = 4,
		.symbol_body = 6,
		.tags_data = 4,
	};
	memset(&heap, 0, sizeof(heap));
	memset(heap.map, HOTSPOT_FREE, sizeof(heap.map));
	return 0;
}

static int read_method(struct hotspot_method *r)
{
	const struct process_memory m = own();

	return hotspot_method__read(&hotspot, &m, (u64)&outer.method, r);
}

static void test_method(void **state)
{
	const struct process_memory m = own();
	struct hotspot_method r;

	assert_int_equal(read_method(&r), 0);
	assert_string_equal(r.name, "com.shop.App.serve");
	assert_string_equal(r.file, "com/shop/App.java");
	assert_int_equal(r.first_line, 40);
	assert_int_equal(r.last_line, 43);
	assert_int_equal(hotspot_lines__find(17, r.lines, r.nlines, 0), 40);
	assert_int_equal(hotspot_lines__find(17, r.lines, r.nlines, 4), 41);
	assert_int_equal(hotspot_lines__find(17, r.lines, r.nlines, 7), 43);
	assert_int_equal(r.print, hotspot_method__print(&hotspot, &m, (u64)&outer.method));
	free(r.lines);
}

/* Without a file of its own the class's outermost one tells; addresses are no part of a name. */
static void test_made_class(void **state)
{
	struct hotspot_method r;

	set_symbol(&outer.class, "com/shop/App$$Lambda$14+0x0000000800c03000");
	outer.pool.source = 0;
	assert_int_equal(read_method(&r), 0);
	assert_string_equal(r.name, "com.shop.App$$Lambda$14.serve");
	assert_string_equal(r.file, "com/shop/App.java");
	free(r.lines);
}

/* What is not what it should be has no name. */
static void test_no_method(void **state)
{
	struct hotspot_method r;

	outer.tags[4 + 1] = 7;
	assert_int_equal(read_method(&r), -ESTALE);
	make(&outer, "com/shop/App", "serve", 40);
	outer.klass.pool = (u64)&inner.pool;
	assert_int_equal(read_method(&r), -ESTALE);
	make(&outer, "com/shop/App", "ser\033[2Jve", 40);
	assert_int_equal(read_method(&r), -ESTALE);
	make(&outer, "com/shop/App", "serve", 40);
	outer.method.constant = 8;
	assert_int_equal(read_method(&r), -ESTALE);
	outer.method.constant = 0;
	assert_int_equal(read_method(&r), -ESTALE);
}

/* A table of lines without an end ends. */
static void test_lines_without_end(void **state)
{
	const u8 broken[] = {0xff, 0xc1};
	struct hotspot_method r;

	memset(outer.constant.code + 8, 0x09, sizeof(outer.constant.lines));
	assert_int_equal(read_method(&r), 0);
	free(r.lines);
	assert_int_equal(hotspot_lines__find(17, broken, sizeof(broken), 1), 0);
}

static void test_numbers(void **state)
{
	const struct {
		u32 version, value;
		u8 bytes[3];
		u8 n;
	} rows[] = {
		{17, 0, {0}, 1},	{17, 191, {191}, 1},
		{17, 192, {192, 0}, 2}, {17, 12480, {192, 192, 0}, 3},
		{21, 0, {1}, 1},	{21, 190, {191}, 1},
		{21, 191, {192, 1}, 2},
	};
	struct bytes b;
	u32 value;

	for (u32 i = 0; i < ARRAY_SIZE(rows); i++) {
		b = (struct bytes){rows[i].bytes, rows[i].n};
		assert_true(hotspot__number(rows[i].version, &b, &value));
		assert_int_equal(value, rows[i].value);
		assert_int_equal(b.n, 0);
	}
	b = (struct bytes){(const u8 *)"\0", 1};
	assert_false(hotspot__number(21, &b, &value));
	b = (struct bytes){(const u8 *)"\xff", 1};
	assert_false(hotspot__number(17, &b, &value));
}

/* --- compiled code --- */

/* outer, into which inner is inlined at its bytecode 5: that is what is known at pc 32; at 16 outer
 * alone. */
static struct made_up_nmethod *compile(u32 segment, u32 id)
{
	struct made_up_nmethod *n = (void *)(heap.memory + segment * SEGMENT);
	u64 blob = (u64)n + 16;
	const s32 pcs[5][4] = {{-1, 0}, {16, 1}, {32, 4}, {48, 1}, {1000, 0}};

	memset(n, 0, sizeof(*n));
	n->used = 1;
	n->name = (u64)nmethod_name;
	n->method = (u64)&outer.method;
	n->code = (u64)n->text;
	n->size = sizeof(*n) - 16;
	n->id = id;
	n->scopes = (u64)n->scopes_data;
	n->pcs = (u32)((u64)n->pc - blob);
	n->pcs_end = n->pcs + sizeof(pcs);
	n->metadata = (u32)((u64)n->methods - blob);
	n->methods[0] = (u64)&outer.method;
	n->methods[1] = (u64)&inner.method;
	memcpy(n->scopes_data + 1, (u8[]){0, 1, 6, 1, 2, 2}, 6); /* caller, method, bytecode + 1 */
	memcpy(n->pc, pcs, sizeof(pcs));
	for (u32 i = 0; i < (sizeof(*n) + SEGMENT - 1) / SEGMENT; i++)
		heap.map[segment + i] = (u8)i;
	return n;
}

static u64 word_at(const struct made_up_nmethod *n, u32 pc, bool exact)
{
	u64 ip = (u64)n->text + pc,
	    unit = HOTSPOT_COMPILED | (ip & 7) | (exact ? HOTSPOT_EXACT : 0);

	return SCRIPT_FRAME | unit << SCRIPT_CODE_BITS | ip >> 3;
}

static int frame_at(const struct made_up_nmethod *n, u32 pc, bool exact, struct hotspot_frame *f)
{
	const struct process_memory m = own();

	return hotspot_frame__read(&hotspot, &m, NULL, word_at(n, pc, exact), f);
}

static void test_inlined(void **state)
{
	struct made_up_nmethod *n = compile(3, 7);
	struct hotspot_frame f;

	assert_int_equal(frame_at(n, 32, false, &f), 0);
	assert_int_equal(f.n, 2);
	assert_int_equal(f.scopes[0].method, (u64)&inner.method);
	assert_int_equal(f.scopes[0].bci, 1);
	assert_int_equal(f.scopes[1].method, (u64)&outer.method);
	assert_int_equal(f.scopes[1].bci, 5);
	assert_int_equal(f.print, hotspot_code_sum((u64)n + 16, (u64)&outer.method, 7));
}

/* Between two places only what both say is sure; a call that is not described is the method's. */
static void test_between(void **state)
{
	struct made_up_nmethod *n = compile(3, 7);
	struct hotspot_frame f;

	for (u32 pc = 20; pc < 48; pc += 20) {
		assert_int_equal(frame_at(n, pc, true, &f), 0);
		assert_int_equal(f.n, 1);
		assert_int_equal(f.scopes[0].method, (u64)&outer.method);
	}
	assert_int_equal(frame_at(n, 33, false, &f), 0);
	assert_int_equal(f.n, 1);
	assert_true(f.scopes[0].bci > HOTSPOT_BCI_MAX);
}

/* Scopes that lead in a circle, or to another method, are none; free code has no frame. */
static void test_broken_code(void **state)
{
	struct made_up_nmethod *n = compile(3, 7);
	struct hotspot_frame f;

	n->scopes_data[4] = 4;
	assert_int_equal(frame_at(n, 32, false, &f), 0);
	assert_int_equal(f.n, 1);
	n = compile(3, 7);
	n->methods[0] = (u64)&inner.method;
	assert_int_equal(frame_at(n, 32, false, &f), 0);
	assert_int_equal(f.n, 1);
	assert_true(f.scopes[0].bci > HOTSPOT_BCI_MAX);
	n->used = 0;
	assert_int_equal(frame_at(n, 32, false, &f), -ESTALE);
	memset(heap.map, HOTSPOT_FREE, sizeof(heap.map));
	assert_int_equal(frame_at(n, 32, false, &f), -ESTALE);
	memset(heap.map, 0xfe, sizeof(heap.map));
	assert_int_equal(frame_at(n, 32, false, &f), -ESTALE);
	memset(heap.map, 1, sizeof(heap.map)); /* without a beginning */
	assert_int_equal(frame_at(n, 32, false, &f), -ESTALE);
}

/* --- names in stacks --- */

static struct symbols *symbols;
static struct scripts *scripts;

static void define(u64 word, u64 sum, u64 *ips, struct stack_def *d)
{
	ips[0] = 0x401000;
	ips[1] = word;
	ips[2] = SCRIPT_CHECK | script_sum(0, sum) >> 2;
	*d = (struct stack_def){
		.head.type = SAMPLE_STACK_DEF, .nuser = 3, .tgid = (u32)getpid(), .ips = ips};
}

static const char *name_of(const struct stack_def *d, u32 i, u32 *line)
{
	u32 loc = (u32)d->ips[i];

	*line = (u32)symbols__offset_of(symbols, loc);
	return symbols__func(symbols, symbols__func_of(symbols, loc))->name;
}

static void test_stack(void **state)
{
	struct made_up_nmethod *n = compile(3, 7);
	u64 ips[3], room[8], named, gone;
	struct stack_def d, out;
	struct status st;
	u32 line;

	symbols = symbols__new(&st);
	scripts = scripts__new(symbols);
	scripts__attach(scripts, (u32)getpid(),
			&(struct process_runtime){.kind = SCRIPT_HOTSPOT, .hotspot = hotspot});
	define(word_at(n, 32, false), hotspot_code_sum((u64)n + 16, (u64)&outer.method, 7), ips,
	       &d);
	scripts__name(scripts, &d, room, 8, &out);
	assert_int_equal(out.nuser, 3);
	assert_int_equal(out.ips[0], 0x401000);
	assert_string_equal(name_of(&out, 1, &line), "com.shop.App$Cart.add");
	assert_int_equal(line, 51);
	assert_string_equal(name_of(&out, 2, &line), "com.shop.App.serve");
	assert_int_equal(line, 43);
	/* Where there is no room for all it is cut. */
	scripts__name(scripts, &d, room, 2, &out);
	assert_int_equal(out.nuser, 2);
	assert_true(out.cut);
	/* Another method's code is in its place: what the old stack was is not known. */
	n = compile(3, 8);
	define(word_at(n, 32, false), hotspot_code_sum((u64)n + 16, (u64)&inner.method, 8), ips,
	       &d);
	scripts__name(scripts, &d, room, 8, &out);
	assert_string_equal(name_of(&out, 1, &line), "[java function]");
	scripts__stats(scripts, &named, &gone);
	assert_int_equal(gone, 1);
	/* An interpreted one. */
	define(SCRIPT_FRAME | 5ULL << SCRIPT_CODE_BITS | (u64)&inner.method >> 3,
	       hotspot_method_sum((u64)&inner.constant, (u64)&inner.pool,
				  (u64)inner.constant.code_size | (u64)inner.constant.name << 16),
	       ips, &d);
	scripts__name(scripts, &d, room, 8, &out);
	assert_string_equal(name_of(&out, 1, &line), "com.shop.App$Cart.add");
	assert_int_equal(line, 53);
	scripts__free(scripts);
	symbols__free(symbols);
}

/* --- its description --- */

static u64 table[3][32];
static struct hotspot_file file;

static void describe(struct hotspot_table *t, u64 *at, u64 entries)
{
	at[0] = entries;
	at[1] = 56;
	at[2] = 0;
	at[3] = 8;
	at[4] = 24;
	at[5] = 32;
	at[6] = 40;
	*t = (struct hotspot_table){(u64)&at[0], (u64)&at[1], (u64)&at[2], (u64)&at[3],
				    (u64)&at[4], (u64)&at[5], (u64)&at[6], 0};
}

/* Nothing yet; then no end; then entries of no size, and such as lead nowhere. */
static void test_hostile_description(void **state)
{
	static u64 entries[56 * 2];
	const struct process_memory m = own();
	const char *why = NULL;
	struct hotspot h;

	for (u32 i = 0; i < 3; i++)
		describe((struct hotspot_table *)&file + i, table[i], 0);
	assert_int_equal(hotspot__attach(&file, 0, &m, &h, &why), -EAGAIN);
	table[0][0] = (u64)entries;
	entries[0] = entries[1] = (u64)nmethod_name;
	assert_int_equal(hotspot__attach(&file, 0, &m, &h, &why), -EAGAIN); /* of the next table */
	table[1][0] = table[2][0] = (u64)entries;
	assert_int_equal(hotspot__attach(&file, 0, &m, &h, &why), -EOPNOTSUPP);
	assert_non_null(why);
	table[0][1] = 1 << 20;
	assert_int_equal(hotspot__attach(&file, 0, &m, &h, &why), -EINVAL);
	table[0][1] = 56;
	table[0][4] = 52;
	assert_int_equal(hotspot__attach(&file, 0, &m, &h, &why), -EINVAL);
	table[0][4] = 24;
	table[0][0] = 0x10;
	assert_int_equal(hotspot__attach(&file, 0, &m, &h, &why), -EFAULT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_method, begin),
		cmocka_unit_test_setup(test_made_class, begin),
		cmocka_unit_test_setup(test_no_method, begin),
		cmocka_unit_test_setup(test_lines_without_end, begin),
		cmocka_unit_test_setup(test_numbers, begin),
		cmocka_unit_test_setup(test_inlined, begin),
		cmocka_unit_test_setup(test_between, begin),
		cmocka_unit_test_setup(test_broken_code, begin),
		cmocka_unit_test_setup(test_stack, begin),
		cmocka_unit_test_setup(test_hostile_description, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
