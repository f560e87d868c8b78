// SPDX-License-Identifier: GPL-2.0-only
#include "sources/funcs_args.h"

#include <bpf/libbpf.h>
#include <stdio.h>

#include "bpf/funcs.h"
#include "questions/question.h"
#include "questions/registers.h"
#include "sources/bpf_util.h"
#include "sources/measure.h"
#include "sources/value_text.h"
#include "symbols/arguments.h"

_Static_assert(FUNCTIONS_WITH_ARGS == FUNCS_UNITS, "as many as the programs have room for");

struct func_args {
	struct arena arena;
	struct eval_code code[FUNCS_TIMES];
	struct funcs_unit unit;
	struct func_arg {
		const char *name; /* as it was asked for */
		struct value_text text;
	} v[FUNCS_ARGS];
};

/* --- what is asked for, of one function --- */

struct making {
	struct func_args *of;
	const char *function;
	bool jumps;
	struct arguments *from[FUNCS_TIMES];
	struct eval_unit units[FUNCS_TIMES];
	struct status *st;
};

static int refuse(const struct making *m, const char *why)
{
	return status__set(m->st, EXIT_CODE_USAGE, -EINVAL, "%.80s: %s", m->function, why);
}

static const struct checked *check_at(const struct making *m, const struct expr *e, u32 when,
				      struct expr_error *err)
{
	const struct check_scope scope = {.fields = arguments__fields(m->from[when])};

	return expr__check(e, &scope, WANT_KEY, &m->of->arena, err);
}

/* What is known where the function begins is taken there. */
static int add_one(struct making *m, const struct expr *e, u32 i)
{
	struct expr_error err = {0}, other = {0};
	const struct checked *c = check_at(m, e, FUNCS_BEGINS, &err);
	u32 when = c ? FUNCS_BEGINS : FUNCS_ENDS;
	struct eval_unit *u = &m->units[when];
	char *name;

	if (!c)
		c = check_at(m, e, FUNCS_ENDS, &other);
	if (!c)
		return refuse(m, err.msg);
	if (when == FUNCS_ENDS && m->jumps && checked__reads_context(c, registers__result()))
		return refuse(m, "its result is not known, as it ends in a call of another function and "
				 "exceptions may pass through it");
	name = expr__print(e);
	m->of->v[i] = (struct func_arg){arena__strdup(&m->of->arena, name),
					value_text__of(c, &m->of->arena)};
	free(name);
	m->of->unit.key[when][i] = (__u8)u->nkeys;
	u->keys[u->nkeys++] = c;
	return 0;
}

static int generate(struct making *m, u32 when)
{
	struct eval_code *code = &m->of->code[when];
	char why[200] = "";

	if (eval__generate(&m->units[when], code, why, sizeof(why)))
		return refuse(m, why);
	for (u32 i = 0; i < FUNCS_ARGS; i++) {
		__u8 key = m->of->unit.key[when][i];

		if (key < QUESTION_KEYS)
			m->of->unit.text[when][i] = (__u8)code->slots.key[key];
	}
	return code->nglobs ? refuse(m, "~ cannot be asked for here") : 0;
}

static int compile(struct making *m, const struct question *q)
{
	int err = 0;

	if (q->nby > FUNCS_ARGS)
		return refuse(m, "three arguments and results at most");
	for (u32 i = 0; i < q->nby && !err; i++)
		err = add_one(m, q->by[i], i);
	for (u32 when = 0; when < FUNCS_TIMES && !err; when++)
		err = generate(m, when);
	return err;
}

static void func_args__free(struct func_args *a)
{
	for (u32 i = 0; i < FUNCS_TIMES; i++)
		eval_code__fini(&a->code[i]);
	arena__fini(&a->arena);
	free(a);
}

/* As those of a question: what stands before it is not looked at. */
static struct question *parse(const char *by, struct expr_error *err)
{
	char *text = xasprintf("count cpu-clock by %s", by);
	struct question *q = question__parse(text, err);

	free(text);
	return q;
}

const struct func_args *func_args__new(const char *file, const char *function, u64 offset, bool jumps,
				       const char *by, struct status *st)
{
	struct func_args *a = xcalloc(1, sizeof(*a));
	struct making m = {.of = a, .function = function, .jumps = jumps, .st = st};
	struct expr_error wrong = {0};
	struct question *q = parse(by, &wrong);
	int err;

	memset(&a->unit, 0xff, sizeof(a->unit));
	for (u32 i = 0; i < FUNCS_TIMES; i++)
		m.from[i] = arguments__open(file, function, offset, i == FUNCS_ENDS);
	err = q ? compile(&m, q) : refuse(&m, wrong.msg);
	for (u32 i = 0; i < FUNCS_TIMES; i++)
		arguments__close(m.from[i]);
	if (q)
		question__free(q);
	if (!err)
		return a;
	func_args__free(a);
	return NULL;
}

void func_args__text(const struct func_args *a, u32 i, u64 value, const char *sent, char *buf,
		     size_t size)
{
	const struct func_arg *arg = &a->v[i];
	size_t len = (size_t)snprintf(buf, size, "%s%s", arg->name ? arg->name : "", arg->name ? "=" : "");

	if (!arg->name || len >= size)
		return;
	if (!value_text__write(&arg->text, value, buf + len, size - len))
		copy_str(buf + len, size - len, sent ? sent : value ? "[lost]" : "");
}

/* --- all of a list --- */

static int join(struct eval_code *to, const struct func_list *l, u32 when)
{
	struct eval_code *units = xcalloc(MAX(l->nunits, 1u), sizeof(*units));
	int err;

	for (u32 i = 0; i < l->n; i++)
		if (l->v[i].args)
			units[l->v[i].unit - 1] = l->v[i].args->code[when];
	err = eval_code__join(to, units, l->nunits);
	free(units);
	return err;
}

int funcs_code__make(struct funcs_code *c, const struct func_list *l, struct status *st)
{
	c->n = l->nunits;
	if (!c->n || !(join(&c->begins, l, FUNCS_BEGINS) || join(&c->ends, l, FUNCS_ENDS)))
		return 0;
	return status__set(st, EXIT_CODE_USAGE, -E2BIG,
			   "the arguments of %u functions are more than there is room for: pick fewer",
			   c->n);
}

void funcs_code__fini(struct funcs_code *c)
{
	eval_code__fini(&c->begins);
	eval_code__fini(&c->ends);
}

/* Whose programs are loaded at the moment. Collector thread only. */
static const struct funcs_code *loading;

void funcs_code__prepare(const struct funcs_code *c, const struct func_list *l, struct bpf_object *obj)
{
	struct funcs_unit units[FUNCS_UNITS] = {0};

	for (u32 i = 0; i < l->n; i++)
		if (l->v[i].args)
			units[l->v[i].unit - 1] = l->v[i].args->unit;
	measure_programs__set(obj, "units", units, sizeof(units));
	measure_programs__set(obj, "nunits", &c->n, sizeof(c->n));
	loading = c;
}

static int put_code(const void *code, struct bpf_insn *insns, u32 n)
{
	return eval__splice(code, insns, n);
}

static int splice(struct bpf_program *prog, struct bpf_prog_load_opts *opts, long ends)
{
	(void)opts;
	if (!loading->n)
		return 0;
	return bpf_util__edit(prog, put_code, ends ? &loading->ends : &loading->begins);
}

void funcs_code__register(void)
{
	static const char *const sections[] = {"funcs_begin", "funcs_end"};
	static bool done;

	for (u32 i = 0; i < ARRAY_SIZE(sections) && !done; i++) {
		LIBBPF_OPTS(libbpf_prog_handler_opts, opts, .cookie = i,
			    .prog_prepare_load_fn = splice);

		libbpf_register_prog_handler(sections[i], BPF_PROG_TYPE_KPROBE, 0, &opts);
	}
	done = true;
}
