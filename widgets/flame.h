/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Flame graph: boxes as wide as what they stand for, one above the other. Edges lie at eighths
 * of a cell; where ground colours do not tell boxes apart (canvas.edges) or only 7-bit
 * characters may be drawn, at whole cells with a line before each box. Stateless; what is drawn
 * and what is found by coordinates agree.
 */
#ifndef WIDGETS_FLAME_H
#define WIDGETS_FLAME_H

#include "widgets/cells.h"

enum flame_hue {
	FLAME_HUE_PLAIN, /* no code: the root, commands, what is unknown */
	FLAME_HUE_USER,
	FLAME_HUE_LIBRARY,
	FLAME_HUE_KERNEL,
	FLAME_HUE_INLINED,
	FLAME_HUE_JIT,
	FLAME_HUE_SCRIPT, /* interpreted */
	FLAME_HUE_JAVA,
	FLAME_HUE_JAVASCRIPT,
	FLAME_HUE_PHP,
	FLAME_HUE_RUBY,
	FLAME_HUE_PERL,
	FLAME_HUE_GO,
	FLAME_HUES
};

#define FLAME_NO_BOX UINT32_MAX
/* Points of the whole from which on a change is seen, is more, is much. */
#define FLAME_CHANGE_SEEN 0.1
#define FLAME_CHANGE_MORE 1.0
#define FLAME_CHANGE_MUCH 5.0

struct flame_box {
	u64 start, value; /* of the same whole; children lie within their parent, in order */
	u64 cold;	  /* part of value, drawn at the right in another hue */
	u32 parent, end;  /* FLAME_NO_BOX of the root; end: behind its last descendant */
	u32 depth;	  /* 0 the root */
	enum flame_hue hue;
	u8 shade; /* of any size; the same name, the same shade */
	bool match;
	bool compared; /* coloured by `change`, in points of the whole, not by hue */
	double change;
	const char *name;
};

/* Boxes in preorder, 0 is the root. */
struct flame_graph {
	void (*box)(const void *of, u32 i, struct flame_box *out);
	const void *of;
	u32 n;	      /* 0: nothing is drawn */
	u32 zoom;     /* is as wide as all of the area; what it is in is drawn below it */
	u32 selected; /* FLAME_NO_BOX none */
	u32 first;    /* depth at the root's side of the area */
	bool icicle;  /* the root's side is at the top; else at the bottom */
};

/* Fills r. Returns how many boxes below zoom, of those that are not too deep for r, are too
 * narrow to be seen, with what is in them. */
u32 flame__draw(const struct flame_graph *g, struct canvas *c, struct rect r);
/* The box at a cell, FLAME_NO_BOX none. */
u32 flame__at(const struct flame_graph *g, const struct canvas *c, struct rect r, int x, int y);
/* The nearest box of the same depth that is seen to the left (dir < 0) or right; i itself when
 * there is none. w: of the area. */
u32 flame__beside(const struct flame_graph *g, const struct canvas *c, int w, u32 i, int dir);
/* Its widest child, the first of equal ones; i itself when it has none. */
u32 flame__widest(const struct flame_graph *g, u32 i);
/* Greatest depth of what is seen below zoom. */
u32 flame__depth(const struct flame_graph *g, const struct canvas *c, int w);

#endif
