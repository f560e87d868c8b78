// SPDX-License-Identifier: GPL-2.0-only
/* Static probes: notes that are right, notes that are anything, arguments of both machines. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "questions/usdt.h"

/* --- notes --- */

struct builder {
	u8 bytes[4096];
	size_t n;
};

static void add(struct builder *m, const void *data, size_t size)
{
	memcpy(m->bytes + m->n, data, size);
	m->n += size;
}

static void align(struct builder *m)
{
	while (m->n & 3)
		m->bytes[m->n++] = 0;
}

static void add_note(struct builder *m, u32 type, const char *owner, const char *provider,
		     const char *name, const char *args)
{
	u64 words[3] = {0x1000, 0x2000, 0x3000};
	u32 header[3] = {(u32)strlen(owner) + 1,
			 (u32)(sizeof(words) + strlen(provider) + strlen(name) + strlen(args) + 3),
			 type};

	add(m, header, sizeof(header));
	add(m, owner, header[0]);
	align(m);
	add(m, words, sizeof(words));
	add(m, provider, strlen(provider) + 1);
	add(m, name, strlen(name) + 1);
	add(m, args, strlen(args) + 1);
	align(m);
}

struct seen {
	u32 n;
	const u8 *from, *to;
	char last[64];
};

static void see(void *ctx, const struct usdt_note *note)
{
	struct seen *s = ctx;
	const char *texts[] = {note->provider, note->name, note->arguments};

	for (u32 i = 0; i < 3; i++) {
		const u8 *at = (const u8 *)texts[i];

		assert_true(at >= s->from && at + strlen(texts[i]) < s->to);
	}
	s->n++;
	copy_str(s->last, sizeof(s->last), note->name);
}

/* From memory of exactly that size, so that what reads beyond it is found. */
static u32 walk(const u8 *bytes, size_t n, struct seen *s)
{
	u8 *copy = malloc(n ? n : 1);
	u32 found;

	memcpy(copy, bytes, n);
	*s = (struct seen){.from = copy, .to = copy + n};
	found = usdt_notes__each(copy, n, see, s);
	assert_int_equal(found, s->n);
	free(copy);
	return found;
}

static void test_notes(void **state)
{
	struct builder m = {0};
	struct seen s;

	add_note(&m, 3, "stapsdt", "prov", "one", "");
	add_note(&m, 1, "stapsdt", "prov", "other_type", "");
	add_note(&m, 3, "strange", "prov", "other_owner", "");
	add_note(&m, 3, "stapsdt", "prov", "two", "8@%rax");
	assert_int_equal(walk(m.bytes, m.n, &s), 2);
	assert_string_equal(s.last, "two");
	assert_int_equal(walk(m.bytes, 0, &s), 0);
}

static void test_cut_short(void **state)
{
	struct builder m = {0};
	struct seen s;

	add_note(&m, 3, "stapsdt", "prov", "one", "8@%rax 4@$3");
	for (size_t n = 0; n < m.n - 3; n++)
		assert_true(walk(m.bytes, n, &s) <= 1);
	add_note(&m, 3, "stapsdt", "", "no_provider", "");
	assert_int_equal(walk(m.bytes, m.n, &s), 1);
}

static void test_hostile(void **state)
{
	struct builder m = {0};
	struct seen s;

	for (u32 i = 0; i < 12; i++)
		add_note(&m, 3, "stapsdt", "provider", "name", "8@%rax -4@-20(%rbp)");
	srand(1);
	for (u32 i = 0; i < 100000; i++) {
		struct builder broken = m;

		for (u32 k = 0; k < 4; k++)
			broken.bytes[(u32)rand() % m.n] =
				(u8)(k & 1 ? rand() : rand() & 1 ? 0xff : 0);
		walk(broken.bytes, m.n - (u32)rand() % 16, &s);
	}
}

/* --- arguments --- */

static const struct usdt_probe *probe(const char *arguments, u16 machine)
{
	static struct usdt_probe p;

	usdt_probe__init(&p, "a:b", arguments, machine);
	return &p;
}

static struct field field(const struct usdt_probe *p, const char *name)
{
	struct field f;

	assert_int_equal(p->resolver.field(&p->resolver, name, &f), 0);
	return f;
}

static void expect_register(struct field f, u32 offset, u32 size, bool is_signed)
{
	assert_false(f.unreadable);
	assert_int_equal(f.at, FIELD_IN_CONTEXT);
	assert_int_equal(f.offset, offset);
	assert_int_equal(f.type.size, size);
	assert_int_equal(f.type.is_signed, is_signed);
}

static void test_x86(void **state)
{
	const struct usdt_probe *p =
		probe("8@%rdi -4@%eax 1@%r9b 4@$-7 8@-24(%rbp) -2@16(%rax,%rcx,4) 8@(%rsp)", EM_X86_64);
	struct field f;

	assert_int_equal(p->nargs, 7);
	expect_register(field(p, "arg1"), 112, 8, false);
	expect_register(field(p, "arg2"), 80, 4, true);
	expect_register(field(p, "arg3"), 64, 1, false);
	f = field(p, "arg4");
	assert_int_equal(f.at, FIELD_NUMBER);
	assert_int_equal(f.number, -7);
	f = field(p, "arg5");
	assert_int_equal(f.at, FIELD_AT_ADDRESS);
	assert_int_equal(f.offset, 32);
	assert_int_equal(f.number, -24);
	assert_int_equal(f.scale, 0);
	f = field(p, "arg6");
	assert_int_equal(f.offset, 80);
	assert_int_equal(f.index, 88);
	assert_int_equal(f.scale, 4);
	assert_true(f.type.is_signed);
	f = field(p, "arg7");
	assert_int_equal(f.offset, 152);
	assert_int_equal(f.number, 0);
	assert_int_equal(p->resolver.field(&p->resolver, "arg8", &f), -ENOENT);
	assert_int_equal(p->resolver.field(&p->resolver, "arg0", &f), -ENOENT);
}

static void test_aarch64(void **state)
{
	const struct usdt_probe *p =
		probe("8@x0 -4@w19 4@5 8@[sp, 16] 8@[x29, -8] 8@[x1, x2, lsl 3] -8@[x20]", EM_AARCH64);
	struct field f;

	assert_int_equal(p->nargs, 7);
	expect_register(field(p, "arg1"), 0, 8, false);
	expect_register(field(p, "arg2"), 19 * 8, 4, true);
	assert_int_equal(field(p, "arg3").number, 5);
	f = field(p, "arg4");
	assert_int_equal(f.at, FIELD_AT_ADDRESS);
	assert_int_equal(f.offset, 31 * 8);
	assert_int_equal(f.number, 16);
	assert_int_equal(field(p, "arg5").number, -8);
	f = field(p, "arg6");
	assert_int_equal(f.index, 16);
	assert_int_equal(f.scale, 8);
	assert_int_equal(field(p, "arg7").offset, 160);
}

/* What cannot be had is refused, and does not move the others. */
static void test_unreadable(void **state)
{
	static const char *const wrong[] = {"8f@%xmm0", "8@counter(%rip)", "8@%nothing", "3@%rax", "8@",
					    "@", "8@(", "8@16(%rax", "8@16(%rax,%rcx,3)", "8@$",
					    "-9223372036854775808@%rax", "8@(%rax)x", "99999999999999999999@%rax"};
	char text[128];

	for (u32 i = 0; i < ARRAY_SIZE(wrong); i++) {
		const struct usdt_probe *p;

		snprintf(text, sizeof(text), "8@%%rdi %s 4@$3", wrong[i]);
		p = probe(text, EM_X86_64);
		assert_true(field(p, "arg2").unreadable);
		assert_int_equal(field(p, p->nargs == 3 ? "arg3" : "arg1").at,
				 p->nargs == 3 ? FIELD_NUMBER : FIELD_IN_CONTEXT);
	}
	assert_true(field(probe("8@%rax", EM_ARM), "arg1").unreadable);
}

static void test_anything(void **state)
{
	static const char letters[] = "-0123456789@%$()[],rxwaspdif #l";
	char text[64];

	srand(2);
	for (u32 i = 0; i < 100000; i++) {
		u32 n = (u32)rand() % (sizeof(text) - 1);

		for (u32 k = 0; k < n; k++)
			text[k] = letters[(u32)rand() % (sizeof(letters) - 1)];
		text[n] = '\0';
		probe(text, i & 1 ? EM_X86_64 : EM_AARCH64);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_notes),	    cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_hostile),	    cmocka_unit_test(test_x86),
		cmocka_unit_test(test_aarch64),	    cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_anything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
