/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the screens of the io view share: the table of devices and of those who use them (io.c,
 * io_text.c), what is above it (io_panel.c, io_strip.c), and the slowest requests (io_slow.c).
 */
#ifndef TUI_VIEWS_IO_H
#define TUI_VIEWS_IO_H

#include "models/io.h"
#include "tui/views/listing.h"

/* How the histogram is cut. */
enum io_scale { IO_SCALE_LOG2, IO_SCALE_LINEAR, IO_SCALE_FINE, IO_SCALES };

struct io_screen {
	struct listing list;
	struct io_query query;
	enum io_scale scale;
};

LISTING_OF(io__of, struct io_screen, io__rows, struct io_result)

extern const char *const io_scale_names[IO_SCALES];

struct heat_pick;
struct heat_view;

/* The slowest requests of the last minute: of one device when dev is not 0. extra: the scope in
 * the place of the host's, NULL none; a reference is taken. */
struct screen *io_slow__open(struct host *h, u64 dev, const char *narrowed,
			     const struct scope *extra);
/* Those of a heat map's cell. */
struct screen *io_slow__list(const struct heat_view *v, struct host *h, const void *query,
			     const struct heat_pick *pick, const struct scope *extra);

/* What is above the table: a histogram, and below it the last minutes. */
struct io_panel {
	const struct io_result *result;
	enum io_scale scale;
	const char *scale_key; /* which changes it */
};
/* Returns how many lines were taken. */
int io_panel__draw(const struct io_panel *p, struct canvas *c, struct rect r);

/* The last minutes (io_strip.c): a heat map of a few lines, or in one line how long the slowest 1 %
 * took at least. Returns how many of the lines of r were taken; 0: nothing has been counted. */
int io_strip__draw(const struct heat_result *a, struct canvas *c, struct rect r);

/* Of the table, as in listing_ops. */
void io__headline(struct listing *l, struct headline *line);
int io__above(struct listing *l, struct canvas *c, struct rect area);
void io__empty(const struct listing *l, char *buf, size_t size);
enum role io__role(const struct listing *l, u32 row, u32 column);
void io__selection(const struct listing *l, struct listing_place at, char *buf, size_t size);
/* struct report's events of the view itself: the slowest requests. */
void io_slow__events(const struct report *r, const struct event_sink *out);
void io__report(const struct query_result *a, const struct frame *f, struct report *r);

/* A latency that somebody notices, and one that everybody does. */
enum role io__latency_role(u64 ns);
/* Why there are no rows as long as the feed has not begun; false when it has. */
bool io__waiting(const struct listing *l, char *buf, size_t size);

#endif
