/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What there is in a program to attach to: its functions, demangled and with their source where debug
 * information tells it, its static probes, the kernel's tracepoints, and its functions where there are probes on
 * them. Slow: worker thread only.
 */
#ifndef TUI_PROBE_LIST_H
#define TUI_PROBE_LIST_H

#include "base/arena.h"

#define PROBES_MOST 262144

enum probe_kind { PROBE_FUNCTION, PROBE_STATIC, PROBE_TRACEPOINT, PROBE_KERNEL };

struct probe_item {
	enum probe_kind kind;
	const char *text;   /* what is shown and searched: "handle(int)  server.c:12" */
	const char *detail; /* "libz.so.1"; "2 arguments, semaphore" */
	const char *name;   /* as the file has it; "provider:name"; "system:name" */
	u32 file;	    /* of a process its program's come first */
	u32 nargs;	    /* of a static probe: those that can be had */
};

/* Of a program or library by its path or name, or of pid:N and all that it has mapped; the strings live
 * in the arena. Static probes first, the kernel's last. 0: there are none, or no such program. */
u32 probe_list__read(struct arena *a, const char *where, const struct probe_item **out);

/* What stands behind `by` for a function's parameters: "len, req->path", and ", ret" when `result` is asked
 * for and there is one; "" nothing is known. At most `most` of them: numbers and texts, then those that
 * parameters point to, and addresses only where there is nothing else. */
void probe_args__by(const char *where, const char *name, u32 most, bool result, char *buf, size_t size);

#endif
