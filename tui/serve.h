/* SPDX-License-Identifier: GPL-2.0-only */
/* --serve: no screen; what views have is handed out over HTTP to whoever asks. */
#ifndef TUI_SERVE_H
#define TUI_SERVE_H

#include "pipeline/collector.h"
#include "tui/options.h"

/* Views that are served when none is named. */
#define SERVE_VIEWS_DEFAULT "overview,cpu,offcpu,io"
#define SERVE_INTERVAL_NS   (10 * NSEC_PER_SEC)

/* What it does with, whatever there is: its budgets and maps are those of a machine with so much. */
#define SERVE_MEMORY (255ULL << 20)

/* What listens, and what it asks of requests. */
struct serve_door;

/* The names of the views that are served, commas or blanks between. */
const char *serve__views(const struct options *o);
/* Bit per model_id that they need. */
u64 serve__models(const struct options *o);
/* Whether all of them have reports and apply what the scope asks for: as view__check_terms. */
int serve__check(const struct options *o, const struct scope *s, struct status *st);
/* Opens the socket, before anything is attached: NULL with st. */
struct serve_door *serve__open(const struct options *o, struct status *st);
void serve__close(struct serve_door *d); /* NULL is fine */
struct stream_wish {
	u64 models; /* a bit each */
	bool early; /* short intervals come first */
};

/* --serve -: hears what is wanted to begin with, beside options; -errno with st. */
int stream__hear(struct options *o, struct stream_wish *w, struct status *st);
/* Until a signal, or the end of who listens; returns the exit code. */
int stream__run(struct options *o, struct collector *c);
/* Until a signal ends it; returns the exit code. history: an fd of what is kept of the past, borrowed; -1
 * none. */
int serve__run(struct serve_door *d, const struct options *o, struct collector *c,
	       struct symbols *symbols, int history);

#endif
