/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Samples of another program's file into a recording in memory, with locs of this session's
 * symbols: added up over intervals of IMPORT_INTERVAL as a source would hand them out. Samples come
 * by and large in the order of their times. Bounded: beyond IMPORT_BYTES of recording the rest is
 * left out, which is logged. One thread.
 */
#ifndef RECORDING_IMPORT_OUT_H
#define RECORDING_IMPORT_OUT_H

#include "base/hidx.h"
#include "recording/recorder.h"
#include "samples/ask.h"
#include "samples/health.h"

#define IMPORT_INTERVAL NSEC_PER_SEC
#define IMPORT_BYTES	(1ULL << 30)

struct import_out;

/* health: what all intervals say, but for their samples. NULL with st. */
struct import_out *import_out__new(struct symbols *symbols, const struct recording_note *notes,
				   const struct health *health, struct status *st);
/* Whether samples may name the stack, or it has to be defined (again). */
bool import_out__knows(const struct import_out *o, u64 stack);
/* def->ips are locs: def->named. */
void import_out__define(struct import_out *o, const struct stack_def *def);
/* False: it is full, nothing more is taken. */
bool import_out__put(struct import_out *o, const struct stack_sample *s);
/* Samples of one question may come beside them: its declaration, before any of them; o has it from then on. */
void import_out__ask(struct import_out *o, const struct ask_form *form);
/* Of the interval that the last import_out__put was in; the stack is a defined one. */
void import_out__measure(struct import_out *o, struct measure_sample *s);
/* What the kernel had no room for it says in records of its own; since Linux 6.0 perf record counts that once
 * more, by event. */
void import_out__lost(struct import_out *o, u64 n, bool by_event);
u64 import_out__samples(const struct import_out *o);
/* Ends the last interval, waits for symbols, frees. A descriptor for reader__open_memory; -1 with
 * st. NULL is fine: -1, and st as it is. */
int import_out__finish(struct import_out *o, struct status *st);

#endif
