// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a function of Perl is called: its package and name, its file, its lines, which its
 * statements have. What is in no function has a statement alone, and is called {main}.
 */
#include <errno.h>
#include <stdio.h>

#include "symbols/perl.h"

#define CODE_WORDS 16
#define MAIN	   "{main}"

/* In a function's body. */
#define FUNCTION_FLAGS 92
#define NAME_IS_TEXT   0x8000 /* in those: there is no symbol, but a name */
#define PACKAGE	       32
/* In the bodies of a symbol and of a package. */
#define SYMBOL_PACKAGE 40
#define SYMBOL_NAME    32
#define PACKAGE_NAME   32
#define PACKAGE_NAMES  60 /* how many names it has; 0: one */
/* A name: its length and its characters. */
#define NAME_LENGTH 4
#define NAME_CHARS  8

struct code {
	__u64 words[CODE_WORDS];
	u64 body; /* of a function; 0: it is a statement */
	u64 print;
};

static bool read_statement(const struct perl *p, const struct process_memory *m, u64 address,
			   __u64 words[CODE_WORDS])
{
	return m->read(m->ctx, address, words, PERL_STATEMENT_BYTES) &&
	       perl_statement_sum(&p->rt.perl, words);
}

static bool read_code(const struct perl *p, const struct process_memory *m, u64 address,
		      struct code *c)
{
	u64 head[2];

	*c = (struct code){0};
	if (address & 7)
		return false;
	if (read_statement(p, m, address, c->words)) {
		c->print = perl_statement_sum(&p->rt.perl, c->words);
		return true;
	}
	if (!m->read(m->ctx, address, head, sizeof(head)) || PERL_TYPE(head[1]) != PERL_FUNCTION ||
	    !m->read(m->ctx, head[0], c->words, PERL_FUNCTION_BYTES))
		return false;
	c->body = head[0];
	c->print = perl_function_sum(&p->rt.perl, c->words);
	return true;
}

u64 perl_code__print(const struct perl *p, const struct process_memory *m, u64 address)
{
	struct code c;

	return read_code(p, m, address, &c) ? c.print : 0;
}

/* --- names --- */

/* A longer one is cut. False: it is none, or has what no name has. */
static bool read_name(const struct process_memory *m, u64 at, char *to, size_t size)
{
	u32 length;
	size_t n;

	if (!at || !memory__u32(m, at + NAME_LENGTH, &length) || !length || length > INT32_MAX)
		return false;
	n = MIN(length, size - 1);
	if (!m->read(m->ctx, at + NAME_CHARS, to, n))
		return false;
	to[n] = '\0';
	return strlen(to) == n;
}

/* A file's name ends with a zero. Those of texts that were evaluated are numbered: all are one. */
static bool read_file(const struct process_memory *m, u64 at, char *to, size_t size)
{
	size_t n = 0;

	while (at && n < size - 1 && m->read(m->ctx, at + n, to + n, 1) && to[n])
		n++;
	to[n] = '\0';
	if (!strncmp(to, "(eval ", 6))
		snprintf(to, size, "(eval)");
	return n;
}

static bool read_body(const struct process_memory *m, u64 at, u64 *body)
{
	return at && !(at & 7) && memory__u64(m, at, body);
}

/* What a package is called, or one of its names. */
static bool read_package(const struct process_memory *m, u64 at, char *to, size_t size)
{
	u64 body, name;
	u32 names;

	if (!read_body(m, at, &body) || !memory__u64(m, body + PACKAGE_NAME, &name) ||
	    !memory__u32(m, body + PACKAGE_NAMES, &names))
		return false;
	if (names && !memory__u64(m, name, &name))
		return false;
	return read_name(m, name, to, size);
}

static bool read_function_name(const struct perl *p, const struct process_memory *m,
			       const struct code *c, struct script_code *out)
{
	char package[SCRIPT_NAME_MAX / 2 - 2], name[SCRIPT_NAME_MAX / 2];
	u64 at = c->words[p->rt.perl.function_name / 8], of = c->words[PACKAGE / 8], body;
	u32 flags;

	if (!memory__u32(m, c->body + FUNCTION_FLAGS, &flags))
		return false;
	if (!(flags & NAME_IS_TEXT) &&
	    (!read_body(m, at, &body) || !memory__u64(m, body + SYMBOL_NAME, &at) ||
	     !memory__u64(m, body + SYMBOL_PACKAGE, &of)))
		return false;
	if (!read_name(m, at, name, sizeof(name)))
		return false;
	if (!read_package(m, of, package, sizeof(package)))
		snprintf(out->name, sizeof(out->name), "%s", name);
	else
		snprintf(out->name, sizeof(out->name), "%s::%s", package, name);
	return true;
}

/* --- lines --- */

#define OPS_MAX 1024 /* that are looked at */

/* From the first operation on, as they follow each other: loops are gone past, and of branches one
 * is gone through, but the last statement is met. */
static void read_lines(const struct perl *p, const struct process_memory *m, u64 op,
		       struct script_code *out)
{
	__u64 words[CODE_WORDS];

	for (u32 i = 0; i < OPS_MAX && op && !(op & 7); i++) {
		u32 line;

		if (read_statement(p, m, op, words)) {
			line = (u32)(words[p->rt.perl.statement_line / 8] >> 32);
			out->first_line = out->first_line ? out->first_line : line;
			out->last_line = MAX(out->last_line, line);
		}
		if (!memory__u64(m, op, &op))
			break;
	}
	out->last_line = MAX(out->last_line, out->first_line);
}

int perl_code__read(const struct perl *p, const struct process_memory *m, u64 address,
		    struct script_code *out)
{
	struct code c;
	u64 file;

	*out = (struct script_code){0};
	if (!read_code(p, m, address, &c))
		return -ESTALE;
	out->print = c.print;
	if (c.body) {
		file = c.words[p->rt.perl.function_file / 8];
		if (!read_function_name(p, m, &c, out))
			return -ESTALE;
		read_lines(p, m, c.words[p->rt.perl.function_start / 8], out);
	} else {
		file = c.words[p->rt.perl.statement_file / 8];
		snprintf(out->name, sizeof(out->name), MAIN);
		out->first_line = 1;
		out->last_line = (u32)(c.words[p->rt.perl.statement_line / 8] >> 32);
	}
	return read_file(m, file, out->file, sizeof(out->file)) ? 0 : -ESTALE;
}
