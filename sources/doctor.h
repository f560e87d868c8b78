/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Doctor: what this machine can do, found by really loading and attaching; per capability
 * the state, why, and the command that would enable it. One thread; takes about a second
 * and leaves nothing attached. libbpf's messages are dropped meanwhile.
 *
 * To add a check: a row in the table of its group's file (doctor_machine.c, doctor_probes.c,
 * doctor_host.c); a view's own rows come from the sources of its model by themselves.
 */
#ifndef SOURCES_DOCTOR_H
#define SOURCES_DOCTOR_H

#include <stdio.h>

#include "base/base.h"

/* LIMITED: works, but something is not seen or not possible. */
enum check_state { CHECK_OK, CHECK_LIMITED, CHECK_MISSING };

struct check {
	const char *group; /* "machine", "probes", "symbols", "terminal" or "view cpu"; static */
	const char *name;  /* "perf_event BPF program", "tp_btf" ...; static */
	enum check_state state;
	char detail[300]; /* what was found or why not */
	char remedy[200]; /* the command or setting that would enable it; "" nothing to do */
};

/* Runs all checks; returns their number, *out is malloc'ed. */
u32 doctor__run(struct check **out);
/* First line: the verdict. Marks are words; color only adds to them. */
void doctor__print(FILE *out, const struct check *checks, u32 n, bool color);
/* One object: schema "proftop-doctor/1", host, kernel, verdict (ok, limited, missing), text,
 * checks. */
void doctor__print_json(FILE *out, const struct check *checks, u32 n);

#endif
