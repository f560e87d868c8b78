/* SPDX-License-Identifier: GPL-2.0-only */
/* How the values of an expression (questions/check.h) are written: numbers, names of enums,
 * pointers. */
#ifndef SOURCES_VALUE_TEXT_H
#define SOURCES_VALUE_TEXT_H

#include "questions/check.h"

/* What the values of an enum are called. */
#define VALUE_NAMES_MOST 1024

struct value_names {
	u32 n;
	struct value_name {
		s64 value;
		const char *name;
	} v[];
};

/* Of what an expression gives; NULL: it is no enum. Lives in the arena. */
const struct value_names *value_names__of(const struct checked *c, struct arena *arena);
/* "SIGKILL" of 9. */
const struct value_names *value_names__of_signals(struct arena *arena);
/* "futex" of 202. */
const struct value_names *value_names__of_syscalls(struct arena *arena);
/* NULL: it has none. */
const char *value_names__find(const struct value_names *names, u64 value);

struct value_text {
	bool text, is_signed, pointer;
	bool code;     /* an address of the kernel's code: who has names may call it by them */
	bool numbered; /* the number stands before its name, as exports have it alone */
	const struct value_names *names; /* NULL: none */
	void (*say)(u64 value, char *buf, size_t size); /* what a value is called; NULL: as above */
};

struct value_text value_text__of(const struct checked *c, struct arena *arena);
/* False: it is a text, which has no number. */
bool value_text__write(const struct value_text *v, u64 value, char *buf, size_t size);

#endif
