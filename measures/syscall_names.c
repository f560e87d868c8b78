// SPDX-License-Identifier: GPL-2.0-only
#include "measures/syscall_names.h"

#include <asm/unistd.h>

struct name_table {
	const char *const *names;
	u32 n;
};

/* SYSCALL(name, number), made by the Makefile; the number may be a macro of the header's. */
#define SYSCALL(name, nr) [(nr) & ~SYSCALL_X32] = #name,

static const char *const native[] = {
#include "measures/syscalls_native.inc"
};

/* Elsewhere than on x86-64 these are empty. */
static const char *const x32[] = {
#include "measures/syscalls_x32.inc"
};

static const char *const compat[] = {
#include "measures/syscalls_compat.inc"
};

static struct name_table table_of(u32 abi)
{
	if (abi == SYSCALL_NATIVE)
		return (struct name_table){native, ARRAY_SIZE(native)};
	if (abi == SYSCALL_COMPAT)
		return (struct name_table){compat, ARRAY_SIZE(compat)};
	return (struct name_table){NULL, 0};
}

const char *syscall_name(u32 abi, u32 nr)
{
	struct name_table t = table_of(abi);

	if (abi == SYSCALL_NATIVE && nr & SYSCALL_X32) {
		t = (struct name_table){x32, ARRAY_SIZE(x32)};
		nr &= ~SYSCALL_X32;
	}
	return nr < t.n ? t.names[nr] : NULL;
}

int syscall_nr(u32 abi, const char *name)
{
	struct name_table t = table_of(abi);

	for (u32 i = 0; i < t.n; i++)
		if (t.names[i] && !strcmp(t.names[i], name))
			return (int)i;
	return -1;
}
