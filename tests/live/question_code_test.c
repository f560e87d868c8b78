// SPDX-License-Identifier: GPL-2.0-only
/*
 * Code of questions, in the kernel, against the interpreter of the same expressions and against C:
 * thousands of random expressions over events with odd numbers, each by gcc -fwrapv too, where what
 * C leaves undefined is written out. QUESTION_SEED=N repeats a run. Needs root and BPF.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "questions/check.h"
#include "tests/lib/question_event.h"
#include "tests/lib/question_load.h"
#include "tests/lib/scratch.h"
#include "tests/lib/skip.h"

#define EXPRESSIONS 4000
#define INPUTS	    25
#define DEPTH	    6
#define WORDS_HERE  ((1u << QUESTION_WORDS) - 1)

static u64 seed;
static struct arena arena;

/* --- random expressions --- */

static void add(char **at, char *end, const char *fmt, ...) PRINTF_LIKE(3, 4);
static void add(char **at, char *end, const char *fmt, ...)
{
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(*at, (size_t)(end - *at), fmt, args);
	va_end(args);
	assert_true(n >= 0 && n < end - *at);
	*at += n;
}

static void add_constant(char **at, char *end, u64 *state)
{
	static const char *const units[] = {"ns", "us", "ms", "K", "M"};
	static const char *const suffixes[] = {"", "", "u", "l", "ul"};
	u64 v = odd_number(state);

	if (!below(state, 5))
		add(at, end, "%u%s", below(state, 1000), units[below(state, ARRAY_SIZE(units))]);
	else
		add(at, end, below(state, 2) ? "%" PRIu64 "%s" : "0x%" PRIx64 "%s", v,
		    suffixes[below(state, ARRAY_SIZE(suffixes))]);
}

static void add_leaf(char **at, char *end, u64 *state)
{
	static const char *const words[] = {"pid", "cgroup", "prio", "ns", "latency", "nr_running"};
	const char *field = record_fields[below(state, RECORD_NUMBERS)].name;

	switch (below(state, 6)) {
	case 0:
	case 1:
		add(at, end, "%s", field);
		break;
	case 2:
		add(at, end, "p->%s", field);
		break;
	case 3:
		add(at, end, "%s", words[below(state, ARRAY_SIZE(words))]);
		break;
	default:
		add_constant(at, end, state);
	}
}

static void add_random(char **at, char *end, u64 *state, u32 depth)
{
	static const char *const ops[] = {"+",	"-",  "*",  "/", "%",  "&", "|",  "^",	"<<",
					  ">>", "==", "!=", "<", "<=", ">", ">=", "&&", "||"};
	static const char *const prefixes[] = {"!",	"~",	 "-",	  "+",
					       "(u8)",	"(s8)",	 "(u16)", "(s16)",
					       "(u32)", "(s32)", "(u64)", "(s64)"};

	if (!depth || !below(state, 6)) {
		add_leaf(at, end, state);
		return;
	}
	add(at, end, "(");
	if (!below(state, 4)) {
		add(at, end, "%s", prefixes[below(state, ARRAY_SIZE(prefixes))]);
		add_random(at, end, state, depth - 1);
	} else {
		bool choice = !below(state, 8);

		add_random(at, end, state, depth - 1);
		add(at, end, " %s ", choice ? "?" : ops[below(state, ARRAY_SIZE(ops))]);
		add_random(at, end, state, depth - 1);
		if (choice) {
			add(at, end, " : ");
			add_random(at, end, state, depth - 1);
		}
	}
	add(at, end, ")");
}

static const struct expr *parse(const char *text)
{
	struct expr_error err;
	const struct expr *e = expr__parse(text, &arena, &err);

	if (!e)
		fail_msg("%s: column %u: %s", text, err.column, err.msg);
	return e;
}

static const struct checked *checked(const struct expr *e, enum check_want want)
{
	const struct check_scope scope = {.fields = &test_fields, .words = WORDS_HERE};
	struct expr_error err;
	const struct checked *c = expr__check(e, &scope, want, &arena, &err);

	if (!c)
		fail_msg("column %u: %s", err.column, err.msg);
	return c;
}

/* --- the same in C --- */

#define C_HEAD                                                                                     \
	TEST_RECORD                                                                                \
	"#define SIGNED(x) ((__typeof__(x))-1 < 1)\n"                                              \
	"#define DIV(a, b) ({ __auto_type a_ = +(a); __auto_type b_ = +(b); "                      \
	"__typeof__(a_ + b_) x_ = a_, y_ = b_; y_ == 0 ? 0 * x_ : "                                \
	"SIGNED(x_) && y_ == (__typeof__(y_))-1 ? -x_ : x_ / y_; })\n"                             \
	"#define MOD(a, b) ({ __auto_type a_ = +(a); __auto_type b_ = +(b); "                      \
	"__typeof__(a_ + b_) x_ = a_, y_ = b_; y_ == 0 ? x_ : "                                    \
	"SIGNED(x_) && y_ == (__typeof__(y_))-1 ? 0 * x_ : x_ % y_; })\n"                          \
	"#define COUNT(x, n) ((n) & (sizeof(x) * 8 - 1))\n"                                        \
	"#define SHL(a, b) ({ __auto_type a_ = +(a); __auto_type b_ = +(b); a_ << COUNT(+a_, "     \
	"b_); })\n"                                                                                \
	"#define SHR(a, b) ({ __auto_type a_ = +(a); __auto_type b_ = +(b); a_ >> COUNT(+a_, "     \
	"b_); })\n"                                                                                \
	"typedef unsigned char u8; typedef signed char s8; typedef unsigned short u16; "           \
	"typedef short s16; typedef unsigned u32; typedef int s32; typedef unsigned long u64; "    \
	"typedef long s64;\n"                                                                      \
	"#define pid ((int)w[0])\n#define cgroup w[3]\n#define prio ((int)w[4])\n"                 \
	"#define ns w[6]\n#define latency w[7]\n#define nr_running ((unsigned)w[13])\n"

static void print_c(FILE *f, const struct expr *e);

static void print_number_c(FILE *f, const struct expr *e)
{
	fprintf(f, "((%s%s)%" PRIu64 "ul)", e->is_unsigned ? "unsigned " : "",
		e->size == 4 ? "int" : "long", e->number);
}

static void print_call_c(FILE *f, const char *name, const struct expr *e)
{
	fprintf(f, "%s(", name);
	print_c(f, e->a);
	fputs(", ", f);
	print_c(f, e->b);
	fputs(")", f);
}

static const char *operator_c(enum expr_op op)
{
	static const char *const names[EXPR_OPS] = {
		[EXPR_MUL] = "*",   [EXPR_ADD] = "+",	  [EXPR_SUB] = "-", [EXPR_LT] = "<",
		[EXPR_LE] = "<=",   [EXPR_GT] = ">",	  [EXPR_GE] = ">=", [EXPR_EQ] = "==",
		[EXPR_NE] = "!=",   [EXPR_AND] = "&",	  [EXPR_XOR] = "^", [EXPR_OR] = "|",
		[EXPR_BOTH] = "&&", [EXPR_EITHER] = "||", [EXPR_NOT] = "!", [EXPR_FLIP] = "~",
		[EXPR_NEG] = "-",   [EXPR_PLUS] = "+",
	};

	return names[op];
}

static void print_prefixed_c(FILE *f, const struct expr *e)
{
	if (e->op == EXPR_CAST)
		fprintf(f, "((%s)", e->text);
	else
		fprintf(f, "(%s ", operator_c(e->op));
	print_c(f, e->a);
	fputs(")", f);
}

static void print_binary_c(FILE *f, const struct expr *e)
{
	fputs("(", f);
	print_c(f, e->a);
	if (e->op == EXPR_IF) {
		fputs(" ? ", f);
		print_c(f, e->b);
		fputs(" : ", f);
		print_c(f, e->c);
	} else {
		fprintf(f, " %s ", operator_c(e->op));
		print_c(f, e->b);
	}
	fputs(")", f);
}

static bool is_event_field(const char *name)
{
	struct field f;

	return !record_field(name, &f);
}

static void print_c(FILE *f, const struct expr *e)
{
	switch (e->op) {
	case EXPR_NUMBER:
		print_number_c(f, e);
		break;
	case EXPR_NAME:
		fprintf(f, "%s%s", is_event_field(e->text) ? "c->" : "", e->text);
		break;
	case EXPR_MEMBER:
		fprintf(f, "c->%s->%s", e->a->text, e->text);
		break;
	case EXPR_DIV:
		print_call_c(f, "DIV", e);
		break;
	case EXPR_MOD:
		print_call_c(f, "MOD", e);
		break;
	case EXPR_SHL:
		print_call_c(f, "SHL", e);
		break;
	case EXPR_SHR:
		print_call_c(f, "SHR", e);
		break;
	case EXPR_CAST:
	case EXPR_NOT:
	case EXPR_FLIP:
	case EXPR_NEG:
	case EXPR_PLUS:
		print_prefixed_c(f, e);
		break;
	default:
		print_binary_c(f, e);
	}
}

typedef u64 (*c_fn)(const struct record *c, const u64 *w);

/* All of them in one file; the table of functions. */
static const c_fn *compile_c(const struct expr *const *exprs, u32 n)
{
	char *path = xasprintf("%s/oracle.c", scratch_dir),
	     *so = xasprintf("%s/oracle.so", scratch_dir);
	FILE *f = fopen(path, "w");
	const c_fn *table;
	void *lib;

	assert_non_null(f);
	fputs(C_HEAD, f);
	for (u32 i = 0; i < n; i++) {
		fprintf(f, "static u64 f%u(const struct record *c, const u64 *w) { return (u64)(",
			i);
		print_c(f, exprs[i]);
		fputs("); }\n", f);
	}
	fputs("u64 (*const oracle[])(const struct record *, const u64 *) = {", f);
	for (u32 i = 0; i < n; i++)
		fprintf(f, "f%u,%c", i, i % 16 ? ' ' : '\n');
	fputs("};\n", f);
	assert_int_equal(fclose(f), 0);
	run("gcc -fwrapv -O0 -w -shared -fPIC oracle.c -o oracle.so");
	lib = dlopen(so, RTLD_NOW);
	if (!lib)
		fail_msg("%s", dlerror());
	table = dlsym(lib, "oracle");
	assert_non_null(table);
	free(path);
	free(so);
	return table;
}

/* --- the same in the kernel --- */

static u32 run_program(int fd, const struct record *context)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = context, .ctx_size_in = TEST_CONTEXT);

	assert_int_equal(bpf_prog_test_run_opts(fd, &opts), 0);
	return opts.retval;
}

static void generate(const struct eval_unit *unit, struct eval_code *code)
{
	char why[128];

	if (eval__generate(unit, code, why, sizeof(why)))
		fail_msg("%s", why);
}

/* --- many at random --- */

struct input {
	struct record context, to;
	u64 words[QUESTION_WORDS];
};

static struct input inputs[INPUTS];
static const struct expr *exprs[EXPRESSIONS];
static char *texts[EXPRESSIONS];

static void make_inputs(u64 *state)
{
	static char here[] = "some string";

	for (u32 i = 0; i < INPUTS; i++) {
		fill_record(&inputs[i].to, state, NULL, here);
		fill_record(&inputs[i].context, state, &inputs[i].to, here);
		for (u32 j = 0; j < QUESTION_WORDS; j++)
			inputs[i].words[j] = odd_number(state);
	}
}

static void make_exprs(u64 *state)
{
	static char text[1 << 16];
	char *at;

	for (u32 i = 0; i < EXPRESSIONS; i++) {
		at = text;
		add_random(&at, text + sizeof(text), state, 1 + below(state, DEPTH));
		texts[i] = xstrdup(text);
		exprs[i] = parse(text);
	}
}

static void compare_all(const struct question_machine *m, int fd, const struct eval_unit *unit,
			u32 first, const c_fn *oracle)
{
	struct question_frame frame;

	for (u32 i = 0; i < INPUTS; i++) {
		const struct interpret_event event = {&inputs[i].context, TEST_CONTEXT,
						      &test_memory};

		memset(&frame, 0, sizeof(frame));
		memcpy(frame.words, inputs[i].words, sizeof(frame.words));
		*m->frame = frame;
		assert_true(interpret__run(unit, &event, &frame));
		assert_int_equal(run_program(fd, &inputs[i].context), 1);
		for (u32 j = 0; j < unit->nvalues; j++) {
			u64 c = oracle[first + j](&inputs[i].context, inputs[i].words);

			if (m->frame->values[j] != c || frame.values[j] != c)
				fail_msg("seed %" PRIu64 ", input %u: %s is %" PRIx64
					 " in the kernel, %" PRIx64 " in the interpreter, %" PRIx64
					 " in C",
					 seed, i, texts[first + j], m->frame->values[j],
					 frame.values[j], c);
		}
		assert_int_equal(m->frame->faults, 0);
		assert_int_equal(frame.faults, 0);
	}
}

static void test_random(void **state)
{
	struct question_machine m;
	const c_fn *oracle;
	u64 random = seed;

	if (geteuid())
		skip_because("programs are loaded by root alone");
	print_message("QUESTION_SEED=%" PRIu64 "\n", seed);
	make_inputs(&random);
	make_exprs(&random);
	oracle = compile_c(exprs, EXPRESSIONS);
	question_machine__open(&m);
	for (u32 i = 0, n; i < EXPRESSIONS; i += n) {
		struct eval_unit unit = {.nvalues = 0};
		struct eval_code code;
		int fd;

		for (n = 0; n < QUESTION_VALUES && i + n < EXPRESSIONS; n++)
			unit.values[unit.nvalues++] = checked(exprs[i + n], WANT_NUMBER);
		generate(&unit, &code);
		fd = question__load(&m, BPF_PROG_TYPE_RAW_TRACEPOINT, &code);
		if (fd < 0)
			fail_msg("seed %" PRIu64 ": the kernel refuses one of %s ...", seed,
				 texts[i]);
		compare_all(&m, fd, &unit, i, oracle);
		close(fd);
		eval_code__fini(&code);
	}
	question_machine__close(&m);
	for (u32 i = 0; i < EXPRESSIONS; i++)
		free(texts[i]);
}

static int setup(void **state)
{
	const char *given = getenv("QUESTION_SEED");

	seed = given ? strtoull(given, NULL, 10) : (u64)time(NULL);
	arena__init(&arena);
	return scratch__make("question");
}

static int teardown(void **state)
{
	arena__fini(&arena);
	return scratch__remove(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
