/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libdw keeps whatever it has read of a file until dwarf_end(). So that memory has a bound,
 * the Dwarf is closed and opened again when its estimated size passes a budget; our own
 * index of units lives on, and the strings handed out are copies.
 */
#include "symbols/debuginfo_impl.h"

#include <dwarf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/bisect.h"
#include "base/clock.h"
#include "base/memory.h"
#include "symbols/elf.h"
#include "symbols/go_table.h"

#define MEMORY_BUDGET (64u << 20) /* of what libdw and the scopes keep */
#define MAX_UNITS     (1u << 20)
#define MAX_SPANS     (1u << 21)
#define MAX_ABBREVS   (1u << 24) /* of all units */
#define MAX_INDEX_NS  (3 * NSEC_PER_SEC)
#define MAX_STRIKES   4 /* reads that slow, then the file is left alone */
#define SLOW_NS	      NSEC_PER_SEC
#define LINE_BYTES    112  /* libdw's memory for a row, while it sorts */
#define ABBREV_BYTES  72

/* --- strings --- */

static const char *intern(struct debuginfo *d, const char *s, size_t len)
{
	u64 hash = hash_bytes(s, len);
	char *copy;
	u32 at;

	HIDX_FIND(at, &d->by_string, hash, pos,
		  !strncmp(d->interned[pos], s, len) && !d->interned[pos][len]);
	if (at != HIDX_NONE)
		return d->interned[at];
	if ((d->ninterned & (d->ninterned - 1)) == 0)
		d->interned =
			xrealloc(d->interned, MAX(d->ninterned * 2, 1u) * sizeof(*d->interned));
	copy = arena__alloc(&d->strings, len + 1);
	memcpy(copy, s, len);
	hidx__add(&d->by_string, hash, d->ninterned);
	d->interned[d->ninterned++] = copy;
	return copy;
}

static const char *intern_dwarf(struct debuginfo *d, const char *s)
{
	size_t len = dwarf_guard__strlen(&d->guard, s, DEBUGINFO_MAX_STRING);

	len = dwarf_guard__strlen(&d->alt_guard, s, len);
	return len ? intern(d, s, len) : NULL;
}

/* --- opening --- */

static Dwarf *begin(const struct debugfile *f)
{
	return f->elf ? dwarf_begin_elf(f->elf, DWARF_C_READ, NULL) : NULL;
}

static struct debugfile *dwarf_file(struct debuginfo *d)
{
	return d->separate.elf ? &d->separate : &d->program;
}

static int begin_all(struct debuginfo *d)
{
	d->dwarf = begin(dwarf_file(d));
	if (!d->dwarf)
		return -EINVAL;
	d->alt_dwarf = begin(&d->alt);
	if (!d->alt_dwarf)
		return -EINVAL;
	dwarf_setalt(d->dwarf, d->alt_dwarf);
	/* A dwz file has no other behind it: libdw would open whatever it names, FIFOs included. */
	dwarf_setalt(d->alt_dwarf, d->alt_dwarf);
	d->memory = 0;
	if (!dwarf_guard__init(&d->guard, dwarf_file(d)->elf) ||
	    !dwarf_guard__init(&d->alt_guard, d->alt.elf))
		return -EINVAL;
	return d->guard.info.n && d->guard.abbrev.n ? 0 : -EINVAL;
}

static void end_all(struct debuginfo *d)
{
	if (d->dwarf)
		dwarf_end(d->dwarf);
	if (d->alt_dwarf)
		dwarf_end(d->alt_dwarf);
	d->dwarf = d->alt_dwarf = NULL;
	for (u32 i = 0; i < d->nunits; i++) {
		dwarf_scopes__fini(&d->units[i].scopes);
		d->units[i].walked = d->units[i].has_lines = false;
	}
}

static void say_what_to_install(const struct debugfile *program, char *note, size_t size)
{
	char id[129];

	debugfile__build_id(program, id, sizeof(id));
	if (id[0])
		snprintf(note, size,
			 "no debug information: install its debug package (build-id %.16s...) or "
			 "build with -g",
			 id);
	else
		snprintf(note, size, "no debug information: build with -g");
}

/* Finds the file with the DWARF, and the one that dwz moved parts of it to. */
static int find_files(struct debuginfo *d, const char *path, const char *root, char *note,
		      size_t note_size)
{
	int alt;

	if (!debugfile__has_dwarf(&d->program) &&
	    debugfile__find_separate(&d->program, root, path, &d->separate)) {
		say_what_to_install(&d->program, note, note_size);
		return -ENOENT;
	}
	alt = debugfile__find_alt(dwarf_file(d), root, &d->alt);
	if (alt < 0)
		copy_str(note, note_size,
			 "some names of inlined functions are in a dwz file "
			 "that is not installed");
	return alt > 0 ? 0 : debugfile__open_empty(&d->alt);
}

static bool open_go(struct debuginfo *d)
{
	struct byte_budget budget = elf__budget();

	d->go = go_table__open(d->program.elf, &budget, true);
	return d->go;
}

struct debuginfo *debuginfo__open(int fd, const char *path, const char *root, char *note,
				  size_t note_size)
{
	struct debuginfo *d = xcalloc(1, sizeof(*d));
	char why[80] = "";

	note[0] = '\0';
	d->program = d->separate = d->alt = DEBUGFILE_NONE;
	arena__init(&d->strings);
	if (debugfile__open(&d->program, fcntl(fd, F_DUPFD_CLOEXEC, 0), root, path, why,
			    sizeof(why)))
		snprintf(note, note_size, "no debug information: %s", why);
	else if (!find_files(d, path, root, note, note_size)) {
		if (!begin_all(d))
			return d;
		snprintf(note, note_size, "its debug information cannot be read: %s",
			 d->alt_dwarf ? "parts are missing or broken" : dwarf_errmsg(-1));
	} else if (open_go(d)) {
		note[0] = '\0';
		return d;
	}
	debuginfo__close(d);
	return NULL;
}

void debuginfo__close(struct debuginfo *d)
{
	end_all(d);
	go_table__close(d->go);
	debugfile__close(&d->program);
	debugfile__close(&d->separate);
	debugfile__close(&d->alt);
	arena__fini(&d->strings);
	hidx__fini(&d->by_string);
	free(d->interned);
	free(d->units);
	free(d->spans);
	free(d);
}

uid_t debuginfo__owner(const struct debuginfo *d)
{
	const struct debugfile *files[] = {&d->program, &d->separate, &d->alt};
	uid_t owner = 0;
	struct stat sb;

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		if (files[i]->fd < 0)
			continue;
		if (fstat(files[i]->fd, &sb) || (owner && sb.st_uid && sb.st_uid != owner))
			return DEBUGINFO_NOBODY;
		owner = sb.st_uid ? sb.st_uid : owner;
	}
	return owner;
}

/* Called between look-ups, when nothing points into libdw's memory. */
static bool keep_in_budget(struct debuginfo *d)
{
	if (d->memory > memory__share(MEMORY_BUDGET)) {
		end_all(d);
		if (begin_all(d))
			return false;
	}
	return d->dwarf != NULL;
}

/* --- which unit holds an address --- */

static void add_span(struct debuginfo *d, u64 start, u64 end)
{
	if (d->nspans == d->cap_spans) {
		d->cap_spans = d->cap_spans ? d->cap_spans * 2 : 64;
		d->spans = xrealloc(d->spans, d->cap_spans * sizeof(*d->spans));
	}
	d->spans[d->nspans++] = (struct span){.start = start, .end = end, .unit = d->nunits};
}

/* What a linker dropped is left at address 0, and does not count. */
static void add_spans(struct debuginfo *d, Dwarf_Die *die, u64 deadline)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;
	u32 n = 0;

	while (d->nspans < MAX_SPANS && (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0) {
		if (lo && lo < hi)
			add_span(d, lo, hi);
		if (++n % 1024 == 0 && clock__thread_cpu_ns() > deadline)
			return;
	}
}

static void add_unit(struct debuginfo *d, const struct unit *unit, u64 deadline)
{
	u32 before = d->nspans;
	Dwarf_Die die;
	int tag;

	if (!dwarf_offdie(d->dwarf, unit->die, &die))
		return;
	tag = dwarf_tag(&die);
	if (tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit)
		return;
	add_spans(d, &die, deadline);
	if (d->nspans == before)
		return;
	if (d->nunits == d->cap_units) {
		d->cap_units = d->cap_units ? d->cap_units * 2 : 16;
		d->units = xrealloc(d->units, d->cap_units * sizeof(*d->units));
	}
	d->units[d->nunits++] = *unit;
}

static int by_start(const void *pa, const void *pb)
{
	const struct span *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->unit > b->unit) - (a->unit < b->unit);
}

/*
 * From the units' own ranges: .debug_aranges is optional and often covers only some of them.
 * Units of 64-bit DWARF are left out: nothing on Linux writes them, and libdw does not check
 * the offsets of their range lists.
 */
static void build_index(struct debuginfo *d)
{
	u64 deadline = clock__thread_cpu_ns() + MAX_INDEX_NS, max_end = 0;
	Dwarf_Off at = 0, next, abbrevs;
	u8 address_size, offset_size;
	u32 count, sum = 0;
	size_t header;

	d->indexed = true;
	for (u32 n = 0; n < MAX_UNITS; n++, at = next) {
		if (dwarf_nextcu(d->dwarf, at, &next, &header, &abbrevs, &address_size,
				 &offset_size) != 0 ||
		    next <= at || clock__thread_cpu_ns() > deadline)
			break;
		if (!dwarf_guard__abbrevs(&d->guard, abbrevs, &count) ||
		    (sum += count) > MAX_ABBREVS)
			break; /* libdw reads every unit on its way to a later one */
		if (offset_size == 4)
			add_unit(d,
				 &(struct unit){
					 .die = at + header, .size = next - at, .abbrevs = abbrevs},
				 deadline);
	}
	if (d->nspans)
		qsort(d->spans, d->nspans, sizeof(*d->spans), by_start);
	for (u32 i = 0; i < d->nspans; i++) {
		max_end = MAX(max_end, d->spans[i].end);
		d->spans[i].max_end = max_end;
	}
}

void debuginfo__index(struct debuginfo *d)
{
	if (!d->indexed)
		build_index(d);
}

/* The number of spans that start at or below an address. */
static u32 spans_up_to(const struct debuginfo *d, u64 addr)
{
	u32 n;

	BISECT(n, 0, d->nspans, i, d->spans[i].start <= addr);
	return n;
}

u32 debuginfo__units_at(struct debuginfo *d, u64 addr, struct unit **out, u32 max)
{
	u32 n = 0, looked = 0;

	if (!keep_in_budget(d))
		return 0;
	debuginfo__index(d);
	for (u32 i = spans_up_to(d, addr); i-- > 0 && n < max && looked++ < DEBUGINFO_MAX_OVERLAP;) {
		if (d->spans[i].max_end <= addr)
			break;
		if (d->spans[i].end > addr)
			out[n++] = &d->units[d->spans[i].unit];
	}
	return n;
}

bool debuginfo__unit_die(struct debuginfo *d, const struct unit *u, Dwarf_Die *die)
{
	return dwarf_offdie(d->dwarf, u->die, die) != NULL;
}

/* --- lines --- */

/* Checks what libdw is about to read, and charges its memory to the budget. */
static bool lines_are_sane(struct debuginfo *d, Dwarf_Die *die)
{
	Dwarf_Attribute list, dir;
	Dwarf_Word offset;

	if (!dwarf_attr(die, DW_AT_stmt_list, &list) || dwarf_formudata(&list, &offset))
		return false;
	return dwarf_guard__lines(&d->guard, offset,
				  dwarf_formstring(dwarf_attr(die, DW_AT_comp_dir, &dir)));
}

static void note_time(struct debuginfo *d, u64 start)
{
	d->strikes += clock__thread_cpu_ns() - start > SLOW_NS;
}

static bool read_lines(struct debuginfo *d, struct unit *u, Dwarf_Die *die)
{
	Dwarf_Lines *lines;
	u64 start;
	size_t n;

	if (u->has_lines || u->lines_bad || d->strikes >= MAX_STRIKES)
		return u->has_lines;
	start = clock__thread_cpu_ns();
	u->has_lines = lines_are_sane(d, die) && dwarf_getsrclines(die, &lines, &n) == 0;
	u->lines_bad = !u->has_lines;
	if (u->has_lines)
		d->memory += n * LINE_BYTES;
	note_time(d, start);
	return u->has_lines;
}

/* The path of a row; relative ones are meant from where the compiler ran. */
static const char *row_path(struct debuginfo *d, Dwarf_Die *unit, Dwarf_Line *row)
{
	const char *path = dwarf_linesrc(row, NULL, NULL), *dir;
	char joined[DEBUGINFO_MAX_STRING];
	Dwarf_Attribute mem;
	int n;

	if (!path || path[0] == '/')
		return path ? intern(d, path, strnlen(path, DEBUGINFO_MAX_STRING)) : NULL;
	dir = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &mem));
	n = dir ? (int)dwarf_guard__strlen(&d->guard, dir, DEBUGINFO_MAX_STRING) : 0;
	/* Before DWARF 5, libdw has put it in front of files without a directory. */
	if (!n || (!strncmp(path, dir, n) && path[n] == '/'))
		return intern(d, path, strnlen(path, DEBUGINFO_MAX_STRING));
	n = snprintf(joined, sizeof(joined), "%.*s/%s", n, dir, path);
	return intern(d, joined, MIN((size_t)n, sizeof(joined) - 1));
}

static bool line_in_unit(struct debuginfo *d, struct unit *u, u64 vaddr, const char **file,
			 u32 *line)
{
	Dwarf_Line *row;
	Dwarf_Die die;
	int number;

	if (!debuginfo__unit_die(d, u, &die) || !read_lines(d, u, &die))
		return false;
	row = dwarf_getsrc_die(&die, vaddr);
	if (!row || dwarf_lineno(row, &number) || number <= 0)
		return false;
	*file = row_path(d, &die, row);
	*line = (u32)number;
	return *file != NULL;
}

bool debuginfo__line(struct debuginfo *d, u64 vaddr, const char **file, u32 *line)
{
	struct unit *units[DEBUGINFO_MAX_OVERLAP];
	u32 n;

	if (d->go)
		return go_table__line(d->go, vaddr, file, line);
	n = debuginfo__units_at(d, vaddr, units, ARRAY_SIZE(units));
	for (u32 i = 0; i < n; i++)
		if (line_in_unit(d, units[i], vaddr, file, line))
			return true;
	return false;
}

/* --- inline chains --- */

static void read_scopes(struct debuginfo *d, struct unit *u)
{
	Dwarf_Die die;
	u32 abbrevs;
	u64 start;

	if (u->walked || d->strikes >= MAX_STRIKES)
		return;
	start = clock__thread_cpu_ns();
	u->walked = true;
	if (u->size > DEBUGINFO_MAX_UNIT || !dwarf_guard__abbrevs(&d->guard, u->abbrevs, &abbrevs) ||
	    !debuginfo__unit_die(d, u, &die))
		return;
	dwarf_scopes__init(&u->scopes, &die);
	note_time(d, start);
	d->memory += dwarf_scopes__bytes(&u->scopes) + (size_t)abbrevs * ABBREV_BYTES;
}

const char *debuginfo__die_string(struct debuginfo *d, Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute mem;
	const char *s = dwarf_formstring(dwarf_attr_integrate(die, attribute, &mem));

	return s ? intern_dwarf(d, s) : NULL;
}

static const char *scope_name(struct debuginfo *d, struct dwarf_scope *s)
{
	Dwarf_Die die;

	if (s->named || !dwarf_offdie(d->dwarf, s->die, &die))
		return s->name;
	s->named = true;
	s->name = debuginfo__die_string(d, &die, DW_AT_linkage_name);
	if (!s->name)
		s->name = debuginfo__die_string(d, &die, DW_AT_MIPS_linkage_name);
	if (!s->name)
		s->name = debuginfo__die_string(d, &die, DW_AT_name);
	return s->name;
}

static int chain_in_unit(struct debuginfo *d, struct unit *u, u64 vaddr, struct inline_frame *out,
			 int max)
{
	int n = 0;

	read_scopes(d, u);
	for (u32 i = dwarf_scopes__find(&u->scopes, vaddr); i != SCOPE_NONE && n < max;
	     i = u->scopes.scopes[i].parent) {
		const char *name = scope_name(d, &u->scopes.scopes[i]);

		if (name)
			out[n++].name = name;
	}
	return n;
}

#define GO_CHAIN 32

static int go_inlined(struct debuginfo *d, u64 vaddr, struct inline_frame *out, int max)
{
	const char *names[GO_CHAIN];
	int n = go_table__inlined(d->go, vaddr, names, MIN(max, GO_CHAIN));

	for (int i = 0; i < n; i++)
		out[i].name = names[i];
	return n;
}

int debuginfo__inlined(struct debuginfo *d, u64 vaddr, struct inline_frame *out, int max)
{
	struct unit *units[DEBUGINFO_MAX_OVERLAP];
	u32 count;
	int n = 0;

	if (d->go)
		return go_inlined(d, vaddr, out, max);
	count = debuginfo__units_at(d, vaddr, units, ARRAY_SIZE(units));
	for (u32 i = 0; i < count && !n; i++)
		n = chain_in_unit(d, units[i], vaddr, out, max);
	return n;
}

bool debuginfo__vaddr(const struct debuginfo *d, u64 offset, u64 *vaddr)
{
	GElf_Phdr p;
	size_t n;

	if (elf_getphdrnum(d->program.elf, &n))
		return false;
	for (int i = 0; i < (int)n && gelf_getphdr(d->program.elf, i, &p); i++)
		if (p.p_type == PT_LOAD && (p.p_flags & PF_X) && offset >= p.p_offset &&
		    offset - p.p_offset < p.p_filesz) {
			*vaddr = offset - p.p_offset + p.p_vaddr;
			return true;
		}
	return false;
}
