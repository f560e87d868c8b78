/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What is to be watched: "PROGRAM:SYMBOL[+OFF][/LEN][:ACCESS]", "0xADDR/LEN[:ACCESS]", and behind it " if
 * CONDITION". SYMBOL may lead on, as debug information has it: "var.member", "var[3]", "ptr->member".
 * "pid:N:" in the place of "PROGRAM:" is of one process: before a symbol of its program, an address, or a place in
 * what is mapped, called as in /proc/N/maps: "[heap]+0xOFF", "/path+0xOFF" (in the file).
 */
#ifndef SOURCES_WATCH_SPEC_H
#define SOURCES_WATCH_SPEC_H

#include <limits.h>

#include "base/base.h"
#include "base/status.h"
#include "bpf/watch.h"
#include "sources/watch_types.h"

struct watch_spec {
	const char *text;    /* as given; borrowed */
	char path[PATH_MAX]; /* of the program or library, or what is mapped; "": an address is given */
	u32 pid;	     /* of this process, and those that it starts; 0: of all that have it */
	bool is_mapped;	     /* `at` is in what is mapped, not in the file's own addresses */
	char symbol[256];    /* without OFF */
	u64 at;		     /* in the file's own addresses, or the address itself */
	u32 len;	     /* 1, 2, 4 or 8 */
	u32 access;	     /* HW_BREAKPOINT_x */
	struct watch_path way; /* from there on, through pointers; n 0: it is there */
	struct watch_condition condition;
};

/* Finds the program and its symbol, too. text stays as it is. 0 or -errno with words. */
int watch_spec__parse(struct watch_spec *w, const char *text, struct status *st);

#endif
