/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table that Go's runtime prints its own stacks by (.gopclntab): each function's name, its lines,
 * what is inlined in it, and how large its frame is. It is part of the program, so those that were stripped
 * (-ldflags "-s -w") have it, too. Layouts of Go 1.18 on are known. The file is hostile: it is read in
 * bounds. One thread at a time.
 */
#ifndef SYMBOLS_GO_TABLE_H
#define SYMBOLS_GO_TABLE_H

#include <libelf.h>

#include "base/base.h"
#include "symbols/section.h"

struct go_table;

/* elf stays open as long as it. inlined: what is inlined will be asked for. NULL: it has none, or one
 * that is not known. */
struct go_table *go_table__open(Elf *elf, struct byte_budget *budget, bool inlined);
void go_table__close(struct go_table *t);

/* From where to where its functions are, those that C code was linked with being elsewhere. */
void go_table__range(const struct go_table *t, u64 *start, u64 *end);
/* Where the names of functions are in the file. */
void go_table__names(const struct go_table *t, u64 *offset, u64 *size, const char **names);
/* name: where in those. */
void go_table__each(const struct go_table *t, void (*fn)(void *ctx, u64 start, u64 size, u32 name),
		    void *ctx);

/* What is said of functions, in order: where one is, then how many bytes its stack pointer is below that of
 * its begin, from each place on at which that changes. */
struct go_depths {
	void (*function)(void *ctx, u64 start, u64 size, const char *name, bool outermost);
	void (*depth)(void *ctx, u64 from, s32 bytes);
};

void go_table__depths(const struct go_table *t, const struct go_depths *to, void *ctx);
/* The same in the words of the .debug_frame that the linker writes where it is not to strip, and where the
 * caller's frame pointer is, which that one leaves out. The caller's. */
u8 *go_frames__make(const struct go_table *t, u16 machine, size_t *size);

/* As debuginfo__line() and debuginfo__inlined() of symbols/debuginfo.h; what they hand out is the Elf's. */
bool go_table__line(const struct go_table *t, u64 vaddr, const char **file, u32 *line);
int go_table__inlined(const struct go_table *t, u64 vaddr, const char **names, int max);

#endif
