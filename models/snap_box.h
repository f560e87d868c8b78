/* SPDX-License-Identifier: GPL-2.0-only */
/* A snapshot, the arena that what it refers to is in, and what else it holds: all of it goes with
 * its last reference, on any thread. */
#ifndef MODELS_SNAP_BOX_H
#define MODELS_SNAP_BOX_H

#include "base/arena.h"
#include "samples/snap.h"

/* A zeroed x_snap of so many bytes, whose first member is a struct snap, of the interval [t0, t1);
 * one reference. */
void *snap_box__new(size_t size, u64 t0_ns, u64 t1_ns, struct arena **arena);

#define SNAP_BOX_HELD 3
/* Calls put(what) when the snapshot goes; SNAP_BOX_HELD times at most. */
void snap_box__hold(void *snap, void (*put)(void *what), void *what);

#endif
