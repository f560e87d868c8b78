// SPDX-License-Identifier: GPL-2.0-only
/*
 * What classes and modules of Ruby 3.1 are called: a class has its name among its variables, and the class
 * of one object alone has that object there. Under which numbers is asked of the class of all, whose name
 * is known, and of its own class.
 */
#include <stdio.h>

#include "symbols/ruby.h"

/* In a class, in what is beside it, and in a table; an entry has its key and value as the last two words. */
#define CLASS_OF	8
#define CLASS_MORE	24
#define MORE_VARIABLES	8
#define TABLE_BOUND	40
#define TABLE_ENTRIES	48
#define VARIABLES_MAX	256
#define IS_OF_ONE	(1u << 12)
#define TYPE(flags)	((flags) & 0x1f)
#define TYPE_CLASS	2
#define TYPE_MODULE	3

struct variable {
	u64 hash, key, value;
};

/* Of a class or module; returns how many, 0: it has none. */
static u32 read_variables(const struct process_memory *m, u64 class, struct variable *out)
{
	u64 more, table, n, entries;

	if (!memory__u64(m, class + CLASS_MORE, &more) || !memory__u64(m, more + MORE_VARIABLES, &table) ||
	    !table || !memory__u64(m, table + TABLE_BOUND, &n) || n > VARIABLES_MAX ||
	    !memory__u64(m, table + TABLE_ENTRIES, &entries) ||
	    !m->read(m->ctx, entries, out, n * sizeof(*out)))
		return 0;
	return (u32)n;
}

static bool is_object(const struct process_memory *m, u64 value)
{
	char text[8];

	return ruby__text(m, value, text, sizeof(text)) && !strcmp(text, "Object");
}

/* The number of a class's name, or with `one` that of the object whose class it is; 0: not found. */
static u64 find_key(const struct ruby *r, const struct process_memory *m, bool one)
{
	struct variable v[VARIABLES_MAX];
	u64 object, class;
	u32 n;

	if (!r->object || !memory__u64(m, r->object, &object) || object & 7)
		return 0;
	class = object;
	if (one && (!memory__u64(m, object + CLASS_OF, &class) || class & 7))
		return 0;
	n = read_variables(m, class, v);
	for (u32 i = 0; i < n; i++)
		if (one ? v[i].value == object : is_object(m, v[i].value))
			return v[i].key;
	return 0;
}

/* 0: it has none. */
static u64 find_variable(const struct process_memory *m, u64 class, u64 key)
{
	struct variable v[VARIABLES_MAX];
	u32 n = key ? read_variables(m, class, v) : 0;

	for (u32 i = 0; i < n; i++)
		if (v[i].key == key)
			return v[i].value;
	return 0;
}

static bool is_class(const struct process_memory *m, u64 at, u64 *flags)
{
	return at && !(at & 7) && memory__u64(m, at, flags) &&
	       (TYPE(*flags) == TYPE_CLASS || TYPE(*flags) == TYPE_MODULE);
}

void ruby_class__prefix(const struct ruby *r, const struct process_memory *m, u64 class, char *buf,
			size_t size)
{
	u64 flags;
	bool one;
	size_t n;

	*buf = '\0';
	if (!is_class(m, class, &flags))
		return;
	one = TYPE(flags) == TYPE_CLASS && flags & IS_OF_ONE;
	if (one) {
		class = find_variable(m, class, find_key(r, m, true));
		if (!is_class(m, class, &flags))
			return;
	}
	if (!ruby__text(m, find_variable(m, class, find_key(r, m, false)), buf, size - 1)) {
		*buf = '\0';
		return;
	}
	n = strlen(buf);
	snprintf(buf + n, size - n, "%s", one ? "." : "#");
}
