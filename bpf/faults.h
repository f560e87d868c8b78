/* SPDX-License-Identifier: GPL-2.0-only */
/* Page faults: words of labels; shared by kernel and user side. */
#ifndef BPF_FAULTS_H
#define BPF_FAULTS_H

/* The kind | the cause << 8 | the CPU's NUMA node << 16; the file or sort of mapping; the range in it, from 1 (0: it is not known). */
enum { FAULTS_LABEL_KIND, FAULTS_LABEL_FILE, FAULTS_LABEL_RANGE };
enum { FAULTS_MINOR, FAULTS_MAJOR, FAULTS_KINDS };
/* Sums of those of FAULTS_TOUCH, of FAULTS_HUGE and of FAULTS_SWAP; pages that went to swap. */
enum { FAULTS_FIRST = FAULTS_KINDS, FAULTS_FIRST_HUGE, FAULTS_SWAPPED_IN, FAULTS_SWAPPED_OUT };
#define FAULTS_CAUSE_SHIFT 8
#define FAULTS_NODE_SHIFT  16

/* Why there was one, as far as the kernel says what was accessed how. */
enum {
	FAULTS_NO_CAUSE,
	FAULTS_TOUCH,	/* memory without a file, for the first time */
	FAULTS_MAP,	/* a page of a file that was not mapped yet */
	FAULTS_COPY,	/* written to, though it was another's too: a copy was made */
	FAULTS_PROTECT, /* written to a shared page that was clean */
	FAULTS_SWAP,	/* it was in swap: read, or still in memory, too */
	FAULTS_USER,	/* the program handles it: userfaultfd */
	FAULTS_HUGE,	/* in a mapping of huge pages, or memory without a file got one */
	FAULTS_OTHER,
	FAULTS_CAUSES
};

/* In the word of the file: mappings without one. */
enum { FAULTS_UNKNOWN = 1, FAULTS_ANON, FAULTS_HEAP, FAULTS_STACK };

/* What user space reads of the machine: memory in huge pages; since watching began, how many of them were split, and how
 * often there was none to be had. */
enum { FAULTS_LEVEL_HUGE, FAULTS_LEVEL_SPLIT, FAULTS_LEVEL_NO_HUGE };

#define FAULTS_RANGE_SHIFT 20 /* ranges are of 1 MiB */

#endif
