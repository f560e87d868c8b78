// SPDX-License-Identifier: GPL-2.0-only
/* What a code object is called: its name, its file, its lines. */
#include <errno.h>

#include "base/arena.h"
#include "base/utf8.h"
#include "symbols/python.h"

#define CODE_WORDS  32
#define TYPE_WORD   1
#define TEXT_LENGTH 16 /* of objects of varying size and of texts */
#define TEXT_STATE  32
#define BYTES_DATA  32
#define CHAR_MAX    4 /* bytes of one */

static bool read_code(const struct python *p, const struct process_memory *m, u64 address,
		      u64 words[CODE_WORDS])
{
	size_t size = p->rt.code_bytes;

	return size <= CODE_WORDS * sizeof(*words) && !(address & 7) &&
	       m->read(m->ctx, address, words, size) && words[TYPE_WORD] == p->rt.code_type;
}

static bool read_print(const struct python *p, const struct process_memory *m, const u64 *words,
		       u64 *print)
{
	u64 name = words[p->rt.code_name / 8], hash, h;

	if (!m->read(m->ctx, name + p->rt.text_hash, &hash, sizeof(hash)))
		return false;
	h = script_sum(words[p->rt.code_file / 8], name);
	h = script_sum(h, words[p->rt.code_lines / 8]);
	h = script_sum(h, words[p->rt.code_line / 8]);
	*print = script_sum(h, hash);
	return true;
}

u64 python_code__print(const struct python *p, const struct process_memory *m, u64 address)
{
	u64 words[CODE_WORDS], print;

	return read_code(p, m, address, words) && read_print(p, m, words, &print) ? print : 0;
}

/* --- texts --- */

struct text_head {
	u64 length;
	u32 char_size;
	bool ascii;
};

static bool read_head(const struct process_memory *m, u64 at, struct text_head *h)
{
	u32 state;

	if (!m->read(m->ctx, at + TEXT_LENGTH, &h->length, sizeof(h->length)) ||
	    !m->read(m->ctx, at + TEXT_STATE, &state, sizeof(state)))
		return false;
	h->char_size = (state >> 2) & 7;
	h->ascii = state & 0x40;
	/* Compact ones alone: names and files are. */
	return state & 0x20 && (h->char_size == 1 || h->char_size == 2 || h->char_size == 4);
}

static u32 char_at(const u8 *chars, u32 i, u32 size)
{
	u32 c = 0;

	memcpy(&c, chars + (size_t)i * size, size);
	return c;
}

bool python_text__read(const struct python *p, const struct process_memory *m, u64 at, char *to,
		       size_t size)
{
	u8 chars[SCRIPT_FILE_MAX * CHAR_MAX];
	struct text_head h;
	size_t used = 0;
	u32 n;

	if (!read_head(m, at, &h) || !h.length)
		return false;
	n = (u32)MIN(h.length, (u64)MIN(size, (size_t)SCRIPT_FILE_MAX) - 1);
	if (!m->read(m->ctx, at + (h.ascii ? p->ascii_size : p->text_size), chars,
		     (size_t)n * h.char_size))
		return false;
	for (u32 i = 0; i < n && used + CHAR_MAX < size; i++)
		used += utf8__encode(char_at(chars, i, h.char_size), to + used);
	to[used] = '\0';
	return used && strlen(to) == used;
}

/* --- lines --- */

static void read_lines(const struct python *p, const struct process_memory *m, u64 at,
		       struct script_code *out)
{
	u64 size;

	out->last_line = out->first_line;
	if (!m->read(m->ctx, at + TEXT_LENGTH, &size, sizeof(size)) || !size)
		return;
	out->nlines = (u32)MIN(size, (u64)PYTHON_LINES_MAX);
	out->lines = xmalloc(out->nlines);
	if (!m->read(m->ctx, at + BYTES_DATA, out->lines, out->nlines)) {
		free(out->lines);
		out->lines = NULL;
		out->nlines = 0;
		return;
	}
	out->last_line = python_lines__last(p->minor, out->lines, out->nlines, out->first_line);
}

int python_code__read(const struct python *p, const struct process_memory *m, u64 address,
		      struct script_code *out)
{
	u64 words[CODE_WORDS], name;

	*out = (struct script_code){0};
	if (!read_code(p, m, address, words) || !read_print(p, m, words, &out->print))
		return -ESTALE;
	name = words[(p->code_qualname ? p->code_qualname : p->rt.code_name) / 8 % CODE_WORDS];
	if (!python_text__read(p, m, name, out->name, sizeof(out->name)) ||
	    !python_text__read(p, m, words[p->rt.code_file / 8], out->file, sizeof(out->file)))
		return -ESTALE;
	memcpy(&out->first_line, (const char *)words + p->rt.code_line, sizeof(out->first_line));
	read_lines(p, m, words[p->rt.code_lines / 8], out);
	return 0;
}
