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
	if (f->go)
		return "go";
	return f->library ? "library" : code__kind_name(f->kind);
}

/* What tools that have the files want to know. */
static void add_object(struct value_frame *v, const struct symbols *symbols,
		       const struct flame_frame *f)
{
	u32 id = f->func ? symbols__func(symbols, f->func)->object : f->object;
	const struct sym_object_info *info;

	if (!id)
		return;
	info = symbols__object_info(symbols, id);
	v->path = symbols__object(symbols, id)->path;
	v->build_id = info ? info->build_id : "";
	v->start = f->func ? symbols__func(symbols, f->func)->start : 0;
}

static void put_stacks(const struct flame_result *a, u32 node, bool baseline,
		       void (*emit)(void *ctx, const struct value_frame *frames, u32 n, u64 weight),
		       void *ctx)
{
	struct value_frame *path = xcalloc(FLAME_MAX_DEPTH + 1, sizeof(*path));
	char **names = xcalloc(a->nframes, sizeof(*names));
	const struct symbols *symbols = ((const struct window_snap *)a->base.snap)->symbols;
	struct arena arena;

	arena__init(&arena);
	for (u32 i = 1; i < a->nodes[node].end; i++) {
		const struct flame_node *n = &a->nodes[i];
		const struct flame_frame *f = &a->frames[n->frame];
		bool above = i < node && n->end > node;
		u64 self = baseline ? n->baseline_self : n->self;

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
		add_object(&path[n->depth - 1], symbols, f);
		if (self && !above)
			emit(ctx, path, n->depth, self);
	}
	arena__fini(&arena);
	free(names);
	free(path);
}

void flame__stacks(const struct flame_result *a, u32 node,
		   void (*emit)(void *ctx, const struct value_frame *frames, u32 n, u64 weight),
		   void *ctx)
{
	put_stacks(a, node, false, emit, ctx);
}

void flame__baseline_stacks(const struct flame_result *a, u32 node,
			    void (*emit)(void *ctx, const struct value_frame *frames, u32 n,
					 u64 weight),
			    void *ctx)
{
	put_stacks(a, node, true, emit, ctx);
}
