/* SPDX-License-Identifier: GPL-2.0-only */
/* Network devices: words of labels and sums; shared by kernel and user side. */
#ifndef BPF_NET_H
#define BPF_NET_H

/* DEVICE: its number, and in the upper half its network namespace's. WAY: which direction, and from
 * NET_QUEUE_SHIFT on the queue's number and 1; 0: it is not known. */
enum { NET_LABEL_DEVICE, NET_LABEL_WAY, NET_LABEL_REASON, NET_LABEL_CPU };
enum { NET_RX, NET_TX };

#define NET_WAY_BITS	8
#define NET_QUEUE_BITS	24
#define NET_REASON_UNTOLD 0xffffffffu /* dropped, and this kernel does not say why */

/* Drops are no packets: what was dropped may have been received before. */
enum { NET_DROPS, NET_SEGMENTS };

#endif
