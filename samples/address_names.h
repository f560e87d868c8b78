/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Between who has an address of a process and wants its name at once (a source), and who finds names
 * (symbols): data as well as code, of what is mapped there now. For few addresses: files are read.
 */
#ifndef SAMPLES_ADDRESS_NAMES_H
#define SAMPLES_ADDRESS_NAMES_H

#include "base/base.h"

struct address_name {
	char text[160]; /* the symbol; without one what is mapped: a file's name, heap, stack, anon */
	bool symbol;
	bool object; /* text is a file's name */
	u64 offset; /* from the symbol's begin, in the file's own addresses, or in the mapping */
	u64 size;   /* of the symbol; 0: not known */
};

struct address_names {
	/* Collector thread. tgid 0: the kernel. False: nothing is mapped there, or the process is gone. */
	bool (*find)(const struct address_names *n, u32 tgid, u64 address, struct address_name *out);
	/* "file.c:12" of code, by debug information; false: there is none, or the process is gone. */
	bool (*line)(const struct address_names *n, u32 tgid, u64 address, char *buf, size_t size);
	/* Of a symbol of the kernel; 0: there is none, or it is hidden. */
	u64 (*kernel)(const struct address_names *n, const char *symbol);
};

#endif
