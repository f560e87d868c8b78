// SPDX-License-Identifier: GPL-2.0-only
#include "sources/question_btf.h"

#include <bpf/btf.h>
#include <stdio.h>

#include "base/arena.h"
#include "questions/registers.h"

#define NESTED_MOST 16 /* anonymous structs within each other, and modifiers of a type */

struct question_btf {
	struct type_resolver types;
	const struct btf *btf;
	struct btf_event *events; /* prepended to atomically */
};

/* Where an event's arguments are. */
enum argument_place { IN_WORDS, IN_REGISTERS, IN_RESULT };

struct btf_event {
	struct btf_event *next;
	struct field_resolver resolver;
	const struct question_btf *q;
	const struct btf_type *proto;
	u32 first; /* parameters before the arguments */
	enum argument_place place;
};

static const struct question_btf *btf_of(const struct type_resolver *r)
{
	return container_of(r, struct question_btf, types);
}

/* --- types --- */

/* Behind typedefs and qualifiers; notes the tag of pointers to user memory. */
static const struct btf_type *skip(const struct btf *btf, u32 *id, bool *user)
{
	const struct btf_type *t = btf__type_by_id(btf, *id);

	for (u32 i = 0; t && i < NESTED_MOST; i++) {
		if (!btf_is_mod(t) && !btf_is_typedef(t) && btf_kind(t) != BTF_KIND_TYPE_TAG)
			return t;
		if (btf_kind(t) == BTF_KIND_TYPE_TAG &&
		    !strcmp(btf__str_by_offset(btf, t->name_off), "user"))
			*user = true;
		*id = t->type;
		t = btf__type_by_id(btf, *id);
	}
	return NULL;
}

static bool is_char(const struct btf *btf, const struct btf_type *t)
{
	return btf_is_int(t) && t->size == 1 &&
	       !strcmp(btf__str_by_offset(btf, t->name_off), "char");
}

/* What is only announced in one file is defined in another. */
static u32 defined(const struct btf *btf, const struct btf_type *t, u32 id)
{
	int found;

	if (!btf_is_fwd(t))
		return id;
	found = btf__find_by_name_kind(btf, btf__str_by_offset(btf, t->name_off),
				       btf_kflag(t) ? BTF_KIND_UNION : BTF_KIND_STRUCT);
	return found > 0 ? (u32)found : 0;
}

static void set_pointer(const struct btf *btf, const struct btf_type *t, struct field *out)
{
	bool user = false;
	u32 id = t->type;
	const struct btf_type *to = id ? skip(btf, &id, &user) : NULL;

	out->type = (struct field_type){.kind = TYPE_POINTER, .size = 8, .user = user};
	if (!to)
		return;
	if (is_char(btf, to)) {
		out->type.kind = TYPE_TEXT;
		out->text_at = TEXT_POINTER;
	} else if (btf_is_composite(to) || btf_is_fwd(to)) {
		out->type.type_id = defined(btf, to, id);
	}
}

static void set_array(const struct btf *btf, const struct btf_type *t, struct field *out)
{
	bool user = false;
	u32 id = btf_array(t)->type;
	const struct btf_type *of = skip(btf, &id, &user);

	out->type = (struct field_type){.kind = TYPE_RECORD};
	if (!of || !is_char(btf, of))
		return;
	out->type.kind = TYPE_TEXT;
	out->text_at = TEXT_ARRAY;
	out->length = btf_array(t)->nelems ? btf_array(t)->nelems : UINT16_MAX;
}

static void set_number(const struct btf_type *t, u32 id, struct field *out)
{
	bool is_signed = btf_is_int(t) ? (btf_int_encoding(t) & BTF_INT_SIGNED) != 0 : btf_kflag(t);

	out->type = (struct field_type){
		.kind = t->size <= 8 ? TYPE_INT : TYPE_RECORD,
		.size = (u8)t->size,
		.is_signed = is_signed,
		.type_id = btf_is_any_enum(t) ? id : 0,
	};
}

/* 0 or -ENOENT: expressions have no such type. */
static int set_type(const struct btf *btf, u32 id, struct field *out)
{
	bool user = false;
	const struct btf_type *t = skip(btf, &id, &user);

	if (!t)
		return -ENOENT;
	if (btf_is_ptr(t))
		set_pointer(btf, t, out);
	else if (btf_is_array(t))
		set_array(btf, t, out);
	else if (btf_is_int(t) || btf_is_any_enum(t))
		set_number(t, id, out);
	else if (btf_is_composite(t))
		out->type = (struct field_type){.kind = TYPE_RECORD, .type_id = id};
	else
		return -ENOENT;
	return 0;
}

/* --- members --- */

/* A bit field is read as a whole number of its type, or of 8 bytes where it is not in one. */
static void set_bits(struct field *out, u32 bit, u32 bits)
{
	u32 unit = out->type.size * 8u;

	if (bit % unit + bits > unit)
		out->type.size = 8;
	out->offset = bit % unit + bits > unit ? bit / 8 : bit / unit * (unit / 8);
	out->bit_at = (u8)(bit - out->offset * 8);
	out->bits = (u8)bits;
}

static int set_member(const struct btf *btf, const struct btf_type *t, u32 i, u32 base,
		      struct field *out)
{
	u32 bit = btf_member_bit_offset(t, i), bits = btf_member_bitfield_size(t, i);

	*out = (struct field){.offset = 0};
	if (set_type(btf, btf_members(t)[i].type, out))
		return -ENOENT;
	out->offset = bit / 8;
	if (bits && out->type.kind == TYPE_INT)
		set_bits(out, bit, bits);
	out->offset += base;
	return 0;
}

/* Looks through members without names. */
static int find_member(const struct btf *btf, u32 id, const char *name, u32 base, u32 depth,
		       struct field *out)
{
	bool user = false;
	const struct btf_type *t = skip(btf, &id, &user);

	if (!t || !btf_is_composite(t) || depth > NESTED_MOST)
		return -ENOENT;
	for (u32 i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *own = btf__str_by_offset(btf, m->name_off);

		if (!strcmp(own, name))
			return set_member(btf, t, i, base, out);
		if (!*own && !find_member(btf, m->type, name,
					  base + btf_member_bit_offset(t, i) / 8, depth + 1, out))
			return 0;
	}
	return -ENOENT;
}

/* The i-th name, *i counted down; those within anonymous ones too. */
static const char *nth_member(const struct btf *btf, u32 id, u32 *i, u32 depth)
{
	bool user = false;
	const struct btf_type *t = skip(btf, &id, &user);

	if (!t || !btf_is_composite(t) || depth > NESTED_MOST)
		return NULL;
	for (u32 k = 0; k < btf_vlen(t); k++) {
		const struct btf_member *m = &btf_members(t)[k];
		const char *name = btf__str_by_offset(btf, m->name_off);

		if (!*name)
			name = nth_member(btf, m->type, i, depth + 1);
		else if ((*i)--)
			name = NULL;
		if (name)
			return name;
	}
	return NULL;
}

static u32 resolve_find(const struct type_resolver *r, const char *name)
{
	const struct btf *btf = btf_of(r)->btf;
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);

	if (id <= 0)
		id = btf__find_by_name_kind(btf, name, BTF_KIND_UNION);
	return id > 0 ? (u32)id : 0;
}

static int resolve_member(const struct type_resolver *r, u32 id, const char *name,
			  struct field *out)
{
	return *name ? find_member(btf_of(r)->btf, id, name, 0, 0, out) : -ENOENT;
}

static bool resolve_name(const struct type_resolver *r, u32 id, u32 i, char *buf, size_t size)
{
	const char *name = nth_member(btf_of(r)->btf, id, &i, 0);

	if (!name)
		return false;
	copy_str(buf, size, name);
	return true;
}

static u32 resolve_function(const struct type_resolver *r, const char *name)
{
	s32 id = btf__find_by_name_kind(btf_of(r)->btf, name, BTF_KIND_FUNC);

	return (u32)MAX(id, 0);
}

static bool resolve_constant(const struct type_resolver *r, u32 id, u32 i, char *buf, size_t size,
			     s64 *value)
{
	const struct btf *btf = btf_of(r)->btf;
	const struct btf_type *t = btf__type_by_id(btf, id);
	u32 name;

	if (!t || !btf_is_any_enum(t) || i >= btf_vlen(t))
		return false;
	if (btf_is_enum64(t)) {
		*value = (s64)btf_enum64_value(&btf_enum64(t)[i]);
		name = btf_enum64(t)[i].name_off;
	} else {
		*value = btf_kflag(t) ? btf_enum(t)[i].val : (s64)(u32)btf_enum(t)[i].val;
		name = btf_enum(t)[i].name_off;
	}
	copy_str(buf, size, btf__str_by_offset(btf, name));
	return true;
}

/* --- arguments --- */

static const struct btf_event *event_of(const struct field_resolver *r)
{
	return container_of(r, struct btf_event, resolver);
}

static u32 count_arguments(const struct btf_event *e)
{
	return e->place == IN_RESULT ? 1 : btf_vlen(e->proto) - e->first;
}

/* As the kernel calls it, or argN. */
static void argument_name(const struct btf_event *e, u32 i, char *buf, size_t size)
{
	const char *name = "ret";

	if (e->place != IN_RESULT)
		name = btf__str_by_offset(e->q->btf, btf_params(e->proto)[e->first + i].name_off);
	if (*name)
		copy_str(buf, size, name);
	else
		snprintf(buf, size, "arg%u", i);
}

static int argument_offset(const struct btf_event *e, u32 i)
{
	switch (e->place) {
	case IN_WORDS:
		return (int)(i * 8);
	case IN_REGISTERS:
		return registers__argument(i);
	default:
		return (int)registers__result();
	}
}

static int set_argument(const struct btf_event *e, u32 i, struct field *out)
{
	u32 type = e->place == IN_RESULT ? e->proto->type : btf_params(e->proto)[e->first + i].type;
	int offset = argument_offset(e, i);

	*out = (struct field){.offset = 0};
	if (offset < 0 || set_type(e->q->btf, type, out))
		return -ENOENT;
	if (out->type.kind == TYPE_RECORD) { /* by value: words of its own, or on the stack */
		out->unreadable = true;
		out->why = "structs that are passed by value cannot be had";
	}
	out->offset = (u32)offset;
	out->wide = out->type.kind == TYPE_INT;
	return 0;
}

static int resolve_argument(const struct field_resolver *r, const char *name, struct field *out)
{
	const struct btf_event *e = event_of(r);
	char own[64];

	for (u32 i = 0; i < count_arguments(e); i++) {
		argument_name(e, i, own, sizeof(own));
		if (!strcmp(own, name))
			return set_argument(e, i, out);
	}
	return -ENOENT;
}

static bool resolve_argument_name(const struct field_resolver *r, u32 i, char *buf, size_t size)
{
	const struct btf_event *e = event_of(r);

	if (i >= count_arguments(e))
		return false;
	argument_name(e, i, buf, size);
	return true;
}

static const struct field_resolver *new_event(struct question_btf *q, const struct btf_type *proto,
					      u32 first, enum argument_place place,
					      const char *name)
{
	struct btf_event *e;

	if (!proto || !btf_is_func_proto(proto) || btf_vlen(proto) < first)
		return NULL;
	e = xcalloc(1, sizeof(*e));
	e->resolver = (struct field_resolver){
		.field = resolve_argument,
		.name = resolve_argument_name,
		.types = &q->types,
		.event = xstrdup(name),
	};
	e->q = q;
	e->proto = proto;
	e->first = first;
	e->place = place;
	e->next = __atomic_load_n(&q->events, __ATOMIC_ACQUIRE);
	while (!__atomic_compare_exchange_n(&q->events, &e->next, e, false, __ATOMIC_RELEASE,
					    __ATOMIC_ACQUIRE))
		;
	return &e->resolver;
}

static const struct btf_type *function_proto(const struct btf *btf, const char *name)
{
	int id = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);

	return id > 0 ? btf__type_by_id(btf, btf__type_by_id(btf, (u32)id)->type) : NULL;
}

/* A typedef of the pointer to its callbacks, which names no parameters. */
static const struct btf_type *callback_proto(const struct btf *btf, const char *tracepoint)
{
	char name[96];
	const struct btf_type *t;
	int id;

	snprintf(name, sizeof(name), "btf_trace_%s", tracepoint);
	id = btf__find_by_name_kind(btf, name, BTF_KIND_TYPEDEF);
	t = id > 0 ? btf__type_by_id(btf, btf__type_by_id(btf, (u32)id)->type) : NULL;
	return t && btf_is_ptr(t) ? btf__type_by_id(btf, t->type) : NULL;
}

const struct field_resolver *question_btf__tracepoint(struct question_btf *q, const char *name)
{
	const struct btf_type *proto, *named;
	char function[96];

	snprintf(function, sizeof(function), "__traceiter_%s", name);
	proto = callback_proto(q->btf, name);
	named = function_proto(q->btf, function);
	if (proto && named && btf_is_func_proto(named) && btf_vlen(named) == btf_vlen(proto))
		proto = named;
	return new_event(q, proto, 1, IN_WORDS, name);
}

const struct field_resolver *question_btf__function(struct question_btf *q, const char *name,
						    bool returns)
{
	return new_event(q, function_proto(q->btf, name), 0, returns ? IN_RESULT : IN_REGISTERS,
			 name);
}

void question_btf__each_tracepoint(const struct question_btf *q, void (*each)(void *ctx, const char *name),
				   void *ctx)
{
	static const char prefix[] = "btf_trace_";

	for (u32 id = 1; id < btf__type_cnt(q->btf); id++) {
		const struct btf_type *t = btf__type_by_id(q->btf, id);
		const char *name = btf_is_typedef(t) ? btf__name_by_offset(q->btf, t->name_off) : NULL;

		if (name && !strncmp(name, prefix, sizeof(prefix) - 1))
			each(ctx, name + sizeof(prefix) - 1);
	}
}

/* --- */

struct question_btf *question_btf__new(const struct btf *btf)
{
	struct question_btf *q = xcalloc(1, sizeof(*q));

	q->btf = btf;
	q->types = (struct type_resolver){resolve_find, resolve_member, resolve_name, resolve_constant, resolve_function};
	return q;
}

void question_btf__free(struct question_btf *q)
{
	if (!q)
		return;
	for (struct btf_event *e = q->events, *next; e; e = next) {
		next = e->next;
		free((char *)e->resolver.event);
		free(e);
	}
	free(q);
}

const struct type_resolver *question_btf__types(const struct question_btf *q)
{
	return &q->types;
}
