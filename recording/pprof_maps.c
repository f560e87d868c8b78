// SPDX-License-Identifier: GPL-2.0-only
#include "recording/pprof_maps.h"

#include <ctype.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/arena.h"
#include "symbols/elf.h"
#include "symbols/openfile.h"

#define LINE_BYTES    8192
#define ADDRESSES_MAX (1u << 20)
#define SETTLE_MS     60000

bool pprof_maps__add(struct perf_spaces *spaces, const char *line)
{
	struct perf_record r = {.type = PERF_RECORD_MMAP2, .pid = PPROF_TGID};
	unsigned long long start, end, offset, inode;
	char rights[5], path[LINE_BYTES];
	unsigned major, minor;
	int at = 0;

	if (sscanf(line, "%llx-%llx %4s %llx %x:%x %llu %n", &start, &end, rights, &offset, &major, &minor,
		   &inode, &at) < 7 ||
	    !at || end <= start)
		return false;
	copy_str(path, sizeof(path), line + at);
	path[strcspn(path, "\r\n")] = '\0';
	r.start = start;
	r.len = end - start;
	r.offset = offset;
	r.inode = inode;
	r.text = path;
	r.executable = strlen(rights) > 2 && rights[2] == 'x';
	perf_spaces__mmap(spaces, &r);
	return true;
}

/* --- names --- */

/* Takes out what stands between brackets, with them. */
static void strip_pairs(char *name, char open, char close)
{
	size_t *opened = xcalloc(strlen(name) + 1, sizeof(*opened)), n = 0, to = 0;

	for (const char *c = name; *c; c++) {
		name[to] = *c;
		if (*c == open)
			opened[n++] = to;
		if (*c == close && n) {
			to = opened[--n];
			if (close == ')') {
				size_t blanks = strspn(c + 1, " ");

				if (!strncmp(c + 1 + blanks, "const", 5))
					c += blanks + 5;
			}
			continue;
		}
		to++;
	}
	name[to] = '\0';
	free(opened);
}

/* Where "NAME::" begins that stands behind the last blank before one. */
static char *behind_type(char *name)
{
	for (char *c = name + strlen(name); c > name; c--) {
		char *end = c;

		if (!isspace((u8)c[-1]))
			continue;
		while (isalnum((u8)*end) || *end == '_')
			end++;
		if (end > c && end[0] == ':' && end[1] == ':')
			return c;
	}
	return name;
}

void pprof_name__shorten(char *name)
{
	const char *from;

	strip_pairs(name, '(', ')');
	strip_pairs(name, '<', '>');
	from = behind_type(name);
	memmove(name, from, strlen(from) + 1);
}

/* --- the service --- */

struct service {
	struct symbols *symbols;
	struct perf_spaces *spaces;
	u64 *addresses;
	u32 n, cap;
	/* Of objects, by number, as far as was asked. */
	enum { NOT_ASKED, BY_FUNCTION, BY_INLINED } *names;
	u32 nnames;
};

static void has_end(void *ctx, const char *name, const GElf_Sym *sym)
{
	if (!strcmp(name, "_fini"))
		*(bool *)ctx = true;
}

/* pprof tells answers apart by the address of _fini. Where that is, it has code that is inlined by the function that
 * it is in, elsewhere by the innermost one. */
static bool is_by_inlined(struct service *s, u32 object)
{
	bool by_function = false;
	int fd;

	if (object >= s->nnames) {
		s->names = xrealloc(s->names, (object + 1) * sizeof(*s->names));
		while (s->nnames <= object)
			s->names[s->nnames++] = NOT_ASKED;
	}
	if (s->names[object] == NOT_ASKED) {
		fd = openfile__regular("", symbols__object(s->symbols, object)->path);
		if (fd >= 0) {
			elf__symbols(fd, SHT_SYMTAB, "_fini", has_end, &by_function);
			close(fd);
		}
		s->names[object] = by_function ? BY_FUNCTION : BY_INLINED;
	}
	return s->names[object] == BY_INLINED;
}

/* A word "0x..." makes a line one of an address. */
static bool take_address(struct service *s, const char *line)
{
	for (const char *at = line; (at = strstr(at, "0x")); at += 2) {
		char *end;
		u64 address;

		if (at > line && (isalnum((u8)at[-1]) || at[-1] == '_'))
			continue;
		address = strtoull(at, &end, 16);
		if (end == at + 2 || isalnum((u8)*end) || *end == '_')
			continue;
		if (s->n == ADDRESSES_MAX)
			return true;
		s->addresses = xgrow(s->addresses, s->n, &s->cap, sizeof(*s->addresses));
		s->addresses[s->n++] = address;
		return true;
	}
	return false;
}

static void print_name(struct service *s, u32 loc, FILE *out)
{
	u32 func = loc == SYM_UNKNOWN ? 0 : symbols__func_of(s->symbols, loc), inlined[1];
	const struct sym_func *f;
	char *name;

	if (func && is_by_inlined(s, symbols__func(s->symbols, func)->object) &&
	    symbols__inlined_known(s->symbols, loc, inlined, 1) > 0)
		func = inlined[0];
	f = symbols__func(s->symbols, func);
	if (!func || f->flags & FUNC_GUESSED) {
		fputs("??\n", out);
		return;
	}
	name = xstrdup(f->name);
	pprof_name__shorten(name);
	fprintf(out, "%s\n", *name ? name : "??");
	free(name);
}

/* Functions first, then those inlined there are asked for. */
static void result(struct service *s, FILE *out)
{
	u32 *locs = xcalloc(s->n + 1, sizeof(*locs)), inlined[1];

	for (u32 i = 0; i < s->n; i++)
		locs[i] = perf_spaces__locate(s->spaces, PPROF_TGID, s->addresses[i]);
	symbols__kick(s->symbols);
	symbols__wait(s->symbols, SETTLE_MS);
	for (u32 i = 0; i < s->n; i++)
		if (locs[i] != SYM_UNKNOWN)
			symbols__inlined(s->symbols, locs[i], inlined, 1);
	symbols__kick(s->symbols);
	symbols__wait(s->symbols, SETTLE_MS);
	for (u32 i = 0; i < s->n; i++)
		print_name(s, locs[i], out);
	free(locs);
}

int pprof_symbols(FILE *in, FILE *out, struct status *st)
{
	struct service s = {.symbols = symbols__new(st)};
	struct perf_meta meta;
	char *line;

	if (!s.symbols)
		return -EINVAL;
	perf_meta__init(&meta);
	line = xmalloc(LINE_BYTES);
	s.spaces = perf_spaces__new(s.symbols, &meta);
	perf_spaces__same_kernel(s.spaces); /* whoever asks runs here */
	while (fgets(line, LINE_BYTES, in))
		if (!take_address(&s, line))
			pprof_maps__add(s.spaces, line);
	result(&s, out);
	free(line);
	free(s.addresses);
	free(s.names);
	perf_spaces__free(s.spaces);
	perf_meta__fini(&meta);
	symbols__free(s.symbols);
	return 0;
}
