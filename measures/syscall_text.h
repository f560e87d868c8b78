/* SPDX-License-Identifier: GPL-2.0-only */
/* Text of bounded length, for what decodes system calls. */
#ifndef MEASURES_SYSCALL_TEXT_H
#define MEASURES_SYSCALL_TEXT_H

#include "base/base.h"

#define SYSCALL_TEXT_MAX 200 /* bytes of a text that are written; "..." follows what is longer */

/* Borrows the buffer. */
struct syscall_out {
	char *buf;
	size_t size, len;   /* len < size unless size is 0 */
	bool full;	    /* something had no room: all that follows is dropped */
	const char *before; /* goes before the next text, if there is any; NULL none */
};

void syscall_out__init(struct syscall_out *out, char *buf, size_t size);
/* Puts "..." in the place of the last characters when something was dropped. */
void syscall_out__end(struct syscall_out *out);
void syscall_out__printf(struct syscall_out *out, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* A string of another process between two characters: what may not stand in text, and those two,
 * as in C ("\n", "\033"). At most SYSCALL_TEXT_MAX bytes of it, then "...". */
void syscall_out__quote(struct syscall_out *out, const char *text, char open, char close);

#endif
