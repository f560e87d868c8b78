/* SPDX-License-Identifier: GPL-2.0-only */
/* The code that touches a watched address, by name and line, and its registers. Collector thread only; bounded. */
#ifndef SOURCES_WATCH_CODES_H
#define SOURCES_WATCH_CODES_H

#include "bpf/watch.h"
#include "sources/source.h"

struct watch_code {
	u32 pid;
	u64 at;
	char name[128], line[128]; /* "": not known */
};

/* Zero-initialized but for names. */
struct watch_codes {
	const struct address_names *names; /* NULL: nobody has names */
	struct watch_code *v;
	u32 n, cap;
};

/* at: where the processor stopped; executed: before what is watched, not behind what touched it. Valid until the next
 * one is looked for. */
const struct watch_code *watch_codes__find(struct watch_codes *c, u32 pid, u64 at, bool executed);
void watch_codes__fini(struct watch_codes *c);

/* "rax=0x1 rbx=..." */
void watch_last__regs(const struct watch_last *last, char *buf, size_t size);

#endif
