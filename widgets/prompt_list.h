/* SPDX-License-Identifier: GPL-2.0-only */
/* The parts of a prompt that its files share; for prompt*.c only. */
#ifndef WIDGETS_PROMPT_LIST_H
#define WIDGETS_PROMPT_LIST_H

#include "widgets/prompt.h"

/* Puts `with` in place of text[from, to) and the cursor behind it; nothing when too long. */
void prompt__replace(struct prompt *p, u32 from, u32 to, const char *with);

/* Tab and BackTab: opens the list (one completion is taken at once, what all have in
 * common is filled in), then walks it. */
void prompt_list__tab(struct prompt *p, int dir);
/* Where the list is always there: makes it what fits the text now. */
void prompt_list__offer(struct prompt *p);
/* Chooses the next one in the list; between last and first stands what was typed. */
void prompt_list__walk(struct prompt *p, int dir);
/* restore: what was typed stands again. */
void prompt_list__close(struct prompt *p, bool restore);

#endif
