/* SPDX-License-Identifier: GPL-2.0-only */
/* Questions that are compiled in, by name: questions/library.def. */
#ifndef QUESTIONS_LIBRARY_H
#define QUESTIONS_LIBRARY_H

#include "base/base.h"

struct known_question {
	const char *name, *help, *text;
};

/* NULL beyond the last. */
const struct known_question *question_library__at(u32 i);
/* NULL: there is none of that name. */
const struct known_question *question_library__find(const char *name);

#endif
