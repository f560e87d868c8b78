// SPDX-License-Identifier: GPL-2.0-only
/* The programs of a question: events with the same code share one. */
#include "sources/ask_making.h"

static const char *const types[EVENT_KINDS] = {
	[EVENT_PERF] = "perf",	   [EVENT_TRACEPOINT] = "trace", [EVENT_BREAKPOINT] = "perf",
	[EVENT_UPROBE] = "user",   [EVENT_URETPROBE] = "user",	 [EVENT_BTF] = "raw",
	[EVENT_USDT] = "user",	   [EVENT_KPROBE] = "kernel", [EVENT_KRETPROBE] = "kernel",
};

static const char *type_of(const struct ask_target *t)
{
	return t->call ? "raw" : types[t->of->kind];
}

static bool is_same_code(const struct eval_code *a, const struct eval_code *b)
{
	return a->ninsns == b->ninsns && a->nglobs == b->nglobs &&
	       !memcmp(a->insns, b->insns, a->ninsns * sizeof(*a->insns));
}

static int generate_at(struct making *m, struct unit *u, u32 globs, struct eval_code *code)
{
	char why[200] = "";

	*code = (struct eval_code){0};
	u->of.glob_base = globs;
	if (eval__generate(&u->of, code, why, sizeof(why)))
		return ask_making__refuse(m, "%s", why);
	u->slot.words = code->words;
	u->slot.plain = !u->of.condition && !u->of.nkeys && !u->of.nvalues;
	for (u32 i = 0; i < QUESTION_KEYS; i++)
		u->slot.key_text[i] = code->slots.key[i];
	for (u32 i = 0; i < QUESTION_VALUES; i++)
		u->slot.value_text[i] = code->slots.value[i];
	if (u->slot.does == QUESTION_LISTS)
		u->slot.texts = code->slots.used;
	return 0;
}

static int add_program(struct making *m, u32 target, const struct unit *u,
		       const struct eval_code *code)
{
	struct ask *a = m->a;

	if (a->nprograms == QUESTION_SLOTS)
		return ask_making__refuse(m, "the fields that are asked for are in different places of too many "
				 "events: %s is one more", a->targets.v[target].name);
	a->program_of[target] = (u8)a->nprograms;
	a->programs[a->nprograms++] =
		(struct ask_program){.type = type_of(&a->targets.v[target]),
				     .slot = u->slot,
				     .code = *code,
				     .fields = u->fields,
				     .ntargets = 1};
	return 0;
}

int ask_programs__add(struct making *m, u32 target, struct unit *u)
{
	const char *type = type_of(&m->a->targets.v[target]);
	struct eval_code code;
	u32 globs = 0;

	for (u32 i = 0; i < m->a->nprograms; i++) {
		struct ask_program *p = &m->a->programs[i];
		bool same;

		if (generate_at(m, u, globs, &code))
			return -EINVAL;
		same = p->type == type && p->fields == u->fields &&
		       !memcmp(&p->slot, &u->slot, sizeof(u->slot)) &&
		       is_same_code(&p->code, &code);
		eval_code__fini(&code);
		globs += p->code.nglobs;
		if (!same)
			continue;
		m->a->program_of[target] = (u8)i;
		p->ntargets++;
		return 0;
	}
	if (generate_at(m, u, globs, &code))
		return -EINVAL;
	if (!add_program(m, target, u, &code))
		return 0;
	eval_code__fini(&code);
	return -EINVAL;
}
