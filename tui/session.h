/* SPDX-License-Identifier: GPL-2.0-only */
/* All that a session needs, of a screen, batch mode or a server: made and ended as a pair. Main thread
 * only. */
#ifndef TUI_SESSION_H
#define TUI_SESSION_H

#include "tui/app.h"
#include "tui/connect.h"
#include "tui/serve.h"

/* Sources in place of the machine's; intervals then end by the script's ticks only. */
struct fixture {
	const struct source_row *sources; /* ends with ops == NULL */
	void (*begin)(struct symbols *symbols); /* before the collector starts */
};

struct session {
	struct scope *scope;
	struct symbols *symbols;
	struct link *link; /* of --connect, until the player has it; NULL none */
	struct player *player; /* NULL live */
	struct child *child; /* borrowed; NULL none */
	struct collector *collector;
	bool streams; /* --serve -, and what is wanted there */
	struct stream_wish wish;
	int history; /* to be read; -1 none */
	struct baseline baseline; /* frame NULL: none */
	/* Where it is said how far long work is; term NULL: nowhere. */
	const struct term_ops *ops;
	struct term *term;
};

/* s: zero but for history, child, link, streams, ops and term. The options get what files and
 * questions say. 0, or st says what is wrong; session__end() then, too. */
int session__begin(struct session *s, struct options *o, const struct fixture *fixture,
		   struct status *st);
void session__end(struct session *s);
/* Bits of what its recording has. */
u64 session__models(const struct session *s);
/* Bits of models that are wanted at the begin. */
u64 session__wanted_first(const struct options *o);
/* The models of these views, commas between; NULL: none. */
u64 views__models(const char *list);

#endif
