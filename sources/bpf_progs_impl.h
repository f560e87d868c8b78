/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parts of sources/bpf_progs.c: who holds programs, and where they are attached. Collector
 * thread only.
 */
#ifndef SOURCES_BPF_PROGS_IMPL_H
#define SOURCES_BPF_PROGS_IMPL_H

#include "base/hidx.h"
#include "base/status.h"
#include "bpf/progs.h"
#include "samples/bpf_progs.h"
#include "sources/bpf_visit.h"

struct btf;
struct progs_bpf;

/* A program that is loaded, and what is known of it. */
struct bpf_prog_entry {
	struct bpf_prog_sample s; /* with what is new since the last look */
	u64 seen;		  /* number of the last look at it */
	u64 last_runs, last_run_ns, last_misses;
	u32 *maps; /* ids */
	u32 nmaps;
};

/* All of them, by id. */
struct bpf_progs {
	struct bpf_prog_entry *v;
	u32 n, cap;
	struct hidx index;
};

struct bpf_prog_entry *bpf_progs__find(struct bpf_progs *p, u32 id);
/* Adds a place where a program is attached, once; what does not fit is cut. */
void bpf_prog__attach_at(struct bpf_prog_entry *p, const char *where);

/* --- sources/bpf_progs_files.c: two iterators --- */

struct bpf_files {
	struct progs_bpf *skel;
	struct bpf_visit files, fills;
	bool counts_hashes; /* how full hash maps are is known, too */
};

/* stats_fd: what keeps statistics on here. 0, or -errno with st. */
int bpf_files__open(struct bpf_files *f, int stats_fd, struct status *st);
void bpf_files__close(struct bpf_files *f);
/* Owners of programs, perf events that run them, and who else keeps statistics on ("" nobody). */
int bpf_files__owners(struct bpf_files *f, struct bpf_progs *progs, char *others, size_t size);
/* The array is good until the next call; negative: -errno. */
long bpf_files__fills(struct bpf_files *f, const struct bpf_fill **fills);

/* --- sources/bpf_progs_links.c --- */

#define BPF_LINKS_MAX 8192 /* looked at */

/* A hash of the ids of all links. */
u64 bpf_links__which(void);
/* Adds where links attach programs to; returns how many links there were beyond BPF_LINKS_MAX.
 * btf: of the kernel, loaded when it is needed first. */
u64 bpf_links__read(struct bpf_progs *progs, struct btf **btf);
/* What a program is written for: the tracepoint or function in the kernel's types. "" none. */
void bpf_links__kernel_name(struct btf **btf, u32 type_id, char *buf, size_t size);

#endif
