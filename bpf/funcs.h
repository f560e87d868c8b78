/* SPDX-License-Identifier: GPL-2.0-only */
/* What the programs of funcs and user space hand to each other, beside what every measure does
 * (bpf/measure.h). */
#ifndef BPF_FUNCS_H
#define BPF_FUNCS_H

#include <linux/types.h>

#include "bpf/measure.h"

/* Words of labels: which function it is, by its number in struct func_list; then arguments and
 * results, as far as they were asked for. */
enum { FUNCS_LABEL_FUNCTION, FUNCS_LABEL_ARG };
#define FUNCS_ARGS (MEASURE_LABELS - FUNCS_LABEL_ARG)

/* The cookie of a probe is that number. Where a function ends without its return address being taken
 * over, the probe is on the instruction itself that returns. */
#define FUNCS_AT_RETURN (1ULL << 32)
/* Of Go's code, which goroutines run that go from thread to thread. */
#define FUNCS_OF_GO (1ULL << 33)
#define FUNCS_GOROUTINES 4096 /* with calls at once */
/* Its arguments are asked for: 1 + which unit of code finds them. */
#define FUNCS_UNIT_SHIFT 40
#define FUNCS_UNITS	 64
/* Of a probe on a function of proftop's own, by which costs are measured. */
#define FUNCS_OWN 0xffffffffu

/* Calls of a thread that are inside one another; the kernel takes over as many returns. */
#define FUNCS_DEPTH 64

enum { FUNCS_BEGINS, FUNCS_ENDS, FUNCS_TIMES };

/* Where a unit leaves what words of labels have: keys of the frame, and slots of their texts; 0xff
 * none. */
struct funcs_unit {
	__u8 key[FUNCS_TIMES][FUNCS_ARGS], text[FUNCS_TIMES][FUNCS_ARGS];
};

/* What programs do with a call; while rates are looked at, calls are only counted. */
enum { FUNCS_IDLE, FUNCS_COUNT, FUNCS_TIME };

/* The measure's own struct measure_stats.notes. */
enum { FUNCS_NOTE_LEFT, FUNCS_NOTE_DEEP, FUNCS_NOTE_BUSY, FUNCS_NOTE_ARGS };

/* Processes whose calls are counted apart before anything is timed. */
#define FUNCS_PROCESSES 1024

#endif
