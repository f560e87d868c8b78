// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code of questions put into a compiled program before libbpf loads it: strings, globs, entry(),
 * reads of memory that is not there, and what the interpreter makes of the same. Needs root and
 * BPF.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "questions/check.h"
#include "tests/lib/question_event.h"
#include "tests/lib/skip.h"
#include "tests/live/question_splice.skel.h"

static struct arena arena;
static const struct eval_code *to_splice;

/* --- loading --- */

static int put_code(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long cookie)
{
	size_t n = bpf_program__insn_cnt(prog);
	struct bpf_insn *insns = xcalloc(n, sizeof(*insns));
	int err;

	memcpy(insns, bpf_program__insns(prog), n * sizeof(*insns));
	err = to_splice ? eval__splice(to_splice, insns, (u32)n) : 0;
	if (!err)
		err = bpf_program__set_insns(prog, insns, n);
	free(insns);
	return err;
}

static struct question_splice_bpf *load(const struct eval_code *code)
{
	struct question_splice_bpf *skel = question_splice_bpf__open();

	assert_non_null(skel);
	to_splice = code;
	assert_int_equal(question_splice_bpf__load(skel), 0);
	for (u32 i = 0; code && i < code->nglobs; i++)
		assert_int_equal(bpf_map__update_elem(skel->maps.question_globs, &i, 4,
						      &code->globs[i], sizeof(code->globs[i]), 0),
				 0);
	return skel;
}

static int run_program(const struct question_splice_bpf *skel, const struct record *context)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = context, .ctx_size_in = TEST_CONTEXT);

	assert_int_equal(bpf_prog_test_run_opts(bpf_program__fd(skel->progs.ask), &opts), 0);
	return (int)opts.retval;
}

static struct question_frame *frame_of(const struct question_splice_bpf *skel)
{
	void *p = mmap(NULL, sizeof(struct question_frame), PROT_READ | PROT_WRITE, MAP_SHARED,
		       bpf_map__fd(skel->maps.frames), 0);

	assert_true(p != MAP_FAILED);
	return p;
}

static const struct checked *check(const char *text, enum check_want want,
				   struct entry_list *entries)
{
	const struct check_scope scope = {.fields = &test_fields,
					  .begin = &test_fields,
					  .entries = entries,
					  .kernel = &test_types,
					  .words = (1u << QUESTION_WORDS) - 1};
	struct expr_error err;
	const struct expr *e = expr__parse(text, &arena, &err);
	const struct checked *c = e ? expr__check(e, &scope, want, &arena, &err) : NULL;

	if (!c)
		fail_msg("%s: column %u: %s", text, err.column, err.msg);
	return c;
}

/* --- running both --- */

struct both {
	struct eval_unit unit;
	struct eval_code code;
	struct entry_list entries;
	struct question_splice_bpf *skel;
	struct question_frame *kernel, own;
};

static void both__open(struct both *b)
{
	char why[128];

	if (eval__generate(&b->unit, &b->code, why, sizeof(why)))
		fail_msg("%s", why);
	b->skel = load(&b->code);
	b->kernel = frame_of(b->skel);
}

static void both__close(struct both *b)
{
	munmap(b->kernel, sizeof(*b->kernel));
	question_splice_bpf__destroy(b->skel);
	eval_code__fini(&b->code);
}

/* What goes out is the same; returns whether the event passed. b->own has the inputs. */
static bool both__run(struct both *b, const struct record *context)
{
	const struct interpret_event event = {context, TEST_CONTEXT, &test_memory};
	bool passed;

	memset(b->own.texts, 'x', sizeof(b->own.texts)); /* of the last event */
	b->own.faults = 0;
	*b->kernel = b->own;
	passed = interpret__run(&b->unit, &event, &b->own);
	assert_int_equal(run_program(b->skel, context), passed);
	if (!passed)
		return false;
	assert_memory_equal(b->kernel->keys, b->own.keys, b->unit.nkeys * 8);
	assert_memory_equal(b->kernel->values, b->own.values, b->unit.nvalues * 8);
	assert_int_equal(b->kernel->faults, b->own.faults);
	for (u32 i = 0; i < b->code.slots.used; i++)
		assert_memory_equal(&b->kernel->texts[i], &b->own.texts[i], QUESTION_TEXT);
	return true;
}

/* --- tests --- */

/* A program that got no code says no, and its BTF is taken as it is. */
static void test_empty(void **state)
{
	struct question_splice_bpf *skel;
	struct record context = {0};

	if (geteuid())
		skip_because("programs are loaded by root alone");
	skel = load(NULL);
	assert_int_equal(run_program(skel, &context), 0);
	question_splice_bpf__destroy(skel);
}

static void test_keys(void **state)
{
	struct both b = {.unit = {.condition = check("str == \"/etc/passwd\"", WANT_NUMBER, NULL)}};
	struct record context = {
		.a4 = -5, .str = (char *)"/etc/passwd", .name = "0123456789abcdef"};

	if (geteuid())
		skip_because("programs are loaded by root alone");
	b.unit.keys[b.unit.nkeys++] = check("name", WANT_KEY, NULL);
	b.unit.keys[b.unit.nkeys++] = check("a4", WANT_KEY, NULL);
	b.unit.keys[b.unit.nkeys++] = check("str", WANT_KEY, NULL);
	b.unit.keys[b.unit.nkeys++] = check("comm", WANT_KEY, NULL);
	b.unit.keys[b.unit.nkeys++] = check("ustack", WANT_KEY, NULL);
	b.unit.values[b.unit.nvalues++] = check("name", WANT_KEY, NULL);
	both__open(&b);
	strcpy(b.own.comm, "bash");
	b.own.words[WORD_USTACK] = 0xfeed;
	assert_true(both__run(&b, &context));
	assert_string_equal(b.kernel->texts[b.code.slots.key[0]].s, "0123456789abcdef");
	assert_int_equal((s64)b.kernel->keys[1], -5);
	assert_string_equal(b.kernel->texts[b.code.slots.key[2]].s, "/etc/passwd");
	assert_string_equal(b.kernel->texts[b.code.slots.key[3]].s, "bash");
	assert_int_equal(b.kernel->keys[4], 0xfeed);
	assert_true(b.code.key_stack[4] && !b.code.key_stack[1]);
	assert_int_equal(b.code.slots.value[0], b.code.slots.key[0]);
	assert_int_equal(b.code.words, 1u << WORD_COMM | 1u << WORD_USTACK);
	context.str = (char *)"/etc/passwd2";
	assert_false(both__run(&b, &context));
	both__close(&b);
}

/* Names end at their first NUL, wherever it is, and what is behind it counts for nothing. */
static void test_arrays(void **state)
{
	struct both b = {.unit = {.nkeys = 0}};
	struct record context;

	if (geteuid())
		skip_because("programs are loaded by root alone");
	b.unit.keys[b.unit.nkeys++] = check("name", WANT_KEY, NULL);
	b.unit.values[b.unit.nvalues++] = check("name == \"xxxxx\"", WANT_NUMBER, NULL);
	both__open(&b);
	for (u32 seed = 0; seed < 17 * 17; seed++) {
		memset(&context, 0xff, sizeof(context));
		memset(context.name,
		       seed % 3 == 2 ? 0x80
		       : seed % 3    ? 'x'
				     : 1,
		       sizeof(context.name));
		for (u32 i = 0; i < 2; i++) {
			u32 nul = i ? seed % 17 : seed / 17;

			if (nul < sizeof(context.name))
				context.name[nul] = '\0';
		}
		assert_true(both__run(&b, &context));
		assert_int_equal(strlen(b.kernel->texts[0].s), MIN(seed % 17, seed / 17));
	}
	both__close(&b);
}

/* Reads of what is not there are 0 and "", and counted. */
static void test_faults(void **state)
{
	struct both b = {.unit = {.nkeys = 0}};
	struct record context = {.a4 = 1};

	if (geteuid())
		skip_because("programs are loaded by root alone");
	b.unit.values[b.unit.nvalues++] = check("p->a4", WANT_NUMBER, NULL);
	b.unit.values[b.unit.nvalues++] = check("str", WANT_KEY, NULL);
	b.unit.values[b.unit.nvalues++] = check("p->p->a8 + 7", WANT_NUMBER, NULL);
	both__open(&b);
	assert_true(both__run(&b, &context));
	assert_int_equal(b.kernel->values[0], 0);
	assert_string_equal(b.kernel->texts[b.code.slots.value[1]].s, "");
	assert_int_equal(b.kernel->values[2], 7);
	assert_int_equal(b.kernel->faults, 4);
	both__close(&b);
}

static void test_entry(void **state)
{
	struct both b = {.unit = {.nkeys = 0}};
	struct record context = {.a4 = 3, .str = (char *)"now"};

	if (geteuid())
		skip_because("programs are loaded by root alone");
	b.unit.condition = check("entry(a4) < a4 && entry(str) != str", WANT_NUMBER, &b.entries);
	b.unit.keys[b.unit.nkeys++] = check("entry(str)", WANT_KEY, &b.entries);
	b.unit.values[b.unit.nvalues++] = check("latency - entry(b8)", WANT_NUMBER, &b.entries);
	assert_int_equal(b.entries.nnumbers, 2);
	assert_int_equal(b.entries.ntexts, 1);
	both__open(&b);
	assert_int_equal(b.code.entries, 3);
	assert_int_equal(b.code.entry_texts, 1);
	strcpy(b.own.entry_texts[0].s, "then");
	b.own.entry[0] = (u64)-2;
	b.own.entry[1] = 100;
	b.own.words[WORD_LATENCY] = 1000;
	assert_true(both__run(&b, &context));
	assert_string_equal(b.kernel->texts[0].s, "then");
	assert_int_equal(b.kernel->values[0], 900);
	context.a4 = -2;
	assert_false(both__run(&b, &context));
	both__close(&b);
}

/* Globs over all pairs of patterns and names, eight of them in a program at once. */
static void test_globs(void **state)
{
	static const char *const globs[] = {
		"*",	  "a*",	  "*a",	   "*a*",   "a*b",	   "a?c",	"[a-c]*", "[!a-c]*",
		"\\*",	  "a**b", "*.so*", "????",  "*[0-9]",	   "kworker/*", "",	  "abc",
		"*a*b*c", "[]a]", "[a-]",  "[^x]*", "/etc/*.conf", "a[b",	"*\\?*",  "[[]",
	};
	static const char *const names[] = {
		"",	  "a", "ab",	    "abc",	"aXb",	       "xa",
		"b",	  "*", "libc.so.6", "word",	"cpu7",	       "kworker/0:1",
		"aabbcc", "]", "-",	    "x",	"/etc/a.conf", "a[b",
		"what?",  "[", "cab",	    "\xff\xfe",
	};
	struct record context = {0};

	if (geteuid())
		skip_because("programs are loaded by root alone");
	for (u32 first = 0; first < ARRAY_SIZE(globs); first += QUESTION_GLOBS) {
		struct both b = {.unit = {.nkeys = 0}};
		char text[64];

		for (u32 i = 0; i < QUESTION_GLOBS && first + i < ARRAY_SIZE(globs); i++) {
			char escaped[32] = "";

			for (const char *p = globs[first + i]; *p; p++)
				sprintf(escaped + strlen(escaped), "%s%c", *p == '\\' ? "\\" : "",
					*p);
			snprintf(text, sizeof(text), "str ~ \"%s\"", escaped);
			b.unit.values[b.unit.nvalues++] = check(text, WANT_NUMBER, NULL);
		}
		both__open(&b);
		for (u32 n = 0; n < ARRAY_SIZE(names); n++) {
			context.str = (char *)names[n];
			assert_true(both__run(&b, &context));
			for (u32 i = 0; i < b.unit.nvalues; i++)
				if (b.kernel->values[i] != !fnmatch(globs[first + i], names[n], 0))
					fail_msg("%s ~ %s is %" PRIu64, names[n], globs[first + i],
						 b.kernel->values[i]);
		}
		both__close(&b);
	}
}

/* Strings within branches: what one branch has read is not there in the other. */
static void test_branches(void **state)
{
	static const char *const texts[] = {
		"a4 ? str == \"one\" : name == \"one\"",
		"(a4 && str == \"one\") || str == \"two\" || name ~ \"?wo\"",
		"a1 && str == name || str != name && comm == str",
		"!(str ~ \"*e\") ? 3 : name == comm",
		"name == \"x\" || b1 && name == \"one\"",
		"\"one\" == str",
		"(char *)p == \"one\" || (char *)(p + 0) == str",
		"name != \"0123456789abcdefg\"",
	};
	static const char *const names[] = {"one", "two", "", "x", "0123456789abcdef"};
	struct both b = {.unit = {.nvalues = ARRAY_SIZE(texts)}};
	struct record context = {0};

	if (geteuid())
		skip_because("programs are loaded by root alone");
	for (u32 i = 0; i < ARRAY_SIZE(texts); i++)
		b.unit.values[i] = check(texts[i], WANT_NUMBER, NULL);
	both__open(&b);
	for (u32 i = 0; i < 5 * 5 * 8; i++) {
		context.a4 = context.a1 = i & 1;
		context.b1 = i >> 1 & 1;
		context.str = (char *)names[i / 8 % 5];
		context.p = (struct record *)names[i / 8 % 5];
		strncpy(context.name, names[i / 40], sizeof(context.name));
		strcpy(b.own.comm, i & 4 ? "one" : "two");
		assert_true(both__run(&b, &context));
	}
	both__close(&b);
}

static int setup(void **state)
{
	LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .prog_prepare_load_fn = put_code);

	arena__init(&arena);
	return libbpf_register_prog_handler("question", BPF_PROG_TYPE_RAW_TRACEPOINT, 0, &opts) < 0;
}

static int teardown(void **state)
{
	arena__fini(&arena);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),	 cmocka_unit_test(test_keys),
		cmocka_unit_test(test_faults),	 cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_entry),	 cmocka_unit_test(test_globs),
		cmocka_unit_test(test_branches),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
