// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/dwarf_places.h"

#include <dwarf.h>

#include "questions/registers.h"

#if defined(__x86_64__)
enum { CFA_OFFSET = 8, FLOATS = 8, RECORDS_KNOWN = 1 }; /* the return address is on the stack */
#else
enum { CFA_OFFSET = 0, FLOATS = 8, RECORDS_KNOWN = 0 };
#endif

#define LEAVES_MOST 3
#define WORDS	    2 /* of a value in registers */

static const char in_float[] = "it is in a floating-point register, which probes cannot read";
static const char optimised_out[] =
	"the compiler left it no place at the function's first instruction";
static const char not_passed[] = "it has no bytes, so it is not passed";
static const char unknown_place[] =
	"where this or an argument before it is passed is not known: build with -O1 or more";

/* What a word of a value is passed in. */
enum word_class { CLASS_NONE, CLASS_INTEGER, CLASS_FLOAT, CLASS_MEMORY };

struct convention {
	struct debuginfo *debug;
	bool rust;
	u32 integers, floats; /* registers that are taken */
	u64 stack;
	bool lost; /* of one it is not known what it takes */
};

/* --- classes --- */

static bool is_float(Dwarf_Die *type)
{
	u64 encoding = dwarf_die__number(type, DW_AT_encoding, 0);

	return dwarf_tag(type) == DW_TAG_base_type &&
	       (encoding == DW_ATE_float || encoding == DW_ATE_complex_float);
}

static void merge(enum word_class *words, u64 at, u64 size, enum word_class class)
{
	for (u64 i = at / 8; i <= (at + size - 1) / 8 && i < WORDS; i++)
		words[i] = words[i] == CLASS_NONE || class != CLASS_FLOAT ? class : words[i];
}

/* False: in memory. */
static bool classify(Dwarf_Die *type, u64 at, enum word_class *words, u32 depth)
{
	u64 size = dwarf_type__size(type), begin;
	Dwarf_Die m = {.addr = NULL}, inner;

	if (depth == DWARF_NESTED || at + size > 8 * WORDS)
		return false;
	if (!size)
		return true;
	if (dwarf_tag(type) == DW_TAG_array_type) {
		if (!dwarf_type__of(type, &inner))
			return false;
		begin = dwarf_type__size(&inner);
		for (u64 i = 0; begin && i < size; i += begin)
			if (!classify(&inner, at + i, words, depth + 1))
				return false;
		return true;
	}
	if (!dwarf_type__is_record(type)) {
		if (is_float(type) && size > 8) /* x87, or two of SSE: none can be read */
			return false;
		merge(words, at, size, is_float(type) ? CLASS_FLOAT : CLASS_INTEGER);
		return at % MIN(size, 8u) == 0;
	}
	while (dwarf_type__next(type, &m, &begin))
		if (!dwarf_type__of(&m, &inner) || !classify(&inner, at + begin, words, depth + 1))
			return false;
	return true;
}

/* Objects with a destructor or a constructor that copies: their address is passed. */
static bool is_by_address(const struct convention *c, Dwarf_Die *type)
{
	return dwarf_type__is_record(type) &&
	       (dwarf_die__number(type, DW_AT_calling_convention, 0) == DW_CC_pass_by_reference ||
		dwarf_type__is_std_string(c->debug, type));
}

/* A record that is only announced, or one of a machine whose rules are not known here. */
static bool is_unknown(Dwarf_Die *type)
{
	return dwarf_type__is_record(type) &&
	       (!RECORDS_KNOWN || dwarf_hasattr(type, DW_AT_declaration));
}

/* --- the convention of C and C++ --- */

static void add_part(struct dwarf_place *p, u32 at, u32 size, int context)
{
	if (context < 0 || p->nparts == VALUE_PARTS)
		return;
	p->kind = PLACE_PARTS;
	p->parts[p->nparts++] = (struct value_part){at, size, (u32)context};
}

static void none(struct dwarf_place *p, const char *why)
{
	*p = (struct dwarf_place){.kind = PLACE_NONE, .why = why};
}

/* Long doubles and numbers of 16 bytes are aligned; other records of them than these are rare. */
static void on_stack(struct convention *c, Dwarf_Die *type, struct dwarf_place *p)
{
	u64 size = dwarf_type__size(type);

	if (size == 16 && dwarf_tag(type) == DW_TAG_base_type)
		c->stack = (c->stack + 15) / 16 * 16;
	*p = (struct dwarf_place){.kind = PLACE_MEMORY,
				  .base = registers__stack_pointer(),
				  .number = CFA_OFFSET + (s64)c->stack};
	c->stack += (size + 7) / 8 * 8;
}

static void behind_register(struct convention *c, struct dwarf_place *p)
{
	int context = registers__argument(c->integers);

	if (context < 0) {
		none(p, unknown_place);
		c->stack += 8;
		return;
	}
	c->integers++;
	*p = (struct dwarf_place){.kind = PLACE_MEMORY, .base = (u32)context};
}

static u32 count(const enum word_class *words, enum word_class class)
{
	return (words[0] == class) + (words[1] == class);
}

/* Words that fit in registers; all of them, or none. */
static void in_words(struct convention *c, const enum word_class *words, Dwarf_Die *type,
		     struct dwarf_place *p)
{
	u32 integers = count(words, CLASS_INTEGER), floats = count(words, CLASS_FLOAT);

	if ((integers && registers__argument(c->integers + integers - 1) < 0) ||
	    c->floats + floats > FLOATS) {
		on_stack(c, type, p);
		return;
	}
	none(p, integers + floats ? in_float : not_passed);
	for (u32 i = 0; i < WORDS; i++)
		if (words[i] == CLASS_INTEGER)
			add_part(p, 8 * i, 8, registers__argument(c->integers++));
	c->floats += floats;
}

static void by_c(struct convention *c, Dwarf_Die *type, struct dwarf_place *p)
{
	enum word_class words[WORDS] = {CLASS_NONE};

	if (is_by_address(c, type))
		behind_register(c, p);
	else if (is_unknown(type))
		none(p, unknown_place), c->lost = true;
	else if (classify(type, 0, words, 0))
		in_words(c, words, type, p);
	else
		on_stack(c, type, p);
}

/* --- that of Rust --- */

struct leaves {
	struct leaf {
		u64 at, size;
		bool is_float;
	} v[LEAVES_MOST];
	u32 n;
	bool unknown;
};

static void collect(Dwarf_Die *type, u64 at, struct leaves *l, u32 depth)
{
	Dwarf_Die m = {.addr = NULL}, inner;
	u64 size = dwarf_type__size(type), begin;
	int tag = dwarf_tag(type);

	if (!size || l->n == LEAVES_MOST)
		return;
	if (!dwarf_type__is_record(type) && tag != DW_TAG_array_type) {
		l->v[l->n++] = (struct leaf){at, size, is_float(type)};
		return;
	}
	if (tag != DW_TAG_structure_type || depth == DWARF_NESTED) {
		l->unknown = true;
		return;
	}
	/* A variant part is no member: what has one has fewer than it should. */
	if (!dwarf_child(type, &inner))
		do
			l->unknown |= dwarf_tag(&inner) == DW_TAG_variant_part;
		while (!dwarf_siblingof(&inner, &inner));
	while (dwarf_type__next(type, &m, &begin))
		if (dwarf_type__of(&m, &inner))
			collect(&inner, at + begin, l, depth + 1);
}

/* Of two numbers one may be on the stack: they are not put together. */
static void place_leaves(struct convention *c, Dwarf_Die *type, const struct leaves *l,
			 struct dwarf_place *p)
{
	for (u32 i = 0; i < l->n; i++) {
		if (l->v[i].is_float)
			c->floats++;
		else if (registers__argument(c->integers) >= 0)
			add_part(p, (u32)l->v[i].at, (u32)l->v[i].size,
				 registers__argument(c->integers++));
		else if (l->n == 1)
			on_stack(c, type, p);
		else
			c->stack += 8;
	}
}

static void by_rust(struct convention *c, Dwarf_Die *type, struct dwarf_place *p)
{
	u64 size = dwarf_type__size(type);
	struct leaves l = {.n = 0};

	collect(type, 0, &l, 0);
	if ((l.unknown || l.n == LEAVES_MOST) && size > 16) {
		behind_register(c, p);
		return;
	}
	none(p, !l.n ? not_passed : in_float);
	if (l.unknown || l.n == LEAVES_MOST) {
		c->lost = true;
		return;
	}
	place_leaves(c, type, &l, p);
}

static bool is_of_rust(Dwarf_Die *unit)
{
	return dwarf_die__number(unit, DW_AT_language, 0) == DW_LANG_Rust;
}

/* What is returned in memory that the caller hands over, by its address before all arguments. */
static bool returns_in_memory(const struct convention *c, Dwarf_Die *type)
{
	enum word_class words[WORDS] = {CLASS_NONE};
	struct leaves l = {.n = 0};

	if (!c->rust)
		return is_by_address(c, type) || (dwarf_type__is_record(type) && !is_unknown(type) &&
						  !classify(type, 0, words, 0));
	collect(type, 0, &l, 0);
	return (l.unknown || l.n == LEAVES_MOST) && dwarf_type__size(type) > 16;
}

static void next_place(struct convention *c, Dwarf_Die *type, struct dwarf_place *p)
{
	if (!c->lost)
		(c->rust ? by_rust : by_c)(c, type, p);
	if (c->lost)
		none(p, unknown_place);
}

/* --- what debug information says --- */

/* Whether memory that is found from the frame's base is there at the first instruction: an argument
 * that came on the stack. What lies below is filled by the prologue. */
static bool from_frame(Dwarf_Die *function, u64 pc, s64 offset, struct dwarf_place *p)
{
	Dwarf_Attribute mem;
	Dwarf_Op *base;
	size_t n;

	if (offset < 0 || !dwarf_attr_integrate(function, DW_AT_frame_base, &mem) ||
	    dwarf_getlocation_addr(&mem, pc, &base, &n, 1) != 1 || n != 1 ||
	    base[0].atom != DW_OP_call_frame_cfa)
		return false;
	*p = (struct dwarf_place){.kind = PLACE_MEMORY,
				  .base = registers__stack_pointer(),
				  .number = CFA_OFFSET + offset};
	return true;
}

static int register_of(const Dwarf_Op *op)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		return registers__numbered(op->atom - DW_OP_reg0);
	return op->atom == DW_OP_regx ? registers__numbered(op->number) : -1;
}

static bool is_register(const Dwarf_Op *op)
{
	return (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31) || op->atom == DW_OP_regx;
}

/* A value in registers, one or several pieces. */
static bool in_pieces(const Dwarf_Op *ops, size_t n, struct dwarf_place *p)
{
	u32 at = 0;

	none(p, in_float);
	if (n == 1) {
		add_part(p, 0, 8, register_of(ops));
		return true;
	}
	for (size_t i = 0; i < n; i++) {
		if (ops[i].atom == DW_OP_piece) {
			at += (u32)MIN(ops[i].number, (Dwarf_Word)UINT16_MAX);
			continue;
		}
		if (!is_register(&ops[i]) || i + 1 == n || ops[i + 1].atom != DW_OP_piece)
			return false;
		add_part(p, at, (u32)MIN(ops[i + 1].number, (Dwarf_Word)8), register_of(&ops[i]));
	}
	return true;
}

static bool is_constant(const Dwarf_Op *op, s64 *number)
{
	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31) {
		*number = op->atom - DW_OP_lit0;
		return true;
	}
	*number = (s64)op->number;
	return op->atom >= DW_OP_const1u && op->atom <= DW_OP_consts;
}

/* False: it says nothing of the first instruction, or in a way that is not understood. */
static bool from_expression(Dwarf_Die *function, u64 pc, const Dwarf_Op *ops, size_t n, bool listed,
			    struct dwarf_place *p)
{
	s64 number;
	int base;

	if (!n)
		return false;
	if (is_register(ops))
		return in_pieces(ops, n, p);
	if (n == 1 && ops->atom == DW_OP_fbreg)
		return from_frame(function, pc, (s64)ops->number, p);
	if (n == 1 && listed && ops->atom >= DW_OP_breg0 && ops->atom <= DW_OP_breg31) {
		base = registers__numbered(ops->atom - DW_OP_breg0);
		*p = (struct dwarf_place){.kind = PLACE_MEMORY, .base = (u32)base,
					  .number = (s64)ops->number};
		return base >= 0;
	}
	if (n == 2 && ops[1].atom == DW_OP_stack_value && is_constant(ops, &number)) {
		*p = (struct dwarf_place){.kind = PLACE_NUMBER, .number = number};
		return true;
	}
	return false;
}

/* Otherwise it is a place for all of the function, which the prologue fills. */
static bool is_list(Dwarf_Attribute *location)
{
	u32 form = dwarf_whatform(location);

	return form == DW_FORM_sec_offset || form == DW_FORM_loclistx || form == DW_FORM_data4;
}

/* As the compiler says it. */
static bool from_location(Dwarf_Die *function, Dwarf_Die *die, u64 pc, struct dwarf_place *p)
{
	Dwarf_Attribute mem;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_attr_integrate(die, DW_AT_const_value, &mem)) {
		*p = (struct dwarf_place){.kind = PLACE_NUMBER};
		p->number = (s64)dwarf_die__number(die, DW_AT_const_value, 0);
		return true;
	}
	return dwarf_attr_integrate(die, DW_AT_location, &mem) &&
	       dwarf_getlocation_addr(&mem, pc, &ops, &n, 1) == 1 &&
	       from_expression(function, pc, ops, n, is_list(&mem), p);
}

/* --- whether the convention holds --- */

static bool flag(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute mem;
	bool is = false;

	return !dwarf_formflag(dwarf_attr_integrate(die, attribute, &mem), &is) && is;
}

/* clang 16 and older say nowhere that they dropped arguments or results of what only they call. */
static bool may_hide_changes(struct debuginfo *debug, Dwarf_Die *unit)
{
	const char *producer = debuginfo__die_producer(debug, unit);

	return !producer || (strstr(producer, "clang") && !strstr(producer, "rustc"));
}

/* A location list, or no place at all: of what was optimised. */
static bool has_moving(Dwarf_Die *function)
{
	Dwarf_Attribute mem;
	Dwarf_Die die;

	if (dwarf_child(function, &die))
		return false;
	do
		if (dwarf_tag(&die) == DW_TAG_formal_parameter &&
		    (!dwarf_attr_integrate(&die, DW_AT_location, &mem) || is_list(&mem)))
			return true;
	while (!dwarf_siblingof(&die, &die));
	return false;
}

static bool holds(struct debuginfo *debug, Dwarf_Die *function, Dwarf_Die *unit, bool is_clone)
{
	if (is_clone || dwarf_die__number(unit, DW_AT_language, 0) == DW_LANG_Go ||
	    dwarf_die__number(function, DW_AT_calling_convention, 0) == DW_CC_nocall)
		return false;
	return flag(function, DW_AT_external) || !may_hide_changes(debug, unit) || !has_moving(function);
}

/* Of what the convention knows all, a part that was described is not enough. */
static bool is_whole(const struct dwarf_place *p, Dwarf_Die *type)
{
	u64 bytes = 0;

	for (u32 i = 0; i < p->nparts; i++)
		bytes += p->parts[i].size;
	return p->kind != PLACE_PARTS || bytes >= dwarf_type__size(type);
}

void dwarf_places__each(struct debuginfo *debug, Dwarf_Die *function, Dwarf_Die *unit, u64 pc,
			bool is_clone,
			void (*parameter)(void *ctx, Dwarf_Die *die, Dwarf_Die *type,
					  const struct dwarf_place *place),
			void *ctx)
{
	bool by_convention = holds(debug, function, unit, is_clone);
	struct convention c = {.debug = debug, .rust = is_of_rust(unit)};
	struct dwarf_place place, said;
	Dwarf_Die die, type;

	if (dwarf_type__of(function, &type) && returns_in_memory(&c, &type))
		c.integers++;
	if (dwarf_child(function, &die))
		return;
	do {
		if (dwarf_tag(&die) != DW_TAG_formal_parameter || !dwarf_type__of(&die, &type))
			continue;
		next_place(&c, &type, &place);
		if (from_location(function, &die, pc, &said) &&
		    (is_whole(&said, &type) || !by_convention))
			place = said;
		else if (!by_convention)
			none(&place, optimised_out);
		parameter(ctx, &die, &type, &place);
	} while (!dwarf_siblingof(&die, &die));
}

/* --- results --- */

static void result_of_c(Dwarf_Die *type, struct dwarf_place *p)
{
	const int words_at[] = {(int)registers__result(), (int)registers__second_result()};
	enum word_class words[WORDS] = {CLASS_NONE};
	u32 integers = 0;

	if (!classify(type, 0, words, 0)) {
		none(p, in_float);
		return;
	}
	none(p, count(words, CLASS_FLOAT) ? in_float : not_passed);
	for (u32 i = 0; i < WORDS; i++)
		if (words[i] == CLASS_INTEGER)
			add_part(p, 8 * i, 8, words_at[integers++]);
}

static void result_of_rust(Dwarf_Die *type, struct dwarf_place *p)
{
	const int words_at[] = {(int)registers__result(), (int)registers__second_result()};
	struct leaves l = {.n = 0};
	u32 integers = 0;

	collect(type, 0, &l, 0);
	none(p, !l.n ? not_passed : l.unknown || l.n == LEAVES_MOST ? unknown_place : in_float);
	if (l.unknown || l.n == LEAVES_MOST)
		return;
	for (u32 i = 0; i < l.n; i++)
		if (!l.v[i].is_float)
			add_part(p, (u32)l.v[i].at, (u32)l.v[i].size, words_at[integers++]);
}

bool dwarf_places__result(struct debuginfo *debug, Dwarf_Die *function, Dwarf_Die *unit, bool is_clone,
			  Dwarf_Die *type, struct dwarf_place *place)
{
	const struct convention c = {.debug = debug, .rust = is_of_rust(unit)};

	if (!dwarf_type__of(function, type))
		return false;
	if (!holds(debug, function, unit, is_clone))
		none(place, "the compiler changed what this function returns");
	else if (returns_in_memory(&c, type))
		*place = (struct dwarf_place){.kind = PLACE_MEMORY, .base = registers__result()};
	else if (!c.rust && is_unknown(type))
		none(place, unknown_place);
	else
		(c.rust ? result_of_rust : result_of_c)(type, place);
	return true;
}
