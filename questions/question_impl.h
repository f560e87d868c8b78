/* SPDX-License-Identifier: GPL-2.0-only */
/* Events within a question: for questions/question.c and questions/event.c. */
#ifndef QUESTIONS_QUESTION_IMPL_H
#define QUESTIONS_QUESTION_IMPL_H

#include "questions/expr_impl.h"
#include "questions/question.h"

/* One event, without role and step; -EINVAL with err filled. */
int question_event__read(struct reader *r, struct question_event *e);

#endif
