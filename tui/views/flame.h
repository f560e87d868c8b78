/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The flame graph of a view's stacks: a screen that any listing opens (flame.c; what it says
 * flame_text.c, where one is in the tree flame_place.c). It knows no view: what it shows comes
 * from a struct flame_source (models/flame.h). UI thread only.
 */
#ifndef TUI_VIEWS_FLAME_H
#define TUI_VIEWS_FLAME_H

#include "models/flame.h"
#include "tui/view.h"
#include "tui/views/query_client.h"
#include "widgets/flame.h"

/* query: the view's own, of the source's size. scope: in the place of the host's, NULL none; a
 * reference is taken. */
struct screen *flame__open(struct host *h, const struct flame_source *source, const void *query,
			   const struct scope *scope);

/* A place in the tree that outlives answers: the keys on the way from the root. */
struct flame_path {
	u64 keys[FLAME_MAX_DEPTH + 1];
	u32 n; /* 0: the root */
};

void flame_path__to(struct flame_path *p, const struct flame_result *a, u32 node);

struct flame_rows;

struct flame_screen {
	struct screen base;
	struct query_client_ops ask;
	struct query_client query_client;
	struct flame_query query;
	struct flame_result *result; /* what is shown; NULL at first */
	struct flame_rows *rows;     /* of the last report */
	struct flame_path zoom, selected;
	u16 zooms[FLAME_MAX_DEPTH]; /* depths that were zoomed to before, outermost first */
	u32 nzooms;
	struct flame_graph graph; /* of the answer */
	bool follow;		  /* the selection has to come into sight */
	bool seek;		  /* the next answer's widest match is selected */
	struct rect area;	  /* of the boxes, as drawn last */
	bool edges, ascii;	  /* of the canvas */
	u32 hidden;
	u64 asked_func_seq; /* the frame in which `asked_func` was selected first */
	u32 asked_func;
	char view[32];
};

/* Lays the zoom and the selection out in the present answer. */
void flame__resolve(struct flame_screen *s);
/* What is drawn into, as far as finding boxes is concerned. */
struct canvas flame__canvas(const struct flame_screen *s);
/* The node that is most of what matches, of those in the zoom; FLAME_NO_BOX none. */
u32 flame__widest_match(const struct flame_screen *s);
/* The next one in the zoom that can be seen, and around; FLAME_NO_BOX none. */
u32 flame__next_match(const struct flame_screen *s, int dir);

/* Of the screen. */
void flame__headline(struct flame_screen *s, struct canvas *c, struct rect r);
void flame__empty(const struct flame_screen *s, char *buf, size_t size);
void flame__selection(const struct screen *base, char *buf, size_t size);
bool flame__screen_report(struct screen *base, struct report *r);

#endif
