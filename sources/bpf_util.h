/* SPDX-License-Identifier: GPL-2.0-only */
/* What every BPF source needs around libbpf: its messages, its failures, emptying maps. */
#ifndef SOURCES_BPF_UTIL_H
#define SOURCES_BPF_UTIL_H

#include "base/base.h"
#include "base/status.h"

struct bpf_insn;
struct bpf_link;
struct bpf_program;

#define KERNEL_BTF "/sys/kernel/btf/vmlinux"

/* Sends libbpf's messages to the log ring (never to stderr) and checks what loading needs:
 * 0, or -errno with st telling what is missing and what would enable it. */
int bpf_util__prepare(struct status *st);
/* Changes a program's instructions, of a handler's prog_prepare_load_fn. 0 or -errno. */
int bpf_util__edit(struct bpf_program *prog,
		   int (*edit)(const void *ctx, struct bpf_insn *insns, u32 n), const void *ctx);
/* Fills st for a failed load or attach; returns err. */
int bpf_util__failed(int err, const char *what, struct status *st);

/* 0, or -errno with st naming the program. */
int bpf_util__attach(struct bpf_program *prog, struct bpf_link **link, struct status *st);

/* Takes all entries out of a hash map that no program writes at the moment; each() may be
 * NULL. Returns their number or -errno. */
long bpf_util__drain(int map_fd, u32 key_size, u32 value_size,
		     void (*each)(void *ctx, const void *key, const void *value), void *ctx);

/* The sum over all CPUs of entry 0 of a per-CPU array of `size` bytes, all of it u64. */
void bpf_util__sum_percpu(int map_fd, size_t size, u64 *out);

struct bpf_map;
/* How full a map is that remembers what was sent (`used` since it was last emptied), in %;
 * empties it before it is full: what is forgotten is sent again when it is next seen. */
double bpf_util__trim(struct bpf_map *map, u32 *used, u32 size);

/* All of an array that user space may map, whose values are multiples of 8 bytes; false: it cannot be mapped. */
bool bpf_util__zero_array(struct bpf_map *map);

/* Returns when every program that was running at the call has ended. */
void bpf_util__barrier(void);

#endif
