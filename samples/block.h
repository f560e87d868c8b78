/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the source of block I/O hands out. A sample of samples/sample.h; the same rules hold. All
 * are sums over the interval since the source was last drained; times are nanoseconds.
 *
 * A request is counted when it ends, as in /proc/diskstats. Its device may be a partition: the
 * whole disk's numbers are the sum of its own samples and those of its partitions.
 */
#ifndef SAMPLES_BLOCK_H
#define SAMPLES_BLOCK_H

#include "samples/sample.h"

#define IO_NAME_LEN 32 /* of a device, with its end */
#define IO_FILE_LEN 40

enum io_op { IO_READ, IO_WRITE, IO_FLUSH, IO_DISCARD, IO_OPS };

#define IO_FLAG_SYNC  1 /* of writes: somebody waits for it */
#define IO_FLAG_META  2 /* a file system's own data */
#define IO_FLAG_OTHER 4 /* without data: zeroes, erase, zones, a device's own command */
#define IO_FLAGS      8 /* one past the largest combination */

/* Begin to end; begin of queueing to the device's begin; the device's part. */
enum io_stage { IO_TOTAL, IO_QUEUED, IO_DEVICE, IO_STAGES };

/* Sizes by powers of two of bytes, from 512 and less on. */
#define IO_SIZES 16

struct io_device {
	u32 dev, disk; /* dev_t; disk: what it is a partition of, else itself */
	char name[IO_NAME_LEN], disk_name[IO_NAME_LEN];
	u32 host; /* as in struct stack_sample */
};

/* What distinguishes devices of all hosts. */
static inline u64 io_device__id(const struct io_device *d)
{
	return d->dev | (u64)d->host << 32;
}
static inline u64 io_device__disk_id(const struct io_device *d)
{
	return d->disk | (u64)d->host << 32;
}

/* Requests of a device that agree in kind. SAMPLE_IO. */
struct io_sample {
	struct sample head;
	struct io_device device;
	enum io_op op;
	u32 flags; /* IO_FLAG_x */
	u64 count, bytes;
	u64 ns[IO_STAGES], max_ns[IO_STAGES];
	u64 known[IO_STAGES];	    /* requests with that time: ns and histogram are of them */
	u64 random, sequential;	    /* those where that is known */
	const u32 *sizes;	    /* IO_SIZES */
	const u32 *hist[IO_STAGES]; /* BLOCK_BUCKETS of bpf/block.h each */
};

/* Who has a device do what. */
struct io_who {
	struct io_device device;
	enum io_op op;
	u32 flags;
	u32 tgid, tid; /* tgid 0: a device's own flush, done for many */
	bool kthread;
	/* A worker's that writes what others dirtied; the cgroup is theirs. A process that is no
	 * kernel thread is then the one that dirtied the file last. */
	bool writeback;
	u64 cgroup;	/* v2 id, 0 unknown */
	u64 inode;	/* 0 unknown */
	char comm[COMM_LEN], file[IO_FILE_LEN]; /* file: the last part of its path, "" unknown */
};

/* Where it is not known who did it there is none. comm is the newest in the interval, and of
 * several samples of a process the last one's is. SAMPLE_IO_PROC. */
struct io_proc_sample {
	struct sample head;
	struct io_who who;
	u64 count, bytes, known, ns, max_ns;
};

/* One slow request. SAMPLE_IO_SLOW. */
struct io_slow_sample {
	struct sample head;
	struct io_who who;
	u64 t_ns;			    /* its end */
	u64 total_ns, queued_ns, device_ns; /* 0 unknown */
	u64 sector;
	u32 bytes;
	u64 stack; /* where it was begun; stack_def.hash, 0: not taken */
};

/* A request that was chosen by chance when it began, as one of `weight`: requests, bytes and time,
 * each times the weight, add up to unbiased estimates of those of all requests, by whatever they are
 * grouped. SAMPLE_IO_STACK. */
struct io_stack_sample {
	struct sample head;
	struct io_who who; /* op, flags, inode and file are not told */
	u32 weight; /* 1: all are chosen */
	u32 bytes;
	u64 total_ns; /* 0 unknown */
	u64 stack;    /* as of a slow one */
};

/* A device that is there, at the end of the interval. SAMPLE_IO_DEVICE. */
struct io_device_sample {
	struct sample head;
	struct io_device device;
	u64 in_flight;
};

#endif
