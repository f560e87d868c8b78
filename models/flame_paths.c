// SPDX-License-Identifier: GPL-2.0-only
/* A tree's stacks again, as paths of names. */
#include "models/flame.h"
#include "models/frames.h"

const char *flame_frame__kind(const struct flame_frame *f, bool inlined)
{
	if (f->comm)
		return "comm";
	if (inlined)
		return "inlined";
	return f->library ? "library" : code__kind_name(f->kind);
}

void flame__stacks(const struct flame_answer *a, u32 node,
		   void (*emit)(void *ctx, const struct value_frame *frames, u32 n, u64 weight),
		   void *ctx)
{
	struct value_frame *path = xcalloc(FLAME_MAX_DEPTH + 1, sizeof(*path));
	char **names = xcalloc(a->nframes, sizeof(*names));
	struct arena arena;

	arena__init(&arena);
	for (u32 i = 1; i < a->nodes[node].end; i++) {
		const struct flame_node *n = &a->nodes[i];
		const struct flame_frame *f = &a->frames[n->frame];
		bool above = i < node && n->end > node;

		if (i < node && !above) {
			i = n->end - 1;
			continue;
		}
		if (!names[n->frame])
			names[n->frame] =
				frame__folded(&arena, f->name, f->comm ? "[no name]" : "[unknown]");
		path[n->depth - 1] = (struct value_frame){.symbol = names[n->frame],
							  .object = f->object_name,
							  .kind = flame_frame__kind(f, n->inlined)};
		if (n->self && !above)
			emit(ctx, path, n->depth, n->self);
	}
	arena__fini(&arena);
	free(names);
	free(path);
}
