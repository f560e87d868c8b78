// SPDX-License-Identifier: GPL-2.0-only
/* Keys of a question as labels of its measure, and how their values are called. */
#include <stdio.h>

#include "questions/format_print.h"
#include "sources/ask_plan.h"

/* --- labels --- */

static enum label_kind kind_of_word(const struct checked *key)
{
	if (key->op == CHECKED_COMM)
		return LABEL_COMM;
	if (key->type.kind == TYPE_STACK)
		return LABEL_STACK;
	if (key->op != CHECKED_WORD)
		return LABEL_NAMED;
	switch (key->index) {
	case WORD_PID:
		return LABEL_PID;
	case WORD_TID:
		return LABEL_TID;
	case WORD_CGROUP:
		return LABEL_CGROUP;
	default:
		return LABEL_NAMED;
	}
}

bool ask_key__is_cpu(const struct checked *key)
{
	return key->op == CHECKED_WORD && key->index == WORD_CPU;
}

/* Whether the programs have to compute it; the others a cell knows anyway. */
bool ask_key__is_own(const struct checked *key)
{
	return kind_of_word(key) == LABEL_NAMED && !ask_key__is_cpu(key);
}

static struct ask_label *find_label(struct ask_form *f, const char *name)
{
	for (u32 i = 0; i < f->nlabels; i++)
		if (!strcmp(f->labels[i].name, name))
			return &f->labels[i];
	return NULL;
}

static struct ask_label *find_kind(struct ask_form *f, enum label_kind kind)
{
	for (u32 i = 0; i < f->nlabels; i++)
		if (f->labels[i].kind == kind)
			return &f->labels[i];
	return NULL;
}

/* NULL: there are too many, or there is one of that name. */
static struct ask_label *add_label(struct ask_form *f, const char *name, enum label_kind kind,
				   u32 width)
{
	struct ask_label *l = &f->labels[f->nlabels];

	if (f->nlabels == MEASURE_MAX_LABELS || find_label(f, name))
		return NULL;
	f->nlabels++;
	copy_str(l->name, sizeof(l->name), name);
	l->kind = kind;
	l->width = width;
	return l;
}

static u32 own_labels(const struct ask_form *f)
{
	u32 n = 0;

	while (n < f->nlabels && f->labels[n].kind == LABEL_NAMED)
		n++;
	return n;
}

/* --- how the kernel prints them --- */

/* The field that a key is alone, or in entry(); false: it is computed. */
static bool is_field(const char *key, char *field, size_t size)
{
	static const char entry[] = "entry(";
	bool at_begin = !strncmp(key, entry, strlen(entry));

	key += at_begin ? strlen(entry) : 0;
	copy_str(field, size, key);
	field[strspn(field, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")] = '\0';
	return *field && !strcmp(key + strlen(field), at_begin ? ")" : "");
}

/* NULL: they have none. */
static const struct value_names *printed_names(const struct trace_format *f, const char *field, struct arena *arena)
{
	struct value_names *names;
	char name[64];
	u32 n = 0;
	s64 value;

	while (n < VALUE_NAMES_MOST && trace_format__value(f, field, n, &value, name, sizeof(name)))
		n++;
	if (!n)
		return NULL;
	names = arena__alloc(arena, sizeof(*names) + n * sizeof(names->v[0]));
	for (; names->n < n; names->n++) {
		trace_format__value(f, field, names->n, &value, name, sizeof(name));
		names->v[names->n] = (struct value_name){value, arena__strdup(arena, name)};
	}
	return names;
}

static bool is_call(const struct trace_format *f, const char *field)
{
	return !strcmp(field, "__syscall_nr") ||
	       (!strcmp(field, "id") && (!strcmp(f->name, "sys_enter") || !strcmp(f->name, "sys_exit")));
}

/* Formats say nothing of signals, where a field of that name is one in all of them, and of system calls. */
static const struct value_names *names_at(const struct trace_format *f, const char *field, struct arena *arena)
{
	const struct value_names *names = printed_names(f, field, arena);

	if (names)
		return names;
	if (is_call(f, field))
		return value_names__of_syscalls(arena);
	return strcmp(field, "sig") ? NULL : value_names__of_signals(arena);
}

#define PRINTED_BY 8

/* By the first of the question's tracepoints that says it. */
void ask_labels__print(struct ask *a, const char *key, struct value_text *out)
{
	char field[ASK_LABEL_NAME];

	if (out->text || out->names || out->say || !is_field(key, field, sizeof(field)))
		return;
	for (u32 i = 0; i < MIN(a->targets.n, (u32)PRINTED_BY) && !out->names && !out->code; i++) {
		const struct trace_format *f = a->targets.v[i].format;

		if (!f)
			continue;
		out->code = trace_format__is_code(f, field);
		out->names = out->code ? NULL : names_at(f, field, &a->arena);
		out->numbered = out->names;
	}
}

static int add_own(struct ask *a, struct status *st, const struct checked *key, const char *name,
		   u32 *nkeys)
{
	struct ask_form *f = &a->form;
	u32 at = own_labels(f);
	struct value_text text = value_text__of(key, &a->arena);
	struct ask_label *l;

	if (at == MEASURE_OWN_LABELS || (!ask_key__is_cpu(key) && *nkeys == QUESTION_OWN_KEYS))
		return status__set(
			st, EXIT_CODE_USAGE, -EINVAL,
			"by: at most %u keys beside pid, tid, comm, cgroup, cpu and stacks",
			QUESTION_OWN_KEYS);
	ask_labels__print(a, name, &text);
	l = add_label(f, name, LABEL_NAMED, text.text || text.names || text.code || text.say ? 24 : 12);
	if (!l)
		return status__set(st, EXIT_CODE_USAGE, -EINVAL, "by: %.80s stands there twice",
				   name);
	a->own[at] = text;
	l->address = text.pointer;
	l->number = !text.text && !text.pointer && !text.code && !text.say &&
		    (!text.names || text.numbered);
	if (ask_key__is_cpu(key)) {
		l->shift = QUESTION_EVENT_BITS;
		l->bits = 32;
		return 0;
	}
	l->word = ++*nkeys;
	l->bits = 64;
	return 0;
}

/* What is held is told by stack, where nothing else is said. */
static u32 add_stack_label(struct ask_form *f)
{
	return add_label(f, "stack", LABEL_STACK, 24) ? 1u << (f->nlabels - 1) : 0;
}

/* Those that the question names, and those that are always known. */
int ask__declare_labels(struct ask *a, struct status *st, const struct checked *const *keys,
			char (*names)[ASK_LABEL_NAME], u32 n)
{
	static const struct {
		const char *name;
		enum label_kind kind;
		u32 width;
	} known[] = {{"pid", LABEL_PID, 7},
		     {"tid", LABEL_TID, 7},
		     {"comm", LABEL_COMM, 15},
		     {"cgroup", LABEL_CGROUP, 16}};
	struct ask_form *f = &a->form;
	struct ask_label *event;
	u32 nkeys = 0;
	int err = 0;

	for (u32 i = 0; i < n; i++)
		for (u32 k = 0; k < i; k++)
			if (!strcmp(names[i], names[k]))
				return status__set(st, EXIT_CODE_USAGE, -EINVAL,
						   "by: %.80s stands there twice", names[i]);
	event = add_label(f, f->shape == MEASURE_SHAPE_SPAN ? "pair" : "event", LABEL_NAMED, 30);
	event->bits = a->question->shape == ASK_NEST ? 64 : QUESTION_EVENT_BITS;
	for (u32 i = 0; i < n && !err; i++)
		if (kind_of_word(keys[i]) == LABEL_NAMED)
			err = add_own(a, st, keys[i], names[i], &nkeys);
	for (u32 i = 0; i < ARRAY_SIZE(known) && !err; i++)
		add_label(f, known[i].name, known[i].kind, known[i].width);
	for (u32 i = 0; i < n && !err; i++) {
		enum label_kind kind = kind_of_word(keys[i]);
		struct ask_label *l =
			kind == LABEL_NAMED ? find_label(f, names[i]) : find_kind(f, kind);

		if (!l)
			l = add_label(f, names[i], kind, kind == LABEL_STACK ? 24 : 15);
		else if (kind == LABEL_STACK)
			l = NULL;
		if (!l)
			return status__set(st, EXIT_CODE_USAGE, -EINVAL,
					   kind == LABEL_STACK ? "by: one kind of stacks at a time"
							       : "by: too many keys");
		f->by |= 1u << (l - f->labels);
	}
	if (!f->by && f->shape == MEASURE_SHAPE_HOLDING)
		f->by = add_stack_label(f);
	if (!f->by)
		f->by = 1;
	return err;
}

static const char *pair_text(const struct ask *a, u32 pair)
{
	for (u32 i = 0; i < a->question->nevents; i++)
		if (a->question->events[i].step == pair && a->question->events[i].role == ROLE_BEGIN)
			return a->question->events[i].text;
	return "?";
}

/* "a > b": b within a. */
static void path_text(const struct ask *a, u64 path, char *buf, size_t size)
{
	size_t len = 0;

	for (u32 i = QUESTION_DEPTH; i-- && len < size;) {
		u32 pair = path >> (i * QUESTION_PATH_BITS) & ((1u << QUESTION_PATH_BITS) - 1);

		if (pair)
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ASK_NEST_IN : "",
						pair_text(a, pair - 1));
	}
}

/* The first begin, the steps of a chain, and the end that it came to. */
static void chain_text(const struct ask *a, const char *end, char *buf, size_t size)
{
	const struct question *q = a->question;
	size_t len = (size_t)snprintf(buf, size, "%s", q->events[0].text);

	for (u32 i = 1; i < q->nevents && len < size; i++)
		if (q->events[i].role == ROLE_MIDDLE && q->events[i].step != q->events[i - 1].step)
			len += (size_t)snprintf(buf + len, size - len, " -> %s", q->events[i].text);
	if (len < size)
		snprintf(buf + len, size - len, " -> %s", end);
}

static void event_text(const struct ask *a, u64 value, char *buf, size_t size)
{
	const char *end = value < a->targets.n ? a->targets.v[value].name : "?";

	if (a->form.shape == MEASURE_SHAPE_SPAN)
		chain_text(a, end, buf, size);
	else
		copy_str(buf, size, end);
}

bool ask__label_text(const struct ask *a, u32 label, u64 value, char *buf, size_t size)
{
	if (!label && a->question->shape == ASK_NEST)
		path_text(a, value, buf, size);
	else if (!label)
		event_text(a, value, buf, size);
	else
		return value_text__write(&a->own[MIN(label, MEASURE_OWN_LABELS - 1u)], value, buf, size);
	return true;
}
