/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of the interpreted functions in stacks (bpf/script.h). A code object is read from its process
 * when it is first met; names are kept for when the process is over. Collector thread only.
 */
#ifndef SYMBOLS_SCRIPTS_H
#define SYMBOLS_SCRIPTS_H

#include "samples/sample.h"
#include "symbols/runtimes.h"

struct symbols;
struct scripts;

struct scripts *scripts__new(struct symbols *s);
void scripts__free(struct scripts *sc);
/* What frames of a process look like from now on. */
void scripts__attach(struct scripts *sc, u32 tgid, const struct process_runtime *r);
/* What they look like; NULL: nothing interprets there. Until the next one is attached. */
const struct process_runtime *scripts__runtime(const struct scripts *sc, u32 tgid);
/* Whether frames of a process were ever asked for: only the programs mark words in stacks of those. */
bool scripts__knows(const struct scripts *sc, u32 tgid);
/* Of a process that is known: puts locs in the place of the words of interpreted functions of a stack that has some, marked with
 * SCRIPT_FRAME (out->scripts), and takes the check word out; compiled code becomes all functions that are
 * in it. ips: room for all of d's frames and for some more; out uses it, and is cut where that does not
 * suffice. Where the functions are others by now they are unknown. */
void scripts__name(struct scripts *sc, const struct stack_def *d, u64 *ips, u32 room,
		   struct stack_def *out);
/* Stacks that were named, and of those the ones whose code objects were not there any more. */
void scripts__stats(const struct scripts *sc, u64 *named, u64 *gone);

static inline bool stack_def__has_scripts(const struct stack_def *d)
{
	u32 n = (u32)d->nkernel + d->nuser;

	return !d->named && d->nuser && SCRIPT_MARK(d->ips[n - 1]) == SCRIPT_CHECK;
}

#endif
