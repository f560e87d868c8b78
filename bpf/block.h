/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the block layer's programs (block.bpf.c) count and send; shared by kernel and user side.
 * Times are bpf_ktime_get_ns(), CLOCK_MONOTONIC. Devices are the kernel's dev_t: 12 bits of
 * major, 20 of minor.
 */
#ifndef BPF_BLOCK_H
#define BPF_BLOCK_H

#include <linux/types.h>

#include "bpf/scope.h"

#include "bpf/hist.h" /* loglin__bucket */

/* Buckets in the manner of bpf/hist.h, but finer: 1/16 of their lower end wide at most, 250 ns
 * below 4 us, so that powers of two of a microsecond are borders; the last one has no upper end
 * (33 s and more). */
#define BLOCK_UNIT_NS	250
#define BLOCK_SUB_SHIFT 4
#define BLOCK_SUB	(1u << BLOCK_SUB_SHIFT)
#define BLOCK_BUCKETS	384

static inline __attribute__((always_inline)) __u32 block__bucket(__u64 ns)
{
	return loglin__bucket(ns / BLOCK_UNIT_NS, BLOCK_SUB_SHIFT, BLOCK_BUCKETS);
}

/* The least duration of a bucket; of BLOCK_BUCKETS: where the last one would end. */
static inline __attribute__((always_inline)) __u64 block__lo(__u32 i)
{
	return loglin__lo(i, BLOCK_SUB_SHIFT) * BLOCK_UNIT_NS;
}

/* In the order of enum io_op in samples/block.h: the groups of /proc/diskstats. */
enum block_op { BLOCK_READ, BLOCK_WRITE, BLOCK_FLUSH, BLOCK_DISCARD, BLOCK_OPS };

#define BLOCK_FLAG_SYNC	 1 /* of writes: somebody waits for it */
#define BLOCK_FLAG_META	 2 /* a file system's own data */
#define BLOCK_FLAG_OTHER 4 /* no data of its own: zeroes, erase, zones, a device's own command */

enum block_stage { BLOCK_TOTAL, BLOCK_QUEUED, BLOCK_DEVICE, BLOCK_STAGES };

/* Powers of two of bytes, from 512 (and less) on. */
#define BLOCK_SIZES 16

/* Where a request begins: elsewhere than the disk's last one ended, or there. */
enum block_place { BLOCK_PLACE_UNKNOWN, BLOCK_RANDOM, BLOCK_SEQUENTIAL, BLOCK_PLACES };

struct block_key {
	__u32 dev, disk; /* disk: what dev is a partition of, else dev itself */
	__u32 op;	 /* enum block_op */
	__u32 flags;	 /* BLOCK_FLAG_x */
	__u64 name;	 /* hash of the submitter's name while names are asked for; else 0 */
};

#define BLOCK_SLOT_WORDS 24
#define BLOCK_SLOT_TAKEN 1 /* instead of a time: a request begins there now */

/* Value of the map requests, as far as user space looks at it. */
struct block_slot {
	__u64 live; /* when the request began; 0: none */
	__u64 rest[BLOCK_SLOT_WORDS - 1];
};

/* The first word of an entry of the maps devices and procs. */
enum block_entry { BLOCK_FREE, BLOCK_TAKEN, BLOCK_READY };

/* Requests that agree in that and ended; value of the map devices. Their number is that of all
 * sizes; that of the times known of a stage is that of its histogram. */
struct block_sum {
	__u32 state; /* enum block_entry */
	__u32 pad1;
	struct block_key key;
	__u64 bytes, last_ns;
	__u64 ns[BLOCK_STAGES], max_ns[BLOCK_STAGES];
	__u64 cgroup;
	__u32 tgid, tid, cpu; /* and the cgroup: of one of them */
	__u32 pad;
	char comm[16];
	__u32 sizes[BLOCK_PLACES][BLOCK_SIZES];
	__u32 hist[BLOCK_STAGES][BLOCK_BUCKETS];
};

/* Whose a worker's write is. */
enum block_writeback {
	BLOCK_NO_WRITEBACK,
	BLOCK_WRITEBACK,	/* nobody knows: the worker is named */
	BLOCK_WRITEBACK_DIRTIED /* whoever dirtied the file last is named */
};

struct block_proc_key {
	struct block_key dev;
	__u64 cgroup, inode;
	__u32 tgid;
	__u32 writeback; /* enum block_writeback */
};

#define BLOCK_FILE_LEN 40

/* Value of the map procs. */
struct block_proc_sum {
	__u32 state; /* enum block_entry */
	__u32 pad1;
	struct block_proc_key key;
	__u64 count, bytes, ns, max_ns, last_ns;
	__u64 unknown; /* of count: took nobody knows how long */
	__u32 tid, cpu, kthread;
	__u32 pad;
	char comm[16];		   /* of the one that ended last */
	char file[BLOCK_FILE_LEN]; /* last part of its path; "" not known */
};

/* A slow request; a request whose stack was sampled. */
enum { RECORD_BLOCK_SLOW = 32, RECORD_BLOCK_STACK = 33 };

/* One request that ended. Times of 0 are not known. */
struct block_slow_record {
	__u32 type; /* RECORD_BLOCK_x */
	__u32 bytes;
	struct block_proc_key key;
	__u64 t_ns, total_ns, queued_ns, device_ns, sector;
	__u64 stack; /* where it was begun; 0: not taken */
	__u32 tid, cpu, kthread;
	__u32 weight; /* of RECORD_BLOCK_STACK: one of so many requests was chosen */
	char comm[16];
	char file[BLOCK_FILE_LEN];
};

/* Per CPU, since the programs were attached. */
struct block_stats {
	SOURCE_FIGURES;
	__u64 requests;	     /* ended and in scope */
	__u64 devices_full;  /* requests that are in no row: no room in the map */
	__u64 procs_full;    /* requests that are in no process's row */
	__u64 requests_full; /* began without a place: their submitter is not known */
	__u64 records_full;  /* records that could not be sent */
	__u64 backward;	     /* negative times, left out */
	__u64 unseen;	     /* ended without a word, found later: their times are not known */
};

/* Slow requests told before the limit rises within an interval. */
#define BLOCK_SLOW_MAX 256

#endif
