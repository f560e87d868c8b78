/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parameters of a program's function where it begins, or its result where it returns, by its debug
 * information, as fields of questions: numbers, enums by name, strings (C's, std::string, Rust's and
 * Go's), members of structs and behind pointers. What has no place there is refused in words. Where
 * nothing is known there are the registers (questions/registers.h), which are always there too.
 * One thread at a time.
 */
#ifndef SYMBOLS_ARGUMENTS_H
#define SYMBOLS_ARGUMENTS_H

#include "questions/fields.h"

struct arguments;

/* Of the function that begins at an offset of a file: a path, or one below /proc/PID that leads to
 * it (exe, root/...). Never NULL: without debug information there are registers alone. */
struct arguments *arguments__open(const char *file, const char *function, u64 offset, bool returns);
/* The same of a file that is open, which stays the caller's; path and root are as in debugfile.h. fd < 0:
 * it could not be opened. */
struct arguments *arguments__open_fd(int fd, const char *path, const char *root, const char *function,
				     u64 offset, bool returns);
/* The i-th that debug information tells of, "ret" of a result; false: there are no more. */
bool arguments__name(const struct arguments *a, u32 i, char *buf, size_t size);
void arguments__close(struct arguments *a);

/* Lives as long as it does. */
const struct field_resolver *arguments__fields(const struct arguments *a);

#endif
