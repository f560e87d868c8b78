// SPDX-License-Identifier: GPL-2.0-only
/* Names become places: fields, words, members of what they are made of, and casts. */
#include "questions/check_impl.h"

#include <stdio.h>

#include "questions/sample_fields.h"

static const struct {
	const char *name;
	struct field_type type;
} words[QUESTION_WORDS] = {
	[WORD_PID] = {"pid", TYPE(4, true)},
	[WORD_TID] = {"tid", TYPE(4, true)},
	[WORD_CPU] = {"cpu", TYPE(4, true)},
	[WORD_CGROUP] = {"cgroup", TYPE(8, false)},
	[WORD_PRIO] = {"prio", TYPE(4, true)},
	[WORD_POLICY] = {"policy", TYPE(4, false)},
	[WORD_NS] = {"ns", TYPE(8, false)},
	[WORD_LATENCY] = {"latency", TYPE(8, false)},
	[WORD_KSTACK] = {"kstack", {.kind = TYPE_STACK}},
	[WORD_USTACK] = {"ustack", {.kind = TYPE_STACK}},
	[WORD_STACK] = {"stack", {.kind = TYPE_STACK}},
	[WORD_IRQS_DISABLED] = {"irqs_disabled", TYPE(4, true)},
	[WORD_NEED_RESCHED] = {"need_resched", TYPE(4, true)},
	[WORD_NR_RUNNING] = {"nr_running", TYPE(4, false)},
	[WORD_COUNT] = {"count", TYPE(8, false)},
	[WORD_TASK] = {"current", {.kind = TYPE_POINTER}},
	[WORD_COMM] = {"comm", {.kind = TYPE_TEXT}},
};

const char *question_word__name(u32 i)
{
	return i < QUESTION_WORDS ? words[i].name : NULL;
}

/* --- what is wrong --- */

/* Names of what there is, as many as there is room for. */
struct name_list {
	char text[160];
	size_t n;
};

static bool name_list__add(struct name_list *l, const char *name)
{
	size_t len = strlen(name);

	if (l->n + len + 8 > sizeof(l->text)) {
		strcpy(l->text + l->n, ", ...");
		return false;
	}
	l->n += (size_t)sprintf(l->text + l->n, "%s%s", l->n ? ", " : "", name);
	return true;
}

/* Of numbers and texts that are known here. */
static void list_words(const struct checker *c, struct name_list *l)
{
	for (u32 i = 0; i < QUESTION_WORDS; i++)
		if (c->scope->words >> i & 1 && words[i].type.kind != TYPE_STACK && !name_list__add(l, words[i].name))
			break;
}

#define FEW_FIELDS 64 /* bytes of their names: there is room for the words, too */

static const struct checked *fail_field(struct checker *c, const struct expr *e)
{
	const struct field_resolver *r = c->scope->fields;
	struct name_list list = {.text = ""}, known = {.text = ""};
	char name[64];

	for (u32 i = 0; r && r->name(r, i, name, sizeof(name)); i++)
		if (strncmp(name, "common_", 7) && !name_list__add(&list, name))
			break;
	if (!strcmp(e->text, "ret"))
		return checker__fail(c, e, "ret is of events that return: uretprobe, kretprobe, sys_exit_*");
	if (list.n < FEW_FIELDS)
		list_words(c, &known);
	expr__fail(c->err, e->at, e->length, "no field `%.64s`: %.80s has %s%s%s", e->text,
		   r && r->event ? r->event : "this", list.n ? list.text : "no fields", known.n ? "; words: " : "",
		   known.text);
	return NULL;
}

static const struct checked *fail_member(struct checker *c, const struct expr *e,
					 const struct checked *a)
{
	struct name_list list = {.text = ""};
	u32 length = (u32)strlen(e->text);
	char name[64];

	for (u32 i = 0;
	     a->types->name && a->types->name(a->types, a->type.type_id, i, name, sizeof(name));
	     i++)
		if (!name_list__add(&list, name))
			break;
	expr__fail(c->err, e->at + e->length - length, length, "no member `%.64s`: there are %s",
		   e->text, list.text);
	return NULL;
}

/* --- names --- */

static const struct checked *number_u64(struct checker *c, u64 number)
{
	struct checked *n = checker__node(c, CHECKED_NUMBER, type_u64);

	n->number = number;
	return n;
}

static const struct checked *number_field(struct checker *c, const struct field *f)
{
	return checker__convert(c, number_u64(c, (u64)f->number), f->type);
}

static const struct checked *register_node(struct checker *c, u32 offset)
{
	struct checked *n = checker__node(c, CHECKED_CONTEXT, type_u64);

	n->field = (struct field){.type = type_u64, .offset = offset, .wide = true};
	return n;
}

/* The address and the length of a text, both where n says that the first is. */
static const struct checked *sized_text(struct checker *c, const struct checked *n)
{
	struct checked *parts = arena__array(c->arena, struct checked, 2);

	for (u32 i = 0; i < 2; i++) {
		parts[i] = *n;
		parts[i].type = type_u64;
		parts[i].type.user = true;
		parts[i].field = (struct field){.type = parts[i].type, .offset = n->field.offset};
	}
	parts[1].field.offset += (u32)n->field.length_at;
	return checker__binary(c, CHECKED_SIZED_TEXT, n->type, &parts[0], &parts[1]);
}

static bool is_sized_text(const struct checked *n)
{
	return n->type.kind == TYPE_TEXT && n->field.text_at == TEXT_SIZED;
}

static const struct checked *address_field(struct checker *c, const struct field *f)
{
	const struct checked *at = register_node(c, f->offset);
	struct field_type type = type_u64;
	struct checked *n, *sum;

	if (f->scale)
		at = checker__binary(c, CHECKED_ADD, type_u64, at,
			    checker__binary(c, CHECKED_MUL, type_u64, register_node(c, f->index),
				   number_u64(c, f->scale)));
	type.user = true;
	sum = checker__binary(c, CHECKED_ADD, type, at, number_u64(c, (u64)f->number));
	n = checker__unary(c, CHECKED_MEMORY, f->type, sum);
	n->field = *f;
	n->field.at = FIELD_IN_CONTEXT;
	n->field.offset = n->field.index = 0;
	n->types = c->scope->fields->types;
	return is_sized_text(n) ? sized_text(c, n) : n;
}

static struct checked *memory_u64(struct checker *c, const struct checked *at, u32 offset)
{
	struct checked *n = checker__unary(c, CHECKED_MEMORY, type_u64, at);

	n->field = (struct field){.type = type_u64, .offset = offset};
	return n;
}

/* Where the sample is, by the kernel's types; NULL: the kernel does not tell. */
static const struct checked *sample_node(struct checker *c)
{
	const struct type_resolver *k = c->scope->kernel;
	u32 cast = k && k->function ? k->function(k, "bpf_cast_to_kern_ctx") : 0;
	u32 context = cast ? k->find(k, "bpf_perf_event_data_kern") : 0;
	struct field data = {0};
	struct checked *n;

	if (!context || k->member(k, context, "data", &data))
		return NULL;
	n = checker__node(c, CHECKED_SAMPLE, data.type);
	n->number = cast;
	n->field.offset = data.offset;
	return n;
}

static const struct checked *sample_field(struct checker *c, const struct expr *e, const struct field *f)
{
	const struct sample_field *s = f->sample;
	const struct checked *at = sample_node(c);
	struct field member = {0};
	struct checked *n;

	if (!at || c->scope->kernel->member(c->scope->kernel, at->type.type_id, s->member, &member))
		return checker__fail(c, e, "what the CPU told of a sample is known from Linux 6.2 on: perf record, then --replay");
	n = memory_u64(c, at, member.offset);
	n->field.sample = s;
	if (s->behind)
		n = memory_u64(c, n, s->offset);
	if (s->shift)
		n = checker__binary(c, CHECKED_SHR, type_u64, n, number_u64(c, s->shift));
	if (s->mask)
		n = checker__binary(c, CHECKED_AND, type_u64, n, number_u64(c, s->mask));
	n->field.say = s->say;
	return n;
}

static const struct checked *field_node(struct checker *c, const struct expr *e,
					const struct field *f)
{
	struct checked *n;

	if (f->unreadable)
		return checker__fail(c, e, f->why ? f->why : "programs cannot read this field");
	if (f->at == FIELD_NUMBER)
		return number_field(c, f);
	if (f->at == FIELD_OF_SAMPLE)
		return sample_field(c, e, f);
	if (f->at == FIELD_AT_ADDRESS)
		return address_field(c, f);
	if (f->at == FIELD_KEPT) {
		n = checker__node(c, CHECKED_ENTRY, f->type);
		n->index = f->index;
		return n;
	}
	n = checker__node(c, CHECKED_CONTEXT, f->type);
	n->field = *f;
	n->types = c->scope->fields->types;
	return is_sized_text(n) ? sized_text(c, n) : n;
}

static const char *why_unknown(u32 word)
{
	switch (word) {
	case WORD_IRQS_DISABLED:
		return "can be read on x86: at events of perf and kprobes, and from Linux 6.14 on "
		       "at tracepoints (count cpu-clock by irqs_disabled samples it anywhere)";
	case WORD_NEED_RESCHED:
		return "cannot be read: where it is in thread_info.flags is not known for this "
		       "machine";
	case WORD_NR_RUNNING:
		return "cannot be read: this kernel has no struct cfs_rq with its run queue";
	default:
		return "is not known at this event";
	}
}

static const struct checked *word_node(struct checker *c, const struct expr *e, const char *name)
{
	for (u32 i = 0; i < QUESTION_WORDS; i++) {
		struct checked *n;

		if (strcmp(words[i].name, name))
			continue;
		if (!(c->scope->words >> i & 1)) {
			expr__fail(c->err, e->at, e->length, "%s %s", name, why_unknown(i));
			return NULL;
		}
		n = checker__node(c, i == WORD_COMM ? CHECKED_COMM : CHECKED_WORD, words[i].type);
		n->index = i;
		n->types = c->scope->kernel;
		if (i == WORD_TASK && c->scope->kernel)
			n->type.type_id = c->scope->kernel->find(c->scope->kernel, "task_struct");
		return n;
	}
	return fail_field(c, e);
}

static bool is_word(const char *name)
{
	u32 i = 0;

	while (i < QUESTION_WORDS && strcmp(words[i].name, name))
		i++;
	return i < QUESTION_WORDS;
}

const struct checked *checker__name(struct checker *c, const struct expr *e)
{
	const struct field_resolver *r = c->scope->fields;
	struct field f = {0};

	if (r && !r->field(r, e->text, &f))
		return field_node(c, e, &f);
	if (!is_word(e->text) && r && r->constant && !r->constant(r, e->text, &f))
		return field_node(c, e, &f);
	return word_node(c, e, e->text);
}

/* current->word: NULL without an error when it is none. */
static const struct checked *check_own_word(struct checker *c, const struct expr *e)
{
	if (e->a->op != EXPR_NAME || strcmp(e->a->text, "current"))
		return NULL;
	for (u32 i = 0; i < QUESTION_WORDS; i++)
		if (i != WORD_TASK && !strcmp(words[i].name, e->text) && c->scope->words >> i & 1)
			return word_node(c, e, e->text);
	return NULL;
}

static const struct checked *member_node(struct checker *c, const struct expr *e,
					 const struct checked *a, struct field f)
{
	bool inside = a->type.kind == TYPE_RECORD, user = a->type.user;
	struct checked *n;

	f.type.user |= user;
	if (!inside) {
		n = checker__unary(c, CHECKED_MEMORY, f.type, a);
	} else {
		if (__builtin_add_overflow(f.offset, a->field.offset, &f.offset) ||
		    f.offset > INT32_MAX)
			return checker__fail(c, e, "this member is too far from the struct's begin");
		n = checker__node(c, a->op, f.type);
		n->a = a->a;
		n->need = a->need;
	}
	n->field = f;
	n->types = a->types;
	return is_sized_text(n) ? sized_text(c, n) : n;
}

const struct checked *checker__member(struct checker *c, const struct expr *e)
{
	const struct checked *a = check_own_word(c, e);
	struct field f = {0};

	if (a)
		return a;
	a = checker__check(c, e->a);
	if (!a)
		return NULL;
	if (a->type.kind != TYPE_POINTER && a->type.kind != TYPE_RECORD) {
		expr__fail(c->err, e->a->at, e->a->length, "this is %s, which has no members",
			   checked__kind_name(a));
		return NULL;
	}
	if (!a->type.type_id || !a->types)
		return checker__fail(c, e->a,
			    "what this is made of is not known: (struct NAME *) before it says so");
	if (a->types->member(a->types, a->type.type_id, e->text, &f))
		return fail_member(c, e, a);
	if (f.unreadable)
		return checker__fail(c, e, f.why);
	return member_node(c, e, a, f);
}

static const struct checked *cast_to_record(struct checker *c, const struct expr *e,
					    const struct checked *a)
{
	const struct type_resolver *own = c->scope->fields ? c->scope->fields->types : NULL;
	const struct type_resolver *both[] = {own, c->scope->kernel};
	struct field_type type = {.kind = TYPE_POINTER, .size = 8, .user = a->type.user};
	struct checked *n;

	for (u32 i = 0; i < ARRAY_SIZE(both); i++) {
		type.type_id = both[i] ? both[i]->find(both[i], e->text) : 0;
		if (!type.type_id)
			continue;
		n = checker__unary(c, CHECKED_CONVERT, type, a);
		n->types = both[i];
		return n;
	}
	expr__fail(c->err, e->at, e->a->at - e->at, "there is no struct %.64s", e->text);
	return NULL;
}

/* The string that a number is the address of. */
static const struct checked *cast_to_text(struct checker *c, const struct checked *a)
{
	struct checked *n = checker__unary(c, CHECKED_MEMORY, type_text, a);

	n->type.user = a->type.user;
	n->field.type = n->type;
	n->field.text_at = TEXT_ARRAY;
	n->field.length = QUESTION_TEXT;
	return n;
}

const struct checked *checker__cast(struct checker *c, const struct expr *e)
{
	const struct checked *a = checker__check(c, e->a);

	if (!a || !checker__want_number(c, e->a, a))
		return NULL;
	if (!e->size && !strcmp(e->text, "char"))
		return cast_to_text(c, a);
	if (!e->size)
		return cast_to_record(c, e, a);
	/* Always a node: what is cast is no bit field any more. */
	return checker__unary(c, CHECKED_CONVERT, TYPE(e->size, !e->is_unsigned), a);
}
