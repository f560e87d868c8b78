/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files that make a struct flame_result. One thread, one query at a time. */
#ifndef MODELS_FLAME_IMPL_H
#define MODELS_FLAME_IMPL_H

#include "models/flame.h"
#include "models/profile_select.h"
#include "models/tracer_frames.h"

/* A command's weight of one distinct stack. */
#define FLAME_NAME 64
#define FLAME_PATH (1u << 31) /* of a line's hit: the rest is one of `paths` */

struct flame_line {
	u32 filtered, comm;
	u64 weight, cold, baseline;
};

/* A command, or a name of a path. */
struct flame_comm {
	char name[FLAME_NAME];
	bool passes;
};

/* Positions in path_names. */
struct flame_path {
	u64 hash;
	u32 first, n;
};

/* What a source handed out that has to stay. */
struct flame_kept {
	void *what;
	void (*fini)(void *what);
};

struct flame_builder {
	struct selection names;
	struct profile_query code; /* which frames count */
	const struct scope *scope;
	struct arena *arena; /* of the answer */
	struct arena scratch;
	struct tracer_frames tracer_frames;
	struct flame_line *lines;
	u32 nlines, lines_cap;
	struct hidx line_index;
	struct flame_comm *comms;
	u32 ncomms, comms_cap;
	struct hidx comm_index;
	struct flame_path *paths;
	u32 npaths, paths_cap;
	struct hidx path_index;
	u32 *path_names; /* positions in comms */
	u32 npath_names, path_names_cap;
	struct flame_kept kept[4];
	u32 nkept;
	/* the present part's */
	double scale; /* weights times it */
	bool cold, baseline;
};

/* Fills nodes and frames of the answer from the lines. */
void flame__grow(struct flame_builder *m, struct flame_result *a);

#endif
