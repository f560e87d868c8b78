/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Entries by what they are, within a bound: when there are too many, the coldest half loses what
 * distinguishes its entries, a step at a time, and those that are the same then become one, so that
 * sums stay what they were. Collector thread only.
 */
#ifndef MODELS_ENTRIES_H
#define MODELS_ENTRIES_H

#include "base/hidx.h"
#include "models/windows.h"

/* What an entry counts, n of them (models/windows.h). */
#define ENTRY_COUNTS(n)                                                                            \
	u64 now[n], total[n];                                                                      \
	double decay[n]

struct entries_kind {
	size_t size, key_size; /* an entry begins with its key; what follows it is zero at first */
	u32 ncounts;
	size_t counts_at; /* of its ENTRY_COUNTS(ncounts), which are merged and are its heat */
	u32 steps;
	u64 (*hash)(const void *key);
	bool (*same)(const void *a, const void *b); /* keys */
	/* What an entry loses in a step, with all that it lost in those before. */
	void (*fold)(void *entry, u32 step);
	/* Without counts: what there was lately; adds up, `from` goes then. */
	double (*heat)(const void *entry);
	void (*merge)(void *to, void *from);
};

/* Zero-initialized but for the first two. */
struct entries {
	const struct entries_kind *kind;
	u32 max;
	void *v;
	u32 n, cap;
	struct hidx index;
	bool added; /* the last entries__get() found none */
};

static inline void *entries__at(const struct entries *e, u32 i)
{
	return (char *)e->v + i * e->kind->size;
}

/* Makes room before it adds one. Valid until the next one is added. */
void *entries__get(struct entries *e, const void *key);
/* Ends an interval of one's counts; out: u64 of WINDOWS times ncounts. */
void entries__advance(const struct entries *e, u32 i, double keep, void *out);
/* Half of them lose what they do in the first step. */
void entries__shed(struct entries *e);
/* Are there more than so many of those that `which` names, the coldest of them do, so that three quarters are as
 * they were; then what they do in the next step, as long as there are more. */
void entries__bound(struct entries *e, bool (*which)(const void *entry), u32 most);
/* After keys were changed in place: those that are the same now are one. */
void entries__rekey(struct entries *e);
void entries__clear(struct entries *e);
void entries__fini(struct entries *e);
size_t entries__bytes(const struct entries *e);

#endif
