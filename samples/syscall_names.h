/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * System calls by number and by name, from the headers of the compiler that built this, and some that
 * are newer. Pure functions over constant tables; names are never freed. A kernel may have calls that
 * are newer than these: they have a number and no name.
 */
#ifndef SAMPLES_SYSCALL_NAMES_H
#define SAMPLES_SYSCALL_NAMES_H

#include "base/base.h"

/* Through which table of the kernel's a call goes. */
enum syscall_abi {
	SYSCALL_NATIVE, /* of this machine */
	SYSCALL_COMPAT, /* of its 32-bit programs: i386 on x86-64, no names on others */
	SYSCALL_ABIS,
};

/* Set in the native number of a call by an x32 program on x86-64, whose pointers have 32 bits. Such
 * a call is named as the others are. */
#define SYSCALL_X32 0x40000000u

/* NULL for a number that no call is known of. */
const char *syscall_name(u32 abi, u32 nr);
/* -1 for a name that is no call's. Never one with SYSCALL_X32. */
int syscall_nr(u32 abi, const char *name);

#endif
