// SPDX-License-Identifier: GPL-2.0-only
/* Expressions are checked: what is expected where, and which node that is. */
#include "questions/check_impl.h"

/* --- what is wrong --- */

const struct checked *checker__fail(struct checker *c, const struct expr *e, const char *msg)
{
	expr__fail(c->err, e->at, e->length, "%s", msg);
	return NULL;
}

const char *checked__kind_name(const struct checked *a)
{
	static const char *const names[] = {
		[TYPE_INT] = "a number",      [TYPE_TEXT] = "a string",
		[TYPE_POINTER] = "a pointer", [TYPE_RECORD] = "a struct or array",
		[TYPE_STACK] = "a stack",
	};

	return names[a->type.kind];
}

bool checker__want_number(struct checker *c, const struct expr *e, const struct checked *a)
{
	if (checked__is_number(a))
		return true;
	expr__fail(c->err, e->at, e->length, "this is %s, and a number is expected%s", checked__kind_name(a),
		   a->type.kind == TYPE_RECORD ? ": take a member of it" : "");
	return false;
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
	out = checker__node(c, CHECKED_ENTRY, a->type);
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
		return checker__fail(c, e, "entry() is of what has a begin: at the end of span and hold");
	begin.fields = c->scope->begin;
	begin.begin = NULL;
	begin.words &= ~(1u << WORD_LATENCY);
	inner.scope = &begin;
	a = checker__check(&inner, e->a);
	if (!a)
		return NULL;
	if (a->type.kind == TYPE_RECORD)
		return checker__fail(c, e->a, "this is a struct or array: take a member of it");
	return kept(c, e, a->type.kind == TYPE_INT ? checker__promote(c, a) : a);
}

/* --- operators --- */

static const struct checked *check_number(struct checker *c, const struct expr *e)
{
	struct checked *n = checker__node(c, CHECKED_NUMBER, TYPE(e->size, !e->is_unsigned));

	n->number = e->number;
	return n;
}

static const struct checked *check_text(struct checker *c, const struct expr *e)
{
	struct checked *n = checker__node(c, CHECKED_TEXT, type_text);

	n->text = e->text;
	return n;
}

static const struct checked *check_prefixed(struct checker *c, const struct expr *e)
{
	const struct checked *a = checker__check(c, e->a);

	if (!a || !checker__want_number(c, e->a, a))
		return NULL;
	a = checker__promote(c, a);
	if (e->op == EXPR_PLUS)
		return a;
	if (e->op == EXPR_NOT)
		return checker__unary(c, CHECKED_NOT, type_int, a);
	return checker__unary(c, e->op == EXPR_NEG ? CHECKED_NEG : CHECKED_FLIP,
			      field_type__plain(a->type), a);
}

static const struct checked *same_texts(struct checker *c, const struct expr *e,
					const struct checked *a, const struct checked *b)
{
	const struct checked *same;

	if (e->op != EXPR_EQ && e->op != EXPR_NE)
		return checker__fail(c, e, "strings are compared by ==, != and ~ alone");
	same = checker__binary(c, CHECKED_SAME_TEXT, type_int, a, b);
	return e->op == EXPR_EQ ? same : checker__unary(c, CHECKED_NOT, type_int, same);
}

/* Where one is a text, or both are: NULL with err filled when that cannot be. */
static const struct checked *check_texts(struct checker *c, const struct expr *e,
					 const struct checked *a, const struct checked *b)
{
	if (a->type.kind == TYPE_TEXT && b->type.kind == TYPE_TEXT)
		return same_texts(c, e, a, b);
	if ((a->type.kind == TYPE_TEXT && checked__is_number(b)) ||
	    (b->type.kind == TYPE_TEXT && checked__is_number(a)))
		return checker__fail(c, e, "a string is compared with a number");
	checker__want_number(c, checked__is_number(a) ? e->b : e->a, checked__is_number(a) ? b : a);
	return NULL;
}

static const struct checked *check_glob(struct checker *c, const struct expr *e)
{
	const struct checked *a = checker__check(c, e->a);
	struct checked *n;

	if (!a)
		return NULL;
	if (a->type.kind != TYPE_TEXT) {
		expr__fail(c->err, e->a->at, e->a->length, "~ matches strings, and this is %s",
			   checked__kind_name(a));
		return NULL;
	}
	if (e->b->op != EXPR_TEXT)
		return checker__fail(c, e->b, "a glob in double quotes is expected here: ~ \"/etc/*\"");
	n = checker__unary(c, CHECKED_GLOB, type_int, a);
	n->text = e->b->text;
	return n;
}

static const struct checked *check_compare(struct checker *c, const struct expr *e,
					   const struct checked *a, const struct checked *b)
{
	struct field_type type = field_type__common(a->type, b->type);

	a = checker__convert(c, a, type);
	b = checker__convert(c, b, type);
	switch (e->op) {
	case EXPR_EQ:
		return checker__binary(c, CHECKED_EQ, type_int, a, b);
	case EXPR_NE:
		return checker__unary(c, CHECKED_NOT, type_int, checker__binary(c, CHECKED_EQ, type_int, a, b));
	case EXPR_LT:
		return checker__binary(c, CHECKED_LT, type_int, a, b);
	case EXPR_LE:
		return checker__binary(c, CHECKED_LE, type_int, a, b);
	case EXPR_GT:
		return checker__binary(c, CHECKED_LT, type_int, b, a);
	default:
		return checker__binary(c, CHECKED_LE, type_int, b, a);
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
	struct field_type type = field_type__common(a->type, b->type);

	return checker__binary(c, ops[e->op], type, checker__convert(c, a, type), checker__convert(c, b, type));
}

static const struct checked *check_logic(struct checker *c, const struct expr *e,
					 const struct checked *a, const struct checked *b)
{
	struct checked *n =
		checker__binary(c, e->op == EXPR_BOTH ? CHECKED_BOTH : CHECKED_EITHER, type_int, a, b);

	n->need = MAX(a->need, b->need);
	return n;
}

static const struct checked *check_binary(struct checker *c, const struct expr *e)
{
	const struct checked *a = checker__check(c, e->a), *b = a ? checker__check(c, e->b) : NULL;
	bool logic = e->op == EXPR_BOTH || e->op == EXPR_EITHER;

	if (!b)
		return NULL;
	if (!checked__is_number(a) || !checked__is_number(b)) {
		if (!logic && e->op >= EXPR_LT && e->op <= EXPR_NE)
			return check_texts(c, e, a, b);
		checker__want_number(c, checked__is_number(a) ? e->b : e->a, checked__is_number(a) ? b : a);
		return NULL;
	}
	a = checker__promote(c, a);
	b = checker__promote(c, b);
	if (logic)
		return check_logic(c, e, a, b);
	if (e->op == EXPR_SHL || e->op == EXPR_SHR)
		return checker__binary(c, e->op == EXPR_SHL ? CHECKED_SHL : CHECKED_SHR,
				       field_type__plain(a->type), a,
			      b);
	if (e->op >= EXPR_LT && e->op <= EXPR_NE)
		return check_compare(c, e, a, b);
	return check_arithmetic(c, e, a, b);
}

static const struct checked *check_if(struct checker *c, const struct expr *e)
{
	const struct checked *a = checker__check(c, e->a), *b = a ? checker__check(c, e->b) : NULL,
			     *d = b ? checker__check(c, e->c) : NULL;
	struct field_type type;
	struct checked *n;

	if (!d || !checker__want_number(c, e->a, a) || !checker__want_number(c, e->b, b) ||
	    !checker__want_number(c, e->c, d))
		return NULL;
	b = checker__promote(c, b);
	d = checker__promote(c, d);
	type = field_type__common(b->type, d->type);
	n = checker__unary(c, CHECKED_IF, type, checker__promote(c, a));
	n->b = checker__convert(c, b, type);
	n->c = checker__convert(c, d, type);
	n->need = MAX(MAX(a->need, b->need), d->need);
	return n;
}

const struct checked *checker__check(struct checker *c, const struct expr *e)
{
	switch (e->op) {
	case EXPR_NUMBER:
		return check_number(c, e);
	case EXPR_TEXT:
		return check_text(c, e);
	case EXPR_NAME:
		return checker__name(c, e);
	case EXPR_MEMBER:
		return checker__member(c, e);
	case EXPR_ENTRY:
		return check_entry(c, e);
	case EXPR_CAST:
		return checker__cast(c, e);
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

const struct checked *expr__check(const struct expr *e, const struct check_scope *scope,
				  enum check_want want, struct arena *a, struct expr_error *err)
{
	struct checker c = {.scope = scope, .arena = a, .err = err};
	const struct checked *n = checker__check(&c, e);

	if (!n)
		return NULL;
	if (want == WANT_NUMBER || checked__is_number(n))
		return checker__want_number(&c, e, n) ? checker__promote(&c, n) : NULL;
	if (n->type.kind == TYPE_RECORD)
		return checker__fail(&c, e, "this is a struct or array: take a member of it");
	return n;
}
