/* SPDX-License-Identifier: GPL-2.0-only */
/* What kind a lock is, by who waits for it: the functions of the C library, of languages' runtimes, and
 * of what is used in their place. Pure. */
#ifndef SOURCES_LOCK_KINDS_H
#define SOURCES_LOCK_KINDS_H

#include "base/base.h"
#include "bpf/locks.h"

/* In JSON and on screen. */
extern const char *const lock_kind_names[LOCK_KINDS];

/* By the name of one function in the stack of who waits; LOCK_KIND_NONE: it says nothing. */
enum lock_kind lock_kind__of_function(const char *name);
/* Whether that function waits for any lock in a word of its thread's own: LOCK_PARKS. */
bool lock_kind__parks(const char *name);
/* By the call alone, FUTEX_x and the value that is waited on; likewise. */
enum lock_kind lock_kind__of_call(u32 op, u32 value);
/* Whether a function is there to take, wait for or let go of locks: it does not say who does. */
bool lock_kind__is_library(const char *name);
/* How far behind the begin of a lock of that kind its word lies, as the GNU C library has it. */
u32 lock_kind__offset(enum lock_kind kind, u64 address);

#endif
