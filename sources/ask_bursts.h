/* SPDX-License-Identifier: GPL-2.0-only */
/* Slots of time, once an interval: which are told of. Collector thread only. */
#ifndef SOURCES_ASK_BURSTS_H
#define SOURCES_ASK_BURSTS_H

struct bpf_object;

/* Slots that have ended, and that no event came behind on their CPU, are sent. */
void ask_bursts__flush(struct bpf_object *obj);
/* Fewer slots that are full: less full ones are sent from now on. */
void ask_bursts__adapt(struct bpf_object *obj);

#endif
