// SPDX-License-Identifier: GPL-2.0-only
/* What is looked for in debug information by its place or its name: functions, records, values of enums. */
#include "symbols/debuginfo_impl.h"

#include <dwarf.h>

#include "base/clock.h"

#define MAX_WALK_NS   NSEC_PER_SEC
#define MAX_ENCLOSING 32 /* namespaces, classes and enums within each other */

struct walk {
	u64 deadline;
	u32 seen;
	bool (*fits)(const struct walk *w, Dwarf_Die *die);
	u64 vaddr;
	const char *name;
	struct debuginfo *d;
};

static bool is_over(struct walk *w)
{
	return ++w->seen % 1024 == 0 && clock__thread_cpu_ns() > w->deadline;
}

static bool encloses(Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_structure_type ||
	       tag == DW_TAG_class_type || tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type;
}

static bool find_below(struct walk *w, Dwarf_Die *parent, u32 depth, Dwarf_Die *found)
{
	Dwarf_Die die;

	if (depth == MAX_ENCLOSING || dwarf_child(parent, &die))
		return false;
	do {
		if (w->fits(w, &die)) {
			*found = die;
			return true;
		}
		if (encloses(&die) && find_below(w, &die, depth + 1, found))
			return true;
	} while (!is_over(w) && !dwarf_siblingof(&die, &die));
	return false;
}

/* Of a unit whose abbreviations are sane, or its DIEs have no bound. */
static bool find_in_unit(struct debuginfo *d, struct unit *u, struct walk *w, Dwarf_Die *found,
			 Dwarf_Die *unit)
{
	u32 abbrevs;

	return u->size <= DEBUGINFO_MAX_UNIT && dwarf_guard__abbrevs(&d->guard, u->abbrevs, &abbrevs) &&
	       debuginfo__unit_die(d, u, unit) && find_below(w, unit, 0, found);
}

/* What has a cold part elsewhere has ranges, and says nowhere which it begins with. */
static bool begins_there(const struct walk *w, Dwarf_Die *die)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;

	if (dwarf_tag(die) != DW_TAG_subprogram)
		return false;
	for (u32 i = 0; i < DEBUGINFO_MAX_OVERLAP && (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0; i++)
		if (lo == w->vaddr)
			return true;
	return false;
}

bool debuginfo__function(struct debuginfo *d, u64 vaddr, Dwarf_Die *function, Dwarf_Die *unit)
{
	struct walk w = {.deadline = clock__thread_cpu_ns() + MAX_WALK_NS, .fits = begins_there,
			 .vaddr = vaddr, .d = d};
	struct unit *units[DEBUGINFO_MAX_OVERLAP];
	u32 n = debuginfo__units_at(d, vaddr, units, ARRAY_SIZE(units));

	for (u32 i = 0; i < n; i++)
		if (find_in_unit(d, units[i], &w, function, unit))
			return true;
	return false;
}

static bool is_called(const struct walk *w, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die);

	return name && dwarf_guard__strlen(&w->d->guard, name, DEBUGINFO_MAX_STRING) == strlen(w->name) &&
	       !strncmp(name, w->name, strlen(w->name));
}

static bool is_record_named(const struct walk *w, Dwarf_Die *die)
{
	int tag = dwarf_tag(die);

	return (tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
		tag == DW_TAG_union_type) &&
	       !dwarf_hasattr(die, DW_AT_declaration) && is_called(w, die);
}

static bool is_enumerator_named(const struct walk *w, Dwarf_Die *die)
{
	return dwarf_tag(die) == DW_TAG_enumerator && is_called(w, die);
}

static bool find_anywhere(struct debuginfo *d, struct walk *w, Dwarf_Die *found)
{
	Dwarf_Die unit;

	w->deadline = clock__thread_cpu_ns() + MAX_WALK_NS;
	debuginfo__index(d);
	for (u32 i = 0; i < d->nunits && clock__thread_cpu_ns() < w->deadline; i++)
		if (find_in_unit(d, &d->units[i], w, found, &unit))
			return true;
	return false;
}

bool debuginfo__find_record(struct debuginfo *d, const char *name, Dwarf_Die *record)
{
	return find_anywhere(d, &(struct walk){.fits = is_record_named, .name = name, .d = d}, record);
}

bool debuginfo__find_enumerator(struct debuginfo *d, const char *name, Dwarf_Die *enumerator)
{
	return find_anywhere(d, &(struct walk){.fits = is_enumerator_named, .name = name, .d = d},
			     enumerator);
}

const char *debuginfo__die_name(struct debuginfo *d, Dwarf_Die *die)
{
	return debuginfo__die_string(d, die, DW_AT_name);
}

const char *debuginfo__die_producer(struct debuginfo *d, Dwarf_Die *unit)
{
	return debuginfo__die_string(d, unit, DW_AT_producer);
}
