/* SPDX-License-Identifier: GPL-2.0-only */
/* Page faults: words of labels; shared by kernel and user side. */
#ifndef BPF_FAULTS_H
#define BPF_FAULTS_H

/* The kind | the cause << 8; the file or sort of mapping; the range in it, from 1 (0: it is not known). */
enum { FAULTS_LABEL_KIND, FAULTS_LABEL_FILE, FAULTS_LABEL_RANGE };
enum { FAULTS_MINOR, FAULTS_MAJOR, FAULTS_KINDS };
#define FAULTS_FIRST FAULTS_KINDS /* the sum of those of FAULTS_TOUCH */
#define FAULTS_CAUSE_SHIFT 8

/* Why there was one, as far as the kernel says what was accessed how. */
enum {
	FAULTS_NO_CAUSE,
	FAULTS_TOUCH,	/* memory without a file, for the first time */
	FAULTS_MAP,	/* a page of a file that was not mapped yet */
	FAULTS_COPY,	/* written to, though it was another's too: a copy was made */
	FAULTS_PROTECT, /* written to a shared page that was clean */
	FAULTS_SWAP,	/* read from swap */
	FAULTS_USER,	/* the program handles it: userfaultfd */
	FAULTS_HUGE,	/* in a mapping of huge pages */
	FAULTS_OTHER,
	FAULTS_CAUSES
};

/* In the word of the file: mappings without one. */
enum { FAULTS_UNKNOWN = 1, FAULTS_ANON, FAULTS_HEAP, FAULTS_STACK };

#define FAULTS_RANGE_SHIFT 20 /* ranges are of 1 MiB */

#endif
