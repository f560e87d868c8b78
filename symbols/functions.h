/* SPDX-License-Identifier: GPL-2.0-only */
/* The functions of an ELF file that can be probed, by a glob over their names. Any thread. */
#ifndef SYMBOLS_FUNCTIONS_H
#define SYMBOLS_FUNCTIONS_H

#include "base/base.h"

/* One that matched; all of it is valid during the call alone. */
struct function_found {
	const char *name; /* demangled */
	const char *linkage; /* as in the file */
	u64 offset;	  /* in the file */
	/* Where its return address must not be taken over, as an exception may look for it there, or calls on
	 * another stack end in between: offsets of the instructions by which it is left. Else 0. */
	const u64 *ends;
	u32 nends;
	bool of_go; /* it is in a Go program: goroutines may run it */
	bool jumps; /* at one of them it goes on in another function, whose result it gives */
};

/* A glob matches a name as it is in the file, demangled, or demangled up to its arguments. Names of
 * separate debug files count. Functions that a probe would break are left out: those that return
 * twice, are no functions of C, or parts of others. fd stays the caller's; path, root: as in
 * debugfile.h. Returns how many were handed out, in the order of their addresses; emit returns false
 * for no more. -ENOEXEC: no ELF file. *missing: there are no names but exported ones. */
int functions__find(int fd, const char *path, const char *root, const char *glob,
		    bool (*emit)(void *ctx, const struct function_found *f), void *ctx,
		    bool *missing);

#endif
