// SPDX-License-Identifier: GPL-2.0-only
#include "sources/ask_calls.h"
#include "sources/ask_making.h"
#include "sources/ask_plan.h"

#include <stdarg.h>
#include <stdio.h>

#include "bpf/stack.h"
#include "questions/library.h"
#include "questions/registers.h"
#include "sources/kernel_types.h"

static struct ask *all; /* for good */

/* --- errors --- */

/* Longer ones do not fit a screen's line. */
#define CARET_MAX 160

static int refuse_at(const struct making *m, const struct expr_error *err)
{
	char where[CARET_MAX * 3 + 200];
	const char *text = m->a->question_text;

	if (strlen(text) > CARET_MAX || strpbrk(text, "\t\n"))
		return status__set(m->st, EXIT_CODE_USAGE, -EINVAL, "%s", err->msg);
	expr_error__print(err, text, where, sizeof(where));
	return status__set(m->st, EXIT_CODE_USAGE, -EINVAL, "%s", where);
}

int ask_making__refuse(const struct making *m, const char *fmt, ...)
{
	char msg[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	return status__set(m->st, EXIT_CODE_USAGE, -EINVAL, "%s", msg);
}

/* --- one event's code --- */

const struct checked *ask_making__check(const struct making *m, const struct expr *e,
					const struct check_scope *scope, enum check_want want)
{
	struct expr_error err = {0};
	const struct checked *c = expr__check(e, scope, want, &m->a->arena, &err);

	if (!c)
		refuse_at(m, &err);
	return c;
}

/* False: st says why. */
static bool add_condition(const struct making *m, struct unit *u, const struct expr *e,
			  const struct check_scope *scope)
{
	const struct checked *c;

	if (!e)
		return true;
	c = ask_making__check(m, e, scope, WANT_NUMBER);
	if (c)
		u->of.condition = checked__both(u->of.condition, c, &m->a->arena);
	return c != NULL;
}

u32 ask_making__stack_flags(const struct checked *key)
{
	switch (key->index) {
	case WORD_KSTACK:
		return STACK_KERNEL;
	case WORD_USTACK:
		return STACK_USER;
	default:
		return STACK_KERNEL | STACK_USER;
	}
}

static bool add_keys(const struct making *m, struct unit *u, const struct check_scope *scope)
{
	const struct question *q = m->a->question;
	u32 nown = 0;

	for (u32 i = 0; i < q->nby; i++) {
		const struct checked *c = ask_making__check(m, q->by[i], scope, WANT_KEY);

		if (!c)
			return false;
		u->keys[u->nkeys++] = c;
		if (ask_key__is_cpu(c))
			u->slot.by_cpu = 1;
		if (c->type.kind == TYPE_STACK)
			u->slot.stack |= ask_making__stack_flags(c);
		if (!ask_key__is_own(c) || nown == QUESTION_OWN_KEYS)
			continue;
		u->slot.keys[nown++] = (s32)u->of.nkeys;
		u->of.keys[u->of.nkeys++] = c;
	}
	return true;
}

static bool add_value(const struct making *m, struct unit *u, const struct check_scope *scope)
{
	const struct question *q = m->a->question;

	if (q->value_kind == ASK_NO_VALUE)
		return true;
	u->of.values[0] = ask_making__check(m, q->value, scope, WANT_NUMBER);
	u->of.nvalues = u->slot.nvalues = 1;
	u->slot.is_signed = u->of.values[0] && u->of.values[0]->type.is_signed;
	if (u->slot.is_signed)
		m->a->form.is_signed = 1;
	return u->of.values[0] != NULL;
}

/* What spans are matched by; the thread where nothing is said. */
static bool add_on(const struct making *m, struct unit *u, const struct expr *on,
		   const struct check_scope *scope)
{
	const struct checked *c;

	if (!on)
		return true;
	c = ask_making__check(m, on, scope, WANT_KEY);
	if (!c || (c->op == CHECKED_WORD && c->index == WORD_TID))
		return c != NULL;
	u->of.keys[u->of.nkeys++] = c;
	u->slot.on = u->of.nkeys; /* one more than its index */
	return true;
}

/* latency == 0 || condition: what the key is has to be known before the span is, which then has a
 * latency (bpf/question.bpf.c). */
static const struct expr *hold_without_span(const struct making *m, const struct expr *condition)
{
	struct expr *e = arena__array(&m->a->arena, struct expr, 3);

	e[0] = (struct expr){.op = EXPR_NAME, .text = "latency"};
	e[1] = (struct expr){.op = EXPR_NOT, .a = &e[0]};
	e[2] = *condition;
	e[2].op = EXPR_EITHER;
	e[2].a = &e[1];
	e[2].b = condition;
	return &e[2];
}

/* --- shapes --- */

static u32 count_role(const struct question *q, enum question_role role)
{
	u32 n = 0;

	for (u32 i = 0; i < q->nevents; i++)
		n += q->events[i].role == role;
	return n;
}

/* Of a chain: parts of its time that are sums; a plain pair has none. */
static u32 nlegs(const struct question *q)
{
	return q->shape == ASK_SPAN && q->nsteps > 2 ? q->nsteps - 1 : 0;
}

static bool make_count(const struct making *m, struct unit *u, const struct question_event *e,
		       const struct field_resolver *fields)
{
	const struct check_scope scope = {.fields = fields, .words = m->words,
					  .kernel = &kernel_types};

	u->slot.does = QUESTION_COUNTS;
	return add_condition(m, u, e->filter, &scope) &&
	       add_condition(m, u, m->a->question->condition, &scope) &&
	       add_keys(m, u, &scope) && add_value(m, u, &scope);
}

static bool make_begin(struct making *m, struct unit *u, const struct question_event *e,
		       const struct field_resolver *fields)
{
	const struct check_scope scope = {.fields = fields, .words = m->words,
					  .kernel = &kernel_types};
	const struct question *q = m->a->question;

	u->slot.does = QUESTION_BEGINS;
	if (!add_condition(m, u, e->filter, &scope) || !add_on(m, u, q->on, &scope))
		return false;
	u->slot.entries = m->a->entries.nnumbers;
	u->slot.entry_texts = m->a->entries.ntexts;
	u->slot.texts_kept = m->a->entries.ntexts > 0;
	if (eval_unit__add_entries(&u->of, &m->a->entries))
		ask_making__refuse(m, "entry(): too many different ones");
	return !m->st->code;
}

static u32 sums_of(const struct ask_form *f)
{
	u32 n = 0;

	while (n < MEASURE_SPAN_SUMS && *f->sums[n].name)
		n++;
	return n;
}

static bool make_end(struct making *m, struct unit *u, const struct question_event *e,
		     const struct field_resolver *fields)
{
	const struct check_scope scope = {.fields = fields,
					  .begin = m->begin_fields,
					  .entries = m->begin_fields ? &m->a->entries : NULL,
					  .words = m->words | 1u << WORD_LATENCY,
					  .kernel = &kernel_types};
	const struct question *q = m->a->question;
	const struct expr *condition = q->condition;
	bool right;

	u->slot.does = QUESTION_ENDS;
	u->slot.last_step = q->nsteps - 1;
	u->slot.nsums = sums_of(&m->a->form);
	if (condition && q->on)
		condition = hold_without_span(m, condition);
	right = add_condition(m, u, e->filter, &scope) && add_condition(m, u, condition, &scope) &&
		add_keys(m, u, &scope) && add_on(m, u, q->on_end ? q->on_end : q->on, &scope);
	u->slot.texts_kept = m->a->entries.ntexts > 0;
	m->a->log_by = ask_log__by(q, u);
	m->a->form.is_timed = m->a->log_by != QUESTION_LOG_NONE;
	m->a->form.of_task = m->a->log_by == QUESTION_LOG_THREAD || m->a->log_by == QUESTION_LOG_CPU;
	return right && !m->st->code;
}

static bool make_line(struct making *m, struct unit *u, const struct question_event *e,
		      const struct field_resolver *fields)
{
	const struct check_scope scope = {.fields = fields, .words = m->words,
					  .kernel = &kernel_types};

	u->slot.does = QUESTION_LISTS;
	return add_condition(m, u, e->filter, &scope) &&
	       add_condition(m, u, m->a->question->condition, &scope) &&
	       ask_fields__add(m, u, &scope);
}

static bool add_sample(struct making *m, struct unit *u, const struct check_scope *scope)
{
	if (!m->a->question->sample)
		return true;
	u->slot.stack = STACK_KERNEL | STACK_USER;
	m->a->form.has_stack = 1;
	u->of.values[0] = ask_making__check(m, m->a->question->sample, scope, WANT_NUMBER);
	u->of.nvalues = u->slot.nvalues = 1;
	return u->of.values[0] != NULL;
}

/* With a timer among its events that one ends slots, and says which have their stack sampled, by how many
 * of each event came. */
static bool make_burst(struct making *m, struct unit *u, const struct ask_target *t,
		       const struct field_resolver *fields)
{
	struct ask_counts counts;
	bool ticks = ask_target__is_timer(t), ticked = ask_targets__timer(&m->a->targets) != NULL;
	const struct check_scope scope = {
		.fields = ticks ? ask_counts__init(&counts, &m->a->targets) : fields,
		.words = m->words | 1u << WORD_COUNT,
		.kernel = &kernel_types};

	u->slot.does = ticks ? QUESTION_TICKS : QUESTION_FILLS;
	u->slot.ticked = ticked;
	return add_condition(m, u, t->of->filter, &scope) &&
	       (ticks != ticked || add_sample(m, u, &scope));
}

/* What `on` is a number of: of a process's own memory or files, or of the kernel's. */
static bool is_of_a_process(const struct ask_target *t)
{
	return t->of->kind == EVENT_UPROBE || t->of->kind == EVENT_URETPROBE ||
	       (t->of->kind == EVENT_TRACEPOINT && strstr(t->system, "syscalls"));
}

static bool add_address(struct making *m, struct unit *u, const struct expr *on,
			const struct check_scope *scope)
{
	const struct checked *c = ask_making__check(m, on, scope, WANT_KEY);

	if (!c)
		return false;
	if (c->type.kind == TYPE_STACK)
		return !ask_making__refuse(m, "on: a stack is not what is released");
	u->of.keys[u->of.nkeys++] = c;
	u->slot.on = u->of.nkeys;
	return true;
}

/* Where nothing is said of what to distinguish it is told by stack. */
static bool make_acquire(struct making *m, struct unit *u, const struct ask_target *t,
			 const struct field_resolver *fields)
{
	const struct check_scope scope = {.fields = fields, .words = m->words,
					  .kernel = &kernel_types};
	const struct question *q = m->a->question;

	u->slot.does = QUESTION_BEGINS;
	u->slot.by_process = is_of_a_process(t);
	if (!add_condition(m, u, t->of->filter, &scope) || !add_keys(m, u, &scope) ||
	    !add_address(m, u, q->on, &scope))
		return false;
	if (!q->nby)
		u->slot.stack = STACK_KERNEL | STACK_USER;
	if (!q->size)
		return true;
	u->of.values[0] = ask_making__check(m, q->size, &scope, WANT_NUMBER);
	u->of.nvalues = u->slot.nvalues = 1;
	return u->of.values[0] != NULL;
}

static bool make_release(struct making *m, struct unit *u, const struct ask_target *t,
			 const struct field_resolver *fields)
{
	const struct check_scope scope = {.fields = fields, .words = m->words,
					  .kernel = &kernel_types};
	const struct question *q = m->a->question;

	u->slot.does = QUESTION_ENDS;
	u->slot.by_process = is_of_a_process(t);
	return add_condition(m, u, t->of->filter, &scope) &&
	       add_address(m, u, q->on_end ? q->on_end : q->on, &scope);
}

/* Of a chain: the time since the step before it is a sum. */
static bool make_step(struct making *m, struct unit *u, struct ask_target *t,
		      const struct field_resolver *fields)
{
	const struct check_scope scope = {.fields = fields, .words = m->words,
					  .kernel = &kernel_types};
	const struct question_event *e = t->of;

	u->slot.does = QUESTION_STEPS;
	u->slot.step = e->step;
	u->slot.sum = e->step - 1;
	ask_log__add_value(m, u, t, &scope);
	return add_condition(m, u, e->filter, &scope) && add_on(m, u, m->a->question->on, &scope);
}

/* Their sums stand behind those of the chain. */
static bool make_between(struct making *m, struct unit *u, struct ask_target *t,
			 const struct field_resolver *fields)
{
	const struct check_scope scope = {.fields = fields, .words = m->words,
					  .kernel = &kernel_types};
	const struct question *q = m->a->question;
	const struct question_event *e = t->of;

	u->slot.does = QUESTION_BETWEENS;
	u->slot.sum = nlegs(q);
	for (const struct question_event *b = q->events; b < e; b++)
		u->slot.sum += b->role == ROLE_BETWEEN;
	ask_log__add_value(m, u, t, &scope);
	return add_condition(m, u, e->filter, &scope) && add_on(m, u, q->on, &scope);
}

static bool make_nested(struct making *m, struct unit *u, const struct question_event *e,
			const struct field_resolver *fields)
{
	const struct check_scope scope = {.fields = fields, .words = m->words,
					  .kernel = &kernel_types};
	const struct question *q = m->a->question;
	bool begins = e->role == ROLE_BEGIN;

	u->slot.does = begins ? QUESTION_ENTERS : QUESTION_LEAVES;
	u->slot.step = e->step;
	return add_condition(m, u, e->filter, &scope) &&
	       add_on(m, u, !begins && q->on_end ? q->on_end : q->on, &scope);
}

static bool make_unit(struct making *m, struct unit *u, struct ask_target *t,
		      const struct field_resolver *fields)
{
	for (u32 i = 0; i < QUESTION_OWN_KEYS; i++)
		u->slot.keys[i] = -1;
	u->slot.irqs = ask_target__irqs(t);
	if (m->a->question->shape == ASK_LIST)
		return make_line(m, u, t->of, fields);
	if (m->a->question->shape == ASK_BURST)
		return make_burst(m, u, t, fields);
	if (m->a->question->shape == ASK_HOLD)
		return t->of->role == ROLE_BEGIN ? make_acquire(m, u, t, fields)
						 : make_release(m, u, t, fields);
	if (m->a->question->shape == ASK_NEST)
		return make_nested(m, u, t->of, fields);
	switch (t->of->role) {
	case ROLE_MIDDLE:
		return make_step(m, u, t, fields);
	case ROLE_BETWEEN:
		return make_between(m, u, t, fields);
	case ROLE_BEGIN:
		return make_begin(m, u, t->of, fields);
	case ROLE_END:
		return make_end(m, u, t->of, fields);
	default:
		return make_count(m, u, t->of, fields);
	}
}

/* --- programs --- */

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

/* Events with the same code share a program. */
static int generate(struct making *m, u32 target, struct unit *u)
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

/* --- the whole --- */

static bool needs_fields(const struct question *q, const struct question_event *e)
{
	return q->condition || q->on || q->value || q->nby || q->nshow || q->size || e->filter ||
	       q->shape == ASK_LIST || q->sample ||
	       (e->role == ROLE_BETWEEN && e->kind == EVENT_TRACEPOINT);
}

/* Labels are called as keys were written. */
static int name_labels(struct making *m, const struct unit *u)
{
	char names[QUESTION_MAX_KEYS][ASK_LABEL_NAME];

	for (u32 i = 0; i < u->nkeys; i++) {
		char *name = expr__print(m->a->question->by[i]);

		copy_str(names[i], sizeof(names[i]), name);
		free(name);
	}
	return ask__declare_labels(m->a, m->st, u->keys, names, u->nkeys);
}

/* Whether an event's code has the keys of rows. */
static bool has_all_keys(const struct question *q, const struct question_event *e)
{
	return q->shape == ASK_HOLD ? e->role == ROLE_BEGIN
				    : e->role == ROLE_END || e->role == ROLE_PLAIN;
}

/* What a function gives that goes on in another one is known nowhere in it. */
static bool has_result(const struct making *m, const struct ask_target *t, const struct unit *u)
{
	u32 result = registers__result();
	bool asked = checked__reads_context(u->of.condition, result);

	for (u32 i = 0; i < u->of.nkeys; i++)
		asked |= checked__reads_context(u->of.keys[i], result);
	for (u32 i = 0; i < u->of.nvalues; i++)
		asked |= checked__reads_context(u->of.values[i], result);
	return !asked || !t->place.jumps ||
	       !ask_making__refuse(m, "%.80s: its result is not known, as it ends in a call of another "
				   "function and exceptions may pass through it", t->name);
}

static int compile_target(struct making *m, u32 target)
{
	struct ask_target *t = &m->a->targets.v[target];
	const struct field_resolver *fields = NULL;
	struct unit u = {0};

	m->words = ask_words__at(t);
	if (needs_fields(m->a->question, t->of) &&
	    ask_target__fields(t, &fields, m->st))
		return -EINVAL;
	u.slot.call = t->call;
	if (!make_unit(m, &u, t, fields) || !has_result(m, t, &u))
		return -EINVAL;
	if (has_all_keys(m->a->question, t->of) && !m->begun) {
		m->begun = true;
		if (name_labels(m, &u))
			return -EINVAL;
	}
	return generate(m, target, &u);
}

/* The first begin's fields are those that entry() has. */
static int find_begin(struct making *m)
{
	for (u32 i = 0; i < m->a->targets.n; i++)
		if (m->a->targets.v[i].of->role == ROLE_BEGIN)
			return needs_fields(m->a->question, m->a->targets.v[i].of)
				       ? ask_target__fields(&m->a->targets.v[i],
							    &m->begin_fields, m->st)
				       : 0;
	return 0;
}

/* Ends first: what they want of entry() is what begins keep. */
static int compile_all(struct making *m)
{
	int err = find_begin(m);

	for (u32 i = 0; i < m->a->targets.n && !err; i++)
		if (m->a->targets.v[i].of->role != ROLE_BEGIN)
			err = compile_target(m, i);
	for (u32 i = 0; i < m->a->targets.n && !err; i++)
		if (m->a->targets.v[i].of->role == ROLE_BEGIN)
			err = compile_target(m, i);
	for (u32 i = 0; i < m->a->targets.n && !err; i++) {
		struct ask_program *p = &m->a->programs[m->a->program_of[i]];

		p->slot.cookies = p->ntargets > 1;
		p->slot.event = i;
	}
	return err;
}

static const struct shape_words {
	const char *noun;
	enum ask_kind kind;
	enum measure_shape shape;
	enum ask_list_kind lists;
} shapes[ASK_SHAPES] = {
	[ASK_COUNT] = {"events", ASK_EVENTS, MEASURE_SHAPE_COUNT, ASK_SUMS},
	[ASK_SPAN] = {"spans", ASK_PAIRS, MEASURE_SHAPE_SPAN, ASK_SUMS},
	[ASK_NEST] = {"pairs", ASK_PAIRS, MEASURE_SHAPE_SPAN, ASK_SUMS},
	[ASK_HOLD] = {"acquired", ASK_HELD, MEASURE_SHAPE_HOLDING, ASK_SUMS},
	[ASK_BURST] = {"slots", ASK_EVENTS, MEASURE_SHAPE_COUNT, ASK_SLOTS},
	[ASK_LIST] = {"events", ASK_EVENTS, MEASURE_SHAPE_COUNT, ASK_LINES},
};

static void add_leg(struct ask_sum *s, const struct question *q, u32 leg)
{
	const char *from = "", *to = "";

	for (u32 i = 0; i < q->nevents; i++) {
		if (q->events[i].role == ROLE_BETWEEN)
			continue;
		if (q->events[i].step == leg)
			from = q->events[i].name;
		if (q->events[i].step == leg + 1)
			to = q->events[i].name;
	}
	snprintf(s->name, sizeof(s->name), "leg%u_ns", leg + 1);
	snprintf(s->help, sizeof(s->help), "from %.18s to %.18s", from ? from : "?", to ? to : "?");
	s->is_time = 1;
}

/* Of a chain its legs, then what is counted between; of pairs in each other their own time. */
static void fill_sums(struct ask_form *f, const struct question *q)
{
	u32 n = 0;

	if (q->shape == ASK_NEST) {
		f->sums[0] = (struct ask_sum){ASK_NEST_OWN, "time that no pair within it had", 1};
		return;
	}
	for (u32 i = 0; i < nlegs(q) && n < MEASURE_SPAN_SUMS; i++)
		add_leg(&f->sums[n++], q, i);
	for (u32 i = 0; i < q->nevents && n < MEASURE_SPAN_SUMS; i++)
		if (q->events[i].role == ROLE_BETWEEN) {
			copy_str(f->sums[n].name, sizeof(f->sums[n].name), q->events[i].text);
			copy_str(f->sums[n++].help, sizeof(f->sums[0].help), "so many within the spans");
		}
}

static void fill_form(struct making *m)
{
	const struct question *q = m->a->question;
	struct ask_form *f = &m->a->form;

	copy_str(f->text, sizeof(f->text), m->a->text);
	copy_str(f->noun, sizeof(f->noun), shapes[q->shape].noun);
	copy_str(f->event, sizeof(f->event), q->events[0].text);
	f->kind = shapes[q->shape].kind;
	f->shape = shapes[q->shape].shape;
	f->lists = shapes[q->shape].lists;
	fill_sums(f, q);
	f->has_value = q->value_kind != ASK_NO_VALUE;
	if (f->has_value && q->unit)
		copy_str(f->value, sizeof(f->value), q->unit);
}

static int check_shape(const struct making *m)
{
	const struct question *q = m->a->question;

	if (q->shape == ASK_NEST && q->nsteps > QUESTION_PAIRS)
		return ask_making__refuse(m, "nest: at most %u pairs", QUESTION_PAIRS);
	if (q->shape == ASK_SPAN && nlegs(q) + count_role(q, ROLE_BETWEEN) > MEASURE_SPAN_SUMS)
		return ask_making__refuse(m, "a chain has at most %u legs and events between, together",
					  MEASURE_SPAN_SUMS);
	return 0;
}

static int resolve_all(struct making *m)
{
	const struct question *q = m->a->question;
	int err = 0;

	for (u32 i = 0; i < q->nevents && !err; i++)
		err = ask_targets__resolve(&m->a->targets, &q->events[i], m->st);
	m->a->program_of = xcalloc(m->a->targets.n + 1, 1);
	if (!err)
		ask_calls__mark(m->a);
	return err;
}

/* Where the kernel has them: of perf's events it wants CAP_SYS_ADMIN, which is given up. Found out
 * here, as the kernel's types are the UI thread's. */
static bool has_uprobe_links(const struct ask *a)
{
	u32 i = 0;

	while (i < a->nprograms && strcmp(a->programs[i].type, "user"))
		i++;
	return i < a->nprograms && kernel_types.find(&kernel_types, "bpf_uprobe_multi_link");
}

static int make(struct making *m)
{
	struct expr_error err = {0};

	m->a->question = question__parse(m->a->question_text, &err);
	if (!m->a->question)
		return refuse_at(m, &err);
	if (check_shape(m))
		return -EINVAL;
	fill_form(m);
	if (resolve_all(m) || (m->a->form.lists && ask_fields__declare(m)) || compile_all(m))
		return -EINVAL;
	m->a->uprobe_links = has_uprobe_links(m->a);
	m->a->measure = ask_form__measure(&m->a->form);
	return m->a->measure ? 0 : ask_making__refuse(m, "too many different questions: begin proftop anew");
}

static void ask__free(struct ask *a)
{
	for (u32 i = 0; i < a->nprograms; i++)
		eval_code__fini(&a->programs[i].code);
	ask_targets__fini(&a->targets);
	if (a->question)
		question__free(a->question);
	arena__fini(&a->arena);
	free(a->program_of);
	free(a->text);
	free(a->question_text);
	free(a);
}

/* One of this text that asks the same. */
static const struct ask *find_asked(const char *text, const char *question, bool forced)
{
	const struct ask *a = all;

	while (a && (a->forced != forced || strcmp(a->text, text) || strcmp(a->question_text, question)))
		a = a->next;
	return a;
}

/* question NULL: the text says it, or is the name of one that is compiled in. */
static const struct ask *ask__make(const char *text, const char *question, struct status *st)
{
	const struct known_question *known;
	struct making m = {.st = st};
	const struct ask *same;
	struct ask *a;
	bool forced;

	text += strspn(text, " \t\n");
	forced = *text == '!';
	text += strspn(text, "! \t\n");
	known = question_library__find(text);
	if (!question)
		question = known ? known->text : text;
	same = find_asked(text, question, forced);
	if (same)
		return same;
	st->code = EXIT_CODE_OK;
	m.a = a = xcalloc(1, sizeof(*a));
	arena__init(&a->arena);
	a->text = xstrdup(text);
	a->question_text = xstrdup(question);
	a->forced = forced;
	if (make(&m)) {
		ask__free(a);
		return NULL;
	}
	ask_targets__forget_fields(&a->targets);
	a->next = all;
	all = a;
	return a;
}

const struct ask *ask__new(const char *text, struct status *st)
{
	return ask__make(text, NULL, st);
}

const struct ask *ask__named(const char *name, const char *question, struct status *st)
{
	return ask__make(name, question, st);
}

const struct measure *ask__measure(const struct ask *a)
{
	return a->measure;
}

enum ask_kind ask__kind(const struct ask *a)
{
	return (enum ask_kind)a->form.kind;
}

enum model_id ask__model(const struct ask *a)
{
	static const enum model_id models[ASK_KINDS] = {
		[ASK_EVENTS] = MODEL_EVENTS,
		[ASK_PAIRS] = MODEL_PAIRS,
		[ASK_HELD] = MODEL_HELD,
	};

	return models[ask__kind(a)];
}

const char *ask__text(const struct ask *a)
{
	return a->text;
}

const char *ask__question(const struct ask *a)
{
	return a->question_text;
}

/* --- lists --- */

/* Sources and settings of any age may refer to one: they stay. */
struct kept_list {
	struct kept_list *next;
	struct ask_list list;
};

static struct ask_list *new_list(void)
{
	static struct kept_list *lists;
	struct kept_list *new = xcalloc(1, sizeof(*new));

	new->next = lists;
	lists = new;
	return &new->list;
}

const struct ask_list *ask_list__with(const struct ask_list *list, const struct ask *one,
				      struct status *st)
{
	struct ask_list *new;

	for (u32 i = 0; list && i < list->n; i++)
		if (list->v[i] == one)
			return list;
	if (list && list->n == ASK_MAX) {
		status__set(st, EXIT_CODE_USAGE, -ENOSPC,
			    "%u questions are asked already: :unask N makes room", ASK_MAX);
		return NULL;
	}
	new = new_list();
	if (list)
		*new = *list;
	new->v[new->n++] = one;
	return new;
}

const struct ask_list *ask_list__replace(const struct ask_list *list, u32 at, const struct ask *one,
					 struct status *st)
{
	struct ask_list *new;

	for (u32 i = 0; i < list->n; i++)
		if (list->v[i] == one) {
			status__set(st, EXIT_CODE_USAGE, -EEXIST, "this is asked already: question %u",
				    i + 1);
			return NULL;
		}
	new = new_list();
	*new = *list;
	new->v[at] = one;
	return new;
}

const struct ask_list *ask_list__without(const struct ask_list *list, u32 at)
{
	struct ask_list *new = new_list();

	for (u32 i = 0; i < list->n; i++)
		if (i != at)
			new->v[new->n++] = list->v[i];
	return new;
}
