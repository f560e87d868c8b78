/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of labels' values that programs alone can find: each is sent when its value is first met,
 * and again after a while where it may change. */
#ifndef BPF_MEASURE_NAMES_BPF_H
#define BPF_MEASURE_NAMES_BPF_H

#include "bpf/measure_base.bpf.h"

/* When each was sent. User space empties it when it has forgotten names. */
LRU_MAP(names_seen, 16384, u64, u64);

/* Programs on events of tasks interrupt an iterator, which so has a scratch of its own; so do
 * programs that interrupt each other, and say so before they include this. */
#ifndef NAME_OWN_SLOTS
#define NAME_OWN_SLOTS 0
#endif
enum { NAME_OF_TASK, NAME_OF_VISIT, NAME_SLOT_OWN, NAME_SLOTS = NAME_SLOT_OWN + NAME_OWN_SLOTS };

PERCPU_MAP(name_scratch, NAME_SLOTS, struct measure_name);

static __always_inline struct measure_name *name__begin(u32 slot)
{
	return bpf_map_lookup_elem(&name_scratch, &slot);
}

static __always_inline u64 name__key(u32 label, u64 value)
{
	return value ^ (u64)label << 56;
}

/* keep_ns: how long a name holds; 0: for good. */
static __always_inline bool name__is_due(u32 label, u64 value, u64 now, u64 keep_ns)
{
	u64 key = name__key(label, value), *sent = bpf_map_lookup_elem(&names_seen, &key);

	return !sent || (keep_ns && now - *sent > keep_ns);
}

/* Sends what is in the scratch: `len` bytes of text, less than it has room for. */
static __always_inline void name__send(struct measure_name *n, u32 label, u64 value, u32 len,
				       u64 now, struct measure_stats *st)
{
	u64 key = name__key(label, value);

	n->type = RECORD_MEASURE_NAME;
	n->label = label;
	n->value = value;
	barrier_var(len);
	if (len >= MEASURE_NAME_MAX)
		return;
	n->text[len] = '\0';
	if (bpf_ringbuf_output(&records, n, sizeof(*n) - MEASURE_NAME_MAX + len + 1,
			       ring_flags(false)))
		st->names_lost++;
	else
		bpf_map_update_elem(&names_seen, &key, &now, BPF_ANY);
}

#endif
