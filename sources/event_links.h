/* SPDX-License-Identifier: GPL-2.0-only */
/* Events that small programs are attached to: of which type these are, and how. What is returned is a descriptor that
 * detaches when it is closed, or -errno. Any thread. */
#ifndef SOURCES_EVENT_LINKS_H
#define SOURCES_EVENT_LINKS_H

#include <linux/bpf.h>

#include "base/base.h"

struct event_link_type {
	enum bpf_prog_type prog;
	u32 attach;
	int returns; /* what the program has to return */
};

extern const struct event_link_type event_link_calls /* sources/uprobe.h */, event_link_kernel, event_link_tracepoint,
	event_link_raw;

/* A function of the kernel: links of the kind kprobe_multi, Linux 5.18 on. */
int event_link__kernel(int prog_fd, const char *function, bool returns);
/* By perf's name. */
int event_link__tracepoint(int prog_fd, const char *name);
int event_link__raw(int prog_fd, const char *name);

#endif
