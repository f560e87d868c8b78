// SPDX-License-Identifier: GPL-2.0-only
/*
 * What symbols of Ruby 3.1 are called. Functions that are written in C have no other name. The table is a
 * static variable; it is believed when the symbol of an operator is called as it should be.
 */
#include "symbols/ruby.h"

/* A symbol's number is in its upper bits, but for operators, which are numbers themselves. */
#define OPERATOR_LAST 169
#define ID_KIND_BITS  4

/* The table: how many there are, and an array of arrays that have for each its text, and its symbol. */
#define TABLE_IDS 16
#define IN_ARRAY  512

#define TYPE(flags) ((flags) & 0x1f)
#define TYPE_ARRAY  7
#define IN_OBJECT   (1u << 13)

/* An array that is too long to be in the object itself. */
struct array {
	u64 flags, class, length, room, at;
};

static bool element(const struct process_memory *m, u64 array, u64 i, u64 *out)
{
	struct array a;

	return array && !(array & 7) && m->read(m->ctx, array, &a, sizeof(a)) &&
	       TYPE(a.flags) == TYPE_ARRAY && !(a.flags & IN_OBJECT) && i < a.length &&
	       memory__u64(m, a.at + i * sizeof(u64), out);
}

static bool read_name(const struct process_memory *m, u64 table, u64 id, char *to, size_t size)
{
	u64 number = id > OPERATOR_LAST ? id >> ID_KIND_BITS : id, ids, names, text;
	u32 last;

	return memory__u32(m, table, &last) && number && number <= last &&
	       memory__u64(m, table + TABLE_IDS, &ids) &&
	       element(m, ids, number / IN_ARRAY, &names) &&
	       element(m, names, number % IN_ARRAY * 2, &text) && ruby__text(m, text, to, size);
}

bool ruby_symbols__name(const struct ruby *r, const struct process_memory *m, u64 id, char *to,
			size_t size)
{
	return r->symbols && read_name(m, r->symbols, id, to, size);
}

u64 ruby_symbols__find(const struct ruby_file *f, u64 bias, const struct process_memory *m)
{
	char name[4];

	for (u32 i = 0; i < f->nsymbols; i++)
		if (read_name(m, f->symbols[i] + bias, '+', name, sizeof(name)) && !strcmp(name, "+"))
			return f->symbols[i] + bias;
	return 0;
}
