// SPDX-License-Identifier: GPL-2.0-only
/* What a method is called: its class and name, its file, its lines. */
#include <errno.h>
#include <stdio.h>

#include "base/arena.h"
#include "symbols/bytes.h"
#include "symbols/hotspot.h"

#define POOL_UTF8  1 /* JVM_CONSTANT_Utf8 */
#define CODE_MAX   65535
#define SYMBOL_MAX (HOTSPOT_NAME_MAX / 2)

struct constant {
	u64 at, pool, names;
	u16 name, code_size;
	u32 flags;
};

static bool read_constant(const struct hotspot *h, const struct process_memory *m, u64 method,
			  struct constant *c)
{
	const struct hotspot_runtime *rt = &h->rt;
	u8 raw[HOTSPOT_CONST_WORDS * sizeof(u64)];

	if ((method & 7) || !memory__u64(m, method + rt->method_const, &c->at) || !c->at ||
	    (c->at & 7) || !m->read(m->ctx, c->at, raw, sizeof(raw)))
		return false;
	memcpy(&c->pool, raw + rt->const_constants, sizeof(c->pool));
	memcpy(&c->names, raw + rt->const_names, sizeof(c->names));
	memcpy(&c->name, raw + h->const_name, sizeof(c->name));
	memcpy(&c->code_size, raw + rt->const_code_size, sizeof(c->code_size));
	return memory__u32(m, c->at + h->const_flags, &c->flags);
}

static u64 print_of(const struct constant *c)
{
	return hotspot_method_sum(c->at, c->pool, c->names);
}

u64 hotspot_method__print(const struct hotspot *h, const struct process_memory *m, u64 address)
{
	struct constant c;

	return read_constant(h, m, address, &c) ? print_of(&c) : 0;
}

/* --- texts --- */

/* A longer one is cut. False: it is none, or has what no name has. */
static bool read_symbol(const struct hotspot *h, const struct process_memory *m, u64 at, char *to,
			size_t size)
{
	u16 length;
	size_t n;

	if (!at || !memory__u16(m, at + h->symbol_length, &length) || !length)
		return false;
	n = MIN((size_t)length, size - 1);
	if (!m->read(m->ctx, at + h->symbol_body, to, n))
		return false;
	to[n] = '\0';
	for (size_t i = 0; i < n; i++)
		if ((u8)to[i] < ' ')
			return false;
	return true;
}

static bool read_entry(const struct hotspot *h, const struct process_memory *m, u64 pool, u16 index,
		       char *to, size_t size)
{
	u64 tags, symbol;
	u8 tag;

	return index && memory__u64(m, pool + h->pool_tags, &tags) &&
	       m->read(m->ctx, tags + h->tags_data + index, &tag, 1) && tag == POOL_UTF8 &&
	       memory__u64(m, pool + h->pool_size + index * sizeof(u64), &symbol) &&
	       read_symbol(h, m, symbol, to, size);
}

/* The class that has the pool, and says so. */
static bool read_class(const struct hotspot *h, const struct process_memory *m, u64 pool,
		       u64 *klass, char *name, size_t size)
{
	u64 back, symbol;

	return memory__u64(m, pool + h->pool_holder, klass) &&
	       memory__u64(m, *klass + h->klass_pool, &back) && back == pool &&
	       memory__u64(m, *klass + h->klass_name, &symbol) &&
	       read_symbol(h, m, symbol, name, size);
}

/* Classes that are made while the program runs have an address behind their name. */
static void cut_address(char *class)
{
	char *at = strstr(class, "+0x");

	if (at && at != class)
		*at = '\0';
}

static void put_name(struct hotspot_method *out, const char *class, const char *method)
{
	snprintf(out->name, sizeof(out->name), "%s.%s", class, method);
	for (size_t i = 0; class[i]; i++)
		if (out->name[i] == '/')
			out->name[i] = '.';
}

/* Without one of its own the class's outermost one tells. */
static void put_file(struct hotspot_method *out, const char *class, const char *source)
{
	const char *slash = strrchr(class, '/'), *base = slash ? slash + 1 : class;
	int folder = (int)(base - class);

	if (source[0])
		snprintf(out->file, sizeof(out->file), "%.*s%s", folder, class, source);
	else
		snprintf(out->file, sizeof(out->file), "%.*s%.*s.java", folder, class,
			 (int)(1 + strcspn(base + 1, "$")), base);
}

static bool read_names(const struct hotspot *h, const struct process_memory *m,
		       const struct constant *c, struct hotspot_method *out)
{
	char class[SYMBOL_MAX], method[SYMBOL_MAX], source[SYMBOL_MAX] = "";
	u16 index = 0;
	u64 klass;

	if (!read_class(h, m, c->pool, &klass, class, sizeof(class)) ||
	    !read_entry(h, m, c->pool, c->name, method, sizeof(method)))
		return false;
	if (h->pool_source &&
	    memory__u16(m, (h->source_of_class ? klass : c->pool) + h->pool_source, &index) &&
	    (!read_entry(h, m, c->pool, index, source, sizeof(source)) || strchr(source, '/')))
		source[0] = '\0';
	cut_address(class);
	put_name(out, class, method);
	put_file(out, class, source);
	return true;
}

/* --- lines --- */

#define LINES_CHUNK ((size_t)256)
#define LINE_BYTES  11 /* of the longest entry */

struct line {
	u32 bci, line;
};

static s32 signed_number(u32 value)
{
	return (s32)(value >> 1) ^ -(s32)(value & 1);
}

/* The next entry; false: there is none. */
static bool next_line(u32 version, struct bytes *b, struct line *l)
{
	u32 bci, line;
	u64 byte;

	if (!bytes__take(b, 1, &byte) || !byte)
		return false;
	if (byte != 0xff) {
		l->bci += (u32)byte >> 3;
		l->line += (u32)byte & 7;
		return true;
	}
	if (!hotspot__number(version, b, &bci) || !hotspot__number(version, b, &line))
		return false;
	l->bci += (u32)signed_number(bci);
	l->line += (u32)signed_number(line);
	return l->bci <= CODE_MAX && l->line <= CODE_MAX;
}

u32 hotspot_lines__find(u32 version, const u8 *table, u32 size, u32 bci)
{
	struct bytes b = {table, size};
	struct line l = {0}, best = {0};

	while (next_line(version, &b, &l))
		if (l.bci <= bci && l.bci >= best.bci)
			best = l;
	return best.line;
}

static void read_lines(const struct hotspot *h, const struct process_memory *m,
		       const struct constant *c, struct hotspot_method *out)
{
	u64 at = c->at + h->rt.const_bytes + c->code_size;
	struct bytes b = {NULL, 0};
	struct line l;
	u32 size = 0;

	if (!(c->flags & h->has_lines))
		return;
	out->lines = xmalloc(HOTSPOT_LINES_MAX);
	do {
		size_t n = MIN(LINES_CHUNK, 4096 - (size_t)((at + size) & 4095));

		if (size + n > HOTSPOT_LINES_MAX ||
		    !m->read(m->ctx, at + size, out->lines + size, n))
			break;
		size += (u32)n;
		b = (struct bytes){out->lines, size};
		out->first_line = out->last_line = 0;
		l = (struct line){0};
		while (next_line(h->version, &b, &l)) {
			out->first_line = out->first_line ? MIN(out->first_line, l.line) : l.line;
			out->last_line = MAX(out->last_line, l.line);
		}
	} while (b.n < LINE_BYTES); /* else it ended with its own 0 */
	out->nlines = size - (u32)b.n;
	out->lines = xrealloc(out->lines, MAX(out->nlines, 1u));
}

int hotspot_method__read(const struct hotspot *h, const struct process_memory *m, u64 address,
			 struct hotspot_method *out)
{
	struct constant c;

	memset(out, 0, sizeof(*out));
	if (!read_constant(h, m, address, &c) || !read_names(h, m, &c, out))
		return -ESTALE;
	out->print = print_of(&c);
	read_lines(h, m, &c, out);
	return 0;
}
