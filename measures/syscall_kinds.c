// SPDX-License-Identifier: GPL-2.0-only
#include "measures/syscall_args_impl.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/stat.h>

#define SIGNALS	 64 /* the kernel's; 1 to 31 have names */
#define FIRST_RT 32 /* the kernel's, not the C library's SIGRTMIN */
#define put	 syscall_out__printf

u64 syscall_arg(const struct syscall_call *call, u32 i)
{
	return call->abi == SYSCALL_COMPAT ? (u32)call->args[i] : call->args[i];
}

static const char *text_of(const struct syscall_call *call, u32 i)
{
	for (u32 t = 0; t < SYSCALL_TEXTS; t++)
		if (call->texts[t].arg == i && call->texts[t].text)
			return call->texts[t].text;
	return NULL;
}

void put_int(struct syscall_out *out, const struct syscall_call *call, u32 i,
	     const struct value_names *names)
{
	put(out, "%" PRId32, (s32)call->args[i]);
}

void put_uint(struct syscall_out *out, const struct syscall_call *call, u32 i,
	      const struct value_names *names)
{
	put(out, "%" PRIu32, (u32)call->args[i]);
}

static void put_long(struct syscall_out *out, const struct syscall_call *call, u32 i,
		     const struct value_names *names)
{
	put(out, "%" PRId64, call->abi == SYSCALL_COMPAT ? (s32)call->args[i] : (s64)call->args[i]);
}

static void put_ulong(struct syscall_out *out, const struct syscall_call *call, u32 i,
		      const struct value_names *names)
{
	put(out, "%" PRIu64, syscall_arg(call, i));
}

static void put_halves(struct syscall_out *out, const struct syscall_call *call, u32 low, u32 high)
{
	put(out, "%" PRId64, (s64)((u64)(u32)call->args[high] << 32 | (u32)call->args[low]));
}

static void put_pair(struct syscall_out *out, const struct syscall_call *call, u32 i,
		     const struct value_names *names)
{
	if (call->abi == SYSCALL_COMPAT)
		put_halves(out, call, i, i + 1);
	else
		put_long(out, call, i, names);
}

static void put_pair_high(struct syscall_out *out, const struct syscall_call *call, u32 i,
			  const struct value_names *names)
{
	put_halves(out, call, i + 1, i);
}

void put_hex(struct syscall_out *out, const struct syscall_call *call, u32 i,
	     const struct value_names *names)
{
	put(out, "%#" PRIx64, syscall_arg(call, i));
}

void put_pointer(struct syscall_out *out, const struct syscall_call *call, u32 i,
		 const struct value_names *names)
{
	const char *text = text_of(call, i);

	if (text)
		syscall_out__quote(out, text, '"', '"');
	else if (syscall_arg(call, i))
		put_hex(out, call, i, names);
	else
		put(out, "NULL");
}

void put_fd(struct syscall_out *out, const struct syscall_call *call, u32 i,
	    const struct value_names *names)
{
	const char *text = text_of(call, i);

	if ((s32)call->args[i] == AT_FDCWD)
		put(out, "AT_FDCWD");
	else
		put_int(out, call, i, names);
	if (text)
		syscall_out__quote(out, text, '<', '>');
}

/* (uid_t)-1 leaves an owner as it is. */
static void put_uid(struct syscall_out *out, const struct syscall_call *call, u32 i,
		    const struct value_names *names)
{
	if ((u32)call->args[i] == UINT32_MAX)
		put(out, "-1");
	else
		put_uint(out, call, i, names);
}

void put_mode(struct syscall_out *out, const struct syscall_call *call, u32 i,
	      const struct value_names *names)
{
	put(out, "%#03" PRIo32, (u32)call->args[i]);
}

static void put_file_mode(struct syscall_out *out, const struct syscall_call *call, u32 i,
			  const struct value_names *names)
{
	u32 mode = (u32)call->args[i];

	if (mode & S_IFMT)
		put_named(out, mode & S_IFMT, names);
	put(out, "%s%#03" PRIo32, mode & S_IFMT ? "|" : "", mode & ~(u32)S_IFMT);
}

void put_signal(struct syscall_out *out, const struct syscall_call *call, u32 i,
		const struct value_names *names)
{
	u32 nr = (u32)call->args[i];
	const char *name = nr < FIRST_RT ? sigabbrev_np((int)nr) : NULL;

	if (name)
		put(out, "SIG%s", name);
	else if (nr >= FIRST_RT && nr <= SIGNALS)
		put(out, "SIGRT_%u", nr - FIRST_RT);
	else
		put_int(out, call, i, names);
}

static void put_rest(struct syscall_out *out, const struct syscall_call *call, u32 i,
		     const struct value_names *names)
{
	u32 end = SYSCALL_ARGS;

	while (end > i && !syscall_arg(call, end - 1))
		end--;
	for (u32 a = i; a < end; a++) {
		put(out, "%s", a > i ? ", " : "");
		if (text_of(call, a))
			put_pointer(out, call, a, names);
		else
			put_hex(out, call, a, names);
	}
}

static bool put_one_of(struct syscall_out *out, u64 value, const struct value_names *names)
{
	for (u32 i = 0; i < names->nlist; i++)
		if (names->list[i].value == value) {
			put(out, "%s", names->list[i].name);
			return true;
		}
	if (value)
		put(out, "%#" PRIx64, value);
	return value;
}

/* A list without bits of its own names what is there when no bit is set. */
void put_named(struct syscall_out *out, u64 value, const struct value_names *names)
{
	u64 of_list = value & names->mask, rest = value & ~of_list;
	bool any = names->list && (names->mask || !value) && put_one_of(out, of_list, names);

	for (u32 i = 0; i < names->nbits; i++) {
		u64 bits = names->bits[i].value;

		if (!bits || (rest & bits) != bits)
			continue;
		put(out, "%s%s", any ? "|" : "", names->bits[i].name);
		rest &= ~bits;
		any = true;
	}
	if (rest || !any)
		put(out, "%s%#" PRIx64, any ? "|" : "", rest);
}

void put_values(struct syscall_out *out, const struct syscall_call *call, u32 i,
		const struct value_names *names)
{
	put_named(out, (u32)call->args[i], names);
}

static void put_long_values(struct syscall_out *out, const struct syscall_call *call, u32 i,
			    const struct value_names *names)
{
	put_named(out, syscall_arg(call, i), names);
}

const struct syscall_kind_row syscall_kinds[SYSCALL_KINDS] = {
#define KIND(name, put, names) [name] = {put, names},
#include "measures/syscall_kinds.def"
#undef KIND
};
