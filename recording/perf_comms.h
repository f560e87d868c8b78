/* SPDX-License-Identifier: GPL-2.0-only */
/* Threads' names in the course of perf.data. Bounded; one thread. */
#ifndef RECORDING_PERF_COMMS_H
#define RECORDING_PERF_COMMS_H

#include "base/hidx.h"

#define PERF_COMMS_MAX (1u << 20)

struct perf_comm {
	u32 tid;
	char comm[COMM_LEN];
};

struct perf_comms {
	struct perf_comm *v;
	u32 n, cap;
	struct hidx by_tid;
};

void perf_comms__fini(struct perf_comms *t);
/* Control characters are replaced. */
void perf_comms__name(struct perf_comms *t, u32 tid, const char *comm);
/* A new thread has its parent's name. */
void perf_comms__fork(struct perf_comms *t, u32 tid, u32 parent);
/* Its own name, else its process's, else ":TID"; fills buf. */
void perf_comms__comm(const struct perf_comms *t, u32 tgid, u32 tid, char buf[COMM_LEN]);

#endif
