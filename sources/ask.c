// SPDX-License-Identifier: GPL-2.0-only
/* A question becomes a plan: its events are found, its code is made, its answers are declared. */
#include "sources/ask_calls.h"
#include "sources/ask_making.h"
#include "sources/ask_plan.h"

#include <stdarg.h>
#include <stdio.h>

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

const struct checked *ask_making__check(const struct making *m, const struct expr *e,
					const struct check_scope *scope, enum check_want want)
{
	struct expr_error err = {0};
	const struct checked *c = expr__check(e, scope, want, &m->a->arena, &err);

	if (!c)
		refuse_at(m, &err);
	return c;
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
	if ((needs_fields(m->a->question, t->of) || ask_target__ends_call(t)) &&
	    ask_target__fields(t, &fields, m->st))
		return -EINVAL;
	u.slot.call = t->call;
	if (!ask_unit__make(m, &u, t, fields) || !has_result(m, t, &u))
		return -EINVAL;
	if (has_all_keys(m->a->question, t->of) && !m->begun) {
		m->begun = true;
		if (name_labels(m, &u))
			return -EINVAL;
	}
	return ask_programs__add(m, target, &u);
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

static u32 count_role(const struct question *q, enum question_role role)
{
	u32 n = 0;

	for (u32 i = 0; i < q->nevents; i++)
		n += q->events[i].role == role;
	return n;
}

u32 ask_question__nlegs(const struct question *q)
{
	return q->shape == ASK_SPAN && q->nsteps > 2 ? q->nsteps - 1 : 0;
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
	for (u32 i = 0; i < ask_question__nlegs(q) && n < MEASURE_SPAN_SUMS; i++)
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
	if (f->lists == ASK_SLOTS)
		f->slot_us = (u32)MIN((q->every_ns ? q->every_ns : NSEC_PER_MSEC) / 1000, (u64)UINT32_MAX);
}

static int check_shape(const struct making *m)
{
	const struct question *q = m->a->question;

	if (q->shape == ASK_NEST && q->nsteps > QUESTION_PAIRS)
		return ask_making__refuse(m, "nest: at most %u pairs", QUESTION_PAIRS);
	if (q->shape == ASK_SPAN && ask_question__nlegs(q) + count_role(q, ROLE_BETWEEN) > MEASURE_SPAN_SUMS)
		return ask_making__refuse(m, "a chain has at most %u legs and events between, together",
					  MEASURE_SPAN_SUMS);
	return 0;
}

/* What there is no such event of is said with a caret, too. */
static int refuse_event(const struct making *m, const struct question_event *e)
{
	struct expr_error err = {.column = e->at, .length = MAX(e->length, 1u)};

	if (m->st->code != EXIT_CODE_USAGE)
		return -EINVAL;
	copy_str(err.msg, sizeof(err.msg), m->st->msg);
	return refuse_at(m, &err);
}

/* A call of a goroutine may end in another thread. That a file is Go's is known where returns are looked for. */
static bool is_of_goroutines(const struct ask *a)
{
	const char *file = NULL;
	bool any = false;

	if (a->question->shape != ASK_SPAN || a->question->on)
		return false;
	for (u32 i = 0; i < a->targets.n; i++) {
		const struct ask_target *t = &a->targets.v[i];

		if (t->of->role == ROLE_BETWEEN)
			continue;
		if (!t->place.offset || !t->file || (file && strcmp(file, t->file)))
			return false;
		file = t->file;
		any |= t->place.of_go;
	}
	return any;
}

static int resolve_all(struct making *m)
{
	static const struct expr goroutine = {.op = EXPR_NAME, .text = "goroutine"};
	const struct question *q = m->a->question;
	int err = 0;

	for (u32 i = 0; i < q->nevents && !err; i++) {
		err = ask_targets__resolve(&m->a->targets, &q->events[i], m->st);
		if (err)
			err = refuse_event(m, &q->events[i]);
	}
	m->a->program_of = xcalloc(m->a->targets.n + 1, 1);
	if (!err)
		ask_calls__mark(m->a);
	if (!err && is_of_goroutines(m->a))
		m->a->question->on = &goroutine;
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
	m->a->measure = ask_form__draft(&m->a->form);
	return m->a->measure ? 0 : ask_making__refuse(m, "this question cannot be answered in columns");
}

static void ask__free(struct ask *a)
{
	for (u32 i = 0; i < a->nprograms; i++)
		eval_code__fini(&a->programs[i].code);
	ask_targets__fini(&a->targets);
	if (a->question)
		question__free(a->question);
	arena__fini(&a->arena);
	ask_form__drop(a->measure);
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

/* What a text says, taken apart. */
struct asked_text {
	bool forced;
	const char *name, *question;
};

/* question NULL: the text says it, or is the name of one that is compiled in. */
static struct asked_text read_text(const char *text, const char *question)
{
	struct asked_text t = {.question = question};
	const struct known_question *known;

	text += strspn(text, " \t\n");
	t.forced = *text == '!';
	t.name = text + strspn(text, "! \t\n");
	known = question ? NULL : question_library__find(t.name);
	if (!question)
		t.question = known ? known->text : t.name;
	return t;
}

static struct ask *ask__make(const struct asked_text *t, struct status *st)
{
	struct ask *a = xcalloc(1, sizeof(*a));
	struct making m = {.st = st, .a = a};

	st->code = EXIT_CODE_OK;
	arena__init(&a->arena);
	a->refs = 1;
	a->text = xstrdup(t->name);
	a->question_text = xstrdup(t->question);
	a->forced = t->forced;
	if (make(&m)) {
		ask__free(a);
		return NULL;
	}
	ask_targets__forget_fields(&a->targets);
	return a;
}

const struct ask *ask__draft(const char *name, const char *question, struct status *st)
{
	struct asked_text t = read_text(name, question);

	return ask__make(&t, st);
}

/* It is shared by threads that only read it, but for this. */
static u32 *refs_of(const struct ask *a)
{
	return &((struct ask *)a)->refs;
}

const struct ask *ask__get(const struct ask *a)
{
	__atomic_add_fetch(refs_of(a), 1, __ATOMIC_RELAXED);
	return a;
}

void ask__put(const struct ask *a)
{
	if (a && !__atomic_sub_fetch(refs_of(a), 1, __ATOMIC_ACQ_REL))
		ask__free((struct ask *)a);
}

const struct ask *ask__known(const struct ask *draft)
{
	return find_asked(draft->text, draft->question_text, draft->forced);
}

const struct ask *ask__keep(const struct ask *draft, struct status *st)
{
	const struct ask *same = ask__known(draft);
	struct ask *a = (struct ask *)draft;

	if (same) {
		ask__put(draft);
		return same;
	}
	if (!ask_form__keep(a->measure)) {
		ask__put(draft);
		status__set(st, EXIT_CODE_USAGE, -ENOSPC, "too many different questions: begin proftop anew");
		return NULL;
	}
	a->next = all;
	all = a;
	return a;
}

const struct ask *ask__named(const char *name, const char *question, struct status *st)
{
	struct asked_text t = read_text(name, question);
	const struct ask *a = find_asked(t.name, t.question, t.forced);

	if (a)
		return a;
	a = ask__make(&t, st);
	return a ? ask__keep(a, st) : NULL;
}

const struct ask *ask__new(const char *text, struct status *st)
{
	return ask__named(text, NULL, st);
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

bool ask__is_forced(const struct ask *a)
{
	return a->forced;
}

const char *ask__question(const struct ask *a)
{
	return a->question_text;
}
