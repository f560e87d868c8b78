/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Call frame information: which ranges of code are described (cfi_index), and the programs that
 * describe them (cfi_run). For the files of symbols/unwind_table.h; sections are borrowed.
 */
#ifndef SYMBOLS_UNWIND_CFI_H
#define SYMBOLS_UNWIND_CFI_H

#include <libelf.h>

#include "symbols/unwind_rule.h"

#define CFI_EXEC_RANGES 16

/* Where code is: what lies elsewhere is no code of this object (a linker dropped it). */
struct cfi_code {
	Elf *elf; /* that it is in; NULL: not to be had */
	u64 base; /* as unwind_table's */
	u32 n;
	struct {
		u64 start, end;
		u64 offset; /* in the file, of start */
	} exec[CFI_EXEC_RANGES];
};

struct cfi_section {
	struct bytes data;
	u64 addr; /* of data; .debug_frame: 0 */
	u64 got;  /* what DW_EH_PE_datarel counts from; 0 not known */
	s64 bias; /* added to what it says: the separate debug file's may be moved */
	bool eh;
};

/* What FDEs share. */
struct cfi_cie {
	const struct cfi_section *section; /* NULL: made up, its ranges have no program */
	size_t offset;
	u64 code_align;
	s64 data_align;
	struct cfi_state initial;
	u8 encoding;
	bool usable, augmented, signal;
};

/* A range of code and its program. */
struct cfi_fde {
	u32 pc, len; /* from cfi_code's base on */
	u32 cie;
	u32 size; /* of the program */
	const u8 *program;
};

struct cfi_index {
	const struct unwind_machine *machine;
	const struct cfi_code *code;
	struct cfi_cie *cies;
	u32 ncies, cap_cies;
	struct cfi_fde *fdes; /* as read until cfi_index__sort */
	u32 nfdes, cap_fdes, max_fdes;
	u32 unread; /* ranges in an encoding or of a form that is not known */
	bool full;
};

/* Adds what a section describes; it outlives the index, and its fields do not change. */
void cfi_index__add(struct cfi_index *x, const struct cfi_section *s);
/* Adds a range in which one state holds. */
void cfi_index__add_state(struct cfi_index *x, u64 start, u64 size, const struct cfi_state *s,
			  bool signal);
/* By pc; those of the same one stay as they were added. */
void cfi_index__sort(struct cfi_index *x);
void cfi_index__fini(struct cfi_index *x);

/* A pointer in one of the encodings of .eh_frame. */
bool cfi__pointer(const struct cfi_section *s, struct bytes *b, u8 encoding, u64 *value);
/* The same as it stands there, whatever it counts from: a length. */
bool cfi__plain_pointer(struct bytes *b, u8 encoding, u64 *value);
/* A personality routine's encoding and address: of no interest, but in the way. */
bool cfi__skip_personality(struct bytes *b);

/* What takes the states of a range, in order, without holes; false to stop. */
typedef bool (*cfi_take_fn)(void *ctx, u32 from, u32 to, const struct cfi_state *s, bool signal);
/* Runs a range's program. False: it ends early, is broken or was stopped; the states up to
 * there were handed out. */
bool cfi_run(const struct cfi_index *x, const struct cfi_fde *f, cfi_take_fn take, void *ctx);
/* A CIE's own program; fills its initial state. */
bool cfi_run_cie(struct cfi_cie *c, struct bytes program, const struct unwind_machine *m);

#endif
