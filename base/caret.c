// SPDX-License-Identifier: GPL-2.0-only
#include "base/caret.h"

#include <string.h>

void caret__draw(u32 column, u32 length, const char *text, char *buf, size_t size)
{
	u32 n = 0;

	for (u32 i = 0; text[i] && i < column + length && n + 2 < size; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			buf[n++] = i < column ? ' ' : i == column ? '^' : '~';
	if (column >= strlen(text) && n + 2 < size)
		buf[n++] = '^';
	buf[n] = '\0';
}

bool caret__find(const char *msg, const char *line, u32 *column, u32 *length)
{
	const char *text = msg + strcspn(msg, "\n"), *below, *at;
	size_t len, blanks;

	text += *text == '\n';
	len = strcspn(text, "\n");
	below = text + len + (text[len] == '\n');
	blanks = strspn(below, " ");
	if (!len || below[blanks] != '^')
		return false;
	for (at = line; strncmp(at, text, len); at++)
		if (!*at)
			return false;
	*length = (u32)strspn(below + blanks, "^~");
	/* Characters to bytes. */
	for (; blanks && *at; blanks--)
		while (((unsigned char)*++at & 0xc0) == 0x80)
			;
	*column = (u32)(at - line);
	return true;
}
