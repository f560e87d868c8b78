/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Calls of the kernel as people write them: openat(AT_FDCWD, "/etc/passwd", O_RDONLY|O_CLOEXEC).
 * Pure functions over constant tables; what they are given is from other processes, and may be
 * anything. What they write is valid UTF-8 without control characters.
 *
 * To add a call: a row in measures/syscall_args.def. To add a kind of argument: a row in
 * measures/syscall_kinds.def, and its values in measures/syscall_values_*.c.
 */
#ifndef MEASURES_SYSCALL_ARGS_H
#define MEASURES_SYSCALL_ARGS_H

#include "base/base.h"
#include "samples/syscall_names.h"
#include "samples/measure.h"

#define SYSCALL_ARGS	 6
#define SYSCALL_TEXTS	 2
#define SYSCALL_NO_ARG	 0xff

/* One call; a value. */
struct syscall_call {
	u32 abi, nr;
	u64 args[SYSCALL_ARGS]; /* as in registers: an int's upper half may be anything */
	/* What was read with the call, borrowed: the string that an argument points to, or the file
	 * behind a descriptor. A NULL text is none. */
	struct {
		u8 arg; /* which argument, SYSCALL_NO_ARG for none */
		const char *text;
	} texts[SYSCALL_TEXTS];
	s64 ret; /* of syscall_ret__text(); not written by syscall_args__text() */
};

/* The call and its arguments. A call without a row has those arguments in hex that are not zero, or
 * stand before one that is not; one without a name is "syscall_NUMBER". Always ends with a NUL when
 * size is not 0, and with "..." when a size of 4 or more is too small. */
void syscall_args__text(const struct syscall_call *call, char *buf, size_t size);
/* "3", "-1 ENOENT"; in hex what can only be an address. */
void syscall_ret__text(s64 ret, char *buf, size_t size);
/* "ENOENT"; those too that the kernel keeps to itself, as ERESTARTSYS is. NULL when it has none. */
const char *errno_name(u32 err);
/* The same as the text of a label: "" for 0, "errno 4095" where there is no name. */
void errno__text(u64 err, char *buf, size_t size);
/* For struct measure_label.values: no error, and all that have names. */
extern const struct measure_range errno_values[];

/* Labels of calls: number | abi << SYSCALL_ABI_SHIFT, of SYSCALL_LABEL_BITS. */
void syscall__text(u64 label, char *buf, size_t size);
extern const struct measure_range syscall_values[];

/* A bit for each argument that points to a path or another string that ends with a NUL, and for
 * each that is a file descriptor, a folder's included. 0 for calls that have no row. */
void syscall_args__masks(u32 abi, u32 nr, u8 *paths, u8 *fds);
/* Whether it names a file by its path. *flags: the argument that may have AT_EMPTY_PATH, or SYSCALL_NO_ARG. */
bool syscall_args__names_path(u32 abi, u32 nr, u8 *flags);

/* Whether the call is there to wait for something new: its time says nothing about how fast it
 * is. By the call alone, so futex is one whatever its operation, and read never is. */
bool syscall_waits(u32 abi, u32 nr);

#endif
