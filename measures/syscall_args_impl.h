/* SPDX-License-Identifier: GPL-2.0-only */
/* Kinds of arguments, and what writes them; for measures/syscall_*.c alone, as names are short. */
#ifndef MEASURES_SYSCALL_ARGS_IMPL_H
#define MEASURES_SYSCALL_ARGS_IMPL_H

#include "measures/syscall_args.h"
#include "measures/syscall_text.h"
#include "measures/syscall_values.h"

enum syscall_kind {
	NO_KIND, /* the end of a row */
#define KIND(name, put, names) name,
#include "measures/syscall_kinds.def"
#undef KIND
	SYSCALL_KINDS,
};

/* Writes argument i. One that writes nothing is not there, and ends the list. */
typedef void syscall_put(struct syscall_out *out, const struct syscall_call *call, u32 i,
			 const struct value_names *names);

struct syscall_kind_row {
	syscall_put *put; /* NULL: never written */
	const struct value_names *names;
};

extern const struct syscall_kind_row syscall_kinds[SYSCALL_KINDS];

/* The argument as the call takes it: 32 bits of a compat call's. */
u64 syscall_arg(const struct syscall_call *call, u32 i);

/* What is written alike in several places. */
syscall_put put_int, put_uint, put_hex, put_pointer, put_values, put_signal, put_mode, put_fd;
void put_named(struct syscall_out *out, u64 value, const struct value_names *names);
/* measures/syscall_dependent.c */
syscall_put put_create_mode, put_fcntl_arg, put_futex_command, put_futex_args, put_mremap_to,
	put_clone_flags, put_socket_protocol, put_socket_option;

#endif
