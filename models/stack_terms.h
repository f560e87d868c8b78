/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which stacks pass the terms of a scope that are about frames (sym~, obj~, lang=), for models whose
 * entries have one each. A stack that is not known is the one frame "[no stack]". One query on one
 * thread, as struct selection.
 */
#ifndef MODELS_STACK_TERMS_H
#define MODELS_STACK_TERMS_H

#include "models/profile_select.h"

struct stack_terms {
	bool used; /* there are such terms; else all stacks pass */
	struct profile_query names;
	struct selection selection;
};

/* scope and arena stay; stack_terms__fini() has to follow. */
void stack_terms__init(struct stack_terms *t, struct arena *arena, const struct symbols *symbols,
		       const struct scope *scope);
void stack_terms__fini(struct stack_terms *t);
bool stack_terms__pass(struct stack_terms *t, const struct callstack *stack);
/* Whether names are missing that may decide. */
bool stack_terms__pending(const struct stack_terms *t);

#endif
