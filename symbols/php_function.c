// SPDX-License-Identifier: GPL-2.0-only
/* What a function of PHP is called: its class and name, its file, its lines. */
#include <errno.h>
#include <stdio.h>

#include "symbols/php.h"

#define CODE_WORDS  32
#define SCOPE	    16 /* in a function: its class */
#define CLASS_NAME  8
#define TEXT_LENGTH 16
#define TEXT_CHARS  24
#define MAIN	    "{main}"	 /* as PHP calls what is in a file outside of functions */
#define INTERNAL    "[php]"

static bool read_function(const struct php *p, const struct process_memory *m, u64 address,
			  u64 words[CODE_WORDS])
{
	u8 type;

	if ((address & 7) || !m->read(m->ctx, address, words, p->rt.code_bytes))
		return false;
	type = (u8)words[0];
	return type == SCRIPT_PHP_INTERNAL || type == SCRIPT_PHP_USER || type == SCRIPT_PHP_EVAL;
}

static bool is_internal(const u64 *words)
{
	return (u8)words[0] == SCRIPT_PHP_INTERNAL;
}

static bool print_of(const struct php *p, const struct process_memory *m, const u64 *words, u64 *print)
{
	u64 name = words[p->rt.code_name / 8], length = 0, h;

	if (name && !memory__u64(m, name + p->rt.text_hash, &length))
		return false;
	if (is_internal(words)) {
		*print = script_sum(name, length);
		return true;
	}
	h = script_sum(words[p->rt.code_file / 8], name);
	h = script_sum(h, words[p->rt.code_lines / 8]);
	h = script_sum(h, words[p->rt.code_line / 8]);
	*print = script_sum(h, length);
	return true;
}

u64 php_function__print(const struct php *p, const struct process_memory *m, u64 address)
{
	u64 words[CODE_WORDS], print;

	return read_function(p, m, address, words) && print_of(p, m, words, &print) ? print : 0;
}

/* A longer one is cut. False: it is none, or has what no name has. */
static bool read_text(const struct process_memory *m, u64 at, char *to, size_t size)
{
	u64 length;
	size_t n;

	if (!at || (at & 7) || !memory__u64(m, at + TEXT_LENGTH, &length) || !length)
		return false;
	n = (size_t)MIN(length, (u64)size - 1);
	if (!m->read(m->ctx, at + TEXT_CHARS, to, n))
		return false;
	to[n] = '\0';
	return strlen(to) == n;
}

static bool read_name(const struct php *p, const struct process_memory *m, const u64 *words,
		      struct script_code *out)
{
	char class[SCRIPT_NAME_MAX / 2 - 2], name[SCRIPT_NAME_MAX / 2];
	u64 text;

	if (!words[p->rt.code_name / 8]) {
		snprintf(out->name, sizeof(out->name), MAIN);
		return true;
	}
	if (!read_text(m, words[p->rt.code_name / 8], name, sizeof(name)))
		return false;
	if (words[SCOPE / 8] && memory__u64(m, words[SCOPE / 8] + CLASS_NAME, &text) &&
	    read_text(m, text, class, sizeof(class)))
		snprintf(out->name, sizeof(out->name), "%s::%s", class, name);
	else
		snprintf(out->name, sizeof(out->name), "%s", name);
	return true;
}

int php_function__read(const struct php *p, const struct process_memory *m, u64 address,
		       struct script_code *out)
{
	u64 words[CODE_WORDS];

	*out = (struct script_code){0};
	if (!read_function(p, m, address, words) || !print_of(p, m, words, &out->print) ||
	    !read_name(p, m, words, out))
		return -ESTALE;
	if (is_internal(words)) {
		snprintf(out->file, sizeof(out->file), INTERNAL);
		return 0;
	}
	if (!read_text(m, words[p->rt.code_file / 8], out->file, sizeof(out->file)))
		return -ESTALE;
	out->first_line = (u32)words[p->rt.code_line / 8];
	out->last_line = (u32)(words[p->rt.code_line / 8] >> 32);
	return out->first_line <= out->last_line ? 0 : -ESTALE;
}
