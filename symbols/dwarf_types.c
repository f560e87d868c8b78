// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/dwarf_types.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>

#include "symbols/debuginfo.h"

static struct dwarf_types *types_of(const struct type_resolver *r)
{
	return (struct dwarf_types *)container_of(r, struct dwarf_types, resolver);
}

static const char *name_of(struct dwarf_types *t, Dwarf_Die *die)
{
	const char *name = debuginfo__die_name(t->debug, die);

	return name ? name : "";
}

/* --- strings of libraries --- */

/* A member by its name, itself only; false: there is none. */
static bool find_own(struct dwarf_types *t, Dwarf_Die *record, const char *name, Dwarf_Die *type,
		     u64 *at)
{
	Dwarf_Die m = {.addr = NULL};
	u64 begin;

	while (dwarf_type__next(record, &m, &begin))
		if (dwarf_tag(&m) == DW_TAG_member && !strcmp(name_of(t, &m), name)) {
			*at += begin;
			return dwarf_type__of(&m, type);
		}
	return false;
}

/* What lies at "a.b.c". */
static bool find_path(struct dwarf_types *t, const Dwarf_Die *record, const char *path,
		      Dwarf_Die *type, u64 *at)
{
	char name[32];

	*type = *record;
	for (*at = 0; *path; path += *path == '.') {
		Dwarf_Die in = *type;

		copy_str(name, MIN(sizeof(name), strcspn(path, ".") + 1), path);
		path += strcspn(path, ".");
		if (!dwarf_type__is_record(&in) || !find_own(t, &in, name, type, at))
			return false;
	}
	return true;
}

/* Down the first members, as Rust wraps its pointers in each other. */
static bool first_pointer(Dwarf_Die *type, u64 *at, u32 depth)
{
	Dwarf_Die m = {.addr = NULL}, inner;
	u64 begin;

	if (dwarf_type__is_pointer(type))
		return true;
	if (!dwarf_type__is_record(type) || depth == DWARF_NESTED)
		return false;
	while (dwarf_type__next(type, &m, &begin)) {
		u64 found = *at + begin;

		if (!dwarf_type__of(&m, &inner) || !first_pointer(&inner, &found, depth + 1))
			continue;
		*at = found;
		return true;
	}
	return false;
}

/* libstdc++'s, as it begins with the address of its bytes, whichever of its two layouts it has. */
#define STD_STRING "basic_string<char, std::char_traits<char>*"

static const struct string_type {
	const char *name; /* with * at its end: what begins so */
	const char *text, *length;
} string_types[] = {
	{STD_STRING, "_M_dataplus", "_M_string_length"},
	{"basic_string_view<char, *", "_M_str", "_M_len"},
	{"&str", "data_ptr", "length"},
	{"&mut str", "data_ptr", "length"},
	{"String", "vec.buf", "vec.len"},
	{"string", "str", "len"},
};

static bool is_called(const char *name, const char *what)
{
	size_t n = strcspn(what, "*");

	return what[n] ? !strncmp(name, what, n) : !strcmp(name, what);
}

bool dwarf_type__is_std_string(struct debuginfo *d, Dwarf_Die *type)
{
	const char *name = dwarf_type__is_record(type) ? debuginfo__die_name(d, type) : NULL;

	return name && is_called(name, STD_STRING);
}

/* Whether a record is a string: where in it is the address of its bytes, and their number. */
static bool is_string(struct dwarf_types *t, Dwarf_Die *type, u64 *text, u64 *length)
{
	const char *name = dwarf_type__is_record(type) ? name_of(t, type) : "";
	Dwarf_Die at;

	for (u32 i = 0; i < ARRAY_SIZE(string_types); i++) {
		const struct string_type *s = &string_types[i];

		if (is_called(name, s->name) && find_path(t, type, s->length, &at, length) &&
		    dwarf_type__size(&at) == 8 && find_path(t, type, s->text, &at, text) &&
		    first_pointer(&at, text, 0))
			return true;
	}
	return false;
}

/* --- types --- */

static u32 record_id(struct dwarf_types *t, Dwarf_Die *type, u32 base, const struct dwarf_place *place)
{
	Dwarf_Off die = dwarf_dieoffset(type);

	for (u32 i = 0; i < t->nrecords; i++)
		if (t->records[i].die == die && t->records[i].base == base &&
		    t->records[i].place == place)
			return i + 1;
	t->records = xgrow(t->records, t->nrecords, &t->records_cap, sizeof(*t->records));
	t->records[t->nrecords++] = (struct dwarf_record){die, base, place};
	return t->nrecords;
}

static bool is_char(struct dwarf_types *t, Dwarf_Die *type)
{
	u64 encoding = dwarf_die__number(type, DW_AT_encoding, 0);

	return dwarf_tag(type) == DW_TAG_base_type && dwarf_type__size(type) == 1 &&
	       (encoding == DW_ATE_signed_char || encoding == DW_ATE_unsigned_char) &&
	       !strcmp(name_of(t, type), "char");
}

static void set_unreadable(struct field *out, const char *why)
{
	out->type = (struct field_type){.kind = TYPE_INT, .size = 8};
	out->unreadable = true;
	out->why = why;
}

static void set_string(struct field *out, u64 text, u64 length)
{
	out->type = (struct field_type){.kind = TYPE_TEXT, .user = true};
	out->text_at = TEXT_SIZED;
	out->offset = (u32)text;
	out->length_at = (s32)(length - text);
}

static void set_pointer(struct dwarf_types *t, Dwarf_Die *type, struct field *out)
{
	Dwarf_Die to;

	out->type = (struct field_type){.kind = TYPE_POINTER, .size = 8, .user = true};
	if (!dwarf_type__of(type, &to))
		return;
	if (is_char(t, &to) && !dwarf_type__is_reference(type)) {
		out->type.kind = TYPE_TEXT;
		out->text_at = TEXT_POINTER;
	} else if (dwarf_type__is_record(&to)) {
		out->type.type_id = record_id(t, &to, 0, NULL);
	}
}

static void set_array(struct dwarf_types *t, Dwarf_Die *type, struct field *out)
{
	u64 n = dwarf_type__elements(type);
	Dwarf_Die of;

	out->type = (struct field_type){.kind = TYPE_RECORD, .user = true};
	if (!dwarf_type__of(type, &of) || !is_char(t, &of))
		return;
	out->type.kind = TYPE_TEXT;
	out->text_at = TEXT_ARRAY;
	out->length = n && n < UINT16_MAX ? (u32)n : UINT16_MAX;
}

static void set_number(Dwarf_Die *type, struct field *out)
{
	u64 encoding = dwarf_die__number(type, DW_AT_encoding, 0), size = dwarf_type__size(type);

	if (encoding == DW_ATE_float || encoding == DW_ATE_complex_float ||
	    encoding == DW_ATE_decimal_float)
		set_unreadable(out, "this is a number with a point, which programs of the kernel cannot "
				    "compute with");
	else if (size != 1 && size != 2 && size != 4 && size != 8)
		set_unreadable(out, "numbers have 1, 2, 4 or 8 bytes here");
	else
		out->type = (struct field_type){.kind = TYPE_INT,
						.size = (u8)size,
						.is_signed = encoding == DW_ATE_signed ||
							     encoding == DW_ATE_signed_char};
}

static bool has_negative(Dwarf_Die *type)
{
	Dwarf_Die c;
	s64 value;

	if (dwarf_child(type, &c))
		return false;
	do
		if (dwarf_tag(&c) == DW_TAG_enumerator && dwarf_enumerator__value(&c, &value) && value < 0)
			return true;
	while (!dwarf_siblingof(&c, &c));
	return false;
}

/* The type that an enum's values have is left out before DWARF 3. */
static void set_enum(struct dwarf_types *t, Dwarf_Die *type, struct field *out)
{
	Dwarf_Die of;

	if (dwarf_type__of(type, &of)) {
		set_number(&of, out);
	} else {
		set_number(type, out);
		out->type.is_signed = has_negative(type);
	}
	if (!out->unreadable)
		out->type.type_id = record_id(t, type, 0, NULL);
}

/* Of a value in memory, whose offset is its own. */
static void set_type(struct dwarf_types *t, Dwarf_Die *type, struct field *out)
{
	u64 text, length;

	switch (dwarf_tag(type)) {
	case DW_TAG_base_type:
		set_number(type, out);
		break;
	case DW_TAG_enumeration_type:
		set_enum(t, type, out);
		break;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		set_pointer(t, type, out);
		break;
	case DW_TAG_array_type:
		set_array(t, type, out);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		if (is_string(t, type, &text, &length))
			set_string(out, text, length);
		else if (dwarf_type__is_std_string(t->debug, type)) /* left to its library to describe */
			*out = (struct field){.type = {.kind = TYPE_TEXT, .user = true},
					      .text_at = TEXT_POINTER};
		else
			out->type = (struct field_type){.kind = TYPE_RECORD,
							.user = true,
							.type_id = record_id(t, type, 0, NULL)};
		break;
	default:
		set_unreadable(out, "values of this type cannot be had");
	}
}

/* --- places --- */

static bool find_part(const struct dwarf_place *p, u64 at, u64 size, u32 *context)
{
	for (u32 i = 0; i < p->nparts; i++) {
		const struct value_part *part = &p->parts[i];

		if (at < part->at || at + size > (u64)part->at + part->size)
			continue;
		*context = part->context + (u32)(at - part->at);
		return true;
	}
	return false;
}

static u64 bytes_of(const struct field *f)
{
	return f->type.kind == TYPE_INT ? f->type.size : f->text_at == TEXT_ARRAY ? f->length : 8;
}

/* A field of a value that is in registers. */
static void to_parts(struct dwarf_types *t, Dwarf_Die *type, const struct dwarf_place *p,
		     struct field *f)
{
	static const char why[] = "this part is in no register that a probe can read";
	u32 context, length;
	u64 at = f->offset;

	if (f->unreadable)
		return;
	if (f->type.kind == TYPE_RECORD) {
		f->type.type_id = f->type.type_id ? record_id(t, type, (u32)at, p) : 0;
		f->type.user = false;
		f->offset = 0;
		return;
	}
	if (!find_part(p, at, bytes_of(f), &context)) {
		set_unreadable(f, why);
		return;
	}
	f->offset = context;
	if (f->type.kind != TYPE_TEXT || f->text_at != TEXT_SIZED)
		return;
	if (!find_part(p, at + (u64)f->length_at, 8, &length))
		set_unreadable(f, why);
	else
		f->length_at = (s32)(length - context);
}

/* A register that leads to the value: of a reference, or to a string object. */
static bool is_behind(struct dwarf_types *t, Dwarf_Die *type, const struct dwarf_place *place,
		      struct field *out)
{
	Dwarf_Die to;
	u64 text, length;
	u32 context;

	if (place->kind != PLACE_PARTS || !dwarf_type__is_pointer(type) ||
	    !dwarf_type__of(type, &to) || !find_part(place, 0, 8, &context))
		return false;
	if (!is_string(t, &to, &text, &length) && !dwarf_type__is_std_string(t->debug, &to) &&
	    (!dwarf_type__is_reference(type) || dwarf_type__is_record(&to)))
		return false;
	*out = (struct field){.offset = 0};
	set_type(t, &to, out);
	out->at = FIELD_AT_ADDRESS;
	out->number = out->offset;
	out->offset = context;
	return true;
}

static void to_memory(const struct dwarf_place *place, struct field *f)
{
	f->at = FIELD_AT_ADDRESS;
	f->number = place->number + f->offset;
	f->offset = place->base;
}

static void to_number(const struct dwarf_place *place, struct field *f)
{
	if (f->type.kind != TYPE_INT) {
		set_unreadable(f, "the compiler made a constant of it");
		return;
	}
	f->at = FIELD_NUMBER;
	f->number = place->number;
}

void dwarf_types__field(struct dwarf_types *t, Dwarf_Die *type, const struct dwarf_place *place,
			struct field *out)
{
	*out = (struct field){.offset = 0};
	if (place->kind == PLACE_NONE)
		set_unreadable(out, place->why);
	if (place->kind == PLACE_NONE || is_behind(t, type, place, out))
		return;
	set_type(t, type, out);
	if (out->unreadable)
		return;
	if (place->kind == PLACE_PARTS)
		to_parts(t, type, arena__dup(&t->arena, place, sizeof(*place)), out);
	else if (place->kind == PLACE_MEMORY)
		to_memory(place, out);
	else
		to_number(place, out);
}

/* --- members --- */

/* As BTF's: read as a whole number of its type, or of 8 bytes where it is not in one. */
static void set_bits(struct field *out, u64 bit, u64 bits)
{
	u64 unit = out->type.size * 8u;

	if (bit % unit + bits > unit) {
		out->type.size = 8;
		unit = 8;
	}
	out->offset = (u32)(bit / unit * unit / 8);
	out->bit_at = (u8)(bit - out->offset * 8ull);
	out->bits = (u8)bits;
}

/* DWARF 2 and 3 count bits from the other end of a unit that they name. */
static u64 bit_offset(Dwarf_Die *member, u64 at, u64 bits, u64 unit)
{
	u64 bit = dwarf_die__number(member, DW_AT_data_bit_offset, UINT64_MAX);

	if (bit != UINT64_MAX)
		return bit;
	bit = dwarf_die__number(member, DW_AT_bit_offset, 0);
	unit = dwarf_die__number(member, DW_AT_byte_size, unit);
	return at * 8 + unit * 8 - bits - bit;
}

static int set_member(struct dwarf_types *t, const struct dwarf_record *r, Dwarf_Die *member, u64 base,
		      u64 at, struct field *out)
{
	u64 bits = dwarf_die__number(member, DW_AT_bit_size, 0);
	Dwarf_Die type;

	*out = (struct field){.offset = 0};
	if (!dwarf_type__of(member, &type))
		return -ENOENT;
	set_type(t, &type, out);
	if (bits && bits < 64 && out->type.kind == TYPE_INT) {
		u64 bit = bit_offset(member, at, bits, out->type.size);

		if (bit > INT32_MAX)
			return -ENOENT;
		set_bits(out, bit, bits);
	} else {
		out->offset += (u32)at;
	}
	if (base + out->offset + r->base > INT32_MAX)
		return -ENOENT;
	out->offset += (u32)base + r->base;
	if (r->place)
		to_parts(t, &type, r->place, out);
	return 0;
}

/* Looks through members without names and base classes. */
static int find_member(struct dwarf_types *t, const struct dwarf_record *r, Dwarf_Die *record,
		       const char *name, u64 base, u32 depth, struct field *out)
{
	Dwarf_Die m = {.addr = NULL}, type;
	u64 at;

	while (dwarf_type__next(record, &m, &at)) {
		const char *own = dwarf_tag(&m) == DW_TAG_member ? name_of(t, &m) : "";

		if (!strcmp(own, name))
			return set_member(t, r, &m, base, at, out);
		if (!*own && depth < DWARF_NESTED && dwarf_type__of(&m, &type) &&
		    dwarf_type__is_record(&type) &&
		    !find_member(t, r, &type, name, base + at, depth + 1, out))
			return 0;
	}
	return -ENOENT;
}

/* The i-th name, *i counted down. */
static const char *nth_member(struct dwarf_types *t, Dwarf_Die *record, u32 *i, u32 depth)
{
	Dwarf_Die m = {.addr = NULL}, type;
	u64 at;

	while (dwarf_type__next(record, &m, &at)) {
		const char *name = dwarf_tag(&m) == DW_TAG_member ? name_of(t, &m) : "";

		if (*name && !(*i)--)
			return name;
		if (*name || depth == DWARF_NESTED || !dwarf_type__of(&m, &type) ||
		    !dwarf_type__is_record(&type))
			continue;
		name = nth_member(t, &type, i, depth + 1);
		if (name)
			return name;
	}
	return NULL;
}

static bool die_of(struct dwarf_types *t, u32 id, struct dwarf_record *r, Dwarf_Die *die)
{
	if (!id || id > t->nrecords)
		return false;
	*r = t->records[id - 1];
	return dwarf_offdie(t->dwarf, r->die, die) != NULL;
}

/* What this unit only announces may be defined in another. */
static bool complete(struct dwarf_types *t, Dwarf_Die *die)
{
	const char *name;

	if (!dwarf_hasattr(die, DW_AT_declaration))
		return true;
	name = debuginfo__die_name(t->debug, die);
	return name && debuginfo__find_record(t->debug, name, die);
}

static int resolve_member(const struct type_resolver *resolver, u32 id, const char *name,
			  struct field *out)
{
	struct dwarf_types *t = types_of(resolver);
	struct dwarf_record r;
	Dwarf_Die die;

	if (!*name || !die_of(t, id, &r, &die) || !complete(t, &die))
		return -ENOENT;
	return find_member(t, &r, &die, name, 0, 0, out);
}

static bool resolve_name(const struct type_resolver *resolver, u32 id, u32 i, char *buf, size_t size)
{
	struct dwarf_types *t = types_of(resolver);
	struct dwarf_record r;
	const char *name;
	Dwarf_Die die;

	if (!die_of(t, id, &r, &die) || !complete(t, &die))
		return false;
	name = nth_member(t, &die, &i, 0);
	if (name)
		copy_str(buf, size, name);
	return name != NULL;
}

static u32 resolve_find(const struct type_resolver *resolver, const char *name)
{
	struct dwarf_types *t = types_of(resolver);
	Dwarf_Die die;

	return debuginfo__find_record(t->debug, name, &die) ? record_id(t, &die, 0, NULL) : 0;
}

/* --- enums --- */

static bool resolve_constant(const struct type_resolver *resolver, u32 id, u32 i, char *buf, size_t size,
			     s64 *value)
{
	struct dwarf_types *t = types_of(resolver);
	struct dwarf_record r;
	Dwarf_Die die, c;

	if (!die_of(t, id, &r, &die) || dwarf_tag(&die) != DW_TAG_enumeration_type ||
	    dwarf_child(&die, &c))
		return false;
	do {
		if (dwarf_tag(&c) != DW_TAG_enumerator || i--)
			continue;
		copy_str(buf, size, name_of(t, &c));
		return dwarf_enumerator__value(&c, value);
	} while (!dwarf_siblingof(&c, &c));
	return false;
}

/* --- */

void dwarf_types__init(struct dwarf_types *t, struct debuginfo *debug, Dwarf_Die *unit)
{
	*t = (struct dwarf_types){
		.resolver = {.find = resolve_find, .member = resolve_member, .name = resolve_name,
			     .constant = resolve_constant},
		.debug = debug,
		.dwarf = dwarf_cu_getdwarf(unit->cu),
	};
	arena__init(&t->arena);
}

void dwarf_types__fini(struct dwarf_types *t)
{
	arena__fini(&t->arena);
	free(t->records);
}
