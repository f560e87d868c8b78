/* SPDX-License-Identifier: GPL-2.0-only */
/* What every BPF source needs around libbpf: its messages, its failures, emptying maps. */
#ifndef SOURCES_BPF_UTIL_H
#define SOURCES_BPF_UTIL_H

#include "core/base.h"
#include "core/status.h"

/* Sends libbpf's messages to the log ring (never to stderr) and checks what loading needs:
 * 0, or -errno with st telling what is missing and what would enable it. */
int bpf_util__prepare(struct status *st);
/* Fills st for a failed load or attach; returns err. */
int bpf_util__failed(int err, const char *what, struct status *st);

/* Takes all entries out of a hash map that no program writes at the moment; each() may be
 * NULL. Returns their number or -errno. */
long bpf_util__drain(int map_fd, u32 key_size, u32 value_size,
		     void (*each)(void *ctx, const void *key, const void *value), void *ctx);

/* Returns when every program that was running at the call has ended. */
void bpf_util__barrier(void);

#endif
