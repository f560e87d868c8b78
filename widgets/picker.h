/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Picker: a box with a list that narrows as one types (fuzzy search), for processes,
 * cgroups, views. The list may change while it is open: the selection follows its key.
 */
#ifndef WIDGETS_PICKER_H
#define WIDGETS_PICKER_H

#include "widgets/cells.h"
#include "widgets/input.h"

enum picker_result { PICKER_EDITING, PICKER_ACCEPTED, PICKER_CANCELLED };

/* Borrowed strings, valid until the next call of item(). */
struct picker_item {
	u64 key;	    /* stable identity */
	const char *text;   /* what is searched and shown on the left */
	const char *detail; /* right-hand column, dim; may be NULL */
	enum role role;	    /* of the text; ROLE_TEXT normally */
};

struct picker_source {
	u32 n;
	void (*item)(void *ctx, u32 i, struct picker_item *out);
	void *ctx;
};

struct picker_match {
	u32 item;
	int score;
};

struct picker {
	char title[48];
	char pattern[128]; /* as typed; blanks separate parts that must all match */
	u32 len;
	u64 selected; /* key; valid when nmatches > 0 */
	/* private */
	struct picker_match *matches; /* best first; in the source's order when no pattern */
	u32 nmatches, cap;
	u32 cursor, top, page, total;
	bool moved; /* the selection was moved by hand: follow its key, not the best match */
	bool early; /* Enter came behind a pattern before there was any item */
	struct rect list;
};

void picker__open(struct picker *p, const char *title, const struct picker_source *src);
void picker__fini(struct picker *p);
/* The items changed (or first came): matches again, keeps the selection when its key is
 * still there. O(n x length); 10,000 items take a few ms. */
void picker__update(struct picker *p, const struct picker_source *src);
/* Letters edit the pattern, arrows, PgUp/PgDn, Home/End, C-n C-p and the mouse move, C-u
 * empties, Enter or a double click accepts (only when something is selected), Esc cancels.
 * Enter that comes behind a pattern, but before the items, is kept: see picker__accepts(). */
enum picker_result picker__input(struct picker *p, const struct picker_source *src,
				 const struct input *in);
/* After an update, once: Enter was pressed before there were items, and now something matches. */
bool picker__accepts(struct picker *p);
/* The source's index of the selected item; false when nothing matches. */
bool picker__selected(const struct picker *p, const struct picker_source *src, u32 *index);
/* Draws a box in the middle of area, at most 100 x 24; sets the canvas' cursor. */
void picker__draw(struct picker *p, const struct picker_source *src, struct canvas *c,
		  struct rect area);

/* Pure. Fuzzy score of text for a pattern (0: no match; an empty one matches all with 1): the
 * characters of each blank-separated part in order, without regard to case unless the part
 * has capitals; word starts, runs, early matches and short texts score higher. Looks at the
 * first 512 bytes. *mask gets a bit for each matched byte of the first 64 (may be NULL). */
int fuzzy__score(const char *pattern, const char *text, u64 *mask);

#endif
