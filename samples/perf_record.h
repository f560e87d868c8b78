/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decodes the records of a perf ring, and of perf.data, format as in perf_event_open(2). Every
 * length is checked against the record's own size; a record that does not add up is refused.
 */
#ifndef SAMPLES_PERF_RECORD_H
#define SAMPLES_PERF_RECORD_H

#include <linux/perf_event.h>

#include "base/base.h"

/* Fields of the samples that are taken here (sample_id_all is set). */
#define PERF_RECORD_FIELDS                                                                         \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |                   \
	 PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_CGROUP)

/* What an event's records look like: of its struct perf_event_attr. */
struct perf_format {
	u64 sample_type, read_format, branch_sample_type, regs_user, regs_intr;
	bool trailers; /* sample_id_all */
};

/* Who it was that ran: PERF_RECORD_MISC_CPUMODE_MASK. */
static inline bool perf_record__of_guest(u16 misc)
{
	u16 mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;

	return mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER;
}

struct perf_record {
	u32 type;     /* PERF_RECORD_x */
	u32 pid, tid; /* the task it is about */
	u32 cpu;
	u64 t_ns;
	u64 id; /* of the event, 0 unknown */
	/* PERF_RECORD_SAMPLE */
	bool kernel; /* was in kernel mode */
	/* The last branches, or calls that have not returned, as the CPU noted them, newest first: nbranches times
	 * struct perf_branch_entry; borrowed, NULL none. */
	const u8 *branches;
	u32 nbranches;
	/* Of a sampled access to memory: its address, how long it took as the CPU counts it, and union
	 * perf_mem_data_src; 0: it does not say. */
	u64 addr, latency, data_src;
	const u8 *reads; /* of a group that is read at each sample: nreads times value, id ...; NULL
			  */
	u32 nreads, read_size; /* read_size: bytes of each */
	u64 ip, period, cgroup;
	const u64 *chain; /* with PERF_CONTEXT_x markers; borrowed from the record */
	u32 nchain;
	/* Registers at the entry to the kernel, by the bits of regs_user, and the stack from its
	 * pointer on; borrowed, NULL none. regs_abi is PERF_SAMPLE_REGS_ABI_x. */
	u64 regs_abi, nstack;
	const u64 *regs;
	const u8 *stack;
	/* PERF_RECORD_LOST, PERF_RECORD_LOST_SAMPLES */
	u64 lost;
	/* PERF_RECORD_FORK, PERF_RECORD_EXIT */
	u32 ppid, ptid;
	/* PERF_RECORD_COMM */
	bool exec;
	/* PERF_RECORD_KSYMBOL, whose range is start and len */
	bool gone;
	/* PERF_RECORD_COMM: comm; PERF_RECORD_MMAP, PERF_RECORD_MMAP2, PERF_RECORD_CGROUP (whose
	 * id is in cgroup): path; PERF_RECORD_KSYMBOL: its name; NUL-terminated, borrowed */
	const char *text;
	/* PERF_RECORD_MMAP, PERF_RECORD_MMAP2 */
	u64 start, len, offset, inode, generation;
	u32 dev_major, dev_minor;
	const u8 *build_id; /* instead of device and inode; NULL: those */
	u32 nbuild_id;
	bool executable;
};

/* 0, -ENOENT for types not listed above, -EINVAL when malformed. `avail` bounds what may be
 * read; the record need not be aligned to more than 8 bytes. */
int perf_record__decode_as(struct perf_record *r, const struct perf_event_header *h, size_t avail,
			   const struct perf_format *f);
/* The same of a ring whose records end with what sample_id_all adds. */
static inline int perf_record__decode(struct perf_record *r, const struct perf_event_header *h,
				      size_t avail, u64 sample_type)
{
	const struct perf_format f = {.sample_type = sample_type, .trailers = true};

	return perf_record__decode_as(r, h, avail, &f);
}

/* Splits a call chain at its markers: kernel frames to the front of `ips`, user frames after
 * them, each leaf first, at most `max` of each kind. */
void perf_record__frames(const struct perf_record *r, u64 *ips, u32 max, u16 *nkernel, u16 *nuser);

#endif
