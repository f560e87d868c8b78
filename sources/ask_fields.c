// SPDX-License-Identifier: GPL-2.0-only
/* What a list shows of each event: what was asked for, or all that it has. */
#include "sources/ask_making.h"

#include "sources/kernel_types.h"

static const struct field_type type_text = {.kind = TYPE_TEXT};

/* More events than these have too little in common. */
#define EVENTS_MAX 8

static struct ask_field *find(struct ask_form *f, const char *name)
{
	for (u32 i = 0; i < f->nfields; i++)
		if (!strcmp(f->fields[i].name, name))
			return &f->fields[i];
	return NULL;
}

static enum ask_field_type type_of(const struct field_type *t)
{
	switch (t->kind) {
	case TYPE_TEXT:
		return ASK_FIELD_TEXT;
	case TYPE_POINTER:
		return ASK_FIELD_ADDRESS;
	default:
		return t->is_signed ? ASK_FIELD_SIGNED : ASK_FIELD_UNSIGNED;
	}
}

/* NULL: there are too many. */
static struct ask_field *add(struct ask_form *f, const char *name, const struct field_type *t)
{
	struct ask_field *new = &f->fields[f->nfields];

	if (f->nfields == ASK_FIELDS)
		return NULL;
	f->nfields++;
	copy_str(new->name, sizeof(new->name), name);
	new->type = type_of(t);
	return new;
}

/* Once all fields are declared. */
static void name_fields(struct ask *a)
{
	for (u32 i = 0; i < a->form.nfields; i++) {
		struct ask_field *f = &a->form.fields[i];
		struct value_text *t = &a->printed[i];

		if (f->named)
			continue;
		*t = (struct value_text){.text = f->type == ASK_FIELD_TEXT,
					 .say = t->say,
					 .is_signed = f->type == ASK_FIELD_SIGNED,
					 .pointer = f->type == ASK_FIELD_ADDRESS};
		ask_labels__print(a, f->name, t);
		f->named = t->code || t->names || t->say;
	}
}

/* --- all that there are --- */

static bool is_shown(const struct field *f)
{
	return !f->unreadable && (f->type.kind == TYPE_INT || f->type.kind == TYPE_TEXT ||
				  f->type.kind == TYPE_POINTER);
}

static u32 count_texts(const struct ask_form *f)
{
	u32 n = 0;

	for (u32 i = 0; i < f->nfields; i++)
		n += f->fields[i].type == ASK_FIELD_TEXT;
	return n;
}

static void declare_field(struct ask_form *form, const struct field_resolver *r, const char *name)
{
	struct field f;

	if (!strncmp(name, "common_", 7) || find(form, name) || r->field(r, name, &f) ||
	    !is_shown(&f))
		return;
	if (f.type.kind == TYPE_TEXT && count_texts(form) == QUESTION_TEXTS)
		return;
	add(form, name, &f.type);
}

/* Arguments and registers are many; who wants them shows them. */
static bool has_fields(const struct ask_target *t)
{
	return t->of->kind == EVENT_TRACEPOINT || t->of->kind == EVENT_BTF;
}

/* Of a burst: how many of each event there were. */
static int declare_counts(struct making *m)
{
	const struct field_type number = {.kind = TYPE_INT, .size = 8};
	struct ask *a = m->a;

	if (a->targets.n > QUESTION_BURST_EVENTS)
		return ask_making__refuse(m, "burst: at most %u events", QUESTION_BURST_EVENTS);
	for (u32 i = 0; i < a->targets.n; i++)
		if (find(&a->form, a->targets.v[i].name) ||
		    !add(&a->form, a->targets.v[i].name, &number))
			return ask_making__refuse(m, "burst: %.60s stands there twice",
						  a->targets.v[i].name);
	return 0;
}

int ask_fields__declare(struct making *m)
{
	struct ask *a = m->a;
	const struct field_resolver *r;
	char name[ASK_LABEL_NAME];

	if (a->form.lists == ASK_SLOTS)
		return declare_counts(m);
	if (a->question->nshow || a->targets.n > EVENTS_MAX)
		return 0;
	for (u32 i = 0; i < a->targets.n; i++) {
		if (!has_fields(&a->targets.v[i]))
			continue;
		if (ask_target__fields(&a->targets.v[i], &r, m->st))
			return -EINVAL;
		for (u32 k = 0; r->name(r, k, name, sizeof(name)); k++)
			declare_field(&a->form, r, name);
	}
	name_fields(a);
	return 0;
}

/* Of one event; a field of another type under the same name is none. */
static bool add_all(struct making *m, struct unit *u, const struct check_scope *scope)
{
	struct ask_form *form = &m->a->form;

	for (u32 i = 0; i < form->nfields; i++) {
		struct expr *e = arena__array(&m->a->arena, struct expr, 1);
		const struct checked *c;
		struct field f;

		if (scope->fields->field(scope->fields, form->fields[i].name, &f) ||
		    !is_shown(&f) ||
		    (f.type.kind == TYPE_TEXT) != (form->fields[i].type == ASK_FIELD_TEXT))
			continue;
		*e = (struct expr){.op = EXPR_NAME,
				   .text = arena__strdup(&m->a->arena, form->fields[i].name)};
		c = ask_making__check(m, e, scope, WANT_KEY);
		if (!c)
			return false;
		u->of.values[u->of.nvalues++] = c;
		u->fields |= 1u << i;
	}
	return true;
}

/* --- what was asked for --- */

/* pid, tid, comm and cpu each line has anyway. */
static bool is_known(const struct checked *c)
{
	return c->op == CHECKED_COMM ||
	       (c->op == CHECKED_WORD &&
		(c->index == WORD_PID || c->index == WORD_TID || c->index == WORD_CPU));
}

/* Enums are shown by the names of their values. */
static bool show(struct making *m, struct unit *u, const struct expr *e, const struct checked *c)
{
	const struct value_names *names = value_names__of(c, &m->a->arena);
	struct ask_form *form = &m->a->form;
	char *name = expr__print(e);
	struct ask_field *f = find(form, name);

	if (!f)
		f = add(form, name, names ? &type_text : &c->type);
	free(name);
	if (!f)
		return !ask_making__refuse(m, "show: at most %u of them", ASK_FIELDS);
	if (names)
		m->a->field_names[f - form->fields] = names;
	m->a->printed[f - form->fields].say = c->field.say;
	if ((f->type == ASK_FIELD_TEXT) != (names || c->type.kind == TYPE_TEXT))
		return !ask_making__refuse(
			m, "show: %s is a text of one event, and a number of another", f->name);
	u->of.values[u->of.nvalues++] = c;
	u->fields |= 1u << (f - form->fields);
	return true;
}

static bool add_shown(struct making *m, struct unit *u, const struct check_scope *scope)
{
	const struct question *q = m->a->question;

	for (u32 i = 0; i < q->nshow; i++) {
		const struct checked *c = ask_making__check(m, q->show[i], scope, WANT_KEY);

		if (!c)
			return false;
		if (c->type.kind == TYPE_STACK) {
			u->slot.stack |= ask_making__stack_flags(c);
			m->a->form.has_stack = 1;
		} else if (!is_known(c) && !show(m, u, q->show[i], c)) {
			return false;
		}
	}
	name_fields(m->a);
	return true;
}

bool ask_fields__add(struct making *m, struct unit *u, const struct check_scope *scope)
{
	bool right = m->a->question->nshow ? add_shown(m, u, scope) : add_all(m, u, scope);

	u->slot.nvalues = u->of.nvalues;
	return right;
}
