/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The latency heat map of a view: a screen that any listing opens (heat.c; what it says
 * heat_text.c; as panes of batch mode heat_panes.c). It knows no view: its counts come from a
 * struct heat_source (models/heat.h), and what was in a cell is listed by the view. UI thread only.
 */
#ifndef TUI_VIEWS_HEAT_H
#define TUI_VIEWS_HEAT_H

#include "models/heat.h"
#include "tui/view.h"
#include "tui/views/query_client.h"
#include "widgets/heatmap.h"

/* A cell that was picked. */
struct heat_pick {
	struct heat_range range;
	u64 count;   /* in it, as counted */
	bool newest; /* no interval has come after it */
	u32 kind, part;
};

/* What a view gives to its map. */
struct heat_view {
	const struct heat_source *source;
	/* What was in a cell, as a new screen, or NULL when nothing of that kind is kept one by
	 * one: the host has a message then. query: the view's own; scope: as in heat__open. */
	struct screen *(*list)(const struct heat_view *v, struct host *h, const void *query,
			       const struct heat_pick *pick, const struct scope *scope);
};

extern const struct heat_view heat_view_sched, heat_view_offcpu, heat_view_io, heat_view_cache;

/* query: the view's own, of the source's size. narrowed: what the listing is about, "" all.
 * scope: in the place of the host's, NULL none; a reference is taken. */
struct screen *heat__open(struct host *h, const struct heat_view *view, const void *query,
			  const char *narrowed, const struct scope *scope);

/* "1ms to 2ms" "5s and more": as short as it can be said. */
void heat__range(char *buf, size_t size, const struct heat_range *r);

struct headline;
struct listing;
/* Of a list of a cell: what it is of, and how many of them are kept. */
void heat_pick__headline(const struct heat_pick *p, const struct listing *l, u32 kept,
			 const char *noun, struct headline *line);

/* Where one is, in what outlives answers. */
struct heat_place {
	bool on, newest; /* newest: whichever is it */
	u64 slot, ns;
};

struct heat_screen {
	struct screen base;
	const struct heat_view *view;
	struct query_client_ops ask;
	struct query_client query_client;
	struct heat_query query;
	struct heat_result *result; /* what is shown; NULL at first */
	struct heat_axes axes;
	struct heat_grid grid; /* as drawn last */
	struct heat_place at;
	struct rect area;  /* of the map, as drawn last */
	bool edges, ascii; /* of the canvas */
	char name[32];	   /* of the report */
	char narrowed[160];
	char group[160]; /* of the report */
};

/* The selected cell; false when there is none. */
bool heat__picked(const struct heat_screen *s, u32 *col, u32 *row);
/* Of the screen. */
void heat__headline(const struct heat_screen *s, struct canvas *c, struct rect r);
void heat__empty(const struct heat_screen *s, char *buf, size_t size);
void heat__selection(const struct screen *base, char *buf, size_t size);
bool heat__report(struct screen *base, struct report *r);

#define HEAT_TICKS 64

/* Labels of both axes; valid as long as it is. */
struct heat_ticks {
	struct heatmap_tick rows[HEAT_TICKS], cols[HEAT_TICKS];
	u32 nrows, ncols;
	char text[2 * HEAT_TICKS][12];
};

/* rows_a_cell: labels of rows are so far apart. */
void heat_ticks__make(struct heat_ticks *t, const struct heat_grid *g, u32 rows_a_cell);

/* As a map with its axes; the cell at col and row is selected, HEATMAP_NONE none. Not of an empty
 * grid. */
void heat_grid__draw(const struct heat_grid *g, u32 col, u32 row, struct canvas *c, struct rect r);

#endif
