/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text files that a person writes: keymaps, themes, the configuration. Read whole within a bound,
 * then taken apart line by line; '#' begins a comment where a word could begin. What is wrong is
 * told as FILE:LINE: what "word": what would be right, exit code for usage, and nothing of the
 * file can act on the terminal that it is told on.
 */
#ifndef TUI_TEXT_FILE_H
#define TUI_TEXT_FILE_H

#include "base/status.h"

#define TEXT_FILE_MAX (64 * 1024)
#define TEXT_WORD_MAX 64 /* with its NUL; longer words are cut */

/* Reads a regular file; *text is for free(). `kind` is what it is, for messages. found: nobody
 * named it, so it has to be root's or the user's (under sudo also the one's who called it), and not
 * everybody's to write to. */
int text_file__read(const char *path, const char *kind, bool found, char **text, size_t *len,
		    struct status *st);

struct text_lines {
	const char *name;
	const char *pos, *end;
	u32 line; /* number of the present one, from 1 */
	struct status *st;
};

/* The next line as [*from, *to); false at the end. */
bool text_lines__next(struct text_lines *l, const char **from, const char **to);
/* The next word of a line into word, "" at its end or a comment; returns what follows it. */
const char *text_word(const char *from, const char *to, char word[TEXT_WORD_MAX]);
/* Fills the status; -EINVAL. */
int text_lines__fail(struct text_lines *l, const char *what, const char *word, const char *right);

#endif
