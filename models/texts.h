/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts that entries of a model share and snapshots point to, each once. Collector thread only; the
 * texts themselves are read by any who holds a reference to the store. */
#ifndef MODELS_TEXTS_H
#define MODELS_TEXTS_H

#include "base/hidx.h"
#include "models/stacks.h" /* struct stack_store */

struct texts {
	struct stack_store *store;
	const char **v;
	u32 n, cap;
	size_t bytes;
	struct hidx index;
};

void texts__init(struct texts *t);
void texts__fini(struct texts *t);
/* The same text by one pointer until texts__renew. */
const char *texts__intern(struct texts *t, const char *text);
/* Begins anew; the old texts stay as long as `old`, a reference to be put, is held. */
void texts__renew(struct texts *t, struct stack_store **old);

#endif
