/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guide, docs/GUIDE.md, as it is compiled in: a page begins with "## " and its title, and
 * "<!-- views: NAME ... -->" below it names the views that it is about. UI thread only.
 */
#ifndef TUI_GUIDE_H
#define TUI_GUIDE_H

#include "base/arena.h"
#include "widgets/help.h"

struct host;

struct guide_text {
	struct arena arena; /* of the lines */
	struct help_line *lines;
	u32 n;
	int w; /* of the screen that they were made for */
};

/* Copies text; of each `KEY` (ACTION) in it the key becomes the one in force. */
void guide__keys(const struct host *h, const char *text, char *to, size_t size);
void guide_text__fini(struct guide_text *t);
/* Adds the pages about a view (NULL: about any) whose titles have these letters ("" any), wrapped at
 * w cells, with the keys in force. Returns how many they are. */
u32 guide__add(struct guide_text *t, const struct host *h, const char *view, const char *title, int w);
/* Title of the n-th page; false: there are not so many. */
bool guide__title(u32 n, char *buf, size_t size);

#endif
