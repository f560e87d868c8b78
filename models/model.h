/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Models: samples in, immutable snapshot out. No I/O, no curses, no BPF, no locks: all of
 * it runs on the collector thread, and what leaves is a const snapshot.
 *
 * To add one: 1. models/<name>.{h,c} with a const struct model_ops; 2. a row in models.def;
 * 3. tests/unit/<name>_test.c.
 */
#ifndef MODELS_MODEL_H
#define MODELS_MODEL_H

#include "samples/sample.h"
#include "samples/snap.h"
#include "scope/scope.h"
#include "symbols/symbols.h"

struct model; /* private to each model */

struct model_ops {
	const char *name;
	const char *view; /* the one that shows it; NULL none of its own */
	bool has_hosts;	  /* what it keeps tells several machines apart (base/hosts.h) */
	struct model *(*new)(struct symbols *symbols);
	void (*free)(struct model *m);
	/* Takes what it knows, ignores other types. */
	void (*consume)(struct model *m, const struct sample *s);
	/* Ends the interval [t0, t1) and returns its snapshot, one reference. */
	struct snap *(*tick)(struct model *m, u64 t0_ns, u64 t1_ns);
	/* Forgets what was gathered (the zero key). */
	void (*zero)(struct model *m);
	/* Bytes held now; shown in the self line and bounded by the model itself. */
	size_t (*memory)(const struct model *m);
};

extern const struct model_ops *const model_table[MODEL_COUNT];

#endif
