/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inside of the io model: its live state, shared by consume and tick (io.c), the sums over
 * windows (io_track.c) and where requests come from (io_stacks.c). Collector thread only.
 */
#ifndef MODELS_IO_MODEL_H
#define MODELS_IO_MODEL_H

#include "models/entries.h"
#include "models/io.h"
#include "models/lives.h"
#include "models/model.h"
#include "models/stacks.h"
#include "models/slowest.h"
#include "models/windows.h"

/* --- io_track.c --- */

/* Sums as they become those of the windows. */
struct io_track {
	WINDOW_TRACK(struct io_sums, max_ns);
};

struct io_proc_track {
	WINDOW_TRACK(struct io_proc_sums, max_ns);
};

/* End an interval; out has WINDOWS of them. */
void io_track__advance(struct io_track *t, const struct window_pace *p, struct io_sums *out);
void io_proc_track__advance(struct io_proc_track *t, const struct window_pace *p,
			    struct io_proc_sums *out);
void io_proc_track__merge(struct io_proc_track *to, const struct io_proc_track *from);

/* --- io.c --- */

struct io_live_kind {
	struct io_device device;
	enum io_op op;
	u32 flags;
	u32 heat_part;
	float trend[TREND_LEN];
	struct io_track track;
	struct cells cells[IO_STAGES];
};

struct io_live_proc {
	struct io_proc p; /* without sums */
	struct io_proc_track track;
};

struct io_live_slow {
	struct io_slow_sample s;
	u32 stack; /* position in stacks */
};

/* --- io_stacks.c --- */

struct io_live_stack {
	struct io_stack is; /* without its stack and sums */
	u32 stack;	    /* position in stacks */
	struct io_stack_sums now, decay, total;
};

/* Of stacks, which are struct entries. */
extern const struct entries_kind io_stack_kind;
void io_stacks__add(struct entries *e, const struct io_stack_sample *x, u32 stack);
void io_stacks__move(struct entries *e, struct stacks *to, const struct stacks *from);
void io_stacks__snap(struct entries *e, double keep, const struct stacks *stacks,
		     struct io_snap *snap, struct arena *a);

struct model {
	struct stacks stacks;
	struct io_live_kind *kinds;
	u32 nkinds, kinds_cap;
	struct hidx kinds_index;
	struct entries procs; /* struct io_live_proc */
	struct lives lives;
	u64 latest; /* struct io_proc.latest that was given last */
	struct io_state *states; /* of the interval that goes on */
	u32 nstates, states_cap;
	u32 cells; /* held by all kinds */
	struct slowest slow; /* struct io_live_slow */
	struct entries by_stack; /* struct io_live_stack */
	struct heat_log heat;
	struct io_heat_part *heat_parts;
	u32 nheat_parts, heat_parts_cap;
	struct window_clock clock;
};

#endif
