/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Prompt: edits one line of UTF-8 at the bottom of the screen, with history, completion
 * (a list above the line) and an error whose caret line marks the faulty part.
 *
 * Keys: arrows, Home/End C-a C-e, C-b C-f, Backspace C-h, Delete C-d, C-w (word back),
 * C-u (to start), C-k (to end), Up/Down C-p C-n (history; in the list when one is open),
 * Tab/BackTab (complete, then walk the list), Enter, Esc C-c C-g.
 */
#ifndef WIDGETS_PROMPT_H
#define WIDGETS_PROMPT_H

#include "widgets/cells.h"
#include "widgets/input.h"

#define PROMPT_MAX	   4608 /* bytes of a line with its NUL: a whole filter and a command */
#define PROMPT_HISTORY	   50
#define PROMPT_COMPLETIONS 192
#define PROMPT_LIST_LINES  8 /* of the completion list shown at a time */

enum prompt_result { PROMPT_EDITING, PROMPT_ACCEPTED, PROMPT_CANCELLED };

/* Lines given before, oldest first; outlives the prompts that use it, one per purpose.
 * Zero-initialized is empty. */
struct prompt_history {
	char *lines[PROMPT_HISTORY];
	u32 n;
};

void prompt_history__add(struct prompt_history *h, const char *line); /* drops doubles */
void prompt_history__fini(struct prompt_history *h);

/* Filled by the completion callback: what may stand in place of text[start..cursor). */
struct completions {
	u32 start; /* byte offset; the cursor unless the callback sets it */
	u32 n;
	struct completion {
		char text[96];
		char help[96]; /* shown beside it, "" none */
	} items[PROMPT_COMPLETIONS];
};

/* False when full; the callback may then stop. Longer texts are not taken. */
bool completions__add(struct completions *l, const char *text, const char *help);

struct prompt {
	char label[40];
	char text[PROMPT_MAX];
	u32 len, cursor; /* bytes; the cursor is always at a character's start */

	/* Optional; set after prompt__open. The callback gets an emptied list and the line
	 * up to the cursor. */
	struct prompt_history *history;
	void (*complete)(void *ctx, const char *text, u32 cursor, struct completions *out);
	void *ctx;
	bool offers; /* the list is there without being asked for: see prompt__offer */

	/* private */
	u32 history_pos; /* history->n and above: the line being edited, else kept in draft */
	char draft[PROMPT_MAX];
	struct completions list;
	u32 list_pos; /* chosen one + 1; 0: list shown, none chosen */
	u32 list_top;
	u32 list_end;	       /* end of the text that a chosen completion replaced */
	char stem[PROMPT_MAX]; /* what stood at list.start before one was chosen */
	u32 error_column, error_length;
	char error[200];
};

/* text: what is there to begin with, cursor at its end. */
void prompt__open(struct prompt *p, const char *label, const char *text);
/* p->text is the line. ACCEPTED adds it to the history; after a prompt__error the caller
 * simply goes on editing. Events other than keys are ignored. */
enum prompt_result prompt__input(struct prompt *p, const struct input *in);
/* Shows the list from now on, and what it has follows the text. Up is history and Enter takes the
 * line as long as nothing of it is chosen. */
void prompt__offer(struct prompt *p);
/* Shows msg below a caret line: bytes [column, column + length) are marked. The next change
 * of the text removes it. */
void prompt__error(struct prompt *p, u32 column, u32 length, const char *msg);

/* Tests: lines it needs now at that width: 1, and more with a list or an error. */
int prompt__height(const struct prompt *p, int w);
/* Draws into the bottom lines of area and sets the canvas' cursor. */
void prompt__draw(const struct prompt *p, struct canvas *c, struct rect area);

#endif
