/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of the time of spans, in the order of a measure's sums and of a slow one's arguments; what is left is
 * other waits: for another thread, a child, a pipe, memory. */
#ifndef BPF_PARTS_H
#define BPF_PARTS_H

enum part { PART_ONCPU, PART_RUNQ, PART_LOCK, PART_DISK, PART_NETWORK, PART_SLEEP, PARTS };

#endif
