/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sources and models for tests of the collector: what they do is set by the test, what is done
 * to them is written down.
 */
#ifndef TESTS_LIB_FAKES_H
#define TESTS_LIB_FAKES_H

#include "pipeline/collector.h"
#include "tests/lib/gate.h"

/* A source; the test and the collector thread both touch it. */
struct fake {
	_Atomic int fail;      /* exit code with which open fails; 0: it opens */
	_Atomic u64 only_freq; /* open fails at any other frequency; 0: none */
	_Atomic bool refuse;   /* set_scope and set_sampling fail */
	_Atomic u64 pending;   /* samples for the next drain */
	_Atomic u64 lost;      /* reported since open */
	_Atomic int fd;	       /* -1 none */
	_Atomic u32 opens, closes, drains, urgent;
	_Atomic u64 freq; /* in force */
	struct gate open_gate, drain_gate;
};

enum { FAKE_A, FAKE_B, FAKE_C, FAKE_FIXED, FAKES };
extern struct fake fakes[FAKES];
/* The process, named "seen", that an urgent drain tells of; no real one has such a pid. */
#define FAKE_PID 0x7ffffffe
/* Named "a" "b" "c" and "fixed"; the last one has neither set_scope nor set_sampling. */
extern const struct source_ops fake_ops[FAKES];

/* All as at the start, gates open, the journal empty. */
void fakes__reset(void);
/* Everything done to sources and models so far: "open:a scope:b:pid=1 tick zero ...". Copied. */
const char *fakes__journal(void);

struct fake_snap {
	struct snap base;
	u64 count; /* samples of the interval */
	u64 total; /* since start or zero */
	u32 ticks;
};

/* Counts samples. */
extern const struct model_ops fake_model;
extern const struct model_ops *const fake_models[MODEL_COUNT];
extern _Atomic u32 fake_models_alive;

/* --- the test's side of a collector --- */

/* The next frame, waited for; fails the test after some seconds. Release with snap__put. */
const struct frame *next_frame(struct collector *c);
/* The first one for which it is true; those before it are released. */
const struct frame *frame_when(struct collector *c, bool (*is)(const struct frame *f, u64 arg),
			       u64 arg);
bool is_live(const struct frame *f, u64 model);
bool is_failed(const struct frame *f, u64 model);
bool is_off(const struct frame *f, u64 model);
bool is_final(const struct frame *f, u64 arg);
bool ticked(const struct frame *f, u64 ticks); /* the PROFILE model, at least so often */
const struct fake_snap *snap_of(const struct frame *f, enum model_id m);

#endif
