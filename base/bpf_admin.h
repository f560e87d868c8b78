/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few calls of bpf(2) that take CAP_SYS_ADMIN, which proftop gives up at its start: a process
 * of its own makes them, which has that capability and does nothing else; and CAP_SYSLOG, as the kernel
 * hides what a program calls, and its machine code, by who opened it. It looks at
 * programs, maps, links and types by their ids, and switches statistics of runs on; it changes
 * nothing that does not end with the descriptor it hands out. It ends with proftop, however that
 * ends.
 *
 * bpf_admin__start: before other threads, and before capabilities are given up. All others:
 * collector thread and one of workers (a lock guards the socket).
 */
#ifndef BASE_BPF_ADMIN_H
#define BASE_BPF_ADMIN_H

#include "base/base.h"

enum bpf_object_kind { BPF_OBJECT_PROG, BPF_OBJECT_MAP, BPF_OBJECT_LINK, BPF_OBJECT_BTF };

/* Begins that process; without the capability there is nothing to begin. */
void bpf_admin__start(void);

/* A descriptor (close-on-exec) or -errno. Without that process the calls are made here. */
int bpf_admin__enable_stats(void); /* run times of programs; on while it is open */
int bpf_admin__open(enum bpf_object_kind kind, u32 id);
/* The same of the object with the least id above *id, which is put there; -ENOENT: there is none.
 * Not of types. */
int bpf_admin__open_next(enum bpf_object_kind kind, u32 *id);

#endif
