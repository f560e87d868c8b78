// SPDX-License-Identifier: GPL-2.0-only
#include "measures/syscall_text.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

#define CUT "..."

void syscall_out__init(struct syscall_out *out, char *buf, size_t size)
{
	*out = (struct syscall_out){.buf = buf, .size = size, .full = !size};
	if (size)
		*buf = '\0';
}

/* All of it or nothing, so that no character is cut. */
static void append(struct syscall_out *out, const char *s, size_t n)
{
	out->full |= n >= out->size - out->len;
	if (out->full)
		return;
	memcpy(out->buf + out->len, s, n);
	out->len += n;
	out->buf[out->len] = '\0';
}

static void add(struct syscall_out *out, const char *s, size_t n)
{
	const char *before = out->before;

	if (!n)
		return;
	out->before = NULL;
	if (before)
		append(out, before, strlen(before));
	append(out, s, n);
}

void syscall_out__end(struct syscall_out *out)
{
	size_t room = strlen(CUT) + 1;

	if (!out->full || out->size < room)
		return;
	if (out->len > out->size - room)
		out->len = out->size - room;
	while (out->len && ((u8)out->buf[out->len] & 0xc0) == 0x80)
		out->len--;
	memcpy(out->buf + out->len, CUT, room);
	out->len += room - 1;
}

void syscall_out__printf(struct syscall_out *out, const char *fmt, ...)
{
	char text[80];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	add(out, text, MIN((size_t)MAX(n, 0), sizeof(text) - 1));
}

/* Its letter behind the backslash; 0 for what has none. */
static char letter(u32 cp, char open, char close)
{
	static const char from[] = "\t\n\v\f\r", to[] = "tnvfr";
	const char *at = cp && cp < 0x80 ? strchr(from, (int)cp) : NULL;

	if (at)
		return to[at - from];
	return cp == '\\' || (cp == '"' && open == '"') ? (char)cp : '\0';
}

static bool is_plain(u32 cp, u32 n, char open, char close)
{
	if (n == 1)
		return cp >= ' ' && cp < 0x7f && cp != (u32)open && cp != (u32)close;
	return cp >= 0xa0 && !utf8__deceives(cp);
}

static void character(struct syscall_out *out, const char *at, u32 n, u32 cp, char open, char close)
{
	char c = letter(cp, open, close);

	if (c)
		syscall_out__printf(out, "\\%c", c);
	else if (is_plain(cp, n, open, close))
		add(out, at, n);
	else
		for (u32 i = 0; i < n; i++)
			syscall_out__printf(out, "\\%03o", (u8)at[i]);
}

void syscall_out__quote(struct syscall_out *out, const char *text, char open, char close)
{
	const char *at = text;
	u32 n, cp;

	syscall_out__printf(out, "%c", open);
	for (; (n = utf8__decode(at, &cp)) && at + n - text <= SYSCALL_TEXT_MAX; at += n)
		character(out, at, n, cp, open, close);
	syscall_out__printf(out, n ? "%c" CUT : "%c", close);
}
