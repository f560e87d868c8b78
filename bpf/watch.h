/* SPDX-License-Identifier: GPL-2.0-only */
/* Watched addresses: words of labels, values; shared by kernel and user side. */
#ifndef BPF_WATCH_H
#define BPF_WATCH_H

#include <linux/types.h>

/* Which place of which process (index | tgid << 32), and where the code is that touched it. */
enum { WATCH_LABEL_PLACE, WATCH_LABEL_CODE };
#define WATCH_TGID_SHIFT 32

#define WATCH_PLACES	8    /* that are asked for; a CPU has 4 at a time */
#define WATCH_PROCESSES 1024 /* times places */

/* What is at a place, before and after the last hit; of execution it is not looked at. */
struct watch_value {
	__u64 before, after;
	__u64 address;
};

#endif
