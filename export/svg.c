// SPDX-License-Identifier: GPL-2.0-only
/*
 * A flame graph as one SVG file that needs nothing else: a browser zooms and searches in it,
 * anything else shows it whole. Weights are rounded a stack, as folded text has them, and then
 * added up, so that widths are sums of its lines.
 */
#include <math.h>

#include "base/embed.h"
#include "base/hidx.h"
#include "base/utf8.h"
#include "export/export_impl.h"

#define WIDTH	  1200
#define LEFT	  10
#define LINE	  17 /* pixels a frame is high */
#define TOP	  64
#define NARROW	  24000 /* what is less than this part of all is left out */
#define MAX_NODES (1u << 20)

EMBED(proftop_svg_script, "export/svg.js");

struct node {
	u32 parent, name, depth; /* name: offset in names */
	u32 first, next;	 /* child, sibling; 0 none */
	const char *kind;
	u64 raw, self, value, start;
	u64 baseline; /* the baseline's, raw: of all that passes */
};

struct graph {
	const struct report *r;
	struct node *nodes;
	u32 n, cap;
	struct hidx index; /* by parent and name */
	char *names;
	size_t names_len, names_cap;
	u32 deepest;
	FILE *out;
	bool first;
};

/* --- the tree --- */

static u32 add_name(struct graph *g, const char *name)
{
	size_t len = strlen(name) + 1, at = g->names_len;

	if (at + len > g->names_cap) {
		g->names_cap = MAX((at + len) * 2, (size_t)4096);
		g->names = xrealloc(g->names, g->names_cap);
	}
	memcpy(g->names + at, name, len);
	g->names_len += len;
	return (u32)at;
}

static u32 add_node(struct graph *g, u32 parent, const char *name, const char *kind)
{
	g->nodes = xgrow(g->nodes, g->n, &g->cap, sizeof(*g->nodes));
	g->nodes[g->n] = (struct node){
		.parent = parent,
		.name = add_name(g, name),
		.kind = kind,
		.depth = g->n ? g->nodes[parent].depth + 1 : 0,
	};
	return g->n++;
}

static u32 child_of(struct graph *g, u32 parent, const struct value_frame *f)
{
	u64 hash = mix64_pair(parent, hash_bytes(f->symbol, strlen(f->symbol)));
	u32 at;

	HIDX_FIND(at, &g->index, hash, pos,
		  g->nodes[pos].parent == parent &&
			  !strcmp(g->names + g->nodes[pos].name, f->symbol));
	if (at != HIDX_NONE || g->n == MAX_NODES || g->names_len > UINT32_MAX / 2)
		return at;
	at = add_node(g, parent, f->symbol, f->kind);
	hidx__add(&g->index, hash, at);
	return at;
}

/* Where there is no room, a stack ends early. */
static void add_stack(void *ctx, const struct value_frame *frames, u32 n, u64 weight)
{
	struct graph *g = ctx;
	u32 at = 0, next;

	for (u32 i = 0; i < n; i++, at = next) {
		next = child_of(g, at, &frames[i]);
		if (next == HIDX_NONE)
			break;
	}
	g->nodes[at].raw += weight;
}

static void add_baseline(void *ctx, const struct value_frame *frames, u32 n, u64 weight)
{
	struct graph *g = ctx;
	u32 at = 0;

	g->nodes[0].baseline += weight;
	for (u32 i = 0; i < n && at != HIDX_NONE; i++) {
		at = child_of(g, at, &frames[i]);
		if (at != HIDX_NONE)
			g->nodes[at].baseline += weight;
	}
}

/* As folded text rounds its lines. */
static u64 rounded(const struct graph *g, u64 raw)
{
	return g->r->stacks_unit == VALUE_NS ? (raw + 500) / 1000 : raw;
}

static int by_parent_and_name(const void *a, const void *b, void *ctx)
{
	const struct graph *g = ctx;
	const struct node *x = &g->nodes[*(const u32 *)a], *y = &g->nodes[*(const u32 *)b];

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return strcmp(g->names + x->name, g->names + y->name);
}

/* Links children in the order of their names. */
static void link_children(struct graph *g)
{
	u32 *order = xcalloc(g->n, sizeof(*order));

	for (u32 i = 0; i < g->n; i++)
		order[i] = i;
	qsort_r(order + 1, g->n - 1, sizeof(*order), by_parent_and_name, g);
	for (u32 i = g->n; i-- > 1;) {
		struct node *parent = &g->nodes[g->nodes[order[i]].parent];

		g->nodes[order[i]].next = parent->first;
		parent->first = order[i];
	}
	free(order);
}

static void sum_up(struct graph *g)
{
	for (u32 i = g->n; i-- > 0;) {
		struct node *n = &g->nodes[i];

		n->self = rounded(g, n->raw);
		n->value += n->self;
		if (i)
			g->nodes[n->parent].value += n->value;
	}
	/* Parents come before their children. */
	for (u32 i = 0; i < g->n; i++) {
		u64 at = g->nodes[i].start;

		for (u32 c = g->nodes[i].first; c; c = g->nodes[c].next) {
			g->nodes[c].start = at;
			at += g->nodes[c].value;
		}
	}
}

static bool is_wide(const struct graph *g, const struct node *n)
{
	return n->value && n->value >= g->nodes[0].value / NARROW;
}

/* --- writing --- */

/* Ground colours by kind of code; the name makes it paler, or not. */
static u32 colour_of(const char *kind, const char *name)
{
	static const struct {
		const char *kind;
		u8 rgb[3];
	} colours[] = {
		{"user", {240, 110, 60}}, {"library", {125, 190, 90}},
		{"vdso", {125, 190, 90}}, {"kernel", {190, 120, 205}},
		{"bpf", {190, 120, 205}}, {"inlined", {85, 185, 205}},
		{"jit", {225, 175, 60}},  {"comm", {180, 180, 180}},
		{"python", {70, 190, 180}}, {"java", {235, 160, 140}},
		{"js", {135, 165, 235}}, {"php", {165, 140, 215}},
		{"ruby", {235, 120, 140}}, {"perl", {150, 175, 190}},
		{"go", {95, 200, 220}},
	};
	static const u8 other[3] = {200, 200, 200};
	u32 paler = (u32)(hash_bytes(name, strlen(name)) >> 40) % 110, out = 0;
	const u8 *rgb = other;

	for (u32 i = 0; i < ARRAY_SIZE(colours); i++)
		if (!strcmp(colours[i].kind, kind))
			rgb = colours[i].rgb;
	for (u32 i = 0; i < 3; i++)
		out = out << 8 | (rgb[i] + (255 - rgb[i]) * paler / 256);
	return out;
}

static double share(u64 part, u64 whole)
{
	return whole ? (double)part * 100 / (double)whole : 0;
}

static double change_of(const struct graph *g, const struct node *n)
{
	return share(n->value, g->nodes[0].value) - share(n->baseline, g->nodes[0].baseline);
}

/* Against a baseline: red grew, blue shrank, the deeper the more. */
static u32 change_colour(double points)
{
	double size = fabs(points);
	u32 paler = size < 0.1 ? 0 : size < 1 ? 195 : size < 5 ? 110 : 40;

	if (!paler)
		return 0xdcdcdc;
	return points > 0 ? 0xf00000 | paler << 8 | paler : 0x0000f0 | paler << 16 | paler << 8;
}

static double pixels(const struct graph *g, u64 weight)
{
	u64 whole = g->nodes[0].value;

	return whole ? (double)weight * WIDTH / (double)whole : WIDTH;
}

/* "1234 samples, 56.78 %" */
static void put_weight(struct graph *g, const struct node *n)
{
	u64 whole = g->nodes[0].value;
	char pct[32];

	format_c(pct, sizeof(pct), "%.2f", whole ? (double)n->value * 100 / (double)whole : 0.0);
	fprintf(g->out, " (%llu %s, %s %%", (unsigned long long)n->value,
		g->r->stacks_unit == VALUE_NS ? "us" : g->r->stacks_noun, pct);
	if (g->r->baseline_stacks) {
		format_c(pct, sizeof(pct), "%.2f %%, %+.2f",
			 share(n->baseline, g->nodes[0].baseline), change_of(g, n));
		fprintf(g->out, ", then %s", pct);
	}
	fputc(')', g->out);
}

static void put_label(struct graph *g, const char *name, double width)
{
	u32 room = width > 26 ? (u32)((width - 6) / 6.6) : 0, n = 0;
	const char *end = name, *cut = name;
	char *head;

	for (; n < room && utf8__next(&end); n++)
		if (n + 1 < room)
			cut = end;
	if (!room || !*end) {
		export__put_xml(g->out, room ? name : "");
		return;
	}
	head = xasprintf("%.*s", (int)(cut - name), name);
	export__put_xml(g->out, head);
	fputs("…", g->out);
	free(head);
}

static void put_node(struct graph *g, const struct node *n)
{
	const char *name = g->names + n->name;
	double x = LEFT + pixels(g, n->start), w = pixels(g, n->value);
	int y = TOP + (int)(g->deepest - n->depth) * LINE;
	char place[96];

	fputs("<g><title>", g->out);
	export__put_xml(g->out, name);
	put_weight(g, n);
	format_c(place, sizeof(place), "x=\"%.4f\" width=\"%.4f\"", x, w);
	fprintf(g->out,
		"</title><rect %s y=\"%d\" height=\"%d\" fill=\"#%06x\" data-s=\"%llu\" "
		"data-w=\"%llu\" data-d=\"%u\" data-n=\"",
		place, y, LINE - 1,
		g->r->baseline_stacks ? change_colour(change_of(g, n)) : colour_of(n->kind, name),
		(unsigned long long)n->start, (unsigned long long)n->value, n->depth);
	export__put_xml(g->out, name);
	format_c(place, sizeof(place), "x=\"%.4f\"", x + 3);
	fprintf(g->out, "\"/><text %s y=\"%d\">", place, y + 12);
	put_label(g, name, w);
	fputs("</text></g>\n", g->out);
}

/* Parents before their children, as the script wants it; deep trees need no deep recursion. */
static void put_nodes(struct graph *g)
{
	u32 at = 0;

	while (!ferror(g->out)) {
		const struct node *n = &g->nodes[at];
		bool wide = is_wide(g, n) || !at;

		if (wide)
			put_node(g, n);
		if (wide && n->first) {
			at = n->first;
			continue;
		}
		while (at && !g->nodes[at].next)
			at = g->nodes[at].parent;
		if (!at)
			return;
		at = g->nodes[at].next;
	}
}

static void measure(struct graph *g)
{
	for (u32 i = 0; i < g->n; i++)
		if (is_wide(g, &g->nodes[i]))
			g->deepest = MAX(g->deepest, g->nodes[i].depth);
}

static void put_head(struct graph *g)
{
	const struct report *r = g->r;
	int height = TOP + (int)(g->deepest + 1) * LINE + 10;

	fprintf(g->out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"style=\"width: 100%%; height: auto\" "
		"viewBox=\"0 0 %d %d\" data-width=\"%d\" data-left=\"%d\">\n",
		WIDTH + 2 * LEFT, height, WIDTH + 2 * LEFT, height, WIDTH, LEFT);
	fputs("<style>svg text { font: 11px monospace; fill: #000; pointer-events: none }\n"
	      ".frames g { cursor: pointer } .frames g:hover rect { stroke: #000 }\n"
	      "svg .button { pointer-events: auto; cursor: pointer; text-decoration: underline }"
	      "</style>\n"
	      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"10\" y=\"18\" "
	      "style=\"font-size: 14px; font-weight: bold\">",
	      g->out);
	export__put_xml(g->out, r->view);
	fputs(" on ", g->out);
	export__put_xml(g->out, report__host(r));
	fputs(r->window ? ", " : "", g->out);
	export__put_xml(g->out, r->window ? r->window : "");
	fprintf(g->out, ", by %s", r->stacks_unit == VALUE_NS ? "time in us" : r->stacks_noun);
	fputs(r->baseline_stacks ? ", against a baseline: red grew, blue shrank" : "", g->out);
	fputs(r->scope && *r->scope ? ", " : "", g->out);
	export__put_xml(g->out, r->scope ? r->scope : "");
	fprintf(g->out,
		"</text>\n<text class=\"details\" x=\"10\" y=\"40\"></text>\n"
		"<text class=\"back button\" x=\"10\" y=\"56\" style=\"display: none\">"
		"show all</text>\n<text class=\"found\" x=\"%d\" y=\"18\" "
		"text-anchor=\"end\"></text>\n"
		"<text class=\"look button\" x=\"%d\" y=\"18\" text-anchor=\"end\" "
		"style=\"display: none\">search (/)</text>\n<g class=\"frames\">\n",
		WIDTH - 90, WIDTH + LEFT);
}

static void put_graph(struct graph *g)
{
	put_head(g);
	put_nodes(g);
	fputs("</g>\n<script><![CDATA[\n", g->out);
	fwrite(proftop_svg_script, 1, (size_t)(proftop_svg_script_end - proftop_svg_script),
	       g->out);
	fputs("]]></script>\n</svg>\n", g->out);
}

/* A file is one picture: of several intervals it has the first. */
int export_svg(FILE *out, const struct report *r, bool first)
{
	struct graph g = {.r = r, .out = out};

	if (!r->stacks)
		return -EOPNOTSUPP;
	if (!first)
		return 0;
	add_node(&g, 0, "all", "comm");
	r->stacks(r, add_stack, &g);
	if (r->baseline_stacks)
		r->baseline_stacks(r, add_baseline, &g);
	link_children(&g);
	sum_up(&g);
	measure(&g);
	put_graph(&g);
	free(g.nodes);
	free(g.names);
	hidx__fini(&g.index);
	return export__flush(out);
}
