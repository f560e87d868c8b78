/* SPDX-License-Identifier: GPL-2.0-only */
/* Visits of all tasks by a BPF iterator: what it writes, as one buffer. Collector thread only. */
#ifndef SOURCES_BPF_VISIT_H
#define SOURCES_BPF_VISIT_H

#include "base/status.h"

struct bpf_link;
struct bpf_program;

struct bpf_visit {
	struct bpf_link *link;
	char *data;
	size_t len, cap;
};

/* 0, or -errno with st. */
int bpf_visit__attach(struct bpf_visit *v, struct bpf_program *prog, struct status *st);
/* Likewise of what walks a map. */
int bpf_visit__attach_map(struct bpf_visit *v, struct bpf_program *prog, int map_fd, struct status *st);
/* Runs the iterator: data has what it wrote. 0 or -errno. */
int bpf_visit__run(struct bpf_visit *v);
/* What it wrote has been taken: very much is not kept room for. */
void bpf_visit__done(struct bpf_visit *v);
/* Attaches, runs and detaches it, for what it does to maps. map_fd -1: it walks none. 0, or -errno with st. */
int bpf_visit__once(struct bpf_program *prog, int map_fd, struct status *st);
void bpf_visit__fini(struct bpf_visit *v);

#endif
