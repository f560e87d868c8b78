/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The functions whose calls are timed (view funcs): picked by tui/functions.c, attached to by
 * sources/funcs.c. Immutable, and there for good, as sources and settings of any age refer to it.
 */
#ifndef SAMPLES_FUNCTIONS_H
#define SAMPLES_FUNCTIONS_H

#include "base/base.h"

#define FUNCTIONS_MAX  1024 /* functions at once */
#define FUNCTION_TEXTS 32   /* PATH:GLOBs that pick them */
#define FUNCTIONS_WITH_ARGS 64 /* of which arguments are labels */
#define FUNCTION_ENDS  128  /* instructions of one at which it is left */

struct function_object {
	char *path; /* by which the file can be opened, maybe below /proc/PID/root */
	char *name; /* as it is shown */
	u32 pid;    /* of this process alone; 0: of all that run it */
};

struct func_args; /* sources/funcs_args.h */

struct function {
	char *name;    /* demangled */
	const struct func_args *args; /* which of its arguments are labels; NULL: none */
	u32 unit;      /* with args: 1 + their number */
	u64 offset;    /* in the file */
	u32 object;    /* index */
	bool of_go;    /* goroutines may run it, which go from thread to thread */
	u32 nends;     /* 0: its return address may be taken over */
	u64 *ends;     /* else offsets of the instructions by which it is left */
};

struct func_list {
	u32 ntexts, nobjects, n, nunits;
	char *texts[FUNCTION_TEXTS]; /* as they were given */
	struct function_object objects[FUNCTION_TEXTS];
	struct function *v;
	bool waits;  /* the time is split: on CPU, run queue, blocked */
	bool forced; /* whatever it takes: one was given with ! */
	bool links;  /* the kernel has links of kind uprobe_multi */
};

#endif
