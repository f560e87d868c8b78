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

/* Of kernels newer than the headers. From 424 on a new call has one number in all tables. */
static const struct {
	const char *name;
	u16 nr;
	bool native; /* of this machine's table alone */
} newer[] = {
#ifdef __x86_64__
	{"uretprobe", 335, true},
	{"uprobe", 336, true},
#endif
	{"cachestat", 451, false},
	{"fchmodat2", 452, false},
	{"map_shadow_stack", 453, false},
	{"futex_wake", 454, false},
	{"futex_wait", 455, false},
	{"futex_requeue", 456, false},
	{"statmount", 457, false},
	{"listmount", 458, false},
	{"lsm_get_self_attr", 459, false},
	{"lsm_set_self_attr", 460, false},
	{"lsm_list_modules", 461, false},
	{"mseal", 462, false},
	{"setxattrat", 463, false},
	{"getxattrat", 464, false},
	{"listxattrat", 465, false},
	{"removexattrat", 466, false},
	{"open_tree_attr", 467, false},
	{"file_getattr", 468, false},
	{"file_setattr", 469, false},
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
	if (nr < t.n && t.names[nr])
		return t.names[nr];
	for (u32 i = 0; t.n && i < ARRAY_SIZE(newer); i++)
		if (newer[i].nr == nr && (abi == SYSCALL_NATIVE || !newer[i].native))
			return newer[i].name;
	return NULL;
}

int syscall_nr(u32 abi, const char *name)
{
	struct name_table t = table_of(abi);

	for (u32 i = 0; i < t.n; i++)
		if (t.names[i] && !strcmp(t.names[i], name))
			return (int)i;
	for (u32 i = 0; t.n && i < ARRAY_SIZE(newer); i++)
		if (!strcmp(newer[i].name, name) && (abi == SYSCALL_NATIVE || !newer[i].native))
			return newer[i].nr;
	return -1;
}
