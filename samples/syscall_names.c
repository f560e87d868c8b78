// SPDX-License-Identifier: GPL-2.0-only
#include "samples/syscall_names.h"

#include <asm/unistd.h>

struct name_table {
	const char *const *names;
	u32 n;
};

/* SYSCALL(name, number), made by the Makefile; the number may be a macro of the header's. */
#define SYSCALL(name, nr) [(nr) & ~SYSCALL_X32] = #name,

static const char *const native[] = {
#include "samples/syscalls_native.inc"
};

/* Elsewhere than on x86-64 these are empty. */
static const char *const x32[] = {
#include "samples/syscalls_x32.inc"
};

static const char *const compat[] = {
#include "samples/syscalls_compat.inc"
};

/* Of kernels newer than the headers: numbers of new calls are the same for all tables. */
#define NEWER 451
static const char *const newer[] = {
	"cachestat", "fchmodat2", "map_shadow_stack", "futex_wake", "futex_wait", "futex_requeue",
	"statmount", "listmount", "lsm_get_self_attr", "lsm_set_self_attr", "lsm_list_modules", "mseal",
	"setxattrat", "getxattrat", "listxattrat", "removexattrat", "open_tree_attr", "file_getattr",
	"file_setattr"};

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
	if (nr < t.n && t.names[nr])
		return t.names[nr];
	return t.n && nr - NEWER < ARRAY_SIZE(newer) ? newer[nr - NEWER] : NULL;
}

int syscall_nr(u32 abi, const char *name)
{
	struct name_table t = table_of(abi);

	for (u32 i = 0; i < t.n; i++)
		if (t.names[i] && !strcmp(t.names[i], name))
			return (int)i;
	for (u32 i = 0; t.n && i < ARRAY_SIZE(newer); i++)
		if (!strcmp(newer[i], name))
			return (int)(NEWER + i);
	return -1;
}
