/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The kernel's functions from /proc/kallsyms: 8 bytes and the name each, packed where memory is little. Only code
 * symbols (t T w W). Const once read; one thread at a time.
 */
#ifndef SYMBOLS_KALLSYMS_H
#define SYMBOLS_KALLSYMS_H

#include "base/base.h"

struct kallsyms;

struct kallsym {
	u64 start, size;
	const char *name;   /* until the next one is found */
	const char *module; /* "" the kernel itself, "bpf" BPF programs */
};

/* Reads to the end of fd, at most 64 MiB. Never NULL; empty when there is nothing. */
struct kallsyms *kallsyms__read(int fd);
void kallsyms__free(struct kallsyms *k);
bool kallsyms__find(const struct kallsyms *k, u64 addr, struct kallsym *out);
u32 kallsyms__count(const struct kallsyms *k);
/* Symbols were there, but every address was 0 (kptr_restrict). */
bool kallsyms__hidden(const struct kallsyms *k);
/* The same of what comes first in fd, without reading it all. */
bool kallsyms__hides(int fd);
size_t kallsyms__bytes(const struct kallsyms *k);

#endif
