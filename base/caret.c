// SPDX-License-Identifier: GPL-2.0-only
#include "base/caret.h"

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
