/* SPDX-License-Identifier: GPL-2.0-only */
/* Page faults: words of labels; shared by kernel and user side. */
#ifndef BPF_FAULTS_H
#define BPF_FAULTS_H

/* The kind; the file or sort of mapping; the range in it, from 1 (0: it is not known). */
enum { FAULTS_LABEL_KIND, FAULTS_LABEL_FILE, FAULTS_LABEL_RANGE };
enum { FAULTS_MINOR, FAULTS_MAJOR, FAULTS_KINDS };

/* In the word of the file: mappings without one. */
enum { FAULTS_UNKNOWN = 1, FAULTS_ANON, FAULTS_HEAP, FAULTS_STACK };

#define FAULTS_RANGE_SHIFT 20 /* ranges are of 1 MiB */

#endif
