/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decodes the records of a perf ring, format as in perf_event_open(2). Every length is
 * checked against the record's own size; a record that does not add up is refused.
 */
#ifndef SOURCES_PERF_RECORD_H
#define SOURCES_PERF_RECORD_H

#include <linux/perf_event.h>

#include "core/base.h"

/* Fields that samples and the trailers of other records may have (sample_id_all is set). */
#define PERF_RECORD_FIELDS                                                                         \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |                   \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CGROUP)

struct perf_record {
	u32 type;     /* PERF_RECORD_x */
	u32 pid, tid; /* the task it is about */
	u32 cpu;
	u64 t_ns;
	/* PERF_RECORD_SAMPLE */
	bool kernel; /* was in kernel mode */
	u64 ip, period, cgroup;
	const u64 *chain; /* with PERF_CONTEXT_x markers; borrowed from the record */
	u32 nchain;
	/* PERF_RECORD_LOST, PERF_RECORD_LOST_SAMPLES */
	u64 lost;
	/* PERF_RECORD_FORK, PERF_RECORD_EXIT */
	u32 ppid, ptid;
	/* PERF_RECORD_COMM */
	bool exec;
	/* PERF_RECORD_COMM: comm; PERF_RECORD_MMAP2: path; NUL-terminated, borrowed */
	const char *text;
	/* PERF_RECORD_MMAP2 */
	u64 start, len, offset, inode;
	u32 dev_major, dev_minor;
	bool executable;
};

/* 0, -ENOENT for types not listed above, -EINVAL when malformed. `avail` bounds what may be
 * read; the record need not be aligned to more than 8 bytes. */
int perf_record__decode(struct perf_record *r, const struct perf_event_header *h, size_t avail,
			u64 sample_type);

/* Splits a call chain at its markers: kernel frames to the front of `ips`, user frames after
 * them, each leaf first, at most `max` of each kind. */
void perf_record__frames(const struct perf_record *r, u64 *ips, u32 max, u16 *nkernel, u16 *nuser);

#endif
