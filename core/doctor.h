/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Doctor: what this machine can do, found by really loading and attaching; per capability
 * the state, why, and the command that would enable it.
 */
#ifndef CORE_DOCTOR_H
#define CORE_DOCTOR_H

#include <stdio.h>

#include "core/base.h"

enum check_state { CHECK_OK, CHECK_LIMITED, CHECK_MISSING };

struct check {
	const char *group; /* "machine", "probes", "symbols", "terminal" or "view cpu" */
	const char *name;  /* "perf_event BPF program", "tp_btf" ... */
	enum check_state state;
	char detail[200]; /* what was found or why not */
	char remedy[200]; /* the command or setting that would enable it; "" nothing to do */
};

/* Runs all checks; returns their number, *out is malloc'ed. */
u32 doctor__run(struct check **out);
void doctor__print(FILE *out, const struct check *checks, u32 n, bool color);
void doctor__print_json(FILE *out, const struct check *checks, u32 n);

#endif
