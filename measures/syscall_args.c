// SPDX-License-Identifier: GPL-2.0-only
#include "measures/syscall_args.h"

#include <stdio.h>

#include "bpf/syscalls.h"
#include "measures/syscall_args_impl.h"

struct row {
	const char *name;
	u8 kinds[SYSCALL_ARGS];
};

#define ROW(name, ...) {#name, {__VA_ARGS__}},

static const struct row rows[] = {
#define SYSCALL(...) ROW(__VA_ARGS__)
#define SYSCALL_COMPAT(...)
#include "measures/syscall_args.def"
#undef SYSCALL
#undef SYSCALL_COMPAT
};

static const struct row compat_rows[] = {
#define SYSCALL(...)
#define SYSCALL_COMPAT(...) ROW(__VA_ARGS__)
#include "measures/syscall_args.def"
#undef SYSCALL
#undef SYSCALL_COMPAT
};

static int by_name(const void *name, const void *row)
{
	return strcmp(name, ((const struct row *)row)->name);
}

static const struct row *find(u32 abi, const char *name)
{
	const struct row *row = NULL;

	if (!name)
		return NULL;
	if (abi == SYSCALL_COMPAT)
		row = bsearch(name, compat_rows, ARRAY_SIZE(compat_rows), sizeof(*row), by_name);
	return row ? row : bsearch(name, rows, ARRAY_SIZE(rows), sizeof(*row), by_name);
}

/* False when the argument is not there. */
static bool put_arg(struct syscall_out *out, const struct syscall_call *call, u8 kind, u32 i)
{
	out->before = i ? ", " : "";
	syscall_kinds[kind].put(out, call, i, syscall_kinds[kind].names);
	if (!out->before)
		return true;
	out->before = NULL;
	return false;
}

static void put_args(struct syscall_out *out, const struct syscall_call *call, const u8 *kinds)
{
	for (u32 i = 0; i < SYSCALL_ARGS && kinds[i] != NO_KIND && !out->full; i++)
		if (kinds[i] != SECOND && !put_arg(out, call, kinds[i], i))
			return;
}

void syscall_args__text(const struct syscall_call *call, char *buf, size_t size)
{
	static const u8 unknown[SYSCALL_ARGS] = {REST};
	const char *name = syscall_name(call->abi, call->nr);
	const struct row *row = find(call->abi, name);
	struct syscall_out out;

	syscall_out__init(&out, buf, size);
	if (name)
		syscall_out__printf(&out, "%s(", name);
	else
		syscall_out__printf(&out, "syscall_%u(", call->nr);
	put_args(&out, call, row ? row->kinds : unknown);
	syscall_out__printf(&out, ")");
	syscall_out__end(&out);
}

void syscall_args__masks(u32 abi, u32 nr, u8 *paths, u8 *fds)
{
	const struct row *row = find(abi, syscall_name(abi, nr));

	*paths = *fds = 0;
	for (u32 i = 0; row && i < SYSCALL_ARGS; i++) {
		if (row->kinds[i] == PATH || row->kinds[i] == STRING)
			*paths |= (u8)(1u << i);
		if (row->kinds[i] == FD || row->kinds[i] == DIRFD)
			*fds |= (u8)(1u << i);
	}
}

void syscall__text(u64 value, char *buf, size_t size)
{
	u32 nr = value & 0xffff, abi = (value >> SYSCALL_ABI_SHIFT) & 1;
	const char *name = syscall_name(abi, nr);

	if (name)
		snprintf(buf, size, "%s%s", name, abi ? " (32-bit)" : "");
	else
		snprintf(buf, size, "syscall_%u%s", nr, abi ? " (32-bit)" : "");
}

const struct measure_range syscall_values[] = {
	{0, SYSCALLS_MAX}, {1u << SYSCALL_ABI_SHIFT, SYSCALLS_MAX}, {0}};

bool syscall_args__names_path(u32 abi, u32 nr, u8 *flags)
{
	const struct row *row = find(abi, syscall_name(abi, nr));
	bool path = false;

	*flags = SYSCALL_NO_ARG;
	for (u8 i = 0; row && i < SYSCALL_ARGS; i++) {
		path |= row->kinds[i] == PATH;
		if (row->kinds[i] == STAT_FLAGS || row->kinds[i] == NAME_FLAGS)
			*flags = i;
	}
	return path;
}
