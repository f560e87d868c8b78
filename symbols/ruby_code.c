// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an instruction sequence of Ruby is called: its label and file, and which instruction has
 * which line; and what a function that is written in C is. An index says, for a place in it, how many entries of the table of lines begin there
 * or before.
 */
#include <errno.h>
#include <stdio.h>

#include "base/arena.h"
#include "symbols/ruby.h"

#define CODE_WORDS	 32
#define INSTRUCTIONS_MAX SCRIPT_UNIT_MAX

/* In what an instruction sequence has. */
#define FIRST_LINE 88
#define LAST_LINE  108
#define LINES	   120 /* the table's address */
#define NLINES	   136
#define INDEX	   144
#define LINE_BYTES 12 /* of an entry, whose first word is the line */

/* An instruction sequence, and of a method's whose it is. */
struct code {
	u64 owner; /* 0: it is no method's, or not known */
	u64 body, words[CODE_WORDS];
};

/* What is known of a method. */
struct method {
	struct ruby_entry entry;
	struct ruby_definition definition;
};

static bool read_method(const struct process_memory *m, u64 address, struct method *to)
{
	return !(address & 7) && m->read(m->ctx, address, &to->entry, sizeof(to->entry)) &&
	       (to->entry.type & SCRIPT_RUBY_TYPE) == SCRIPT_RUBY_ENTRY &&
	       m->read(m->ctx, to->entry.definition, &to->definition, sizeof(to->definition));
}

/* --- functions written in C --- */

#define DEFINITION_NAME 32 /* in the definition: what it was called when it was made */
#define OF_C		"[ruby]" /* in the place of a file */

static bool is_of_c(const struct method *f)
{
	return RUBY_DEFINITION(f->definition.type) == RUBY_WRITTEN_IN_C;
}

static u64 print_of_c(const struct method *f)
{
	return ruby_c_sum(f->definition.code, f->entry.called, f->entry.owner);
}

static int read_of_c(const struct ruby *r, const struct process_memory *m, const struct method *f,
		     struct script_code *out)
{
	size_t n;
	u64 id;

	out->print = print_of_c(f);
	ruby_class__prefix(r, m, f->entry.owner, out->name, sizeof(out->name) / 2);
	n = strlen(out->name);
	if (!memory__u64(m, f->entry.definition + DEFINITION_NAME, &id) ||
	    !ruby_symbols__name(r, m, id, out->name + n, sizeof(out->name) - n))
		return -ESTALE;
	snprintf(out->file, sizeof(out->file), OF_C);
	return 0;
}

/* --- those that are not --- */

static bool read_entry(const struct process_memory *m, u64 *address, u64 *owner)
{
	struct method f;

	if (!read_method(m, *address, &f) ||
	    RUBY_DEFINITION(f.definition.type) != RUBY_WRITTEN_IN_RUBY)
		return false;
	*owner = f.entry.owner;
	*address = f.definition.code;
	return true;
}

static bool read_code(const struct ruby *r, const struct process_memory *m, u64 address, struct code *c)
{
	u64 type;

	c->owner = 0;
	if (address & 7 || !memory__u64(m, address, &type))
		return false;
	if ((type & SCRIPT_RUBY_TYPE) == SCRIPT_RUBY_ENTRY &&
	    (!read_entry(m, &address, &c->owner) || address & 7 || !memory__u64(m, address, &type)))
		return false;
	return (type & SCRIPT_RUBY_TYPE) == SCRIPT_RUBY_ISEQ &&
	       memory__u64(m, address + r->rt.code_body, &c->body) &&
	       m->read(m->ctx, c->body, c->words, r->rt.code_bytes);
}

static u64 print_of(const struct ruby *r, const struct code *c)
{
	const u64 *words = c->words;
	u64 print = script_code_sum(words[r->rt.code_file / 8], words[r->rt.code_name / 8],
				    words[r->rt.code_lines / 8], words[r->rt.code_line / 8]);

	return c->owner ? ruby_method_sum(print, c->owner) : print;
}

u64 ruby_code__print(const struct ruby *r, const struct process_memory *m, u64 address)
{
	struct method f;
	struct code c;

	if (read_method(m, address, &f) && is_of_c(&f))
		return print_of_c(&f);
	return read_code(r, m, address, &c) ? print_of(r, &c) : 0;
}

/* --- texts and arrays; a short one is in the object itself --- */

#define TYPE(flags)	    ((flags) & 0x1f)
#define TYPE_STRING	    5
#define TYPE_ARRAY	    7
#define ELSEWHERE	    (1u << 13) /* a text: it is not in the object */
#define TEXT_LENGTH(flags)  ((flags) >> 14 & 0x1f)
#define EMBEDDED	    (1u << 13) /* an array: it is */
#define ARRAY_LENGTH(flags) ((flags) >> 15 & 3)
#define IN_OBJECT	    16
#define TEXT_AT		    24

bool ruby__text(const struct process_memory *m, u64 at, char *to, size_t size)
{
	u64 flags, length, chars = at + IN_OBJECT;
	size_t n;

	if ((at & 7) || !memory__u64(m, at, &flags) || TYPE(flags) != TYPE_STRING)
		return false;
	length = TEXT_LENGTH(flags);
	if ((flags & ELSEWHERE) &&
	    (!memory__u64(m, at + IN_OBJECT, &length) || !memory__u64(m, at + TEXT_AT, &chars)))
		return false;
	n = (size_t)MIN(length, (u64)size - 1);
	if (!n || !m->read(m->ctx, chars, to, n))
		return false;
	to[n] = '\0';
	return strlen(to) == n;
}

/* A path alone, or with the real one behind it, which only files have. */
static bool read_path(const struct process_memory *m, u64 at, char *to, size_t size)
{
	u64 flags, paths[2];

	if ((at & 7) || !memory__u64(m, at, &flags))
		return false;
	if (TYPE(flags) != TYPE_ARRAY)
		return ruby__text(m, at, to, size);
	return (flags & EMBEDDED) && ARRAY_LENGTH(flags) == 2 &&
	       m->read(m->ctx, at + IN_OBJECT, paths, sizeof(paths)) &&
	       (ruby__text(m, paths[1], to, size) || ruby__text(m, paths[0], to, size));
}

/* --- lines: pairs of a place and the line from it on --- */

struct line_entry {
	u32 place, line;
};

/* The index: a number for each of the first places, nine in a word; then blocks of 512 places with
 * a bit for each at which an entry begins, before them how many began earlier. */
#define SMALL	   54
#define SMALL_IN   9
#define SMALL_BITS 7
#define IN_BLOCK   512

struct index_block {
	u32 before, pad;
	u64 ranks; /* not used: bits are counted */
	u64 bits[IN_BLOCK / 64];
};

struct line_index {
	u64 small[SMALL / SMALL_IN];
	struct index_block *blocks;
};

static u32 count_bits(const struct index_block *b, u32 last)
{
	u32 n = b->before;

	for (u32 i = 0; i < last / 64; i++)
		n += (u32)__builtin_popcountll(b->bits[i]);
	return n + (u32)__builtin_popcountll(b->bits[last / 64] << (63 - last % 64));
}

/* How many entries begin at the place or before. */
static u32 entries_until(const struct line_index *x, u32 place)
{
	if (place < SMALL)
		return (u32)(x->small[place / SMALL_IN] >> (place % SMALL_IN * SMALL_BITS)) & 0x7f;
	return count_bits(&x->blocks[(place - SMALL) / IN_BLOCK], (place - SMALL) % IN_BLOCK);
}

static bool read_index(const struct process_memory *m, u64 at, u32 places, struct line_index *x)
{
	/* A short one ends with the word that has the last place. */
	size_t small = places >= SMALL ? sizeof(x->small) : (places + SMALL_IN - 1) / SMALL_IN * 8;
	u32 nblocks = places > SMALL ? (places - SMALL + IN_BLOCK - 1) / IN_BLOCK : 0;

	*x = (struct line_index){.blocks = xcalloc(nblocks + 1, sizeof(*x->blocks))};
	return m->read(m->ctx, at, x->small, small) &&
	       (!nblocks || m->read(m->ctx, at + small, x->blocks, nblocks * sizeof(*x->blocks)));
}

static void put_line(struct script_code *out, u32 place, u32 line)
{
	const struct line_entry e = {place, line};

	memcpy(out->lines + out->nlines, &e, sizeof(e));
	out->nlines += (u32)sizeof(e);
}

static u32 line_at(const u8 *table, u32 entry)
{
	u32 line;

	memcpy(&line, table + (size_t)entry * LINE_BYTES, sizeof(line));
	return line;
}

static void put_lines(const struct line_index *x, const u8 *table, u32 entries, u32 places,
		      struct script_code *out)
{
	u32 last = 0;

	out->lines = xmalloc((size_t)entries * sizeof(struct line_entry));
	for (u32 place = 0; place < places; place++) {
		u32 n = entries_until(x, place);

		if (n <= last || n > entries)
			continue;
		put_line(out, place, line_at(table, n - 1));
		last = n;
	}
}

/* One entry has no index. */
static void read_lines(const struct process_memory *m, u64 body, u32 places,
		       struct script_code *out)
{
	struct line_index x = {.small = {1}};
	u32 entries;
	u64 at, index;
	u8 *table;

	if (places > INSTRUCTIONS_MAX || !memory__u32(m, body + NLINES, &entries) || !entries ||
	    entries > places || !memory__u64(m, body + LINES, &at) ||
	    !memory__u64(m, body + INDEX, &index))
		return;
	table = xmalloc((size_t)entries * LINE_BYTES);
	if (m->read(m->ctx, at, table, (size_t)entries * LINE_BYTES) &&
	    (entries == 1 || read_index(m, index, places, &x)))
		put_lines(&x, table, entries, entries == 1 ? 1 : places, out);
	free(x.blocks);
	free(table);
}

u32 ruby_lines__find(const u8 *lines, u32 nlines, u32 unit)
{
	u32 place = unit ? unit - 1 : 0, line = 0;
	struct line_entry e;

	for (u32 at = 0; at + sizeof(e) <= nlines; at += (u32)sizeof(e)) {
		memcpy(&e, lines + at, sizeof(e));
		if (e.place > place)
			break;
		line = e.line;
	}
	return line;
}

static bool read_name(const struct ruby *r, const struct process_memory *m, const struct code *c,
		      char *buf, size_t size)
{
	size_t n;

	*buf = '\0';
	if (c->owner)
		ruby_class__prefix(r, m, c->owner, buf, size / 2);
	n = strlen(buf);
	return ruby__text(m, c->words[r->rt.code_name / 8], buf + n, size - n);
}

int ruby_code__read(const struct ruby *r, const struct process_memory *m, u64 address,
		    struct script_code *out)
{
	struct method f;
	struct code c;
	u64 first;
	u32 last;

	*out = (struct script_code){0};
	if (read_method(m, address, &f) && is_of_c(&f))
		return read_of_c(r, m, &f, out);
	if (!read_code(r, m, address, &c) || !memory__u64(m, c.body + FIRST_LINE, &first) ||
	    !memory__u32(m, c.body + LAST_LINE, &last) ||
	    !read_name(r, m, &c, out->name, sizeof(out->name)) ||
	    !read_path(m, c.words[r->rt.code_file / 8], out->file, sizeof(out->file)))
		return -ESTALE;
	out->print = print_of(r, &c);
	out->first_line = MAX((u32)(first >> 1), 1u); /* a number is odd; 0 is of a file */
	out->last_line = MAX(out->first_line, last);
	read_lines(m, c.body, (u32)(c.words[0] >> 32), out);
	return 0;
}
