/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Brings records of perf.data into the order of their times. Each CPU's come in order; at the end
 * of a round all rings have been read, so that nothing comes later that is older than what the
 * round before had. Bounded: above ORDER_BYTES the older half is handed out. One thread.
 */
#ifndef RECORDING_PERF_ORDER_H
#define RECORDING_PERF_ORDER_H

#include "recording/bytes.h"
#include "samples/perf_record.h"

#define ORDER_BYTES (128u << 20)

typedef void (*perf_order_fn)(void *ctx, const struct perf_event_header *h);

struct perf_order_entry {
	u64 t_ns;
	size_t at; /* in bytes */
};

struct perf_order {
	perf_order_fn fn;
	void *ctx;
	struct bytes bytes, spare; /* spare: memory for those that stay */
	struct perf_order_entry *v;
	u32 n, cap;
	u64 newest, newest_before; /* of all records; at the end of the last round */
};

/* Copies the record; it is handed out on 8 bytes. */
void perf_order__put(struct perf_order *o, const struct perf_event_header *h, u64 t_ns);
void perf_order__round(struct perf_order *o);
/* Hands out all there is. */
void perf_order__end(struct perf_order *o);
void perf_order__fini(struct perf_order *o);

#endif
