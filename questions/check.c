// SPDX-License-Identifier: GPL-2.0-only
/* Names become places, and C's conversions become nodes. */
#include "questions/check.h"

#include <stdio.h>

struct checker {
	const struct check_scope *scope;
	struct arena *arena;
	struct expr_error *err;
};

static const struct checked *check(struct checker *c, const struct expr *e);

#define TYPE(bytes, sign) ((struct field_type){.kind = TYPE_INT, .size = bytes, .is_signed = sign})
static const struct field_type type_int = {.kind = TYPE_INT, .size = 4, .is_signed = true};
static const struct field_type type_u64 = {.kind = TYPE_INT, .size = 8};
static const struct field_type type_text = {.kind = TYPE_TEXT};

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

/* --- nodes --- */

static u8 pair_need(const struct checked *a, const struct checked *b)
{
	return a->need == b->need ? a->need + 1 : MAX(a->need, b->need);
}

static struct checked *node(struct checker *c, enum checked_op op, struct field_type type)
{
	struct checked *n = arena__alloc(c->arena, sizeof(*n));

	n->op = op;
	n->type = type;
	return n;
}

static struct checked *unary(struct checker *c, enum checked_op op, struct field_type type,
			     const struct checked *a)
{
	struct checked *n = node(c, op, type);

	n->a = a;
	n->need = a->need;
	return n;
}

static struct checked *binary(struct checker *c, enum checked_op op, struct field_type type,
			      const struct checked *a, const struct checked *b)
{
	struct checked *n = unary(c, op, type, a);

	n->b = b;
	n->need = pair_need(a, b);
	return n;
}

static bool same_type(struct field_type a, struct field_type b)
{
	return a.kind == b.kind && a.size == b.size && a.is_signed == b.is_signed;
}

static const struct checked *convert(struct checker *c, const struct checked *a,
				     struct field_type type)
{
	return same_type(a->type, type) ? a : unary(c, CHECKED_CONVERT, type, a);
}

static bool is_number(const struct checked *a)
{
	return a->type.kind == TYPE_INT || a->type.kind == TYPE_POINTER;
}

/* Integer promotions. A bit field of less than 32 bits is an int, too. */
static const struct checked *promote(struct checker *c, const struct checked *a)
{
	bool is_field = a->op == CHECKED_CONTEXT || a->op == CHECKED_MEMORY;

	if (a->type.kind == TYPE_POINTER) {
		struct field_type type = type_u64;

		type.user = a->type.user;
		return convert(c, a, type);
	}
	if (a->type.size < 4 || (is_field && a->field.bits && a->field.bits < 32)) {
		struct checked *n;

		if (same_type(a->type, type_int))
			return a;
		n = unary(c, CHECKED_CONVERT, type_int, a);
		n->type.type_id = a->type.type_id; /* an enum's value has its name still */
		n->types = a->types;
		return n;
	}
	return a;
}

/* What is computed is no enum's value any more. */
static struct field_type plain(struct field_type type)
{
	type.type_id = 0;
	return type;
}

/* The usual arithmetic conversions of two promoted types. */
static struct field_type common_type(struct field_type a, struct field_type b)
{
	if (a.size != b.size)
		return plain(a.size > b.size ? a : b);
	return plain(a.is_signed ? b : a);
}

/* --- what is wrong --- */

static const struct checked *fail(struct checker *c, const struct expr *e, const char *msg)
{
	expr__fail(c->err, e->at, e->length, "%s", msg);
	return NULL;
}

static const char *kind_name(const struct checked *a)
{
	static const char *const names[] = {
		[TYPE_INT] = "a number",      [TYPE_TEXT] = "a string",
		[TYPE_POINTER] = "a pointer", [TYPE_RECORD] = "a struct or array",
		[TYPE_STACK] = "a stack",
	};

	return names[a->type.kind];
}

static bool want_number(struct checker *c, const struct expr *e, const struct checked *a)
{
	if (is_number(a))
		return true;
	expr__fail(c->err, e->at, e->length, "this is %s, and a number is expected%s", kind_name(a),
		   a->type.kind == TYPE_RECORD ? ": take a member of it" : "");
	return false;
}

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

static const struct checked *fail_field(struct checker *c, const struct expr *e)
{
	const struct field_resolver *r = c->scope->fields;
	struct name_list list = {.text = ""};
	char name[64];

	for (u32 i = 0; r && r->name(r, i, name, sizeof(name)); i++)
		if (strncmp(name, "common_", 7) && !name_list__add(&list, name))
			break;
	if (!strcmp(e->text, "ret"))
		return fail(c, e, "ret is of events that return: uretprobe, kretprobe, sys_exit_*");
	expr__fail(c->err, e->at, e->length, "no field `%.64s`: %.80s %s%s", e->text,
		   r && r->event ? r->event : "this", list.n ? "has " : "has no fields, only words",
		   list.text);
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
	struct checked *n = node(c, CHECKED_NUMBER, type_u64);

	n->number = number;
	return n;
}

static const struct checked *number_field(struct checker *c, const struct field *f)
{
	return convert(c, number_u64(c, (u64)f->number), f->type);
}

static const struct checked *register_node(struct checker *c, u32 offset)
{
	struct checked *n = node(c, CHECKED_CONTEXT, type_u64);

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
	return binary(c, CHECKED_SIZED_TEXT, n->type, &parts[0], &parts[1]);
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
		at = binary(c, CHECKED_ADD, type_u64, at,
			    binary(c, CHECKED_MUL, type_u64, register_node(c, f->index),
				   number_u64(c, f->scale)));
	type.user = true;
	sum = binary(c, CHECKED_ADD, type, at, number_u64(c, (u64)f->number));
	n = unary(c, CHECKED_MEMORY, f->type, sum);
	n->field = *f;
	n->field.at = FIELD_IN_CONTEXT;
	n->field.offset = n->field.index = 0;
	n->types = c->scope->fields->types;
	return is_sized_text(n) ? sized_text(c, n) : n;
}

static const struct checked *field_node(struct checker *c, const struct expr *e,
					const struct field *f)
{
	struct checked *n;

	if (f->unreadable)
		return fail(c, e, f->why ? f->why : "programs cannot read this field");
	if (f->at == FIELD_NUMBER)
		return number_field(c, f);
	if (f->at == FIELD_AT_ADDRESS)
		return address_field(c, f);
	if (f->at == FIELD_KEPT) {
		n = node(c, CHECKED_ENTRY, f->type);
		n->index = f->index;
		return n;
	}
	n = node(c, CHECKED_CONTEXT, f->type);
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
		n = node(c, i == WORD_COMM ? CHECKED_COMM : CHECKED_WORD, words[i].type);
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

static const struct checked *check_name(struct checker *c, const struct expr *e)
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
		n = unary(c, CHECKED_MEMORY, f.type, a);
	} else {
		if (__builtin_add_overflow(f.offset, a->field.offset, &f.offset) ||
		    f.offset > INT32_MAX)
			return fail(c, e, "this member is too far from the struct's begin");
		n = node(c, a->op, f.type);
		n->a = a->a;
		n->need = a->need;
	}
	n->field = f;
	n->types = a->types;
	return is_sized_text(n) ? sized_text(c, n) : n;
}

static const struct checked *check_member(struct checker *c, const struct expr *e)
{
	const struct checked *a = check_own_word(c, e);
	struct field f = {0};

	if (a)
		return a;
	a = check(c, e->a);
	if (!a)
		return NULL;
	if (a->type.kind != TYPE_POINTER && a->type.kind != TYPE_RECORD) {
		expr__fail(c->err, e->a->at, e->a->length, "this is %s, which has no members",
			   kind_name(a));
		return NULL;
	}
	if (!a->type.type_id || !a->types)
		return fail(c, e->a,
			    "what this is made of is not known: (struct NAME *) before it says so");
	if (a->types->member(a->types, a->type.type_id, e->text, &f))
		return fail_member(c, e, a);
	if (f.unreadable)
		return fail(c, e, f.why);
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
		n = unary(c, CHECKED_CONVERT, type, a);
		n->types = both[i];
		return n;
	}
	expr__fail(c->err, e->at, e->a->at - e->at, "there is no struct %.64s", e->text);
	return NULL;
}

/* The string that a number is the address of. */
static const struct checked *cast_to_text(struct checker *c, const struct checked *a)
{
	struct checked *n = unary(c, CHECKED_MEMORY, type_text, a);

	n->type.user = a->type.user;
	n->field.type = n->type;
	n->field.text_at = TEXT_ARRAY;
	n->field.length = QUESTION_TEXT;
	return n;
}

static const struct checked *check_cast(struct checker *c, const struct expr *e)
{
	const struct checked *a = check(c, e->a);

	if (!a || !want_number(c, e->a, a))
		return NULL;
	if (!e->size && !strcmp(e->text, "char"))
		return cast_to_text(c, a);
	if (!e->size)
		return cast_to_record(c, e, a);
	/* Always a node: what is cast is no bit field any more. */
	return unary(c, CHECKED_CONVERT, TYPE(e->size, !e->is_unsigned), a);
}

/* --- entry() --- */

static const struct checked *kept(struct checker *c, const struct expr *e, const struct checked *a)
{
	struct entry_list *l = c->scope->entries;
	bool text = a->type.kind == TYPE_TEXT;
	const struct checked **list = text ? l->texts : l->numbers;
	u32 *n = text ? &l->ntexts : &l->nnumbers,
	    room = text ? QUESTION_ENTRY_TEXTS : QUESTION_ENTRIES, i;
	struct checked *out;

	for (i = 0; i < *n; i++)
		if (checked__equal(list[i], a))
			break;
	if (i == room) {
		expr__fail(c->err, e->at, e->length, "at most %u %s are kept by entry()", room,
			   text ? "strings" : "numbers");
		return NULL;
	}
	if (i == *n)
		list[(*n)++] = a;
	out = node(c, CHECKED_ENTRY, a->type);
	out->index = i;
	out->types = a->types;
	return out;
}

static const struct checked *check_entry(struct checker *c, const struct expr *e)
{
	struct check_scope begin = *c->scope;
	struct checker inner = *c;
	const struct checked *a;

	if (!c->scope->begin || !c->scope->entries)
		return fail(c, e, "entry() is of what has a begin: at the end of span and hold");
	begin.fields = c->scope->begin;
	begin.begin = NULL;
	begin.words &= ~(1u << WORD_LATENCY);
	inner.scope = &begin;
	a = check(&inner, e->a);
	if (!a)
		return NULL;
	if (a->type.kind == TYPE_RECORD)
		return fail(c, e->a, "this is a struct or array: take a member of it");
	return kept(c, e, a->type.kind == TYPE_INT ? promote(c, a) : a);
}

/* --- operators --- */

static const struct checked *check_number(struct checker *c, const struct expr *e)
{
	struct checked *n = node(c, CHECKED_NUMBER, TYPE(e->size, !e->is_unsigned));

	n->number = e->number;
	return n;
}

static const struct checked *check_text(struct checker *c, const struct expr *e)
{
	struct checked *n = node(c, CHECKED_TEXT, type_text);

	n->text = e->text;
	return n;
}

static const struct checked *check_prefixed(struct checker *c, const struct expr *e)
{
	const struct checked *a = check(c, e->a);

	if (!a || !want_number(c, e->a, a))
		return NULL;
	a = promote(c, a);
	if (e->op == EXPR_PLUS)
		return a;
	if (e->op == EXPR_NOT)
		return unary(c, CHECKED_NOT, type_int, a);
	return unary(c, e->op == EXPR_NEG ? CHECKED_NEG : CHECKED_FLIP, plain(a->type), a);
}

static const struct checked *same_texts(struct checker *c, const struct expr *e,
					const struct checked *a, const struct checked *b)
{
	const struct checked *same;

	if (e->op != EXPR_EQ && e->op != EXPR_NE)
		return fail(c, e, "strings are compared by ==, != and ~ alone");
	same = binary(c, CHECKED_SAME_TEXT, type_int, a, b);
	return e->op == EXPR_EQ ? same : unary(c, CHECKED_NOT, type_int, same);
}

/* Where one is a text, or both are: NULL with err filled when that cannot be. */
static const struct checked *check_texts(struct checker *c, const struct expr *e,
					 const struct checked *a, const struct checked *b)
{
	if (a->type.kind == TYPE_TEXT && b->type.kind == TYPE_TEXT)
		return same_texts(c, e, a, b);
	if ((a->type.kind == TYPE_TEXT && is_number(b)) ||
	    (b->type.kind == TYPE_TEXT && is_number(a)))
		return fail(c, e, "a string is compared with a number");
	want_number(c, is_number(a) ? e->b : e->a, is_number(a) ? b : a);
	return NULL;
}

static const struct checked *check_glob(struct checker *c, const struct expr *e)
{
	const struct checked *a = check(c, e->a);
	struct checked *n;

	if (!a)
		return NULL;
	if (a->type.kind != TYPE_TEXT) {
		expr__fail(c->err, e->a->at, e->a->length, "~ matches strings, and this is %s",
			   kind_name(a));
		return NULL;
	}
	if (e->b->op != EXPR_TEXT)
		return fail(c, e->b, "a glob in double quotes is expected here: ~ \"/etc/*\"");
	n = unary(c, CHECKED_GLOB, type_int, a);
	n->text = e->b->text;
	return n;
}

static const struct checked *check_compare(struct checker *c, const struct expr *e,
					   const struct checked *a, const struct checked *b)
{
	struct field_type type = common_type(a->type, b->type);

	a = convert(c, a, type);
	b = convert(c, b, type);
	switch (e->op) {
	case EXPR_EQ:
		return binary(c, CHECKED_EQ, type_int, a, b);
	case EXPR_NE:
		return unary(c, CHECKED_NOT, type_int, binary(c, CHECKED_EQ, type_int, a, b));
	case EXPR_LT:
		return binary(c, CHECKED_LT, type_int, a, b);
	case EXPR_LE:
		return binary(c, CHECKED_LE, type_int, a, b);
	case EXPR_GT:
		return binary(c, CHECKED_LT, type_int, b, a);
	default:
		return binary(c, CHECKED_LE, type_int, b, a);
	}
}

static const struct checked *check_arithmetic(struct checker *c, const struct expr *e,
					      const struct checked *a, const struct checked *b)
{
	static const u8 ops[EXPR_OPS] = {
		[EXPR_MUL] = CHECKED_MUL, [EXPR_DIV] = CHECKED_DIV, [EXPR_MOD] = CHECKED_MOD,
		[EXPR_ADD] = CHECKED_ADD, [EXPR_SUB] = CHECKED_SUB, [EXPR_AND] = CHECKED_AND,
		[EXPR_XOR] = CHECKED_XOR, [EXPR_OR] = CHECKED_OR,
	};
	struct field_type type = common_type(a->type, b->type);

	return binary(c, ops[e->op], type, convert(c, a, type), convert(c, b, type));
}

static const struct checked *check_logic(struct checker *c, const struct expr *e,
					 const struct checked *a, const struct checked *b)
{
	struct checked *n =
		binary(c, e->op == EXPR_BOTH ? CHECKED_BOTH : CHECKED_EITHER, type_int, a, b);

	n->need = MAX(a->need, b->need);
	return n;
}

static const struct checked *check_binary(struct checker *c, const struct expr *e)
{
	const struct checked *a = check(c, e->a), *b = a ? check(c, e->b) : NULL;
	bool logic = e->op == EXPR_BOTH || e->op == EXPR_EITHER;

	if (!b)
		return NULL;
	if (!is_number(a) || !is_number(b)) {
		if (!logic && e->op >= EXPR_LT && e->op <= EXPR_NE)
			return check_texts(c, e, a, b);
		want_number(c, is_number(a) ? e->b : e->a, is_number(a) ? b : a);
		return NULL;
	}
	a = promote(c, a);
	b = promote(c, b);
	if (logic)
		return check_logic(c, e, a, b);
	if (e->op == EXPR_SHL || e->op == EXPR_SHR)
		return binary(c, e->op == EXPR_SHL ? CHECKED_SHL : CHECKED_SHR, plain(a->type), a,
			      b);
	if (e->op >= EXPR_LT && e->op <= EXPR_NE)
		return check_compare(c, e, a, b);
	return check_arithmetic(c, e, a, b);
}

static const struct checked *check_if(struct checker *c, const struct expr *e)
{
	const struct checked *a = check(c, e->a), *b = a ? check(c, e->b) : NULL,
			     *d = b ? check(c, e->c) : NULL;
	struct field_type type;
	struct checked *n;

	if (!d || !want_number(c, e->a, a) || !want_number(c, e->b, b) || !want_number(c, e->c, d))
		return NULL;
	b = promote(c, b);
	d = promote(c, d);
	type = common_type(b->type, d->type);
	n = unary(c, CHECKED_IF, type, promote(c, a));
	n->b = convert(c, b, type);
	n->c = convert(c, d, type);
	n->need = MAX(MAX(a->need, b->need), d->need);
	return n;
}

static const struct checked *check(struct checker *c, const struct expr *e)
{
	switch (e->op) {
	case EXPR_NUMBER:
		return check_number(c, e);
	case EXPR_TEXT:
		return check_text(c, e);
	case EXPR_NAME:
		return check_name(c, e);
	case EXPR_MEMBER:
		return check_member(c, e);
	case EXPR_ENTRY:
		return check_entry(c, e);
	case EXPR_CAST:
		return check_cast(c, e);
	case EXPR_NOT:
	case EXPR_FLIP:
	case EXPR_NEG:
	case EXPR_PLUS:
		return check_prefixed(c, e);
	case EXPR_GLOB:
		return check_glob(c, e);
	case EXPR_IF:
		return check_if(c, e);
	default:
		return check_binary(c, e);
	}
}

/* --- */

bool checked__equal(const struct checked *a, const struct checked *b)
{
	if (!a || !b)
		return a == b;
	if (a->op != b->op || !same_type(a->type, b->type) || a->number != b->number ||
	    a->index != b->index || !a->text != !b->text || (a->text && strcmp(a->text, b->text)))
		return false;
	if (a->field.offset != b->field.offset || a->field.length != b->field.length ||
	    a->field.text_at != b->field.text_at || a->field.bit_at != b->field.bit_at ||
	    a->field.bits != b->field.bits || a->field.wide != b->field.wide ||
	    a->type.user != b->type.user)
		return false;
	return checked__equal(a->a, b->a) && checked__equal(a->b, b->b) &&
	       checked__equal(a->c, b->c);
}

bool checked__reads_context(const struct checked *a, u32 offset)
{
	if (!a)
		return false;
	if (a->op == CHECKED_CONTEXT && a->field.offset - offset < 8)
		return true;
	return checked__reads_context(a->a, offset) || checked__reads_context(a->b, offset) ||
	       checked__reads_context(a->c, offset);
}

const struct checked *expr__check(const struct expr *e, const struct check_scope *scope,
				  enum check_want want, struct arena *a, struct expr_error *err)
{
	struct checker c = {.scope = scope, .arena = a, .err = err};
	const struct checked *n = check(&c, e);

	if (!n)
		return NULL;
	if (want == WANT_NUMBER || is_number(n))
		return want_number(&c, e, n) ? promote(&c, n) : NULL;
	if (n->type.kind == TYPE_RECORD)
		return fail(&c, e, "this is a struct or array: take a member of it");
	return n;
}

const struct checked *checked__both(const struct checked *a, const struct checked *b,
				    struct arena *arena)
{
	struct checker c = {.arena = arena};
	struct checked *n;

	if (!a || !b)
		return a ? a : b;
	n = binary(&c, CHECKED_BOTH, type_int, a, b);
	n->need = MAX(a->need, b->need);
	return n;
}
