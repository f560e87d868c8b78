// SPDX-License-Identifier: GPL-2.0-only
#include "models/stack_terms.h"

void stack_terms__init(struct stack_terms *t, struct arena *arena, const struct symbols *symbols,
		       const struct scope *scope)
{
	t->used = scope__terms(scope) & SCOPE_TERM_STACK;
	if (!t->used)
		return;
	t->names = (struct profile_query){.user = true, .kernel = true};
	t->selection = (struct selection){0};
	selection__init_stacks(&t->selection, arena, symbols, &t->names, scope);
}

void stack_terms__fini(struct stack_terms *t)
{
	if (t->used)
		selection__fini(&t->selection);
}

bool stack_terms__pass(struct stack_terms *t, const struct callstack *stack)
{
	u32 at;

	if (!t->used)
		return true;
	at = selection__stack(&t->selection, stack);
	return t->selection.filtered[at].passes;
}

bool stack_terms__pending(const struct stack_terms *t)
{
	return t->used && selection__pending(&t->selection);
}
