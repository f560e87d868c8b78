// SPDX-License-Identifier: GPL-2.0-only
#include "sources/watch_types.h"

#include <ctype.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sources/uprobe.h"

#define FILE_BYTES  ((off_t)1 << 30)
#define DIES_MAX    (4u << 20) /* that are looked at */
#define TYPES_DEEP  32	       /* typedefs, qualifiers and members without a name in each other */
#define NAME_BYTES  256
#define DIMENSIONS  8

struct finding {
	Dwarf_Die type;
	u32 dimension; /* of the array that it is: which is next */
	struct watch_path *way;
	char *why;
	size_t size;
};

static int refuse(const struct finding *f, const char *fmt, const char *what)
{
	snprintf(f->why, f->size, fmt, what);
	return -EINVAL;
}

/* --- types --- */

/* False: it has none. */
static bool follow_type(Dwarf_Die *die)
{
	Dwarf_Attribute attr;

	return dwarf_attr_integrate(die, DW_AT_type, &attr) && dwarf_formref_die(&attr, die);
}

/* Without names and qualifiers. */
static bool strip_type(Dwarf_Die *die)
{
	for (u32 i = 0; i < TYPES_DEEP; i++)
		switch (dwarf_tag(die)) {
		case DW_TAG_typedef: case DW_TAG_const_type: case DW_TAG_volatile_type:
		case DW_TAG_restrict_type: case DW_TAG_atomic_type:
			if (!follow_type(die))
				return false;
			break;
		default:
			return true;
		}
	return false;
}

static bool offset_of(Dwarf_Die *member, u64 *offset)
{
	Dwarf_Attribute attr;
	Dwarf_Word value = 0;

	*offset = 0;
	if (!dwarf_attr_integrate(member, DW_AT_data_member_location, &attr))
		return true; /* of a union */
	if (dwarf_formudata(&attr, &value))
		return false;
	*offset = value;
	return true;
}

/* Members without a name, and bases, have theirs looked through. */
static bool find_member(Dwarf_Die *type, const char *name, u32 deep, Dwarf_Die *found, u64 *offset)
{
	Dwarf_Die child, within;
	u64 own, rest;

	if (deep == TYPES_DEEP || dwarf_child(type, &child))
		return false;
	do {
		const char *is = dwarf_diename(&child);
		int tag = dwarf_tag(&child);

		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !offset_of(&child, &own))
			continue;
		within = child;
		if (is && !strcmp(is, name) && tag == DW_TAG_member) {
			*found = child;
			*offset = own;
			return !dwarf_hasattr(&child, DW_AT_bit_size);
		}
		if ((!is || tag == DW_TAG_inheritance) && follow_type(&within) && strip_type(&within) &&
		    find_member(&within, name, deep + 1, found, &rest)) {
			*offset = own + rest;
			return true;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

/* --- steps --- */

static u64 *offset(struct finding *f)
{
	return &f->way->add[f->way->n - 1];
}

static int take_pointer(struct finding *f, const char *step)
{
	if (dwarf_tag(&f->type) != DW_TAG_pointer_type)
		return refuse(f, "%s is behind no pointer", step);
	if (f->way->n == WATCH_STEPS)
		return refuse(f, "it goes through too many pointers%s", "");
	if (!follow_type(&f->type) || !strip_type(&f->type))
		return refuse(f, "the pointer is to nothing that is known%s", "");
	f->way->add[f->way->n++] = 0;
	return 0;
}

static int take_member(struct finding *f, const char *name)
{
	Dwarf_Die member;
	u64 at;

	if (f->dimension || !find_member(&f->type, name, 0, &member, &at))
		return refuse(f, "there is no member %.60s that has an address", name);
	*offset(f) += at;
	f->type = member;
	return follow_type(&f->type) && strip_type(&f->type) ? 0 : refuse(f, "%.60s has no type", name);
}

/* How many elements a dimension has; 0: that is not known. */
static u64 count_of(Dwarf_Die *range)
{
	Dwarf_Attribute attr;
	Dwarf_Word n;

	if (dwarf_attr_integrate(range, DW_AT_count, &attr) && !dwarf_formudata(&attr, &n))
		return n;
	if (dwarf_attr_integrate(range, DW_AT_upper_bound, &attr) && !dwarf_formudata(&attr, &n))
		return n + 1;
	return 0;
}

/* The dimensions of an array, the outermost first. 0: it has too many, or none. */
static u32 dimensions_of(Dwarf_Die *array, u64 counts[DIMENSIONS])
{
	Dwarf_Die child;
	u32 n = 0;

	if (dwarf_child(array, &child))
		return 0;
	do {
		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		if (n == DIMENSIONS)
			return 0;
		counts[n++] = count_of(&child);
	} while (!dwarf_siblingof(&child, &child));
	return n;
}

static int add_elements(struct finding *f, Dwarf_Die *element, u64 index, u64 each)
{
	Dwarf_Word bytes;

	if (index > UINT32_MAX || each > UINT32_MAX || dwarf_aggregate_size(element, &bytes) || bytes > UINT32_MAX)
		return refuse(f, "there is no such element%s", "");
	*offset(f) += index * each * bytes;
	return 0;
}

/* Of an array with several dimensions one after the other. */
static int take_of_array(struct finding *f, u64 index)
{
	u64 counts[DIMENSIONS], each = 1;
	u32 n = dimensions_of(&f->type, counts);
	Dwarf_Die element = f->type;

	if (f->dimension >= n || (counts[f->dimension] && index >= counts[f->dimension]))
		return refuse(f, "there is no such element%s", "");
	for (u32 i = f->dimension + 1; i < n && each <= UINT32_MAX; i++)
		each *= MIN(counts[i], (u64)UINT32_MAX);
	if (!follow_type(&element) || !strip_type(&element) || add_elements(f, &element, index, each))
		return refuse(f, "its elements have no size%s", "");
	f->dimension = (f->dimension + 1) % n;
	if (!f->dimension)
		f->type = element;
	return 0;
}

static int take_element(struct finding *f, u64 index)
{
	if (dwarf_tag(&f->type) == DW_TAG_array_type)
		return take_of_array(f, index);
	if (take_pointer(f, "[]"))
		return -EINVAL;
	return add_elements(f, &f->type, index, 1);
}

static int take_step(struct finding *f, const char **text)
{
	char name[NAME_BYTES];
	size_t n;

	if (**text == '[') {
		char *end;
		u64 index = strtoull(*text + 1, &end, 0);

		if (end == *text + 1 || *end != ']')
			return refuse(f, "%s takes a number and ]", "[");
		*text = end + 1;
		return take_element(f, index);
	}
	if (!strncmp(*text, "->", 2) && take_pointer(f, "->"))
		return -EINVAL;
	*text += **text == '.' ? 1 : 2;
	n = strcspn(*text, ".[-");
	if (!n || n >= sizeof(name))
		return refuse(f, "a member's name is missing%s", "");
	snprintf(name, sizeof(name), "%.*s", (int)n, *text);
	*text += n;
	return take_member(f, name);
}

/* --- variables --- */

static bool is_variable(Dwarf_Die *die, const char *name)
{
	const char *is = dwarf_diename(die);

	return dwarf_tag(die) == DW_TAG_variable && is && !strcmp(is, name) &&
	       (dwarf_hasattr(die, DW_AT_location) || dwarf_hasattr_integrate(die, DW_AT_external));
}

/* Outside of functions. A namespace's are looked through, too. */
static bool find_variable(Dwarf_Die *of, const char *name, u32 deep, u32 *looked, Dwarf_Die *found)
{
	Dwarf_Die child;

	if (deep == TYPES_DEEP || dwarf_child(of, &child))
		return false;
	do {
		if (++*looked > DIES_MAX)
			return false;
		if (is_variable(&child, name)) {
			*found = child;
			return true;
		}
		if (dwarf_tag(&child) == DW_TAG_namespace &&
		    find_variable(&child, name, deep + 1, looked, found))
			return true;
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static int find_type(Dwarf *dwarf, const char *name, struct finding *f)
{
	Dwarf_Off at = 0, next;
	size_t head;
	u32 looked = 0;
	bool any = false;

	for (; !dwarf_nextcu(dwarf, at, &next, &head, NULL, NULL, NULL) && looked < DIES_MAX; at = next) {
		Dwarf_Die unit;

		if (!dwarf_offdie(dwarf, at + head, &unit))
			continue;
		any = true;
		if (find_variable(&unit, name, 0, &looked, &f->type))
			return follow_type(&f->type) && strip_type(&f->type)
				       ? 0
				       : refuse(f, "%.60s has no type", name);
	}
	if (any)
		return refuse(f, "debug information has no variable %.60s", name);
	snprintf(f->why, f->size, "members are found by debug information, which it has none of: build with -g");
	return -ENODATA;
}

static int find_all(Dwarf *dwarf, const char *name, const char *rest, struct finding *f, u64 *len)
{
	int err = find_type(dwarf, name, f);
	Dwarf_Word bytes;

	f->way->n = 1;
	f->way->add[0] = 0;
	while (!err && *rest)
		err = take_step(f, &rest);
	if (!err && (f->dimension || dwarf_aggregate_size(&f->type, &bytes)))
		err = refuse(f, "its size is not known%s", "");
	if (!err)
		*len = bytes;
	return err;
}

int watch_types__find(const char *path, const char *text, u64 *at, struct watch_path *way, u64 *len,
		      char *why, size_t size)
{
	struct finding f = {.way = way, .why = why, .size = size};
	size_t n = strcspn(text, ".[-");
	char name[NAME_BYTES];
	struct stat sb;
	Dwarf *dwarf;
	u64 whole;
	int fd, err;

	snprintf(name, sizeof(name), "%.*s", (int)n, text);
	if (!n || n >= sizeof(name) || uprobe__symbol(path, name, at, &whole)) {
		snprintf(why, size, "the program has no such symbol");
		return -ENOENT;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &sb) || !S_ISREG(sb.st_mode) || sb.st_size > FILE_BYTES) {
		snprintf(why, size, "its debug information cannot be read");
		if (fd >= 0)
			close(fd);
		return -EIO;
	}
	dwarf = dwarf_begin(fd, DWARF_C_READ);
	if (dwarf) {
		err = find_all(dwarf, name, text + n, &f, len);
		dwarf_end(dwarf);
	} else {
		snprintf(why, size, "members are found by debug information, which it has none of: build with -g");
		err = -ENODATA;
	}
	close(fd);
	return err;
}
