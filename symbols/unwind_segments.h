/* SPDX-License-Identifier: GPL-2.0-only */
/* Where an object's code is mapped from, as its unwind table counts addresses. Any thread. */
#ifndef SYMBOLS_UNWIND_SEGMENTS_H
#define SYMBOLS_UNWIND_SEGMENTS_H

#include <libelf.h>

#include "base/base.h"
#include "bpf/unwind.h"

/* The executable segments; base: the address that pc 0 stands for. Returns how many there are;
 * UNWIND_SEGMENTS + 1: more than are filled in; 0 also of a broken file or none. */
u32 unwind_segments__read(Elf *elf, u64 base, struct unwind_segment out[UNWIND_SEGMENTS]);
/* What has to be added to the file's addresses, where its code from an offset on is mapped at start. */
bool unwind_segments__bias(int fd, u64 offset, u64 start, u64 *bias);

#endif
