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

#define WATCH_REGS 34 /* at most, as the kernel has them for user space */

/* What is at a place. */
struct watch_value {
	__u64 last; /* what was there at the last hit of all; of execution it is not looked at */
	__u64 address;
};

/* The labels of a hit: whose last one is kept. */
struct watch_site {
	__u64 place, code;
};

#define WATCH_SITES 4096

/* What was at the place before and after the last hit of some code that counted, and the registers at it. */
struct watch_last {
	__u64 before, after;
	__u64 regs[WATCH_REGS];
};

/* A hit counts when all tests hold, each of a value with a number, or with the other value. */
enum { WATCH_EQ, WATCH_NE, WATCH_LT, WATCH_LE, WATCH_GT, WATCH_GE };
#define WATCH_TESTS 4

struct watch_test {
	__u8 of_before, with_before, op, is_signed;
	__u32 pad;
	__u64 number;
};

struct watch_condition {
	__u32 n, pad;
	struct watch_test v[WATCH_TESTS];
};

enum { WATCH_NOTE_OTHERS }; /* hits that did not count */

#endif
