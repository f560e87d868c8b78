// SPDX-License-Identifier: GPL-2.0-only
#include "models/snap_box.h"

struct snap_box {
	struct arena arena;
	struct {
		void (*put)(void *what);
		void *what;
	} held[SNAP_BOX_HELD];
	u32 nheld;
	struct snap snap[]; /* the first member of what follows */
};

static void snap_box__free(struct snap *s)
{
	struct snap_box *box = container_of(s, struct snap_box, snap[0]);

	while (box->nheld--)
		box->held[box->nheld].put(box->held[box->nheld].what);
	arena__fini(&box->arena);
	free(box);
}

void snap_box__hold(void *snap, void (*put)(void *what), void *what)
{
	struct snap_box *box = container_of((struct snap *)snap, struct snap_box, snap[0]);

	if (box->nheld == SNAP_BOX_HELD)
		die("a snapshot holds too much");
	box->held[box->nheld].put = put;
	box->held[box->nheld++].what = what;
}

void *snap_box__new(size_t size, u64 t0_ns, u64 t1_ns, struct arena **arena)
{
	struct snap_box *box = xcalloc(1, sizeof(*box) + size);

	arena__init(&box->arena);
	atomic_init(&box->snap->refs, 1);
	box->snap->free = snap_box__free;
	box->snap->t0_ns = t0_ns;
	box->snap->t1_ns = t1_ns;
	*arena = &box->arena;
	return box->snap;
}
