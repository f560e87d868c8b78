// SPDX-License-Identifier: GPL-2.0-only
/* Nodes of what was checked: how they are made, and C's conversions of their types. */
#include "questions/check_impl.h"

static u8 pair_need(const struct checked *a, const struct checked *b)
{
	return a->need == b->need ? a->need + 1 : MAX(a->need, b->need);
}

struct checked *checker__node(struct checker *c, enum checked_op op, struct field_type type)
{
	struct checked *n = arena__alloc(c->arena, sizeof(*n));

	n->op = op;
	n->type = type;
	return n;
}

struct checked *checker__unary(struct checker *c, enum checked_op op, struct field_type type,
			     const struct checked *a)
{
	struct checked *n = checker__node(c, op, type);

	n->a = a;
	n->need = a->need;
	return n;
}

struct checked *checker__binary(struct checker *c, enum checked_op op, struct field_type type,
			      const struct checked *a, const struct checked *b)
{
	struct checked *n = checker__unary(c, op, type, a);

	n->b = b;
	n->need = pair_need(a, b);
	return n;
}

bool field_type__same(struct field_type a, struct field_type b)
{
	return a.kind == b.kind && a.size == b.size && a.is_signed == b.is_signed;
}

const struct checked *checker__convert(struct checker *c, const struct checked *a,
				     struct field_type type)
{
	return field_type__same(a->type, type) ? a : checker__unary(c, CHECKED_CONVERT, type, a);
}

bool checked__is_number(const struct checked *a)
{
	return a->type.kind == TYPE_INT || a->type.kind == TYPE_POINTER;
}

/* Integer promotions. A bit field of less than 32 bits is an int, too. */
const struct checked *checker__promote(struct checker *c, const struct checked *a)
{
	bool is_field = a->op == CHECKED_CONTEXT || a->op == CHECKED_MEMORY;

	if (a->type.kind == TYPE_POINTER) {
		struct field_type type = type_u64;

		type.user = a->type.user;
		return checker__convert(c, a, type);
	}
	if (a->type.size < 4 || (is_field && a->field.bits && a->field.bits < 32)) {
		struct checked *n;

		if (field_type__same(a->type, type_int))
			return a;
		n = checker__unary(c, CHECKED_CONVERT, type_int, a);
		n->type.type_id = a->type.type_id; /* an enum's value has its name still */
		n->types = a->types;
		return n;
	}
	return a;
}

/* What is computed is no enum's value any more. */
struct field_type field_type__plain(struct field_type type)
{
	type.type_id = 0;
	return type;
}

/* The usual arithmetic conversions of two promoted types. */
struct field_type field_type__common(struct field_type a, struct field_type b)
{
	if (a.size != b.size)
		return field_type__plain(a.size > b.size ? a : b);
	return field_type__plain(a.is_signed ? b : a);
}

bool checked__equal(const struct checked *a, const struct checked *b)
{
	if (!a || !b)
		return a == b;
	if (a->op != b->op || !field_type__same(a->type, b->type) || a->number != b->number ||
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

const struct checked *checked__both(const struct checked *a, const struct checked *b,
				    struct arena *arena)
{
	struct checker c = {.arena = arena};
	struct checked *n;

	if (!a || !b)
		return a ? a : b;
	n = checker__binary(&c, CHECKED_BOTH, type_int, a, b);
	n->need = MAX(a->need, b->need);
	return n;
}
