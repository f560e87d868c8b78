/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compact unwind tables of ELF objects for x86-64 and aarch64: .eh_frame and .debug_frame, run
 * once from end to end and cut down to the rows of bpf/unwind.h. Formats: DWARF 5, section 6.4
 * (call frame information); Linux Standard Base, core specification, 10.5 and 10.6 (.eh_frame,
 * pointer encodings); the psABIs of both machines (register numbers, frame of a signal).
 *
 * What is taken:
 *   .eh_frame; of Go what its runtime knows (symbols/go_table.h), else .debug_frame of the object; when neither gives a row,
 *   .debug_frame of the separate debug file; for the procedure linkage table, where linkers left
 *   it out (lld, and all of them on aarch64), what its code is known to do; for the return from
 *   signal handlers without a description (musl, aarch64's vdso), its two instructions. These
 *   two only beside others: by themselves they lead nowhere, and frame pointers may.
 *   What counts from rbx is walked where it is the innermost frame, and at its calls, by where the
 *   callee keeps rbx (symbols/unwind_calls.h).
 *
 * Where compilers and hand-written code are sloppy, so is this:
 *   an fp that is "undefined" counts as unchanged: nobody down the stack then relies on it;
 *   up to 15 bytes of padding between two functions have the rules of the function before; so
 *   have up to 15 bytes that are left out of a function which stands there as at its beginning
 *   (the system call within glibc's clone);
 *   of ranges that overlap, the one that begins first is believed; of those that begin at the
 *   same place, the one that is named first above, or was read first;
 *   what is wrong within a range ends it: the rest of it has no rules, the next one is read.
 * A return address that is "undefined" is the outermost frame (_start, clone). Not every program
 * says so: a walk also ends where no row holds its address.
 *
 * Hostile files are harmless: everything is read within bounds, once, in linear time, and the
 * limits below hold. Any thread; no state is shared.
 */
#ifndef SYMBOLS_UNWIND_TABLE_H
#define SYMBOLS_UNWIND_TABLE_H

#include "base/base.h"
#include "base/status.h"
#include "symbols/unwind_rows.h"

#define UNWIND_MAX_RANGES (2u << 20)   /* functions, about */
#define UNWIND_MAX_BYTES  (128u << 20) /* of a section */

struct Elf;
/* Hands out the ranges of code that .eh_frame describes, as it has them: functions, of files that
 * name none. Addresses are the file's. */
void unwind_table__each_range(struct Elf *elf, void (*take)(void *ctx, u64 start, u64 size), void *ctx);


/*
 * fd: of the object's file, stays the caller's. root, path: where separate debug files are looked
 * for, as in symbols/debugfile.h ("" and "" for nowhere but /usr/lib/debug by build-id).
 * 0; -ENODATA: it describes no address; -ENOTSUP: of another machine; -EINVAL: no ELF file or a
 * broken one; -E2BIG: beyond a limit. out is empty then, and st (may be NULL) says why.
 */
int unwind_table__read(int fd, const char *root, const char *path, struct unwind_table *out,
		       struct status *st);
/* The same of an ELF file in memory: the vdso. */
int unwind_table__read_memory(const void *image, size_t size, struct unwind_table *out,
			      struct status *st);
void unwind_table__free(struct unwind_table *t);
/* The row that holds for an address; NULL when the table begins behind it. */
const struct unwind_row *unwind_table__find(const struct unwind_table *t, u64 vaddr);

#endif
