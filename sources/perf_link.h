/* SPDX-License-Identifier: GPL-2.0-only */
/* BPF programs on perf events. */
#ifndef SOURCES_PERF_LINK_H
#define SOURCES_PERF_LINK_H

#include <linux/perf_event.h>

#include "base/base.h"

struct bpf_link;
struct bpf_program;

/* Links that are closed together; zeroed there are none. */
struct perf_links {
	struct bpf_link **v;
	u32 n, cap;
};

/* A program on an event of a thread (pid) or of a CPU; the other is -1. The link's place in v, or
 * -errno. */
int perf_links__add(struct perf_links *l, struct bpf_program *prog, struct perf_event_attr *attr,
		    int pid, int cpu, u64 cookie);
/* On all CPUs that are online. 0 or -errno. */
int perf_links__add_cpus(struct perf_links *l, struct bpf_program *prog,
			 struct perf_event_attr *attr, u64 cookie);
void perf_links__fini(struct perf_links *l);

#endif
