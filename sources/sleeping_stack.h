/* SPDX-License-Identifier: GPL-2.0-only */
/* The user stack of a thread that sleeps: it lies still as long as it does. Any thread. */
#ifndef SOURCES_SLEEPING_STACK_H
#define SOURCES_SLEEPING_STACK_H

#include "base/base.h"

#define SLEEPING_STACK_BYTES 32768

/* Copies what is from sp on, up to the stack's end. Returns how much. */
u32 sleeping_stack__copy(u32 tgid, u64 sp, u8 buf[SLEEPING_STACK_BYTES]);
/* After that: whether it still sleeps in a call that it made at sp. */
bool sleeping_stack__stays(u32 tid, u64 sp);

#endif
