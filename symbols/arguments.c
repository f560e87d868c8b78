// SPDX-License-Identifier: GPL-2.0-only
#include "symbols/arguments.h"

#include <dwarf.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "questions/registers.h"
#include "symbols/debuginfo.h"
#include "symbols/dwarf_places.h"
#include "symbols/openfile.h"

#define ARGUMENTS_MOST 64

struct arguments {
	struct field_resolver resolver;
	const struct field_resolver *registers;
	struct debuginfo *debug; /* NULL: there is none */
	struct dwarf_types types;
	struct argument {
		char *name;
		struct field field;
	} v[ARGUMENTS_MOST];
	u32 n;
	char event[320];
};

static struct arguments *of(const struct field_resolver *r)
{
	return (struct arguments *)container_of(r, struct arguments, resolver);
}

/* --- what there is --- */

static void add(void *ctx, Dwarf_Die *die, Dwarf_Die *type, const struct dwarf_place *place)
{
	struct arguments *a = ctx;
	const char *name = die ? debuginfo__die_name(a->debug, die) : "ret";
	struct argument *new = &a->v[a->n];

	if (!name || a->n == ARGUMENTS_MOST)
		return;
	a->n++;
	new->name = arena__strdup(&a->types.arena, name);
	dwarf_types__field(&a->types, type, place, &new->field);
}

/* Clones that the compiler made of a function for some of its callers. */
static bool is_clone(const char *function)
{
	return strstr(function, ".isra.") || strstr(function, ".constprop.") ||
	       strstr(function, ".part.");
}

static void add_result(struct arguments *a, Dwarf_Die *function, Dwarf_Die *unit, bool is_clone)
{
	struct dwarf_place place;
	Dwarf_Die type;

	if (dwarf_places__result(a->debug, function, unit, is_clone, &type, &place))
		add(a, NULL, &type, &place);
}

static bool find_all(struct arguments *a, const char *function, u64 offset, bool returns)
{
	Dwarf_Die die, unit;
	u64 pc;

	if (!debuginfo__vaddr(a->debug, offset, &pc) ||
	    !debuginfo__function(a->debug, pc, &die, &unit))
		return false;
	dwarf_types__init(&a->types, a->debug, &unit);
	a->resolver.types = &a->types.resolver;
	if (returns)
		add_result(a, &die, &unit, is_clone(function));
	else
		dwarf_places__each(a->debug, &die, &unit, pc, is_clone(function), add, a);
	return true;
}

/* --- fields --- */

static int resolve(const struct field_resolver *r, const char *name, struct field *out)
{
	const struct arguments *a = of(r);

	for (u32 i = 0; i < a->n; i++)
		if (!strcmp(a->v[i].name, name)) {
			*out = a->v[i].field;
			return 0;
		}
	return a->registers->field(a->registers, name, out);
}

bool arguments__name(const struct arguments *a, u32 i, char *buf, size_t size)
{
	if (i >= a->n)
		return false;
	copy_str(buf, size, a->v[i].name);
	return true;
}

static bool resolve_name(const struct field_resolver *r, u32 i, char *buf, size_t size)
{
	const struct arguments *a = of(r);

	return arguments__name(a, i, buf, size) ||
	       a->registers->name(a->registers, i - a->n, buf, size);
}

/* Values of enums are constants, as in C. */
static int resolve_constant(const struct field_resolver *r, const char *name, struct field *out)
{
	const struct arguments *a = of(r);
	Dwarf_Die die;
	s64 value;

	if (!a->debug || !debuginfo__find_enumerator(a->debug, name, &die) ||
	    !dwarf_enumerator__value(&die, &value))
		return -ENOENT;
	*out = (struct field){.type = {.kind = TYPE_INT, .size = 8, .is_signed = true},
			      .at = FIELD_NUMBER, .number = value};
	return 0;
}

struct arguments *arguments__open_fd(int fd, const char *path, const char *root, const char *function,
				     u64 offset, bool returns)
{
	struct arguments *a = xcalloc(1, sizeof(*a));
	char note[160] = "its file cannot be read";

	a->registers = registers__fields(returns ? REGISTERS_RETURN : REGISTERS_ENTRY);
	a->resolver = (struct field_resolver){.field = resolve, .name = resolve_name,
					      .constant = resolve_constant, .event = a->event};
	if (fd >= 0)
		a->debug = debuginfo__open(fd, path, root, note, sizeof(note));
	if (!a->debug)
		snprintf(a->event, sizeof(a->event), "%.80s (%s)", function, note);
	else if (!find_all(a, function, offset, returns))
		snprintf(a->event, sizeof(a->event), "%.80s (not in its file's debug information)",
			 function);
	else
		copy_str(a->event, sizeof(a->event), function);
	return a;
}

struct arguments *arguments__open(const char *file, const char *function, u64 offset, bool returns)
{
	char path[PATH_MAX], root[PATH_MAX];
	int fd = openfile__seen(file, path, root, sizeof(path));
	struct arguments *a = arguments__open_fd(fd, path, root, function, offset, returns);

	if (fd >= 0)
		close(fd);
	return a;
}

void arguments__close(struct arguments *a)
{
	if (!a)
		return;
	if (a->resolver.types)
		dwarf_types__fini(&a->types);
	if (a->debug)
		debuginfo__close(a->debug);
	free(a);
}

const struct field_resolver *arguments__fields(const struct arguments *a)
{
	return &a->resolver;
}
