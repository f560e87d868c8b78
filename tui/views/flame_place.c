// SPDX-License-Identifier: GPL-2.0-only
/* Where one is in a tree, from answer to answer. */
#include "tui/views/flame.h"

void flame_path__to(struct flame_path *p, const struct flame_result *a, u32 node)
{
	p->n = a->nodes[node].depth;
	for (u32 i = p->n; i-- > 0; node = a->nodes[node].parent)
		p->keys[i] = a->nodes[node].key;
}

static u32 child(const struct flame_result *a, u32 node, u64 key)
{
	for (u32 i = node + 1; i < a->nodes[node].end; i = a->nodes[i].end)
		if (a->nodes[i].key == key)
			return i;
	return UINT32_MAX;
}

static u32 flame_path__node(const struct flame_path *p, const struct flame_result *a)
{
	u32 node = 0;

	for (u32 i = 0, next; i < p->n; i++, node = next) {
		next = child(a, node, p->keys[i]);
		if (next == UINT32_MAX)
			break;
	}
	return node;
}

static enum flame_hue hue_of(const struct flame_frame *f, bool inlined)
{
	static const enum flame_hue hues[] = {
		[CODE_UNKNOWN] = FLAME_HUE_PLAIN, [CODE_USER] = FLAME_HUE_USER,
		[CODE_KERNEL] = FLAME_HUE_KERNEL, [CODE_JIT] = FLAME_HUE_JIT,
		[CODE_VDSO] = FLAME_HUE_LIBRARY,  [CODE_BPF] = FLAME_HUE_KERNEL,
		[CODE_PYTHON] = FLAME_HUE_SCRIPT, [CODE_JAVA] = FLAME_HUE_JAVA,
		[CODE_JAVASCRIPT] = FLAME_HUE_JAVASCRIPT, [CODE_PHP] = FLAME_HUE_PHP,
		[CODE_RUBY] = FLAME_HUE_RUBY, [CODE_PERL] = FLAME_HUE_PERL,
	};

	if (inlined)
		return FLAME_HUE_INLINED;
	if (f->go)
		return FLAME_HUE_GO;
	return f->library ? FLAME_HUE_LIBRARY : hues[f->kind];
}

static void box(const void *of, u32 i, struct flame_box *out)
{
	const struct flame_result *a = of;
	const struct flame_node *n = &a->nodes[i];
	const struct flame_frame *f = &a->frames[n->frame];

	*out = (struct flame_box){
		.start = n->start,
		.value = flame_node__width(a, n),
		.cold = a->query.nparts > 1 && !a->compared ? n->cold : 0,
		.compared = a->compared,
		.change = a->compared ? flame__change(a, i) : 0,
		.parent = n->parent,
		.end = n->end,
		.depth = n->depth,
		.hue = hue_of(f, n->inlined),
		.shade = f->shade,
		.match = f->match,
		.name = f->name,
	};
}

void flame__resolve(struct flame_screen *s)
{
	const struct flame_result *a = s->result;
	u32 zoom, selected;

	if (!a)
		return;
	zoom = flame_path__node(&s->zoom, a);
	selected = flame_path__node(&s->selected, a);
	s->graph.box = box;
	s->graph.of = a;
	s->graph.n = a->nnodes;
	s->graph.zoom = zoom;
	s->graph.selected = selected;
}

struct canvas flame__canvas(const struct flame_screen *s)
{
	return (struct canvas){.edges = s->edges, .ascii = s->ascii};
}

static bool matches(const struct flame_result *a, u32 i)
{
	return flame__frame(a, i)->match;
}

u32 flame__widest_match(const struct flame_screen *s)
{
	const struct flame_result *a = s->result;
	u32 best = FLAME_NO_BOX;

	for (u32 i = s->graph.zoom; i < a->nodes[s->graph.zoom].end; i++)
		if (matches(a, i) &&
		    (best == FLAME_NO_BOX ||
		     flame_node__width(a, &a->nodes[i]) > flame_node__width(a, &a->nodes[best])))
			best = i;
	return best;
}

/* Wide enough, about. */
static bool is_seen(const struct flame_screen *s, u32 i)
{
	const struct flame_node *nodes = s->result->nodes;

	return flame_node__width(s->result, &nodes[i]) * (u64)MAX(s->area.w, 1) * 2 >=
	       flame_node__width(s->result, &nodes[s->graph.zoom]);
}

u32 flame__next_match(const struct flame_screen *s, int dir)
{
	const struct flame_result *a = s->result;
	u32 zoom = s->graph.zoom, n = a->nodes[zoom].end - zoom;
	u32 at = s->graph.selected >= zoom ? s->graph.selected - zoom : 0;

	for (u32 k = 1; k <= n; k++) {
		u32 i = zoom + (dir > 0 ? at + k : at + n - k) % n;

		if (matches(a, i) && is_seen(s, i))
			return i;
	}
	return FLAME_NO_BOX;
}
