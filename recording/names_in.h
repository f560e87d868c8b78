/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The names of one part of a recording, as read. Nothing in a file is believed: what refers to
 * something that is not there is unknown, tables are bounded. One thread.
 */
#ifndef RECORDING_NAMES_IN_H
#define RECORDING_NAMES_IN_H

#include "recording/bytes.h"
#include "recording/format.h"
#include "symbols/symbols.h"

struct names_in;

/* symbols NULL: stacks are not asked for. */
struct names_in *names_in__new(struct symbols *symbols);
/* Locs are those of symbols: the recording is of this process (struct names_out.local). */
void names_in__trust(struct names_in *n);
void names_in__free(struct names_in *n);
/* Forgets all. What was handed out of another part has other hashes. */
void names_in__start(struct names_in *n, u32 part);
/* Takes a block's records; false: it is broken from some record on. */
bool names_in__read(struct names_in *n, struct cursor block);

/* ref: as samples have it. "" of none and of one that is not there. */
const char *names_in__text(const struct names_in *n, u64 ref);
/* The bytes of kept fields; false: they are not there. */
bool names_in__kept(const struct names_in *n, u64 ref, struct cursor *out);
/* 0: none, or not there. */
u64 names_in__stack_hash(const struct names_in *n, u64 ref);
u32 names_in__nstacks(const struct names_in *n);
/* Fills the definition of a stack by its position; frames are at most STACKS_MAX_FRAMES locs,
 * put into ips. tgid: whose it is. */
void names_in__stack(struct names_in *n, u32 stack, u64 *ips, struct stack_def *def);
/* It is another part; nothing of it was handed out yet. Cgroups are told again. */
void names_in__rename(struct names_in *n, u32 part);
/* Calls fn for each cgroup whose path is known, and that it was not called for yet. */
void names_in__cgroups(struct names_in *n, void (*fn)(void *ctx, u64 id, const char *path), void *ctx);

#endif
