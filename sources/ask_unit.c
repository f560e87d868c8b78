// SPDX-License-Identifier: GPL-2.0-only
/* What is checked and generated at one event of a question: by its shape and the event's role. */
#include "sources/ask_making.h"

#include "bpf/stack.h"
#include "sources/kernel_types.h"

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

static struct check_scope scope_of(const struct making *m, const struct field_resolver *fields)
{
	return (struct check_scope){.fields = fields, .words = m->words, .kernel = &kernel_types};
}

static bool make_count(const struct making *m, struct unit *u, const struct question_event *e,
		       const struct field_resolver *fields)
{
	const struct check_scope scope = scope_of(m, fields);

	u->slot.does = QUESTION_COUNTS;
	return add_condition(m, u, e->filter, &scope) &&
	       add_condition(m, u, m->a->question->condition, &scope) &&
	       add_keys(m, u, &scope) && add_value(m, u, &scope);
}

static bool make_begin(struct making *m, struct unit *u, const struct question_event *e,
		       const struct field_resolver *fields)
{
	const struct check_scope scope = scope_of(m, fields);
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

bool ask_target__ends_call(const struct ask_target *t)
{
	return t->of->role == ROLE_END && !strncmp(t->event, "sys_exit", 8) &&
	       (t->of->kind == EVENT_BTF ||
		(t->of->kind == EVENT_TRACEPOINT && strstr(t->system, "syscalls")));
}

static bool add_result(const struct making *m, struct unit *u, const struct ask_target *t,
		       const struct check_scope *scope)
{
	static const struct expr ret = {.op = EXPR_NAME, .text = "ret"};

	if (!ask_target__ends_call(t))
		return true;
	u->of.values[0] = ask_making__check(m, &ret, scope, WANT_NUMBER);
	u->of.nvalues = u->slot.nvalues = u->slot.fails = 1;
	return u->of.values[0] != NULL;
}

static bool make_end(struct making *m, struct unit *u, const struct ask_target *t,
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
	right = add_condition(m, u, t->of->filter, &scope) && add_condition(m, u, condition, &scope) &&
		add_result(m, u, t, &scope) && add_keys(m, u, &scope) && add_on(m, u, q->on_end ? q->on_end : q->on, &scope);
	u->slot.texts_kept = m->a->entries.ntexts > 0;
	m->a->log_by = ask_log__by(q, u);
	m->a->form.is_timed = m->a->log_by != QUESTION_LOG_NONE;
	m->a->form.of_task = m->a->log_by == QUESTION_LOG_THREAD || m->a->log_by == QUESTION_LOG_CPU;
	return right && !m->st->code;
}

static bool make_line(struct making *m, struct unit *u, const struct question_event *e,
		      const struct field_resolver *fields)
{
	const struct check_scope scope = scope_of(m, fields);

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
		.fields = ask_counts__init(&counts, &m->a->targets, ticks ? NULL : fields),
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
	const struct check_scope scope = scope_of(m, fields);
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
	const struct check_scope scope = scope_of(m, fields);
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
	const struct check_scope scope = scope_of(m, fields);
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
	const struct check_scope scope = scope_of(m, fields);
	const struct question *q = m->a->question;
	const struct question_event *e = t->of;

	u->slot.does = QUESTION_BETWEENS;
	u->slot.sum = ask_question__nlegs(q);
	for (const struct question_event *b = q->events; b < e; b++)
		u->slot.sum += b->role == ROLE_BETWEEN;
	ask_log__add_value(m, u, t, &scope);
	return add_condition(m, u, e->filter, &scope) && add_on(m, u, q->on, &scope);
}

static bool make_nested(struct making *m, struct unit *u, const struct question_event *e,
			const struct field_resolver *fields)
{
	const struct check_scope scope = scope_of(m, fields);
	const struct question *q = m->a->question;
	bool begins = e->role == ROLE_BEGIN;

	u->slot.does = begins ? QUESTION_ENTERS : QUESTION_LEAVES;
	u->slot.step = e->step;
	return add_condition(m, u, e->filter, &scope) &&
	       add_on(m, u, !begins && q->on_end ? q->on_end : q->on, &scope);
}

bool ask_unit__make(struct making *m, struct unit *u, struct ask_target *t,
		    const struct field_resolver *fields)
{
	for (u32 i = 0; i < QUESTION_OWN_KEYS; i++)
		u->slot.keys[i] = -1;
	u->slot.at = ask_target__at(t);
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
		return make_end(m, u, t, fields);
	default:
		return make_count(m, u, t->of, fields);
	}
}
