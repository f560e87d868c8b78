/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of the time of spans, as bpf/parts.bpf.h counts them: sums of declarations, and their text. */
#ifndef MEASURES_PARTS_H
#define MEASURES_PARTS_H

#include "bpf/parts.h"
#include "samples/measure.h"

#define PART_SUM(part, field, column, rest, about)                                                 \
	[part] = {.name = field, .title = column, .help = about, .type = VALUE_NS, .of_rest = rest}
#define PARTS_SUMS                                                                                 \
	PART_SUM(PART_ONCPU, "oncpu_ns", "On-CPU", false, "of the total: on a CPU"),               \
	PART_SUM(PART_RUNQ, "runq_ns", "Run queue", false, "of the total: able to run, without a CPU"), \
	PART_SUM(PART_LOCK, "lock_ns", "Lock", true, "of Blocked: for a lock of the program, a futex that is taken"), \
	PART_SUM(PART_DISK, "disk_ns", "Disk", true, "of Blocked: for a disk"),                    \
	PART_SUM(PART_NETWORK, "network_ns", "Network", true,                                      \
		 "of Blocked: for a socket, or for descriptors with one among them"),              \
	PART_SUM(PART_SLEEP, "sleep_ns", "Sleep", true, "of Blocked: it asked to sleep for a time")

/* "on-CPU 2.0 ms, lock 30.1 ms": those that there are; "": none is known. */
void parts__text(const struct measure_slow *slow, char *buf, size_t size);

#endif
