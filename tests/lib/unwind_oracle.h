/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Judges unwind tables by libdw: both are asked for the caller of one made-up machine (registers
 * and memory with values that say where they come from), so what is compared is what a walk
 * would find and not how it is written down. Uses nothing of the code that makes the tables.
 */
#ifndef TESTS_LIB_UNWIND_ORACLE_H
#define TESTS_LIB_UNWIND_ORACLE_H

#include "symbols/unwind_table.h"

struct unwind_oracle;

struct unwind_tally {
	u64 asked;	 /* addresses that libdw has rules for */
	u64 equal;	 /* of them, those with the same caller */
	u64 none;	 /* those where the table has no rules */
	u64 wrong;	 /* the others */
	u64 uncovered;	 /* addresses that libdw has no rules for */
	u64 extra;	 /* of them, those where the table has rules, and it is not padding */
	char first[192]; /* the first wrong one */
};

/* path: of an ELF file; debug: of the one that has its .debug_frame, NULL for itself. NULL when
 * it cannot be read. */
struct unwind_oracle *unwind_oracle__open(const char *path, const char *debug);
void unwind_oracle__close(struct unwind_oracle *o);
/* Asks for one address. */
void unwind_oracle__ask(struct unwind_oracle *o, const struct unwind_table *t, u64 vaddr,
			struct unwind_tally *tally);
/* Asks for every address of the executable sections but the procedure linkage table's, or for
 * max ones at random when there are more. */
void unwind_oracle__ask_all(struct unwind_oracle *o, const struct unwind_table *t, u64 max,
			    struct unwind_tally *tally);

#endif
