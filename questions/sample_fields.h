/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fields of perf events beyond the registers: what the CPU told of the sample itself, in the kernel's struct
 * perf_sample_data. Those are the same that a recording of perf has:
 *	accesses to memory (PEBS, IBS)	weight (latency in cycles), data_src, and of that source, access, tlb, snoop
 *	the last branch (LBR, BRBE)	branch (its kind), branch_from, branch_to, branch_cycles, guessed
 */
#ifndef QUESTIONS_SAMPLE_FIELDS_H
#define QUESTIONS_SAMPLE_FIELDS_H

#include "questions/fields.h"

struct sample_field {
	const char *name;
	const char *member; /* of struct perf_sample_data */
	bool behind;	    /* the member points to a record, where the 8 bytes at `offset` are it */
	u32 offset, shift;
	u64 mask;	 /* of what is shifted down; 0: all */
	u64 sample_type; /* PERF_SAMPLE_x without which the kernel does not fill it */
	void (*say)(u64 value, char *buf, size_t size); /* as in struct field */
};

/* -ENOENT: there is none of that name. */
int sample_field__find(const char *name, struct field *out);
/* NULL beyond the last. */
const char *sample_field__name(u32 i);

#endif
