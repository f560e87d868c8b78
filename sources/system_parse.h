/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The texts of /proc and /sys behind the figures of the machine; formats as in proc(5) and the
 * kernel's documentation. What is not there is not emitted; what does not parse is skipped. Pure.
 */
#ifndef SOURCES_SYSTEM_PARSE_H
#define SOURCES_SYSTEM_PARSE_H

#include "samples/system.h"

/* Counters as they stand since boot. The instance is valid during the call. */
struct figure_out {
	void (*emit)(void *ctx, enum figure f, const char *instance, u64 value);
	void *ctx;
};

/* tick_ns: of a clock tick. */
void system__parse_stat(const char *text, u64 tick_ns, const struct figure_out *out);
void system__parse_loadavg(const char *text, const struct figure_out *out);
void system__parse_meminfo(const char *text, const struct figure_out *out);
void system__parse_vmstat(const char *text, const struct figure_out *out);
/* full may be FIGURES: it is not wanted. */
void system__parse_pressure(const char *text, enum figure some, enum figure full,
			    const struct figure_out *out);
/* Whole disks alone: `whole` says which names are. */
void system__parse_diskstats(const char *text, bool (*whole)(const char *name),
			     const struct figure_out *out);
void system__parse_net_dev(const char *text, const struct figure_out *out);
/* /proc/net/snmp and netstat: a line of names, then one of values. netns: of which network namespace they are; "" that of
 * proftop, of others what is 0 is left out. */
void system__parse_protocols(const char *text, const char *netns, const struct figure_out *out);
void system__parse_softnet(const char *text, const struct figure_out *out);
/* /proc/interrupts and /proc/softirqs: each kind over all CPUs, by device or description, or its own name. */
void system__parse_interrupts(const char *text, enum figure f, const struct figure_out *out);
/* The two numbers that count of /proc/sys/fs/file-nr. */
void system__parse_file_nr(const char *text, const struct figure_out *out);
/* cpu.stat of cgroup v1 or v2. */
void system__parse_cpu_stat(const char *text, const char *cgroup, const struct figure_out *out);
/* memory.stat of cgroup v1 or v2: bytes that cannot be dropped, those of its children included. */
u64 system__parse_memory_stat(const char *text);

#define FILESYSTEMS 64
#define FILESYSTEM_PATH 256

struct filesystem {
	char path[FILESYSTEM_PATH]; /* where it is mounted */
	bool read_only;		    /* though it is mounted to be written */
	bool known;		    /* what follows */
	u64 used, available, inodes_used, inodes_free;
};
/* /proc/self/mountinfo: filesystems on disks and in memory, each once; returns how many, at most max. */
u32 system__parse_mountinfo(const char *text, struct filesystem *out, u32 max);
/* Of sysfs: a clock that is emitted has to be asked of the machine, by a system call each time. */
void system__parse_clocksource(const char *text, const struct figure_out *out);
/* A record of /dev/kmsg; false: it is none, or the part of another one. */
bool system__parse_kmsg(const char *record, struct notice_sample *out);

/* /proc/PID/stat: what is in it since the process began, as counters. False: not as expected. */
bool system__parse_task(const char *text, u64 tick_ns, u64 page_bytes, struct usage_sample *out);

#endif
