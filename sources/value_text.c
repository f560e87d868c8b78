// SPDX-License-Identifier: GPL-2.0-only
#include "sources/value_text.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "samples/syscall_names.h"

const struct value_names *value_names__of(const struct checked *c, struct arena *arena)
{
	struct value_names *names;
	char name[128];
	s64 value;
	u32 n = 0;

	if (c->type.kind != TYPE_INT || !c->type.type_id || !c->types || !c->types->constant)
		return NULL;
	while (n < VALUE_NAMES_MOST &&
	       c->types->constant(c->types, c->type.type_id, n, name, sizeof(name), &value))
		n++;
	names = arena__alloc(arena, sizeof(*names) + n * sizeof(names->v[0]));
	for (; names->n < n; names->n++) {
		c->types->constant(c->types, c->type.type_id, names->n, name, sizeof(name), &value);
		names->v[names->n] = (struct value_name){value, arena__strdup(arena, name)};
	}
	return names;
}

#define SYSCALLS_MOST 1024

/* Real-time signals have no names of their own. */
const struct value_names *value_names__of_signals(struct arena *arena)
{
	struct value_names *names = arena__alloc(arena, sizeof(*names) + NSIG * sizeof(names->v[0]));
	char name[32];

	for (int sig = 1; sig < NSIG; sig++) {
		if (!sigabbrev_np(sig))
			continue;
		snprintf(name, sizeof(name), "SIG%s", sigabbrev_np(sig));
		names->v[names->n++] = (struct value_name){sig, arena__strdup(arena, name)};
	}
	return names;
}

/* Those of this machine: a number says not whether a program of 32 bits made the call. */
const struct value_names *value_names__of_syscalls(struct arena *arena)
{
	struct value_names *names = arena__alloc(arena, sizeof(*names) + SYSCALLS_MOST * sizeof(names->v[0]));

	for (u32 nr = 0; nr < SYSCALLS_MOST; nr++)
		if (syscall_name(SYSCALL_NATIVE, nr))
			names->v[names->n++] = (struct value_name){nr, syscall_name(SYSCALL_NATIVE, nr)};
	return names;
}

const char *value_names__find(const struct value_names *names, u64 value)
{
	for (u32 i = 0; names && i < names->n; i++)
		if (names->v[i].value == (s64)value)
			return names->v[i].name;
	return NULL;
}

struct value_text value_text__of(const struct checked *c, struct arena *arena)
{
	return (struct value_text){
		.text = c->type.kind == TYPE_TEXT,
		.is_signed = c->type.is_signed,
		.pointer = c->type.kind == TYPE_POINTER,
		.names = value_names__of(c, arena),
		.say = c->field.say,
	};
}

bool value_text__write(const struct value_text *v, u64 value, char *buf, size_t size)
{
	const char *name = value_names__find(v->names, value);

	if (v->text)
		return false;
	if (v->say)
		v->say(value, buf, size);
	else if (name && v->numbered)
		snprintf(buf, size, "%lld %s", (long long)value, name);
	else if (name)
		copy_str(buf, size, name);
	else if (v->pointer || v->code)
		snprintf(buf, size, "0x%llx", (unsigned long long)value);
	else if (v->is_signed)
		snprintf(buf, size, "%lld", (long long)value);
	else
		snprintf(buf, size, "%llu", (unsigned long long)value);
	return true;
}
