/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Questions that are asked at run time: read, checked against the events of this machine, compiled.
 * A question is immutable and stays for good, as what was counted of it may be looked at as long as
 * proftop runs; of one text there is one. UI thread, and at the start.
 *
 * A draft is one that may never be asked: it goes with the last that refers to it. Any thread.
 */
#ifndef SOURCES_ASK_H
#define SOURCES_ASK_H

#include "base/status.h"
#include "samples/ask.h"
#include "samples/snap.h"
#include "sources/source.h"

/* A ! before the question: whatever it takes (sources/ask_rate.h). NULL with st: what is wrong, in one line, for short questions with a caret below the fault. */
const struct ask *ask__new(const char *text, struct status *st);
/* A question that is called by a name of the user's own; it may have the ! too. */
const struct ask *ask__named(const char *name, const char *question, struct status *st);
/* As ask__named (question NULL: as ask__new), with a reference for the caller. */
const struct ask *ask__draft(const char *name, const char *question, struct status *st);
const struct ask *ask__get(const struct ask *a); /* ask__put: sources/source.h */
/* What asks the same and was kept; NULL: nothing. UI thread. */
const struct ask *ask__known(const struct ask *draft);
/* A draft is asked from now on, or one that asks the same already is returned; takes the reference over. NULL with
 * st. UI thread. */
const struct ask *ask__keep(const struct ask *draft, struct status *st);
const struct measure *ask__measure(const struct ask *a);
/* Whose view shows it. */
enum ask_kind ask__kind(const struct ask *a);
enum model_id ask__model(const struct ask *a);
/* As it was asked. */
const char *ask__text(const struct ask *a);
/* The question itself, where it was asked by a name. */
const char *ask__question(const struct ask *a);
/* Whatever it takes: it was asked with ! before it. */
bool ask__is_forced(const struct ask *a);

/* All that are asked, as struct sampling has it; immutable, for good. NULL: none. */
struct ask_list {
	u32 n;
	const struct ask *v[ASK_MAX];
};

/* One more at the end; those of `list` that fail are left out. NULL with st: there are ASK_MAX. */
const struct ask_list *ask_list__with(const struct ask_list *list, const struct ask *one,
				      struct status *st);
/* With another one in the place of the at-th. NULL: that one is asked already. */
const struct ask_list *ask_list__replace(const struct ask_list *list, u32 at, const struct ask *one,
					 struct status *st);
const struct ask_list *ask_list__without(const struct ask_list *list, u32 at);

#endif
