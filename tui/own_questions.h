/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions of one's own: a file each in the folder "questions" beside the configuration
 * (tui/own_files.h), asked by the file's name. Lines that begin with # are comments, the first of which
 * is its line of help; all others together are the question. Those that are compiled in
 * (questions/library.h) come first: a file of such a name is not asked, and that is said.
 *
 * Any thread. All but __is_name and __parse read or write the disk.
 */
#ifndef TUI_OWN_QUESTIONS_H
#define TUI_OWN_QUESTIONS_H

#include "base/status.h"

#define OWN_QUESTIONS_MAX     256 /* files that are looked at */
#define OWN_QUESTION_NAME_MAX 48  /* with its NUL */

struct own_question {
	char name[OWN_QUESTION_NAME_MAX];
	char help[120]; /* "" none */
	char *text;	/* for free(); one line */
};

/* Letters, digits, _ - and ., which is not the first; no word of :ask or of the language. */
bool own_question__is_name(const char *name);

/* What a file says; -EINVAL with st: it is no text, or has no question. `name` is for messages. */
int own_question__parse(const char *name, const char *text, size_t len, struct own_question *out,
			struct status *st);

/* 0; -ENOENT, without st: there is no such file; else -errno with st. */
int own_question__read(const char *name, struct own_question *out, struct status *st);

/* Whether there is a file of this name that is not asked, as the name is compiled in. */
bool own_question__is_shadowed(const char *name);

/* A new file; one that is there is left as it is (-EEXIST) unless it may be replaced. */
int own_question__save(const struct own_question *q, bool replace, struct status *st);
int own_question__delete(const char *name, struct status *st);

/* Names of files in the order of the alphabet, OWN_QUESTIONS_MAX at most; how many. */
u32 own_questions__list(char (*names)[OWN_QUESTION_NAME_MAX]);

#endif
