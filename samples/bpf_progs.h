/* SPDX-License-Identifier: GPL-2.0-only */
/* What is told of BPF programs, their maps, and the statistics of their runs, once an interval. */
#ifndef SAMPLES_BPF_PROGS_H
#define SAMPLES_BPF_PROGS_H

#include "samples/sample.h"

#define BPF_OWNERS 4

/* A process that holds a program, by a descriptor of it, of a link or of a perf event. */
struct bpf_owner {
	u32 tgid;
	u64 cgroup;
	char comm[COMM_LEN];
};

/* A program that is loaded now. SAMPLE_BPF_PROG. */
struct bpf_prog_sample {
	struct sample head;
	u32 id;
	u64 loaded_ns; /* since boot; with the id it names one program for good */
	u32 uid;       /* who loaded it */
	char name[128];
	char type[32];
	char tag[17];	    /* hash of its instructions, hex */
	char attached[256]; /* where, ", " between; "" nowhere that is known */
	bool own;	    /* proftop's */
	/* Since the last sample of it, or since statistics are on. */
	u64 runs, run_ns;
	u64 misses; /* runs left out as the program was running on that CPU already */
	u32 xlated_bytes, jited_bytes;
	u32 nowners; /* of all; the first BPF_OWNERS of them by process id: */
	struct bpf_owner owners[BPF_OWNERS];
};

/* A map, once for each program that uses it. SAMPLE_BPF_MAP. */
struct bpf_map_sample {
	struct sample head;
	u32 prog; /* 0: of no program */
	u32 id;
	char name[16];
	char type[32];
	u32 key_bytes, value_bytes, max_entries;
	bool fill_known;
	u64 used;  /* entries; of a ring buffer bytes */
	u64 bytes; /* of memory; 0 not known */
};

/* Comes behind all others of a look at the machine. SAMPLE_BPF_STATE. */
struct bpf_state_sample {
	struct sample head;
	u32 ncpus;	  /* online */
	bool by_sysctl;	  /* kernel.bpf_stats_enabled keeps them on, too */
	char others[128]; /* who else keeps them on: "comm pid", ", " between */
	u64 ended;	  /* programs that ended in the interval: their last runs are not seen */
	u64 unseen;	  /* programs that came and went in it */
	u64 left_out;	  /* programs and maps beyond what is looked at */
};

#endif
